import { createHash } from 'node:crypto';
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
  const commits = new GitLog(root, environment).commits() ?? [];
  expect(commits.map(({ subject, paths, author }) => ({ subject, paths, author }))).toEqual([
    { subject: 'add: second | file', paths: ['ä b.txt'], author: 'Test' },
    { subject: 'first', paths: ['a.txt'], author: 'Test' },
  ]);
});

it('has no head and no commits outside a repository or before the first commit', () => {
  const plain = new GitLog(temporaryFolder({ 'a.txt': 'a' }), environment);
  expect([plain.head(), plain.commits(), plain.markOf('head')]).toEqual([undefined, undefined, 'head']);
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
  expect(log.commits()?.map((commit) => commit.paths)).toEqual([['a.txt']]);
  expect(log.isUnchanged(log.head() as string, 'a.txt', Buffer.from('a'))).toBe(true);
});

it('returns the newest 2,000 commits without merges, with all of their paths, and both names of what moved', () => {
  const root = temporaryFolder();
  git(root, 'init', '-q', '-b', 'main');
  const who = 'committer T <t@example.invalid> 1000000000 +0000';
  const file = (path: string) => `M 100644 inline ${path}\ndata 1\nx\n`;
  const many = Array.from({ length: 201 }, (_, at) => file(`f${String(at).padStart(3, '0')}`)).join('');
  const chain = Array.from({ length: 2_001 }, (_, at) => {
    const message = `c${at}`;
    const files = at === 2_000 ? many : file(`a${at}`);
    return `commit refs/heads/main\n${who}\ndata ${message.length}\n${message}\n${files}`;
  });
  const moved = `commit refs/heads/main\n${who}\ndata 5\nmoved\nR f000 g000\n`;
  writeFileSync(join(root, 'import'), [...chain, moved, ''].join('\n'));
  git(root, '-c', 'alias.load=!git fast-import --quiet < import', 'load');
  const commits = new GitLog(root, environment).commits() ?? [];
  expect([commits.length, commits[0]?.subject, commits.at(-1)?.subject]).toEqual([2_000, 'moved', 'c2']);
  expect([commits[0]?.paths, commits[1]?.paths.length, commits[1]?.paths[0]]).toEqual([['f000', 'g000'], 201, 'f000']);
  expect(commits.filter(({ isCut }) => isCut)).toEqual([]);
  expect(commits[0]?.at).toBe(1_000_000_000_000);
});

it('keeps 200 paths of a large commit once the large ones before it have too many', () => {
  const files = (prefix: string) =>
    Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`${prefix}${String(at).padStart(3, '0')}`, prefix]));
  const root = temporaryRepository(files('a'));
  for (const more of [{ z: 'z' }, files('b')]) {
    putFiles(root, more);
    git(root, 'add', '-A');
    git(root, 'commit', '-qm', 'more');
  }
  const kept = (most: number) =>
    new GitLog(root, environment, most).commits()?.map(({ paths, isCut = false }) => [paths.length, isCut]);
  expect(kept(402)).toEqual([
    [201, false],
    [1, false],
    [201, false],
  ]);
  expect(kept(401)).toEqual([
    [201, false],
    [1, false],
    [200, true],
  ]);
});

it('does not know what the commit touched at which a shallow clone ends, until the clone is whole', () => {
  const origin = temporaryRepository({ 'a.txt': 'a', 'b.txt': 'b' });
  for (const text of ['two', 'three']) {
    putFiles(origin, { 'b.txt': text });
    git(origin, 'commit', '-qam', text);
  }
  const root = join(temporaryFolder(), 'clone');
  git(origin, 'clone', '-q', '--depth', '2', `file://${origin}`, root);
  const log = new GitLog(root, environment);
  const head = log.head() as string;
  const mark = log.markOf(head);
  expect([log.markOf(head), new GitLog(origin, environment).markOf(head)]).toEqual([mark, head]);
  const list = () => log.commits()?.map(({ subject, paths, isCut }) => [subject, paths, isCut]);
  expect(list()).toEqual([
    ['three', ['b.txt'], undefined],
    ['two', [], true],
  ]);
  git(root, 'fetch', '-q', '--unshallow');
  expect(log.markOf(head)).toBe(head);
  expect(list()).toEqual([
    ['three', ['b.txt'], undefined],
    ['two', ['b.txt'], undefined],
    ['first', ['a.txt', 'b.txt'], undefined],
  ]);
});

it('leaves merges out, and knows the content of each commit that it is asked about', () => {
  const root = temporaryRepository({ 'a.txt': 'a' });
  const log = new GitLog(root, environment);
  const first = log.head() as string;
  git(root, 'switch', '-q', '-c', 'other');
  putFiles(root, { 'a.txt': 'b' });
  git(root, 'commit', '-qam', 'other');
  git(root, 'switch', '-q', 'main');
  git(root, 'merge', '-q', '--no-ff', '-m', 'merge', 'other');
  expect(log.commits()?.map(({ subject }) => subject)).toEqual(['other', 'first']);
  const second = log.head() as string;
  expect(second).toBe(git(root, 'rev-parse', 'HEAD').trim());
  const is = (head: string, text: string) => log.isUnchanged(head, 'a.txt', Buffer.from(text));
  expect([is(first, 'a'), is(second, 'a'), is(second, 'b'), is(first, 'a')]).toEqual([true, false, true, true]);
});

it('reads repositories with longer hashes', () => {
  const root = temporaryFolder({ 'a.txt': 'a' });
  git(root, 'init', '-q', '--object-format=sha256');
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'first');
  const log = new GitLog(root, environment);
  expect(log.head()).toMatch(/^[0-9a-f]{64}$/);
  expect(log.isUnchanged(log.head() as string, 'a.txt', Buffer.from('a'))).toBe(true);
  expect(log.isUnchanged(log.head() as string, 'a.txt', Buffer.from('b'))).toBe(false);
});

it('keeps all paths of a commit of up to 200, however many the large ones may have', () => {
  const files = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`a${at}`, 'a']));
  const [commit] = new GitLog(temporaryRepository(files), environment, 0).commits() ?? [];
  expect([commit?.paths.length, commit?.isCut]).toEqual([200, undefined]);
});

it('tells apart where a shallow clone ends, in any folder of the repository', () => {
  const root = join(temporaryFolder(), 'a\nb');
  putFiles(root, { 'part/a.txt': 'a' });
  git(root, 'init', '-q');
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'first');
  const worktree = join(temporaryFolder(), 'worktree');
  git(root, 'worktree', 'add', '-q', '--detach', worktree);
  const logs = [root, join(root, 'part'), worktree].map((folder) => new GitLog(folder, environment));
  const marks = (text: string) => {
    putFiles(root, { '.git/shallow': text });
    return logs.map((log) => log.markOf('head'));
  };
  const hashes = ['1', '2'].map((digit) => digit.repeat(40));
  const markOf = (text: string) => `head ${createHash('sha256').update(text).digest('hex')}`;
  // A mark is stored, so it must be the same in each version.
  expect(marks(`${hashes.join('\n')}\n`)).toEqual(logs.map(() => markOf(hashes.join('\n'))));
  expect(marks(`${hashes[0]}\n`)).toEqual(logs.map(() => markOf(hashes[0] as string)));
});

it.each([['a\nb.txt', 'b\n\nc.txt'], ['\n\na.txt', '\nb.txt'], ['\n']])(
  'names files with line ends in their names as they are: %j',
  (...names) => {
    const root = temporaryRepository(Object.fromEntries(names.map((name) => [name, 'x'])));
    expect(new GitLog(root, environment).commits()?.map(({ paths }) => paths)).toEqual([names]);
  },
);

it('asks git once for the files of a commit and for where the repository is', () => {
  const root = temporaryRepository({ 'a.txt': 'a' });
  const seen = { PATH: environment.PATH };
  const log = new GitLog(root, seen);
  const head = log.head() as string;
  expect(log.isUnchanged('1'.repeat(40), 'a.txt', Buffer.from('a'))).toBe(false);
  expect([log.isUnchanged(head, 'a.txt', Buffer.from('a')), log.markOf(head)]).toEqual([true, head]);
  putFiles(root, { '.git/shallow': `${head}\n` });
  seen.PATH = temporaryFolder();
  expect(log.isUnchanged(head, 'a.txt', Buffer.from('a'))).toBe(true);
  expect(log.markOf(head)).not.toBe(head);
  expect(log.isUnchanged('1'.repeat(40), 'a.txt', Buffer.from('a'))).toBe(false);
});
