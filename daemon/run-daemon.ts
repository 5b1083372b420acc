import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import packageJson from '../package.json' with { type: 'json' };
import { composeDaemon, type Daemon } from './app/compose-daemon.js';
import { openMachineClients } from './app/machine-clients.js';
import { type Config, readConfig } from './config.js';
import { DEFAULT_PORT } from './contract/limits.js';
import { WorkerKnowledge } from './features/knowledge/worker-knowledge.js';
import { isDiskFull } from './lib/disk-errors.js';
import { getErrorMessage, getErrorPath, isMeshError, systemCode } from './lib/errors.js';
import { isPidTaken } from './lib/pid-taken.js';
import { createSourceNamer } from './lib/source-stack.js';
import { sanitizeDisplayText } from './lib/text/display-text.js';
import { type Clock, isoTime } from './lib/time/clock.js';
import { listLockHolderPids } from './private/lock-holder.js';
import { inState } from './private/private-names.js';
import { compiledModules } from './storage/compiled-modules.js';
import {
  readDaemonFile,
  readRememberedPort,
  rememberPort,
  removeDaemonFile,
  writeDaemonFile,
} from './storage/files/daemon-file.js';
import { LogFile } from './storage/files/log-file.js';
import { DatabaseBusyError } from './storage/files/open-exclusively.js';
import { gitEnvironment } from './storage/git/git-command.js';
import { MeshFolder } from './storage/mesh-folder.js';
import { isFile, readInstalledFile, realFolder } from './storage/places.js';
import { readArguments } from './storage/processes/process-arguments.js';
import { GRACE_MS } from './storage/processes/process-group.js';

const EXIT = { internal: 70, alreadyRunning: 75, badConfiguration: 78 } as const;
/**
 * Longer than the grace of a check and of a turn after it, and shorter than what `meshd down` waits: a program that is
 * slow to end must be killed, and its turn recorded, before the daemon gives up.
 */
const STOP_LIMIT_MS = 2 * GRACE_MS + 3_000;
/** How long a repeated signal is one with the first: Ctrl-C reaches the daemon from the terminal and from its parent. */
const SAME_SIGNAL_MS = 1_000;

/** What a daemon uses of the process that it runs in. */
export type DaemonProcess = Pick<NodeJS.Process, 'argv' | 'env' | 'pid' | 'stderr' | 'cwd' | 'getuid'> & {
  /** Tells the parent process, if there is a channel to one. */
  send?(message: object, sent: () => void): unknown;
  /** Whether the channel to the parent process is open. */
  readonly connected: boolean;
  disconnect(): void;
  on(event: string, listener: (error: unknown) => void): unknown;
  exit(code: number): void;
};

/** Reports to the parent process, or else to stderr, why the daemon does not start, and exits. */
type Refuse = (exit: number, code: string, message: string, details?: Readonly<Record<string, unknown>>) => never;

function refuseFrom(own: DaemonProcess): Refuse {
  return (exit, code, message, details = {}) => {
    if (own.send) own.send({ type: 'refused', code, message, exit, details }, () => own.exit(exit));
    else {
      own.stderr.write(`meshd: ${sanitizeDisplayText(message)}\n`);
      own.exit(exit);
    }
    // The message is being sent; nothing else may run until the process exits.
    throw new StartRefusedError(exit);
  };
}

class StartRefusedError extends Error {
  constructor(readonly exit: number) {
    super('refused');
  }
}

function configOrRefuse(own: DaemonProcess, refuse: Refuse): Config {
  try {
    const config = readConfig(own.argv.slice(2), own.env, own.cwd(), own.getuid?.());
    return { ...config, root: realFolder(config.root) };
  } catch (error) {
    return refuse(EXIT.badConfiguration, 'bad_configuration', getErrorMessage(error));
  }
}

async function start(own: DaemonProcess, clock: Clock, sha256: string | undefined, refuse: Refuse): Promise<void> {
  const config = configOrRefuse(own, refuse);
  const here = fileURLToPath(new URL('.', import.meta.url));
  const state = new MeshFolder(config.root).state;
  let log: LogFile | undefined;
  const nameSources = createSourceNamer(here, readInstalledFile);
  // The log file is opened when its folder is known to be the daemon's own. Lines before that go to stderr.
  const stream = {
    write(entry: string) {
      const line = entry.includes('"stack":') ? nameSources(entry) : entry;
      log?.write(line);
      if (config.logToStderr || !log) own.stderr.write(line);
    },
  };
  const uiFolder = join(here, 'ui');
  const daemon = await composeDaemon({
    config,
    version: packageJson.version,
    clock,
    log: { level: config.logLevel, stream },
    uiFolder: isFile(join(uiFolder, 'index.html')) ? uiFolder : undefined,
    licensesFile: join(here, 'THIRD-PARTY-LICENSES.txt'),
    precompiled: { find: compiledModules(join(here, 'schemas')) },
    openClients: (folder) => openMachineClients(config, folder, clock),
    openKnowledge: (root, folder, onFault) =>
      new WorkerKnowledge(
        new URL('./knowledge-worker.js', import.meta.url),
        root,
        folder,
        gitEnvironment(config.environment),
        clock,
        onFault,
      ),
    commandLine: join(here, 'meshd.js'),
    connectionTableWorker: new URL('./connection-table-worker.js', import.meta.url),
  });
  log = new LogFile(inState(state, 'daemon.log'));
  stopWithSignals(own, daemon, state, clock);
  const port = await listen(daemon, config, state, refuse);
  const address = `http://127.0.0.1:${port}`;
  await writeDaemonFile(state, {
    pid: own.pid,
    port,
    address,
    started_at: isoTime(clock.now()),
    version: packageJson.version,
    ...(sha256 !== undefined && { program_sha256: sha256 }),
    root: config.root,
    secret: daemon.secret,
  });
  if (config.port !== 0) await rememberPort(state, port);
  own.send?.({ type: 'listening', address, port, pid: own.pid }, () => undefined);
  if (own.connected) own.disconnect();
  await daemon.settle();
}

async function listen(daemon: Daemon, config: Config, state: string, refuse: Refuse): Promise<number> {
  const wanted = config.port ?? readRememberedPort(state) ?? DEFAULT_PORT;
  try {
    return await daemon.listen(wanted);
  } catch (error) {
    if (systemCode(error) !== 'EADDRINUSE') throw error;
    return refuse(
      EXIT.alreadyRunning,
      'port_taken',
      `Port ${wanted} is taken by another program: end it, or choose one with --port (0 takes a free one).`,
      { port: wanted },
    );
  }
}

/**
 * Stops `daemon` and exits when the process `own` gets a signal or fails. A signal that comes a second or more after the
 * first, or a failure during the stop, exits at once.
 */
export function stopWithSignals(
  own: Pick<DaemonProcess, 'on' | 'exit'>,
  daemon: Pick<Daemon, 'stop'> & { app: { log: Pick<Daemon['app']['log'], 'fatal'> } },
  state: string,
  clock: Pick<Clock, 'elapsed'>,
): void {
  let stoppingSince: number | undefined;
  const stop = (exit: number) => {
    if (stoppingSince !== undefined) return own.exit(exit);
    stoppingSince = clock.elapsed();
    const limit = setTimeout(() => own.exit(EXIT.internal), STOP_LIMIT_MS).unref();
    const end = (code: number) => {
      clearTimeout(limit);
      own.exit(code);
    };
    daemon.stop().then(
      () => {
        removeDaemonFile(state);
        end(exit);
      },
      () => end(EXIT.internal),
    );
  };
  const isRepeated = () => stoppingSince !== undefined && clock.elapsed() - stoppingSince < SAME_SIGNAL_MS;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    own.on(signal, () => {
      if (!isRepeated()) stop(0);
    });
  }
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    own.on(event, (error) => {
      daemon.app.log.fatal({ err: error }, event);
      stop(EXIT.internal);
    });
  }
}

/**
 * Says which process holds the store. The daemon file may be that of a daemon that was killed. A backup ends soon: with
 * its exit code a service tries again.
 */
export function refuseBusy(root: string, refuse: Refuse): never {
  const { state } = new MeshFolder(root);
  const holders = listLockHolderPids(inState(state, 'mesh.db'));
  const backup = holders.find((pid) => readArguments(pid).includes('backup'));
  if (backup !== undefined)
    return refuse(EXIT.internal, 'in_flight', `A backup of ${root} is being made (process ${backup}): try again.`);
  const file = readDaemonFile(state);
  const [holder] = holders;
  const isHolder = (pid: number) => (holder === undefined ? isPidTaken(pid) : holders.includes(pid));
  const other = file && isHolder(file.pid) ? file : undefined;
  const unnamed = holder === undefined ? 'another process' : `process ${holder}`;
  const who = other ? `process ${other.pid} at ${other.address}` : unnamed;
  const withoutLocks =
    holder === undefined && !other
      ? ' If none does, the file system gives no locks, as some network drives do: move the project.'
      : '';
  return refuse(EXIT.alreadyRunning, 'already_running', `A daemon runs for ${root} already: ${who}.${withoutLocks}`);
}

/** Reports an error of the start in the words of whoever started the daemon, and exits. */
function refuseStart(error: unknown, own: DaemonProcess, refuse: Refuse): void {
  if (error instanceof StartRefusedError) return;
  const { root } = configOrRefuse(own, refuse);
  if (error instanceof DatabaseBusyError) refuseBusy(root, refuse);
  if (isDiskFull(error))
    refuse(
      EXIT.badConfiguration,
      'no_space',
      `The disk that holds ${root} is full: free some space, then start again.`,
    );
  const path = getErrorPath(error);
  if (isMeshError(error)) {
    const where = path === undefined || error.message.includes(path) ? '' : ` (${path})`;
    refuse(EXIT.badConfiguration, error.code, `${error.message}${where}`);
  }
  if (path !== undefined)
    refuse(EXIT.badConfiguration, 'bad_configuration', `${path} cannot be used: ${getErrorMessage(error)}.`);
  refuse(EXIT.internal, 'internal', getErrorMessage(error));
}

/**
 * Runs a daemon in the process `own`, which exits when the daemon has stopped or cannot start. `sha256` is the digest of
 * its program, in hex.
 */
export function runDaemon(own: DaemonProcess, clock: Clock, sha256?: string): void {
  // The log goes on in its file when nobody reads stderr any more, or its disk is full.
  own.stderr.on('error', () => undefined);
  const refuse = refuseFrom(own);
  start(own, clock, sha256, refuse).catch((error: unknown) => refuseStart(error, own, refuse));
}
