import { describe, expect, it } from 'vitest';
import { formatSol, lamportsOfSol } from './sol-amount.js';

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

  it('formats a number of lamports, and parses an amount with trailing zeros', () => {
    expect(formatSol(1_500_000_000)).toBe('1.5');
    expect(lamportsOfSol('1.500')).toBe(1_500_000_000n);
    expect(lamportsOfSol('01.5')).toBe(1_500_000_000n);
  });
});
