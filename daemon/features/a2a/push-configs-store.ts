import type { AskStatus } from '../../contract/asks.js';
import type { Database } from '../../storage/database/database.js';

/**
 * A stored push notification configuration of one task, without its secrets, which are stored separately. Times are
 * epoch milliseconds.
 */
export interface PushConfigRow {
  seq: number;
  request_id: string;
  config_id: string;
  member: string;
  url: string;
  /** The A2A version of the caller that set it. */
  version: string;
  /** The last status that was sent. */
  sent_status: AskStatus | null;
  created_ms: number;
}

/** Durable push notification configurations. Every change is on disk when its promise resolves. */
export class PushConfigsStore {
  constructor(private readonly database: Database) {}

  find(requestId: string, configId: string): PushConfigRow | undefined {
    return this.database
      .sql('SELECT * FROM a2a_push_configs WHERE request_id = ? AND config_id = ?')
      .get(requestId, configId) as PushConfigRow | undefined;
  }

  /** The configurations of one task, oldest first. */
  listByRequest(requestId: string): PushConfigRow[] {
    return this.database
      .sql('SELECT * FROM a2a_push_configs WHERE request_id = ? ORDER BY seq')
      .all(requestId) as PushConfigRow[];
  }

  list(): PushConfigRow[] {
    return this.database.sql('SELECT * FROM a2a_push_configs ORDER BY seq').all() as PushConfigRow[];
  }

  /** Inserts a configuration, replacing one with the same id. */
  put(row: Omit<PushConfigRow, 'seq'>): Promise<void> {
    return this.database.write(() => {
      this.database
        .sql(
          `INSERT OR REPLACE INTO a2a_push_configs (request_id, config_id, member, url, version, sent_status, created_ms)
           VALUES (?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(row.request_id, row.config_id, row.member, row.url, row.version, row.sent_status, row.created_ms);
    });
  }

  putSent(seq: number, status: AskStatus): Promise<void> {
    return this.database.write(() => {
      this.database.sql('UPDATE a2a_push_configs SET sent_status = ? WHERE seq = ?').run(status, seq);
    });
  }

  remove(requestId: string, configId: string): Promise<void> {
    return this.database.write(() => {
      this.database.sql('DELETE FROM a2a_push_configs WHERE request_id = ? AND config_id = ?').run(requestId, configId);
    });
  }

  removeOfMember(member: string): Promise<void> {
    return this.database.write(() => {
      this.database.sql('DELETE FROM a2a_push_configs WHERE member = ?').run(member);
    });
  }

  removeBefore(ms: number): Promise<void> {
    return this.database.write(() => {
      this.database.sql('DELETE FROM a2a_push_configs WHERE created_ms < ?').run(ms);
    });
  }
}
