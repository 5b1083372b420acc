import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { notStarted, type Program } from './process-group.js';

/** The control group of a service of meshd. */
const SERVICE = /\/meshd-[^/]+\.service$/m;

/** Whether systemd runs this process as a service of meshd. `groups` is the list of its control groups. */
export function isInService(groups = '/proc/self/cgroup'): boolean {
  try {
    return SERVICE.test(readFileSync(groups, 'utf8'));
  } catch {
    // No Linux.
    return false;
  }
}

/**
 * Returns `program` in a control group of its own, by `systemd-run`. What is left in that of a service is killed with
 * it, in whatever session it is.
 */
export function inScope(systemdRun: string, program: Program): Program {
  const args = ['--user', '--scope', '--quiet', '--collect', '--', program.bin, ...program.args];
  return { ...program, bin: systemdRun, args };
}

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
