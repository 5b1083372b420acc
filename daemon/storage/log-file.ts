import { closeSync, fchmodSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';

const MAX_BYTES = 10 * 1024 * 1024;
const KEPT = 3;

/** The daemon's log, JSON lines, mode 0600, turned over at 10 MiB with three old ones kept. A line that cannot be written is dropped. */
export class LogFile {
  private file: number;
  private size: number;

  constructor(private readonly path: string) {
    this.file = this.open();
    this.size = fstatSync(this.file).size;
  }

  write(line: string): void {
    try {
      if (this.size > MAX_BYTES) this.turnOver();
      this.size += writeSync(this.file, line);
    } catch {
      // Logging must never take the daemon down, least of all when the disk is full.
    }
  }

  close(): void {
    closeSync(this.file);
  }

  private open(): number {
    const file = openSync(this.path, 'a', 0o600);
    fchmodSync(file, 0o600);
    return file;
  }

  private turnOver(): void {
    closeSync(this.file);
    for (let age = KEPT - 1; age >= 1; age -= 1) tryRename(`${this.path}.${age}`, `${this.path}.${age + 1}`);
    tryRename(this.path, `${this.path}.1`);
    this.file = this.open();
    this.size = 0;
  }
}

function tryRename(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch {
    // There is no such older log yet.
  }
}
