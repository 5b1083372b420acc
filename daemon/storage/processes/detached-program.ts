import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { notStarted, type Program } from './process-group.js';

/**
 * Starts a program of the operator's that outlives the daemon, such as an editor: in a session of its own, without
 * pipes, and in no journal. Resolves once it runs. Throws `ProcessError` when it cannot be started.
 */
export async function startDetached(program: Program): Promise<void> {
  const child = spawn(program.bin, [...program.args], {
    shell: false,
    detached: true,
    cwd: program.cwd,
    env: { ...program.environment },
    stdio: 'ignore',
    windowsHide: true,
  });
  try {
    await once(child, 'spawn');
  } catch (error) {
    throw notStarted(program, error);
  }
  child.on('error', () => undefined);
  child.unref();
}
