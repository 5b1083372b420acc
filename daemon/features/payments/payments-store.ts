import type { CallMode, LedgerEntry, PaymentState } from '../../contract/payments.js';
import type { Database } from '../../storage/database/database.js';
import type { PriceRow } from './price-rows.js';

/** A stored payment: a priced call or an incoming transfer. Times are epoch milliseconds. */
export interface Payment {
  id: string;
  kind: LedgerEntry['kind'];
  /** An expired challenge still has the state `challenged` here. */
  state: PaymentState;
  mode: CallMode | null;
  agent: string;
  skill: string | null;
  network: string;
  amount: number;
  counterparty: string | null;
  nonce: string | null;
  signature: string | null;
  /** The account of the deposit key, or of the caller's debts. */
  account: number | null;
  last4: string | null;
  /** The counters of the free tier that this call was counted in, as JSON. */
  free_for: string | null;
  request_sha256: string | null;
  reason: string | null;
  latency_ms: number | null;
  expires_ms: number | null;
  created_ms: number;
  updated_ms: number;
}

export type NewPayment = Pick<Payment, 'id' | 'kind' | 'state' | 'agent' | 'network' | 'amount' | 'created_ms'> &
  Partial<Payment>;

/** A row of a challenge: a price and the address to pay it to. */
export interface Term extends PriceRow {
  address: string;
}

/** The first response to a proof. */
interface StoredResult {
  status: number;
  /** JSON. */
  body: string;
  /** The account of the deposit key that got the refund of a failed call. */
  refund: number | null;
}

/** Maximum number of rows that one statement removes. */
const PORTION = 1000;
/** Number of rows that are removed with each new challenge. */
const ON_WRITE = 10;
/** Expired challenges stay in the ledger for this time. */
export const UNPAID_RETENTION_MS = 86_400_000;
/** Maximum number of expired, unpaid challenges that are kept. */
const UNPAID_MAX = 20_000;

const COLUMNS = [
  'id',
  'kind',
  'state',
  'mode',
  'agent',
  'skill',
  'network',
  'amount',
  'counterparty',
  'nonce',
  'signature',
  'account',
  'last4',
  'free_for',
  'request_sha256',
  'reason',
  'latency_ms',
  'expires_ms',
  'created_ms',
  'updated_ms',
] as const satisfies readonly (keyof Payment)[];
const SELECT = `SELECT ${COLUMNS.join(', ')} FROM till_payments`;

/** Payments, their challenges and their results. Methods that write must be called inside a write transaction. */
export class PaymentsStore {
  constructor(private readonly database: Database) {}

  /** Runs `change` in a write transaction. Resolves when it is durable. */
  write<T>(change: () => T): Promise<T> {
    return this.database.write(change);
  }

  insert(payment: NewPayment): Payment {
    const whole: Payment = {
      mode: null,
      skill: null,
      counterparty: null,
      nonce: null,
      signature: null,
      account: null,
      last4: null,
      free_for: null,
      request_sha256: null,
      reason: null,
      latency_ms: null,
      expires_ms: null,
      updated_ms: payment.created_ms,
      ...payment,
    };
    this.database
      .sql(`INSERT INTO till_payments (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})`)
      .run(...COLUMNS.map((column) => whole[column]));
    return whole;
  }

  /** Updates the mutable columns of a payment. */
  put(payment: Payment): void {
    this.database
      .sql(
        `UPDATE till_payments SET state = ?, mode = ?, network = ?, amount = ?, counterparty = ?, signature = ?, request_sha256 = ?, reason = ?,
           latency_ms = ?, updated_ms = ? WHERE id = ?`,
      )
      .run(
        payment.state,
        payment.mode,
        payment.network,
        payment.amount,
        payment.counterparty,
        payment.signature,
        payment.request_sha256,
        payment.reason,
        payment.latency_ms,
        payment.updated_ms,
        payment.id,
      );
  }

  find(id: string): Payment | undefined {
    return this.database.sql(`${SELECT} WHERE id = ?`).get(id) as Payment | undefined;
  }

  findByNonce(nonce: string): Payment | undefined {
    return this.database.sql(`${SELECT} WHERE nonce = ?`).get(nonce) as Payment | undefined;
  }

  /** Lists the calls that are running, oldest first. */
  listRunning(): Payment[] {
    return this.database.sql(`${SELECT} WHERE state = 'paid' ORDER BY seq`).all() as Payment[];
  }

  /** Lists the calls on the account that are running or unpaid, oldest first. */
  listUnpaid(account: number): Payment[] {
    return this.database
      .sql(`${SELECT} WHERE account = ? AND state IN ('owed', 'paid') ORDER BY seq`)
      .all(account) as Payment[];
  }

  /** Counts the post-paid calls of a caller that are running or unpaid. */
  countUnpaid(agent: string, pubkey: string): number {
    const row = this.database
      .sql(
        `SELECT count(*) AS n FROM till_payments p JOIN till_accounts a ON a.id = p.account
         WHERE a.agent = ? AND a.kind = 'owed' AND a.holder = ? AND p.state IN ('owed', 'paid')`,
      )
      .get(agent, pubkey) as { n: number };
    return row.n;
  }

  /** Counts the post-paid calls of an agent that are running or unpaid, for all callers together. */
  countUnpaidInAll(agent: string): number {
    const row = this.database
      .sql(
        `SELECT count(*) AS n FROM till_payments p JOIN till_accounts a ON a.id = p.account
         WHERE a.agent = ? AND a.kind = 'owed' AND p.state IN ('owed', 'paid')`,
      )
      .get(agent) as { n: number };
    return row.n;
  }

  /** Reports whether a call on the account that `pubkey` signed was settled; false for null, which is no account. */
  hasSettledCall(account: number | null, pubkey: string): boolean {
    return (
      this.database
        .sql(
          "SELECT 1 FROM till_payments WHERE account = ? AND kind = 'call' AND state = 'settled' AND counterparty = ?",
        )
        .get(account, pubkey) !== undefined
    );
  }

  insertTerms(payment: string, terms: readonly Term[]): void {
    this.database.sql('INSERT INTO till_challenges (payment, terms) VALUES (?, ?)').run(payment, JSON.stringify(terms));
  }

  listTerms(payment: string): Term[] {
    const row = this.database.sql('SELECT terms FROM till_challenges WHERE payment = ?').get(payment) as
      | { terms: string }
      | undefined;
    return row ? (JSON.parse(row.terms) as Term[]) : [];
  }

  insertResult(payment: string, { status, body, refund }: StoredResult, keptUntilMs: number): void {
    this.database
      .sql('INSERT INTO till_results (payment, status, body, refund, kept_until_ms) VALUES (?, ?, ?, ?, ?)')
      .run(payment, status, body, refund, keptUntilMs);
  }

  findResult(payment: string): StoredResult | undefined {
    return this.database.sql('SELECT status, body, refund FROM till_results WHERE payment = ?').get(payment) as
      | StoredResult
      | undefined;
  }

  /** Counts the open, unpaid challenges of an agent, up to `most`; with `pubkey`, only those of that key. */
  countStanding(agent: string, pubkey: string | undefined, nowMs: number, most: number): number {
    const ofKey = pubkey === undefined ? '' : 'AND counterparty = ?';
    const row = this.database
      .sql(
        `SELECT count(*) AS n FROM (SELECT 1 FROM till_payments INDEXED BY till_payments_asked
           WHERE agent = ? ${ofKey} AND state = 'challenged' AND signature IS NULL AND expires_ms > ? LIMIT ?)`,
      )
      .get(...[agent, ...(pubkey === undefined ? [] : [pubkey]), nowMs, most]) as { n: number };
    return row.n;
  }

  /**
   * Removes a few expired, unpaid challenges. Called with each new challenge, which limits their number between two
   * prunings.
   */
  pruneSome(nowMs: number): void {
    this.database
      .sql(
        `DELETE FROM till_payments WHERE seq IN (SELECT seq FROM till_payments
           WHERE state = 'challenged' AND signature IS NULL AND expires_ms < ? ORDER BY expires_ms LIMIT ${ON_WRITE})`,
      )
      .run(nowMs - UNPAID_RETENTION_MS);
  }

  /**
   * Removes a batch of expired data and returns true if there may be more: results past their retention, free calls
   * before `keptSinceMs`, and unpaid challenges that expired before `challengedSinceMs` or exceed the maximum number.
   * Records of spent transactions are kept.
   */
  prune(nowMs: number, keptSinceMs: number, challengedSinceMs: number): boolean {
    const unpaid = "state = 'challenged' AND signature IS NULL";
    const removed = [
      this.database
        .sql(
          'DELETE FROM till_results WHERE rowid IN (SELECT rowid FROM till_results WHERE kept_until_ms < ? ' +
            `LIMIT ${PORTION})`,
        )
        .run(nowMs),
      this.database
        .sql(
          "DELETE FROM till_payments WHERE seq IN (SELECT seq FROM till_payments WHERE mode = 'free' AND state " +
            `<> 'paid' AND created_ms < ? LIMIT ${PORTION})`,
        )
        .run(keptSinceMs),
      this.database
        .sql(
          `DELETE FROM till_payments WHERE seq IN (SELECT seq FROM till_payments WHERE ${unpaid} AND ` +
            `expires_ms < ? LIMIT ${PORTION})`,
        )
        .run(challengedSinceMs),
      this.database
        .sql(
          `DELETE FROM till_payments WHERE seq IN
             (SELECT seq FROM till_payments WHERE ${unpaid} AND expires_ms < ? ORDER BY expires_ms DESC LIMIT ${PORTION} OFFSET ${UNPAID_MAX})`,
        )
        .run(nowMs),
    ];
    return removed.some(({ changes }) => changes === PORTION);
  }
}
