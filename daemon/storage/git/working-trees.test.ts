import { existsSync, readdirSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { git, pathWithGit, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { WorkingTrees } from './working-trees.js';

const environment = { PATH: process.env['PATH'], HOME: '/nonexistent' };

function someTrees(providedIn?: (folder: string) => readonly string[]) {
  const folder = join(temporaryFolder(), 'indexes');
  const trees = new WorkingTrees(folder, environment, providedIn);
  const take = async (root: string, kept?: string) => {
    const taken = await trees.take(root, kept);
    if (!taken) throw new Error('There is no repository.');
    return taken;
  };
  const files = () => (existsSync(folder) ? readdirSync(folder) : []);
  return { folder, trees, take, files };
}

it('removes what an earlier process left, and nothing of its own', async () => {
  const { folder, trees, take, files } = someTrees();
  await trees.clear();
  await take(temporaryRepository({ 'a.txt': 'a' }));
  const own = files();
  putFiles(folder, { '0123456789ab-1.index': 'x', '0123456789ab-2.files/a/b.txt': 'x' });
  await trees.clear();
  expect(own).toHaveLength(1);
  expect(files()).toEqual(own);
});

it('gives paths of its own folder that nothing uses, not even another process', () => {
  const { folder, trees } = someTrees();
  const paths = [trees.newPath('.files'), trees.newPath('.files'), new WorkingTrees(folder, {}).newPath('.files')];
  expect(new Set(paths).size).toBe(3);
  for (const path of paths) expect(path).toMatch(/\/indexes\/[0-9a-f]{12}-\d+\.files$/);
});

it('tells a folder without a repository from a missing git', async () => {
  const folder = temporaryFolder();
  const { trees } = someTrees();
  expect(await trees.findProblem(folder)).toBe(
    'The folder is not in a working tree of git: run `git init` in it to keep checkpoints of its files.',
  );
  const without = new WorkingTrees(folder, { PATH: temporaryFolder() });
  expect(await without.findProblem(folder)).toBe(
    'git is not installed, or not in the PATH of the daemon: checkpoints need it.',
  );
  const old = new WorkingTrees(folder, { PATH: pathWithGit('echo git version 2.30.2') });
  expect(await old.findProblem(folder)).toBe(
    'git 2.31 or newer is not installed (the daemon finds 2.30.2): checkpoints need it.',
  );
  expect(await trees.take(folder)).toBeUndefined();
});

it('leaves secrets and what is not the agent’s out, each with the state in which it is', async () => {
  const root = temporaryRepository({ 'a.txt': 'a', '.env': 'OLD=1' });
  putFiles(root, { 'a.txt': 'b', '.env': 'NEW=1', 'given/deep/x.txt': 'x', 'given.txt': 'x' });
  const { take } = someTrees((folder) => (folder === root ? ['given'] : []));
  const { tree, leftOut, repository } = await take(root);
  expect(repository.folder).toBe(root);
  expect(git(root, 'ls-tree', '-r', '--name-only', tree).trim().split('\n')).toEqual(['.env', 'a.txt', 'given.txt']);
  expect([...leftOut.keys()]).toEqual(['.env', 'given/deep/x.txt']);
  const { ino, size, mtimeMs } = statSync(join(root, '.env'));
  expect(leftOut.get('.env')).toBe(`${ino} ${size} ${mtimeMs}`);
  writeFileSync(join(root, '.env'), 'NEWER=1');
  expect((await take(root)).leftOut.get('.env')).not.toBe(leftOut.get('.env'));
  unlinkSync(join(root, '.env'));
  expect((await take(root)).leftOut.get('.env')).toBe('');
});

it('uses one index for a folder until the index of its repository changes', async () => {
  const root = temporaryRepository({ 'a.txt': 'a' });
  const other = temporaryRepository({ 'b.txt': 'b' });
  const { folder, take, files } = someTrees();
  const { repository } = await take(root);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const first = files();
  await take(root);
  expect(files()).toEqual(first);
  await take(other);
  expect(files()).toHaveLength(2);
  git(root, 'update-index', '--chmod=+x', 'a.txt');
  await take(root);
  expect(files()).toHaveLength(2);
  expect(files()).not.toContain(first[0]);
  expect(first[0]).toMatch(/\.index$/);
  unlinkSync(join(root, '.git/index'));
  const { tree } = await take(root);
  expect(git(root, 'ls-tree', '-r', '--name-only', tree).trim()).toBe('a.txt');
  expect(files()).toHaveLength(2);
  expect(repository.folder).toBe(root);
});

it('tells another command where the index of a snapshot is', async () => {
  const root = temporaryRepository({ 'a.txt': 'a' });
  const { folder, trees, take, files } = someTrees();
  const { repository } = await take(root);
  expect(await trees.indexFor(repository)).toBe(join(folder, files()[0] ?? ''));
});

it('begins with a new index after a snapshot that failed', async () => {
  const root = temporaryRepository({ 'a.txt': 'a' });
  const { folder, take, files } = someTrees();
  await take(root);
  const [index = ''] = files();
  // As a git that was stopped leaves it.
  putFiles(folder, { [`${index}.lock`]: '' });
  putFiles(root, { 'a.txt': 'b' });
  await expect(take(root)).rejects.toMatchObject({ code: 'internal' });
  const { tree } = await take(root);
  expect(git(root, 'show', `${tree}:a.txt`)).toBe('b');
  expect(basename(files().find((name) => !name.startsWith(index)) ?? '')).toMatch(/\.index$/);
});

it('asks git to write a tree only when something differs from the tree that is kept', async () => {
  const root = temporaryRepository({ 'a.txt': 'a' });
  const { trees, take } = someTrees();
  const { repository, tree } = await take(root);
  const output = vi.spyOn(repository, 'output');
  const writes = async (kept?: string) => {
    output.mockClear();
    const taken = await trees.takeOpened(repository, kept);
    return [output.mock.calls.some(([args]) => args.includes('write-tree')), taken.tree === tree];
  };
  expect(await writes(tree)).toEqual([false, true]);
  expect(await writes(undefined)).toEqual([true, true]);
  expect(await writes('1'.repeat(40))).toEqual([true, true]);
  putFiles(root, { 'a.txt': 'b' });
  expect(await writes(tree)).toEqual([true, false]);
  putFiles(root, { 'a.txt': 'a' });
  expect(await writes(tree)).toEqual([true, true]);
  expect(await writes(tree)).toEqual([false, true]);
});

it('begins with a new index also when its own one is gone, or when the repository gets its first one', async () => {
  const root = temporaryFolder({ 'a.txt': 'a' });
  git(root, 'init', '-q');
  const { folder, take, files } = someTrees();
  const list = async () => git(root, 'ls-tree', '-r', '--name-only', (await take(root)).tree).trim();
  expect(await list()).toBe('a.txt');
  const [first = ''] = files();
  expect(await list()).toBe('a.txt');
  // Nothing has changed, so the index stays.
  expect(files()).toEqual([first]);
  git(root, 'add', 'a.txt');
  rmSync(join(folder, first));
  expect(await list()).toBe('a.txt');
  expect(files()).toHaveLength(1);
  expect(files()).not.toEqual([first]);
});
