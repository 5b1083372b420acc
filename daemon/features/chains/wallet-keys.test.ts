import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SecretFile } from '../../storage/files/secret-file.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { walletKey } from './wallet-key.js';
import { WalletKeys } from './wallet-keys.js';

function aKeyFile(mayWrite = true) {
  const path = join(temporaryFolder(), 'credentials', 'wallets.json');
  const open = () => new WalletKeys(new SecretFile(path), async () => mayWrite);
  const write = async (content: unknown) => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path, JSON.stringify(content), { mode: 0o600 });
  };
  return { path, open, write };
}

/** A wallet as it is in the file. */
const stored = (byte: number) => {
  const seed = Buffer.alloc(32, byte);
  return { address: walletKey(seed).address, seed: seed.toString('base64') };
};

describe('the keys of the wallets', () => {
  it('are in the file as address and seed by name, and read from it', async () => {
    const { path, open } = aKeyFile();
    const { key } = await open().make('main');
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      main: { address: key.address, seed: Buffer.from(key.seed).toString('base64') },
    });
    expect(walletKey(key.seed)).toEqual(key);
    expect([...(await open().all())]).toEqual([['main', key]]);
  });

  it('are at most 100', async () => {
    const { open, write } = aKeyFile();
    await write(Object.fromEntries(Array.from({ length: 99 }, (_, i) => [`w-${i}`, stored(i + 1)])));
    const keys = open();
    expect((await keys.make('hundredth')).isNew).toBe(true);
    expect((await keys.make('w-0')).isNew).toBe(false);
    await expect(keys.make('more')).rejects.toMatchObject({
      code: 'limit_reached',
      message: 'There are 100 wallets already; use one of them.',
    });
    expect((await keys.all()).size).toBe(100);
  });

  it('have only `main` without being asked for: others are named as missing', async () => {
    const { open } = aKeyFile();
    await expect(open().get('savings')).rejects.toMatchObject({
      code: 'not_found',
      message: 'There is no wallet savings: create it with `meshd wallet new savings`.',
    });
    const savings = await open().make('savings');
    expect(await open().get('savings')).toEqual(savings.key);
    const { address } = await open().get();
    expect([...(await open().all()).keys()]).toEqual(['savings', 'main']);
    expect((await open().get('main')).address).toBe(address);
  });

  it('are not written while git tracks them', async () => {
    await expect(aKeyFile(false).open().make('main')).rejects.toMatchObject({
      code: 'forbidden',
      message:
        'Git tracks files of .mesh/credentials or .mesh/state, so no new key is written. Run `git rm -r --cached ' +
        '--ignore-unmatch .mesh/credentials .mesh/state`, commit, and try again.',
    });
  });

  const { address, seed } = stored(1);
  it.each([
    ['null', null],
    ['a number', 7],
    ['an empty object', {}],
    ['the address of another key', { address: stored(2).address, seed }],
    ['no address', { seed }],
    ['no seed', { address }],
    ['a seed that is no text', { address, seed: 7 }],
    ['a seed of 31 bytes', { address, seed: Buffer.alloc(31, 1).toString('base64') }],
    ['a seed of 33 bytes', { address, seed: Buffer.alloc(33, 1).toString('base64') }],
  ])('are not used when one of them is damaged: %s', async (_name, damaged) => {
    const { path, open, write } = aKeyFile();
    await write({ good: stored(3), bad: damaged });
    await expect(open().all()).rejects.toMatchObject({
      code: 'store_readonly',
      message: `${path} is damaged at "bad": restore it from a backup; it holds the keys of your wallets.`,
    });
  });
});
