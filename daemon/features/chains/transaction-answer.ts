import { decodeBase58 } from '../../lib/crypto/base58.js';
import { MeshError } from '../../lib/errors.js';
import type { ChainTransaction, Transfer } from './chain.js';
import { lamportsOfTransfer, MEMO_PROGRAMS, SYSTEM_PROGRAM } from './solana-programs.js';

type Integer = number | bigint;

/**
 * The parts of a `getTransaction` response with `encoding: json` that are read. All networks, including the local one,
 * report transactions in this format.
 */
export interface TransactionAnswer {
  blockTime?: Integer | null;
  meta: {
    err: unknown;
    preBalances: readonly Integer[];
    postBalances: readonly Integer[];
  } | null;
  transaction: {
    message: {
      accountKeys: readonly string[];
      instructions: readonly { programIdIndex: Integer; accounts: readonly Integer[]; data: string }[];
      addressTableLookups?: readonly unknown[] | null;
    };
  };
}

const isInteger = (value: unknown): value is Integer => typeof value === 'bigint' || Number.isSafeInteger(value);
const isListOf = <T>(value: unknown, isOne: (one: unknown) => one is T): value is T[] =>
  Array.isArray(value) && value.every(isOne);
const isText = (value: unknown): value is string => typeof value === 'string';

function isInstruction(value: unknown): value is TransactionAnswer['transaction']['message']['instructions'][number] {
  const { programIdIndex, accounts, data } = (value ?? {}) as Record<string, unknown>;
  return isInteger(programIdIndex) && isListOf(accounts, isInteger) && isText(data);
}

/** Reports whether a network's response has the parts that are read. */
export function isTransactionAnswer(value: unknown): value is TransactionAnswer {
  const { blockTime, meta, transaction } = (value ?? {}) as Partial<TransactionAnswer>;
  const { accountKeys, instructions } = (transaction?.message ?? {}) as Record<string, unknown>;
  if (blockTime !== undefined && blockTime !== null && !isInteger(blockTime)) return false;
  if (meta !== null && !(meta && isListOf(meta.preBalances, isInteger) && isListOf(meta.postBalances, isInteger)))
    return false;
  return isListOf(accountKeys, isText) && isListOf(instructions, isInstruction);
}

/**
 * Reads a transaction from a network's response: transfers and memos of its own instructions only, none from a program.
 * Undefined while the outcome is unknown. Throws `proof_format` for a transaction that names accounts through lookup
 * tables.
 */
export function readTransaction(signature: string, answer: TransactionAnswer): ChainTransaction | undefined {
  const { meta, blockTime } = answer;
  const { accountKeys, instructions, addressTableLookups } = answer.transaction.message;
  if (addressTableLookups && addressTableLookups.length > 0) {
    throw new MeshError(
      'proof_format',
      'The transaction uses address lookup tables: pay with one that names its accounts itself.',
    );
  }
  if (meta === null) return undefined;
  const transfers: Transfer[] = [];
  const memos: string[] = [];
  const keyAt = (index: Integer | undefined) => accountKeys[Number(index)];
  for (const { programIdIndex, accounts, data } of instructions) {
    const program = String(keyAt(programIdIndex));
    const bytes = decodeBase58(data) ?? Buffer.alloc(0);
    if (MEMO_PROGRAMS.has(program)) memos.push(bytes.toString('utf8'));
    if (program !== SYSTEM_PROGRAM) continue;
    const lamports = lamportsOfTransfer(bytes);
    const [from, to] = [keyAt(accounts[0]), keyAt(accounts[1])];
    if (lamports !== undefined && from !== undefined && to !== undefined) transfers.push({ from, to, lamports });
  }
  const balanceChanges = new Map<string, bigint>();
  accountKeys.forEach((address, index) => {
    const [before, after] = [meta.preBalances[index], meta.postBalances[index]];
    if (before !== undefined && after !== undefined && before !== after)
      balanceChanges.set(address, BigInt(after) - BigInt(before));
  });
  return {
    signature,
    failed: meta.err !== null && meta.err !== undefined,
    blockTime: blockTime === undefined || blockTime === null ? null : Number(blockTime),
    transfers,
    memos,
    balanceChanges,
  };
}
