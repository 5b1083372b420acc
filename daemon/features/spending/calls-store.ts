import type { CallBody, CallErrorCode, CallMode, CallState } from '../../contract/payments.js';
import { Conditions } from '../../storage/database/conditions.js';
import type { Database } from '../../storage/database/database.js';
import { forgetOldKeys, type IdempotencyKey, once } from '../../storage/database/idempotency.js';

/** A payment that waits for the operator's approval. */
interface WantedPayment {
  amount: number;
  network: string;
  address: string;
  is_real: boolean;
}

/** A stored call. Times are epoch milliseconds. */
export interface CallRow {
  seq: number;
  call_id: string;
  state: CallState;
  agent: string;
  agent_id: string | null;
  agent_url: string | null;
  skill: string;
  input: Record<string, unknown> | null;
  asked_mode: NonNullable<CallBody['mode']>;
  max_lamports: number | null;
  topup_lamports: number | null;
  wants_report: boolean;
  is_committed: boolean;
  approved_lamports: number | null;
  wanted: WantedPayment | null;
  /** When it started to wait for approval. */
  waiting_ms: number | null;
  mode: CallMode | null;
  amount_lamports: number | null;
  network: string | null;
  is_real: boolean;
  payment_id: string | null;
  signature: string | null;
  latency_ms: number | null;
  result: unknown;
  reputation_filed: unknown;
  error_code: CallErrorCode | null;
  error_message: string | null;
  reason: string | null;
  created_ms: number;
  answered_ms: number | null;
  finished_ms: number | null;
}

type NewCall = Pick<
  CallRow,
  | 'call_id'
  | 'agent'
  | 'skill'
  | 'input'
  | 'asked_mode'
  | 'max_lamports'
  | 'topup_lamports'
  | 'wants_report'
  | 'created_ms'
>;
type Changes = Partial<Omit<CallRow, 'seq' | 'call_id' | 'created_ms'>>;

const JSON_COLUMNS = new Set(['input', 'wanted', 'result', 'reputation_filed']);
const BOOLEAN_COLUMNS = new Set(['wants_report', 'is_committed', 'is_real']);

const toColumn = (key: string, value: unknown) => {
  if (value === null || value === undefined) return null;
  if (JSON_COLUMNS.has(key)) return JSON.stringify(value);
  return BOOLEAN_COLUMNS.has(key) ? Number(value) : value;
};

function toRow(row: Record<string, unknown>): CallRow {
  const entries = Object.entries(row).map(([key, value]) => {
    if (value !== null && JSON_COLUMNS.has(key)) return [key, JSON.parse(String(value)) as unknown];
    return [key, BOOLEAN_COLUMNS.has(key) ? value === 1 : value];
  });
  return Object.fromEntries(entries) as unknown as CallRow;
}

interface CallPick {
  state?: CallState | undefined;
  agent?: string | undefined;
  beforeSeq?: number | undefined;
  limit: number;
}

/** The exact predicate of the partial index `calls_live`: SQLite uses the index only for a query that contains it. */
const IS_LIVE = "state IN ('running', 'waiting')";

/** Records of calls. Methods that write, except `submit` and `prune`, must be called inside a write transaction. */
export class CallsStore {
  constructor(private readonly database: Database) {}

  /**
   * Adds a call, or finds the one that was added with the same idempotency key, and returns its id. `mayAdd` throws to
   * refuse a new call.
   */
  submit(key: IdempotencyKey | undefined, call: NewCall, mayAdd: () => void): Promise<string> {
    return this.database.write(
      () =>
        once(this.database, key, call.created_ms, () => {
          mayAdd();
          this.insert(call);
          return { call_id: call.call_id };
        }).call_id,
    );
  }

  insert(call: NewCall): void {
    this.database
      .sql(
        `INSERT INTO calls (call_id, state, agent, skill, input, asked_mode, max_lamports, topup_lamports, wants_report, created_ms)
         VALUES (?, 'running', ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        call.call_id,
        call.agent,
        call.skill,
        JSON.stringify(call.input ?? {}),
        call.asked_mode,
        call.max_lamports,
        call.topup_lamports,
        Number(call.wants_report),
        call.created_ms,
      );
  }

  find(callId: string): CallRow | undefined {
    const row = this.database.sql('SELECT * FROM calls WHERE call_id = ?').get(callId) as
      | Record<string, unknown>
      | undefined;
    return row && toRow(row);
  }

  /** Lists the calls in a state that is not final, oldest first. */
  listLive(state: 'running' | 'waiting'): CallRow[] {
    const sql = `SELECT * FROM calls INDEXED BY calls_live WHERE ${IS_LIVE} AND state = ? ORDER BY seq`;
    return (this.database.sql(sql).all(state) as Record<string, unknown>[]).map(toRow);
  }

  countRunning(): number {
    return (
      this.database
        .sql(`SELECT count(*) AS n FROM calls INDEXED BY calls_live WHERE ${IS_LIVE} AND state = 'running'`)
        .get() as {
        n: number;
      }
    ).n;
  }

  /** Lists calls, newest first. */
  list({ state, agent, beforeSeq, limit }: CallPick): CallRow[] {
    const { where, values } = new Conditions()
      .and('state = ?', state)
      .and('(agent = ? OR agent_id = ? COLLATE NOCASE)', agent, agent)
      .and('seq < ?', beforeSeq);
    const sql = `SELECT * FROM calls ${where} ORDER BY seq DESC LIMIT ?`;
    return (this.database.sql(sql).all(...values, limit) as Record<string, unknown>[]).map(toRow);
  }

  /** Updates a call that has not ended; a call that has ended is left unchanged. */
  put(callId: string, changes: Changes): void {
    const entries = Object.entries(changes);
    const sets = entries.map(([key]) => `${key} = ?`).join(', ');
    this.database
      .sql(`UPDATE calls SET ${sets} WHERE call_id = ? AND state IN ('running', 'waiting')`)
      .run(...entries.map(([key, value]) => toColumn(key, value)), callId);
  }

  /** Removes calls that ended before `beforeMs`, and idempotency keys that are older than a day. */
  prune(beforeMs: number, nowMs: number): Promise<void> {
    return this.database.write(() => {
      this.database.sql('DELETE FROM calls WHERE finished_ms < ?').run(beforeMs);
      forgetOldKeys(this.database, nowMs);
    });
  }
}
