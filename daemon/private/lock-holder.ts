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
 * Returns the pid of the process of this user that holds a lock on the file at `path`; undefined when there is none or
 * the system does not provide it. The file is not opened, and a link in its place is not followed.
 */
export function findLockHolderPid(path: string): number | undefined {
  const inode = findEntry(path)?.ino;
  if (inode === undefined) return undefined;
  // <number>: POSIX ADVISORY WRITE <pid> <device>:<inode> <from> <to>
  const rows = readLocks()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const pid = Number(rows.find((row) => row[5]?.endsWith(`:${inode}`))?.[4] ?? Number.NaN);
  return Number.isInteger(pid) && pid > 0 && getUid(pid) === process.getuid?.() ? pid : undefined;
}
