import type { Payment, PaymentsStore } from './payments-store.js';
import type { TillJournal } from './till-journal.js';

/** Which post-paid calls are paid for, as the account of their caller says: the oldest first, and none by half. */
export class Debts {
  constructor(
    private readonly store: PaymentsStore,
    private readonly journal: TillJournal,
  ) {}

  /**
   * Settles the calls on an account that are done and paid for now, and gives them. To be called inside a write transaction, whenever money has come
   * to the account and whenever a call on it is done.
   */
  payOff(account: number, nowMs: number): Payment[] {
    const unpaid = this.store.listUnpaid(account);
    const asked = unpaid.reduce((total, { amount }) => total + BigInt(amount), 0n);
    let paid = asked + this.journal.get(account).lamports;
    const settled: Payment[] = [];
    // What runs still may yet be given back: it is paid for after what is done.
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
