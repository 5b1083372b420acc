import { describe, expect, it } from 'vitest';
import { formatLamports, formatSol, lamportsIn, lamportsOfSol } from './lamports.js';

describe('lamports', () => {
  it.each([
    [0, '0'],
    [1, '0.000000001'],
    [5_000, '0.000005'],
    [100_000_000, '0.1'],
    [300_000_000, '0.3'],
    [1_000_000_000, '1'],
    [1_999_995_000, '1.999995'],
    [123_456_789_012, '123.456789012'],
    [Number.MAX_SAFE_INTEGER, '9007199.254740991'],
  ])('convert %d to %s SOL and back without loss', (lamports, sol) => {
    expect(formatSol(lamports)).toBe(`${sol} SOL`);
    expect(lamportsOfSol(sol)).toBe(lamports);
  });

  it('are never formatted with an exponent', () => expect(formatSol(100)).toBe('0.0000001 SOL'));

  it.each([
    ['0.1', 100_000_000],
    ['0.7', 700_000_000],
    ['1.10', 1_100_000_000],
    [' 2 ', 2_000_000_000],
  ])('are parsed from “%s” SOL exactly', (typed, lamports) => expect(lamportsOfSol(typed)).toBe(lamports));

  it.each(['', '.', '1.', '-1', '1e3', '0.0000000001', '9007199.254740992', 'a lot', '1,5'])(
    'are not parsed from “%s”',
    (typed) => expect(lamportsOfSol(typed)).toBeUndefined(),
  );

  it('are parsed with or without commas, and only as whole numbers', () => {
    expect(lamportsIn('5,000')).toBe(5_000);
    expect(lamportsIn(' 0 ')).toBe(0);
    for (const typed of ['', '1.5', '-1', '1e3', '9007199254740992', 'five']) expect(lamportsIn(typed)).toBeUndefined();
  });

  it('are formatted with their unit', () => {
    expect(formatLamports(1)).toBe('1 lamport');
    expect(formatLamports(2_000_000_000)).toBe('2,000,000,000 lamports');
  });
});
