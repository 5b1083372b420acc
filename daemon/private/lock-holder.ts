import { readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { findEntry } from './private-file.js';

function readLocks(): string {
  try {
    return readFileSync('/proc/locks', 'utf8');
  } catch {
    // Not available on this system.
    return '';
  }
}

const isOwn = (pid: number) => statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === process.getuid?.();

/**
 * Whether this user's process has the file open. A lock names its file by the inode, which is unique on one file system
 * only, and by a device that is not that of `stat` on some file systems.
 */
function hasOpen(pid: number, { dev, ino }: Stats): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((fd) => {
      const open = statSync(`${folder}/${fd}`, { throwIfNoEntry: false });
      return open?.dev === dev && open.ino === ino;
    });
  } catch {
    // It ended, or does not let itself be looked at: no daemon does that.
    return false;
  }
}

/**
 * Returns the pids of the processes, of any user, that hold a lock on the file at `path`; none when the system does not
 * tell. For processes of other users it is not certain that the file is this one. The file is not opened, and a link in
 * its place is not followed.
 */
export function listLockHolderPids(path: string, read = readLocks): number[] {
  const file = findEntry(path);
  if (file === undefined) return [];
  // <number>: POSIX ADVISORY WRITE <pid> <device>:<inode> <from> <to>
  const rows = read()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const pids = rows.filter((row) => row[5]?.endsWith(`:${file.ino}`)).map((row) => Number(row[4]));
  return pids.filter((pid) => Number.isInteger(pid) && pid > 0 && (!isOwn(pid) || hasOpen(pid, file)));
}

/** Like `listLockHolderPids`, the first one that is a process of this user; undefined when there is none. */
export function findLockHolderPid(path: string, read = readLocks): number | undefined {
  return listLockHolderPids(path, read).find(isOwn);
}
