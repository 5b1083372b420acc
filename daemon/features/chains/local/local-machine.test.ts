import { describe, expect, it } from 'vitest';
import { decodeBase58, encodeBase58 } from '../../../lib/crypto/base58.js';
import { SigningKey } from '../../../lib/crypto/ed25519.js';
import type { WalletKey } from '../chain.js';
import { MEMO_PROGRAM, MEMO_PROGRAM_FIRST, MEMO_PROGRAM_LATEST, SYSTEM_PROGRAM } from '../solana-programs.js';
import { readWire, type WireTransaction } from '../solana-wire.js';
import { walletKey } from '../wallet-key.js';
import { LocalMachine } from './local-machine.js';

const machine = LocalMachine.open();
const [ALICE, BOB, CAROL] = [1, 2, 3].map((byte) => encodeBase58(Buffer.alloc(32, byte))) as [string, string, string];
const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111';
const CLOCK = 'SysvarC1ock11111111111111111111111111111111';
const TRANSFER = [2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0];

/** A transaction of one instruction for `program`, signed by the first `signers` of ALICE, BOB and CAROL. */
function transaction(program: string, accounts: number[], data: number[], change: Partial<WireTransaction> = {}) {
  const accountKeys = [ALICE, BOB, CAROL, program];
  return {
    accountKeys,
    header: { numRequiredSignatures: 1, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 1 },
    instructions: [{ programIdIndex: 3, accounts, data: Uint8Array.from(data) }],
    ...change,
  } as WireTransaction;
}

describe('the machine of the local network', () => {
  it.each<[program: string, accounts: number[], data: number[]]>([
    [SYSTEM_PROGRAM, [0, 1], TRANSFER],
    [SYSTEM_PROGRAM, [0, 1, 2], TRANSFER],
    [MEMO_PROGRAM_FIRST, [], []],
    [MEMO_PROGRAM, [], [1, 2, 3]],
    [MEMO_PROGRAM_LATEST, [0], [1]],
    [COMPUTE_BUDGET_PROGRAM, [], [1, 0, 0, 0, 0]],
    [COMPUTE_BUDGET_PROGRAM, [], [2, 0, 0, 0, 0]],
    [COMPUTE_BUDGET_PROGRAM, [], [3, 0, 0, 0, 0, 0, 0, 0, 0]],
    [COMPUTE_BUDGET_PROGRAM, [], [4, 0, 0, 0, 0]],
  ])('takes an instruction of %s with the accounts %j and the data %j', (...instruction) => {
    expect(machine.findRefusal(transaction(...instruction))).toBeUndefined();
  });

  it.each<[program: string, accounts: number[], data: number[]]>([
    ['Stake11111111111111111111111111111111111111', [0, 1], TRANSFER],
    [CAROL, [0, 1], TRANSFER],
    [CAROL, [], [1, 0, 0, 0, 0]],
    [SYSTEM_PROGRAM, [0], TRANSFER],
    [SYSTEM_PROGRAM, [0, 1], [3, ...TRANSFER.slice(1)]],
    [SYSTEM_PROGRAM, [0, 1], TRANSFER.slice(1)],
    [COMPUTE_BUDGET_PROGRAM, [], []],
    [COMPUTE_BUDGET_PROGRAM, [], [0, 0, 0, 0, 0]],
    [COMPUTE_BUDGET_PROGRAM, [], [1, 0, 0, 0]],
    [COMPUTE_BUDGET_PROGRAM, [], [3, 0, 0, 0, 0]],
    [COMPUTE_BUDGET_PROGRAM, [], [5, 0, 0, 0, 0]],
  ])('takes no instruction of %s with the accounts %j and the data %j', (...instruction) => {
    expect(machine.findRefusal(transaction(...instruction))).toBe(
      'The local network carries System transfers, memos and compute budgets, and no other instruction.',
    );
  });

  it('takes no transaction that has a refused instruction after an accepted one', () => {
    const memo = { programIdIndex: 3, accounts: [], data: Uint8Array.from([1]) };
    const other = { programIdIndex: 2, accounts: [], data: Uint8Array.from([1]) };
    expect(machine.findRefusal(transaction(MEMO_PROGRAM, [], [], { instructions: [memo, other] }))).toContain(
      'carries',
    );
  });

  const header = (numRequiredSignatures: number, numReadonlySignedAccounts: number, readonlyOthers: number) => ({
    header: { numRequiredSignatures, numReadonlySignedAccounts, numReadonlyUnsignedAccounts: readonlyOthers },
  });
  it.each<[where: string, keys: string[], parts: [number, number, number], refused: string | undefined]>([
    ['the payer', [CLOCK, ALICE, BOB, MEMO_PROGRAM], [1, 0, 1], CLOCK],
    ['a read-only signer', [ALICE, CLOCK, BOB, MEMO_PROGRAM], [2, 1, 1], undefined],
    ['a signer that may be charged', [ALICE, CLOCK, BOB, MEMO_PROGRAM], [2, 0, 1], CLOCK],
    ['the first account that does not sign', [ALICE, CLOCK, BOB, MEMO_PROGRAM], [1, 0, 1], CLOCK],
    ['an account that may be charged', [ALICE, BOB, CLOCK, MEMO_PROGRAM], [1, 0, 1], CLOCK],
    ['a read-only account', [ALICE, BOB, CLOCK, MEMO_PROGRAM], [1, 0, 2], undefined],
    ['a program that may be charged', [ALICE, BOB, CAROL, MEMO_PROGRAM], [1, 0, 0], MEMO_PROGRAM],
  ])('lets no account of its own hold lamports: %s', (_where, accountKeys, parts, refused) => {
    expect(machine.findRefusal(transaction(MEMO_PROGRAM, [], [], { accountKeys, ...header(...parts) }))).toBe(
      refused && `${refused} is no account that can hold lamports.`,
    );
  });
});

/** The bytes of a transaction of alice, with one instruction for `program`, read. */
function signedBy(alice: WalletKey, program: string, data: Buffer) {
  const message = Buffer.concat([
    Buffer.from([1, 0, 1, 2]),
    ...[alice.address, program, BOB].map((text) => decodeBase58(text) as Buffer),
    Buffer.from([1, 1, 0, data.length]),
    data,
  ]);
  return readWire(Buffer.concat([Buffer.from([1]), new SigningKey(alice.seed).signBytes(message), message]));
}

describe('a transaction in the machine', () => {
  const alice = walletKey(Buffer.alloc(32, 3));
  const run = (program: string, { held = 7000n, isRehearsal = false } = {}) =>
    machine.run(
      signedBy(alice, program, Buffer.from('hello')),
      (address) => (address === alice.address ? held : 0n),
      7,
      1_800_000_000,
      isRehearsal,
    );

  it.each([MEMO_PROGRAM_FIRST, MEMO_PROGRAM, MEMO_PROGRAM_LATEST])('may be a memo of %s', (program) => {
    const { error, before, after, logs, computeUnits } = run(program);
    expect([error, before[0], after[0]]).toEqual([null, 7000n, 2000n]);
    expect(logs).toContain(`Program ${program} success`);
    expect(computeUnits).toBeGreaterThan(0);
  });

  it('costs nothing in a rehearsal, which tells the same logs', () => {
    const { logs, computeUnits } = run(MEMO_PROGRAM);
    expect(run(MEMO_PROGRAM, { isRehearsal: true })).toMatchObject({ error: null, logs, computeUnits });
    const { before, after } = run(MEMO_PROGRAM, { isRehearsal: true });
    expect([before[0], after]).toEqual([7000n, before]);
  });

  it.each([false, true])(
    'fails without the lamports for its fee, which it keeps; as a rehearsal: %s',
    (isRehearsal) => {
      const { error, before, after, logs } = run(MEMO_PROGRAM, { held: 4999n, isRehearsal });
      expect([error, before[0], after[0], logs]).toEqual(['InsufficientFundsForFee', 4999n, 4999n, []]);
    },
  );

  it('starts from the balances that are given to it, not from those of the last one', () => {
    for (const held of [5000n, 9000n, 5000n]) expect(run(MEMO_PROGRAM, { held }).after[0]).toBe(held - 5000n);
  });
});
