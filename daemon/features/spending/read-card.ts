import type { Outbound } from '../../http/outbound/outbound-fetch.js';
import type { SigningKey } from '../../lib/crypto/ed25519.js';
import { signMeshSig } from '../../lib/crypto/mesh-sig.js';
import type { Clock } from '../../lib/time/clock.js';
import type { Signer } from './paying-ports.js';

/** Reads the JSON at `url` under the outbound policy. Throws an Error with the reason when it cannot be read. */
export async function readCardThrough(
  outbound: { json(url: string): Promise<Outbound> },
  url: string,
): Promise<unknown> {
  const fetched = await outbound.json(url);
  if (fetched.ok) return fetched.value;
  throw new Error(fetched.message);
}

/** Returns a signer that signs requests with `key`, with the current time. */
export function createSigner(key: SigningKey, clock: Clock): Signer {
  return {
    pubkey: key.pubkey,
    sign: (method, path, body = '') => signMeshSig(key, { method, path, body }, clock.now()),
  };
}
