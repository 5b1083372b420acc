import type { Review, ReviewComment } from '../../contract/work/reviews.js';
import { isoTime } from '../../lib/time/clock.js';
import type { Database } from '../../storage/database/database.js';
import type { Transaction } from '../../storage/database/transaction.js';

interface CommentRow extends Omit<ReviewComment, 'created_at' | 'updated_at'> {
  created_ms: number;
  updated_ms: number;
}

export type NewCommentRow = Omit<CommentRow, 'state' | 'turn' | 'updated_ms'>;

/** A review that was asked of a member, by the turn that reviews. */
interface AskRow {
  turn: string;
  about: string;
  member: string;
  patch: string;
  state: Review['asked'][number]['state'];
}

const ASKED_SHOWN = 20;

/** Stores review comments, and which members were asked for a review. */
export class ReviewsStore {
  constructor(private readonly database: Pick<Database, 'sql'>) {}

  /** The comments of a conversation, oldest first. */
  list(conv: string): ReviewComment[] {
    return (
      this.database.sql('SELECT * FROM review_comments WHERE conv = ? ORDER BY seq').all(conv) as CommentRow[]
    ).map(toComment);
  }

  listDrafts(conv: string): ReviewComment[] {
    return (
      this.database
        .sql("SELECT * FROM review_comments WHERE conv = ? AND state = 'draft' ORDER BY seq")
        .all(conv) as CommentRow[]
    ).map(toComment);
  }

  find(conv: string, comment: string): ReviewComment | undefined {
    const row = this.database.sql('SELECT * FROM review_comments WHERE conv = ? AND comment = ?').get(conv, comment) as
      | CommentRow
      | undefined;
    return row && toComment(row);
  }

  put(transaction: Transaction, row: NewCommentRow): void {
    transaction
      .sql(
        `INSERT INTO review_comments
         (comment, conv, path, side, start_line, end_line, quote, text, state, author, created_ms, updated_ms)
         VALUES (@comment, @conv, @path, @side, @start_line, @end_line, @quote, @text, 'draft', @author, @created_ms,
         @created_ms)`,
      )
      .run(row);
  }

  putText(transaction: Transaction, comment: string, text: string, updated_ms: number): void {
    transaction
      .sql('UPDATE review_comments SET text = @text, updated_ms = @updated_ms WHERE comment = @comment')
      .run({ comment, text, updated_ms });
  }

  drop(transaction: Transaction, comment: string): void {
    transaction.sql('DELETE FROM review_comments WHERE comment = ?').run(comment);
  }

  /** Marks all drafts of a conversation as sent with `turn`. */
  putSent(transaction: Transaction, conv: string, turn: string, updated_ms: number): void {
    transaction
      .sql(
        `UPDATE review_comments SET state = 'sent', turn = @turn, updated_ms = @updated_ms
         WHERE conv = @conv AND state = 'draft'`,
      )
      .run({ conv, turn, updated_ms });
  }

  putAsk(transaction: Transaction, ask: Omit<AskRow, 'state'> & { created_ms: number }): void {
    transaction
      .sql(
        `INSERT INTO review_asks (turn, about, member, patch, state, created_ms)
         VALUES (@turn, @about, @member, @patch, 'running', @created_ms)`,
      )
      .run(ask);
  }

  findAsk(turn: string): AskRow | undefined {
    return this.database.sql('SELECT turn, about, member, patch, state FROM review_asks WHERE turn = ?').get(turn) as
      | AskRow
      | undefined;
  }

  /** Records how an asked review ended. The diff is no longer needed. */
  putAskEnded(transaction: Transaction, turn: string, state: 'done' | 'failed', reason: string | null): void {
    transaction
      .sql("UPDATE review_asks SET state = @state, reason = @reason, patch = '' WHERE turn = @turn")
      .run({ turn, state, reason });
  }

  /** The newest reviews that were asked of members about a conversation. */
  listAsked(about: string): Review['asked'] {
    return this.database
      .sql(
        `SELECT turns.conv, member, review_asks.state, review_asks.reason FROM review_asks JOIN turns USING (turn)
         WHERE about = ? ORDER BY review_asks.rowid DESC LIMIT ${ASKED_SHOWN}`,
      )
      .all(about) as Review['asked'];
  }

  /** The newest turn of a conversation. */
  findLastTurn(conv: string): string | undefined {
    const row = this.database.sql('SELECT turn FROM turns WHERE conv = ? ORDER BY seq DESC LIMIT 1').get(conv);
    return (row as { turn: string } | undefined)?.turn;
  }
}

const toComment = (row: CommentRow): ReviewComment => ({
  comment: row.comment,
  conv: row.conv,
  path: row.path,
  side: row.side,
  start_line: row.start_line,
  end_line: row.end_line,
  quote: row.quote,
  text: row.text,
  state: row.state,
  author: row.author,
  turn: row.turn,
  created_at: isoTime(row.created_ms),
  updated_at: isoTime(row.updated_ms),
});
