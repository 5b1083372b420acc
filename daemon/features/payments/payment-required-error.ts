import type { Refusal } from '../../contract/payments.js';

/** Nothing that a call offers pays for it. The skill was not run, and the caller gets a challenge. */
export class PaymentRequiredError extends Error {
  override readonly name = 'PaymentRequiredError';

  constructor(
    /** Why the offered payment is refused; undefined when none was offered. */
    readonly reason: Refusal | undefined,
    readonly more: {
      code?: 'payment_required' | 'nonce_spent';
      /** The challenge that is still open. Its nonce is returned again, so that the caller does not pay twice. */
      standing?: { id: string; nonce: string; expiresMs: number };
    } = {},
  ) {
    super(reason ?? 'payment required');
  }
}
