import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chainPayUrl, readChainPayUrl } from './chain-pay-url.js';

const ADDRESS = '4Nd1mYt7QGBnbSkLjmS4kXcFUfVZhZh5Qf6k3oDqRKzC';

describe('a payment URL', () => {
  it('contains payee, amount, memo and label in the format that wallets read', () => {
    const url = chainPayUrl({ address: ADDRESS, lamports: 1000n, memo: 'n_a+b&c=d', label: 'The lamp shop' });
    expect(url).toBe(`solana:${ADDRESS}?amount=0.000001&memo=n_a%2Bb%26c%3Dd&label=The%20lamp%20shop`);
    expect(chainPayUrl({ address: ADDRESS, lamports: 5n })).toBe(`solana:${ADDRESS}?amount=0.000000005`);
  });

  it('parses to the payment it was made of', () => {
    const text = fc.option(fc.string({ unit: 'grapheme', maxLength: 40 }), { nil: undefined });
    const payment = fc.record({
      address: fc.constant(ADDRESS),
      lamports: fc.bigInt(0n, 2n ** 64n - 1n),
      memo: text,
      label: text,
    });
    fc.assert(fc.property(payment, (given) => void expect(readChainPayUrl(chainPayUrl(given))).toEqual(given)));
  });

  it('is read with an address of 32 characters', () => {
    expect(readChainPayUrl(`solana:${'1'.repeat(32)}?amount=1`)).toEqual({
      address: '1'.repeat(32),
      lamports: 1_000_000_000n,
      memo: undefined,
      label: undefined,
    });
  });

  it.each([
    `solana:${ADDRESS}`,
    `solana:${ADDRESS}?memo=x`,
    `solana:${ADDRESS}?amount=`,
    `solana:${ADDRESS}?amount=1&spl-token=x`,
    'solana:https%3A%2F%2Fshop.example?amount=1',
    `bitcoin:${ADDRESS}?amount=1`,
    'solana:?amount=1',
    `solana:${ADDRESS.slice(0, 31)}?amount=1`,
    `solana:${ADDRESS}1?amount=1`,
    `solana:0${ADDRESS.slice(1)}?amount=1`,
    `solana:${ADDRESS}?`,
    `solana:${ADDRESS}/pay?amount=1`,
    `see solana:${ADDRESS}?amount=1`,
    `solana:${ADDRESS}?amount=1\n`,
    'amount=1',
  ])('rejects %s, which cannot be paid as it is', (url) => {
    expect(readChainPayUrl(url)).toBeUndefined();
  });
});
