import { execFileSync } from 'node:child_process';

/** What a program of the system prints; null when there is none, or it fails. */
function ask(program: string, ...args: string[]): string | null {
  try {
    // The same words for the same process, whatever the language and the zone of the daemon.
    const env = { LC_ALL: 'C', TZ: 'UTC' };
    const said = execFileSync(program, args, {
      env,
      encoding: 'utf8',
      timeout: 2_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return said.trim() || null;
  } catch {
    return null;
  }
}

/** Returns when the process started, for a system without `/proc`; null once it has ended. */
export const startOf = (pid: number): string | null => ask('/bin/ps', '-o', 'lstart=', '-p', String(pid));

/** Returns the id of this boot of a Mac. */
export const bootOfDarwin = (): string | null => ask('/usr/sbin/sysctl', '-n', 'kern.bootsessionuuid');
