import { expect, it } from 'vitest';
import { encodeBase58 } from '../../lib/crypto/base58.js';
import { isAddress, isSignature, requireAddress, requireSignature } from './addresses.js';

const ofBytes = (length: number) => encodeBase58(Buffer.alloc(length, 7));

it.each([31, 32, 33, 63, 64, 65])('the base58 of %i bytes is an address with 32, and a signature with 64', (length) => {
  expect([isAddress(ofBytes(length)), isSignature(ofBytes(length))]).toEqual([length === 32, length === 64]);
});

it('a valid address and a valid signature are returned unchanged', () => {
  expect(requireAddress(ofBytes(32))).toBe(ofBytes(32));
  expect(requireSignature(ofBytes(64))).toBe(ofBytes(64));
});

it('others are refused with what is expected', () => {
  expect(() => requireAddress(ofBytes(64))).toThrow(
    expect.objectContaining({
      code: 'bad_request',
      message: 'An address must be the base58 of a 32-byte public key.',
      details: { path: 'address' },
    }),
  );
  expect(() => requireSignature(ofBytes(32))).toThrow(
    expect.objectContaining({
      code: 'proof_format',
      message: 'The proof must be the signature of a transaction: the base58 of 64 bytes.',
    }),
  );
});
