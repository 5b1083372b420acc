import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { ForeignState } from '../../contract/foreign-state.js';
import type { ImportCandidates } from '../../contract/imports.js';
import type { MemberList } from '../../contract/team.js';
import type { Variables } from '../../lib/user-folders.js';
import { action, type Common, examples } from '../action.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { printable, type Terminal } from '../terminal.js';
import { findPortOwner, formatPortOwner } from './doctor/port-owner.js';
import { findDaemonProgram, isReplaced, REPLACED } from './installation.js';
import { type Launch, launchDetached, runInForeground } from './launch.js';
import { findNextPort, findTakenPort, type Neighbour } from './neighbour.js';
import { openInBrowser } from './open.js';
import { findDaemon, type RunningDaemon } from './project.js';
import { readRevision } from './upgrade.js';
import { isExposed, isWaiting, settleWaiting } from './waiting-members.js';

/** The exit status of a daemon when another one holds the project. */
const ALREADY_RUNNING = 75;
const START_ATTEMPTS = 4;
const ATTACH_LOOKS = 15;
const ATTACH_PAUSE_MS = 100;
/** The revision of the standard from which a project has a roster. */
const ROSTER_REVISION = 29;

interface UpOptions {
  open?: boolean;
  port?: number;
  foreground?: boolean;
  adopt?: boolean;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('It must be a number from 0 to 65535; 0 takes a free port.');
  return port;
}

/**
 * Finds the running daemon. Another program on its port counts as none: the start reports the problem with the port.
 */
async function findOwn(root: string): Promise<RunningDaemon | undefined> {
  try {
    return await findDaemon(root);
  } catch (error) {
    if (error instanceof CommandError && error.code === 'forbidden') return undefined;
    throw error;
  }
}

/** Polls for about a second for a daemon that another process has just started. */
async function attach(root: string): Promise<RunningDaemon | undefined> {
  for (let look = 0; look < ATTACH_LOOKS; look += 1) {
    const daemon = await findOwn(root);
    if (daemon) return daemon;
    await new Promise((resolve) => setTimeout(resolve, ATTACH_PAUSE_MS * (0.5 + Math.random())));
  }
  return undefined;
}

/** Adds the program that has taken the port to a `port_taken` failure, where the system provides it. */
function withOwner(error: unknown): unknown {
  const port = findTakenPort(error);
  const owner = port === undefined ? undefined : findPortOwner(port);
  if (owner === undefined || !(error instanceof CommandError)) return error;
  return new CommandError(
    error.exit,
    error.message.replace('another program', formatPortOwner(owner)),
    error.code,
    error.details,
  );
}

interface Started {
  daemon: RunningDaemon;
  isNew: boolean;
  /** The project whose daemon has the port that this one would have taken. */
  neighbour?: Neighbour | undefined;
}

/**
 * Returns the running daemon, or starts one. Concurrent starts can see each other's lock: the one that is rejected for
 * it looks for the other daemon, and retries when there is none. When another project of this user has the port and
 * none was asked for, the next free one is taken. Any other failure of the start is rethrown.
 */
export async function startOrAttach(
  { port, ...launch }: Omit<Launch, 'program'>,
  variables: Variables,
  program: () => string,
): Promise<Started> {
  const { root } = launch;
  let neighbour: Neighbour | undefined;
  let wanted = port;
  for (let attempt = 1; ; attempt += 1) {
    const running = attempt === 1 ? await findOwn(root) : await attach(root);
    if (running) return { daemon: running, isNew: false };
    try {
      await launchDetached({ ...launch, program: program(), port: wanted });
      break;
    } catch (error) {
      const next = port === undefined ? await findNextPort(error, neighbour, variables, root) : undefined;
      if (next) {
        ({ port: wanted, neighbour } = next);
        attempt = 0;
        continue;
      }
      const isOther =
        error instanceof CommandError && error.exit === ALREADY_RUNNING && error.code === 'already_running';
      if (!isOther || attempt === START_ATTEMPTS) throw withOwner(error);
    }
  }
  const started = await findDaemon(root);
  if (!started)
    throw new CommandError(EXIT.failed, 'The daemon listened and then ended; see .mesh/state/daemon.log.', 'internal');
  return { daemon: started, isNew: true, neighbour };
}

/**
 * A first ask to paste, for the member that other programs meet first. Only its id is taken from the repository: other
 * text of it in a line for a shell could be a command.
 */
function firstAsk({ members }: MemberList, typed: string): string | undefined {
  const open = members.filter((member) => isExposed(member) && member.serving);
  const member = open.find(({ id }) => id === 'consultant') ?? open[0];
  return member && `${typed} ask ${member.id} "What does this project do?"`;
}

/** The number of agents of other tools that can be imported, and their folders; empty when there are none. */
async function foundAgents({ client }: RunningDaemon): Promise<string> {
  // A running daemon of an earlier version does not support imports; that does not prevent attaching to it.
  const { found } = await client
    .get<ImportCandidates>('/imports')
    .catch((): Pick<ImportCandidates, 'found'> => ({ found: [] }));
  const counts = new Map<string, number>();
  for (const { state, source, entry } of found) {
    if (state !== 'new' && state !== 'conflict') continue;
    // The first two folders of a path belong to the tool.
    const place = entry === null ? source.split('/').slice(0, 2).join('/') : source;
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  return [...counts]
    .map(([place, count], index) => `${count}${index > 0 ? '' : count === 1 ? ' agent' : ' agents'} in ${place}`)
    .join(', ');
}

/**
 * Folders of state that the running daemon has set aside; empty for a daemon of an earlier version, which sets none
 * aside.
 */
async function listForeignState({ client }: RunningDaemon): Promise<ForeignState['folders']> {
  const { folders } = await client.get<ForeignState>('/foreign-state').catch((): ForeignState => ({ folders: [] }));
  return folders.filter(({ reason }) => reason !== null);
}

/** Returns what a project of an early revision of the standard lacks; undefined when it lacks nothing. */
function findMissingParts(root: string): string | undefined {
  const revision = readRevision(join(root, '.mesh', 'STANDARD_VERSION'));
  return revision !== undefined && revision < ROSTER_REVISION
    ? `The project is at revision ${revision} of the standard: the roster and exposing members need ` +
        `${ROSTER_REVISION} and more. \`meshd upgrade\` raises it.`
    : undefined;
}

const describeDaemon = ({ file }: RunningDaemon, isNew: boolean) =>
  `  Daemon   ${isNew ? 'started' : 'already running'}, pid ${file.pid}, version ${file.version}`;

/** Prints a summary of the project. Returns the members that still wait for agreement. */
async function greet(
  terminal: Terminal,
  { daemon, isNew }: { daemon: RunningDaemon; isNew: boolean },
  wasSeeded: boolean,
  lack: string | undefined,
): Promise<string[]> {
  terminal.note(`  Project  ${daemon.file.root}`);
  if (lack !== undefined) {
    terminal.note(`  Warning  ${lack}`);
    terminal.note(describeDaemon(daemon, isNew));
    return [];
  }
  const roster = await daemon.client.get<MemberList>('/team');
  const broken = roster.members.filter((member) => member.state === 'broken').length;
  const remarks = [wasSeeded ? 'new' : '', broken > 0 ? `${broken} broken: see \`meshd team ls\`` : ''].filter(Boolean);
  terminal.note(
    `  Roster   ${roster.count} members in .mesh/team${remarks.length > 0 ? ` (${remarks.join('; ')})` : ''}`,
  );
  const found = await foundAgents(daemon);
  if (found !== '') terminal.note(`  Found    ${found}   → ${terminal.environment.command} team import`);
  terminal.note(describeDaemon(daemon, isNew));
  const waiting = await settleWaiting(terminal, daemon, roster.members);
  // A member that was just exposed can be asked.
  const hasWaited = roster.members.some(isWaiting);
  const now = hasWaited ? await daemon.client.get<MemberList>('/team') : roster;
  const ask = firstAsk(now, terminal.environment.command);
  if (ask) terminal.note(`  Try      ${ask}`);
  terminal.note('  Open     the address below: no account, no telemetry, nothing leaves this machine');
  return waiting;
}

function noteNeighbour(terminal: Terminal, { port, project: { name, root } }: Neighbour, own: string | number): void {
  terminal.note(
    `Port ${port} is the daemon of ${printable(name)} (${printable(root)}): this project has port ${own} from now on.`,
  );
}

/** Runs the daemon in the foreground, on the next free port when another project of this user has the one it would. */
async function startInForeground(
  terminal: Terminal,
  { root, json, open, ...launch }: Omit<Launch, 'note'> & Pick<UpOptions & Common, 'open' | 'json'>,
): Promise<void> {
  const variables = terminal.environment.variables ?? {};
  const note = (line: string) => terminal.note(line);
  let neighbour: Neighbour | undefined;
  let { port } = launch;
  for (;;) {
    try {
      terminal.exit = await runInForeground({ ...launch, root, port, note }, ({ address, pid }) => {
        if (neighbour) noteNeighbour(terminal, neighbour, new URL(address).port);
        if (json) terminal.object({ address, pid, root, started: true });
        else terminal.answer(address);
        if (open) void openInBrowser(terminal, address);
      });
      return;
    } catch (error) {
      const next = launch.port === undefined ? await findNextPort(error, neighbour, variables, root) : undefined;
      if (!next) throw withOwner(error);
      ({ port, neighbour } = next);
    }
  }
}

/** Starts the daemon, or attaches to the running one, and prints where it is. */
async function startInBackground(
  terminal: Terminal,
  {
    root,
    json,
    open,
    port,
    isStateVouchedFor,
  }: Omit<Launch, 'program' | 'note'> & Pick<UpOptions & Common, 'open' | 'json'>,
  findProgram: () => string,
): Promise<void> {
  const hadTeam = existsSync(join(root, '.mesh', 'team'));
  const variables = terminal.environment.variables ?? {};
  const note = (line: string) => terminal.note(line);
  const outcome = await startOrAttach({ root, port, isStateVouchedFor, note }, variables, findProgram);
  const { file, health } = outcome.daemon;
  const { neighbour } = outcome;
  if (neighbour) noteNeighbour(terminal, neighbour, file.port);
  if (port !== undefined && port !== 0 && port !== file.port) {
    terminal.note(`The daemon runs already, on port ${file.port}: \`meshd down\` first to move it to ${port}.`);
  }
  const hasOther = !outcome.isNew && isReplaced(file, findProgram);
  if (hasOther) terminal.note(REPLACED);
  const setAside = (await listForeignState(outcome.daemon)).map(({ sentence }) => sentence);
  for (const sentence of setAside) terminal.note(printable(sentence));
  const lack = findMissingParts(root);
  const waiting = await greet(terminal, outcome, !hadTeam, lack);
  if (open) await openInBrowser(terminal, file.address);
  if (json) {
    const { pid, version, address, port: actual } = file;
    terminal.object({
      address,
      port: actual,
      pid,
      version,
      root,
      started: outcome.isNew,
      members: health.members,
      awaiting_agreement: waiting,
      set_aside: setAside,
      ...(hasOther && { replaced: true }),
      ...(lack !== undefined && { warning: lack }),
      ...(neighbour && { instead_of: { port: neighbour.port, root: neighbour.project.root } }),
    });
  } else terminal.answer(file.address);
}

export function addUp(program: Command, terminal: Terminal, entry: string): void {
  program
    .command('up')
    .summary('start the project’s daemon, or attach to the running one')
    .description('Start the project’s daemon, or attach to the one that runs. The last line on stdout is its address.')
    .option('--open', 'open the dashboard in a browser')
    .option(
      '--port <number>',
      'listen there; 0 takes a free port (default: the project’s last one, else 4747 or the next that no other ' +
        'project has)',
      parsePort,
    )
    .option('--foreground', 'run in the foreground, and log to stderr')
    .option(
      '--adopt',
      'state and secrets that are there are yours, though this machine did not make them (containers without a ' +
        'home of their own)',
    )
    .addHelpText('after', examples('meshd up', 'meshd up --open', 'MESHD=$(meshd up --port 0) && curl "$MESHD/health"'))
    .action(
      action<UpOptions, []>(terminal, async ({ root, json, open, port, foreground, adopt }) => {
        const isStateVouchedFor = adopt === true;
        const findProgram = () => findDaemonProgram(entry);
        if (foreground)
          return startInForeground(terminal, { program: findProgram(), root, json, open, port, isStateVouchedFor });
        await startInBackground(terminal, { root, json, open, port, isStateVouchedFor }, findProgram);
      }),
    );
}
