import type { Command } from 'commander';
import type {
  NetworkCopies,
  NetworkCreate,
  NetworkJoin,
  NetworkMembers,
  NetworkStatus,
} from '../../contract/shared/network.js';
import type { NetworkAgent, NetworkAgents } from '../../contract/shared/network-asks.js';
import { sanitizeDisplayLine } from '../../lib/text/display-text.js';
import { formatSum } from '../../lib/text/price-sum.js';
import { action, examples } from '../action.js';
import { getDaemon } from '../daemon/project.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { readText } from '../standard-input.js';
import type { Terminal } from '../terminal.js';

const STATES: Readonly<Record<NetworkStatus['state'], string>> = {
  off: 'in no network',
  connecting: 'no connection; shared changes are refused, reading goes on',
  catching_up: 'catching up',
  following: 'up to date',
  stopped: 'stopped',
};

function describeLag({ sequence, lag }: NetworkStatus): string {
  if (lag === null) return `change ${sequence}; how many follow is not known`;
  return lag === 0 ? `change ${sequence}, none to come` : `change ${sequence}, ${lag} to come`;
}

/** The reasons are words of this daemon. */
function describeFrames({ sent, received, dropped }: NetworkStatus['frames']): string {
  const reasons = dropped.map(({ reason, count }) => `${count} ${reason}`).join(', ');
  return `${sent} messages sent, ${received} received, dropped: ${reasons || 'none'}`;
}

function show(terminal: Terminal, status: NetworkStatus): void {
  const { network, url, server, promise, problem, refused, refusals, state, frames } = status;
  if (terminal.isJson) {
    terminal.object(status);
    return;
  }
  if (network === null || url === null) {
    terminal.answer('This daemon is in no network: meshd network join <url> joins one.');
    return;
  }
  const [newest] = refusals;
  terminal.table([
    ['Network', network],
    ['State', STATES[state]],
    ['Servers', sanitizeDisplayLine(url)],
    ...(server ? [['Connected to', sanitizeDisplayLine(`${server.address}, nats-server ${server.version}`)]] : []),
    ['Applied', describeLag(status)],
    ['Wall', describeFrames(frames)],
    ...(promise === null ? [] : [['Promise', promise]]),
    ...(problem === null ? [] : [['Problem', sanitizeDisplayLine(problem)]]),
    ...(newest ? [['Refused', `${refused}; the newest: ${sanitizeDisplayLine(newest.message)}`]] : []),
  ]);
}

interface EntryOptions {
  creds?: string;
  name?: string;
  network?: string;
}

/** The options that `create` and `join` share, as the daemon takes them. */
async function readEntry(url: string, { creds, name }: EntryOptions) {
  return {
    url,
    ...(creds === undefined ? {} : { credentials: await readText(creds) }),
    ...(name === undefined ? {} : { name }),
  };
}

const NO_COPIES = 'Nothing was set aside: no network has replaced the shared data of this daemon.';
const URL_HELP = 'the NATS server: tls://host:port, or nats://127.0.0.1:port here; several with commas';
const CREDS_HELP = 'the .creds file of NATS, - for stdin; kept in .mesh/credentials';
const NAME_HELP = 'how other daemons see this one (default: the name of the project)';

function addCreate(network: Command, terminal: Terminal): void {
  network
    .command('create')
    .summary('create a network on NATS servers and join it')
    .description(
      'Create a network on NATS servers with JetStream and join it. Each change is stored by three servers, or by one ' +
        'where there are fewer. Beyond this machine the connection needs TLS.',
    )
    .argument('<url>', URL_HELP)
    .option('--network <name>', 'the name of the network', 'team')
    .option('--creds <file>', CREDS_HELP)
    .option('--name <name>', NAME_HELP)
    .addHelpText(
      'after',
      examples(
        'meshd network create nats://127.0.0.1:4222',
        'meshd network create tls://nats.example.com --creds me.creds',
      ),
    )
    .action(
      action<EntryOptions, [string]>(terminal, async ({ root, network: name = 'team', ...options }, url) => {
        const body: NetworkCreate = { ...(await readEntry(url, options)), network: name };
        const { client } = await getDaemon(root);
        show(terminal, await client.send<NetworkStatus>('POST', '/network', { body }));
      }),
    );
}

function addJoin(network: Command, terminal: Terminal): void {
  network
    .command('join')
    .summary('join a network of NATS servers')
    .description(
      'Join a network of NATS servers. Without --network it is their only one. Beyond this machine the connection ' +
        'needs TLS. Prompts, tokens, conversations, wallets and ledgers never leave this machine, and files only ' +
        'as quotes in answers of members that you share. In that network already, --creds replaces the credentials.',
    )
    .argument('<url>', URL_HELP)
    .option('--network <name>', 'the network, where the servers have several')
    .option('--creds <file>', CREDS_HELP)
    .option('--name <name>', NAME_HELP)
    .addHelpText(
      'after',
      examples(
        'meshd network join tls://nats.example.com:4222 --creds me.creds',
        'meshd network join nats://127.0.0.1',
      ),
    )
    .action(
      action<EntryOptions, [string]>(terminal, async ({ root, network: name, ...options }, url) => {
        const entry = await readEntry(url, options);
        const body: NetworkJoin = { ...entry, ...(name === undefined ? {} : { network: name }) };
        const { client } = await getDaemon(root);
        show(terminal, await client.send<NetworkStatus>('PUT', '/network', { body }));
      }),
    );
}

function formatPrice({ price }: Pick<NetworkAgent, 'price'>): string {
  const sum = price === undefined ? 'free' : formatSum(price);
  return price === undefined || sum === 'free' ? sum : `${sum} a ${price.unit}`;
}

function showAgents(terminal: Terminal, agents: readonly NetworkAgent[]): void {
  terminal.table(
    agents.map(({ ref, self, description, problem, ...agent }) => [
      sanitizeDisplayLine(ref),
      self ? 'shared by you' : sanitizeDisplayLine(formatPrice(agent)),
      sanitizeDisplayLine(self || problem === null ? description : problem),
    ]),
  );
}

function addSharing(network: Command, terminal: Terminal): void {
  const send = async (root: string, method: 'PUT' | 'DELETE', member: string) => {
    const { client } = await getDaemon(root);
    const list = await client.send<NetworkAgents>(method, `/network/agents/${encodeURIComponent(member)}`);
    if (terminal.isJson) return terminal.object(list);
    const own = list.agents.filter(({ self }) => self);
    if (own.length === 0) return terminal.note('This daemon shares no member.');
    showAgents(terminal, own);
  };
  network
    .command('share')
    .summary('let the daemons of the network ask an exposed member')
    .description(
      'Let the daemons of the network see and ask an exposed member. They see its id, name, description and price; ' +
        'its answers, and the quotes in them, go to who asks. It ends with meshd network unshare, when the member ' +
        'is hidden, and when the network is left.',
    )
    .argument('<member>', 'an exposed member of this project')
    .addHelpText('after', examples('meshd network share consultant'))
    .action(action<object, [string]>(terminal, ({ root }, member) => send(root, 'PUT', member)));
  network
    .command('unshare')
    .summary('stop sharing a member with the network')
    .description('Stop sharing a member with the network. Asks of it that are under way get no answer.')
    .argument('<member>', 'a member that is shared')
    .addHelpText('after', examples('meshd network unshare consultant'))
    .action(action<object, [string]>(terminal, ({ root }, member) => send(root, 'DELETE', member)));
}

function addMembers(network: Command, terminal: Terminal): void {
  network
    .command('members')
    .summary('list the daemons of the network and the members that they share')
    .description(
      'List the daemons of the network, which of them are there now, and the members that they share. Each of ' +
        'these is asked by the name in the first column: meshd ask <name> "...".',
    )
    .addHelpText('after', examples('meshd network members', 'meshd network members --json | jq .count'))
    .action(
      action<object, []>(terminal, async ({ root }) => {
        const { client } = await getDaemon(root);
        const [list, { agents }] = await Promise.all([
          client.get<NetworkMembers>('/network/members'),
          client.get<NetworkAgents>('/network/agents'),
        ]);
        if (terminal.isJson) return terminal.object({ ...list, agents });
        if (list.count === 0) return terminal.note('The network has no daemons yet, or this daemon is in none.');
        terminal.table(
          list.members.map(({ id, name, present, self, left_at }) => [
            sanitizeDisplayLine(name || id.slice(0, 8)),
            left_at === null ? (present ? 'present' : 'absent') : 'left',
            self ? 'this daemon' : id.slice(0, 8),
          ]),
        );
        if (agents.length === 0) return terminal.note('No daemon shares a member: meshd network share <member>.');
        terminal.answer('');
        showAgents(terminal, agents);
      }),
    );
}

function addCopies(network: Command, terminal: Terminal): void {
  const list = async (root: string) => (await getDaemon(root)).client.get<NetworkCopies>('/network/copies');
  network
    .command('copies')
    .summary('list the shared data that were set aside')
    .description(
      'List the copies of the shared data that this daemon made before those of a network, or those of a copy, ' +
        'replaced them. The newest is first.',
    )
    .addHelpText('after', examples('meshd network copies'))
    .action(
      action<object, []>(terminal, async ({ root }) => {
        const copies = await list(root);
        if (terminal.isJson) return terminal.object(copies);
        if (copies.count === 0) return terminal.note(NO_COPIES);
        terminal.table(copies.copies.map(({ name, made_at, before }) => [name, made_at, `before ${before}`]));
      }),
    );
  network
    .command('restore')
    .summary('put shared data back that were set aside')
    .description(
      'Replace the shared data (agents, messages, clusters, boards, posts) by a copy, the newest by default. What ' +
        'they replace is set aside too, so that restoring that copy takes it back. Refused while this daemon is in ' +
        'a network.',
    )
    .argument('[copy]', 'its name, as `meshd network copies` lists it')
    .addHelpText('after', examples('meshd network leave && meshd network restore'))
    .action(
      action<object, [string?]>(terminal, async ({ root }, wanted) => {
        const copy = wanted ?? (await list(root)).copies[0]?.name;
        if (copy === undefined) throw new CommandError(EXIT.notFound, NO_COPIES, 'not_found');
        const { client } = await getDaemon(root);
        const copies = await client.send<NetworkCopies>('POST', '/network/restore', { body: { copy } });
        if (terminal.isJson) return terminal.object(copies);
        terminal.answer(`Restored ${copy}. What it replaced is set aside as ${copies.copies[0]?.name}.`);
      }),
    );
}

/** Adds `network`: one team on many machines. */
export function addNetwork(program: Command, terminal: Terminal): void {
  const network = program
    .command('network')
    .summary('share agents, clusters and boards with other daemons')
    .description(
      'Join daemons on many machines through NATS servers of yours: they share agents, messages, search, clusters ' +
        'and boards, and ask the members that each shares. Conversations, wallets and ledgers stay on their ' +
        'machine. The data shared before are kept in .mesh/state/before-networks.',
    );
  addCreate(network, terminal);
  addJoin(network, terminal);
  network
    .command('status')
    .summary('show the network and how far it is followed')
    .description(
      'Show the network, its servers, how far this daemon follows it, and what an acknowledged change survives. The ' +
        'dashboard shows it on its page Shared network.',
    )
    .addHelpText('after', examples('meshd network status', 'meshd network status --json | jq .lag'))
    .action(
      action<object, []>(terminal, async ({ root }) => {
        const status = await (await getDaemon(root)).client.get<NetworkStatus>('/network');
        if (status.state === 'stopped') terminal.exit = EXIT.failed;
        show(terminal, status);
      }),
    );
  addMembers(network, terminal);
  addSharing(network, terminal);
  addCopies(network, terminal);
  network
    .command('leave')
    .summary('leave the network')
    .description('Leave the network and forget its credentials. What was shared stays in this store.')
    .addHelpText('after', examples('meshd network leave'))
    .action(
      action<object, []>(terminal, async ({ root }) => {
        show(terminal, await (await getDaemon(root)).client.send<NetworkStatus>('DELETE', '/network'));
      }),
    );
}
