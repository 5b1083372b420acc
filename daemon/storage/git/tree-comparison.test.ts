import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { git, putFiles, temporaryRepository } from '../../testing/temporary-folder.js';
import { GitRepository } from './git-repository.js';
import { comparePatch, compareTrees } from './tree-comparison.js';

const open = async (folder: string) => {
  const repository = await GitRepository.open(folder, { PATH: process.env['PATH'], HOME: '/nonexistent' });
  if (!repository) throw new Error('The repository was not opened.');
  return repository;
};

/** Commits everything that is in the folder and returns the tree. */
function commit(root: string): string {
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'next');
  return git(root, 'rev-parse', 'HEAD^{tree}').trim();
}

const usual = { oldPath: null, additions: 0, deletions: 0, isBinary: false, isSubmodule: false };
const LINES = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n';

it('says of each file how it differs and by how many lines, in the order of paths', async () => {
  const files = { 'changed.txt': 'a\nb\nc\n', 'gone.txt': 'g\n', 'old.txt': LINES, 'same.txt': 's\n', 'z.bin': 'z\0' };
  const root = temporaryRepository(files);
  const from = git(root, 'rev-parse', 'HEAD^{tree}').trim();
  renameSync(join(root, 'old.txt'), join(root, 'moved.txt'));
  writeFileSync(join(root, 'moved.txt'), `${LINES}nine\nten\n`);
  rmSync(join(root, 'gone.txt'));
  putFiles(root, { 'changed.txt': 'a\nB\nc\nd\n', 'folder/new.txt': '1\n2\n3\n', 'z.bin': 'Z\0' });
  const to = commit(root);
  const repository = await open(root);
  const added = { ...usual, path: 'folder/new.txt', status: 'added', additions: 3 };
  const changed = { ...usual, path: 'changed.txt', status: 'modified', additions: 2, deletions: 1 };
  const gone = { ...usual, path: 'gone.txt', status: 'deleted', deletions: 1 };
  const binary = { ...usual, path: 'z.bin', status: 'modified', isBinary: true };
  expect(await compareTrees(repository, from, to, { renames: true })).toEqual([
    ...[changed, added, gone],
    { ...usual, path: 'moved.txt', oldPath: 'old.txt', status: 'renamed', additions: 2 },
    binary,
  ]);
  expect(await compareTrees(repository, from, to, { renames: false })).toEqual([
    ...[changed, added, gone],
    { ...usual, path: 'moved.txt', status: 'added', additions: 10 },
    { ...usual, path: 'old.txt', status: 'deleted', deletions: 8 },
    binary,
  ]);
});

it('orders paths by their characters, also beyond the first 65,536', async () => {
  const root = temporaryRepository({ 'a.txt': 'a' });
  const from = git(root, 'rev-parse', 'HEAD^{tree}').trim();
  // Git orders by bytes, in which these are the other way round.
  putFiles(root, { '\uff61.txt': 'x', '\u{1f600}.txt': 'x' });
  const changes = await compareTrees(await open(root), from, commit(root), { renames: false });
  expect(changes.map(({ path }) => path)).toEqual(['\u{1f600}.txt', '\uff61.txt']);
});

it('finds no difference between a tree and itself, even when git has removed it', async () => {
  const repository = await open(temporaryRepository({ 'a.txt': 'a' }));
  const gone = '1'.repeat(40);
  expect(await compareTrees(repository, gone, gone, { renames: true })).toEqual([]);
  await expect(compareTrees(repository, gone, '2'.repeat(40), { renames: true })).rejects.toMatchObject({
    code: 'internal',
  });
});

it('marks what is or was a repository inside this one', async () => {
  const root = temporaryRepository({ 'a.txt': 'a' });
  const trees = [git(root, 'rev-parse', 'HEAD^{tree}').trim()];
  const head = git(root, 'rev-parse', 'HEAD').trim();
  git(root, 'update-index', '--add', '--cacheinfo', `160000,${head},inner`);
  trees.push(git(root, 'write-tree').trim());
  const [without, held] = trees as [string, string];
  const repository = await open(root);
  const inner = { path: 'inner', isSubmodule: true };
  expect(await compareTrees(repository, without, held, { renames: false })).toMatchObject([
    { ...inner, status: 'added' },
  ]);
  expect(await compareTrees(repository, held, without, { renames: false })).toMatchObject([
    { ...inner, status: 'deleted' },
  ]);
});

it('takes a file that became a link for a changed one, whose patch has both contents', async () => {
  const root = temporaryRepository({ 'a.txt': 'was\n' });
  const from = git(root, 'rev-parse', 'HEAD^{tree}').trim();
  rmSync(join(root, 'a.txt'));
  symlinkSync('target', join(root, 'a.txt'));
  const to = commit(root);
  const repository = await open(root);
  const [change] = await compareTrees(repository, from, to, { renames: true });
  expect(change).toMatchObject({ path: 'a.txt', status: 'modified' });
  const how = { context: 3, ignoresWhitespace: false };
  const patch = await comparePatch(repository, from, to, { path: 'a.txt', oldPath: null }, how);
  expect(patch).toMatch(/^@@ -1 \+0,0 @@\n-was\n[\s\S]*\n\+target\n/);
});

it('compares only what is below the folder of the repository that was opened', async () => {
  const root = temporaryRepository({ 'part/a.txt': 'a\n', 'other.txt': 'o\n' });
  const from = git(root, 'rev-parse', 'HEAD^{tree}').trim();
  putFiles(root, { 'part/a.txt': 'b\n', 'other.txt': 'p\n' });
  const to = commit(root);
  const part = await open(join(root, 'part'));
  expect((await compareTrees(part, from, to, { renames: true })).map(({ path }) => path)).toEqual(['a.txt']);
  putFiles(root, { 'other.txt': 'q\n' });
  expect(await compareTrees(part, to, commit(root), { renames: true })).toEqual([]);
  const how = { context: 3, ignoresWhitespace: false };
  expect(await comparePatch(part, from, to, { path: 'a.txt', oldPath: null }, how)).toBe('@@ -1 +1 @@\n-a\n+b\n');
});

it('takes a text of more than 8 MiB for a binary file, which has no patch', async () => {
  const root = temporaryRepository({ 'large.txt': 'a', 'small.txt': 'a' });
  const from = git(root, 'rev-parse', 'HEAD^{tree}').trim();
  const size = 8 * 1024 * 1024;
  putFiles(root, { 'large.txt': 'a\n'.repeat(size / 2 + 1), 'small.txt': 'a\n'.repeat(1_000) });
  const to = commit(root);
  const repository = await open(root);
  const changes = await compareTrees(repository, from, to, { renames: false });
  expect(changes.map(({ isBinary }) => isBinary)).toEqual([true, false]);
  const how = { context: 3, ignoresWhitespace: false };
  expect(await comparePatch(repository, from, to, { path: 'large.txt', oldPath: null }, how)).toBe('');
});

it('gives a patch from its first hunk, with as many lines around as wanted, whatever the name', async () => {
  const path = 'a @@ -1 b.txt';
  const root = temporaryRepository({ [path]: LINES });
  const from = git(root, 'rev-parse', 'HEAD^{tree}').trim();
  putFiles(root, { [path]: LINES.replace('five', 'FIVE').replace('two', '  two') });
  const to = commit(root);
  const repository = await open(root);
  const patch = (context: number, ignoresWhitespace: boolean) =>
    comparePatch(repository, from, to, { path, oldPath: null }, { context, ignoresWhitespace });
  expect(await patch(0, false)).toBe('@@ -2 +2 @@ one\n-two\n+  two\n@@ -5 +5 @@ four\n-five\n+FIVE\n');
  expect(await patch(1, true)).toBe('@@ -4,3 +4,3 @@ three\n four\n-five\n+FIVE\n six\n');
});

it('gives the patch of a renamed file against where it was', async () => {
  const root = temporaryRepository({ 'old.txt': LINES, 'other.txt': 'o\n' });
  const from = git(root, 'rev-parse', 'HEAD^{tree}').trim();
  renameSync(join(root, 'old.txt'), join(root, 'new.txt'));
  putFiles(root, { 'new.txt': `${LINES}nine\n`, 'other.txt': 'p\n' });
  const to = commit(root);
  const how = { context: 0, ignoresWhitespace: false };
  const patch = await comparePatch(await open(root), from, to, { path: 'new.txt', oldPath: 'old.txt' }, how);
  expect(patch).toBe('@@ -8,0 +9 @@ eight\n+nine\n');
});

it('gives git a minute, because repositories can be large', async () => {
  const root = temporaryRepository({ 'a.txt': 'a\n' });
  const from = git(root, 'rev-parse', 'HEAD^{tree}').trim();
  putFiles(root, { 'a.txt': 'b\n' });
  const to = commit(root);
  const repository = await open(root);
  const run = vi.spyOn(repository, 'run');
  await compareTrees(repository, from, to, { renames: true });
  const how = { context: 3, ignoresWhitespace: false };
  await comparePatch(repository, from, to, { path: 'a.txt', oldPath: null }, how);
  expect(run.mock.calls.map(([, options]) => options?.timeoutMs)).toEqual([60_000, 60_000]);
});
