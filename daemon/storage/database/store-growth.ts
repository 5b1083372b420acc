import type SQLite from 'better-sqlite3';

/** The measured changes of one transaction. */
interface GrowthOfBatch {
  /** Runs a change on behalf of the other user `uid`, or of the operator when it is undefined. */
  measure<T>(uid: number | undefined, change: () => T): T;
  /** Must be called once the transaction is durable. */
  settle(): void;
}

/**
 * Measures by how many bytes each other user of this machine makes the store grow: the pages in use before and after
 * each of their changes. Pages are shared, so a single row can count as zero or as a whole page; over many changes the
 * sum is the growth of the file. What only the commit adds (full-text indexes) is divided among the changes of the
 * transaction. A change that deletes counts as negative.
 */
export class StoreGrowth {
  /** Bytes by uid that no transaction has recorded yet. */
  readonly unrecorded = new Map<number, number>();
  /** Records `unrecorded` inside the current transaction. */
  record: () => void = () => undefined;
  private readonly pageBytes: number;
  private readonly pageCount: SQLite.Statement;
  private readonly freeCount: SQLite.Statement;

  constructor(sqlite: SQLite.Database) {
    this.pageBytes = sqlite.pragma('page_size', { simple: true }) as number;
    this.pageCount = sqlite.prepare('PRAGMA page_count').pluck();
    this.freeCount = sqlite.prepare('PRAGMA freelist_count').pluck();
  }

  /** Bytes of the store in pages that are in use. */
  get usedBytes(): number {
    return this.pageBytes * ((this.pageCount.get() as number) - this.freePages);
  }

  /** The number of free pages in the file. */
  get freePages(): number {
    return this.freeCount.get() as number;
  }

  /** Starts measuring the changes of a transaction. */
  start(): GrowthOfBatch {
    const before = this.usedBytes;
    const grown = new Map<number, { bytes: number; changes: number }>();
    let measured = 0;
    let changes = 0;
    return {
      measure: (uid, change) => {
        const from = this.usedBytes;
        const value = change();
        const bytes = this.usedBytes - from;
        measured += bytes;
        changes += 1;
        if (uid === undefined) return value;
        const own = grown.get(uid) ?? { bytes: 0, changes: 0 };
        grown.set(uid, { bytes: own.bytes + bytes, changes: own.changes + 1 });
        return value;
      },
      settle: () => {
        const rest = this.usedBytes - before - measured;
        for (const [uid, own] of grown) {
          const bytes = own.bytes + Math.ceil((rest * own.changes) / changes);
          if (bytes !== 0) this.unrecorded.set(uid, (this.unrecorded.get(uid) ?? 0) + bytes);
        }
      },
    };
  }
}
