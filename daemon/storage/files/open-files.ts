import { readFileSync } from 'node:fs';

const MOST = 10_000;
/** Files reserved for the store, the index, member files and the pipes of agent programs. */
const OWN_FILES = 64;
const OWN_SHARE = 0.2;
/** The dashboard does not work with fewer connections. */
const FEWEST = 16;

/** Limits on the number of open connections. */
interface ConnectionLimits {
  total: number;
  /** The limit for all other users of this machine together; the rest is reserved for the operator. */
  foreign: number;
}

/**
 * Computes limits that leave the daemon enough files for its own use and the operator enough connections, whatever
 * others do. `limits` is the text of `/proc/self/limits`.
 */
export function connectionLimits(limits = readLimits()): ConnectionLimits {
  const files = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? MOST * 2);
  const total = Math.max(FEWEST, Math.min(MOST, files - Math.max(OWN_FILES, Math.ceil(files * OWN_SHARE))));
  return { total, foreign: Math.floor(Math.min(files / 4, total / 2)) };
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'latin1');
  } catch {
    // Other systems do not have this file. There Node.js raises the limit to the highest permitted value.
    return '';
  }
}
