import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { withTemporaryIndex } from './temporary-index.js';
import { isUntracked, LIST_FILES, listedPaths, TRACKING_UNKNOWN, trackingWithoutList } from './tracked-files.js';

it('lists what git tracks and what it does not ignore, and tells them apart', () => {
  const root = temporaryRepository({ 'a.txt': 'a', '.gitignore': 'ignored\n', 'b c.txt': 'b' });
  putFiles(root, { 'new\nline.txt': 'n', ignored: 'i', '?': 'q' });
  expect(Object.fromEntries(listedPaths(git(root, ...LIST_FILES)))).toEqual({
    ...{ 'a.txt': true, '.gitignore': true, 'b c.txt': true, 'new\nline.txt': false, '?': false },
  });
});

it('takes a path that is listed twice for tracked when git tracks it, in either order', () => {
  expect([...listedPaths('H a\0? a\0? b\0H b\0? c\0')]).toEqual([
    ['a', true],
    ['b', true],
    ['c', false],
  ]);
  expect(listedPaths('').size).toBe(0);
});

it('tells a project without a repository from one whose repository git cannot read', () => {
  const root = temporaryFolder({ 'a/b/c.txt': 'c' });
  const below = join(root, 'a/b');
  expect(trackingWithoutList(below)).toBe('none');
  symlinkSync('nowhere', join(root, 'a/.git'));
  expect([trackingWithoutList(below), trackingWithoutList(join(root, 'a')), trackingWithoutList(root)]).toEqual([
    ...['unknown', 'unknown', 'none'],
  ]);
  mkdirSync(join(root, '.git'));
  expect(trackingWithoutList(root)).toBe('unknown');
  expect(TRACKING_UNKNOWN).toBe(
    'Git cannot tell which files this project tracks, so none of them is read for other programs. Its operator can ' +
      'see why with `git status`.',
  );
});

it('gives work an index of its own, which is removed after it, also when it fails', async () => {
  const seen: string[] = [];
  const use = async (index: string) => {
    seen.push(index);
    expect(existsSync(index)).toBe(false);
    writeFileSync(index, 'x');
    return 'done';
  };
  expect(await withTemporaryIndex(use)).toBe('done');
  const fails = withTemporaryIndex(async (index) => {
    await use(index);
    throw new Error('the work failed');
  });
  await expect(fails).rejects.toThrow('the work failed');
  expect([new Set(seen).size, seen.map((index) => existsSync(join(index, '..')))]).toEqual([2, [false, false]]);
  for (const index of seen) expect(index.startsWith(join(tmpdir(), 'meshd-index-'))).toBe(true);
  await withTemporaryIndex(async (index) => rmSync(join(index, '..'), { recursive: true }));
});

it('knows the files that git does not track, ignored ones too, and no others', async () => {
  const root = temporaryRepository({ 'part/tracked.txt': 't', 'a[b].txt': 't', '.gitignore': 'ignored\n' });
  putFiles(root, { 'part/new.txt': 'n', ignored: 'i', 'folder/x': 'x', 'folder/y': 'y', 'ab.txt': 'n' });
  const plain = temporaryFolder({ 'new.txt': 'n' });
  const find = (path: string) => isUntracked(path, { PATH: process.env['PATH'], HOME: '/nonexistent' });
  const untracked = ['part/new.txt', 'ignored', 'ab.txt'].map((path) => join(root, path));
  expect(await Promise.all(untracked.map(find))).toEqual([true, true, true]);
  const others = ['part/tracked.txt', 'a[b].txt', 'none', 'folder', '*.txt'].map((path) => join(root, path));
  expect(await Promise.all([...others, join(plain, 'new.txt')].map(find))).toEqual(Array(6).fill(false));
});
