/** Servers on one core and the load on another, where there are two, so that neither takes time from the other; and the peers' packages. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { report } from './measure.js';

const folder = fileURLToPath(new URL('.', import.meta.url));
const cores = availableParallelism();
const isPinned = process.platform === 'linux' && cores >= 2;

/** What a command begins with to run on the servers' core. */
export const SERVER_CORE: readonly string[] = isPinned ? ['taskset', '-c', '0'] : [];

/** Keeps this process on its core, or lets it see all of them, which is what is reported of the machine. */
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

/** Installs what the benches compare with, unless `file` of it is there. */
export function installPeers(file: string): void {
  if (existsSync(`${folder}node_modules/${file}`)) return;
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'ignore' });
}

/** Starts Node.js on the servers' core; gives the child and the first word that it sends. */
export async function startNode<Word>(args: readonly string[]): Promise<{ child: ChildProcess; word: Word }> {
  const [program = '', ...rest] = [...SERVER_CORE, process.execPath, ...args];
  const child = spawn(program, rest, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  return new Promise((resolve, reject) => {
    child.once('message', (word: Word) => resolve({ child, word }));
    child.once('exit', (exit) => reject(new Error(`A server (${args.at(-1)}) ended with ${exit}.`)));
  });
}

/** Asks a server to end, and waits until it has. */
export async function stopServer(child: ChildProcess): Promise<void> {
  child.removeAllListeners('exit');
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}
