import { sha256Hex } from '../../lib/crypto/digests.js';
import { jcs } from '../../lib/crypto/jcs.js';
import { MeshError } from '../../lib/errors.js';
import type { AnyRequest } from '../route-types.js';

const MAX_CHARS = 512;
/** Headers in which other payment protocols carry their proofs. */
const OTHER_DIALECTS = ['x-payment', 'payment-signature'];

/** What a request offers as payment for a call, and who makes the call. */
interface OfferedPayment {
  address: string;
  pubkey?: string;
  apiKey?: string;
  proof?: string;
  nonce?: string;
}

/**
 * Returns a header that is sent once and not empty, or undefined. Throws `bad_request` for a value longer than 512
 * characters.
 */
export function getHeader(request: AnyRequest, name: string): string | undefined {
  const value = request.headers[name];
  if (value === undefined || Array.isArray(value) || value === '') return undefined;
  if (value.length > MAX_CHARS)
    throw new MeshError('bad_request', `The header ${name} is longer than ${MAX_CHARS} characters.`, {
      details: { path: name },
    });
  return value;
}

/**
 * Reads the payment headers of a skill call. Throws `proof_format` for a proof of another payment protocol and for an
 * incomplete proof. `pubkey` is the key of the request's valid signature. Spec: Skill call with payment.
 */
export function offeredPayment(request: AnyRequest, pubkey: string | undefined): OfferedPayment {
  const [apiKey, proof, nonce] = ['x-api-key', 'x-payment-proof', 'x-payment-nonce'].map((name) =>
    getHeader(request, name),
  );
  const isOtherDialect = OTHER_DIALECTS.some((name) => request.headers[name] !== undefined);
  if ((proof === undefined && isOtherDialect) || (proof === undefined) !== (nonce === undefined)) {
    throw new MeshError(
      'proof_format',
      'Prove a payment with both X-Payment-Proof (the transaction signature) and X-Payment-Nonce (the nonce ' +
        'that was its memo).',
    );
  }
  return {
    address: request.ip,
    ...(pubkey === undefined ? {} : { pubkey }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(proof === undefined ? {} : { proof }),
    ...(nonce === undefined ? {} : { nonce }),
  };
}

/**
 * Returns the digest of method, path and canonical body, independent of the formatting of the body. Only the same
 * request can repeat a paid call.
 */
export function requestDigest(request: AnyRequest): string {
  return sha256Hex([request.method, request.url, jcs(request.body ?? null)].join('\n'));
}
