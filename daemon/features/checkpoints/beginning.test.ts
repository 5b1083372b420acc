import { expect, it } from 'vitest';
import type { GitRepository } from '../../storage/git/git-repository.js';
import { WorkingTrees } from '../../storage/git/working-trees.js';
import { aCheckpoint } from '../../testing/parts/checkpoint-parts.js';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { findBeginning } from './beginning.js';

/** A repository on its branch `main` whose first commit has a checkpoint above it. */
async function begun() {
  const root = temporaryRepository({ 'a.txt': 'a' });
  const trees = new WorkingTrees(temporaryFolder(), { PATH: process.env['PATH'], HOME: '/nonexistent' });
  const repository = (await trees.open(root)) as GitRepository;
  const run = (...args: string[]) => git(root, ...args).trim();
  const treeOf = (commit: string) => run('rev-parse', `${commit}^{tree}`);
  /** Makes a commit with a file of that name above HEAD. */
  const commit = (name: string) => {
    putFiles(root, { [name]: name });
    run('add', name);
    run('commit', '-q', '-m', name);
    return run('rev-parse', 'HEAD');
  };
  const first = run('rev-parse', 'HEAD');
  const above = (parent: string) => run('commit-tree', treeOf(first), '-p', parent, '-m', 'Checkpoint');
  return {
    ...{ run, treeOf, commit, first, above },
    find: (base: string, base_branch: string | null, commit_id = above(first)) =>
      findBeginning(repository, aCheckpoint({ commit_id, tree: 'start' }), { base, base_branch }),
    findOutside: () => findBeginning(repository, aCheckpoint({ commit_id: above(first), tree: 'start' }), undefined),
  };
}

it('in the project folder, changes count from the first checkpoint', async () => {
  const { findOutside, commit } = await begun();
  commit('b.txt');
  expect(await findOutside()).toBe('start');
});

it('a worktree that was merged with nothing since counts from the first checkpoint', async () => {
  const { find, first, run, commit } = await begun();
  expect([await find(first, 'main'), await find(first, null)]).toEqual(['start', 'start']);
  run('checkout', '-q', '-b', 'work');
  commit('b.txt');
  expect(await find(first, 'main')).toBe('start');
});

it('what the worktree has of its branch since then is no change of it', async () => {
  const { find, first, run, commit, treeOf } = await begun();
  const merged = commit('b.txt');
  run('checkout', '-q', '-b', 'work');
  commit('c.txt');
  expect(await find(first, 'main')).toBe(treeOf(merged));
});

it('a base that the worktree was moved to counts, whatever became of the branch', async () => {
  const { find, first, run, commit, treeOf } = await begun();
  const base = commit('b.txt');
  expect(await find(base, 'main')).toBe(treeOf(base));
  expect(await find(base, null)).toBe(treeOf(base));
  expect(await find(base, 'gone')).toBe(treeOf(base));
  run('branch', 'reset', first);
  expect(await find(base, 'reset')).toBe(treeOf(base));
});

it('a base that does not follow the first checkpoint does not count', async () => {
  const { find, first, run, commit, above } = await begun();
  const ahead = above(commit('b.txt'));
  run('checkout', '-q', '-b', 'aside', first);
  const base = commit('c.txt');
  expect(await find(base, 'aside', ahead)).toBe('start');
});

it('a first checkpoint without a commit below it is where changes begin', async () => {
  const { find, first, run, treeOf } = await begun();
  const lone = run('commit-tree', treeOf(first), '-m', 'Checkpoint');
  expect(await find(first, 'main', lone)).toBe('start');
});
