import { expect, it } from 'vitest';
import { CENTS, comparablePrice, isWithin } from './price.js';

const priced = (amount: number, currency: 'USD' | 'lamports' = 'USD') => ({ unit: 'request', amount, currency });

it('a price in cents is within a limit of exactly that price in dollars, and a cent more is not', () => {
  const rates = CENTS;
  const isWithinCents = (cents: number, limit: number, currency: string) =>
    isWithin(comparablePrice(priced(cents), rates), { amount: Number((limit / 100).toFixed(2)), currency }, rates);
  const cents = Array.from({ length: 1_000 }, (_, index) => index + 1);
  expect(cents.filter((cent) => isWithinCents(cent, cent, 'usd') !== true)).toEqual([]);
  expect(cents.filter((cent) => isWithinCents(cent + 1, cent, 'usd') !== false)).toEqual([]);
});

it('a converted price is within a limit of exactly its worth', () => {
  const rates = new Map([...CENTS, ['lamports', 0.00000015]]);
  for (const amount of [3, 7, 1_100_000, 7_700_000]) {
    const usd = Number((amount * 0.00000015).toPrecision(12));
    const price = comparablePrice(priced(amount, 'lamports'), rates);
    expect(isWithin(price, { amount: usd, currency: 'usd' }, rates)).toBe(true);
  }
});
