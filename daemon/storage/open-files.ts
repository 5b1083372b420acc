import { readFileSync } from 'node:fs';

const MOST = 10_000;
/** For the store, the index, member files and the pipes of agent programs. */
const OWN_FILES = 64;
const OWN_SHARE = 0.2;
/** With fewer the dashboard could not be used. */
const FEWEST = 16;

/** How many connections may be open at once. */
export interface ConnectionLimits {
  total: number;
  /** Of other users of this machine, all together: the rest is the operator's. */
  foreign: number;
}

/** Leaves the daemon the files that it serves connections from, and the operator connections whatever others do; `limits` is the text of `/proc/self/limits`. */
export function connectionLimits(limits = readLimits()): ConnectionLimits {
  const files = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? MOST * 2);
  const total = Math.max(FEWEST, Math.min(MOST, files - Math.max(OWN_FILES, Math.ceil(files * OWN_SHARE))));
  return { total, foreign: Math.floor(Math.min(files / 4, total / 2)) };
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'latin1');
  } catch {
    // Other systems do not tell there; Node.js raises the limit to the highest that they allow.
    return '';
  }
}
