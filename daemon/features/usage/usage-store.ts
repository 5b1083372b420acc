import type { UsageKind } from '../../contract/usage.js';
import { Conditions } from '../../storage/database/conditions.js';
import type { Database } from '../../storage/database/database.js';
import type { Transaction } from '../../storage/database/transaction.js';

/** What is kept of a turn that ended. `at_ms` is when it was asked; `turn` is its position among all turns. */
export interface TurnUsage {
  at_ms: number;
  turn: number;
  member: string;
  caller: string;
  kind: UsageKind;
  /** From question to answer; null without an answer. */
  latency_ms: number | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cost_usd: number | null;
  /** What ran it; empty when nothing did. */
  client: string;
}

export interface UsageFilter {
  fromMs: number;
  toMs: number;
  member?: string | undefined;
  caller?: string | undefined;
}

/** Stores the usage of ended turns. */
export class UsageStore {
  constructor(private readonly database: Database) {}

  put(transaction: Transaction, usage: TurnUsage): void {
    transaction
      .sql(
        `INSERT OR REPLACE INTO turn_usage VALUES (@at_ms, @turn, @member, @caller, @kind, @latency_ms, @input_tokens,
         @output_tokens, @cost_usd, @client)`,
      )
      .run(usage);
  }

  /** Returns the next rows after `after` in the order of their time. */
  page({ fromMs, toMs, member, caller }: UsageFilter, after: TurnUsage | undefined, limit: number): TurnUsage[] {
    const { where, values } = new Conditions()
      .and('at_ms < ?', toMs)
      .and('(at_ms, turn) > (?, ?)', after?.at_ms ?? fromMs - 1, after?.turn ?? Number.MAX_SAFE_INTEGER)
      .and('member = ?', member)
      .and('caller = ?', caller);
    const sql = `SELECT * FROM turn_usage ${where} ORDER BY at_ms, turn LIMIT ?`;
    return this.database.sql(sql).all(...values, limit) as TurnUsage[];
  }

  /** Deletes what is older than `beforeMs`, and the oldest rows beyond `rowsMax`. */
  prune(transaction: Transaction, beforeMs: number, rowsMax: number): void {
    transaction.sql('DELETE FROM turn_usage WHERE at_ms < ?').run(beforeMs);
    const oldest = this.database
      .sql('SELECT at_ms FROM turn_usage ORDER BY at_ms DESC, turn DESC LIMIT 1 OFFSET ?')
      .get(rowsMax) as { at_ms: number } | undefined;
    if (oldest) transaction.sql('DELETE FROM turn_usage WHERE at_ms <= ?').run(oldest.at_ms);
  }
}
