import { join } from 'node:path';
import { MeshError } from '../../lib/errors.js';
import { readPrivate } from '../../private/private-file.js';
import { atomicWrite } from './atomic-write.js';

const KEY_BYTES = 32;

/**
 * Returns the 32 bytes in the file `name` of the credentials folder (base64, 0600); `fresh` creates them when the
 * file is missing. A new key is written only if `mayWrite` allows it, which is called only in that case;
 * otherwise the key lasts for this run only. Throws when the path is not a regular file of this user or the key
 * is damaged, which stops the start.
 */
export async function loadKey(
  credentials: string,
  name: string,
  fresh: () => Buffer,
  mayWrite: () => Promise<boolean>,
): Promise<Buffer> {
  const path = join(credentials, name);
  const text = await readPrivate(path);
  if (text === undefined) {
    const key = fresh();
    if (await mayWrite()) await atomicWrite(path, `${key.toString('base64')}\n`, 0o600);
    return key;
  }
  const key = Buffer.from(text, 'base64');
  if (key.length !== KEY_BYTES)
    throw new MeshError('bad_request', `${path} is damaged: restore it, or remove it to get a new one.`);
  return key;
}
