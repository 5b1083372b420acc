import type { LedgerSum } from '../../contract/payments.js';

/** What is added up of one side of the ledger on one network, in lamports. */
type Figures = Pick<LedgerSum, 'side' | 'network' | 'real'> & Record<'paid' | 'refunded' | 'balance' | 'owed', number>;

/**
 * Returns the figures with their net, which both sides compute alike: what was paid, less what is still a balance, and
 * what is owed besides. A refund is a balance until it is used, so it is in the net only from then on.
 */
export function toLedgerSum({ side, network, real, paid, refunded, balance, owed }: Figures): LedgerSum {
  return {
    side,
    network,
    real,
    paid_lamports: paid,
    refunded_lamports: refunded,
    balance_lamports: balance,
    owed_lamports: owed,
    net_lamports: paid - balance + owed,
  };
}
