import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LinearPattern, PatternBudget } from './linear-pattern.js';

function pattern(source: string, steps = 20_000_000): LinearPattern {
  const budget = new PatternBudget(steps);
  budget.refill();
  return new LinearPattern(source, budget);
}

describe('an untrusted pattern', () => {
  it.each([
    '^[a-z]+$',
    'a|b',
    '^(?:ab|cd)*$',
    '^(a*)*b$',
    '^\\d{2,4}-\\w?$',
    '\\bcat\\b',
    '^.{0,3}$',
    '[^a-c]',
    '^\\p{L}+$',
    '^$',
    '',
    '^(?<year>\\d{4})$',
    '^a{0}b$',
    'x{2}?',
    '[\\]a]',
    '\\u0061\\x62',
    '^[^@]+@[^@]+\\.[^@]+$',
    '(?:){3}a',
    '^😀{2}$',
  ])('%j matches what the native engine matches', (source) => {
    const native = new RegExp(source, 'u');
    const ours = pattern(source);
    const letters = fc.constantFrom('a', 'b', 'c', 'd', 'x', '@', '.', '1', '2', '-', ' ', ']', 'é', '😀', '\n', 'cat');
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 9 }), (parts) => {
        const text = parts.join('');
        expect([text, ours.test(text)]).toEqual([text, native.test(text)]);
      }),
      { numRuns: 300, seed: 20261121 },
    );
  });

  it.each(['^(a+)+$', '^(a|a)*$', '^(a*)*(a*)*(a*)*$', '(.*)*x', '^(?:a?){50}a{50}$'])(
    '%j takes time linear in the text, where the native engine would not finish',
    (source) => {
      expect(pattern(source).test(`${'a'.repeat(1_000)}!`)).toBe(false);
    },
  );

  it.each([
    ['(a)\\1', 'back reference'],
    ['(?<x>a)\\k<x>', 'back reference'],
    ['(?=a)b', 'look-around'],
    ['a(?!b)', 'look-around'],
    ['(?<=a)b', 'look-around'],
    ['(', 'no regular expression'],
    ['\\p{Nonsense}', 'no regular expression'],
    ['a{2000}b{2000}c{2000}', 'too large'],
    ['((((a{30}){30}){30}){30}){30}', 'too large'],
    ['((((){1000}){1000}){1000}){1000}', 'too large'],
    ['a'.repeat(1_001), 'longer than 1000'],
  ])('rejects %j', (source, said) => {
    expect(() => pattern(source)).toThrow(said);
  });

  it('throws when the steps of one check are exhausted, counted over all its patterns', () => {
    const budget = new PatternBudget(1_000);
    budget.refill();
    const [one, other] = [new LinearPattern('b', budget), new LinearPattern('c', budget)];
    expect(one.test('a'.repeat(200))).toBe(false);
    expect(() => other.test('a'.repeat(400))).toThrow('takes too long');
    budget.refill();
    expect(one.test('b')).toBe(true);
  });
});
