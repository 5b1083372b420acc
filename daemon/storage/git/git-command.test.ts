import { chmodSync } from 'node:fs';
import { devNull } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { git, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { gitEnvironment, gitOutput, runGit, runGitFully } from './git-command.js';

const PATH = process.env['PATH'];
const SHOW = ['-c', 'alias.variables=!env', 'variables'];
const variables = (text: string | undefined) =>
  new Map((text ?? '').split('\n').map((line) => [line.split('=')[0] ?? '', line.slice(line.indexOf('=') + 1)]));

const PASSED = ['PATH', 'HOME', 'USERPROFILE', 'SystemRoot', 'TMPDIR', 'TEMP', 'XDG_CONFIG_HOME'];

it('lets git see only what it needs of the environment', async () => {
  const given = Object.fromEntries(PASSED.map((name) => [name, name === 'PATH' ? PATH : `/of/${name}`]));
  const whole = { ...given, GIT_DIR: '/evil', API_KEY: 'secret', GIT_EDITOR: 'evil' };
  expect(gitEnvironment(whole)).toEqual(given);
  expect(gitEnvironment({ HOME: '/h', PATH: undefined, OTHER: 'x' })).toEqual({ HOME: '/h' });
  const seen = variables(await runGit(temporaryFolder(), whole, SHOW));
  // Git itself puts its own programs before the path.
  for (const name of PASSED.slice(1)) expect([name, seen.get(name)]).toEqual([name, `/of/${name}`]);
  expect([...seen.keys()].filter((name) => ['GIT_DIR', 'API_KEY', 'GIT_EDITOR'].includes(name))).toEqual([]);
  expect(Object.fromEntries(seen)).toMatchObject({
    LC_ALL: 'C.UTF-8',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_LITERAL_PATHSPECS: '1',
  });
});

it('finds git in the usual folders where no path is set', async () => {
  const seen = variables(await runGit(temporaryFolder(), {}, SHOW));
  expect(seen.get('PATH')).toMatch(/\/usr\/local\/bin:\/usr\/bin:\/bin:\/opt\/homebrew\/bin$/);
});

it.each([
  ['a relative folder', (_: string) => './node_modules/.bin'],
  ['the working folder', () => ''],
  ['a folder of the project', (root: string) => join(root, 'node_modules/.bin')],
  ['a folder of the project, written otherwise', (root: string) => `${root}/src/../node_modules/.bin`],
])('starts no git of the project when the path names %s', async (_, entry) => {
  const planted = {
    'node_modules/.bin/git': '#!/bin/sh\necho planted\n',
    git: '#!/bin/sh\necho planted\n',
    'src/a': '',
  };
  const root = temporaryRepository(planted);
  for (const file of ['node_modules/.bin/git', 'git']) chmodSync(join(root, file), 0o755);
  const environment = { PATH: `${entry(root)}:${PATH}`, HOME: dirname(root) };
  for (const folder of [root, join(root, 'src')]) {
    expect(await runGit(folder, environment, ['--version'])).toMatch(/^git version/);
    expect(gitOutput(folder, environment, ['--version'])).toMatch(/^git version/);
    expect((await runGitFully(folder, environment, ['--version'])).stdout).toMatch(/^git version/);
  }
  expect(await runGit(root, { ...environment, PATH: entry(root) }, ['--version'])).toBeUndefined();
});

it.each([
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', devNull],
  ['core.untrackedCache', 'false'],
  ['core.sshCommand', 'false'],
  ['core.alternateRefsCommand', ''],
  ['core.pager', 'cat'],
  ['credential.helper', ''],
  ['diff.external', ''],
  ['diff.submodule', 'short'],
  ['log.showSignature', 'false'],
  ['gpg.program', 'false'],
  ['protocol.allow', 'never'],
  ['color.ui', 'false'],
])('a repository cannot set %s, which is %j', async (key, value) => {
  const root = temporaryRepository({ a: 'a' });
  git(root, 'config', key, 'evil');
  expect(await runGit(root, { PATH }, ['config', '--get', key])).toBe(`${value}\n`);
  expect(gitOutput(root, { PATH }, ['config', '--get', key])).toBe(`${value}\n`);
});

it('has no output when git failed', async () => {
  const folder = temporaryFolder();
  expect(await runGit(folder, { PATH }, ['rev-parse', 'HEAD'])).toBeUndefined();
  expect(gitOutput(folder, { PATH }, ['rev-parse', 'HEAD'])).toBeUndefined();
});

it('says how git ended, with what it was given', async () => {
  const folder = temporaryFolder();
  const shown = await runGitFully(folder, { PATH }, SHOW, { env: { GIT_INDEX_FILE: '/x', LC_ALL: 'C' } });
  expect(shown.code).toBe(0);
  expect(Object.fromEntries(variables(shown.stdout))).toMatchObject({ GIT_INDEX_FILE: '/x', LC_ALL: 'C' });
  expect((await runGitFully(folder, { PATH }, ['hash-object', '--stdin'], { input: 'a' })).stdout).toBe(
    '2e65efe2a145dda7ee51d1741299f848e5bf752e\n',
  );
  expect((await runGitFully(folder, { PATH }, ['rev-parse', 'HEAD'])).code).toBe(128);
  const slow = ['-c', 'alias.slow=!exec sleep 2', 'slow'];
  expect((await runGitFully(folder, { PATH }, slow, { timeoutMs: 20 })).code).toBeNull();
  expect(gitOutput(folder, { PATH }, slow, 20)).toBeUndefined();
});

it('starts a git of the user’s home, also where that is a repository', async () => {
  const home = temporaryRepository({ 'bin/git': '#!/bin/sh\necho mine\n', 'project/a': '' });
  chmodSync(join(home, 'bin/git'), 0o755);
  const [project, path] = [join(home, 'project'), join(home, 'bin')];
  expect(await runGit(project, { PATH: path, HOME: home }, ['--version'])).toBe('mine\n');
  expect(await runGit(project, { PATH: path }, ['--version'])).toBeUndefined();
});
