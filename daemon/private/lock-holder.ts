import { readFileSync, statSync } from 'node:fs';
import { findEntry } from './private-file.js';

function readLocks(): string {
  try {
    return readFileSync('/proc/locks', 'utf8');
  } catch {
    // Not available on this system.
    return '';
  }
}

const getUid = (pid: number) => statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid;

/**
 * Returns the pids of the processes, of any user, that hold a lock on the file at `path`; none when the system does not
 * tell. The file is not opened, and a link in its place is not followed.
 */
export function listLockHolderPids(path: string): number[] {
  const inode = findEntry(path)?.ino;
  if (inode === undefined) return [];
  // <number>: POSIX ADVISORY WRITE <pid> <device>:<inode> <from> <to>
  const rows = readLocks()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const pids = rows.filter((row) => row[5]?.endsWith(`:${inode}`)).map((row) => Number(row[4]));
  return pids.filter((pid) => Number.isInteger(pid) && pid > 0);
}

/** Like `listLockHolderPids`, the first one that is a process of this user; undefined when there is none. */
export function findLockHolderPid(path: string): number | undefined {
  return listLockHolderPids(path).find((pid) => getUid(pid) === process.getuid?.());
}
