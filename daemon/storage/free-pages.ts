import type SQLite from 'better-sqlite3';
import { systemCode } from '../lib/errors.js';
import type { StoreGrowth } from './store-growth.js';

const INCREMENTAL = 2;
/** Free pages that stay for what is written next: a megabyte. */
const KEPT_PAGES = 256;
/** Given back at once: a megabyte, within a millisecond or two. */
const SLICE_PAGES = 256;
const SLICE_EVERY_MS = 20;
/** A store of up to so many pages (64 MiB) is rewritten at a start to be able to shrink: a fraction of a second. */
const REWRITTEN_PAGES = 16_384;
/** Bytes that the write-ahead log keeps when it was folded back. */
const LOG_KEPT_BYTES = 4 * 1024 * 1024;

/**
 * Gives the space of deleted rows back to the file system, in slices between which everybody else is served. A store
 * made before 0.2 is rewritten once when it is small; a larger one keeps its free pages for later rows and never shrinks, until `meshd backup` and
 * `restore` or SQLite's own VACUUM make it small.
 */
export class FreePages {
  private timer: NodeJS.Timeout | undefined;
  private canShrink = false;

  constructor(
    private readonly sqlite: SQLite.Database,
    private readonly growth: StoreGrowth,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** To be called once the schema is up to date. */
  prepare(): void {
    this.sqlite.pragma(`journal_size_limit = ${LOG_KEPT_BYTES}`);
    this.canShrink = this.readMode() === INCREMENTAL || this.rewrite();
  }

  /** Looks whether there is something to give back; to be called after each commit. */
  look(): void {
    if (!this.canShrink || this.timer || this.growth.freePages <= KEPT_PAGES) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.giveBack();
    }, SLICE_EVERY_MS);
    this.timer.unref();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.canShrink = false;
  }

  private giveBack(): void {
    try {
      this.sqlite.pragma(`incremental_vacuum(${Math.min(SLICE_PAGES, this.growth.freePages - KEPT_PAGES)})`);
    } catch (error) {
      // A full disk has no room for the log of it: the next commit that succeeds looks again.
      if (!systemCode(error)?.startsWith('SQLITE_FULL')) this.failed(error);
      return;
    }
    if (this.growth.freePages > KEPT_PAGES) this.look();
    else this.shrink();
  }

  /** The file is cut with the checkpoint, which would else wait until enough was written. */
  private shrink(): void {
    try {
      this.sqlite.pragma('wal_checkpoint(TRUNCATE)');
    } catch {
      // The log holds it all the same; a later checkpoint cuts the file.
    }
  }

  /** The mode is part of the file, so that setting it needs the file to be rewritten. A disk without room for that leaves it as it was. */
  private rewrite(): boolean {
    if ((this.sqlite.pragma('page_count', { simple: true }) as number) > REWRITTEN_PAGES) return false;
    this.sqlite.pragma('auto_vacuum = INCREMENTAL');
    try {
      this.sqlite.exec('VACUUM');
    } catch {
      // It is whole, as it was; the first commit tells what is wrong with the disk.
    }
    return this.readMode() === INCREMENTAL;
  }

  private readMode(): number {
    return this.sqlite.pragma('auto_vacuum', { simple: true }) as number;
  }
}
