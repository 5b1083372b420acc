import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { git, pathWithGit, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { GitRepository } from './git-repository.js';

const environment = { PATH: process.env['PATH'], HOME: '/nonexistent' };

/** A repository with one commit, whose configuration names a program for everything that git could run. */
function createHostileClone(): { root: string; mark: string } {
  const root = join(temporaryFolder(), 'clone');
  const mark = join(root, '..', 'ran');
  mkdirSync(root);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: 'pipe' });
  git('init', '-q', '-b', 'main');
  writeFileSync(join(root, 'a.txt'), 'one\n');
  git('add', '-A');
  git('-c', 'user.name=n', '-c', 'user.email=e@localhost', 'commit', '-qm', 'first');
  const run = `touch ${mark}; cat`;
  writeFileSync(join(root, '.gitattributes'), '*.txt filter=a=b diff=d merge=m\n');
  writeFileSync(
    join(root, '.git', 'more'),
    `[filter "a=b"]\n\tclean = "${run}"\n\tsmudge = "${run}"\n\trequired = true\n` +
      `[merge "m"]\n\tdriver = "${run}"\n[diff "d"]\n\ttextconv = "${run}"\n`,
  );
  git('config', 'include.path', 'more');
  git('config', 'commit.gpgSign', 'true');
  git('config', 'gpg.program', `${run}`);
  for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change', 'pre-commit', 'post-merge'])
    writeFileSync(join(root, '.git', 'hooks', hook), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
  return { root, mark };
}

test('no program that a clone names runs when its files are added, committed, compared and checked out', async () => {
  const { root, mark } = createHostileClone();
  const repository = await GitRepository.open(root, environment);
  if (!repository) throw new Error('The repository was not opened.');
  writeFileSync(join(root, 'a.txt'), 'two\n');
  const env = { GIT_INDEX_FILE: join(root, '..', 'index') };
  await repository.output(['add', '-A'], { env });
  const tree = (await repository.output(['write-tree'], { env })).trim();
  const commit = (await repository.output(['commit-tree', '-p', 'HEAD', '-m', 'second', tree])).trim();
  await repository.output(['update-ref', 'refs/meshd/x', commit]);
  expect(await repository.output(['diff', 'HEAD', commit, '--', 'a.txt'])).toContain('+two');
  await repository.output(['worktree', 'add', '--detach', join(root, '..', 'place'), commit]);
  expect(existsSync(join(root, '..', 'place', 'a.txt'))).toBe(true);
  expect(existsSync(mark)).toBe(false);
});

test('a repository whose working tree was set to another place is not opened', async () => {
  const { root } = createHostileClone();
  const other = createHostileClone();
  for (const place of ['/', other.root]) {
    execFileSync('git', ['config', 'core.worktree', place], { cwd: root });
    expect(await GitRepository.open(root, environment)).toBeUndefined();
  }
});

test('what git says is in the error of a command that fails', async () => {
  const { root } = createHostileClone();
  const repository = await GitRepository.open(root, environment);
  await expect(repository?.output(['rev-parse', '--verify', 'absent'])).rejects.toThrow(
    /git rev-parse failed: .*single/,
  );
});

test('the user is who the configuration names last, and nobody where it names none', async () => {
  const { root } = createHostileClone();
  const userOf = async () => (await GitRepository.open(root, environment))?.user;
  expect(await userOf()).toEqual({ name: '', email: '' });
  for (const [key, value] of [
    ['user.name', 'First'],
    ['user.name', 'Anna  Example'],
    ['user.email', 'anna@example.invalid'],
  ] as const)
    execFileSync('git', ['config', '--add', key, value], { cwd: root });
  expect(await userOf()).toEqual({ name: 'Anna  Example', email: 'anna@example.invalid' });
});

const openAt = async (folder: string, home = '/nonexistent') => {
  const repository = await GitRepository.open(folder, { PATH: process.env['PATH'], HOME: home });
  if (!repository) throw new Error('The repository was not opened.');
  return repository;
};
const readSetting = async (repository: GitRepository, key: string) =>
  (await repository.run(['config', '--get', key])).stdout.trim();

test.each([
  ['commit.gpgSign', 'false'],
  ['tag.gpgSign', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['submodule.recurse', 'false'],
  ['core.safecrlf', 'false'],
  ['advice.detachedHead', 'false'],
  ['worktree.useRelativePaths', 'false'],
])('the setting %s is always %s', async (key, value) => {
  const root = temporaryRepository({ a: 'a' });
  git(root, 'config', key, value === '0' ? '7' : 'true');
  expect(await readSetting(await openAt(root), key)).toBe(value);
});

test.each([
  'filter.x.clean',
  'filter.x.smudge',
  'filter.x.process',
  'merge.x.driver',
  'diff.x.command',
  'diff.x.textconv',
])('the program of %s is the user’s own or none', async (key) => {
  const root = temporaryRepository({ a: 'a' });
  git(root, 'config', key, 'evil');
  expect(await readSetting(await openAt(root), key)).toBe('');
  const home = temporaryFolder();
  git(home, 'config', '--global', key, 'mine');
  expect(await readSetting(await openAt(root, home), key)).toBe('mine');
  git(root, 'config', '--unset', key);
  git(root, 'config', 'extensions.worktreeConfig', 'true');
  git(root, 'config', '--worktree', key, 'evil');
  expect(await readSetting(await openAt(root), key)).toBe('');
});

test('settings that name no program stay, whatever is like one in their name', async () => {
  const root = temporaryRepository({ a: 'a' });
  const keys = [
    'filter.x.cleaner',
    'filter.x.other',
    'my.filter.x.clean',
    'merge.x.name',
    'diff.x.binary',
    'diff.external',
  ];
  for (const key of keys) git(root, 'config', key, 'kept');
  const repository = await openAt(root);
  const values = await Promise.all(keys.map((key) => readSetting(repository, key)));
  expect(values).toEqual(['kept', 'kept', 'kept', 'kept', 'kept', '']);
});

test('a required filter without a program is not required, and the user’s own stays required', async () => {
  const root = temporaryRepository({ a: 'a' });
  const home = temporaryFolder();
  for (const name of ['theirs.x', 'mine']) {
    git(root, 'config', `filter.${name}.smudge`, 'evil');
    git(root, 'config', `filter.${name}.required`, 'true');
  }
  git(root, 'config', 'merge.x.driver', 'evil');
  git(home, 'config', '--global', 'filter.mine.smudge', 'mine');
  const repository = await openAt(root, home);
  const required = ['theirs.x', 'mine'].map((name) => readSetting(repository, `filter.${name}.required`));
  expect(await Promise.all(required)).toEqual(['false', 'true']);
  expect((await repository.run(['config', '--get', 'merge.x.required'])).code).toBe(1);
});

test('every command is meshd’s, and asks for no editor', async () => {
  const repository = await openAt(temporaryRepository({ a: 'a' }));
  const seen = await repository.output(['-c', 'alias.variables=!env', 'variables']);
  const lines = seen.split('\n').filter((line) => /^GIT_(AUTHOR|COMMITTER|\w*EDITOR)/.test(line));
  expect(lines.sort()).toEqual([
    'GIT_AUTHOR_EMAIL=meshd@localhost',
    'GIT_AUTHOR_NAME=meshd',
    'GIT_COMMITTER_EMAIL=meshd@localhost',
    'GIT_COMMITTER_NAME=meshd',
    'GIT_EDITOR=false',
    'GIT_SEQUENCE_EDITOR=false',
  ]);
  const given = await repository.output(['-c', 'alias.variables=!env', 'variables'], { env: { GIT_AUTHOR_NAME: 'A' } });
  expect(given).toContain('\nGIT_AUTHOR_NAME=A\n');
});

test.each(['diff', 'diff-tree', 'diff-index', 'diff-files', 'show', 'log'])(
  'git %s shows differences without a program',
  async (command) => {
    const repository = await openAt(temporaryRepository({ a: 'a' }));
    const { stderr } = await repository.run([command, 'HEAD'], { env: { GIT_TRACE: '1' } });
    expect(stderr).toContain(`git ${command} --no-ext-diff --no-textconv HEAD`);
    const other = await repository.run(['rev-parse', 'HEAD'], { env: { GIT_TRACE: '1' } });
    expect(other.stderr).toMatch(/git rev-parse HEAD\n/);
  },
);

test('a repository says where one of its folders is, also of another working tree', async () => {
  const root = temporaryRepository({ 'a\nb/c/x.txt': 'x' });
  const [gitFolder, place] = [join(root, '.git'), join(temporaryFolder(), 'place')];
  git(root, 'worktree', 'add', '-q', '--detach', place);
  const index = join(gitFolder, 'index');
  const repository = await openAt(root);
  const top = { index, gitFolder, commonFolder: gitFolder, prefix: '' };
  expect(await repository.findPlace()).toEqual(top);
  const below = { ...top, prefix: 'a\nb/c/' };
  expect(await repository.at(join(root, 'a\nb/c')).findPlace()).toEqual(below);
  expect(await (await openAt(join(root, 'a\nb/c'))).findPlace()).toEqual(below);
  const own = join(gitFolder, 'worktrees/place');
  expect(await repository.at(place).findPlace()).toEqual({ ...top, index: join(own, 'index'), gitFolder: own });
  expect(repository.at(place).folder).toBe(place);
});

test('a folder through a link is in the repository to which it leads', async () => {
  const root = temporaryRepository({ 'part/a.txt': 'a' });
  const link = join(temporaryFolder(), 'link');
  symlinkSync(root, link);
  expect(await (await openAt(link)).findPlace()).toMatchObject({ gitFolder: join(root, '.git'), prefix: '' });
  expect(await GitRepository.open(temporaryFolder(), environment)).toBeUndefined();
  expect(await GitRepository.open(root, { PATH: temporaryFolder() })).toBeUndefined();
});

test('a command that was stopped says nothing, which the error says', async () => {
  const repository = await openAt(temporaryRepository({ a: 'a' }));
  const slow = repository.output(['-c', 'alias.slow=!exec sleep 2', 'slow'], { timeoutMs: 20 });
  await expect(slow).rejects.toMatchObject({ code: 'internal', message: 'git -c failed: it was stopped' });
  await expect(repository.output(['cat-file', '-e', '1'.repeat(40)])).rejects.toMatchObject({ code: 'internal' });
  expect(await repository.output(['hash-object', '--stdin'], { input: 'a' })).toMatch(/^[0-9a-f]{40}\n$/);
});

test('names of the user are without spaces around them', async () => {
  const root = temporaryRepository({ a: 'a' });
  git(root, 'config', 'user.name', ' Anna ');
  git(root, 'config', 'user.email', ' a@b ');
  git(root, 'config', 'my.user.name', 'No');
  expect((await openAt(root)).user).toEqual({ name: 'Anna', email: 'a@b' });
  git(root, 'config', 'user.name', 'Anna\nBo');
  git(root, 'config', 'user.email', 'a\nb@c');
  expect((await openAt(root)).user).toEqual({ name: 'Anna\nBo', email: 'a\nb@c' });
});

test.each(['clean', 'smudge', 'process'])(
  'finds the files whose %s is off, but not where it is the user’s own',
  async (program) => {
    const root = temporaryRepository({ '.gitattributes': '*.x filter=a.b\n*.y filter=mine\n*.z filter=\n' });
    const home = temporaryFolder();
    const paths = ['1.x', '2.y', '3.z', '4', 'in side/5\n.x'];
    const find = async () => (await openAt(root, home)).findUnfiltered(paths);
    expect(await find()).toEqual([]);
    for (const name of ['a.b', 'mine']) git(root, 'config', `filter.${name}.${program}`, 'evil');
    git(home, 'config', '--global', `filter.mine.${program}`, 'cat');
    expect(await find()).toEqual(['1.x', 'in side/5\n.x']);
  },
);

test('programs are the user’s own or none whatever the names of filters and drivers are', async () => {
  const root = temporaryRepository({ a: 'a' });
  const home = temporaryFolder();
  const keys = ['filter.two words.clean', 'filter.a.b.smudge', 'merge.two words.driver', 'merge.a.b.driver'];
  keys.push('diff.two words.command', 'diff.a.b.textconv', 'filter.long.process');
  for (const key of keys) git(root, 'config', key, 'evil');
  git(home, 'config', '--global', 'filter.long.process', 'mine\nand more');
  const repository = await openAt(root, home);
  const values = await Promise.all(keys.map((key) => readSetting(repository, key)));
  expect(values).toEqual(['', '', '', '', '', '', 'mine\nand more']);
});

test('a merge driver named like a filter turns off no filter', async () => {
  const root = temporaryRepository({ '.gitattributes': '* filter=x\n' });
  git(root, 'config', 'merge.filter.x.driver', 'evil');
  git(root, 'config', 'filter.x.required', 'true');
  const repository = await openAt(root);
  const values = ['merge.filter.x.driver', 'filter.x.required'].map((key) => readSetting(repository, key));
  expect(await Promise.all(values)).toEqual(['', 'true']);
  expect(await repository.findUnfiltered(['a'])).toEqual([]);
});

test('a program of the machine’s configuration is the user’s own', async () => {
  const root = temporaryRepository({ a: 'a' });
  git(root, 'config', 'filter.x.clean', 'evil');
  const machine = join(temporaryFolder({ config: '[filter "x"]\n\tclean = theirs\n' }), 'config');
  const PATH = pathWithGit(`export GIT_CONFIG_SYSTEM='${machine}'\nreal "$@"`);
  const repository = await GitRepository.open(root, { PATH, HOME: '/nonexistent' });
  expect(repository && (await readSetting(repository, 'filter.x.clean'))).toBe('theirs');
});

test('git is not asked for filters where none is off, or for no files', async () => {
  const root = temporaryRepository({ '.gitattributes': '*.x filter=filter\n' });
  const plain = await openAt(root);
  git(root, 'config', 'filter.filter.clean', 'evil');
  const muting = await openAt(root);
  const runs = [vi.spyOn(plain, 'run'), vi.spyOn(muting, 'run')];
  expect([await plain.findUnfiltered(['a.x']), await muting.findUnfiltered([])]).toEqual([[], []]);
  expect(runs.map((run) => run.mock.calls.length)).toEqual([0, 0]);
  // Neither the word for the attribute nor a file of the filter's name is taken for a value.
  expect(await muting.findUnfiltered(['1.txt', 'filter', '2.txt', '3.x'])).toEqual(['3.x']);
  await muting.findUnfiltered(['3.x'], { timeoutMs: 5_000 });
  expect(runs[1]?.mock.calls.map(([, options]) => options?.timeoutMs)).toEqual([120_000, 5_000]);
});

test('a repository that is opened at its top is looked for once', async () => {
  const root = temporaryRepository({ 'part/a': 'a' });
  const log = join(temporaryFolder(), 'log');
  const PATH = pathWithGit(`case "$*" in *--show-toplevel*) echo x >> '${log}';; esac\nreal "$@"`);
  expect(await GitRepository.open(root, { PATH, HOME: '/nonexistent' })).toBeDefined();
  expect(readFileSync(log, 'utf8')).toBe('x\n');
  // A setting may name another top, so it is asked too.
  expect(await GitRepository.open(join(root, 'part'), { PATH, HOME: '/nonexistent' })).toBeDefined();
  expect(readFileSync(log, 'utf8')).toBe('x\nx\nx\n');
});

test('a bare repository has no working tree to open', async () => {
  const bare = temporaryFolder();
  git(bare, 'init', '-q', '--bare');
  expect(await GitRepository.open(bare, environment)).toBeUndefined();
});

test('a worktree is seen by its git folder, with its own settings, whatever its .git file names', async () => {
  const root = temporaryRepository({ 'a.txt': 'a' });
  const place = join(temporaryFolder(), 'place');
  git(root, 'worktree', 'add', '-q', '--detach', place);
  git(root, 'config', 'extensions.worktreeConfig', 'true');
  git(place, 'config', '--worktree', 'filter.x.clean', 'evil');
  git(place, 'config', '--worktree', 'user.name', 'Anna');
  writeFileSync(join(place, '.git'), `gitdir: ${join(root, '.git')}\n`);
  const own = join(root, '.git/worktrees/place');
  const opened = await openAt(root);
  const there = await opened.atWorktree(place, own);
  expect([there.folder, there.user.name, opened.user.name]).toEqual([place, 'Anna', '']);
  expect(await there.findPlace()).toEqual({
    ...{ index: join(own, 'index'), gitFolder: own, commonFolder: join(root, '.git'), prefix: '' },
  });
  expect([await readSetting(there, 'filter.x.clean'), await readSetting(there, 'gc.auto')]).toEqual(['', '0']);
  expect((await there.output(['rev-parse', '--show-toplevel'])).trim()).toBe(place);
});

test('where the repository is, is asked once for the folder that was opened', async () => {
  const repository = await openAt(temporaryRepository({ a: 'a' }));
  const run = vi.spyOn(repository, 'run');
  await repository.findPlace();
  expect(run).not.toHaveBeenCalled();
});
