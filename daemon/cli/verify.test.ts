import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { readGiven, verifyGiven } from './verify.js';

it('takes a bare receipt and a whole record', () => {
  expect(readGiven('{"v":1}')).toEqual({ receipt: { v: 1 } });
  expect(readGiven('{"receipt":{"v":1},"result_text":"x"}')).toEqual({ receipt: { v: 1 }, record: { receipt: { v: 1 }, result_text: 'x' } });
});

it('says that what is no JSON is no receipt', () => {
  expect(() => readGiven('receipt')).toThrow('not JSON');
});

it('names what is wrong with what is no receipt', async () => {
  expect(generateKeyPairSync('ed25519')).toBeDefined();
  expect(await verifyGiven({ receipt: { v: 1 } })).toMatchObject({ valid: false, pubkey: null });
});
