import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { GitRepository } from './git-repository.js';
import { isNeverCommitted, snapshotTree } from './snapshot.js';
import { WorkingTrees } from './working-trees.js';

const environment = { PATH: process.env['PATH'], HOME: '/nonexistent' };
const open = async (root: string) => {
  const repository = await GitRepository.open(root, environment);
  if (!repository) throw new Error('The repository was not opened.');
  return repository;
};
const list = (root: string, tree: string) => git(root, 'ls-tree', '-r', '--name-only', tree).trim().split('\n');

it('is a tree of the files as they are, without secrets, and changes neither the index nor HEAD', async () => {
  const root = temporaryRepository({ 'a.txt': 'a', 'gone.txt': 'g', 'x/deep.txt': 'd', '.env': 'OLD=1' });
  putFiles(root, {
    'a.txt': 'new',
    'b c.txt': 'b',
    '.env': 'KEY=1',
    '.gitignore': 'out\n',
    out: 'o',
    '.env.local': 's',
  });
  putFiles(root, { '.mesh/state/mesh.db': 'x', 'x/id_rsa': 'k' });
  git(root, 'add', '-f', 'x/id_rsa', '.env');
  rmSync(join(root, 'gone.txt'));
  rmSync(join(root, 'x/deep.txt'));
  const before = readFileSync(join(root, '.git/index'));
  const index = join(temporaryFolder(), 'index');
  const repository = await open(root);
  const { tree, leftOut } = await snapshotTree(repository, { index, leaveOut: isNeverCommitted });
  expect(list(root, tree)).toEqual(['.env', '.gitignore', 'a.txt', 'b c.txt']);
  expect(git(root, 'show', `${tree}:.env`)).toBe('OLD=1');
  expect(git(root, 'show', `${tree}:a.txt`)).toBe('new');
  expect(leftOut).toContain('.env.local');
  expect(leftOut).toContain('.mesh/state/mesh.db');
  expect(readFileSync(join(root, '.git/index')).equals(before)).toBe(true);

  putFiles(root, { 'x/deep.txt': 'again' });
  rmSync(join(root, 'a.txt'));
  putFiles(root, { 'a.txt/now-a-folder.txt': 'f' });
  const next = await snapshotTree(repository, { index, leaveOut: isNeverCommitted });
  expect(list(root, next.tree)).toEqual(['.env', '.gitignore', 'a.txt/now-a-folder.txt', 'b c.txt', 'x/deep.txt']);
});

it('works before the first commit, and leaves a repository inside this one out', async () => {
  const root = temporaryFolder({ 'a.txt': 'a' });
  git(root, 'init', '-q');
  putFiles(root, { 'inner/b.txt': 'b' });
  git(join(root, 'inner'), 'init', '-q');
  const { tree, leftOut } = await snapshotTree(await open(root), {
    index: join(temporaryFolder(), 'index'),
    leaveOut: isNeverCommitted,
  });
  expect(list(root, tree)).toEqual(['a.txt']);
  expect(leftOut).toEqual(['inner/']);
  expect(existsSync(join(root, '.git/index'))).toBe(false);
});

it('sees every change since the last one, whether that is kept or not', async () => {
  const root = temporaryRepository({ 'a.txt': 'a', 'b.txt': 'b' });
  const trees = new WorkingTrees(temporaryFolder(), environment);
  const take = async (kept?: string) => (await trees.take(root, kept))?.tree ?? '';
  const first = git(root, 'rev-parse', 'HEAD^{tree}').trim();
  expect([await take(), await take(first), await take(first)]).toEqual([first, first, first]);
  putFiles(root, { 'a.txt': 'new', '.env': 'KEY=1' });
  const second = await take(first);
  expect(git(root, 'show', `${second}:a.txt`)).toBe('new');
  expect([await take(second), await take(first), await take()]).toEqual([second, second, second]);
  rmSync(join(root, 'b.txt'));
  const third = await take(second);
  expect(list(root, third)).toEqual(['a.txt']);
  git(root, 'add', '-fA');
  expect(await take(third)).toBe(third);
  git(root, 'reset', '-q', '--hard');
  expect(await take(third)).toBe(first);
  for (const name of readdirSync(trees.folder)) rmSync(join(trees.folder, name));
  putFiles(root, { 'c.txt': 'c' });
  expect(list(root, await take(first))).toEqual(['a.txt', 'b.txt', 'c.txt']);
});
