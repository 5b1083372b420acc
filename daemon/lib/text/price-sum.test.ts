import { expect, it } from 'vitest';
import { formatSum } from './price-sum.js';

it.each([
  [5, 'USD', '$0.05'],
  [0.5, 'usd', '$0.005'],
  [1000, 'lamports', '1,000 lamports'],
  [7, 'FREE', 'free'],
  [0, 'USD', 'free'],
])('%d %s is written as %j', (amount, currency, text) => {
  expect(formatSum({ amount, currency })).toBe(text);
});
