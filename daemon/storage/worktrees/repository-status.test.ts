import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { git, pathWithGit, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { GitRepository } from '../git/git-repository.js';
import { findGitFolders, readRepositoryStatus } from './repository-status.js';

const status = (root: string) => readRepositoryStatus(root, { PATH: process.env['PATH'], HOME: '/nonexistent' });

it('says at which commit and branch the project is, where its git folders are, and what is not committed', async () => {
  const root = temporaryRepository({ 'a.txt': 'a', '.mesh/team/one.md': 'one' });
  const head = git(root, 'rev-parse', 'HEAD').trim();
  const gitFolder = join(root, '.git');
  const base = { head, branch: 'main', gitFolder, commonFolder: gitFolder, prefix: '', uncommitted: 0 };
  expect(await status(root)).toEqual({ base });
  // What the daemon keeps in the project is no work of the user.
  putFiles(root, { 'a.txt': 'b', 'new.txt': 'n', '.mesh/team/one.md': 'changed' });
  git(root, 'switch', '-q', '--detach');
  expect(await status(root)).toEqual({ base: { ...base, branch: null, uncommitted: 2 } });
});

it('takes a folder below the top of a repository for a project of its own', async () => {
  const top = temporaryRepository({ 'part/deep/a.txt': 'a', 'other.txt': 'o' });
  putFiles(top, { 'part/deep/.mesh/team/one.md': '' });
  expect(await status(join(top, 'part/deep'))).toMatchObject({ base: { uncommitted: 0 } });
  // That of another project is no daemon's of this one.
  putFiles(top, { '.mesh/x': '' });
  const found = await status(join(top, 'part/deep'));
  expect(found).toMatchObject({ base: { prefix: 'part/deep', gitFolder: join(top, '.git'), uncommitted: 1 } });
  putFiles(top, { 'new/a.txt': 'a' });
  expect(await status(join(top, 'new'))).toEqual({ problem: 'Nothing of the project folder is committed yet.' });
});

it('knows a worktree’s own git folder from the one that all share', async () => {
  const root = temporaryRepository({ 'a.txt': 'a' });
  const place = join(temporaryFolder(), 'place');
  git(root, 'worktree', 'add', '-q', '-b', 'other', place);
  expect(await status(place)).toMatchObject({
    base: { branch: 'other', gitFolder: join(root, '.git/worktrees/place'), commonFolder: join(root, '.git') },
  });
});

it.each([
  ['MERGE_HEAD', 'merge'],
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
])('makes no worktree while git waits for the user (%s)', async (name, what) => {
  const root = temporaryRepository({ 'a.txt': 'a' });
  if (name.startsWith('rebase')) mkdirSync(join(root, '.git', name));
  else writeFileSync(join(root, '.git', name), `${git(root, 'rev-parse', 'HEAD').trim()}\n`);
  expect(await status(root)).toEqual({ problem: `A ${what} is under way in the project folder.` });
});

it('makes no worktree of a project with unsolved conflicts', async () => {
  const root = temporaryRepository({ 'a.txt': 'a', 'b.txt': 'b' });
  putFiles(root, { 'b.txt': 'changed' });
  const id = git(root, 'rev-parse', 'HEAD:a.txt').trim();
  git(root, 'rm', '-q', '--cached', 'a.txt');
  git(root, '-c', `alias.put=!printf '100644 ${id} 2\\ta.txt\\n' | git update-index --index-info`, 'put');
  expect(await status(root)).toEqual({ problem: 'The project folder has files with unsolved conflicts.' });
});

it('makes no worktree without a repository, without a commit, or of one that git cannot read', async () => {
  const root = temporaryFolder({ 'a.txt': 'a' });
  expect(await status(root)).toEqual({ problem: 'The project is not in a git repository.' });
  const PATH = pathWithGit('case "$*" in *--version) echo git version 2.30.2;; *) exit 128;; esac');
  expect(await readRepositoryStatus(root, { PATH })).toEqual({
    problem: 'git 2.31 or newer is not installed (the daemon finds 2.30.2).',
  });
  git(root, 'init', '-q');
  expect(await status(root)).toEqual({ problem: 'The project’s repository has no commit yet.' });
  const damaged = temporaryRepository({ 'a.txt': 'a' });
  writeFileSync(join(damaged, '.git/index'), 'damaged');
  expect(await status(damaged)).toEqual({ problem: 'Git could not read the repository of the project.' });
});

it('finds the git folders of a project whatever is under way there', async () => {
  const root = temporaryRepository({ 'part/a.txt': 'a' });
  const gitFolder = join(root, '.git');
  writeFileSync(join(gitFolder, 'BISECT_LOG'), '');
  const folders = { gitFolder, commonFolder: gitFolder };
  expect(await findGitFolders(join(root, 'part'), { PATH: process.env['PATH'] })).toEqual(folders);
  await expect(findGitFolders(temporaryFolder(), { PATH: process.env['PATH'] })).rejects.toMatchObject({
    code: 'internal',
    message: 'The project is not in a git repository.',
  });
});

it('gives git the time that a large project takes', async () => {
  const run = vi.spyOn(GitRepository.prototype, 'run');
  await status(temporaryRepository({ 'a.txt': 'a' }));
  expect(run.mock.calls.find(([args]) => args[0] === 'status')?.[1]?.timeoutMs).toBe(120_000);
  // The top of a repository with a commit is always committed.
  expect(run.mock.calls.map(([args]) => args[0])).toEqual(['status']);
  run.mockRestore();
});
