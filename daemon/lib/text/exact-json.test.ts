import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactJson } from './exact-json.js';

describe('parseExactJson', () => {
  it('keeps whole numbers of any size exact', () => {
    expect(parseExactJson('{"a": 18446744073709551615, "b": [-9007199254740993], "c": 9007199254740991}')).toEqual({
      a: 18446744073709551615n,
      b: [-9007199254740993n],
      c: 9007199254740991,
    });
  });

  it('leaves digits in strings, keys and fractions unchanged', () => {
    const text =
      '{"12345678901234567890": "12345678901234567890", "f": 1234567890123456.5, "e": 1e30, "q": ' +
      '"\\"98765432109876543210\\\\"}';
    expect(parseExactJson(text)).toEqual(JSON.parse(text));
  });

  it('parses everything else as JSON.parse does', () => {
    const rounded = (value: unknown) =>
      JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? Number(one) : one));
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), (text) => rounded(parseExactJson(text)) === rounded(JSON.parse(text))),
    );
  });

  it('accepts whole numbers of any length', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), (value) => {
        const isSafe = value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER);
        expect(parseExactJson(`[${value}]`)).toEqual([isSafe ? Number(value) : value]);
      }),
    );
  });

  it('keeps a text that looks like a number that was set aside', () => {
    expect(parseExactJson('["\\u0000whole 12", 1234567890123456789]')).toEqual([
      '\u0000whole 12',
      1234567890123456789n,
    ]);
  });

  it.each([
    ['[9007199254740991, 9007199254740992]', [9007199254740991, 9007199254740992n]],
    ['[-9007199254740991, -9007199254740992]', [-9007199254740991, -9007199254740992n]],
    ['[-0, 0, 1234567890123456789e2]', [-0, 0, Number('1234567890123456789e2')]],
    ['{"a\\"1234567890123456789": 1234567890123456789}', { 'a"1234567890123456789': 1234567890123456789n }],
    ['[12345678901234567890,12345678901234567891]', [12345678901234567890n, 12345678901234567891n]],
    ['["a", 1, "1234567890123456789", 1]', ['a', 1, '1234567890123456789', 1]],
    ['1234567890123456789', 1234567890123456789n],
    ['[1.1234567890123456789, 1.5e0000000000000000001]', [Number('1.1234567890123456789'), 15]],
    ['[10E+0000000000000000001, 10e-0000000000000000001]', [100, 1]],
  ])('parses %s exactly', (text, value) => {
    expect(parseExactJson(text)).toEqual(value);
  });

  it.each(['', '{', '01234567890123456789', '12345678901234567890a', '"abc', '"\\', '[1,]', '- 1', 'nan'])(
    'rejects %j',
    (text) => {
      expect(() => parseExactJson(text)).toThrow(SyntaxError);
    },
  );
});
