import type { Database } from '../../storage/database.js';
import { PaymentsStore } from './payments-store.js';
import { SeenStore } from './seen-store.js';

/** Which transactions have paid for a call that was served, as the store has it. */
export class SettledPayments {
  private readonly payments: PaymentsStore;
  private readonly seen: SeenStore;

  constructor(database: Database) {
    this.payments = new PaymentsStore(database);
    this.seen = new SeenStore(database);
  }

  /** Whether a transaction has paid for a call of `agent`: by itself, or into a deposit or a debt that was drawn on. */
  isSettled(agent: string, network: string, signature: string): boolean {
    const spent = this.seen.findSpent(network, signature);
    const payment = spent && spent.spent_on !== 'unmatched' ? this.payments.find(spent.payment) : undefined;
    if (payment?.agent !== agent || payment.state !== 'settled') return false;
    return spent?.spent_on === 'proof' || (payment.account !== null && this.payments.hasSettledCall(payment.account));
  }
}
