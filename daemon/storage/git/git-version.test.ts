import { expect, it } from 'vitest';
import { pathWithGit, temporaryFolder } from '../../testing/temporary-folder.js';
import { findGitProblem, isGitAtLeast } from './git-version.js';

it.each([
  ['git version 2.31.0', true],
  ['git version 2.30.9', false],
  ['git version 2.100.1 (Apple Git-1)', true],
  ['git version 3.0.0', true],
  ['git version 1.99.0', false],
  ['git version 12.3.0', true],
  ['git version 1.100.0', false],
  ['nothing', false],
])('compares versions of git: %s', (text, isNewEnough) => {
  expect(isGitAtLeast(text, '2.31')).toBe(isNewEnough);
});

it('names the version of a git that is too old, and says where there is none', async () => {
  const folder = temporaryFolder();
  expect(await findGitProblem(folder, { PATH: process.env['PATH'] })).toBeUndefined();
  expect(await findGitProblem(folder, { PATH: folder })).toBe('git is not installed, or not in the PATH of the daemon');
  expect(await findGitProblem(folder, { PATH: pathWithGit('echo git version 2.30.2') })).toBe(
    'git 2.31 or newer is not installed (the daemon finds 2.30.2)',
  );
});
