import type { LedgerEntry, LedgerSum, Network, PaymentState } from '../../../contract/payments.js';
import { toLedgerSum } from '../../../lib/agents/ledger-sum.js';
import type { Clock } from '../../../lib/time/clock.js';
import { Conditions } from '../../../storage/database/conditions.js';
import type { Database } from '../../../storage/database/database.js';
import type { Payment } from '../payments-store.js';
import type { LedgerPick, PlacedEntry, SummedSide } from './ledger-port.js';
import { PaymentJournal } from './payment-journal.js';

/** The only network whose lamports have value. */
const REAL_NETWORK: Network = 'solana:mainnet';
/** The columns that a text search covers. */
const SEARCHED = ['id', 'agent', 'skill', 'counterparty', 'nonce', 'signature', 'reason'];
/** A challenge expires without a write, so its state is computed. */
const STATE = "CASE WHEN state = 'challenged' AND expires_ms <= ? THEN 'expired' ELSE state END";
const COLUMNS = `id, kind, ${STATE} AS state, mode, agent, skill, counterparty, amount, network, nonce, signature, last4, reason, latency_ms,
  created_ms, CASE WHEN state = 'challenged' AND expires_ms <= ? THEN expires_ms ELSE updated_ms END AS updated_ms`;

type Row = Omit<Payment, 'account' | 'free_for' | 'request_sha256' | 'expires_ms'>;

/** The side of the ledger that lists what the agents of this daemon earn. */
export class EarningsLedger implements SummedSide {
  readonly side = 'earned';

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  list({ state, mode, agent, q, since, before, limit }: LedgerPick): PlacedEntry[] {
    const nowMs = this.clock.now();
    const { where, values } = new Conditions()
      .and('(created_ms, id) < (?, ?)', before?.createdMs, before?.id)
      .and('created_ms >= ?', since === undefined ? undefined : since * 1000)
      .and(`${STATE} = ?`, nowMs, state)
      .and('mode = ?', mode)
      .and('agent = ?', agent)
      .andContains(SEARCHED, q);
    const sql = `SELECT ${COLUMNS} FROM till_payments ${where} ORDER BY created_ms DESC, id DESC LIMIT ?`;
    const rows = this.database.sql(sql).all(nowMs, nowMs, ...values, limit) as Row[];
    return rows.map((row) => ({ createdMs: row.created_ms, entry: toEntry(row) }));
  }

  /** Adds up what all agents earned, hold and are owed. A transfer that paid for nothing is no part of it. */
  sums(): LedgerSum[] {
    const refunds = this.database
      .sql(
        `SELECT network, sum(amount) AS lamports FROM till_payments WHERE state = 'refunded' AND mode = 'x402'
         GROUP BY network`,
      )
      .all() as { network: string; lamports: number }[];
    const refunded = new Map(refunds.map(({ network, lamports }) => [network, lamports]));
    return new PaymentJournal(this.database).sums().map(({ network, earned, balances, owed }) =>
      toLedgerSum({
        side: 'earned',
        network,
        real: network === REAL_NETWORK,
        paid: earned + balances - owed,
        refunded: refunded.get(network) ?? 0,
        balance: balances,
        owed,
      }),
    );
  }
}

function toEntry({ last4, amount, created_ms, updated_ms, ...row }: Row): LedgerEntry {
  const { id, kind, state, mode, agent, skill, counterparty, network, nonce, signature, reason, latency_ms } = row;
  return {
    id,
    side: 'earned',
    kind,
    state: state as PaymentState,
    mode,
    agent,
    skill,
    counterparty,
    amount_lamports: amount,
    network,
    real: network === REAL_NETWORK,
    nonce,
    signature,
    api_key_last4: last4,
    reason,
    latency_ms,
    created_at: Math.floor(created_ms / 1000),
    updated_at: Math.floor(updated_ms / 1000),
  };
}
