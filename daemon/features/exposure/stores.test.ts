import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../lib/crypto/digests.js';
import { SecretFile } from '../../storage/files/secret-file.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { Agreements } from './agreements.js';
import { describeFormer, FormerTokens } from './former-tokens.js';
import { TokenStore } from './token-store.js';

/** A file with `content`, that counts how often it was written. */
function aFile(content?: unknown) {
  const root = temporaryFolder(content === undefined ? {} : { 'folder/store.json': JSON.stringify(content) });
  const path = join(root, 'folder/store.json');
  const written = { times: 0 };
  class CountedFile extends SecretFile {
    override async write(...value: Parameters<SecretFile['write']>) {
      written.times += 1;
      await super.write(...value);
    }
  }
  return { path, file: new CountedFile(path), written, read: () => JSON.parse(readFileSync(path, 'utf8')) as unknown };
}

const tokenOf = (letter: string) => `mk_${letter.repeat(43)}`;

describe('the token store', () => {
  it('makes tokens only for members that have none, and writes only when it made one', async () => {
    const { file, written, read } = aFile({ guide: tokenOf('a') });
    const store = new TokenStore(file);
    await store.add(['guide', 'clerk'], () => tokenOf('b'));
    await store.add(['clerk', 'guide'], () => tokenOf('c'));
    await store.add([], () => tokenOf('d'));
    expect(read()).toEqual({ guide: tokenOf('a'), clerk: tokenOf('b') });
    expect(written.times).toBe(1);
    expect(store.ids()).toEqual(['guide', 'clerk']);
    expect(store.findDigest('clerk')).toEqual(sha256(tokenOf('b')));
    expect([store.findToken('nobody'), store.findDigest('nobody')]).toEqual([undefined, undefined]);
  });

  it('gives the digest of a token that it removed, and writes nothing when there was none', async () => {
    const { file, written, read } = aFile({ guide: tokenOf('a'), clerk: tokenOf('b') });
    const store = new TokenStore(file);
    expect(await store.remove('nobody')).toBeUndefined();
    expect(written.times).toBe(0);
    expect(await store.remove('clerk')).toEqual(sha256(tokenOf('b')));
    expect(read()).toEqual({ guide: tokenOf('a') });
  });

  it('replaces a token only when it is still wanted at the time of the write', async () => {
    const { file, written, read } = aFile({ guide: tokenOf('a') });
    const store = new TokenStore(file);
    expect(await store.replace('guide', tokenOf('b'), () => false)).toBe(false);
    expect([store.findToken('guide'), written.times]).toEqual([tokenOf('a'), 0]);
    expect(await store.replace('guide', tokenOf('b'), () => true)).toBe(true);
    expect(read()).toEqual({ guide: tokenOf('b') });
  });

  it('accepts a token of 32 characters and none that is shorter, and names the file to mend', async () => {
    await new TokenStore(aFile({ guide: 'x'.repeat(32) }).file).load();
    const { file, path } = aFile({ guide: 'x'.repeat(31) });
    await expect(new TokenStore(file).load()).rejects.toMatchObject({
      code: 'store_readonly',
      message: `${path} is damaged: mend it, or remove it to have new tokens made.`,
    });
  });
});

describe('the decisions of the operator', () => {
  it('are on first use until the first one is asked for, even if nothing is decided', async () => {
    const { file, read } = aFile();
    const agreements = new Agreements(file);
    await agreements.load();
    expect(agreements.isFirstUse).toBe(true);
    await agreements.decide([], 'agreed', () => true);
    expect([agreements.isFirstUse, read()]).toEqual([false, {}]);
    const again = new Agreements(file);
    await again.load();
    expect(again.isFirstUse).toBe(false);
  });

  it('are recorded for those members alone that still ask for one', async () => {
    const { file, read } = aFile({ porter: 'kept_internal' });
    const agreements = new Agreements(file);
    await agreements.decide(['guide', 'clerk'], 'agreed', (id) => id === 'guide');
    expect(read()).toEqual({ porter: 'kept_internal', guide: 'agreed' });
    expect(agreements.ids()).toEqual(['porter', 'guide']);
    expect([agreements.find('guide'), agreements.find('clerk')]).toEqual(['agreed', undefined]);
  });

  it('are written only when one changes', async () => {
    const { file, written, read } = aFile({ guide: 'agreed', clerk: 'agreed' });
    const agreements = new Agreements(file);
    await agreements.decide(['guide'], 'agreed', () => true);
    await agreements.forget('nobody');
    expect(written.times).toBe(0);
    await agreements.decide(['guide'], 'kept_internal', () => true);
    expect(read()).toEqual({ guide: 'kept_internal', clerk: 'agreed' });
    await agreements.forget('guide');
    expect([read(), written.times]).toEqual([{ clerk: 'agreed' }, 2]);
  });

  it('are read from a file without those of unknown kinds and of names that no member can have', async () => {
    const { file } = aFile({ guide: 'agreed', clerk: 'maybe', '../x': 'agreed', porter: 7, usher: 'kept_internal' });
    const agreements = new Agreements(file);
    await agreements.load();
    expect(agreements.ids()).toEqual(['guide', 'usher']);
  });
});

describe('tokens that ended', () => {
  const AT = Date.UTC(2026, 10, 27);
  const ended = (token: string, member = 'guide') => ({ digest: sha256(token), member });

  it('are kept by their digest alone, with their member, the reason and the time', async () => {
    const { file, path } = aFile();
    const former = new FormerTokens(file);
    await former.add(ended('one'), 'rotated', AT);
    await former.add(ended('two', 'clerk'), 'removed', AT);
    const again = new FormerTokens(file);
    await again.load();
    expect(again.find('two')).toEqual({ member: 'clerk', ending: 'removed', at: '2026-11-27T00:00:00.000Z' });
    expect(again.find('three')).toBeUndefined();
    expect(readFileSync(path, 'utf8')).not.toContain('two');
  });

  it('are forgotten above 500, the oldest first', async () => {
    const entry = { member: 'guide', ending: 'rotated', at: '2026-11-26T00:00:00.000Z' };
    const { file, read } = aFile(
      Object.fromEntries(Array.from({ length: 500 }, (_, at) => [sha256(`token ${at}`).toString('hex'), entry])),
    );
    const former = new FormerTokens(file);
    await former.add(ended('last'), 'rotated', AT);
    expect(['token 0', 'token 1', 'token 499', 'last'].map((token) => former.find(token) !== undefined)).toEqual([
      false,
      true,
      true,
      true,
    ]);
    expect(Object.keys(read() as object)).toHaveLength(500);
  });

  it('are read from a file without invalid entries', async () => {
    const entry = { member: 'guide', ending: 'internal', at: '2026-11-27T00:00:00.000Z' };
    const key = (token: string) => sha256(token).toString('hex');
    const bad = {
      none: null,
      text: 'guide',
      member: { ...entry, member: '../x' },
      number: { ...entry, member: 7 },
      list: { ...entry, member: ['guide'] },
      ending: { ...entry, ending: 'lost' },
      at: { ...entry, at: 7 },
    };
    const { file } = aFile({
      [key('good')]: entry,
      ...Object.fromEntries(Object.entries(bad).map(([name, value]) => [key(name), value])),
    });
    const former = new FormerTokens(file);
    await former.load();
    expect(former.find('good')).toEqual(entry);
    for (const name of Object.keys(bad)) expect(former.find(name)).toBeUndefined();
  });

  it.each([
    ['rotated', 'was replaced at NOW.', 'get the present one from the operator (`meshd token show guide`).'],
    ['removed', 'was removed at NOW,', 'Stop polling, and ask the operator for another member.'],
    ['internal', 'became internal at NOW,', 'ask the operator to expose it again, which makes a new token.'],
  ] as const)('tell their holder what happened and what to do: %s', (ending, what, remedy) => {
    const told = describeFormer({ member: 'guide', ending, at: 'NOW' });
    expect(told).toContain('`guide`');
    expect(told).toContain(what);
    expect(told.endsWith(remedy)).toBe(true);
  });
});
