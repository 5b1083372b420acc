/** The sections of a command's help besides its description. */
export interface ManualPage {
  /** Files that the command reads or writes, relative to the project, each with its purpose. */
  files?: Readonly<Record<string, string>>;
  /** Exit statuses with a special meaning for this command. */
  exits?: Readonly<Record<number, string>>;
  /** Related commands, without the program's name, and topics of `meshd help`. */
  see: readonly string[];
}

const TEAM = { '.mesh/team/<id>.md': 'the member: YAML frontmatter and the prompt' };
const TOKENS = { '.mesh/credentials/team-tokens.json': 'tokens of exposed members, 0600' };
const AGREEMENTS = { '.mesh/state/exposure.json': 'your decisions about members that the repository exposes, 0600' };
const CLUSTER_TOKENS = { '.mesh/credentials/clusters.json': 'tokens of clusters, 0600' };
const AGENT_KEYS = { '.mesh/credentials/agents.json': 'keys of registered agents, 0600' };
const WORKTREES = { '~/.local/state/meshd/worktrees': 'the worktrees of all projects, 0700' };
const ROADMAP = { '.mesh/roadmap.md': 'the tasks' };
const CHECKS = { '.mesh/state/task-checks.json': 'the commands, 0600' };
const CLIENTS = { '.mesh/credentials/clients.json': 'the chosen model and its key, 0600' };
const NETWORK = {
  '.mesh/state/network.json': 'the servers, the name of the network, and which members are shared',
  '.mesh/credentials/network.creds': 'the credentials for its servers, 0600',
};
const SET_ASIDE = { '.mesh/state/before-networks': 'the shared data of this daemon before they were replaced, 0700' };
const TELEMETRY = { '.mesh/credentials/telemetry.json': 'the address of the collector and its headers, 0600' };
const DAEMON = { '.mesh/state/daemon.json': 'address and proof secret of the daemon, 0600' };
const STORE = { '.mesh/state/mesh.db': 'requests, conversations and all other records' };
const WALLETS = { '.mesh/credentials/wallets.json': 'keys of wallets, 0600' };
const CODE_EXITS = { 4: 'the project has nothing of this name', 8: 'the structure is still being read' };
const needsAdmin = { 5: 'there is no admin token of the cluster, or it is wrong' };

/** Default descriptions of arguments that a command does not describe. */
export const ARGUMENTS: Readonly<Record<string, string>> = {
  member: 'the id of a member, as `meshd team ls` lists it',
  agent: 'the id of an agent',
  'member|agent': 'the id of an exposed member, or of an agent on the hub or the unified API',
  conversation: 'its id, as `meshd conversations ls` lists it',
  request: 'its id, as `meshd requests ls` lists it',
  task: 'its id, as `meshd roadmap ls` lists it',
  schedule: 'its id, as `meshd schedule ls` lists it',
  call: 'its id, as `meshd approvals` lists it',
};

/** Keyed by the command's path, without the program's name. */
export const PAGES: Readonly<Record<string, ManualPage>> = {
  up: {
    files: {
      '.mesh/': 'made when missing, with the default roster',
      ...DAEMON,
      '.mesh/state/port': 'the port to take again',
      '.mesh/state/daemon.log': 'what the daemon logs',
    },
    exits: {
      70: "internal error; see the daemon's log",
      75: 'another daemon is starting, or the port is taken by another program',
      78: 'the configuration is wrong: an option, an environment variable, or a file of .mesh',
    },
    see: ['status', 'down', 'open', 'adopt', 'doctor', 'help environment'],
  },
  status: {
    files: DAEMON,
    exits: { 3: 'no daemon runs, or it does not answer; the sentence says which' },
    see: ['up', 'doctor', 'ls'],
  },
  down: { files: DAEMON, exits: { 1: 'it still runs after 10 s' }, see: ['up', 'status'] },
  open: {
    exits: { 4: 'the file does not exist or may not be read', 6: 'no editor is chosen, found or able to start' },
    see: ['up', 'status', 'code defs'],
  },
  doctor: {
    files: { '.mesh/': 'looked over; changed only with --fix' },
    exits: { 1: 'something must be fixed', 3: 'no daemon runs, and nothing else is wrong' },
    see: ['status', 'upgrade', 'support-bundle', 'help files', 'help environment'],
  },
  'support-bundle': { see: ['doctor', 'service logs', 'help files'] },
  'telemetry set': { files: TELEMETRY, see: ['telemetry test', 'telemetry show', 'telemetry off'] },
  'telemetry show': { files: TELEMETRY, see: ['telemetry set', 'telemetry test'] },
  'telemetry test': {
    files: TELEMETRY,
    exits: { 1: 'the collector did not take it', 4: 'telemetry is off' },
    see: ['telemetry set', 'telemetry show'],
  },
  'telemetry off': { files: TELEMETRY, see: ['telemetry set', 'telemetry show'] },
  'network create': { files: NETWORK, see: ['network join', 'network status', 'network leave'] },
  'network join': { files: NETWORK, see: ['network create', 'network status', 'network members'] },
  'network status': {
    exits: { 1: 'this daemon cannot follow the network until you act; the sentence says why' },
    see: ['network members', 'network join', 'doctor'],
  },
  'network members': { see: ['network share', 'ask', 'find', 'network status'] },
  'network share': { files: NETWORK, see: ['network unshare', 'network members', 'team expose'] },
  'network unshare': { files: NETWORK, see: ['network share', 'network members'] },
  'network leave': { files: NETWORK, see: ['network join', 'network restore'] },
  'network copies': { files: SET_ASIDE, see: ['network restore', 'backup'] },
  'network restore': { files: SET_ASIDE, see: ['network copies', 'network leave'] },
  backup: {
    files: {
      '.mesh/': 'read; but for the index, logs and what a start makes anew',
      '.mesh/credentials/': 'tokens and keys, read with --with-credentials only',
      '~/.local/state/meshd/backups/': 'where it goes without a file, below XDG_STATE_HOME when that is set',
    },
    exits: {
      1: 'the database is damaged, or the disk is full',
      5: 'with --with-credentials: the file would lie in the project',
      6: 'the file is there already, or a process holds the database and does not answer',
    },
    see: ['restore', 'help files'],
  },
  restore: {
    files: { '.mesh/': 'replaced', '.mesh/state/before-restore-*/': 'what was there' },
    exits: {
      1: 'the database in it is damaged or of a newer version, or the disk is full',
      2: 'the backup is incomplete',
      4: 'the file is not there, or with --undo nothing was restored',
      6: 'a daemon runs, or another restore is under way',
    },
    see: ['backup', 'down', 'up'],
  },
  adopt: {
    files: {
      '.mesh/foreign-*/': 'what a start has set aside: read, and removed when everything in it was taken over',
      '.mesh/state/before-restore-*/': 'what was there',
      '~/.local/state/meshd/states/': 'which state is this machine’s own, below XDG_STATE_HOME when that is set',
    },
    exits: {
      2: 'a group that cannot be taken over, or no such group',
      4: 'nothing was set aside',
      5: 'git tracks files of .mesh/credentials or .mesh/state',
      6: 'a daemon runs, or a restore is under way',
      9: 'without a terminal: neither --all nor --take was given',
    },
    see: ['up', 'down', 'restore', 'doctor', 'help files'],
  },
  'clients ls': { see: ['clients use', 'clients test', 'doctor'] },
  'clients models': { exits: { 1: 'Ollama does not answer, or has no model' }, see: ['clients use', 'clients ls'] },
  'clients test': { exits: { 1: 'it did not answer; the sentence says why' }, see: ['clients use', 'clients ls'] },
  'clients use': { files: { ...CLIENTS, ...TEAM }, see: ['clients test', 'clients ls', 'clients forget'] },
  'clients forget': { files: CLIENTS, see: ['clients ls', 'clients use'] },
  'team ls': { files: TEAM, see: ['team show', 'team new', 'inbox'] },
  'team show': { files: TEAM, see: ['team ls', 'team edit', 'token show'] },
  'team new': {
    files: TEAM,
    exits: { 6: 'there is a member of that id' },
    see: ['team draft', 'team edit', 'team import'],
  },
  'team edit': {
    files: TEAM,
    exits: {
      1: 'the editor failed, or the file cannot be read now',
      5: 'the text holds a secret',
      6: 'the key cannot be changed',
    },
    see: ['team show', 'team new', 'help environment'],
  },
  'team import': {
    files: { '.claude/agents/*.md and others': 'agents of other tools, only read', ...TEAM },
    exits: { 1: 'one of them was not imported' },
    see: ['team drift', 'team export'],
  },
  'team drift': { files: TEAM, see: ['team import', 'team show'] },
  'team export': {
    files: { ...TEAM, 'the tool’s own folder': 'written with --write only' },
    see: ['team import', 'team ls'],
  },
  'team draft': { see: ['team new', 'team edit'] },
  'team rm': {
    files: { ...TEAM, ...TOKENS, '.mesh/state/removed-members/': 'the text of each member that was removed' },
    exits: { 1: 'nothing was confirmed', 6: 'it is a singleton or required: these stay' },
    see: ['team ls', 'team hide', 'team restore'],
  },
  'team restore': {
    files: { ...TEAM, '.mesh/state/removed-members/': 'the text that it had' },
    exits: { 4: 'not a default member, and none that was removed', 6: 'the member exists and is valid' },
    see: ['team ls', 'team rm'],
  },
  'team expose': { files: { ...TEAM, ...TOKENS, ...AGREEMENTS }, see: ['team hide', 'token show', 'ask', 'card'] },
  'team hide': { files: { ...TEAM, ...TOKENS, ...AGREEMENTS }, see: ['team expose', 'token revoke'] },
  'token show': {
    files: TOKENS,
    exits: { 5: 'the member is internal and has none' },
    see: ['token rotate', 'token revoke', 'team expose'],
  },
  'token rotate': {
    files: TOKENS,
    exits: { 6: 'the member is internal and has none' },
    see: ['token show', 'token revoke'],
  },
  'token revoke': { files: { ...TEAM, ...TOKENS }, see: ['token rotate', 'team expose', 'team hide'] },
  talk: {
    files: STORE,
    exits: {
      7: 'the turn failed',
      8: 'the time limit was reached',
      9: 'a permission question waits and nobody is at the terminal; the turn waits on',
    },
    see: ['inbox', 'conversations show', 'conversations say', 'ask'],
  },
  acp: {
    files: DAEMON,
    exits: { 2: 'the command line is wrong; failures of requests go to the editor, with their code in `data`' },
    see: ['talk', 'inbox', 'team export', 'up', 'mcp'],
  },
  events: {
    files: DAEMON,
    exits: { 3: 'no daemon runs, or it was gone for a minute', 130: 'ended with Ctrl-C' },
    see: ['conversations show', 'inbox', 'requests ls', 'help output'],
  },
  inbox: { exits: { 9: 'with --check: something needs you' }, see: ['inbox allow', 'approvals', 'team ls'] },
  'inbox allow': {
    exits: { 4: 'there is no such question, or it was answered' },
    see: ['inbox', 'inbox always', 'inbox deny'],
  },
  'inbox always': {
    exits: { 4: 'there is no such question, or it was answered' },
    see: ['inbox', 'inbox show', 'inbox rules', 'inbox deny'],
  },
  'inbox deny': {
    exits: { 4: 'there is no such question, or it was answered' },
    see: ['inbox', 'inbox allow', 'inbox always'],
  },
  'inbox show': {
    exits: { 4: 'there is no such question, or it was answered' },
    see: ['inbox', 'inbox allow', 'inbox always'],
  },
  'inbox rules': { files: STORE, see: ['inbox always', 'inbox revoke'] },
  'inbox revoke': { files: STORE, exits: { 4: 'there is no such rule' }, see: ['inbox rules', 'inbox always'] },
  'conversations ls': { files: STORE, see: ['conversations show', 'talk'] },
  'conversations show': { files: STORE, see: ['conversations ls', 'conversations export', 'talk'] },
  'conversations export': { files: STORE, see: ['conversations show', 'conversations rm'] },
  'conversations say': { files: STORE, exits: { 6: 'its member is gone' }, see: ['talk', 'conversations drop'] },
  'conversations drop': { files: STORE, see: ['conversations say', 'conversations show'] },
  'conversations rename': { files: STORE, see: ['conversations ls', 'conversations pin'] },
  'conversations pin': { files: STORE, see: ['conversations unpin', 'conversations ls'] },
  'conversations unpin': { files: STORE, see: ['conversations pin', 'conversations ls'] },
  'conversations archive': { files: STORE, see: ['conversations unarchive', 'conversations rm'] },
  'conversations unarchive': { files: STORE, see: ['conversations archive', 'conversations ls'] },
  'conversations rm': {
    files: STORE,
    exits: { 1: 'you said no', 2: 'no terminal to ask on, and --yes was not given' },
    see: ['conversations archive', 'conversations export'],
  },
  changes: {
    files: STORE,
    exits: { 4: 'there is no such conversation or checkpoint' },
    see: ['checkpoints', 'rewind'],
  },
  checkpoints: { files: STORE, see: ['changes', 'rewind', 'fork'] },
  rewind: {
    files: STORE,
    exits: { 4: 'there is no such conversation or checkpoint', 6: 'a turn runs in the folder' },
    see: ['checkpoints', 'changes', 'fork'],
  },
  fork: {
    files: STORE,
    exits: { 4: 'there is no such conversation or checkpoint', 6: 'the singleton has a live conversation' },
    see: ['checkpoints', 'rewind'],
  },
  'worktrees ls': { files: WORKTREES, see: ['worktrees rm', 'conversations show', 'talk'] },
  'worktrees rm': {
    files: WORKTREES,
    exits: { 6: 'it has changes and --discard was not given, or a turn works in it' },
    see: ['worktrees ls', 'conversations rm'],
  },
  'worktrees settings': {
    files: { ...WORKTREES, '.mesh/state/preferences.json': 'the preferences' },
    exits: { 2: 'a pattern leads out of the project' },
    see: ['worktrees ls', 'talk'],
  },
  'review ls': { files: STORE, see: ['review comment', 'review send', 'review ask', 'merge'] },
  'review comment': { files: STORE, see: ['review ls', 'review send', 'review rm'] },
  'review rm': { files: STORE, exits: { 6: 'it was sent' }, see: ['review ls', 'review comment'] },
  'review send': { files: STORE, exits: { 2: 'there is no draft' }, see: ['review ls', 'conversations show'] },
  'review ask': {
    files: STORE,
    exits: { 2: 'nothing changed', 6: 'no model is connected for the member' },
    see: ['review ls', 'review send', 'clients use'],
  },
  merge: {
    files: WORKTREES,
    exits: {
      1: 'you said no',
      2: 'no terminal to ask on, and --yes was not given',
      6: 'there are conflicts, changes that are not committed are in the way, or the branch has moved',
    },
    see: ['review ls', 'worktrees ls', 'conversations show'],
  },
  'roadmap ls': { files: ROADMAP, see: ['roadmap run', 'roadmap set'] },
  'roadmap run': { files: ROADMAP, see: ['roadmap ls', 'roadmap stop', 'roadmap checks set', 'inbox'] },
  'roadmap stop': { files: ROADMAP, see: ['roadmap run', 'roadmap ls'] },
  'roadmap set': { files: ROADMAP, see: ['roadmap ls', 'roadmap run', 'roadmap checks set'] },
  'roadmap checks ls': { files: CHECKS, see: ['roadmap checks set', 'roadmap set'] },
  'roadmap checks set': { files: CHECKS, see: ['roadmap checks ls', 'roadmap set', 'roadmap run'] },
  'roadmap checks rm': { files: CHECKS, exits: { 4: 'there is no such command' }, see: ['roadmap checks ls'] },
  'schedule ls': { files: STORE, see: ['schedule show', 'schedule add'] },
  'schedule add': {
    files: STORE,
    exits: { 2: 'the expression, zone, member or task is wrong; the sentence says what would be right' },
    see: ['schedule ls', 'schedule run', 'roadmap ls'],
  },
  'schedule show': { files: STORE, see: ['schedule ls', 'inbox', 'conversations show'] },
  'schedule pause': { files: STORE, see: ['schedule resume', 'schedule rm'] },
  'schedule resume': { files: STORE, see: ['schedule pause', 'schedule ls'] },
  'schedule run': {
    files: STORE,
    exits: { 5: 'the last run began less than a minute ago', 6: 'a run has not ended, or no model is connected' },
    see: ['schedule show', 'inbox'],
  },
  'schedule rm': { files: STORE, see: ['schedule pause', 'schedule ls'] },
  ask: {
    files: { ...TOKENS, ...STORE },
    exits: {
      5: 'the member is internal',
      7: 'the member answered with an error',
      8: 'the wait ended first; the request continues, and its id is printed',
      9: 'a person must decide',
    },
    see: ['talk', 'requests show', 'requests cancel', 'verify', 'team expose'],
  },
  'requests ls': { files: STORE, see: ['requests show', 'ask'] },
  'requests refused': { files: STORE, see: ['requests ls', 'usage', 'token show'] },
  usage: { files: STORE, see: ['requests ls', 'requests refused', 'budgets'] },
  budgets: { files: STORE, see: ['budgets set', 'budgets raise', 'usage', 'inbox'] },
  'budgets set': { files: STORE, exits: { 4: 'no such member or conversation' }, see: ['budgets', 'budgets clear'] },
  'budgets raise': {
    files: STORE,
    exits: { 2: 'more than that is spent already', 4: 'there is no such budget' },
    see: ['budgets', 'budgets leave'],
  },
  'budgets leave': { files: STORE, exits: { 4: 'there is no such budget' }, see: ['budgets raise', 'inbox'] },
  'budgets clear': { files: STORE, exits: { 4: 'there is no such budget' }, see: ['budgets set', 'budgets'] },
  'requests show': { files: STORE, see: ['requests ls', 'verify', 'ask'] },
  'requests trace': {
    files: STORE,
    exits: { 4: 'there is no such request, or the built-in search did not answer it' },
    see: ['requests show', 'ask'],
  },
  'requests rate': {
    files: STORE,
    exits: { 2: 'the request has no answer' },
    see: ['requests show', 'requests ls'],
  },
  'requests test': {
    files: { '.mesh/asks/<member>.md': 'the tests of the member' },
    exits: { 2: 'the answer is not rated as good and no place is named, or the question is a test already' },
    see: ['requests rate', 'team test'],
  },
  'requests cancel': { files: STORE, see: ['requests ls', 'ask'] },
  'code defs': { exits: CODE_EXITS, see: ['code refs', 'ask'] },
  'code refs': { exits: CODE_EXITS, see: ['code defs', 'ask'] },
  'code imports': { exits: CODE_EXITS, see: ['code refs', 'ask'] },
  'code env': { exits: CODE_EXITS, see: ['code routes', 'ask'] },
  'code routes': { exits: CODE_EXITS, see: ['code env', 'ask'] },
  find: { see: ['agent show', 'card', 'call', 'catalog import'] },
  card: {
    exits: { 4: 'no agent of that id, or it has no card' },
    see: ['find', 'agent show', 'team expose'],
  },
  call: {
    files: { ...WALLETS, ...STORE },
    exits: {
      4: 'the agent or the skill is not known',
      5: 'it was not allowed, or there is not enough to pay with',
      7: 'the agent failed',
      8: 'the wait ended first; the call continues, and its id is printed',
      9: 'you must allow the payment first',
    },
    see: ['find', 'approve', 'ledger', 'wallet fund'],
  },
  ledger: { files: STORE, see: ['settle', 'approvals', 'call', 'wallet show'] },
  settle: { files: { ...WALLETS, ...STORE }, exits: { 1: 'something was not paid' }, see: ['ledger', 'call'] },
  approvals: { exits: { 9: 'something needs your approval' }, see: ['approve', 'deny', 'call'] },
  approve: {
    files: WALLETS,
    exits: {
      5: 'it was not allowed in time, or there is not enough to pay with',
      7: 'the agent failed',
      8: 'the wait ended first; the call continues',
    },
    see: ['approvals', 'deny', 'call'],
  },
  deny: { see: ['approvals', 'approve'] },
  'agent register': {
    files: AGENT_KEYS,
    exits: { 6: 'the id is taken' },
    see: ['agent heartbeat', 'agent show', 'agent rm'],
  },
  'agent heartbeat': {
    files: AGENT_KEYS,
    exits: { 4: 'no key is kept for it' },
    see: ['agent register', 'agent show'],
  },
  'agent rm': { files: AGENT_KEYS, exits: { 4: 'no key is kept for it' }, see: ['agent register', 'agent show'] },
  'agent ls': { files: AGENT_KEYS, see: ['agent show', 'agent register', 'find'] },
  'agent show': { exits: { 4: 'not on the hub or the unified API' }, see: ['find', 'card', 'agent register'] },
  'catalog import': {
    files: STORE,
    exits: { 1: 'a line was refused; the others were imported' },
    see: ['find', 'agent show'],
  },
  'cluster create': { files: CLUSTER_TOKENS, see: ['cluster ls', 'cluster join', 'cluster set', 'board create'] },
  'cluster ls': { files: CLUSTER_TOKENS, see: ['cluster show', 'cluster join'] },
  'cluster show': { files: CLUSTER_TOKENS, see: ['cluster ls', 'cluster watch', 'board ls'] },
  'cluster join': {
    files: CLUSTER_TOKENS,
    exits: { 4: 'there is no such cluster, or the token is wrong', 6: 'it is public and needs no token' },
    see: ['cluster ls', 'cluster watch', 'help environment'],
  },
  'cluster set': { files: CLUSTER_TOKENS, exits: needsAdmin, see: ['cluster show', 'board edit'] },
  'cluster rm': {
    files: CLUSTER_TOKENS,
    exits: { 1: 'you said no', 2: 'no terminal to ask on, and --yes was not given', ...needsAdmin },
    see: ['cluster ls', 'board rm'],
  },
  'cluster watch': {
    files: CLUSTER_TOKENS,
    exits: { 130: 'ended with Ctrl-C' },
    see: ['cluster say', 'cluster hold', 'cluster show'],
  },
  'cluster say': { files: CLUSTER_TOKENS, see: ['cluster watch', 'cluster hold'] },
  'cluster rooms': { see: ['cluster hold', 'cluster leave'] },
  'cluster hold': { files: CLUSTER_TOKENS, see: ['cluster rooms', 'cluster leave', 'cluster watch'] },
  'cluster leave': { see: ['cluster rooms', 'cluster hold'] },
  'board ls': { files: CLUSTER_TOKENS, see: ['board show', 'cluster show'] },
  'board create': {
    files: CLUSTER_TOKENS,
    exits: { ...needsAdmin, 6: 'there is one of that slug, or there are 50' },
    see: ['board edit', 'post new'],
  },
  'board show': { files: CLUSTER_TOKENS, exits: { 5: 'it is for adults: --adult' }, see: ['board ls', 'post ls'] },
  'board edit': { files: CLUSTER_TOKENS, exits: needsAdmin, see: ['board show', 'cluster set'] },
  'board rm': {
    files: CLUSTER_TOKENS,
    exits: { 1: 'you said no', 2: 'no terminal to ask on, and --yes was not given', ...needsAdmin },
    see: ['board ls', 'cluster rm'],
  },
  'post new': {
    files: CLUSTER_TOKENS,
    exits: { 2: 'it is too long for the board', 5: 'the board is for adults: --adult' },
    see: ['post ls', 'board show'],
  },
  'post ls': {
    files: CLUSTER_TOKENS,
    exits: { 5: 'the board is for adults: --adult' },
    see: ['post show', 'board show'],
  },
  'post show': { files: CLUSTER_TOKENS, exits: { 5: 'the board is for adults: --adult' }, see: ['post ls', 'post rm'] },
  'post rm': {
    files: CLUSTER_TOKENS,
    exits: { 5: 'it is another’s, and there is no admin token' },
    see: ['post ls', 'post new'],
  },
  'wallet new': { files: WALLETS, see: ['wallet show', 'wallet fund'] },
  'wallet show': { files: WALLETS, see: ['wallet new', 'ledger'] },
  'wallet fund': { files: WALLETS, see: ['wallet show', 'wallet pay'] },
  'wallet pay': {
    files: WALLETS,
    exits: { 1: 'you said no to real money', 5: 'there is not enough in the wallet' },
    see: ['wallet show', 'call', 'settle'],
  },
  verify: {
    exits: { 1: 'the receipt is not valid, or was signed by another key' },
    files: { '.mesh/credentials/identity.key': "this daemon's signing key" },
    see: ['ask', 'requests show'],
  },
  upgrade: {
    files: { '.mesh/STANDARD_VERSION': 'the revision, raised and never lowered' },
    see: ['doctor', 'help files'],
  },
  completion: { see: ['help'] },
};
