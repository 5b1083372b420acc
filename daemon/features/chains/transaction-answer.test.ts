import { describe, expect, it } from 'vitest';
import { encodeBase58 } from '../../lib/crypto/base58.js';
import { MEMO_PROGRAM, MEMO_PROGRAM_FIRST, MEMO_PROGRAM_LATEST, SYSTEM_PROGRAM } from './solana-programs.js';
import { isTransactionAnswer, readTransaction, type TransactionAnswer } from './transaction-answer.js';

const KEYS = ['payer', 'us', SYSTEM_PROGRAM, MEMO_PROGRAM, MEMO_PROGRAM_FIRST, MEMO_PROGRAM_LATEST, 'other-program'];

function transferData(lamports: bigint, number = 2): string {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(number);
  data.writeBigUInt64LE(lamports, 4);
  return encodeBase58(data);
}

const memo = (programIdIndex: number, text: string) => ({
  programIdIndex,
  accounts: [],
  data: encodeBase58(Buffer.from(text)),
});
const transfer = (lamports: bigint) => ({ programIdIndex: 2, accounts: [0, 1], data: transferData(lamports) });

function answer(
  instructions: TransactionAnswer['transaction']['message']['instructions'],
  change: object = {},
): TransactionAnswer {
  const balances = [100, 0, 1, 1, 1, 1, 1];
  return {
    blockTime: 1_800_000_000,
    meta: { err: null, preBalances: balances, postBalances: balances },
    transaction: { message: { accountKeys: KEYS, instructions } },
    ...change,
  };
}

describe('a transaction in a network’s response', () => {
  it('has the transfers of the System program and the memos of every memo program, in order', () => {
    const read = readTransaction(
      's',
      answer([memo(3, 'one'), transfer(5n), memo(4, 'two'), memo(5, ''), transfer(2n ** 64n - 1n)]),
    );
    expect(read?.memos).toEqual(['one', 'two', '']);
    expect(read?.transfers).toEqual([
      { from: 'payer', to: 'us', lamports: 5n },
      { from: 'payer', to: 'us', lamports: 2n ** 64n - 1n },
    ]);
  });

  it('ignores instructions that only resemble a transfer', () => {
    const data = transferData(5n);
    const looks = [
      { programIdIndex: 6, accounts: [0, 1], data },
      { programIdIndex: 2, accounts: [0, 1], data: transferData(5n, 3) },
      { programIdIndex: 2, accounts: [0, 1], data: encodeBase58(Buffer.from('02000000', 'hex')) },
      {
        programIdIndex: 2,
        accounts: [0, 1],
        data: encodeBase58(Buffer.concat([Buffer.from([2, 0, 0, 0]), Buffer.alloc(9)])),
      },
      { programIdIndex: 2, accounts: [0], data },
      { programIdIndex: 2, accounts: [0, 99], data },
      { programIdIndex: 2, accounts: [99, 1], data },
      { programIdIndex: 2, accounts: [], data },
      { programIdIndex: 99, accounts: [0, 1], data },
      { programIdIndex: 2, accounts: [0, 1], data: '0OIl' },
    ];
    expect(readTransaction('s', answer(looks))).toMatchObject({ transfers: [], memos: [] });
  });

  it('ignores inner instructions, which a program made', () => {
    const inner = {
      meta: { ...answer([]).meta, innerInstructions: [{ index: 0, instructions: [transfer(5n), memo(3, 'x')] }] },
    };
    expect(readTransaction('s', answer([{ programIdIndex: 6, accounts: [0, 1], data: '' }], inner))).toMatchObject({
      transfers: [],
      memos: [],
    });
  });

  it('has the exact changes of the balances, and whether it failed', () => {
    const meta = {
      err: { InstructionError: [0, 'x'] },
      preBalances: [9007199254740993n, 7],
      postBalances: [9007199254740992n, 7],
    };
    const read = {
      signature: 's',
      failed: true,
      blockTime: null,
      transfers: [],
      memos: [],
      balanceChanges: new Map([['payer', -1n]]),
    };
    expect(readTransaction('s', answer([], { meta, blockTime: null }))).toEqual(read);
    expect(readTransaction('s', answer([], { meta, blockTime: undefined }))).toEqual(read);
    expect(readTransaction('s', answer([], { meta, blockTime: 7n }))).toEqual({ ...read, blockTime: 7 });
    for (const err of [null, undefined])
      expect(readTransaction('s', answer([], { meta: { ...meta, err } }))).toMatchObject({ failed: false });
    for (const short of [{ preBalances: [1] }, { postBalances: [1] }]) {
      const changes = readTransaction(
        's',
        answer([], { meta: { preBalances: [2, 2], postBalances: [2, 3], ...short } }),
      );
      expect([...(changes?.balanceChanges.keys() ?? [])]).toEqual(['payer']);
    }
  });

  it('has an empty memo where the data of one cannot be read', () => {
    expect(readTransaction('s', answer([{ programIdIndex: 3, accounts: [], data: '0OIl' }]))?.memos).toEqual(['']);
  });

  it('is undefined while its outcome is unknown', () => {
    expect(readTransaction('s', answer([], { meta: null }))).toBeUndefined();
  });

  it('is refused when it names accounts through lookup tables', () => {
    const tabled = answer([transfer(5n)]);
    const message = {
      ...tabled.transaction.message,
      addressTableLookups: [{ accountKey: 'x', writableIndexes: [0], readonlyIndexes: [] }],
    };
    expect(() => readTransaction('s', { ...tabled, transaction: { message } })).toThrow(
      expect.objectContaining({
        code: 'proof_format',
        message: 'The transaction uses address lookup tables: pay with one that names its accounts itself.',
      }),
    );
    for (const addressTableLookups of [[], null, undefined])
      expect(
        readTransaction('s', { ...tabled, transaction: { message: { ...message, addressTableLookups } } })?.transfers,
      ).toHaveLength(1);
  });

  it('is invalid when a part of it is missing or has another type', () => {
    const good = answer([transfer(5n)]);
    expect(isTransactionAnswer(good)).toBe(true);
    const { message } = good.transaction;
    const { meta } = good;
    const withInstruction = (change: object) => ({
      ...good,
      transaction: { message: { ...message, instructions: [{ ...transfer(5n), ...change }] } },
    });
    for (const valid of [
      { ...good, meta: null },
      { ...good, blockTime: null },
      { ...good, blockTime: undefined },
      { ...good, blockTime: 7n },
      { ...good, meta: { ...meta, preBalances: [], postBalances: [2n ** 60n, 1] } },
      withInstruction({ programIdIndex: 2n, accounts: [0n, 1] }),
    ])
      expect(isTransactionAnswer(valid)).toBe(true);
    const bad: unknown[] = [
      null,
      undefined,
      { ...good, blockTime: 1.5 },
      { ...good, meta: {} },
      { ...good, meta: 'x' },
      { ...good, meta: { ...meta, postBalances: [0.5] } },
      { ...good, meta: { ...meta, preBalances: undefined } },
      { ...good, transaction: undefined },
      { ...good, transaction: { message: null } },
      { ...good, transaction: { message: { ...message, accountKeys: [...KEYS, 7] } } },
      { ...good, transaction: { message: { ...message, accountKeys: 'payer' } } },
      { ...good, transaction: { message: { ...message, instructions: {} } } },
      withInstruction({ programIdIndex: '2' }),
      withInstruction({ accounts: [0, 1.5] }),
      withInstruction({ data: [1, 2] }),
      7,
      {},
      { ...good, meta: undefined },
      { ...good, meta: { err: null, preBalances: ['1'], postBalances: [] } },
      { ...good, blockTime: 'x' },
      { ...good, transaction: null },
      { ...good, transaction: { message: { ...message, accountKeys: [7] } } },
      {
        ...good,
        transaction: { message: { ...message, instructions: [{ programIdIndex: 1.5, accounts: [], data: '' }] } },
      },
      {
        ...good,
        transaction: { message: { ...message, instructions: [{ programIdIndex: 1, accounts: 'x', data: '' }] } },
      },
      { ...good, transaction: { message: { ...message, instructions: [null] } } },
      { ...good, transaction: ['AAAA', 'base64'] },
    ];
    expect(bad.map(isTransactionAnswer)).toEqual(bad.map(() => false));
  });
});
