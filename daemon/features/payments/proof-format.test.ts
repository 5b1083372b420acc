import { describe, expect, it } from 'vitest';
import { encodeBase58 } from '../../lib/crypto/base58.js';
import { isMeshError } from '../../lib/errors.js';
import { parseProof } from './proof-format.js';

const SIGNATURE = encodeBase58(Buffer.alloc(64, 9));

function refusal(payer: { proof?: string; nonce?: string }) {
  try {
    return parseProof(payer);
  } catch (error) {
    return isMeshError(error, 'proof_format') ? [error.details['reason'], error.message] : error;
  }
}

describe('X-Payment-Proof and X-Payment-Nonce', () => {
  it('are accepted as a transaction signature and a nonce, or when both are absent', () => {
    expect(parseProof({ proof: SIGNATURE, nonce: 'abc' })).toEqual({ signature: SIGNATURE, nonce: 'abc' });
    expect(parseProof({})).toBeUndefined();
  });

  it('accept a signature of the most and of the fewest base58 digits', () => {
    for (const byte of [0, 255]) {
      const proof = encodeBase58(Buffer.alloc(64, byte));
      expect(parseProof({ proof, nonce: 'a_-Z9' })).toEqual({ signature: proof, nonce: 'a_-Z9' });
    }
  });

  it.each([
    ['proof_missing', { nonce: 'abc' }, 'Send X-Payment-Proof'],
    ['proof_missing', { proof: '', nonce: 'abc' }, 'Send X-Payment-Proof'],
    ['nonce_missing', { proof: SIGNATURE }, 'Send X-Payment-Nonce'],
    ['nonce_missing', { proof: SIGNATURE, nonce: '' }, 'Send X-Payment-Nonce'],
    [
      'other_dialect',
      { proof: Buffer.from('{"x402Version":2,"payload":{}}').toString('base64'), nonce: 'abc' },
      'JSON',
    ],
    ['other_dialect', { proof: '{"signature":"x"}', nonce: 'abc' }, 'send the base58 signature'],
    ['not_base58', { proof: '0'.repeat(88), nonce: 'abc' }, 'must be the base58 signature'],
    ['not_base58', { proof: `${SIGNATURE} `, nonce: 'abc' }, 'must be the base58 signature'],
    ['not_base58', { proof: SIGNATURE.repeat(2), nonce: 'abc' }, 'must be the base58 signature'],
    ['wrong_length', { proof: encodeBase58(Buffer.alloc(63, 9)), nonce: 'abc' }, 'is of 63 bytes'],
    ['wrong_length', { proof: encodeBase58(Buffer.alloc(32, 9)), nonce: 'abc' }, 'is of 32 bytes'],
    ['wrong_length', { proof: '1'.repeat(90), nonce: 'abc' }, 'is of 90 bytes'],
    ['not_base58', { proof: '1'.repeat(91), nonce: 'abc' }, 'must be the base58 signature'],
    ['not_a_nonce', { proof: SIGNATURE, nonce: 'a b' }, 'must be the nonce of a challenge'],
    ['not_a_nonce', { proof: SIGNATURE, nonce: 'x'.repeat(129) }, 'must be the nonce of a challenge'],
  ])('of another dialect are refused with proof_format: %s', (reason, payer, message) => {
    expect(refusal(payer)).toEqual([reason, expect.stringContaining(message)]);
  });
});
