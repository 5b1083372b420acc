import type { Refusal } from '../../contract/payments.js';
import type { Payment } from './payments-store.js';

/** Nothing that a call offers pays for it; nothing was carried out, and a challenge is the answer. */
export class NotPaid extends Error {
  override readonly name = 'NotPaid';

  constructor(
    /** Why what was offered does not do; undefined when nothing was offered. */
    readonly reason: Refusal | undefined,
    readonly more: {
      code?: 'payment_required' | 'nonce_spent';
      /** The challenge that still stands: its nonce is told again, so that nobody pays twice. */
      standing?: Payment;
    } = {},
  ) {
    super(reason ?? 'payment required');
  }
}
