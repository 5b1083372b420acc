import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { git, pathWithGit, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { GitRepository } from './git-repository.js';
import { revertFiles, revertHunk } from './tree-reverts.js';

/** A repository whose second tree has the changes `after`: a text, or undefined for a file that goes. */
async function aChange(before: Record<string, string>, after: Record<string, string | undefined>, below = '') {
  const root = temporaryRepository(before);
  const old = git(root, 'rev-parse', 'HEAD^{tree}').trim();
  for (const [path, text] of Object.entries(after)) {
    rmSync(join(root, path), { recursive: true, force: true });
    if (text !== undefined) putFiles(root, { [path]: text });
  }
  git(root, 'add', '-A');
  const tree = git(root, 'write-tree').trim();
  const environment = { PATH: process.env['PATH'], HOME: '/nonexistent' };
  const repository = await GitRepository.open(join(root, below), environment);
  if (!repository) throw new Error('The repository was not opened.');
  const index = join(temporaryFolder(), 'index');
  const contents = (of: string) =>
    Object.fromEntries(
      git(root, 'ls-tree', '-r', '--name-only', of)
        .trim()
        .split('\n')
        .map((path) => [path, git(root, 'show', `${of}:${path}`)]),
    );
  return { root, old, change: { repository, tree, index }, index, contents };
}

const LINES = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n';

it('takes only the named files back: changed, removed and added ones', async () => {
  const { old, change, index, contents } = await aChange(
    { 'a.txt': 'old\n', 'b.txt': 'b\n', 'gone.txt': 'g\n', 'kept.txt': 'k\n' },
    { 'a.txt': 'new\n', 'b.txt': 'B\n', 'gone.txt': undefined, 'added.txt': 'x\n', 'more.txt': 'm\n' },
  );
  const tree = await revertFiles(change, old, ['a.txt', 'gone.txt', 'added.txt']);
  expect(contents(tree)).toEqual({
    ...{ 'a.txt': 'old\n', 'b.txt': 'B\n', 'gone.txt': 'g\n', 'kept.txt': 'k\n', 'more.txt': 'm\n' },
  });
  expect(existsSync(index)).toBe(false);
});

it.each([
  ['a folder that was a file', { place: 'f\n' }, { place: undefined, 'place/in.txt': 'i\n' }],
  ['a file that was a folder', { 'place/in.txt': 'i\n' }, { 'place/in.txt': undefined, place: 'f\n' }],
])('takes %s back, in whatever order the paths are given', async (_, before, after) => {
  for (const paths of [
    ['place', 'place/in.txt'],
    ['place/in.txt', 'place'],
  ]) {
    const { old, change, contents } = await aChange({ 'other.txt': 'o\n', ...before }, after);
    expect(contents(await revertFiles(change, old, paths))).toEqual({ 'other.txt': 'o\n', ...before });
  }
});

it('takes paths from the folder of the repository that was opened', async () => {
  const { root, old, change, contents } = await aChange(
    { 'part/a.txt': 'old\n', 'a.txt': 'top\n' },
    { 'part/a.txt': 'new\n', 'a.txt': 'changed\n' },
    'part',
  );
  expect(contents(await revertFiles(change, old, ['a.txt']))).toEqual({ 'part/a.txt': 'old\n', 'a.txt': 'changed\n' });
  const undone = await revertHunk(change, 'a.txt', '@@ -1 +1 @@\n-old\n+new\n');
  expect(git(root, 'show', `${undone}:part/a.txt`)).toBe('old\n');
});

it('removes its index also when git fails', async () => {
  const { old, change, index } = await aChange({ 'a.txt': 'a\n' }, {});
  const gone = { ...change, tree: '1'.repeat(40) };
  await expect(revertFiles(gone, old, ['a.txt'])).rejects.toMatchObject({ code: 'internal' });
  expect(existsSync(index)).toBe(false);
});

it('undoes one hunk of a file and leaves its other changes, its mode and other files', async () => {
  const { root, change, index, contents } = await aChange(
    { 'a.txt': LINES, file: 'f\n' },
    { 'a.txt': LINES.replace('two', 'TWO').replace('eight', 'EIGHT '), file: 'g\n' },
  );
  git(root, 'update-index', '--chmod=+x', 'a.txt');
  const tree = git(root, 'write-tree').trim();
  // Without lines around it, without a line end, and with wrong counts, as an edited hunk has them.
  const undone = await revertHunk({ ...change, tree }, 'a.txt', '@@ -8,7 +8,9 @@\n-eight\n+EIGHT ');
  expect(contents(undone)).toEqual({ 'a.txt': LINES.replace('two', 'TWO'), file: 'g\n' });
  expect(git(root, 'ls-tree', undone, 'a.txt')).toMatch(/^100755 /);
  expect(existsSync(index)).toBe(false);
});

it.each(['', '-one', '@@ one', ' @@ -1 +1 @@\n-one\n+ONE\n', 'head\n@@ -1 +1 @@\n-one\n+ONE\n'])(
  'refuses what does not begin with the first line of a hunk: %j',
  async (hunk) => {
    const { change } = await aChange({ 'a.txt': 'one\n' }, { 'a.txt': 'ONE\n' });
    await expect(revertHunk(change, 'a.txt', hunk)).rejects.toMatchObject({
      code: 'bad_request',
      message: '"hunk" must begin with its `@@` line.',
      details: { path: 'hunk' },
    });
  },
);

it.each([
  ['the file is not there', 'none.txt', '@@ -1 +1 @@\n-one\n+ONE\n'],
  ['there is a folder in its place', 'folder', '@@ -1 +1 @@\n-one\n+ONE\n'],
  ['the file holds another text', 'a.txt', '@@ -1 +1 @@\n-one\n+UNO\n'],
  [
    'it speaks of another file too',
    'a.txt',
    `@@ -1 +1 @@\n-one\n+ONE\n--- a/folder/b.txt\n+++ b/folder/b.txt\n@@ -1 +1 @@\n-b\n+B\n`,
  ],
])('a hunk cannot be undone when %s', async (_, path, hunk) => {
  const { change, index } = await aChange(
    { 'a.txt': 'one\n', 'folder/b.txt': 'b\n' },
    { 'a.txt': 'ONE\n', 'folder/b.txt': 'B\n' },
  );
  await expect(revertHunk(change, path, hunk)).rejects.toMatchObject({
    code: 'file_changed',
    message: `\`${path}\` no longer holds this change: load it again.`,
  });
  expect(existsSync(index)).toBe(false);
});

it.each([
  ['removes', 'new file mode 100644\n--- /dev/null\n+++ b/file\n@@ -0,0 +1 @@\n+x\n'],
  ['renames', 'similarity index 100%\nrename from other\nrename to file\n'],
])('a hunk that also %s the file is not undone', async (what, more) => {
  const { change } = await aChange({ 'a.txt': 'x\n' }, { 'a.txt': 'ONE\n' });
  const hunk = `@@ -1 +1 @@\n-x\n+ONE\ndiff --git a/${what === 'renames' ? 'other' : 'file'} b/file\n${more}`;
  await expect(revertHunk(change, 'a.txt', hunk)).rejects.toMatchObject({ code: 'file_changed' });
});

it('changes neither the files of the repository nor its own index', async () => {
  const { root, old, change } = await aChange({ 'a.txt': 'one\n', 'b.txt': 'b\n' }, { 'a.txt': 'ONE\n' });
  const index = readFileSync(join(root, '.git/index'));
  await revertHunk(change, 'a.txt', '@@ -1 +1 @@\n-one\n+ONE\n');
  await revertFiles(change, old, ['a.txt']);
  expect(readFileSync(join(root, '.git/index')).equals(index)).toBe(true);
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('ONE\n');
});

it('says at most 200 characters of the path of a hunk', async () => {
  const { change } = await aChange({ 'a.txt': 'one\n' }, {});
  await expect(revertHunk(change, 'x'.repeat(201), '@@ -1 +1 @@\n-a\n+b\n')).rejects.toThrow(/^`x{200}` no longer/);
});

it('a hunk after which git has no file any more is not undone', async () => {
  const { root, change, index } = await aChange({ 'a.txt': 'one\n' }, { 'a.txt': 'ONE\n' });
  const remove = 'PATH=$machine exec git update-index --force-remove file';
  const PATH = pathWithGit(`case " $* " in *" apply "*) cat > /dev/null; ${remove};; esac\nreal "$@"`);
  const repository = await GitRepository.open(root, { PATH, HOME: '/nonexistent' });
  if (!repository) throw new Error('The repository was not opened.');
  const undone = revertHunk({ ...change, repository }, 'a.txt', '@@ -1 +1 @@\n-one\n+ONE\n');
  await expect(undone).rejects.toMatchObject({ code: 'file_changed' });
  expect(existsSync(index)).toBe(false);
});
