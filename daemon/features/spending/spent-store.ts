import type { CallMode, Caps, LedgerEntry, PaymentState } from '../../contract/payments.js';
import { Conditions } from '../../storage/database/conditions.js';
import type { Database } from '../../storage/database/database.js';
import type { LedgerPick } from '../payments/ledger/ledger-port.js';
import { NO_CAPS } from './caps.js';

/** A stored entry of the spent side. Times are epoch milliseconds unless stated otherwise. */
export interface SpentRow {
  payment_id: string;
  call_id: string | null;
  kind: LedgerEntry['kind'];
  state: PaymentState;
  mode: CallMode | null;
  agent: string;
  agent_url: string;
  skill: string | null;
  address: string | null;
  amount_lamports: number;
  network: string;
  is_real: boolean;
  nonce: string | null;
  /** Epoch seconds. */
  expires_at: number | null;
  settle_memo: string | null;
  settled_by: string | null;
  signature: string | null;
  wire: string | null;
  signed_ms: number | null;
  api_key_last4: string | null;
  reason: string | null;
  latency_ms: number | null;
  is_counted: boolean;
  counted_ms: number | null;
  created_ms: number;
  updated_ms: number;
}

type Changes = Partial<Omit<SpentRow, 'payment_id' | 'created_ms'>>;
type Raw = Omit<SpentRow, 'is_real' | 'is_counted'> & { seq: number; is_real: number; is_counted: number };

const toRow = ({ seq: _, ...row }: Raw): SpentRow => ({
  ...row,
  is_real: row.is_real === 1,
  is_counted: row.is_counted === 1,
});
const toColumn = (value: unknown) => (typeof value === 'boolean' ? Number(value) : (value ?? null));

/** The states in which the lamports of a signed transfer have left the wallet, or may have. */
const LEFT = "('paid', 'settled', 'failed', 'refunded')";

/** The spent side of the ledger, and the caps. Methods that write must be called inside a write transaction. */
export class SpentStore {
  constructor(private readonly database: Database) {}

  insert(row: SpentRow): void {
    const entries = Object.entries(row);
    this.database
      .sql(
        `INSERT INTO spent_payments (${entries.map(([key]) => key).join(', ')}) VALUES ` +
          `(${entries.map(() => '?').join(', ')})`,
      )
      .run(...entries.map(([, value]) => toColumn(value)));
  }

  put(paymentId: string, changes: Changes): void {
    const entries = Object.entries(changes);
    this.database
      .sql(`UPDATE spent_payments SET ${entries.map(([key]) => `${key} = ?`).join(', ')} WHERE payment_id = ?`)
      .run(...entries.map(([, value]) => toColumn(value)), paymentId);
  }

  find(paymentId: string): SpentRow | undefined {
    const row = this.database.sql('SELECT * FROM spent_payments WHERE payment_id = ?').get(paymentId) as
      | Raw
      | undefined;
    return row && toRow(row);
  }

  /** Reports whether a transaction paid for a call of the registered agent `agentId`. */
  hasPaid(agentId: string, network: string, signature: string): boolean {
    const row = this.database
      .sql(
        `SELECT 1 FROM spent_payments p JOIN calls c ON c.call_id = p.call_id
         WHERE p.network = ? AND p.signature = ? AND p.state IN ('paid', 'settled') AND c.agent_id = ? COLLATE NOCASE`,
      )
      .get(network, signature, agentId);
    return row !== undefined;
  }

  /** Lists the payments of a call, oldest first: top-ups, then the payment of the call itself. */
  listOfCall(callId: string): SpentRow[] {
    return (this.database.sql('SELECT * FROM spent_payments WHERE call_id = ? ORDER BY seq').all(callId) as Raw[]).map(
      toRow,
    );
  }

  /**
   * Reports whether a challenge with that nonce and address was used before by a payment other than `exceptId`. A
   * payment without a nonce or an address uses none.
   */
  isNonceUsed(address: string | null, nonce: string | undefined, exceptId: string | undefined): boolean {
    const row = this.database
      .sql('SELECT 1 FROM spent_payments WHERE address = ? AND nonce = ? AND payment_id <> ?')
      .get(address, nonce, exceptId ?? '');
    return row !== undefined;
  }

  /** Returns the lamports that count against the day that began at `sinceMs`, without those of `exceptId`. */
  counted(sinceMs: number, exceptId: string | undefined): number {
    const row = this.database
      .sql(
        'SELECT coalesce(sum(amount_lamports), 0) AS sum FROM spent_payments WHERE is_counted = 1 AND ' +
          'counted_ms >= ? AND payment_id <> ?',
      )
      .get(sinceMs, exceptId ?? '') as { sum: number };
    return row.sum;
  }

  /**
   * Returns the lamports that have left the wallet. A prepaid call counts as its top-up, a post-pay call as the
   * transfer that settled it.
   */
  left(): number {
    const row = this.database
      .sql(
        'SELECT coalesce(sum(amount_lamports), 0) AS sum FROM spent_payments WHERE signature IS NOT NULL AND ' +
          `state IN ${LEFT}`,
      )
      .get() as { sum: number };
    return row.sum;
  }

  /**
   * Returns on each network the lamports that have left the wallet, the price of calls that their agents gave back as a
   * balance, and what is owed.
   */
  sums(): { network: string; is_real: boolean; paid: number; refunded: number; owed: number }[] {
    const rows = this.database
      .sql(
        `SELECT network, max(is_real) AS is_real,
           sum(iif(signature IS NOT NULL AND state IN ${LEFT}, amount_lamports, 0)) AS paid,
           sum(iif(state = 'refunded', amount_lamports, 0)) AS refunded,
           sum(iif(state = 'owed', amount_lamports, 0)) AS owed
         FROM spent_payments WHERE network <> '' GROUP BY network ORDER BY network`,
      )
      .all() as { network: string; is_real: number; paid: number; refunded: number; owed: number }[];
    return rows.map((row) => ({ ...row, is_real: row.is_real === 1 }));
  }

  /** Lists debts, oldest first. */
  listOwed(): SpentRow[] {
    return (
      this.database
        .sql("SELECT * FROM spent_payments INDEXED BY spent_payments_owed WHERE state = 'owed' ORDER BY seq")
        .all() as Raw[]
    ).map(toRow);
  }

  /**
   * Returns what is owed to the agent at an address, by this side's own count, including what running calls may add.
   */
  owedTo(agentUrl: string): number {
    const row = this.database
      .sql(
        `SELECT coalesce(sum(amount_lamports), 0) AS sum FROM spent_payments
         WHERE agent_url = ? AND (state = 'owed' OR (state = 'challenged' AND mode = 'postpay'))`,
      )
      .get(agentUrl) as { sum: number };
    return row.sum;
  }

  /** Lists the transfers that settle debts and have not ended. */
  listSettling(): SpentRow[] {
    const sql = "SELECT * FROM spent_payments WHERE kind = 'transfer' AND state IN ('challenged', 'paid') ORDER BY seq";
    return (this.database.sql(sql).all() as Raw[]).map(toRow);
  }

  /** Lists the paid top-ups to the agent at an address that no balance has shown yet, oldest first. */
  listPaidTopups(agentUrl: string): SpentRow[] {
    const sql = "SELECT * FROM spent_payments WHERE kind = 'topup' AND state = 'paid' AND agent_url = ? ORDER BY seq";
    return (this.database.sql(sql).all(agentUrl) as Raw[]).map(toRow);
  }

  /** Lists the payments that have not ended, and debts. */
  listOpen(): SpentRow[] {
    const sql = "SELECT * FROM spent_payments WHERE state IN ('waiting', 'challenged', 'paid', 'owed') ORDER BY seq";
    return (this.database.sql(sql).all() as Raw[]).map(toRow);
  }

  /** Lists entries, newest first, by creation time and then by id, both descending. */
  list({ state, mode, agent, q, since, before, limit }: LedgerPick): SpentRow[] {
    const { where, values } = new Conditions()
      .and('state = ?', state)
      .and('mode = ?', mode)
      .and('agent = ? COLLATE NOCASE', agent)
      .and('created_ms >= ?', since === undefined ? undefined : since * 1000)
      .andContains(['agent', 'skill', 'address', 'signature', 'nonce', 'payment_id', 'reason'], q)
      .and('(created_ms < ? OR (created_ms = ? AND payment_id < ?))', before?.createdMs, before?.createdMs, before?.id);
    const sql = `SELECT * FROM spent_payments ${where} ORDER BY created_ms DESC, payment_id DESC LIMIT ?`;
    return (this.database.sql(sql).all(...values, limit) as Raw[]).map(toRow);
  }

  caps(): Caps {
    const row = this.database.sql('SELECT per_call_lamports, per_day_lamports FROM spending_caps').get() as
      | Caps
      | undefined;
    return row ?? NO_CAPS;
  }

  putCaps({ per_call_lamports, per_day_lamports }: Caps): void {
    this.database
      .sql('INSERT OR REPLACE INTO spending_caps (id, per_call_lamports, per_day_lamports) VALUES (1, ?, ?)')
      .run(per_call_lamports, per_day_lamports);
  }
}
