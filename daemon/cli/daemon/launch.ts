import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getErrorMessage } from '../../lib/errors.js';
import { formatBytes } from '../../lib/text/format-bytes.js';
import { findEntry } from '../../private/private-file.js';
import { inState } from '../../private/private-names.js';
import { CommandError, EXIT } from '../exit-codes.js';

const START_SECONDS = 30;
/** The daemon looks through its whole store before it listens. This is little even for a slow disk. */
const STORE_BYTES_PER_SECOND = 4_000_000;

/** The message that the daemon sends once to the process that started it. */
type Word =
  | { type: 'listening'; address: string; port: number; pid: number }
  | { type: 'refused'; code: string; message: string; exit: number; details?: Record<string, unknown> };

export interface Launch {
  /** Absolute path of the daemon's program. */
  program: string;
  root: string;
  port: number | undefined;
  /** The operator vouches for existing state that this machine may not have made. */
  isStateVouchedFor: boolean;
  /** Receives a remark for people: that the start may take longer than usual, and why. */
  note: (line: string) => void;
}

interface Listening {
  address: string;
  pid: number;
}

function listArguments({ program, root, port, isStateVouchedFor }: Launch): string[] {
  const options = port === undefined ? [] : ['--port', String(port)];
  return [program, '--root', root, ...options, ...(isStateVouchedFor ? ['--adopt'] : [])];
}

/** Returns the size of the project's store in bytes; 0 when there is none. */
function measureStore(root: string): number {
  const path = inState(join(root, '.mesh', 'state'), 'mesh.db');
  try {
    return [path, `${path}-wal`].reduce((sum, file) => sum + (findEntry(file)?.size ?? 0), 0);
  } catch {
    // The daemon reports what is wrong with the path.
    return 0;
  }
}

/** Returns how long the daemon may take to start, which grows with its store, and notes when that is unusually long. */
function allowedSeconds({ root, note }: Launch): number {
  const bytes = measureStore(root);
  const further = Math.floor(bytes / STORE_BYTES_PER_SECOND);
  if (further > 0) note(`Looking through the store (${formatBytes(bytes)}).`);
  return START_SECONDS + further;
}

/**
 * Waits for the daemon's message. Throws CommandError when the daemon exits, rejects the start, or sends nothing for
 * `seconds`. Removes its listeners once settled.
 */
async function awaitWord(child: ChildProcess, seconds: number, complaint: () => string): Promise<Listening> {
  const over = new AbortController();
  const first = async (event: 'message' | 'exit') => ({
    event,
    given: await once(child, event, { signal: over.signal }),
  });
  const timer = setTimeout(() => over.abort(), seconds * 1_000);
  try {
    const { event, given } = await Promise.race([first('message'), first('exit')]);
    if (event === 'exit') {
      const [exit, signal] = given as [number | null, NodeJS.Signals | null];
      const ending = `The daemon ended before it listened (${signal ?? `exit ${exit}`}); see .mesh/state/daemon.log.`;
      throw new CommandError(exit || EXIT.failed, complaint() || ending, 'internal');
    }
    const [word] = given as [Word];
    if (word.type === 'refused') throw new CommandError(word.exit, word.message, word.code, word.details);
    return { address: word.address, pid: word.pid };
  } catch (error) {
    if (error instanceof CommandError) throw error;
    if (!over.signal.aborted)
      throw new CommandError(EXIT.failed, `The daemon could not be started: ${getErrorMessage(error)}.`, 'internal');
    child.kill('SIGKILL');
    throw new CommandError(
      EXIT.failed,
      `The daemon did not start within ${seconds} s; see .mesh/state/daemon.log.`,
      'internal',
    );
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

/**
 * Starts the daemon as a detached process and returns once it listens. Throws CommandError with the daemon's own exit
 * status and message when it rejects the start (75 when one already runs or the port is taken, 78 for an invalid
 * configuration).
 */
export async function launchDetached(launch: Launch): Promise<Listening> {
  // Output of the daemon before its log is open is written to a private temporary file, because a pipe would close when
  // this process ends.
  const folder = mkdtempSync(join(tmpdir(), 'meshd-start-'));
  const complaints = join(folder, 'stderr');
  const sink = openSync(complaints, 'w', 0o600);
  try {
    const seconds = allowedSeconds(launch);
    const child = spawn(process.execPath, listArguments(launch), {
      cwd: launch.root,
      detached: true,
      stdio: ['ignore', 'ignore', sink, 'ipc'],
    });
    const listening = await awaitWord(child, seconds, () =>
      readFileSync(complaints, 'utf8').trim().split('\n').slice(-20).join('\n'),
    );
    if (child.connected) child.disconnect();
    child.unref();
    return listening;
  } finally {
    closeSync(sink);
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Runs the daemon in the foreground until it ends and forwards signals to it. `onListening` is called once. Returns the
 * exit status of the daemon. Throws CommandError when the daemon rejects the start.
 */
export async function runInForeground(launch: Launch, onListening: (listening: Listening) => void): Promise<number> {
  const seconds = allowedSeconds(launch);
  const child = spawn(process.execPath, [...listArguments(launch), '--foreground'], {
    cwd: launch.root,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = new Promise<number>((resolve) =>
    child.once('exit', (exit, signal) => resolve(exit ?? (signal === 'SIGINT' ? EXIT.interrupted : EXIT.failed))),
  );
  const passOn = (signal: NodeJS.Signals) => child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, passOn);
  const listening = await awaitWord(child, seconds, () => '').catch((error: unknown) => error);
  if (listening instanceof CommandError && listening.code !== 'internal') {
    await ended;
    throw listening;
  }
  if (!(listening instanceof Error)) onListening(listening as Listening);
  return ended;
}
