import { readFileSync } from 'node:fs';

const MOST = 10_000;
/** For the store, the index, member files and the pipes of agent programs. */
const OWN_FILES = 64;
const OWN_SHARE = 0.2;
/** With fewer the dashboard could not be used. */
const FEWEST = 16;

/** How many connections may be open at once, so that the daemon can always open the files that it serves them from; `limits` is the text of `/proc/self/limits`. */
export function maxConnections(limits = readLimits()): number {
  const files = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? MOST * 2);
  return Math.max(FEWEST, Math.min(MOST, files - Math.max(OWN_FILES, Math.ceil(files * OWN_SHARE))));
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'latin1');
  } catch {
    // Other systems do not tell there; Node.js raises the limit to the highest that they allow.
    return '';
  }
}
