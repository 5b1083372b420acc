import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { GitLog } from './git-log.js';

const environment = { PATH: process.env['PATH'] };

it('returns the commits newest first with the paths they touched', () => {
  const root = temporaryRepository({ 'a.txt': 'a' });
  putFiles(root, { 'ä b.txt': 'new' });
  git(root, 'add', '-A');
  git(root, 'commit', '-q', '-m', 'add: second | file');
  const commits = new GitLog(root, environment).commits();
  expect(commits.map(({ subject, paths, author }) => ({ subject, paths, author }))).toEqual([
    { subject: 'add: second | file', paths: ['ä b.txt'], author: 'Test' },
    { subject: 'first', paths: ['a.txt'], author: 'Test' },
  ]);
});

it('has no head and no commits outside a repository or before the first commit', () => {
  const plain = new GitLog(temporaryFolder({ 'a.txt': 'a' }), environment);
  expect([plain.head(), plain.commits()]).toEqual([undefined, []]);
  const empty = temporaryFolder();
  git(empty, 'init', '-q');
  expect(new GitLog(empty, environment).head()).toBeUndefined();
});

it('compares the content of a file with the commit, without running a filter of the repository', () => {
  const root = temporaryRepository({ 'a.txt': 'a\n', '.gitattributes': '*.txt filter=evil\n' });
  const canary = join(root, '.git', 'canary');
  const script = join(root, '.git', 'evil.sh');
  writeFileSync(script, `#!/bin/sh\ntouch ${canary}\ncat\n`, { mode: 0o755 });
  git(root, 'config', 'filter.evil.clean', script);
  const log = new GitLog(root, environment);
  const head = log.head() as string;
  expect(log.isUnchanged(head, 'a.txt', Buffer.from('a\n'))).toBe(true);
  expect(log.isUnchanged(head, 'a.txt', Buffer.from('b\n'))).toBe(false);
  expect(log.isUnchanged(head, 'other.txt', Buffer.from('a\n'))).toBe(false);
  expect(existsSync(canary)).toBe(false);
});

it('uses paths relative to a subfolder of a repository', () => {
  const root = join(temporaryRepository({ 'packages/one/a.txt': 'a', 'packages/two/b.txt': 'b' }), 'packages/one');
  const log = new GitLog(root, environment);
  expect(log.commits().map((commit) => commit.paths)).toEqual([['a.txt']]);
  expect(log.isUnchanged(log.head() as string, 'a.txt', Buffer.from('a'))).toBe(true);
});
