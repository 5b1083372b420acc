import type { Refusal } from '../../contract/payments.js';
import type { ChainTransaction } from '../chains/chain.js';

/** By how many seconds a network's clock may be behind this one's. */
const CLOCKS_DIFFER_SECONDS = 30;

/** What a proof must show. */
export interface Terms {
  address: string;
  amount: number;
  nonce: string;
  issuedMs: number;
}

/** What came to `address` in a transaction. */
export interface Received {
  /** By transfers of its own. From the address to itself counts: only the holder of its key can make one. */
  transferred: bigint;
  /** What came beside them, on behalf of a program. */
  further: bigint;
}

/** What came to `address` in `transaction`: no more than its balance says, whatever the transfers say. */
export function receivedIn({ failed, transfers, balanceChanges }: ChainTransaction, address: string): Received {
  if (failed) return { transferred: 0n, further: 0n };
  const sum = transfers.reduce((total, { to, lamports }) => (to === address ? total + lamports : total), 0n);
  if (transfers.some(({ from }) => from === address)) return { transferred: sum, further: 0n };
  const gained = balanceChanges.get(address) ?? 0n;
  const most = gained > 0n ? gained : 0n;
  const transferred = sum < most ? sum : most;
  return { transferred, further: most - transferred };
}

/**
 * What came in by a transaction that is on the chain and pays for `terms`, or why it does not: carried out, enough of it to the address at its top level,
 * exactly one memo and that the nonce, not older than the challenge. Contract: Payments.
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
