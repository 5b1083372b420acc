import type { Checkpoint } from '../../contract/work/changes.js';
import { isoTime } from '../../lib/time/clock.js';
import type { Database } from '../../storage/database/database.js';
import type { Transaction } from '../../storage/database/transaction.js';
import type { SeqRanges } from './seq-ranges.js';

/** A stored checkpoint. Its messages are those of turns up to `last_seq` that are not in `hidden`. */
export interface CheckpointRow {
  conv: string;
  checkpoint: string;
  kind: Checkpoint['kind'];
  turn: string | null;
  commit_id: string;
  tree: string;
  files: number;
  additions: number;
  deletions: number;
  left_out: string[];
  others: string[];
  last_seq: number;
  hidden: SeqRanges;
  created_ms: number;
}

type Stored = Omit<CheckpointRow, 'left_out' | 'others' | 'hidden'> & Record<'left_out' | 'others' | 'hidden', string>;

/** An ended turn whose checkpoint is not made yet. */
interface DueRow {
  turn: string;
  conv: string;
  problem: string | null;
}

const toRow = (row: Stored): CheckpointRow => ({
  ...row,
  left_out: JSON.parse(row.left_out) as string[],
  others: JSON.parse(row.others) as string[],
  hidden: JSON.parse(row.hidden) as SeqRanges,
});

/** Stores checkpoints, and which turns still lack theirs, durably. All of it goes with its conversation. */
export class CheckpointsStore {
  constructor(private readonly database: Pick<Database, 'sql'>) {}

  find(conv: string, checkpoint: string): CheckpointRow | undefined {
    const row = this.database
      .sql('SELECT * FROM checkpoints WHERE conv = ? AND checkpoint = ?')
      .get(conv, checkpoint) as Stored | undefined;
    return row && toRow(row);
  }

  /** Returns the newest checkpoint of a conversation. */
  findLast(conv: string): CheckpointRow | undefined {
    const row = this.database.sql('SELECT * FROM checkpoints WHERE conv = ? ORDER BY seq DESC LIMIT 1').get(conv) as
      | Stored
      | undefined;
    return row && toRow(row);
  }

  /** Returns the newest checkpoints of a conversation, oldest first. */
  list(conv: string, limit: number): CheckpointRow[] {
    const rows = this.database
      .sql('SELECT * FROM checkpoints WHERE conv = ? ORDER BY seq DESC LIMIT ?')
      .all(conv, limit) as Stored[];
    return rows.reverse().map(toRow);
  }

  count(conv: string): number {
    return this.database.sql('SELECT count(*) FROM checkpoints WHERE conv = ?').pluck().get(conv) as number;
  }

  /** Returns the id of the next checkpoint that no turn makes. */
  nextKept(conv: string): string {
    const sql = "SELECT count(*) FROM checkpoints WHERE conv = ? AND checkpoint LIKE 'kept-%'";
    return `kept-${1 + (this.database.sql(sql).pluck().get(conv) as number)}`;
  }

  put(transaction: Transaction, row: CheckpointRow): void {
    transaction
      .sql(
        `INSERT INTO checkpoints (conv, checkpoint, kind, turn, commit_id, tree, files, additions, deletions, left_out,
           others, last_seq, hidden, created_ms)
         VALUES (@conv, @checkpoint, @kind, @turn, @commit_id, @tree, @files, @additions, @deletions, @left_out,
           @others, @last_seq, @hidden, @created_ms)`,
      )
      .run({
        ...row,
        left_out: JSON.stringify(row.left_out),
        others: JSON.stringify(row.others),
        hidden: JSON.stringify(row.hidden),
      });
  }

  /** Returns the turns that lack their checkpoint, oldest first, of one conversation or all. */
  listDue(conv?: string): DueRow[] {
    return this.database
      .sql('SELECT * FROM checkpoints_due WHERE ? IS NULL OR conv = ? ORDER BY rowid')
      .all(conv ?? null, conv ?? null) as DueRow[];
  }

  putDue(transaction: Transaction, { turn, conv, problem }: DueRow): void {
    transaction
      .sql(
        `INSERT INTO checkpoints_due (turn, conv, problem) VALUES (@turn, @conv, @problem)
         ON CONFLICT (turn) DO UPDATE SET problem = @problem`,
      )
      .run({ turn, conv, problem });
  }

  dropDue(transaction: Transaction, turn: string): void {
    transaction.sql('DELETE FROM checkpoints_due WHERE turn = ?').run(turn);
  }

  /**
   * Returns the conversations with a checkpoint, other than `conv`, of which an operator's turn ran at some time
   * between the start and the end of `turn`.
   */
  listMeanwhile(conv: string, turn: string): string[] {
    return this.database
      .sql(
        `SELECT DISTINCT other.conv FROM turns AS own JOIN turns AS other
           ON other.conv <> own.conv AND other.profile = 'operator' AND other.started_ms <= own.finished_ms
           AND (other.finished_ms IS NULL OR other.finished_ms >= own.started_ms)
         WHERE own.turn = @turn AND own.conv = @conv
           AND EXISTS (SELECT 1 FROM checkpoints WHERE checkpoints.conv = other.conv)`,
      )
      .pluck()
      .all({ conv, turn }) as string[];
  }

  /** Returns the largest sequence number of a turn of the conversation; 0 without one. */
  lastSeq(conv: string): number {
    return this.database.sql('SELECT coalesce(max(seq), 0) FROM turns WHERE conv = ?').pluck().get(conv) as number;
  }

  /** Returns the deleted conversations whose references may still be in the repository. */
  listGone(): string[] {
    return this.database.sql('SELECT conv FROM checkpoint_refs_gone').pluck().all() as string[];
  }

  dropGone(transaction: Transaction, conv: string): void {
    transaction.sql('DELETE FROM checkpoint_refs_gone WHERE conv = ?').run(conv);
  }
}

/** Returns the API representation of a checkpoint. */
export function checkpointView(row: CheckpointRow): Checkpoint {
  const { checkpoint, kind, turn, commit_id, files, additions, deletions, left_out, others, created_ms } = row;
  const created_at = isoTime(created_ms);
  return { checkpoint, kind, turn, commit: commit_id, files, additions, deletions, left_out, others, created_at };
}
