import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { parseStatus, STATUS } from './git-status.js';

const read = (root: string) => parseStatus(git(root, ...STATUS));

it('the status of a repository says its commit, its branch and what differs, whatever the names', () => {
  const root = temporaryRepository({ 'a.txt': 'a\n', 'b c.txt': 'b\n' });
  const commit = git(root, 'rev-parse', 'HEAD').trim();
  expect(read(root)).toEqual({ commit, branch: 'main', changes: [] });
  git(root, 'switch', '-q', '-c', 'refs/of-one');
  putFiles(root, { 'b c.txt': 'changed\n', ' ? 1 new\nline': 'n\n' });
  git(root, 'rm', '-q', 'a.txt');
  const changes = ['a.txt', 'b c.txt', ' ? 1 new\nline'].map((path) => ({ path, isUnmerged: false }));
  expect(read(root)).toEqual({ commit, branch: 'refs/of-one', changes });
  git(root, 'switch', '-q', '--detach');
  expect(read(root)).toMatchObject({ commit, branch: null });
});

it('a file with unsolved conflicts is unmerged, and there is no commit at first', () => {
  const root = temporaryRepository({ 'a b.txt': 'a\n' });
  git(root, 'switch', '-q', '-c', 'other');
  writeFileSync(join(root, 'a b.txt'), 'other\n');
  git(root, 'commit', '-qam', 'other');
  git(root, 'switch', '-q', 'main');
  writeFileSync(join(root, 'a b.txt'), 'main\n');
  git(root, 'commit', '-qam', 'main');
  expect(() => git(root, 'merge', 'other')).toThrow();
  expect(read(root).changes).toEqual([{ path: 'a b.txt', isUnmerged: true }]);
  const empty = temporaryFolder();
  git(empty, 'init', '-q', '-b', 'first');
  expect(read(empty)).toEqual({ commit: null, branch: 'first', changes: [] });
});

it('takes no file for the commit or the branch, whatever its name', () => {
  const root = temporaryRepository({ 'a.txt': 'a\n' });
  putFiles(root, { 'branch.oid x': 'x', 'branch.head x': 'x' });
  const changes = ['branch.head x', 'branch.oid x'].map((path) => ({ path, isUnmerged: false }));
  expect(read(root)).toEqual({ commit: git(root, 'rev-parse', 'HEAD').trim(), branch: 'main', changes });
});
