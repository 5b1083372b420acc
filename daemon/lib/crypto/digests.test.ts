import { expect, it } from 'vitest';
import { sameSecret, sha256, sha256Hex } from './digests.js';
import { jcs } from './jcs.js';

/** FIPS 180-2, appendix B.1. */
const ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';

it('SHA-256 is that of the bytes, or of the text in UTF-8', () => {
  expect([sha256Hex('abc'), sha256Hex(Buffer.from('abc')), sha256('abc').toString('hex')]).toEqual([ABC, ABC, ABC]);
  expect(sha256Hex('ä')).toBe(sha256Hex(Buffer.from([0xc3, 0xa4])));
});

it('two secrets are the same when they are equal, whatever their lengths', () => {
  expect([sameSecret('secret', 'secret'), sameSecret('', '')]).toEqual([true, true]);
  expect([sameSecret('secret', 'Secret'), sameSecret('secret', 'secre'), sameSecret('', 'x')]).toEqual([
    false,
    false,
    false,
  ]);
});

it('canonical JSON has sorted keys and no blanks, and is refused for what JSON cannot represent', () => {
  expect(jcs({ b: [1, 'x', null], a: { d: true, c: 1e21 } })).toBe('{"a":{"c":1e+21,"d":true},"b":[1,"x",null]}');
  expect(() => jcs(undefined)).toThrow('Not a JSON value');
  expect(() => jcs(Number.NaN)).toThrow();
});
