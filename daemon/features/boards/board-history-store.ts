import type { BoardEvent } from '../../contract/boards.js';
import type { Database } from '../../storage/database/database.js';

type NewBoardEvent = Omit<BoardEvent, 'seq'>;

type Row = Omit<BoardEvent, 'post' | 'title'> & { post: string | null; title: string | null };

function toEvent({ post, title, ...row }: Row): BoardEvent {
  return { ...row, ...(post !== null && { post }), ...(title !== null && { title }) };
}

/** The history of board events per cluster. Methods that write must be called only by deciders. */
export class BoardHistoryStore {
  constructor(private readonly database: Database) {}

  insert(cluster: string, { event, board, slug, post, title, ts }: NewBoardEvent): void {
    this.database
      .sql('INSERT INTO board_events (cluster, event, board, slug, post, title, ts) VALUES (?, ?, ?, ?, ?, ?, ?)')
      .run(cluster, event, board, slug, post ?? null, title ?? null, ts);
  }

  /** Events of the cluster with a `seq` below `before` and not older than `since` (epoch seconds), newest first. */
  list(cluster: string, since: number, before: number, limit: number): BoardEvent[] {
    const rows = this.database
      .sql(
        `SELECT seq, event, board, slug, post, title, ts FROM board_events
         WHERE cluster = ? AND seq < ? AND ts >= ? ORDER BY seq DESC LIMIT ?`,
      )
      .all(cluster, before, since, limit) as Row[];
    return rows.map(toEvent);
  }

  removeAll(cluster: string): void {
    this.database.sql('DELETE FROM board_events WHERE cluster = ?').run(cluster);
  }

  /** Deletes up to `limit` events older than `since`. Returns how many were deleted. */
  prune(since: number, limit: number): number {
    return this.database
      .sql('DELETE FROM board_events WHERE seq IN (SELECT seq FROM board_events WHERE ts < ? ORDER BY ts, seq LIMIT ?)')
      .run(since, limit).changes;
  }
}
