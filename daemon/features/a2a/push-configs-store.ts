import type { AskStatus } from '../../contract/asks.js';
import type { Database } from '../../storage/database.js';

/** Where one caller wants to be told of one task, as it is kept: its secrets are kept elsewhere. Times are epoch milliseconds. */
export interface PushConfigRow {
  seq: number;
  request_id: string;
  config_id: string;
  member: string;
  url: string;
  /** Version of A2A that its caller speaks. */
  version: string;
  /** The status that was told last. */
  sent_status: AskStatus | null;
  created_ms: number;
}

/** Push notification configurations, durable. Every change is on disk when its promise resolves. */
export class PushConfigsStore {
  constructor(private readonly database: Database) {}

  find(requestId: string, configId: string): PushConfigRow | undefined {
    return this.database
      .sql('SELECT * FROM a2a_push_configs WHERE request_id = ? AND config_id = ?')
      .get(requestId, configId) as PushConfigRow | undefined;
  }

  /** Those of one task, oldest first. */
  listOf(requestId: string): PushConfigRow[] {
    return this.database
      .sql('SELECT * FROM a2a_push_configs WHERE request_id = ? ORDER BY seq')
      .all(requestId) as PushConfigRow[];
  }

  list(): PushConfigRow[] {
    return this.database.sql('SELECT * FROM a2a_push_configs ORDER BY seq').all() as PushConfigRow[];
  }

  /** Puts one in the place of what has its id. */
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
