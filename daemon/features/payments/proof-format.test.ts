import { describe, expect, it } from 'vitest';
import { encodeBase58 } from '../../lib/crypto/base58.js';
import { isMeshError } from '../../lib/errors.js';
import { parseProof } from './proof-format.js';

const SIGNATURE = encodeBase58(Buffer.alloc(64, 9));

function refusal(payer: { proof?: string; nonce?: string }) {
  try {
    return parseProof(payer);
  } catch (error) {
    return isMeshError(error, 'proof_format') ? error.details['reason'] : error;
  }
}

describe('X-Payment-Proof and X-Payment-Nonce', () => {
  it('are accepted as a transaction signature and a nonce, or when both are absent', () => {
    expect(parseProof({ proof: SIGNATURE, nonce: 'abc' })).toEqual({ signature: SIGNATURE, nonce: 'abc' });
    expect(parseProof({})).toBeUndefined();
  });

  it.each([
    ['proof_missing', { nonce: 'abc' }],
    ['nonce_missing', { proof: SIGNATURE }],
    ['nonce_missing', { proof: SIGNATURE, nonce: '' }],
    ['other_dialect', { proof: Buffer.from('{"x402Version":2,"payload":{}}').toString('base64'), nonce: 'abc' }],
    ['other_dialect', { proof: '{"signature":"x"}', nonce: 'abc' }],
    ['not_base58', { proof: '0'.repeat(88), nonce: 'abc' }],
    ['not_base58', { proof: `${SIGNATURE} `, nonce: 'abc' }],
    ['not_base58', { proof: SIGNATURE.repeat(2), nonce: 'abc' }],
    ['wrong_length', { proof: encodeBase58(Buffer.alloc(63, 9)), nonce: 'abc' }],
    ['wrong_length', { proof: encodeBase58(Buffer.alloc(32, 9)), nonce: 'abc' }],
    ['not_a_nonce', { proof: SIGNATURE, nonce: 'a b' }],
    ['not_a_nonce', { proof: SIGNATURE, nonce: 'x'.repeat(129) }],
  ])('of another dialect are refused with proof_format: %s', (reason, payer) => {
    expect(refusal(payer)).toBe(reason);
  });
});
