import { sha256Hex } from '../../lib/crypto/digests.js';
import { jcs } from '../../lib/crypto/jcs.js';
import { MeshError } from '../../lib/errors.js';
import type { AnyRequest } from '../route-types.js';

/**
 * Returns the `Idempotency-Key` header of a request with the digest of its body, or undefined without one. `scope`
 * identifies the owner of the keys. Throws `bad_request` unless the key has 1 to 128 printable characters.
 */
export function parseIdempotencyKey(
  request: AnyRequest,
  scope: string,
): { scope: string; key: string; body_sha256: string } | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,128}$/.test(key)) {
    throw new MeshError('bad_request', 'Idempotency-Key must be 1 to 128 printable characters.', {
      details: { path: 'Idempotency-Key' },
    });
  }
  return { scope, key, body_sha256: sha256Hex(jcs(request.body ?? null)) };
}
