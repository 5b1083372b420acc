import { createHmac } from 'node:crypto';

/**
 * Derives secrets instead of storing them: the deposit key of a refund, which every repeat of the call gets again, and
 * the memo that settles a caller's debts. Only their digests are stored.
 */
export class PaymentSecret {
  /** `key` has 32 bytes and stays the same across restarts. */
  constructor(private readonly key: Uint8Array) {}

  /** Returns `tk_` and 43 characters for the call that was paid with `nonce`. */
  refundKey(nonce: string): string {
    return `tk_${this.derive('refund', nonce).toString('base64url')}`;
  }

  /** Returns the memo of transfers that settle what a caller owes an agent. */
  settleMemo(network: string, address: string, agent: string, pubkey: string): string {
    return `settle_${this.derive('settle', network, address, agent, pubkey).subarray(0, 24).toString('base64url')}`;
  }

  private derive(...words: string[]): Buffer {
    return createHmac('sha256', this.key).update(JSON.stringify(words)).digest();
  }
}
