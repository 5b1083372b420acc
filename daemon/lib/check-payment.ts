import type { Refusal } from '../contract/payments.js';

/** A confirmed transaction, as far as it is looked at. */
export interface SeenPayment {
  failed: boolean;
  /** Epoch seconds; null when the network does not say. */
  blockTime: number | null;
  /** At the top level, in lamports. */
  transfers: readonly { from: string; to: string; lamports: bigint }[];
  /** At the top level, in order. */
  memos: readonly string[];
  /** By how much the balance of each account changed. */
  balanceChanges: ReadonlyMap<string, bigint>;
}

/** What has to be paid. */
export interface PaymentDue {
  address: string;
  /** Lamports. */
  amount: bigint;
  nonce: string;
  /** Epoch seconds at which the nonce was first told to anybody. */
  issuedAt: number;
}

/**
 * What came to `address` by transfers at the top level, and no more than its balance has gained: what is sent on in the same transaction does not
 * count. From an address to itself counts: only the holder of its key can make such a transfer, and it pays nobody else.
 */
export function lamportsPaidTo(address: string, { failed, transfers, balanceChanges }: SeenPayment): bigint {
  if (failed) return 0n;
  const sent = transfers.reduce((sum, { to, lamports }) => (to === address ? sum + lamports : sum), 0n);
  if (transfers.some(({ from }) => from === address)) return sent;
  const gained = balanceChanges.get(address) ?? 0n;
  return gained < sent ? (gained > 0n ? gained : 0n) : sent;
}

/**
 * Why `payment` does not pay what is due, or undefined when it does: carried out, at least the amount to the address by transfers of its own, exactly
 * one memo and that the nonce, not older than the nonce. Where the network does not say when it was, the nonce does: nobody knew it before it was told.
 */
export function checkPayment(payment: SeenPayment, { address, amount, nonce, issuedAt }: PaymentDue): Refusal | undefined {
  if (payment.failed) return 'transaction_failed';
  if (!payment.transfers.some(({ to }) => to === address)) return 'wrong_wallet';
  if (lamportsPaidTo(address, payment) < amount) return 'amount_too_small';
  const { memos, blockTime } = payment;
  if (memos.length === 0) return 'memo_missing';
  if (memos.length > 1) return 'memo_twice';
  if (memos[0] !== nonce) return 'memo_of_other_nonce';
  if (blockTime !== null && blockTime < issuedAt) return 'older_than_challenge';
  return undefined;
}
