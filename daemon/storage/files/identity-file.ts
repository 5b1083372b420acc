import { SigningKey } from '../../lib/crypto/ed25519.js';
import { loadKey } from './key-file.js';

/**
 * Loads the daemon's Ed25519 identity, which is created at the first start: the seed in
 * `.mesh/credentials/identity.key`. See `loadKey`.
 */
export async function loadIdentity(credentials: string, mayWrite: () => Promise<boolean>): Promise<SigningKey> {
  return new SigningKey(await loadKey(credentials, 'identity.key', SigningKey.newSeed, mayWrite));
}
