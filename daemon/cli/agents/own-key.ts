import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { readPrivateSync } from '../../private/private-file.js';
import { inCredentials } from '../../private/private-names.js';
import { isOwnState } from '../daemon/project.js';

const SEED_BYTES = 32;
const OTHERS = 0o077;

/**
 * The public key of the project's daemon, derived from its seed. Returns undefined when this machine did not make the
 * state, or when the path is not a private file of this user, which proves nothing about the signer.
 */
export async function readOwnKey(root: string): Promise<string | undefined> {
  const path = inCredentials(join(root, '.mesh', 'credentials'), 'identity.key');
  let text: string | undefined;
  try {
    // Any user who can read the file can sign as this daemon.
    if ((lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS) return undefined;
    text = isOwnState(root) ? readPrivateSync(path) : undefined;
  } catch {
    // A link, or not readable.
    return undefined;
  }
  const seed = Buffer.from((text ?? '').trim(), 'base64');
  if (seed.length !== SEED_BYTES) return undefined;
  const { SigningKey } = await import('../../lib/crypto/ed25519.js');
  return new SigningKey(seed).pubkey;
}
