import type SQLite from 'better-sqlite3';
import { systemCode } from '../../lib/errors.js';

/** The full-text indexes of what people said. */
const INDEXES = ['asks_text', 'messages_text'];
/** From this id on, the rows of an index's data are marks of deleted texts whose words are still in it (FTS5). */
const MARKS_FROM = 2 ** 53;
/** Pages that one slice rewrites: about ten milliseconds. */
const SLICE_PAGES = 16;
const SLICE_EVERY_MS = 20;
/** How long the words may stay: as long as the write-ahead log holds the text itself. */
const KEPT_MS = 3_600_000;
/** How long the end of the daemon may take to finish. */
const END_MS = 300;

/**
 * Removes the words of deleted texts from the search indexes an hour after a commit at the latest. A deleted row of
 * such an index is only marked; its words would stay readable in the file until thousands of later rows are merged.
 */
export class ErasedWords {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly sqlite: SQLite.Database,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** Must be called after each commit. */
  look(): void {
    this.timer ??= this.in(KEPT_MS);
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  /** Rewrites what a fraction of a second allows; the next daemon does the rest. */
  finish(): void {
    const endMs = performance.now() + END_MS;
    while (performance.now() < endMs && this.rewriteSome());
  }

  private in(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.timer = this.rewriteSome() ? this.in(SLICE_EVERY_MS) : undefined;
    }, ms).unref();
  }

  /** Rewrites a slice of an index with marks. Returns whether there was one; then the old pages are overwritten. */
  private rewriteSome(): boolean {
    try {
      if (INDEXES.some((index) => this.hasMarks(index) && this.merge(index))) return true;
      this.sqlite.pragma('wal_checkpoint(TRUNCATE)');
      return false;
    } catch (error) {
      // On a full disk the marks stay, and a later look finds them.
      if (systemCode(error) !== 'SQLITE_FULL') this.failed(error);
      return false;
    }
  }

  private hasMarks(index: string): boolean {
    return this.sqlite.prepare(`SELECT 1 FROM ${index}_data WHERE id >= ? LIMIT 1`).get(MARKS_FROM) !== undefined;
  }

  /** Returns whether that changed the index, as FTS5 tells by more than the one change of the command itself. */
  private merge(index: string): boolean {
    const total = this.sqlite.prepare('SELECT total_changes()').pluck();
    const before = total.get() as number;
    this.sqlite.prepare(`INSERT INTO ${index} (${index}, rank) VALUES ('merge', ?)`).run(-SLICE_PAGES);
    return (total.get() as number) - before > 1;
  }
}
