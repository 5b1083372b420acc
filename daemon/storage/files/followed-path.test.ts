import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { followedPath } from './followed-path.js';

it.each([
  ['a/file.md', 'a/file.md'],
  ['a/not-there/at/all.md', 'a/not-there/at/all.md'],
  ['to-file', 'a/file.md'],
  ['to-folder/file.md', 'a/file.md'],
  ['to-folder/not-there.md', 'a/not-there.md'],
  ['dangling', 'nowhere'],
  ['dangling/inner.md', 'nowhere/inner.md'],
  ['twice', 'nowhere'],
  ['ring', undefined],
  ['ring/inner.md', undefined],
])('resolves %s to %s', (path, place) => {
  const root = temporaryFolder({ 'a/file.md': '' });
  const links = {
    'to-file': 'a/file.md',
    'to-folder': 'a',
    dangling: 'nowhere',
    twice: 'dangling',
    ring: 'gnir',
    gnir: 'ring',
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(root, name));
  expect(followedPath(join(root, path))).toBe(place === undefined ? undefined : join(root, place));
});

it('follows as many links as are allowed, and no more', () => {
  const root = temporaryFolder();
  const names = Array.from({ length: 42 }, (_, at) => `link-${at}`);
  for (const [at, name] of names.entries()) symlinkSync(names[at - 1] ?? 'nowhere', join(root, name));
  const follow = (at: number, links?: number) => followedPath(join(root, `link-${at}`), links);
  expect([follow(1, 2), follow(1, 1)]).toEqual([join(root, 'nowhere'), undefined]);
  expect([follow(39), follow(40)]).toEqual([join(root, 'nowhere'), undefined]);
});
