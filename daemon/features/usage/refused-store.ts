import type { RefusalReason, RefusedCalls } from '../../contract/usage.js';
import { isoTime } from '../../lib/time/clock.js';
import { Conditions } from '../../storage/database/conditions.js';
import type { Database } from '../../storage/database/database.js';
import type { Transaction } from '../../storage/database/transaction.js';

/** Identifies refused calls that are alike. */
export interface RefusedKey {
  reason: RefusalReason;
  member: string;
  caller: string;
  address: string;
  route: string;
}

/** Refused calls that are alike, of one hour since 1970. */
export interface RefusedRow extends RefusedKey {
  hour: number;
  count: number;
  first_ms: number;
  last_ms: number;
}

interface RefusedFilter {
  reason?: RefusalReason | undefined;
  member?: string | undefined;
  /** Part of the caller's name. */
  caller?: string | undefined;
  fromHour: number;
}

interface RefusedSum {
  hour: number;
  member: string;
  caller: string;
  count: number;
}

const KEY = 'reason, member, caller, address, route';

/** Stores how often calls were refused. */
export class RefusedStore {
  constructor(private readonly database: Database) {}

  /** Adds to the counter of the row's hour and key. */
  add(transaction: Transaction, row: RefusedRow): void {
    transaction
      .sql(
        `INSERT INTO refused_calls (hour, ${KEY}, count, first_ms, last_ms)
         VALUES (@hour, @reason, @member, @caller, @address, @route, @count, @first_ms, @last_ms)
         ON CONFLICT DO UPDATE SET count = count + excluded.count, last_ms = max(last_ms, excluded.last_ms)`,
      )
      .run(row);
  }

  listKeys(hour: number): RefusedKey[] {
    return this.database.sql(`SELECT ${KEY} FROM refused_calls WHERE hour = ?`).all(hour) as RefusedKey[];
  }

  /** Returns the calls that match, last seen first, and how many calls all rows together count. */
  list(filter: RefusedFilter, limit: number): { refused: RefusedCalls[]; total: number } {
    const { where, values } = new Conditions()
      .and('hour >= ?', filter.fromHour)
      .and('reason = ?', filter.reason)
      .and('member = ?', filter.member)
      .andContains(['caller'], filter.caller);
    const { total } = this.database
      .sql(`SELECT coalesce(sum(count), 0) AS total FROM refused_calls ${where}`)
      .get(...values) as { total: number };
    const rows = this.database
      .sql(
        `SELECT ${KEY}, sum(count) AS count, min(first_ms) AS first_ms, max(last_ms) AS last_ms
         FROM refused_calls ${where} GROUP BY ${KEY} ORDER BY max(last_ms) DESC, ${KEY} LIMIT ?`,
      )
      .all(...values, limit) as Omit<RefusedRow, 'hour'>[];
    const refused = rows.map(({ first_ms, last_ms, ...row }) => ({
      ...row,
      first_at: isoTime(first_ms),
      last_at: isoTime(last_ms),
    }));
    return { refused, total };
  }

  /** Returns the number of refused calls by hour, member and caller. */
  sums(fromHour: number, toHour: number, member?: string, caller?: string): RefusedSum[] {
    const { where, values } = new Conditions()
      .and('hour >= ?', fromHour)
      .and('hour < ?', toHour)
      .and('member = ?', member)
      .and('caller = ?', caller);
    const sql = `SELECT hour, member, caller, sum(count) AS count FROM refused_calls ${where} GROUP BY hour, member, caller`;
    return this.database.sql(sql).all(...values) as RefusedSum[];
  }

  /** Deletes the hours before `beforeHour`, and the oldest hours while there are more than `rowsMax` rows. */
  prune(transaction: Transaction, beforeHour: number, rowsMax: number): void {
    transaction.sql('DELETE FROM refused_calls WHERE hour < ?').run(beforeHour);
    const oldest = this.database
      .sql('SELECT hour FROM refused_calls ORDER BY hour DESC LIMIT 1 OFFSET ?')
      .get(rowsMax) as { hour: number } | undefined;
    if (oldest) transaction.sql('DELETE FROM refused_calls WHERE hour <= ?').run(oldest.hour);
  }
}
