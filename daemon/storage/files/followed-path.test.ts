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
