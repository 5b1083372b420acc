import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';

const PREFIX = '.meshd-backup-';
/** No backup takes as long. The folder of another process, or of another machine on a shared disk, is younger. */
const STALE_MS = 24 * 60 * 60 * 1000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The folders of this process: the first of its handlers of a signal ends it. */
const open = new Set<string>();

const remove = (folder: string) => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });

/** Removes what commands of this user that were killed have left in `parent`. */
function removeStale(parent: string, nowMs: number): void {
  for (const name of readdirSync(parent).filter((one) => one.startsWith(PREFIX))) {
    const folder = join(parent, name);
    const found = lstatSync(folder, { throwIfNoEntry: false });
    const isOwn = found?.isDirectory() === true && (process.getuid === undefined || found.uid === process.getuid());
    if (isOwn && nowMs - found.mtimeMs > STALE_MS) remove(folder);
  }
}

/**
 * Runs `work` with a new folder in `parent` that only this user can read, and removes the folder at its end. A signal
 * that ends the process `own` removes it too, with those of other calls. Folders that were left more than a day ago are
 * removed first.
 */
export async function inWorkingFolder<T>(
  parent: string,
  nowMs: number,
  work: (folder: string) => Promise<T>,
  own: Pick<NodeJS.Process, 'on' | 'off' | 'exit'> = process,
): Promise<T> {
  removeStale(parent, nowMs);
  const folder = mkdtempSync(join(parent, PREFIX));
  open.add(folder);
  const leave = (signal: (typeof SIGNALS)[number]) => {
    try {
      for (const one of [...open].reverse()) remove(one);
    } finally {
      own.exit(128 + constants.signals[signal]);
    }
  };
  for (const signal of SIGNALS) own.on(signal, leave);
  try {
    return await work(folder);
  } finally {
    for (const signal of SIGNALS) own.off(signal, leave);
    open.delete(folder);
    remove(folder);
  }
}
