import { linkSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { putFiles, temporaryFolder } from '../../testing/temporary-folder.js';
import { HeldFiles } from './held-files.js';

function aFolder() {
  const folder = temporaryFolder({ 'd/a.db': 'a', 'd/b.db': 'b' });
  const [a, b, none] = ['d/a.db', 'd/b.db', 'd/none.db'].map((name) => join(folder, name)) as [string, string, string];
  return { folder, a, b, none, held: new HeldFiles([a, b, none]) };
}

it('misses nothing while the files are where they were, whatever is written to them', () => {
  const { folder, held } = aFolder();
  putFiles(folder, { 'd/a.db': 'more', 'd/none.db': 'new' });
  expect(held.missing()).toBeUndefined();
  expect(new HeldFiles([]).missing()).toBeUndefined();
});

it('misses the first file that is gone or another one', () => {
  const { folder, a, b, held } = aFolder();
  // The old file is kept, so that the new one is not it again.
  linkSync(b, join(folder, 'kept'));
  unlinkSync(b);
  putFiles(folder, { 'd/b.db': 'b' });
  expect(held.missing()).toBe(b);
  unlinkSync(a);
  expect(held.missing()).toBe(a);
});

it.each([
  ['is gone', () => undefined],
  ['is a file', (path: string) => putFiles(join(path, '..'), { d: '' })],
  ['leads nowhere', (path: string) => symlinkSync('d', path)],
])('misses the files of a folder that %s', (_, put) => {
  const { folder, a, held } = aFolder();
  renameSync(join(folder, 'd'), join(folder, 'moved'));
  put(join(folder, 'd'));
  expect(held.missing()).toBe(a);
  rmSync(join(folder, 'd'), { force: true });
  renameSync(join(folder, 'moved'), join(folder, 'd'));
  expect(held.missing()).toBeUndefined();
});
