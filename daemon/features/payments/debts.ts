import type { PaymentJournal } from './ledger/payment-journal.js';
import type { Payment, PaymentsStore } from './payments-store.js';

/** Settles post-paid calls from the balance of their caller's account: oldest first, each in full or not at all. */
export class Debts {
  constructor(
    private readonly store: PaymentsStore,
    private readonly journal: PaymentJournal,
  ) {}

  /**
   * Settles the calls on an account that have ended and are covered by its balance, and returns them. Must be called
   * inside a write transaction, each time money arrives at the account and each time a call on it ends.
   */
  payOff(account: number, nowMs: number): Payment[] {
    const unpaid = this.store.listUnpaid(account);
    const asked = unpaid.reduce((total, { amount }) => total + BigInt(amount), 0n);
    let paid = asked + this.journal.get(account).lamports;
    const settled: Payment[] = [];
    // A running call may still be refunded, so it is paid for only after the calls that have ended.
    for (const payment of unpaid.filter(({ state }) => state === 'owed')) {
      if (BigInt(payment.amount) > paid) break;
      paid -= BigInt(payment.amount);
      const done: Payment = { ...payment, state: 'settled', updated_ms: nowMs };
      this.store.put(done);
      settled.push(done);
    }
    return settled;
  }
}
