import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../lib/errors.js';
import { CommandFailure, EXIT } from './exit-codes.js';

const START_TIMEOUT_MS = 30_000;

/** What the daemon tells the process that started it, once. */
type Word =
  | { type: 'listening'; address: string; port: number; pid: number }
  | { type: 'refused'; code: string; message: string; exit: number };

export interface Launch {
  /** Absolute path of the daemon's program. */
  program: string;
  root: string;
  port: number | undefined;
  /** The state that is there is the operator's own, though this machine may not know it. */
  isStateVouchedFor: boolean;
}

export interface Listening {
  address: string;
  pid: number;
}

function argumentsOf({ program, root, port, isStateVouchedFor }: Launch): string[] {
  const options = port === undefined ? [] : ['--port', String(port)];
  return [program, '--root', root, ...options, ...(isStateVouchedFor ? ['--adopt'] : [])];
}

/** The daemon's word, or its failure to give one: it died, or said nothing for 30 s. Listens for nothing once it knows. */
async function awaitWord(child: ChildProcess, complaint: () => string): Promise<Listening> {
  const over = new AbortController();
  const first = async (event: 'message' | 'exit') => ({
    event,
    given: await once(child, event, { signal: over.signal }),
  });
  const timer = setTimeout(() => over.abort(), START_TIMEOUT_MS);
  try {
    const { event, given } = await Promise.race([first('message'), first('exit')]);
    if (event === 'exit') {
      const [exit, signal] = given as [number | null, NodeJS.Signals | null];
      const ending = `The daemon ended before it listened (${signal ?? `exit ${exit}`}); see .mesh/state/daemon.log.`;
      throw new CommandFailure(exit || EXIT.failed, complaint() || ending, 'internal');
    }
    const [word] = given as [Word];
    if (word.type === 'refused') throw new CommandFailure(word.exit, word.message, word.code);
    return { address: word.address, pid: word.pid };
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    if (!over.signal.aborted)
      throw new CommandFailure(EXIT.failed, `The daemon could not be started: ${messageOf(error)}.`, 'internal');
    child.kill('SIGKILL');
    throw new CommandFailure(
      EXIT.failed,
      'The daemon did not start within 30 s; see .mesh/state/daemon.log.',
      'internal',
    );
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

/**
 * Starts the daemon on its own and returns once it listens. Throws CommandFailure with the daemon's own exit status and sentence when it
 * refuses (75 when one runs already or the port is taken, 78 for a bad configuration).
 */
export async function launchDetached(launch: Launch): Promise<Listening> {
  // What the daemon prints before it has its log goes to a file that only this process sees, so that a pipe never closes on it.
  const folder = mkdtempSync(join(tmpdir(), 'meshd-start-'));
  const complaints = join(folder, 'stderr');
  const sink = openSync(complaints, 'w', 0o600);
  try {
    const child = spawn(process.execPath, argumentsOf(launch), {
      cwd: launch.root,
      detached: true,
      stdio: ['ignore', 'ignore', sink, 'ipc'],
    });
    const listening = await awaitWord(child, () =>
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
 * Runs the daemon in the foreground until it ends, passing signals on; `onListening` is called once. Returns its exit status; why it refused to
 * start it has then said on stderr by itself.
 */
export async function runInForeground(launch: Launch, onListening: (listening: Listening) => void): Promise<number> {
  const child = spawn(process.execPath, [...argumentsOf(launch), '--foreground'], {
    cwd: launch.root,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = new Promise<number>((resolve) =>
    child.once('exit', (exit, signal) => resolve(exit ?? (signal === 'SIGINT' ? EXIT.interrupted : EXIT.failed))),
  );
  const passOn = (signal: NodeJS.Signals) => child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, passOn);
  const listening = await awaitWord(child, () => '').catch(() => undefined);
  if (listening) onListening(listening);
  return ended;
}
