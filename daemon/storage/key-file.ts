import { join } from 'node:path';
import { MeshError } from '../lib/errors.js';
import { readPrivate } from '../private/private-file.js';
import { atomicWrite } from './atomic-write.js';

const KEY_BYTES = 32;

/**
 * The 32 bytes in the file `name` of the credentials folder, base64, 0600; made by `fresh` when it is missing. While no new secret may be written
 * (`mayWrite`, asked only then) they are for this run only. Anything but a regular file of this user's in its place, and a damaged key, stop the start.
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
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== KEY_BYTES)
    throw new MeshError('bad_request', `${path} is damaged: restore it, or remove it to get a new one.`);
  return key;
}
