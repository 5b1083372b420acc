import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { GitRepository } from './git-repository.js';
import { findBranchUser, findUnfinished } from './unfinished.js';

const environment = { PATH: process.env['PATH'], HOME: '/nonexistent' };

/** A worktree on the branch `work` with two commits of its own, while `main` has another one in the same lines. */
function aWorktree() {
  const root = temporaryRepository({ 'a.txt': 'a\n' });
  const folder = join(temporaryFolder(), 'work');
  git(root, 'worktree', 'add', '-q', '-b', 'work', folder);
  const commit = (place: string, files: Record<string, string>) => {
    putFiles(place, files);
    git(place, 'add', ...Object.keys(files));
    git(place, 'commit', '-qm', 'change');
  };
  commit(folder, { 'a.txt': 'work\n' });
  commit(folder, { 'b.txt': 'b\n' });
  commit(root, { 'a.txt': 'main\n' });
  const find = async () => {
    const repository = await GitRepository.open(folder, environment);
    return repository && findUnfinished(repository);
  };
  return { root, folder, find };
}

/** The user goes on with other work in the same lines. */
const goOn = (folder: string) => {
  putFiles(folder, { 'a.txt': 'later\n' });
  git(folder, 'commit', '-qam', 'later');
};

it.each<[string, string, ((folder: string) => void)?]>([
  ['rebase main', 'A rebase is not finished'],
  ['rebase --apply main', 'A rebase is not finished'],
  ['merge main', 'A merge is not finished'],
  ['cherry-pick main', 'A cherry-pick is not finished'],
  ['revert HEAD~2', 'A revert is not finished', goOn],
  [
    'stash apply',
    'A conflict is not resolved',
    (folder) => {
      putFiles(folder, { 'a.txt': 'stashed\n' });
      git(folder, 'stash', '-q');
      goOn(folder);
    },
  ],
])('sees that `git %s` stopped', async (command, expected, prepare) => {
  const { folder, find } = aWorktree();
  prepare?.(folder);
  expect(await find()).toBeUndefined();
  expect(() => git(folder, ...command.split(' '))).toThrow();
  expect(await find()).toBe(expected);
  git(folder, 'reset', '-q', '--hard');
  if (command.startsWith('rebase')) git(folder, 'rebase', '--abort');
  expect(await find()).toBeUndefined();
});

it('sees a bisect, and the commits that are left once the one that stopped is committed', async () => {
  const { root, folder, find } = aWorktree();
  git(folder, 'bisect', 'start');
  expect(await find()).toBe('A bisect is not finished');
  git(folder, 'bisect', 'reset');
  putFiles(root, { 'c.txt': 'c\n' });
  git(root, 'add', 'c.txt');
  git(root, 'commit', '-qm', 'second');
  expect(() => git(folder, 'cherry-pick', 'main~1', 'main')).toThrow();
  git(folder, 'commit', '-qam', 'picked');
  expect(await find()).toBe('A cherry-pick or revert is not finished');
  git(folder, 'cherry-pick', '--continue');
  expect(await find()).toBeUndefined();
});

describe('a branch that git will move or check out again', () => {
  it.each([
    ['rebase main', 'rebased'],
    ['rebase --apply main', 'rebased'],
    ['bisect start', 'bisected'],
  ])('is known with its folder during `git %s`, also when that folder is gone', async (command, what) => {
    const { root, folder } = aWorktree();
    const find = async (branch: string) => {
      const repository = await GitRepository.open(root, environment);
      return repository && findBranchUser(repository, branch);
    };
    expect(await find('work')).toBeUndefined();
    if (command === 'bisect start') git(folder, 'bisect', 'start');
    else expect(() => git(folder, ...command.split(' '))).toThrow();
    expect([await find('work'), await find('main')]).toEqual([{ what, folder }, undefined]);
    rmSync(folder, { recursive: true });
    expect(await find('work')).toEqual({ what, folder });
  });

  it('is known below another one that is rebased with it', async () => {
    const { root, folder } = aWorktree();
    git(folder, 'branch', 'below', 'HEAD~1');
    git(folder, 'config', 'core.editor', 'true');
    expect(() => git(folder, 'rebase', '--update-refs', 'main')).toThrow();
    const repository = await GitRepository.open(root, environment);
    expect(repository && (await findBranchUser(repository, 'below'))).toEqual({ what: 'rebased', folder });
    expect(repository && (await findBranchUser(repository, 'belo'))).toBeUndefined();
  });

  it('is read from plain files only', async () => {
    const { root } = aWorktree();
    mkdirSync(join(root, '.git/rebase-merge/head-name'), { recursive: true });
    putFiles(root, { '.git/BISECT_START': 'work\n'.repeat(20_000), there: 'work\n' });
    const repository = await GitRepository.open(root, environment);
    expect(repository && (await findBranchUser(repository, 'work'))).toBeUndefined();
    rmSync(join(root, '.git/BISECT_START'));
    symlinkSync(join(root, 'there'), join(root, '.git/BISECT_START'));
    expect(repository && (await findBranchUser(repository, 'work'))).toBeUndefined();
  });
});
