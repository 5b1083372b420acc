import { encodeBase58 } from '../../../lib/crypto/base58.js';
import type { TransactionError } from '../machine-errors.js';
import type { LedgerRow } from './local-ledger.js';

interface TransactionStatus {
  err: TransactionError | null;
  status: { Ok: null } | { Err: TransactionError };
}

/** Returns the outcome of a transaction in the network's JSON format. */
export function toTransactionStatus({ error }: LedgerRow): TransactionStatus {
  const err = error === null ? null : (JSON.parse(error) as TransactionError);
  return { err, status: err === null ? { Ok: null } : { Err: err } };
}

/** Returns the `meta` of a transaction as in the response of `getTransaction`. */
export function toTransactionMeta(row: LedgerRow) {
  return {
    ...toTransactionStatus(row),
    fee: row.fee,
    preBalances: JSON.parse(row.pre_balances) as number[],
    postBalances: JSON.parse(row.post_balances) as number[],
    innerInstructions: [],
    logMessages: JSON.parse(row.logs) as string[],
    preTokenBalances: [],
    postTokenBalances: [],
    rewards: [],
    loadedAddresses: { readonly: [], writable: [] },
    computeUnitsConsumed: row.compute_units,
  };
}

/** Returns the response of `getTransaction` with `encoding: json`. */
export async function toTransactionAnswer(row: LedgerRow) {
  const { readWire } = await import('../solana-wire.js');
  const { signatures, version, header, accountKeys, recentBlockhash, instructions } = readWire(row.wire);
  return {
    slot: row.slot,
    blockTime: row.block_time,
    version,
    meta: toTransactionMeta(row),
    transaction: {
      signatures,
      message: {
        header,
        accountKeys,
        recentBlockhash,
        instructions: instructions.map(({ programIdIndex, accounts, data }) => ({
          programIdIndex,
          accounts,
          data: encodeBase58(data),
          stackHeight: 1,
        })),
        ...(version === 0 ? { addressTableLookups: [] } : {}),
      },
    },
  };
}
