import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeBase58, encodeBase58, isBase58OfLength } from './base58.js';

it.each([
  ['', ''],
  ['00', '1'],
  ['0000', '11'],
  ['61', '2g'],
  ['626262', 'a3gV'],
  ['516b6fcd0f', 'ABnLTmg'],
  ['00eb15231dfceb60925886b67d065299925915aeb172c06647', '1NS17iag9jJgTHD1VXjvLCEnZuQ3rJDE9L'],
  ['00'.repeat(32), '1'.repeat(32)],
])('encodes %s as %j and decodes it', (hex, text) => {
  expect(encodeBase58(Buffer.from(hex, 'hex'))).toBe(text);
  expect(decodeBase58(text)?.toString('hex')).toBe(hex);
});

it('decodes to the bytes that were encoded', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 100 }),
      (bytes) => void expect(decodeBase58(encodeBase58(bytes))).toEqual(Buffer.from(bytes)),
    ),
  );
});

it.each(['0', 'O', 'I', 'l', 'a b', 'ä', '2g=', '1'.repeat(4097)])('rejects %j', (text) => {
  expect(decodeBase58(text)).toBeUndefined();
});

it('checks the length of keys and signatures in bytes, not in characters', () => {
  expect(isBase58OfLength(32, encodeBase58(Buffer.alloc(32, 255)))).toBe(true);
  expect(isBase58OfLength(32, encodeBase58(Buffer.alloc(33, 1)))).toBe(false);
  expect(isBase58OfLength(64, '1'.repeat(64))).toBe(true);
  // 255 takes two characters for its one byte, and no text takes more than two for each.
  expect(isBase58OfLength(1, encodeBase58(Buffer.from([255])))).toBe(true);
  expect(isBase58OfLength(32, '0'.repeat(32))).toBe(false);
  for (const other of ['', '1'.repeat(65), undefined, null, 7, {}]) expect(isBase58OfLength(64, other)).toBe(false);
});

it('decodes up to 2,048 characters, and nothing longer', () => {
  expect(decodeBase58('1'.repeat(2_048))).toHaveLength(2_048);
  expect(decodeBase58('1'.repeat(2_049))).toBeUndefined();
});
