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
import { createSourceNamer } from './lib/source-stack.js';
import { sanitizeDisplayText } from './lib/text/display-text.js';
import { isoTime } from './lib/time/clock.js';
import { daemonClock as clock } from './lib/time/daemon-clock.js';
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

const EXIT = { internal: 70, alreadyRunning: 75, badConfiguration: 78 } as const;
const STOP_LIMIT_MS = 5_000;

/** Reports to stderr and the parent process why the daemon does not start, and exits. */
function refuse(exit: number, code: string, message: string, details: Readonly<Record<string, unknown>> = {}): never {
  if (process.send) {
    process.send({ type: 'refused', code, message, exit, details }, () => process.exit(exit));
    // The message is being sent; nothing else may run until the process exits.
    throw new StartRefusedError(exit);
  }
  process.stderr.write(`meshd: ${sanitizeDisplayText(message)}\n`);
  process.exit(exit);
}

class StartRefusedError extends Error {
  constructor(readonly exit: number) {
    super('refused');
  }
}

function configOrRefuse(): Config {
  try {
    const config = readConfig(process.argv.slice(2), process.env, process.cwd(), process.getuid?.());
    return { ...config, root: realFolder(config.root) };
  } catch (error) {
    return refuse(EXIT.badConfiguration, 'bad_configuration', getErrorMessage(error));
  }
}

async function start(): Promise<void> {
  process.umask(0o077);
  const config = configOrRefuse();
  const here = fileURLToPath(new URL('.', import.meta.url));
  const state = new MeshFolder(config.root).state;
  let log: LogFile | undefined;
  const nameSources = createSourceNamer(here, readInstalledFile);
  // The log file is opened when its folder is known to be the daemon's own. Lines before that go to stderr.
  const stream = {
    write(entry: string) {
      const line = entry.includes('"stack":') ? nameSources(entry) : entry;
      log?.write(line);
      if (config.logToStderr || !log) process.stderr.write(line);
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
    openKnowledge: (root, folder) =>
      new WorkerKnowledge(
        new URL('./knowledge-worker.js', import.meta.url),
        root,
        folder,
        gitEnvironment(config.environment),
      ),
    commandLine: join(here, 'meshd.js'),
    connectionTableWorker: new URL('./connection-table-worker.js', import.meta.url),
  });
  log = new LogFile(inState(state, 'daemon.log'));
  stopWithSignals(daemon, state);
  const port = await listen(daemon, config, state);
  const address = `http://127.0.0.1:${port}`;
  await writeDaemonFile(state, {
    pid: process.pid,
    port,
    address,
    started_at: isoTime(clock.now()),
    version: packageJson.version,
    root: config.root,
    secret: daemon.secret,
  });
  if (config.port === undefined || config.port !== 0) await rememberPort(state, port);
  process.send?.({ type: 'listening', address, port, pid: process.pid });
  if (process.connected) process.disconnect();
  await daemon.settle();
}

async function listen(daemon: Daemon, config: Config, state: string): Promise<number> {
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

function stopWithSignals(daemon: Daemon, state: string): void {
  let isStopping = false;
  const stop = (exit: number) => {
    if (isStopping) process.exit(exit);
    isStopping = true;
    setTimeout(() => process.exit(EXIT.internal), STOP_LIMIT_MS).unref();
    daemon.stop().then(
      () => {
        removeDaemonFile(state);
        process.exit(exit);
      },
      () => process.exit(EXIT.internal),
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stop(0));
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      daemon.app.log.fatal({ err: error }, event);
      stop(EXIT.internal);
    });
  }
}

start().catch((error: unknown) => {
  if (error instanceof StartRefusedError) return;
  const root = configOrRefuse().root;
  if (error instanceof DatabaseBusyError) {
    const other = readDaemonFile(new MeshFolder(root).state);
    const who = other ? `process ${other.pid} at ${other.address}` : 'another process';
    refuse(EXIT.alreadyRunning, 'already_running', `A daemon runs for ${root} already: ${who}.`);
  }
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
});
