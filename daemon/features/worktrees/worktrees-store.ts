import type { Isolation } from '../../contract/work/worktrees.js';
import type { Database } from '../../storage/database/database.js';
import type { Transaction } from '../../storage/database/transaction.js';

/** A stored worktree. `creating` and `removing` are left behind by a daemon that was killed. */
export interface WorktreeRow {
  conv: string;
  path: string;
  state: 'creating' | 'ready' | 'removing';
  /** Where the project folder is within it; empty at its top. */
  prefix: string;
  base: string;
  base_branch: string | null;
  branch: string | null;
  /** What the operator put into it, from its top. */
  provided: string[];
  created_ms: number;
  used_ms: number;
}

type Stored = Omit<WorktreeRow, 'provided'> & { provided: string };
const toRow = (row: Stored): WorktreeRow => ({ ...row, provided: JSON.parse(row.provided) as string[] });

/** Stores the worktrees, and where conversations work. */
export class WorktreesStore {
  constructor(private readonly database: Database) {}

  find(conv: string): WorktreeRow | undefined {
    const row = this.database.sql('SELECT * FROM worktrees WHERE conv = ?').get(conv) as Stored | undefined;
    return row && toRow(row);
  }

  /** Newest first. */
  list(): WorktreeRow[] {
    const rows = this.database.sql('SELECT * FROM worktrees ORDER BY created_ms DESC, conv').all() as Stored[];
    return rows.map(toRow);
  }

  putNew(transaction: Transaction, row: Omit<WorktreeRow, 'state' | 'branch' | 'provided' | 'used_ms'>): void {
    transaction
      .sql(
        `INSERT INTO worktrees (conv, path, state, prefix, base, base_branch, created_ms, used_ms)
         VALUES (@conv, @path, 'creating', @prefix, @base, @base_branch, @created_ms, @created_ms)`,
      )
      .run(row);
  }

  putReady(transaction: Transaction, conv: string, provided: readonly string[]): void {
    const sql = "UPDATE worktrees SET state = 'ready', provided = ? WHERE conv = ? AND state = 'creating'";
    transaction.sql(sql).run(JSON.stringify(provided), conv);
  }

  putPath(transaction: Transaction, conv: string, path: string): void {
    transaction.sql('UPDATE worktrees SET path = ? WHERE conv = ?').run(path, conv);
  }

  putUsed(transaction: Transaction, conv: string, branch: string | null, usedMs: number): void {
    transaction.sql('UPDATE worktrees SET branch = ?, used_ms = ? WHERE conv = ?').run(branch, usedMs, conv);
  }

  /** Records the commit from which the changes of a worktree count. */
  putBase(transaction: Transaction, conv: string, base: string): void {
    transaction.sql('UPDATE worktrees SET base = ? WHERE conv = ?').run(base, conv);
  }

  putRemoving(transaction: Transaction, conv: string): void {
    transaction.sql("UPDATE worktrees SET state = 'removing' WHERE conv = ?").run(conv);
  }

  drop(transaction: Transaction, conv: string): void {
    transaction.sql('DELETE FROM worktrees WHERE conv = ?').run(conv);
  }

  /** Fixes where a conversation works, unless that is fixed already. */
  putPlace(transaction: Transaction, conv: string, place: Isolation, reason: string): void {
    transaction
      .sql('UPDATE conversations SET place = ?, place_reason = ? WHERE conv = ? AND place IS NULL')
      .run(place, reason, conv);
  }
}
