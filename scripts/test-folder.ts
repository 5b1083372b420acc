import { mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isPidTaken } from '../daemon/lib/pid-taken.js';

const MEMORY = '/dev/shm';
const TMPFS = 0x01021994;
const ROOM_BYTES = 2 * 1024 ** 3;
const NAME = /^meshd-run-(\d+)-/;
/** A run in another PID namespace cannot be seen by its process, but puts something into its folder all the time. */
const QUIET_MS = 3_600_000;

/**
 * Returns the memory file system if it has enough space, otherwise the temporary folder. Test files are short-lived,
 * and waiting for a disk takes half of the tests' time.
 */
function bestPlace(): string {
  if (process.env['TMPDIR'] !== undefined) return tmpdir();
  try {
    const { type, bavail, bsize } = statfsSync(MEMORY);
    if (type === TMPFS && bavail * bsize >= ROOM_BYTES) return MEMORY;
  } catch {
    // This system has no `/dev/shm`.
  }
  return tmpdir();
}

/** Removes folders that killed runs left in `place`, which would otherwise occupy space forever. */
function sweep(place: string): void {
  for (const name of readdirSync(place)) {
    const pid = NAME.exec(name)?.[1];
    if (pid === undefined || isPidTaken(Number(pid))) continue;
    const changed = statSync(join(place, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Date.now() - changed > QUIET_MS) rmSync(join(place, name), { recursive: true, force: true });
  }
}

/**
 * Places all temporary folders of this test run and of its child processes in one folder. Returns a function that
 * removes the folder at the end of the run.
 */
export function openTestFolder(): () => void {
  const before = process.env['TMPDIR'];
  const place = bestPlace();
  sweep(place);
  const folder = mkdtempSync(join(place, `meshd-run-${process.pid}-`));
  process.env['TMPDIR'] = folder;
  return () => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    // A process that a failed test left may still write there.
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
}

export default openTestFolder;
