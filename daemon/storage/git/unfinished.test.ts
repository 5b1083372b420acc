import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { GitRepository } from './git-repository.js';
import { findBranchUser, findUnderWay, findUnfinished } from './unfinished.js';

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

it.each([
  ['MERGE_HEAD', 'merge'],
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
  ['ORIG_HEAD', undefined],
])('tells by %s in a git folder that this is under way: %s', async (name, operation) => {
  expect(await findUnderWay(temporaryFolder({ [name]: '' }))).toBe(operation);
});

describe('the folder in which a branch is used', () => {
  /** Finds a branch by the files of a shared git folder alone. */
  function find(files: Record<string, string>, branch = 'work', name = '.git') {
    const commonFolder = join(temporaryFolder(), name);
    putFiles(commonFolder, files);
    const repository = { findPlace: async () => ({ commonFolder }) } as unknown as GitRepository;
    return { commonFolder, found: findBranchUser(repository, branch) };
  }
  const HEAD = 'refs/heads/work\n';

  it('is the one of the repository itself, or its git folder where that is elsewhere', async () => {
    const plain = find({ 'rebase-merge/head-name': HEAD });
    expect(await plain.found).toEqual({ what: 'rebased', folder: join(plain.commonFolder, '..') });
    const apart = find({ 'rebase-apply/head-name': HEAD }, 'work', 'project.git');
    expect(await apart.found).toEqual({ what: 'rebased', folder: apart.commonFolder });
  });

  it.each([
    ['/place/.git\n', '/place'],
    ['../../../place/.git\n', 'place'],
    ['\n', '.git/worktrees/one'],
    [undefined, '.git/worktrees/one'],
  ])('is that of a worktree whose git folder names %j', async (gitdir, folder) => {
    const { commonFolder, found } = find({
      'worktrees/one/BISECT_START': 'work\n',
      ...(gitdir === undefined ? {} : { 'worktrees/one/gitdir': gitdir }),
    });
    expect(await found).toEqual({ what: 'bisected', folder: resolve(commonFolder, '..', folder) });
  });

  it('counts a short name in a bisection only', async () => {
    for (const file of ['rebase-merge/head-name', 'rebase-merge/update-refs', 'rebase-apply/head-name'])
      expect(await find({ [file]: 'work\n' }).found).toBeUndefined();
    const whole = find({ BISECT_START: HEAD });
    expect(await whole.found).toEqual({ what: 'bisected', folder: join(whole.commonFolder, '..') });
  });

  it('is none without such an operation', async () => {
    expect(await find({ 'worktrees/one/gitdir': '/place/.git\n', HEAD }).found).toBeUndefined();
    expect(await find({ HEAD }).found).toBeUndefined();
  });
});
