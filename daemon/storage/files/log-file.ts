import { closeSync, constants, fstatSync, renameSync, rmSync, writeSync } from 'node:fs';
import { openPrivateSync } from '../../private/private-file.js';
import { OLDER_LOGS } from '../../private/private-names.js';

const MAX_BYTES = 10 * 1024 * 1024;
const { O_APPEND, O_CREAT, O_EXCL, O_WRONLY } = constants;
const APPEND = O_WRONLY | O_APPEND | O_CREAT;

/**
 * The daemon's log: JSON lines, mode 0600, rotated before it exceeds 10 MiB, with three old files kept. A line that
 * cannot be written is dropped. The old file's descriptor is closed only after the new file is open, so the log never
 * writes to a descriptor that belongs to another file.
 */
export class LogFile {
  private file: number | undefined;
  private size: number;

  /** Throws `forbidden` when the path is not a regular file of this user. */
  constructor(private readonly path: string) {
    this.file = openLog(path, APPEND);
    this.size = fstatSync(this.file).size;
  }

  write(line: string): void {
    if (this.file === undefined) return;
    try {
      if (this.size > 0 && this.size + Buffer.byteLength(line) > MAX_BYTES) this.file = this.turnOver(this.file);
      this.size += writeSync(this.file, line);
    } catch {
      // Logging must never stop the daemon, least of all when the disk is full.
    }
  }

  close(): void {
    if (this.file === undefined) return;
    const file = this.file;
    this.file = undefined;
    closeSync(file);
  }

  /** Rotates: replaces `old` with a new file. Throws, and changes nothing, when the new file cannot be created. */
  private turnOver(old: number): number {
    const next = `${this.path}.next`;
    rmSync(next, { force: true });
    const file = openLog(next, APPEND | O_EXCL);
    for (let age = OLDER_LOGS - 1; age >= 1; age -= 1) tryRename(`${this.path}.${age}`, `${this.path}.${age + 1}`);
    tryRename(this.path, `${this.path}.1`);
    tryRename(next, this.path);
    this.size = 0;
    closeSync(old);
    return file;
  }
}

const openLog = (path: string, flags: number): number => openPrivateSync(path, flags) as number;

function tryRename(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch {
    // There is no such older log yet.
  }
}
