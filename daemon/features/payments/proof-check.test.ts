import { describe, expect, it } from 'vitest';
import type { ChainTransaction } from '../chains/chain.js';
import { checkProof, receivedIn } from './proof-check.js';

const TERMS = { address: 'ours', amount: 100, nonce: 'the-nonce', issuedMs: 1_700_000_000_000 };
const paid = (more: Partial<ChainTransaction> = {}): ChainTransaction => ({
  signature: 'signature',
  failed: false,
  blockTime: 1_700_000_005,
  transfers: [{ from: 'theirs', to: 'ours', lamports: 100n }],
  memos: ['the-nonce'],
  balanceChanges: new Map([
    ['theirs', -5100n],
    ['ours', 100n],
  ]),
  ...more,
});
const transfers = (...lamports: bigint[]) =>
  lamports.map((amount) => ({ from: 'theirs', to: 'ours', lamports: amount }));

describe('checkProof', () => {
  it.each([
    ['exactly the amount', paid(), 100n],
    ['more than the amount', paid({ transfers: transfers(150n), balanceChanges: new Map([['ours', 150n]]) }), 150n],
    ['two transfers that come to the amount', paid({ transfers: transfers(60n, 40n) }), 100n],
    ['a network that does not say when', paid({ blockTime: null }), 100n],
    ['a block as old as clocks may differ', paid({ blockTime: 1_699_996_400 }), 100n],
    [
      'a transfer to itself',
      paid({ transfers: [{ from: 'ours', to: 'ours', lamports: 100n }], balanceChanges: new Map([['ours', -5000n]]) }),
      100n,
    ],
  ])('accepts %s', (_, transaction, lamports) => {
    expect(checkProof(transaction, TERMS)).toEqual({ transferred: lamports, further: 0n });
  });

  it.each([
    ['transaction_failed', paid({ failed: true })],
    ['wrong_wallet', paid({ transfers: [{ from: 'theirs', to: 'another', lamports: 100n }] })],
    ['wrong_wallet', paid({ transfers: [] })],
    ['amount_too_small', paid({ transfers: transfers(99n) })],
    ['amount_too_small', paid({ transfers: transfers(0n) })],
    ['amount_too_small', paid({ balanceChanges: new Map([['ours', 99n]]) })],
    ['amount_too_small', paid({ balanceChanges: new Map() })],
    ['memo_missing', paid({ memos: [] })],
    ['memo_twice', paid({ memos: ['the-nonce', 'the-nonce'] })],
    ['memo_of_other_nonce', paid({ memos: ['the-nonce '] })],
    ['memo_of_other_nonce', paid({ memos: ['another'] })],
    ['older_than_challenge', paid({ blockTime: 1_699_996_399 })],
  ])('refuses with %s', (refusal, transaction) => {
    expect(checkProof(transaction, TERMS)).toBe(refusal);
  });
});

describe('receivedIn', () => {
  it('limits the amount to the change of the balance and separates what other instructions transferred', () => {
    expect(receivedIn(paid(), 'ours')).toEqual({ transferred: 100n, further: 0n });
    expect(receivedIn(paid({ balanceChanges: new Map([['ours', 130n]]) }), 'ours')).toEqual({
      transferred: 100n,
      further: 30n,
    });
    expect(receivedIn(paid({ balanceChanges: new Map([['ours', -1n]]) }), 'ours')).toEqual({
      transferred: 0n,
      further: 0n,
    });
    expect(receivedIn(paid({ failed: true }), 'ours')).toEqual({ transferred: 0n, further: 0n });
  });

  it('adds only the transfers to the address, and does not limit a transaction in which the address sends', () => {
    const theirs = { from: 'theirs', to: 'ours', lamports: 100n };
    const away = { from: 'theirs', to: 'another', lamports: 50n };
    const balanceChanges = new Map([['ours', 140n]]);
    expect(receivedIn(paid({ transfers: [theirs, away], balanceChanges }), 'ours')).toEqual({
      transferred: 100n,
      further: 40n,
    });
    const ours = { from: 'ours', to: 'another', lamports: 70n };
    expect(receivedIn(paid({ transfers: [theirs, ours], balanceChanges }), 'ours')).toEqual({
      transferred: 100n,
      further: 0n,
    });
  });
});
