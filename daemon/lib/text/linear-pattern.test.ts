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

  /** Every construct of the syntax, each tried on every one of these characters. */
  const CHARACTERS = [
    ...['', 'a', 'b', 'aa', 'aaa', 'aaaa', 'ab', 'ba', 'A', 'Z', 'é', 'Σ', '0', '7', '_', '$', ' ', '\t', '\n', '\r'],
    ...['\f', '\v', '\0', '\u0001', '\u00a0', '\u2028', '\ufeff', '^', '\\', '.', '*', '+', '?', '(', ')', '[', ']'],
    ...['{', '}', '|', '/', '-', '😀', '😁', '\ud83d', '\ude00', 'a😀', 'a b', 'a-b', '-a-', 'a1', 'a_b', '[]'],
  ];
  it.each([
    ...['\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '\\t', '\\n', '\\r', '\\f', '\\v', '\\0', '\\cA', '\\cj'],
    ...['\\^', '\\$', '\\\\', '\\.', '\\*', '\\+', '\\?', '\\(', '\\)', '\\[', '\\]', '\\{', '\\}', '\\|', '\\/'],
    ...['\\x41', '\\u0041', '\\u{41}', '\\u{1F600}', '\\ud83d\\ude00', '\\uD83D\\uDE00', '\\ud83d', '\\ude00'],
    ...['\\ud83d\\ud83d\\ude00', '\\ud83d\\u0041', '\\p{Lu}', '\\P{Lu}', '\\p{Script=Greek}'],
    ...['.', '[]', '[^]', '[-a]', '[a\\-b]', '[\\d\\s]', '[^\\w]', '[\\ud83d\\ude00]', '[😀-😁]', '[\\b]', '[(|)]'],
    ...['\\b', '\\B', 'a\\b', 'a\\B', '^', '$', '$^', '|', 'a|', '(?:)', '()', '(|a)'],
    ...['a*', 'a+', 'a?', 'a*?', 'a+?', 'a??', 'a{2}', 'a{2,}', 'a{2,3}', 'a{0,}', 'a{0}', 'a{2,}?', 'a{2,3}?'],
    ...['(?<a1>a)b', '(?<$_>a)', '(?<é2>a)', '(a(b|c)?)+', '(?:a|b){2}'],
  ])('%s takes the characters that the native engine takes', (source) => {
    for (const whole of [source, `^(?:${source})$`]) {
      const [native, ours] = [new RegExp(whole, 'u'), pattern(whole)];
      const taken = (one: { test(text: string): boolean }) => CHARACTERS.filter((text) => one.test(text));
      expect(taken(ours)).toEqual(taken(native));
    }
  });

  it('has at most 1,000 characters', () => {
    expect(pattern('a'.repeat(1_000)).test('a'.repeat(1_000))).toBe(true);
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
    for (let refill = 0; refill < 5; refill += 1) budget.refill();
    expect(one.test('b')).toBe(true);
    expect(() => other.test('a'.repeat(600))).toThrow('takes too long');
  });
});
