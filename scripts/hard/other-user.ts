import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Drill } from './drill.js';

const NOBODY = '65534';
const BECOME = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
export const NOBODY_UID = Number(NOBODY);

/** Whether a program of another user can be started here; says that the drill is not run where it cannot. */
export function mayBeAnother(drill: Drill): boolean {
  if (spawnSync('setpriv', [...BECOME, 'true'], { stdio: 'ignore' }).status === 0) return true;
  drill.notRun('everything', 'it needs setpriv, and root, to start a program of another user');
  return false;
}

/**
 * Starts a program of this folder as another user with one JSON argument. It is handed over as text: that user need not be able to read the folder. It ends with the drill.
 * What it prints is its outcome.
 */
export function asAnother(
  drill: Drill,
  file: string,
  argument: object,
): { child: ChildProcess; outcome: Promise<string> } {
  const program = readFileSync(fileURLToPath(new URL(`./${file}`, import.meta.url)), 'utf8');
  const child = spawn(
    'setpriv',
    [...BECOME, process.execPath, '--input-type=module', '--eval', program, '--', JSON.stringify(argument)],
    { cwd: '/', env: {}, stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  drill.atEnd(() => {
    child.kill('SIGKILL');
    return exited;
  });
  let said = '';
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    said += part;
  });
  return { child, outcome: exited.then(() => said) };
}
