import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import type { GitRunOptions } from '../git/git-command.js';
import type { GitRepository } from '../git/git-repository.js';
import { findRepositoriesBelow, isGone } from './repositories-below.js';

/** Finds repositories in a folder of which git lists these entries, each ended by a zero byte. */
async function find(
  path: string,
  tracked: readonly string[],
  untracked: readonly string[],
  gitFolder = '/nonexistent',
) {
  const timeouts: (number | undefined)[] = [];
  const output = async (args: readonly string[], options?: GitRunOptions) => {
    timeouts.push(options?.timeoutMs);
    return (args.includes('-s') ? tracked : untracked).map((entry) => `${entry}\0`).join('');
  };
  const found = await findRepositoriesBelow({ output } as unknown as GitRepository, path, gitFolder);
  // Git looks through all files, which takes its time.
  expect(timeouts).toEqual([120_000, 120_000]);
  return found;
}

const link = (path: string) => `160000 ${'1'.repeat(40)} 0\t${path}`;
const file = (path: string) => `100644 ${'2'.repeat(40)} 0\t${path}`;

it('finds submodules whose files are there, and none of which a file or nothing is left', async () => {
  const path = temporaryFolder({ 'z/.git': '', 'a\tb/.git/HEAD': '', 'plain/.git': '', 'now-a-file': '' });
  mkdirSync(join(path, 'empty'));
  const names = ['z', 'a\tb', 'empty', 'gone', 'now-a-file'];
  expect(await find(path, [...names.map(link), file('plain')], [])).toEqual(['a\tb', 'z']);
});

it('takes a submodule for there when the system does not tell', async () => {
  const path = temporaryFolder();
  symlinkSync('ring', join(path, 'ring'));
  expect(await find(path, [link('ring')], [])).toEqual(['ring']);
});

it('finds folders that git lists without their files, in order and each once', async () => {
  const path = temporaryFolder({ 'b/.git': '' });
  expect(await find(path, [link('b')], ['new.txt', 'c/', 'a/deep/', 'b/'])).toEqual(['a/deep', 'b', 'c']);
});

it('names the folder of submodules of which only the commits are left', async () => {
  const gitFolder = temporaryFolder({ 'modules/lib/HEAD': '' });
  const path = temporaryFolder();
  expect(await find(path, [link('lib')], [], gitFolder)).toEqual([join(gitFolder, 'modules')]);
  expect(await find(path, [link('lib')], ['other/'], gitFolder)).toEqual(['other']);
  const empty = temporaryFolder();
  mkdirSync(join(empty, 'modules'));
  expect(await find(path, [], [], empty)).toEqual([]);
  expect(await find(path, [], [])).toEqual([]);
});

it.each([
  ['ENOENT', true],
  ['ENOTDIR', true],
  ['EACCES', false],
  ['ELOOP', false],
  [undefined, false],
])('a path is gone when the system says %s: %s', (code, is) => {
  expect(isGone(Object.assign(new Error('x'), { code }))).toBe(is);
});
