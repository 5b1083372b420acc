import { isBase58OfLength } from '../../lib/crypto/base58.js';
import { MeshError } from '../../lib/errors.js';

const ADDRESS_BYTES = 32;
const SIGNATURE_BYTES = 64;

export const isAddress = (value: unknown): value is string => isBase58OfLength(ADDRESS_BYTES, value);
export const isSignature = (value: unknown): value is string => isBase58OfLength(SIGNATURE_BYTES, value);

/** Returns `address`. Throws `bad_request` when it is not a valid address. */
export function requireAddress(address: string): string {
  if (isAddress(address)) return address;
  throw new MeshError('bad_request', 'An address must be the base58 of a 32-byte public key.', {
    details: { path: 'address' },
  });
}

/** Returns `signature`. Throws `proof_format` when it is not a valid transaction signature. */
export function requireSignature(signature: string): string {
  if (isSignature(signature)) return signature;
  throw new MeshError('proof_format', 'The proof must be the signature of a transaction: the base58 of 64 bytes.');
}
