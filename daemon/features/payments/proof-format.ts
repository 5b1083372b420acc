import { decodeBase58 } from '../../lib/crypto/base58.js';
import { MeshError } from '../../lib/errors.js';
import type { Payer } from './payment-port.js';

/** Both parts of a proof, as sent. */
export interface Proof {
  signature: string;
  nonce: string;
}

const NONCE = /^[A-Za-z0-9_-]{1,128}$/;

const refuse = (reason: string, message: string) => new MeshError('proof_format', message, { details: { reason } });

/**
 * Returns the proof of a call, or undefined when it has none. Throws `proof_format` with a `reason` when one part is
 * missing or is not a transaction signature; payment headers of other dialects contain base64 JSON.
 */
export function parseProof({ proof, nonce }: Pick<Payer, 'proof' | 'nonce'>): Proof | undefined {
  if (proof === undefined && nonce === undefined) return undefined;
  if (proof === undefined || proof === '')
    throw refuse('proof_missing', 'Send X-Payment-Proof: <transaction signature> beside X-Payment-Nonce.');
  if (nonce === undefined || nonce === '')
    throw refuse('nonce_missing', 'Send X-Payment-Nonce: <nonce of the challenge> beside X-Payment-Proof.');
  if (proof.startsWith('{') || proof.startsWith('eyJ')) {
    throw refuse(
      'other_dialect',
      'X-Payment-Proof is JSON: send the base58 signature of the transaction that you sent yourself.',
    );
  }
  const bytes = proof.length <= 90 ? decodeBase58(proof) : undefined;
  if (!bytes) throw refuse('not_base58', 'X-Payment-Proof must be the base58 signature of a transaction.');
  if (bytes.length !== 64)
    throw refuse('wrong_length', `X-Payment-Proof is of ${bytes.length} bytes; a transaction signature has 64.`);
  if (!NONCE.test(nonce))
    throw refuse('not_a_nonce', 'X-Payment-Nonce must be the nonce of a challenge, as it was sent.');
  return { signature: proof, nonce };
}
