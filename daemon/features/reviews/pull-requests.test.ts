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
  ['https://github.com/lamp/house/', 'https://github.com/lamp/house.git'],
  ['https://user:pass@github.com/lamp/house.git/', 'https://github.com/lamp/house.git'],
  ['https://@github.com/l.a_m-p/h.o_u-se', 'https://github.com/l.a_m-p/h.o_u-se.git'],
  ['git@github.com/lamp/house', 'git@github.com:lamp/house.git'],
  ['https://corp-1.ghe.com/lamp/house', 'https://corp-1.ghe.com/lamp/house.git'],
  ['https://ghe.com.example/lamp/house', undefined],
  ['https://git.example.ghe.com.other/lamp/house', undefined],
  ['http://github.com/lamp/house', undefined],
  ['ssh://root@github.com/lamp/house', undefined],
  ['my https://github.com/lamp/house', undefined],
  ['https://a b@github.com/lamp/house', undefined],
  ['https://a/b@github.com/lamp/house', undefined],
  ['https://github.com/lamp', undefined],
  ['https://github.com/lamp/house/more', undefined],
  ['https://github.com/lamp/house more', undefined],
  ['https://github.com/-lamp/house', undefined],
  ['https://-x.ghe.com/lamp/house', undefined],
  ['', undefined],
  ['https://other.example/lamp/house', undefined],
  ['ext::sh -c id github.com/lamp/house', undefined],
  ['/srv/github.com/lamp/house', undefined],
  ['https://github.com/lamp/--upload-pack=x y', undefined],
  ['-oProxyCommand=x@github.com:a/b', undefined],
])('takes of the address %s only what git may push to', (address, url) => {
  expect(readRemote(address, 'git.example')?.url).toBe(url);
});

it('takes no address without a host, also where the host that the environment names is empty', () => {
  expect(readRemote('/srv/lamp/house', '')).toBeUndefined();
  expect(readRemote('', '')).toBeUndefined();
  expect(readRemote('https://github.com/lamp/house', '')).toMatchObject({ host: 'github.com', name: 'lamp/house' });
});

const PULL = 'https://github.com/lamp/house/pull/';

/** Pull requests by programs that end with what `run` says, of a branch `lamp` of a repository with an origin. */
function opening({
  run = async () => ({ exit: 0 as number | null, output: `${PULL}7\n` }),
  programs = ['git', 'gh'],
  address = 'git@github.com:lamp/house.git',
}: {
  run?: (program: string) => Promise<{ exit: number | null; output: string }>;
  programs?: string[];
  address?: string;
} = {}) {
  const calls: unknown[] = [];
  const found = new Set(programs);
  const pullRequests = new PullRequests({
    findProgram: async (name) => (found.has(name) ? `/bin/${name}` : undefined),
    run: (program, args, folder) => {
      calls.push([program, args[0], folder]);
      return run(program);
    },
    withCleanRepository: (_repository, place, work) => {
      calls.push(place);
      return work('/clean');
    },
    host: undefined,
  });
  const repository = {
    run: async (args: readonly string[]) => {
      calls.push(args);
      return { stdout: `${address}\n` };
    },
  } as unknown as GitRepository;
  const plan = { repository, worktree: { branch: 'lamp' }, tip: { commit: 'abc' }, title: 'Light it' };
  const commandsOf = (title = 'Light it', branch = 'lamp') =>
    pullRequests.commands(repository, { branch, into: 'main', title });
  const open = async () => {
    const commands = (await commandsOf()) ?? [];
    calls.length = 0;
    const merges = { plan: async (...given: unknown[]) => (given[1] === 'main' ? { plan, commands } : undefined) };
    return pullRequests.open(merges as unknown as Merges, 'conv-1', { into: 'main', commands });
  };
  return { calls, commandsOf, open, found };
}

it('shows one line as the title, of at most 120 characters, and quotes only what needs it', async () => {
  const { commandsOf, calls } = opening();
  const title = `  The\n lamp ${'x'.repeat(120)}`;
  expect(await commandsOf(title, "it's")).toEqual([
    `git push git@github.com:lamp/house.git 'refs/heads/it'\\''s:refs/heads/it'\\''s'`,
    `gh pr create --repo github.com/lamp/house --base main --head 'it'\\''s' --title 'The lamp ${'x'.repeat(111)}' --body ` +
      `'Changes of the branch it'\\''s, made with meshd.'`,
  ]);
  expect((await commandsOf('lamp'))?.[1]).toContain(' --title lamp --body ');
  expect(calls).toContainEqual(['config', '--get', 'remote.origin.url']);
});

it('shows no commands without `gh` or a remote that it knows', async () => {
  expect(await opening({ programs: ['git'] }).commandsOf()).toBeNull();
  expect(await opening({ address: '' }).commandsOf()).toBeNull();
});

it('runs each command in a clean repository and takes the last address that they say', async () => {
  const { open, calls } = opening({
    run: async (program) => ({ exit: 0, output: `${program}: <${PULL}1> "${PULL}23".\n` }),
  });
  expect(await open()).toEqual({
    url: `${PULL}23`,
    output: ['git', 'gh'].map((name) => `/bin/${name}: <${PULL}1> "${PULL}23".\n`).join(''),
  });
  expect(calls).toEqual([
    ['config', '--get', 'remote.origin.url'],
    { branch: 'lamp', commit: 'abc' },
    ['/bin/git', 'push', '/clean'],
    ['/bin/gh', 'pr', '/clean'],
  ]);
});

it.each([
  [1, '  no access \n', '`git push` ended with 1. no access'],
  [null, 'killed', '`git push` ended with a signal. killed'],
  [1, `${'a'.repeat(9)}${'b'.repeat(500)}`, `\`git push\` ended with 1. ${'b'.repeat(500)}`],
])('says how the first command failed, and runs no other: %j (%#)', async (exit, output, message) => {
  const { open, calls } = opening({ run: async () => ({ exit, output }) });
  await expect(open()).rejects.toMatchObject({ code: 'network_unavailable', message });
  expect(calls).toHaveLength(3);
});

it('keeps 10,000 characters of what each command said', async () => {
  const { open } = opening({
    run: async (program) => ({ exit: 0, output: `${program.endsWith('gh') ? `${PULL}7 ` : ''}${'x'.repeat(10_001)}` }),
  });
  const { output } = await open();
  expect(output).toBe(`${'x'.repeat(10_000)}${`${PULL}7 ${'x'.repeat(10_000)}`.slice(0, 10_000)}`);
});

it('says so when a program is gone meanwhile, and when none said an address', async () => {
  const gone = opening({
    run: async () => {
      gone.found.delete('gh');
      return { exit: 0, output: '' };
    },
  });
  await expect(gone.open()).rejects.toMatchObject({
    ...{ code: 'network_unavailable', message: 'The program `gh` is gone.' },
  });
  const silent = opening({ run: async () => ({ exit: 0, output: ' See https://github.com/lamp/house/pulls\n' }) });
  await expect(silent.open()).rejects.toMatchObject({
    code: 'network_unavailable',
    message:
      '`gh` ended without the address of a pull request. See https://github.com/lamp/house/pulls\n See ' +
      'https://github.com/lamp/house/pulls',
  });
});
