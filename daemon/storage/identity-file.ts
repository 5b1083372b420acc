import { constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SigningKey } from '../lib/ed25519.js';
import { MeshError, systemCode } from '../lib/errors.js';
import { atomicWrite } from './atomic-write.js';

/**
 * The daemon's Ed25519 identity, made at first start: `.mesh/credentials/identity.key`, the seed in base64, 0600. While no new secret may be
 * written (`mayWrite`, asked only when it is missing), one is made for this run only.
 */
export async function loadIdentity(credentials: string, mayWrite: () => Promise<boolean>): Promise<SigningKey> {
  const path = join(credentials, 'identity.key');
  let text: string | undefined;
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    text = await readFile(file, 'utf8').finally(() => file.close());
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
  if (text === undefined) {
    const seed = SigningKey.newSeed();
    if (await mayWrite()) await atomicWrite(path, `${seed.toString('base64')}\n`, 0o600);
    return new SigningKey(seed);
  }
  const seed = Buffer.from(text.trim(), 'base64');
  if (seed.length !== 32)
    throw new MeshError('bad_request', '.mesh/credentials/identity.key is damaged: restore it, or remove it to get a new identity.');
  return new SigningKey(seed);
}
