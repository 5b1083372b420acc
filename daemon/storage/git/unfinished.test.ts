import { join } from 'node:path';
import { expect, it } from 'vitest';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { GitRepository } from './git-repository.js';
import { findUnfinished } from './unfinished.js';

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
