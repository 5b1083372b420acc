import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chainPayUrl, formatSol, lamportsOfSol, readChainPayUrl } from './chain-pay-url.js';

const ADDRESS = '4Nd1mYt7QGBnbSkLjmS4kXcFUfVZhZh5Qf6k3oDqRKzC';

describe('an amount of SOL', () => {
  it.each([
    [0n, '0'],
    [1n, '0.000000001'],
    [1000n, '0.000001'],
    [1_000_000_000n, '1'],
    [1_500_000_000n, '1.5'],
    [10_000_000_000n, '10'],
    [9_007_199_254_740_993n, '9007199.254740993'],
    [18_446_744_073_709_551_615n, '18446744073.709551615'],
  ])('formats %i lamports as %s, exactly', (lamports, text) => {
    expect(formatSol(lamports)).toBe(text);
    expect(lamportsOfSol(text)).toBe(lamports);
  });

  it.each(['', '.5', '1.', '-1', '+1', '1e3', '0x1', '1,5', ' 1', '1.0000000001', '999999999999', 'NaN', '１'])(
    'rejects %j',
    (text) => {
      expect(lamportsOfSol(text)).toBeUndefined();
    },
  );
});

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

  it.each([
    `solana:${ADDRESS}`,
    `solana:${ADDRESS}?memo=x`,
    `solana:${ADDRESS}?amount=`,
    `solana:${ADDRESS}?amount=1&spl-token=x`,
    'solana:https%3A%2F%2Fshop.example?amount=1',
    `bitcoin:${ADDRESS}?amount=1`,
    'solana:?amount=1',
  ])('rejects %s, which cannot be paid as it is', (url) => {
    expect(readChainPayUrl(url)).toBeUndefined();
  });
});
