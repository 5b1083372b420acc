import type { Refusal } from '../../contract/payments.js';
import type { ChainTransaction } from '../chains/chain.js';

/**
 * How many seconds the time of a network's blocks may be behind this machine's. Solana's was half an hour behind for
 * weeks in 2022. A payer cannot use it: the memo is the nonce, which nobody knew before the challenge.
 */
const CLOCKS_DIFFER_SECONDS = 3_600;

/** What a proof must show. */
interface Terms {
  address: string;
  amount: number;
  nonce: string;
  issuedMs: number;
}

/** The lamports that `address` received in a transaction. */
export interface Received {
  /** By top-level transfers. A transfer from the address to itself counts: only the holder of its key can make one. */
  transferred: bigint;
  /** By other means, for example from a program. */
  further: bigint;
}

/**
 * Returns what `address` received in `transaction`. The amount is limited by the change of its balance, regardless of
 * the listed transfers; a transaction in which the address itself sends is not limited.
 */
export function receivedIn({ failed, transfers, balanceChanges }: ChainTransaction, address: string): Received {
  if (failed) return { transferred: 0n, further: 0n };
  const sum = transfers.reduce((total, { to, lamports }) => (to === address ? total + lamports : total), 0n);
  if (transfers.some(({ from }) => from === address)) return { transferred: sum, further: 0n };
  const gained = balanceChanges.get(address) ?? 0n;
  const most = gained > 0n ? gained : 0n;
  const transferred = sum < most ? sum : most;
  return { transferred, further: most - transferred };
}

/** Returns who made the first transfer to `address`; null when it got its money by other means. */
export const getSource = (transfers: ChainTransaction['transfers'], address: string) =>
  transfers.find(({ to }) => to === address)?.from ?? null;

/**
 * Checks a confirmed transaction against `terms`. Returns what it paid, or the reason for the refusal. The transaction
 * must have succeeded, must transfer enough to the address at its top level, must have exactly one memo, which is the
 * nonce, and must not be older than the challenge. Contract: Payments.
 */
export function checkProof(
  transaction: ChainTransaction,
  { address, amount, nonce, issuedMs }: Terms,
): Received | Refusal {
  if (transaction.failed) return 'transaction_failed';
  if (!transaction.transfers.some(({ to }) => to === address)) return 'wrong_wallet';
  const received = receivedIn(transaction, address);
  if (received.transferred < BigInt(amount)) return 'amount_too_small';
  const [memo, ...more] = transaction.memos;
  if (memo === undefined) return 'memo_missing';
  if (more.length > 0) return 'memo_twice';
  if (memo !== nonce) return 'memo_of_other_nonce';
  const { blockTime } = transaction;
  if (blockTime !== null && blockTime < Math.floor(issuedMs / 1000) - CLOCKS_DIFFER_SECONDS)
    return 'older_than_challenge';
  return received;
}
