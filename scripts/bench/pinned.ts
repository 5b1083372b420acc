/**
 * Pins servers to one core and the load to another, if there are two, so that neither takes time from the other. It
 * also installs the packages of the peers.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { report } from './measure.js';

const folder = fileURLToPath(new URL('.', import.meta.url));
const cores = availableParallelism();
const isPinned = process.platform === 'linux' && cores >= 2;

/** The command prefix that runs a program on the servers' core. */
export const SERVER_CORE: readonly string[] = isPinned ? ['taskset', '-c', '0'] : [];

/** Pins this process to its core, or releases it to all cores, which are then reported as the machine. */
export function pin(isOn: boolean): void {
  if (isPinned)
    execFileSync('taskset', ['-acp', isOn ? '1' : `0-${cores - 1}`, String(process.pid)], { stdio: 'ignore' });
}

/** Reports a measure of a bench whose load is pinned. */
export function say(measure: Parameters<typeof report>[0]): void {
  pin(false);
  report(measure);
  pin(true);
}

/** Installs the packages of the peers, unless `file` of them exists. */
export function installPeers(file: string): void {
  if (existsSync(`${folder}node_modules/${file}`)) return;
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'ignore' });
}

/** Starts Node.js on the servers' core. Returns the child process and its first message. */
export async function startNode<Word>(args: readonly string[]): Promise<{ child: ChildProcess; word: Word }> {
  const [program = '', ...rest] = [...SERVER_CORE, process.execPath, ...args];
  const child = spawn(program, rest, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  return new Promise((resolve, reject) => {
    child.once('message', (word: Word) => resolve({ child, word }));
    child.once('exit', (exit) => reject(new Error(`A server (${args.at(-1)}) ended with ${exit}.`)));
  });
}

/** Sends SIGTERM to a server and waits until it has ended. */
export async function stopServer(child: ChildProcess): Promise<void> {
  child.removeAllListeners('exit');
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}
