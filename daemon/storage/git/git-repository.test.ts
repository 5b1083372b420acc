import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.js';
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
