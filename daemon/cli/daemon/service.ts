import { sep } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { action, type Common, examples } from '../action.js';
import { CommandError, EXIT } from '../exit-codes.js';
import type { Terminal } from '../terminal.js';
import { findDaemon } from './project.js';
import { findSupervisor } from './service/find-supervisor.js';
import { Programs } from './service/programs.js';
import type { ServiceState, Supervisor } from './service/supervisor.js';

/** What an outdated service file is. */
export const OUTDATED = 'of an earlier installation of meshd or Node.js';
const LINES = 100;
const LINES_MAX = 100_000;

interface InstallOptions {
  dryRun?: boolean;
  force?: boolean;
}

interface LogOptions {
  follow?: boolean;
  lines: number;
}

/** The service manager for the project at `root`. */
type GetSupervisor = (root: string) => Supervisor;

const createPrograms = ({ environment }: Terminal) => new Programs(environment.variables ?? {});

function parseLines(text: string): number {
  const lines = Number(text);
  if (!/^\d+$/.test(text) || lines > LINES_MAX)
    throw new InvalidArgumentError(`It must be a number from 0 to ${LINES_MAX}.`);
  return lines;
}

/** Warns about an installation as root, and about a program in the npx cache. */
function noteOwner(terminal: Terminal, { text }: Supervisor): void {
  if (process.getuid?.() === 0) {
    terminal.note(
      'You are root: this is a service of the user root, not of the system; nothing outside root’s own ' +
        'folders is written.',
    );
  }
  if (text.includes(`${sep}_npx${sep}`)) {
    terminal.note(
      'This copy of meshd lies in the cache of npx, which may be emptied: install it (`npm install -g`) and ' +
        'run this again.',
    );
  }
}

function noteSchedule(terminal: Terminal, lingers: boolean | undefined): void {
  if (lingers !== false) return;
  terminal.note(
    'It runs while you are logged in. To start it at boot and keep it running after logout: `loginctl enable-linger`.',
  );
}

function reportState(terminal: Terminal, state: ServiceState): void {
  const {
    manager,
    name,
    path,
    installed,
    edited,
    enabled,
    active,
    state: word,
    pid,
    last_exit,
    missing,
    outdated,
  } = state;
  terminal.table([
    ['Service', `${name} (${manager})`],
    [
      'File',
      installed ? `${path}${edited ? ', changed by hand' : ''}` : 'not installed: `meshd service install` writes it',
    ],
    ['At login', enabled ? 'starts' : 'does not start'],
    ['Now', `${word}${pid === null ? '' : `, pid ${pid}`}`],
    ...(last_exit === null || active ? [] : [['Last exit', `${last_exit}: see \`meshd service logs\``]]),
    ...(missing === null ? [] : [['Missing', `${missing}: \`meshd service install\` again`]]),
    ...(missing === null && outdated ? [['Outdated', `${OUTDATED}: \`meshd service install\` again`]] : []),
  ]);
}

/** Prints what an installation would write and run. */
function printPlan(
  terminal: Terminal,
  { manager, name, path, text, commands }: Supervisor,
  json: boolean | undefined,
): void {
  if (json) return void terminal.object({ manager, name, path, text, commands });
  for (const line of [`# ${path}`, text.trimEnd(), '', ...commands.map((one) => `$ ${one}`)]) terminal.answer(line);
}

async function installService(
  terminal: Terminal,
  { root, json, dryRun = false, force = false }: InstallOptions & Common,
  supervisor: Supervisor,
): Promise<void> {
  const { manager, name, path, startCommand } = supervisor;
  noteOwner(terminal, supervisor);
  if (dryRun) return printPlan(terminal, supervisor, json);
  await supervisor.require();
  const isActive = (await supervisor.status()).active;
  const byHand = isActive ? undefined : await findDaemon(root);
  const { changed, started, restarted } = await supervisor.install({
    isForced: force,
    startsNow: byHand === undefined,
  });
  const lingers = await supervisor.lingers();
  if (byHand) {
    terminal.note(
      `A daemon that was started by hand runs (pid ${byHand.health.pid}). To hand over: \`meshd down && ` +
        `${startCommand}\`.`,
    );
  } else if (isActive && changed) {
    terminal.note(
      restarted
        ? 'The file has changed, so the daemon was ended and started again.'
        : 'The file has changed; what runs keeps the old one until it is started again.',
    );
  }
  noteSchedule(terminal, lingers);
  if (json) terminal.object({ manager, name, path, changed, started, lingers: lingers ?? null });
  else terminal.answer(changed ? `Installed ${path}` : `Installed already: ${path}`);
}

function addServiceInstall(service: Command, terminal: Terminal, getSupervisor: GetSupervisor): void {
  service
    .command('install')
    .summary('start the daemon at login, and now')
    .description(
      'Write the project’s service, have it started at login, and start it now. Repeating it is safe. A daemon ' +
        'that runs already is left alone, except that launchd ends its own and starts it again when the file ' +
        'has changed. Keys of providers are not written down: systemd reads them from ' +
        '~/.config/meshd/environment, lines of NAME=value, if there is one.',
    )
    .option('--dry-run', 'print what would be written and run, and do nothing')
    .option('--force', 'replace a file that was written or edited by hand')
    .addHelpText('after', examples('meshd service install', 'meshd service install --dry-run'))
    .action(
      action<InstallOptions, []>(terminal, (options) => installService(terminal, options, getSupervisor(options.root))),
    );
}

function addServiceUninstall(service: Command, terminal: Terminal, getSupervisor: GetSupervisor): void {
  service
    .command('uninstall')
    .summary('stop the service and remove what install wrote')
    .description(
      'Stop the project’s service and remove exactly what install wrote. Removing what is not there is fine.',
    )
    .option('--force', 'remove a file that was written or edited by hand')
    .addHelpText('after', examples('meshd service uninstall'))
    .action(
      action<{ force?: boolean }, []>(terminal, async ({ root, json, force = false }) => {
        const supervisor = getSupervisor(root);
        await supervisor.require();
        const removed = await supervisor.uninstall({ isForced: force });
        const { manager, name, path } = supervisor;
        if (json) terminal.object({ manager, name, path, removed });
        else terminal.answer(removed ? `Removed ${path}` : `No service is installed for ${root}.`);
      }),
    );
}

function addServiceStatus(service: Command, terminal: Terminal, getSupervisor: GetSupervisor): void {
  service
    .command('status')
    .summary('show whether the service is installed, starts at login, and runs')
    .description(
      'Show whether the service is installed, starts at login, and runs. Exits 3 when it does not run, 4 when ' +
        'it is not installed.',
    )
    .addHelpText('after', examples('meshd service status', 'meshd service status --json'))
    .action(
      action<object, []>(terminal, async ({ root, json }) => {
        const supervisor = getSupervisor(root);
        await supervisor.require();
        const state = await supervisor.status();
        if (!state.active) terminal.exit = state.installed ? EXIT.unreachable : EXIT.notFound;
        if (json) terminal.object(state);
        else reportState(terminal, state);
      }),
    );
}

/** A log line as a JSON object: lines of the daemon are objects, any other line is wrapped in one. */
function parseObject(line: string): object {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Not a line of the daemon's log.
  }
  return { msg: line };
}

async function printLog(
  terminal: Terminal,
  { json, follow = false, lines }: LogOptions & Common,
  supervisor: Supervisor,
): Promise<void> {
  const [name, ...args] = supervisor.logs({ lines, follows: follow });
  const say = (line: string) => (json ? terminal.record(parseObject(line)) : terminal.answer(line));
  const { exit, err } = await createPrograms(terminal).follow(name, args, say);
  if (exit === 0) return;
  const why = exit === undefined ? `there is no \`${name}\` on the PATH` : err.trim() || `\`${name}\` gave ${exit}`;
  throw new CommandError(
    EXIT.refused,
    `The log cannot be read (${why}). The daemon’s own is .mesh/state/daemon.log.`,
    'no_service_manager',
  );
}

function addServiceLogs(service: Command, terminal: Terminal, getSupervisor: GetSupervisor): void {
  service
    .command('logs')
    .summary('print the log of the service')
    .description('Print the log of the service, oldest first. With --json every line is an object.')
    .option('--follow', 'stay, and print what comes')
    .option('--lines <number>', 'how many of the last lines', parseLines, LINES)
    .addHelpText('after', examples('meshd service logs', 'meshd service logs --follow --lines 20'))
    .action(action<LogOptions, []>(terminal, (options) => printLog(terminal, options, getSupervisor(options.root))));
}

export function addService(program: Command, terminal: Terminal, entry: string): void {
  const getSupervisor = (root: string) => findSupervisor(root, entry, terminal.environment, createPrograms(terminal));
  const service = program
    .command('service')
    .summary('start the project’s daemon at login')
    .description(
      'Have systemd (a user unit) or launchd (an agent) start the project’s daemon at login and again when it ' +
        'fails. Nothing is written outside your own folders.',
    );

  addServiceInstall(service, terminal, getSupervisor);
  addServiceUninstall(service, terminal, getSupervisor);
  addServiceStatus(service, terminal, getSupervisor);
  addServiceLogs(service, terminal, getSupervisor);
}
