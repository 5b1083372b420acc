import { readFileSync } from 'node:fs';

/** Returns the arguments of a process; none where the system does not tell, or once it has ended. */
export function readArguments(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
