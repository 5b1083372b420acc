import { createPublicKey, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decodeBase58, encodeBase58 } from '../../lib/crypto/base58.js';
import { InvalidTransactionError } from './refused.js';
import {
  COMPUTE_BUDGET_PROGRAM,
  MEMO_PROGRAM,
  MEMO_PROGRAM_FIRST,
  MEMO_PROGRAM_LATEST,
  SYSTEM_PROGRAM,
  WIRE_LIMIT,
} from './solana-programs.js';
import { readWire, signTransfer } from './solana-wire.js';
import { walletKey } from './wallet-key.js';

const bytesOf = (address: string) => decodeBase58(address) ?? Buffer.alloc(0);
const [PAYER, RECIPIENT, BLOCKHASH] = [1, 2, 7].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer, Buffer];
const [SIGNATURE, SECOND] = [Buffer.alloc(64, 9), Buffer.alloc(64, 8)];
const UNSIGNED = Buffer.alloc(64);
const ED25519_SPKI = Buffer.from('302a300506032b6570032100', 'hex');

interface Parts {
  signatures: Buffer[];
  /** Absent for a legacy transaction. */
  version?: number;
  header: [signers: number, readonlySigners: number, readonlyOthers: number];
  /** The number of keys as it is written, where that is not their number in one byte. */
  keyCount?: number[];
  keys: Buffer[];
  instructions: { program: number; accounts: number[]; data: number[] }[];
  lookups: Buffer[];
  tail: Buffer;
}

const VALID: Parts = {
  signatures: [SIGNATURE],
  header: [1, 0, 1],
  keys: [PAYER, RECIPIENT, bytesOf(SYSTEM_PROGRAM)],
  instructions: [{ program: 2, accounts: [0, 1], data: [2, 0, 0, 0] }],
  lookups: [],
  tail: Buffer.alloc(0),
};

/** Writes a transaction byte by byte: VALID with `changes`. */
function written(changes: Partial<Parts> = {}): Buffer {
  const { signatures, version, header, keys, keyCount, instructions, lookups, tail } = { ...VALID, ...changes };
  return Buffer.concat([
    Buffer.from([signatures.length]),
    ...signatures,
    Buffer.from([...(version === undefined ? [] : [0x80 + version]), ...header, ...(keyCount ?? [keys.length])]),
    ...keys,
    BLOCKHASH,
    Buffer.from([instructions.length]),
    ...instructions.map(({ program, accounts, data }) =>
      Buffer.from([program, accounts.length, ...accounts, data.length, ...data]),
    ),
    ...(version === undefined ? [] : [Buffer.from([lookups.length]), ...lookups]),
    tail,
  ]);
}

describe('the bytes of a transaction', () => {
  it.each([
    ['legacy', 'legacy', {}],
    ['version 0', 0, { version: 0 }],
  ] as const)('are read with every part of them: %s', (_name, version, changes) => {
    const bytes = written({ ...changes, header: [2, 1, 1], signatures: [SIGNATURE, SECOND] });
    expect(readWire(bytes)).toEqual({
      signature: encodeBase58(SIGNATURE),
      signatures: [encodeBase58(SIGNATURE), encodeBase58(SECOND)],
      version,
      header: { numRequiredSignatures: 2, numReadonlySignedAccounts: 1, numReadonlyUnsignedAccounts: 1 },
      accountKeys: [encodeBase58(PAYER), encodeBase58(RECIPIENT), SYSTEM_PROGRAM],
      recentBlockhash: encodeBase58(BLOCKHASH),
      instructions: [{ programIdIndex: 2, accounts: [0, 1], data: Uint8Array.from([2, 0, 0, 0]) }],
      bytes,
    });
  });

  it('may hold an instruction without accounts and data, none at all, and the last of the accounts', () => {
    const bare = { program: 2, accounts: [], data: [] };
    expect(readWire(written({ instructions: [bare] })).instructions).toEqual([
      { programIdIndex: 2, accounts: [], data: new Uint8Array() },
    ]);
    expect(readWire(written({ instructions: [] })).instructions).toEqual([]);
    expect(readWire(written({ instructions: [{ ...bare, accounts: [2, 1] }] })).instructions[0]?.accounts).toEqual([
      2, 1,
    ]);
  });

  it('may mark every account that does not sign as read only', () => {
    expect(readWire(written({ header: [1, 0, 2] })).header.numReadonlyUnsignedAccounts).toBe(2);
  });

  it('may be as many as a transaction can have, and no more', () => {
    const padding = (count: number) =>
      Array.from({ length: count }, () => Buffer.alloc(32, 0)).map((key, at) => key.fill(at + 20));
    const keys = [...VALID.keys, ...padding(31)];
    const data = (length: number) => [{ program: 2, accounts: [], data: Array.from({ length }, () => 7) }];
    const rest = WIRE_LIMIT - written({ keys, instructions: data(0) }).length;
    expect(readWire(written({ keys, instructions: data(rest) })).bytes).toHaveLength(WIRE_LIMIT);
    expect(() => readWire(written({ keys, instructions: data(rest + 1) }))).toThrow(
      new InvalidTransactionError('It has 1233 bytes; a transaction has at most 1232.'),
    );
  });

  const noTransaction = 'Its bytes are no transaction.';
  const foreignBytes = 'It has bytes that do not belong to it.';
  const unfitting = 'Its header does not fit its signatures.';
  const missing = 'An instruction names an account that is not there.';
  const instruction = (program: number, ...accounts: number[]) => ({
    instructions: [
      { program: 2, accounts: [0, 1], data: [] },
      { program, accounts, data: [] },
    ],
  });
  it.each<[what: string, message: string, changes: Partial<Parts>]>([
    ['a signature of zeros', 'It lacks a signature.', { signatures: [UNSIGNED] }],
    ['a second one of zeros', 'It lacks a signature.', { signatures: [SIGNATURE, UNSIGNED], header: [2, 0, 1] }],
    ['no signature', noTransaction, { signatures: [], header: [0, 0, 1] }],
    ['fewer signatures than signers', noTransaction, { header: [2, 0, 1] }],
    ['more signatures than signers', noTransaction, { signatures: [SIGNATURE, SECOND] }],
    ['an unknown version', noTransaction, { version: 2 }],
    [
      'accounts in lookup tables',
      'Address lookup tables are not taken: name the accounts themselves.',
      { version: 0, lookups: [Buffer.concat([RECIPIENT, Buffer.from([1, 0, 0])])] },
    ],
    ['an account twice', 'It names an account twice.', { keys: [PAYER, RECIPIENT, RECIPIENT] }],
    [
      'more signers than accounts',
      unfitting,
      { keys: [PAYER, RECIPIENT], signatures: [SIGNATURE, SECOND], header: [3, 0, 0] },
    ],
    ['a payer that may not be charged', unfitting, { header: [1, 1, 1] }],
    ['more read-only signers than signers', unfitting, { header: [1, 2, 1] }],
    ['more read-only accounts than accounts', 'Its header does not fit its accounts.', { header: [1, 0, 3] }],
    ['the payer as a program', missing, instruction(0)],
    ['a program after the last account', missing, instruction(3, 0)],
    ['an account after the last one', missing, instruction(2, 0, 3)],
    ['a byte after its end', foreignBytes, { tail: Buffer.from([0]) }],
    ['a byte after the end of its version 0', foreignBytes, { version: 0, tail: Buffer.from([0]) }],
    ['a length in more bytes than it needs', foreignBytes, { keyCount: [0x83, 0] }],
  ])('are refused with %s', (_what, message, changes) => {
    expect(() => readWire(written(changes))).toThrow(new InvalidTransactionError(message));
  });

  it('are refused when they are of version 1, which has another form', () => {
    const message = Buffer.concat([Buffer.from([0x81, 1, 0, 0, 0, 0, 0, 0]), BLOCKHASH, Buffer.from([0, 1]), PAYER]);
    expect(() => readWire(Buffer.concat([message, SIGNATURE]))).toThrow(
      new InvalidTransactionError('Only legacy and version 0 transactions are taken.'),
    );
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['half a transaction', written().subarray(0, 150)],
    ['zeros', Buffer.alloc(WIRE_LIMIT)],
    [
      'a number of signatures in more bytes than it needs',
      Buffer.concat([Buffer.from([0x81, 0]), written().subarray(1)]),
    ],
  ])('are refused when they are %s', (_what, bytes) => {
    expect(() => readWire(bytes)).toThrow(InvalidTransactionError);
  });
});

describe('a signed transfer', () => {
  const from = walletKey(Buffer.alloc(32, 3));
  const to = encodeBase58(RECIPIENT);
  const lifetime = { blockhash: encodeBase58(BLOCKHASH), lastValidBlockHeight: 150n };

  it.each([
    ['a memo', 'nonce-ä', [MEMO_PROGRAM]],
    ['an empty memo', '', [MEMO_PROGRAM]],
    ['no memo', undefined, []],
  ])('names the sender, the recipient, the amount and the blockhash, with %s', (_name, memo, memoPrograms) => {
    const signed = signTransfer(from, to, 2n ** 64n - 1n, memo, lifetime);
    const bytes = Buffer.from(signed.wire, 'base64');
    const { accountKeys, instructions, recentBlockhash, signatures, version } = readWire(bytes);
    const named = instructions.map(({ programIdIndex, accounts, data }) => ({
      program: accountKeys[programIdIndex],
      accounts: accounts.map((index) => accountKeys[index]),
      data: Buffer.from(data).toString('hex'),
    }));
    expect({ named, recentBlockhash, signatures, version }).toEqual({
      named: [
        { program: SYSTEM_PROGRAM, accounts: [from.address, to], data: '02000000ffffffffffffffff' },
        ...memoPrograms.map((program) => ({ program, accounts: [], data: Buffer.from(memo ?? '').toString('hex') })),
      ],
      recentBlockhash: lifetime.blockhash,
      signatures: [signed.signature],
      version: 'legacy',
    });
    const publicKey = createPublicKey({
      key: Buffer.concat([ED25519_SPKI, bytesOf(from.address)]),
      format: 'der',
      type: 'spki',
    });
    expect(verify(null, bytes.subarray(1 + SIGNATURE.length), publicKey, bytesOf(signed.signature))).toBe(true);
  });

  it.each([SYSTEM_PROGRAM, COMPUTE_BUDGET_PROGRAM, MEMO_PROGRAM_FIRST, MEMO_PROGRAM, MEMO_PROGRAM_LATEST])(
    'does not go to the program %s, where the money would be lost',
    (program) => {
      expect(() => signTransfer(from, program, 1n, undefined, lifetime)).toThrow(
        expect.objectContaining({
          code: 'bad_request',
          message: `${program} is a program and no wallet.`,
          details: { path: 'to' },
        }),
      );
    },
  );
});
