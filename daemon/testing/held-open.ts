import { readdirSync, readlinkSync } from 'node:fs';

/** Returns the paths in or below a folder that this process holds open; none where the system does not tell. */
export function heldOpen(folder: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return [];
    }
  });
}
