import { join } from 'node:path';
import { expect, it } from 'vitest';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { GitFileHistory } from './git-file-history.js';
import { isBlob } from './git-output.js';

const environment = { PATH: process.env['PATH'] };

function aRepository(): string {
  const root = temporaryRepository({ 'team/a.md': 'one\n', 'team/b.md': 'b\n' });
  putFiles(root, { 'team/a.md': 'two\n' });
  git(root, 'commit', '-qam', 'second | of a');
  return root;
}

it('returns the commits of one file, newest first, and its text in each', async () => {
  const history = new GitFileHistory(aRepository(), environment);
  const commits = await history.commits('team/a.md', 10);
  expect(commits.map(({ subject, author }) => `${subject} ${author}`)).toEqual(['second | of a Test', 'first Test']);
  const [newest, first] = commits.map(({ hash }) => hash) as [string, string];
  expect(await history.textAt(newest, 'team/a.md')).toBe('two\n');
  expect(await history.textAt(`${newest}^`, 'team/a.md')).toBe('one\n');
  expect(await history.textAt(`${first}^`, 'team/a.md')).toBeNull();
  expect(await history.textAt(first, 'team/none.md')).toBeNull();
  expect(await history.commits('team/b.md', 10)).toHaveLength(1);
  expect(await history.commits('team/a.md', 1)).toHaveLength(1);
});

it('takes a path literally, without patterns', async () => {
  const history = new GitFileHistory(aRepository(), environment);
  expect(await history.commits('team/*.md', 10)).toEqual([]);
  expect(await history.commits(':/', 10)).toEqual([]);
});

it('returns the files of a folder in HEAD with their blob ids', async () => {
  const root = aRepository();
  const blobs = await new GitFileHistory(join(root, 'team'), environment).blobs('.');
  expect([...blobs.keys()]).toEqual(['a.md', 'b.md']);
  const held = await new GitFileHistory(root, environment).blobs('team');
  expect([...held.keys()]).toEqual(['team/a.md', 'team/b.md']);
  expect(isBlob(held.get('team/a.md') ?? '', Buffer.from('two\n'))).toBe(true);
  expect(isBlob(held.get('team/a.md') ?? '', Buffer.from('one\n'))).toBe(false);
});

it('returns nothing outside a repository or before the first commit', async () => {
  const plain = new GitFileHistory(temporaryFolder({ 'a.md': 'a' }), environment);
  expect([await plain.isThere(), await plain.commits('a.md', 10), (await plain.blobs('.')).size]).toEqual([
    false,
    [],
    0,
  ]);
  const empty = temporaryFolder({ 'a.md': 'a' });
  git(empty, 'init', '-q');
  const history = new GitFileHistory(empty, environment);
  expect([await history.isThere(), await history.commits('a.md', 10), await history.textAt('HEAD', 'a.md')]).toEqual([
    true,
    [],
    null,
  ]);
  expect((await history.blobs('.')).size).toBe(0);
});

it('returns texts of up to 1 MiB', async () => {
  const size = 1024 * 1024;
  const root = temporaryRepository({ 'exact.txt': 'é'.repeat(size), 'more.txt': 'x'.repeat(size + 1) });
  const history = new GitFileHistory(root, environment);
  expect(await history.textAt('HEAD', 'exact.txt')).toHaveLength(size);
  expect(await history.textAt('HEAD', 'more.txt')).toBeNull();
});

it('reads a file of the project’s folder, and is nowhere in a repository without files', async () => {
  const root = aRepository();
  const team = new GitFileHistory(join(root, 'team'), environment);
  expect([await team.textAt('HEAD', 'a.md'), (await team.commits('a.md', 5)).length]).toEqual(['two\n', 2]);
  const bare = temporaryFolder();
  git(bare, 'init', '-q', '--bare');
  expect(await new GitFileHistory(bare, environment).isThere()).toBe(false);
});
