import type { CallMode, LedgerEntry, PaymentState } from '../../contract/payments.js';
import type { Database } from '../../storage/database.js';
import type { PriceRow } from './price-rows.js';

/** One call that costs something, or what came in, as it is kept. Times are epoch milliseconds. */
export interface Payment {
  id: string;
  kind: LedgerEntry['kind'];
  /** A challenge that has run out is still `challenged` here. */
  state: PaymentState;
  mode: CallMode | null;
  agent: string;
  skill: string | null;
  network: string;
  amount: number;
  counterparty: string | null;
  nonce: string | null;
  signature: string | null;
  /** Account of the deposit key, or of what the caller owes. */
  account: number | null;
  last4: string | null;
  /** Counters of the free tier that this call was taken from, as JSON. */
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

/** A row of a challenge: a price and where it is to be paid. */
export interface Term extends PriceRow {
  address: string;
}

/** The first answer to a proof. */
export interface StoredResult {
  status: number;
  /** JSON. */
  body: string;
  /** Account of the deposit key to which a failed call was refunded. */
  refund: number | null;
}

/** Rows that are removed at once. */
const PORTION = 1000;
/** Rows that are removed with each new challenge. */
const ON_WRITE = 10;
/** Challenges that ran out stay in the ledger for so long. */
export const UNPAID_KEPT_MS = 86_400_000;
/** Challenges that ran out and were not taken up, of which no more are kept however many there were. */
const UNPAID_KEPT = 20_000;

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

/** Payments, their challenges and results. What writes is to be called inside a write transaction. */
export class PaymentsStore {
  constructor(private readonly database: Database) {}

  /** Runs `change` in a write transaction; resolves when it is durable. */
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

  /** Writes what has changed of a payment. */
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

  /** Calls that are being carried out, oldest first. */
  listRunning(): Payment[] {
    return this.database.sql(`${SELECT} WHERE state = 'paid' ORDER BY seq`).all() as Payment[];
  }

  /** Calls on the account that are running, or done and not paid yet, oldest first. */
  listUnpaid(account: number): Payment[] {
    return this.database
      .sql(`${SELECT} WHERE account = ? AND state IN ('owed', 'paid') ORDER BY seq`)
      .all(account) as Payment[];
  }

  /** How many post-paid calls of a caller are running or not paid yet. */
  countUnpaid(agent: string, pubkey: string): number {
    const row = this.database
      .sql(
        `SELECT count(*) AS n FROM till_payments p JOIN till_accounts a ON a.id = p.account
         WHERE a.agent = ? AND a.kind = 'owed' AND a.holder = ? AND p.state IN ('owed', 'paid')`,
      )
      .get(agent, pubkey) as { n: number };
    return row.n;
  }

  /** How many post-paid calls of an agent are running or not paid yet, whoever owes them. */
  countUnpaidInAll(agent: string): number {
    const row = this.database
      .sql(
        `SELECT count(*) AS n FROM till_payments p JOIN till_accounts a ON a.id = p.account
         WHERE a.agent = ? AND a.kind = 'owed' AND p.state IN ('owed', 'paid')`,
      )
      .get(agent) as { n: number };
    return row.n;
  }

  /** Whether a call was served on the account. */
  hasSettledCall(account: number): boolean {
    return (
      this.database
        .sql("SELECT 1 FROM till_payments WHERE account = ? AND kind = 'call' AND state = 'settled'")
        .get(account) !== undefined
    );
  }

  insertTerms(payment: string, terms: readonly Term[]): void {
    this.database.sql('INSERT INTO till_challenges (payment, terms) VALUES (?, ?)').run(payment, JSON.stringify(terms));
  }

  termsOf(payment: string): Term[] {
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

  /** How many challenges of an agent stand and are not taken up, `most` at most: those of one key when one is given. */
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

  /** Removes a few challenges that nobody took up in time: to be called with each new one, so that they are not more than the hour's until the next pruning. */
  pruneSome(nowMs: number): void {
    this.database
      .sql(
        `DELETE FROM till_payments WHERE seq IN (SELECT seq FROM till_payments
           WHERE state = 'challenged' AND signature IS NULL AND expires_ms < ? ORDER BY expires_ms LIMIT ${ON_WRITE})`,
      )
      .run(nowMs - UNPAID_KEPT_MS);
  }

  /**
   * Removes a portion of what is kept for a time only, and says whether there may be more: results and free calls before `keptSinceMs`, and challenges
   * that nobody took up, which ran out before `challengedSinceMs` or are not among the newest of them. What was spent stays spent.
   */
  prune(nowMs: number, keptSinceMs: number, challengedSinceMs: number): boolean {
    const unpaid = "state = 'challenged' AND signature IS NULL";
    const removed = [
      this.database
        .sql(
          `DELETE FROM till_results WHERE rowid IN (SELECT rowid FROM till_results WHERE kept_until_ms < ? LIMIT ${PORTION})`,
        )
        .run(nowMs),
      this.database
        .sql(
          `DELETE FROM till_payments WHERE seq IN (SELECT seq FROM till_payments WHERE mode = 'free' AND state <> 'paid' AND created_ms < ? LIMIT ${PORTION})`,
        )
        .run(keptSinceMs),
      this.database
        .sql(
          `DELETE FROM till_payments WHERE seq IN (SELECT seq FROM till_payments WHERE ${unpaid} AND expires_ms < ? LIMIT ${PORTION})`,
        )
        .run(challengedSinceMs),
      this.database
        .sql(
          `DELETE FROM till_payments WHERE seq IN
             (SELECT seq FROM till_payments WHERE ${unpaid} AND expires_ms < ? ORDER BY expires_ms DESC LIMIT ${PORTION} OFFSET ${UNPAID_KEPT})`,
        )
        .run(nowMs),
    ];
    return removed.some(({ changes }) => changes === PORTION);
  }
}
