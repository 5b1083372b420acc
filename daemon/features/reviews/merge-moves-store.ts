import type { Database } from '../../storage/database/database.js';
import type { Transaction } from '../../storage/database/transaction.js';

/**
 * A merge that was begun and not finished. Until `moving`, nothing was changed; from then on it is finished, also by the
 * next process.
 */
export interface MergeMove {
  seq: number;
  conv: string;
  state: 'begun' | 'moving';
  branch: string;
  before_commit: string;
  after_commit: string;
  /** The folder in which the branch is checked out; null when it is in none. */
  place: string | null;
  /** The conversation's worktree, what its files were merged as, and its HEAD then. */
  worktree: string;
  tip: string;
  head: string;
  /** The content of the locks of this move. */
  lock_name: string;
}

/** Stores the merges that were begun and not finished. */
export class MergeMovesStore {
  constructor(private readonly database: Pick<Database, 'sql'>) {}

  list(): MergeMove[] {
    return this.database.sql('SELECT * FROM merge_moves ORDER BY seq').all() as MergeMove[];
  }

  put(transaction: Transaction, move: Omit<MergeMove, 'seq' | 'state'>): number {
    const { lastInsertRowid } = transaction
      .sql(
        `INSERT INTO merge_moves
         (conv, state, branch, before_commit, after_commit, place, worktree, tip, head, lock_name)
         VALUES (@conv, 'begun', @branch, @before_commit, @after_commit, @place, @worktree, @tip, @head, @lock_name)`,
      )
      .run(move);
    return Number(lastInsertRowid);
  }

  putMoving(transaction: Transaction, seq: number): void {
    transaction.sql("UPDATE merge_moves SET state = 'moving' WHERE seq = ?").run(seq);
  }

  drop(transaction: Transaction, seq: number): void {
    transaction.sql('DELETE FROM merge_moves WHERE seq = ?').run(seq);
  }
}
