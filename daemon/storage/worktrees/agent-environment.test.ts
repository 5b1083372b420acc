import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { runBeside } from '../../testing/processes/run-beside.js';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { AgentEnvironment } from './agent-environment.js';
import { readRepositoryStatus } from './repository-status.js';

/** A worktree of a repository whose branch is `own`, and what an agent's programs in it are given. */
async function anAgent(provided: string[] = [], home = temporaryFolder(), more: Record<string, string> = {}) {
  const root = temporaryRepository({ 'a.txt': 'a', '.gitignore': 'ignored\n' });
  const path = join(temporaryFolder(), 'conv-1');
  git(root, 'worktree', 'add', '-q', '-b', 'meshd/own', path);
  const environment = { PATH: process.env['PATH'], HOME: home, ...more };
  const status = await readRepositoryStatus(root, environment);
  if ('problem' in status) throw new Error(status.problem);
  const folder = join(temporaryFolder(), 'agents');
  const place = { root, folder, turn: 'turn-1', path, provided };
  const agent = await AgentEnvironment.prepare(place, status.base, environment);
  /** Runs git as a program of the agent does. */
  const run = (where: string, ...args: string[]) => {
    const env = { ...environment, GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@b', ...agent.variables };
    return runBeside('git', args, {
      cwd: where,
      env: { ...env, GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@b', GIT_CONFIG_NOSYSTEM: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  };
  return { root, path, folder, agent, run };
}

it('lets the agent work and commit in its own worktree, on its own branches', async () => {
  const { root, path, run } = await anAgent();
  putFiles(path, { 'a.txt': 'changed' });
  expect(run(path, 'commit', '-qam', 'one')).toMatchObject({ status: 0, stderr: '' });
  for (const args of [
    ['switch', '-q', '-c', 'meshd/other'],
    ['update-ref', 'refs/remotes/origin/x', 'HEAD'],
    ['update-ref', 'refs/worktree/x', 'HEAD'],
    ['update-ref', 'refs/bisect/x', 'HEAD'],
    ['update-ref', 'refs/rewritten/x', 'HEAD'],
    ['reset', '-q', '--hard', 'HEAD~1'],
  ])
    expect({ args, status: run(path, ...args).status }).toEqual({ args, status: 0 });
  expect(git(root, 'log', '-1', '--format=%s', 'meshd/own').trim()).toBe('one');
});

it.each([
  ['branch', 'refs/heads/topic', ['branch', 'topic']],
  ['branch of the user', 'refs/heads/main', ['update-ref', 'refs/heads/main', 'HEAD']],
  ['tag', 'refs/tags/v1', ['tag', 'v1']],
  ['reference of the daemon', 'refs/meshd/x', ['update-ref', 'refs/meshd/x', 'HEAD']],
  ['stash', 'refs/stash', ['update-ref', 'refs/stash', 'HEAD']],
])('moves no %s', async (_, ref, args) => {
  const { root, path, run } = await anAgent();
  putFiles(path, { 'a.txt': 'changed' });
  run(path, 'commit', '-qam', 'one');
  const before = git(root, 'for-each-ref');
  const { status, stderr } = run(path, ...args);
  expect(status).not.toBe(0);
  expect(stderr).toContain(`meshd: ${ref} belongs to the user. Work on the branch of your own worktree.`);
  expect(git(root, 'for-each-ref')).toBe(before);
});

it('cannot run git in the folder of the user, nor find a repository above the worktree', async () => {
  const { root, path, run } = await anAgent();
  const refused = run(root, 'status');
  expect(refused.status).not.toBe(0);
  expect(refused.stderr).toContain('this folder belongs to the user: work in your own worktree');
  git(dirname(path), 'init', '-q');
  const beside = join(dirname(path), 'beside');
  mkdirSync(beside);
  expect(run(beside, 'rev-parse', '--show-toplevel').stderr).toContain('not a git repository');
});

it('runs no hook of the repository, and no cleaning', async () => {
  const { root, path, run } = await anAgent();
  git(root, 'config', 'maintenance.auto', 'true');
  writeFileSync(join(root, '.git/hooks/pre-commit'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  putFiles(path, { 'a.txt': 'changed' });
  expect(run(path, 'commit', '-qam', 'one').status).toBe(0);
  expect([run(path, 'config', 'gc.auto').stdout, run(path, 'config', 'maintenance.auto').stdout]).toEqual([
    ...['0\n', 'false\n'],
  ]);
});

it('ignores what the worktree was given, beside what the user ignores', async () => {
  const home = temporaryFolder({ '.config/git/ignore': '*.mine\n' });
  const { path, run } = await anAgent(['given [1]*.txt', 'deep/folder'], home);
  putFiles(path, { 'given [1]*.txt': 'g', 'deep/folder/x': 'x', 'sub/given [1]*.txt': 'n', 'given 1x.txt': 'n' });
  putFiles(path, { 'x.mine': 'm', ignored: 'i', 'new.txt': 'n' });
  const { stdout } = run(path, 'status', '--porcelain', '-z', '--untracked-files=all');
  expect(stdout.split('\0').filter(Boolean).sort()).toEqual([
    ...['?? given 1x.txt', '?? new.txt', '?? sub/given [1]*.txt'],
  ]);
});

it.each<[string, (home: string) => Record<string, string>, string]>([
  ['named by the configuration', () => ({}), '.gitignore-of-mine'],
  ['in the folder for configuration', (home) => ({ XDG_CONFIG_HOME: join(home, 'xdg') }), 'xdg/git/ignore'],
  ['in the usual folder', () => ({}), '.config/git/ignore'],
])('takes the names that the user ignores from the file %s', async (_, more, file) => {
  const home = temporaryFolder({ [file]: '*.mine\n' });
  if (file.startsWith('.git')) putFiles(home, { '.gitconfig': `[core]\n\texcludesFile = ~/${file}\n` });
  const { path, run } = await anAgent(['given.txt'], home, more(home));
  putFiles(path, { 'given.txt': 'g', 'x.mine': 'm', 'new.txt': 'n' });
  expect(run(path, 'status', '--porcelain').stdout).toBe('?? new.txt\n');
});

it.each([
  ['a home', ''],
  ['a file of them', undefined],
])('ignores only what was given for a user without %s', async (_, home) => {
  const { path, folder, run } = await anAgent(['given.txt'], home);
  putFiles(path, { 'given.txt': 'g', 'new.txt': 'n' });
  expect(run(path, 'status', '--porcelain').stdout).toBe('?? new.txt\n');
  expect(readFileSync(join(folder, 'turn-1.ignored'), 'utf8')).toBe('\n/given.txt\n');
});

it('leaves the ignored names of the user alone where nothing was given', async () => {
  const { path, folder, run } = await anAgent();
  expect(existsSync(join(folder, 'turn-1.ignored'))).toBe(false);
  expect(run(path, 'config', '--get', 'core.excludesFile')).toMatchObject({ status: 1, stdout: '' });
});

it('works at paths with quotes and characters of patterns', async () => {
  const top = temporaryFolder();
  const root = join(top, 'a "b" [c]* \\d');
  mkdirSync(root);
  git(root, 'init', '-q', '-b', 'main');
  putFiles(root, { 'a.txt': 'a' });
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'first');
  const path = join(temporaryFolder(), 'conv-1');
  git(root, 'worktree', 'add', '-q', '-b', 'meshd/own', path);
  const environment = { PATH: process.env['PATH'], HOME: temporaryFolder() };
  const status = await readRepositoryStatus(root, environment);
  if ('problem' in status) throw new Error(status.problem);
  const place = { root, folder: join(top, 'x "y" \\z'), turn: 'turn-1', path, provided: ['given.txt'] };
  const { variables } = await AgentEnvironment.prepare(place, status.base, environment);
  putFiles(path, { 'given.txt': 'g' });
  const run = (cwd: string, ...args: string[]) =>
    runBeside('git', args, { cwd, env: { ...environment, ...variables } });
  expect(run(path, 'status', '--porcelain')).toMatchObject({ status: 0, stdout: '' });
  expect(run(path, 'branch', 'topic').stderr).toContain('refs/heads/topic belongs to the user');
  expect(run(root, 'status').status).not.toBe(0);
});

it('writes files that only the user can read, outside of the worktree', async () => {
  const { folder } = await anAgent(['given.txt']);
  expect(readFileSync(join(folder, 'turn-1.trace'), 'utf8')).toBe('');
  const modes = ['.', 'hooks', 'hooks/reference-transaction', 'off', 'turn-1.config', 'turn-1.ignored', 'turn-1.trace'];
  expect(modes.map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual([
    ...[0o700, 0o700, 0o700, 0o600, 0o600, 0o600, 0o600],
  ]);
});

it('tells at the end which git commands ran, and removes the files of the turn alone', async () => {
  const { path, folder, agent, run } = await anAgent(['given.txt']);
  run(path, 'status', '--porcelain');
  run(path, 'branch', 'topic');
  expect(await agent.end()).toEqual(
    expect.arrayContaining([
      ['git', 'status', '--porcelain'],
      ['git', 'branch', 'topic'],
    ]),
  );
  const left = ['turn-1.config', 'turn-1.ignored', 'turn-1.trace', 'off', 'hooks/reference-transaction'];
  expect(left.map((name) => existsSync(join(folder, name)))).toEqual([false, false, false, true, true]);
  expect(await agent.end()).toEqual([]);
});

it('leaves out what ran in repositories that the agent made, and what it changed through them stays', async () => {
  const { root, path, agent, run } = await anAgent();
  const [other, removed] = [join(path, 'made'), temporaryFolder()];
  for (const folder of [other, removed]) {
    run(path, 'init', '-q', folder);
    run(folder, 'config', 'user.name', 'x');
    run(folder, 'commit', '-q', '--allow-empty', '-m', 'first');
    run(folder, 'branch', '-f', 'main');
  }
  rmSync(removed, { recursive: true });
  run(other, 'push', root, 'HEAD:refs/heads/topic');
  run(other, '--git-dir', join(root, '.git'), 'config', 'a.b', 'c');
  run(other, 'config', '--file', join(root, '.git/config'), 'a.b', 'd');
  run(path, 'config', 'a.b', 'e');
  run(join(root, '.git'), 'config', 'a.b', 'f');
  const own = (await agent.end()).filter(([program]) => program === 'git').map((words) => words.slice(1).join(' '));
  expect(own).toEqual([
    `push ${root} HEAD:refs/heads/topic`,
    `--git-dir ${join(root, '.git')} config a.b c`,
    `config --file ${join(root, '.git/config')} a.b d`,
    'config a.b e',
    'config a.b f',
  ]);
});

it('leaves out nothing when working trees of the repository were made or removed', async () => {
  const { path, agent, run } = await anAgent();
  const [other, linked] = [temporaryFolder(), join(temporaryFolder(), 'linked')];
  run(other, 'init', '-q');
  run(path, 'worktree', 'add', '-q', '--detach', linked);
  run(linked, 'config', 'a.b', 'c');
  run(path, 'worktree', 'remove', linked);
  const words = (await agent.end()).map((command) => command.slice(1).join(' '));
  expect(words).toEqual(expect.arrayContaining(['init -q', 'config a.b c']));
});

it('reads only the starts of commands from the trace, and skips what is no whole line', async () => {
  const { folder, agent } = await anAgent();
  const trace = join(folder, 'turn-1.trace');
  const start = (argv: unknown) => JSON.stringify({ event: 'start', argv });
  const lines = [
    ...[
      start(['git', 'a', 1]),
      '{"event":"start","argv":["cut',
      start('no list'),
      '{"event":"exit","argv":["git","b"]}',
    ],
    ...['{"event":"start"}', '', start(['git', 'c'])],
  ];
  writeFileSync(trace, lines.join('\n'));
  expect(await agent.end()).toEqual([
    ['git', 'a', '1'],
    ['git', 'c'],
  ]);
});

it('reads the last 16 MiB of the trace', async () => {
  const { folder, agent } = await anAgent();
  const line = (name: string) => `${JSON.stringify({ event: 'start', argv: [name] })}\n`;
  const size = 16 * 1024 * 1024;
  const spaces = ' '.repeat(size - line('first of the rest').length - line('last').length);
  const text = `${line('before')}${line('first of the rest')}${spaces}${line('last')}`;
  writeFileSync(join(folder, 'turn-1.trace'), text);
  expect(await agent.end()).toEqual([['first of the rest'], ['last']]);
});
