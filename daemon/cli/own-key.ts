import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { readPrivateSync } from '../private/private-file.js';
import { inCredentials } from '../private/private-names.js';
import { isOwnState } from './project.js';

const SEED_BYTES = 32;
const OTHERS = 0o077;

/**
 * The public key of the project's daemon, from the seed that it signs with; undefined when this machine did not make it, or
 * something else than a file of this user's stands in its place, which proves nothing of who signed.
 */
export async function readOwnKey(root: string): Promise<string | undefined> {
  const path = inCredentials(join(root, '.mesh', 'credentials'), 'identity.key');
  let text: string | undefined;
  try {
    // Whoever can read it can sign as this daemon.
    if ((lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS) return undefined;
    text = isOwnState(root) ? readPrivateSync(path) : undefined;
  } catch {
    // A link, or not ours to read.
    return undefined;
  }
  const seed = Buffer.from((text ?? '').trim(), 'base64');
  if (seed.length !== SEED_BYTES) return undefined;
  const { SigningKey } = await import('../lib/ed25519.js');
  return new SigningKey(seed).pubkey;
}
