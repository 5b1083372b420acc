import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientList } from '../../daemon/contract/clients.js';
import type { ConversationList } from '../../daemon/contract/conversations.js';
import { type DaemonProcess, processesOfHome } from '../../daemon/testing/processes/daemon-process.js';
import { type AgentsModel, NO_MODEL } from '../../daemon/testing/stand-ins/agents-model.js';
import type { Dashboard, Shown } from './dashboard.js';
import { until } from './until.js';

export const CANARY = 'canary-of-the-credentials-folder';
export const MEMBER = 'guide';
/** A member that the built-in search answers. */
export const LIBRARIAN = 'librarian';

export interface Subject {
  client: 'claude-code' | 'acp';
  /** The agent's own tool calls for running a command and for reading a file. */
  runs: (command: string) => { name: string; input: Record<string, unknown> };
  reads: (path: string) => { name: string; input: Record<string, unknown> };
  /** The agent's name for the daemon's tool that asks a member. */
  asks: string;
  /** A budget that is used up within a turn: opencode reports its tokens only at the end of one. */
  budget: { tokens: number } | { minutes: number };
}

export const SUBJECTS: readonly Subject[] = [
  {
    client: 'claude-code',
    runs: (command) => ({ name: 'Bash', input: { command, description: 'run it' } }),
    reads: (path) => ({ name: 'Read', input: { file_path: path } }),
    asks: 'mcp__meshd__ask_member',
    budget: { tokens: 30 },
  },
  {
    client: 'acp',
    runs: (command) => ({ name: 'bash', input: { command, description: 'run it' } }),
    reads: (path) => ({ name: 'read', input: { filePath: path } }),
    asks: 'meshd_ask_member',
    budget: { minutes: 1 },
  },
];

/** What an agent program is tried out with. */
export interface Setting {
  daemon: DaemonProcess;
  dashboard: Dashboard;
  /** The stand-in for the models of all agent programs. */
  endpoint: AgentsModel;
  project: string;
  home: string;
  check(what: string, isSo: boolean, otherwise: string): void;
}

/** An agent program in a conversation of the operator. */
interface Trial extends Setting, Subject {
  conv: string;
  /** The file that its commands create. */
  made: string;
}

export const getOutcome = ({ turn }: Shown) => `${turn.outcome} ${turn.reason ?? ''}`;

/** Runs all checks of one agent program. */
export async function tryOut(setting: Setting, subject: Subject): Promise<void> {
  const { daemon } = setting;
  const { client } = subject;
  const { clients } = await daemon.call<ClientList>('GET', '/clients');
  const info = clients.find(({ name }) => name === client);
  console.log(`\n${client}: ${info?.ready ? 'ready' : info?.reason}`);
  const made = join(setting.project, `made-by-${client}`);
  const { conv } = await daemon.converse({ member: MEMBER, client, isolation: 'project' });
  const trial: Trial = { ...setting, ...subject, conv, made };
  await checkFirstTurn(trial);
  await checkSecondTurn(trial);
  await checkAskedMember(trial);
  await checkDenial(trial);
  await checkCancelling(trial);
  await checkOtherProgram(trial);
  await checkModel(trial);
}

/** A turn that asks another member with the daemon's own tools. */
async function checkAskedMember({ daemon, dashboard, endpoint, check, asks, conv }: Trial): Promise<void> {
  const input = { member: LIBRARIAN, text: 'Which words stand in the README?' };
  endpoint.steps = [{ text: 'I ask.', tool: { name: asks, input } }, { text: 'The librarian knew.' }];
  const asked = await dashboard.talk(conv, 'Ask the librarian', 'allow_once');
  const { conversations } = await daemon.call<ConversationList>('GET', `/conversations?parent=${conv}`);
  const [child] = conversations;
  check(
    'asks another member, in a conversation that names who asked',
    asked.turn.outcome === 'answered' && child?.member === LIBRARIAN && child.last_outcome === 'answered',
    `${getOutcome(asked)}, ${JSON.stringify(asked.calls)}`,
  );
}

/** A turn that answers with a citation and runs a command that is allowed. */
async function checkFirstTurn({ client, dashboard, endpoint, check, runs, conv, made }: Trial): Promise<void> {
  endpoint.steps = [{ text: 'I make a file.', tool: runs(`touch ${made}`) }, { text: 'It keeps bees (README.md:3).' }];
  const first = await dashboard.talk(conv, 'What does this project keep?', 'allow_once');
  console.log(
    `  ${first.turn.outcome} in ${first.ms} ms: ${JSON.stringify(first.answer?.text)} ` +
      `${JSON.stringify(first.turn.usage)}`,
  );
  check(
    'answers',
    first.turn.outcome === 'answered' && (first.answer?.text.includes('README.md:3') ?? false),
    getOutcome(first),
  );
  check(
    'streams its words',
    first.deltas.length > 1 && first.deltas.join('') === first.answer?.text,
    JSON.stringify(first.deltas),
  );
  check(
    'shows its use of a tool, while it works and in the transcript',
    first.calls.some(({ state }) => state === 'running') &&
      first.answer?.calls.some(({ target, state }) => state === 'done' && target.includes(made)) === true,
    JSON.stringify(first.calls),
  );
  check(
    'has its place in the project checked',
    first.answer?.citations.some(({ path, status }) => path === 'README.md' && status === 'checked') === true,
    JSON.stringify(first.answer?.citations),
  );
  const tokens = first.turn.usage?.output_tokens ?? 0;
  // OpenCode before 2.0 reports the tokens of its last request alone.
  if (client === 'acp') check('shows no part of what it used as the whole', tokens === 0, `${tokens}`);
  else check('shows what it used', first.usage && tokens > 0, JSON.stringify(first.turn.usage));
  check(
    'asks before it runs a command, and runs it when allowed',
    first.asked === 1 && existsSync(made),
    `asked ${first.asked} times`,
  );
  check(
    'was told who it is',
    endpoint.requests.some((request) => request.includes('BODY-OF-THE-MEMBER')),
    'the member did not reach the model',
  );
}

async function checkSecondTurn({ dashboard, endpoint, check, conv }: Trial): Promise<void> {
  endpoint.steps = [{ text: 'As I said: bees.' }];
  endpoint.requests.length = 0;
  const second = await dashboard.talk(conv, 'What was it again?', 'deny');
  check(
    'goes on with its own session in a second turn',
    second.turn.outcome === 'answered' &&
      endpoint.requests.some(
        (request) => request.includes('It keeps bees (README.md:3)') && !request.includes('What was said before'),
      ),
    getOutcome(second),
  );
}

async function checkDenial({ dashboard, endpoint, check, runs, conv, made }: Trial): Promise<void> {
  rmSync(made, { force: true });
  endpoint.steps = [{ text: 'I make a file.', tool: runs(`touch ${made}`) }, { text: 'Then not.' }];
  const denied = await dashboard.talk(conv, 'Make it anew.', 'deny');
  check(
    'does not run a command when denied',
    denied.asked === 1 && !existsSync(made),
    `asked ${denied.asked} times, ${getOutcome(denied)}`,
  );
}

async function checkCancelling(trial: Trial): Promise<void> {
  const { daemon, dashboard, endpoint, check, project, home, runs, conv, made } = trial;
  // Claude Code runs commands that change nothing, such as a mere `sleep`, without asking.
  endpoint.steps = [{ text: 'I wait.', tool: runs(`touch ${made}; sleep 300`) }, { text: 'x' }];
  const late = await dashboard.talk(conv, 'Wait.', 'allow_once', { cancelOnCall: true });
  check(
    `is called off while a tool works (${late.ms} ms)`,
    late.turn.outcome === 'cancelled' && late.ms < 20_000,
    getOutcome(late),
  );
  rmSync(made, { force: true });
  // The checkpoint at the end of the turn is made by git. A command that was left would go on for minutes.
  const left = await until(
    async () => processesOfHome(home, daemon),
    (pids) => pids.length === 0,
  );
  check(
    'leaves no process and no run behind',
    left.length === 0 && readdirSync(join(project, '.mesh/state/runs')).length === 0,
    `processes ${left.join(', ')}`,
  );
}

/** Asks as another program, while the model tries to run a command and to read files that are closed. */
async function checkOtherProgram(trial: Trial): Promise<void> {
  const { daemon, endpoint, check, project, client, runs, reads, made } = trial;
  endpoint.requests.length = 0;
  endpoint.steps = [
    { text: 'I run.', tool: runs(`touch ${made}`) },
    { text: 'I read.', tool: reads(join(project, '.mesh/credentials/notes')) },
    { text: 'I read.', tool: reads('/etc/hostname') },
    // Its working folder is a copy of the tracked files.
    { text: 'I read.', tool: reads(join(project, '.mesh/state/outside/README.md')) },
    { text: 'It keeps bees (README.md:3).' },
  ];
  await daemon.call('PATCH', `/team/${MEMBER}`, { client, exposure: 'external' });
  const record = await daemon.ask(MEMBER, await daemon.getToken(MEMBER), { text: 'What does this project keep?' });
  const sent = endpoint.requests.join('\n');
  check(
    'answers another program',
    record.status === 'done' && (record.result_text ?? '').includes('README.md:3'),
    JSON.stringify(record.error),
  );
  check('may read the project for it', sent.includes('It keeps bees.'), 'it could not read README.md');
  check('runs nothing for it', !existsSync(made), 'it ran a command');
  check('never sees the credentials folder', !sent.includes(CANARY), 'the canary reached the model');
}

async function checkModel({ daemon, dashboard, endpoint, check, client }: Trial): Promise<void> {
  endpoint.steps = [{ text: 'x' }];
  const stranger = await daemon.converse({ member: MEMBER, client, model: NO_MODEL, isolation: 'project' });
  const unknown = await dashboard.talk(stranger.conv, 'Hello?', 'deny');
  check(
    'never takes another model than the one that is named',
    unknown.turn.outcome === 'failed' && (unknown.turn.reason ?? '').includes(NO_MODEL),
    getOutcome(unknown),
  );
}
