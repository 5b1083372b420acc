import { sha256Hex } from '../lib/digests.js';
import { MeshError } from '../lib/errors.js';
import { jcs } from '../lib/jcs.js';
import type { AnyRequest } from './route-types.js';

const MAX_CHARS = 512;
/** Headers in which other dialects carry their proofs. */
const OTHER_DIALECTS = ['x-payment', 'payment-signature'];

/** What a request offers for a call, and who makes it. */
export interface OfferedPayment {
  address: string;
  pubkey?: string;
  apiKey?: string;
  proof?: string;
  nonce?: string;
}

/** A header that stands once, or undefined. Throws `bad_request` for one that is longer than any credential. */
export function headerOf(request: AnyRequest, name: string): string | undefined {
  const value = request.headers[name];
  if (value === undefined || Array.isArray(value) || value === '') return undefined;
  if (value.length > MAX_CHARS)
    throw new MeshError('bad_request', `The header ${name} is longer than ${MAX_CHARS} characters.`, {
      details: { path: name },
    });
  return value;
}

/**
 * Reads the payment headers of a skill call. Throws `proof_format` for a proof in another dialect, and for one half of a proof. `pubkey` is the key of the
 * request's valid signature. Spec: Skill call with payment.
 */
export function offeredPayment(request: AnyRequest, pubkey: string | undefined): OfferedPayment {
  const [apiKey, proof, nonce] = ['x-api-key', 'x-payment-proof', 'x-payment-nonce'].map((name) =>
    headerOf(request, name),
  );
  const isOtherDialect = OTHER_DIALECTS.some((name) => request.headers[name] !== undefined);
  if ((proof === undefined && isOtherDialect) || (proof === undefined) !== (nonce === undefined)) {
    throw new MeshError(
      'proof_format',
      'Prove a payment with both X-Payment-Proof (the transaction signature) and X-Payment-Nonce (the nonce that was its memo).',
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

/** Digest of method, path and body, however the body is spelled: a paid call is repeated only by the same request. */
export function requestDigest(request: AnyRequest): string {
  return sha256Hex([request.method, request.raw.url ?? '', jcs(request.body ?? null)].join('\n'));
}
