import { mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isPidTaken } from '../daemon/lib/pid-taken.js';

const MEMORY = '/dev/shm';
const TMPFS = 0x01021994;
const ROOM_BYTES = 2 * 1024 ** 3;
const NAME = /^meshd-run-(\d+)-/;

/** Memory where it can be had with room to spare: what tests make is gone with them, and waiting for a disk is half of their time. */
function bestPlace(): string {
  if (process.env['TMPDIR'] !== undefined) return tmpdir();
  try {
    const { type, bavail, bsize } = statfsSync(MEMORY);
    if (type === TMPFS && bavail * bsize >= ROOM_BYTES) return MEMORY;
  } catch {
    // Not on this system.
  }
  return tmpdir();
}

/** What runs that were killed have left in `place` would otherwise be held for ever. */
function sweep(place: string): void {
  for (const name of readdirSync(place)) {
    const pid = NAME.exec(name)?.[1];
    if (pid !== undefined && !isPidTaken(Number(pid))) rmSync(join(place, name), { recursive: true, force: true });
  }
}

/** Gives all temporary folders of this run of tests, and of what it starts, one place. The run ends by calling what this returns: then nothing of them is left. */
export function openTestFolder(): () => void {
  const before = process.env['TMPDIR'];
  const place = bestPlace();
  sweep(place);
  const folder = mkdtempSync(join(place, `meshd-run-${process.pid}-`));
  process.env['TMPDIR'] = folder;
  return () => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    rmSync(folder, { recursive: true, force: true });
  };
}

export default openTestFolder;
