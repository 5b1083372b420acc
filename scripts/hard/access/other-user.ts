import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Drill } from '../drill.js';

const NOBODY = '65534';
const BECOME = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
export const NOBODY_UID = Number(NOBODY);

/** Returns whether a program of another user can be started here. Otherwise records the drill as not run. */
export function mayBeAnother(drill: Drill): boolean {
  if (spawnSync('setpriv', [...BECOME, 'true'], { stdio: 'ignore' }).status === 0) return true;
  drill.notRun('everything', 'it needs setpriv, and root, to start a program of another user');
  return false;
}

/**
 * Starts a program of this folder as another user with one JSON argument. The program is passed as text, because that
 * user may not be able to read the folder. It is killed at the end of the drill. `outcome` resolves with its standard
 * output.
 */
export function runAsOtherUser(
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
