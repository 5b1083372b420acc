import type { Database } from '../../../storage/database/database.js';
import { PaymentsStore } from '../payments-store.js';
import { SeenStore } from './seen-store.js';

/** Looks up in the store which transactions paid for calls that were served, and whose calls they were. */
export class SettledPayments {
  private readonly payments: PaymentsStore;
  private readonly seen: SeenStore;

  constructor(database: Database) {
    this.payments = new PaymentsStore(database);
    this.seen = new SeenStore(database);
  }

  /**
   * Reports whether a transaction paid for a settled call of `agent` that was signed with the key `pubkey`: directly,
   * or through a deposit or a debt account. Transactions are public, so without the key anybody could name one.
   */
  isSettled(agent: string, network: string, signature: string, pubkey: string): boolean {
    const spent = this.seen.findSpent(network, signature);
    if (!spent || spent.spent_on === 'unmatched') return false;
    const payment = this.payments.find(spent.payment);
    if (payment?.agent !== agent || payment.state !== 'settled') return false;
    return spent.spent_on === 'proof'
      ? payment.counterparty === pubkey
      : this.payments.hasSettledCall(payment.account, pubkey);
  }
}
