import { existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { loadIdentity } from './identity-file.js';
import { loadKey } from './key-file.js';

const KEY = Buffer.alloc(32, 7);
const fresh = () => KEY;
const mayWrite = (may: boolean) => vi.fn(async () => may);

it('makes a key once, in a file of the user alone, and finds it again', async () => {
  const folder = temporaryFolder();
  const may = mayWrite(true);
  expect(await loadKey(folder, 'v1.key', fresh, may)).toEqual(KEY);
  const path = join(folder, 'v1.key');
  expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual([`${KEY.toString('base64')}\n`, 0o600]);
  const other = () => Buffer.alloc(32, 8);
  expect(await loadKey(folder, 'v1.key', other, may)).toEqual(KEY);
  // Asked only when a key would be written.
  expect(may).toHaveBeenCalledTimes(1);
});

it('makes a key for this run alone where none may be written', async () => {
  const folder = temporaryFolder();
  expect(await loadKey(folder, 'v1.key', fresh, mayWrite(false))).toEqual(KEY);
  expect(existsSync(join(folder, 'v1.key'))).toBe(false);
});

it.each(['', 'not a key', Buffer.alloc(31).toString('base64'), Buffer.alloc(33).toString('base64')])(
  'replaces no damaged key: %j',
  async (text) => {
    const folder = temporaryFolder({ 'v1.key': text });
    const path = join(folder, 'v1.key');
    await expect(loadKey(folder, 'v1.key', fresh, mayWrite(true))).rejects.toMatchObject({
      code: 'bad_request',
      message: `${path} is damaged: restore it, or remove it to get a new one.`,
    });
    expect(readFileSync(path, 'utf8')).toBe(text);
  },
);

it('reads no key through a link', async () => {
  const folder = temporaryFolder({ other: KEY.toString('base64') });
  symlinkSync('other', join(folder, 'v1.key'));
  await expect(loadKey(folder, 'v1.key', fresh, mayWrite(true))).rejects.toMatchObject({ code: 'forbidden' });
});

it('the identity of the daemon is the same at each start', async () => {
  const folder = temporaryFolder();
  const first = await loadIdentity(folder, mayWrite(true));
  expect((await loadIdentity(folder, mayWrite(true))).pubkey).toBe(first.pubkey);
  expect(existsSync(join(folder, 'identity.key'))).toBe(true);
  expect((await loadIdentity(temporaryFolder(), mayWrite(true))).pubkey).not.toBe(first.pubkey);
});
