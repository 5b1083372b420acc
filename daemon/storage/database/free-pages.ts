import type SQLite from 'better-sqlite3';
import { systemCode } from '../../lib/errors.js';
import type { StoreGrowth } from './store-growth.js';

const INCREMENTAL = 2;
/** Free pages that are kept for later writes: a megabyte. */
const KEPT_PAGES = 256;
/** Pages returned per slice: a megabyte, which takes one or two milliseconds. */
const SLICE_PAGES = 256;
const SLICE_EVERY_MS = 20;
/**
 * A store of up to this many pages (64 MiB) is rewritten at start so that it can shrink. That
 * takes a fraction of a second.
 */
const REWRITTEN_PAGES = 16_384;
/** Maximum size in bytes of the write-ahead log file after a checkpoint. */
const LOG_KEPT_BYTES = 4 * 1024 * 1024;
/** How long the write-ahead log may hold what was deleted since: it is overwritten only by later writes. */
const LOG_KEPT_MS = 3_600_000;

/**
 * Returns the space of deleted rows to the file system, in slices between which the event loop serves other work, and
 * empties the write-ahead log an hour after a commit at the latest, so that no bytes of deleted rows stay in it. A
 * store created before version 0.2 is rewritten once when it is small. A larger one keeps its free pages for later rows
 * and does not shrink until `meshd backup` and `restore`, or SQLite's own VACUUM, rewrite it.
 */
export class FreePages {
  private timer: NodeJS.Timeout | undefined;
  private logTimer: NodeJS.Timeout | undefined;
  private canShrink = false;

  constructor(
    private readonly sqlite: SQLite.Database,
    private readonly growth: StoreGrowth,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** Must be called once the schema is up to date. */
  prepare(): void {
    this.sqlite.pragma(`journal_size_limit = ${LOG_KEPT_BYTES}`);
    this.canShrink = this.readMode() === INCREMENTAL || this.rewrite();
  }

  /** Schedules a slice if there are pages to return. Must be called after each commit. */
  look(): void {
    this.logTimer ??= setTimeout(() => {
      this.logTimer = undefined;
      this.shrink();
    }, LOG_KEPT_MS).unref();
    if (!this.canShrink || this.timer || this.growth.freePages <= KEPT_PAGES) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.releasePages();
    }, SLICE_EVERY_MS);
    this.timer.unref();
  }

  stop(): void {
    clearTimeout(this.timer);
    clearTimeout(this.logTimer);
    this.canShrink = false;
  }

  private releasePages(): void {
    try {
      this.sqlite.pragma(`incremental_vacuum(${Math.min(SLICE_PAGES, this.growth.freePages - KEPT_PAGES)})`);
    } catch (error) {
      // A full disk has no room for the log of the vacuum. The next commit that succeeds tries again.
      if (systemCode(error) !== 'SQLITE_FULL') this.failed(error);
      return;
    }
    if (this.growth.freePages > KEPT_PAGES) this.look();
    else this.shrink();
  }

  /** Truncates file and log with a checkpoint; otherwise they would shrink only after enough later writes. */
  private shrink(): void {
    try {
      this.sqlite.pragma('wal_checkpoint(TRUNCATE)');
    } catch {
      // The log still holds the change; a later checkpoint truncates the file.
    }
  }

  /**
   * The vacuum mode is part of the file, so changing it requires rewriting the file. On a disk without
   * room the file remains unchanged.
   */
  private rewrite(): boolean {
    if ((this.sqlite.pragma('page_count', { simple: true }) as number) > REWRITTEN_PAGES) return false;
    this.sqlite.pragma('auto_vacuum = INCREMENTAL');
    try {
      this.sqlite.exec('VACUUM');
    } catch {
      // The file is unchanged and intact. The first commit reports the problem with the disk.
    }
    return this.readMode() === INCREMENTAL;
  }

  private readMode(): number {
    return this.sqlite.pragma('auto_vacuum', { simple: true }) as number;
  }
}
