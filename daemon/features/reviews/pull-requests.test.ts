import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withCleanRepository } from '../../storage/git/clean-repository.js';
import { GitRepository } from '../../storage/git/git-repository.js';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import type { Merges } from './merges.js';
import { PullRequests, readRemote } from './pull-requests.js';

const GH = '#!/bin/sh\necho "token ghp_0123456789abcdefghijABCDEFGHIJ012345 in $PWD"\necho "$@" >&2\n';
const OPENED = `${GH}echo https://github.com/lamp/house/pull/7\n`;

/** A repository whose `origin` is on GitHub; the user's own configuration leads pushes to a bare one on the disk. */
async function aClone(script: string) {
  const root = temporaryRepository({ 'a.txt': 'a\n' });
  const home = temporaryFolder({ 'bin/gh': script });
  chmodSync(join(home, 'bin/gh'), 0o755);
  const remote = join(home, 'remote.git');
  mkdirSync(remote);
  git(remote, 'init', '-q', '--bare');
  putFiles(home, { '.gitconfig': `[url "${remote}"]\n\tinsteadOf = https://github.com/lamp/house.git\n` });
  git(root, 'remote', 'add', 'origin', 'https://user:secret@github.com/lamp/house');
  // Nothing of the repository's own configuration decides about the push.
  putFiles(root, { '.git/hooks/pre-push': '#!/bin/sh\nexit 1\n' });
  chmodSync(join(root, '.git/hooks/pre-push'), 0o755);
  git(root, 'config', 'url./nowhere.insteadOf', 'https://github.com/');
  const environment = { PATH: process.env['PATH'], HOME: home };
  const repository = await GitRepository.open(root, environment);
  if (!repository) throw new Error('The repository was not opened.');
  const pullRequests = new PullRequests({
    findProgram: async (name) => (name === 'gh' ? join(home, 'bin/gh') : '/usr/bin/git'),
    run: (bin, args, cwd) =>
      new Promise((resolve) => {
        execFile(bin, args, { cwd, env: environment, encoding: 'utf8' }, (error, out, err) =>
          resolve({ exit: error ? Number(error.code) : 0, output: `${out}${err}` }),
        );
      }),
    withCleanRepository: (one, place, work) => withCleanRepository(one, { ...place, environment }, work),
    host: undefined,
  });
  const commit = git(root, 'rev-parse', 'HEAD').trim();
  const plan = { branch: 'meshd/developer/lamp', into: 'main', title: "The lamp's $(touch x) light" };
  const commands = (await pullRequests.commands(repository, plan)) ?? [];
  const merges = {
    plan: async () => ({ plan: { ...plan, repository, worktree: plan, tip: { commit } }, commands }),
  } as unknown as Merges;
  return {
    root,
    remote,
    commit,
    commands,
    open: (seen: string[]) => pullRequests.open(merges, 'c', { into: 'main', commands: seen }),
  };
}

it('pushes the branch and opens a pull request with exactly the commands that were shown, and shows no secret', async () => {
  const { remote, commit, commands, open } = await aClone(OPENED);
  expect(commands).toEqual([
    'git push https://github.com/lamp/house.git refs/heads/meshd/developer/lamp:refs/heads/meshd/developer/lamp',
    "gh pr create --repo github.com/lamp/house --base main --head meshd/developer/lamp --title 'The lamp'\\''s " +
      "$(touch x) light' --body 'Changes of the branch meshd/developer/lamp, made with meshd.'",
  ]);
  await expect(open(commands.slice(0, 1))).rejects.toMatchObject({ code: 'file_changed' });
  expect(git(remote, 'for-each-ref')).toBe('');
  const { url, output } = await open(commands);
  expect(url).toBe('https://github.com/lamp/house/pull/7');
  expect(git(remote, 'rev-parse', 'refs/heads/meshd/developer/lamp').trim()).toBe(commit);
  expect(output).toContain("The lamp's $(touch x) light");
  expect(output).not.toMatch(/ghp_0123|secret/);
});

it('says what a program said that failed', async () => {
  const { commands, open } = await aClone('#!/bin/sh\necho no such base >&2\nexit 1\n');
  await expect(open(commands)).rejects.toMatchObject({
    code: 'network_unavailable',
    message: expect.stringMatching(/`gh pr` ended with 1\. .*no such base/),
  });
});

it.each([
  ['https://github.com/lamp/house', 'https://github.com/lamp/house.git'],
  ['git@github.com:lamp/house.git', 'git@github.com:lamp/house.git'],
  ['ssh://git@github.com/lamp/house.git', 'git@github.com:lamp/house.git'],
  ['https://git.example/lamp/house', 'https://git.example/lamp/house.git'],
  ['https://other.example/lamp/house', undefined],
  ['ext::sh -c id github.com/lamp/house', undefined],
  ['/srv/github.com/lamp/house', undefined],
  ['https://github.com/lamp/--upload-pack=x y', undefined],
  ['-oProxyCommand=x@github.com:a/b', undefined],
])('takes of the address %s only what git may push to', (address, url) => {
  expect(readRemote(address, 'git.example')?.url).toBe(url);
});
