import { constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MeshError, systemCode } from '../lib/errors.js';
import { atomicWrite } from './atomic-write.js';

const KEY_BYTES = 32;

/**
 * The 32 bytes in the file `name` of the credentials folder, base64, 0600; made by `fresh` when it is missing. While no new secret may be written
 * (`mayWrite`, asked only then) they are for this run only. A link in the file's place and a damaged key stop the start.
 */
export async function loadKey(
  credentials: string,
  name: string,
  fresh: () => Buffer,
  mayWrite: () => Promise<boolean>,
): Promise<Buffer> {
  const path = join(credentials, name);
  let text: string | undefined;
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    text = await readFile(file, 'utf8').finally(() => file.close());
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
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
