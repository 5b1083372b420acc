import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git, temporaryRepository } from '../../testing/temporary-folder.js';
import { movesRef, writesSettings } from './agent-commands.js';

const words = (line: string) => line.split(' ');
const moves = (line: string, ref = 'refs/heads/main') => movesRef([words(line)], ref);

/** Forms that only read, each with `main` where a name may stand. */
const READING = [
  ...[
    'branch',
    'branch -a',
    'branch -vv',
    'branch -av',
    'branch --show-current',
    'branch --list main',
    'branch -l main',
  ],
  ...['branch --contains main', 'branch --no-contains main', 'branch --merged main', 'branch --no-merged=main'],
  ...['branch --points-at main', 'branch --sort -refname --list main', 'branch --format=%(refname) -r'],
  ...['tag', 'tag -l main', 'tag --list main', 'tag -n main', 'tag --contains main', 'tag --merged main'],
  ...['remote', 'remote -v', 'config --get user.main', 'config --get-regexp main x', 'config --list', 'config -l -z'],
  ...['config core.hooksPath', 'config user.name', 'config --get core.hooksPath', 'config -f a --get x.y z'],
  ...['worktree list', 'worktree list --porcelain', 'checkout -- main', 'checkout HEAD -- main', 'checkout main'],
  ...['checkout -q main', 'switch -q main', 'submodule status', 'sparse-checkout list'],
];

describe('a command that only reads', () => {
  it.each(READING)('neither writes settings nor moves a branch: git %s', (line) => {
    expect([writesSettings(words(`git ${line}`)), moves(`git ${line}`)]).toEqual([false, false]);
    expect(writesSettings(words(`git -C /x -c user.name=x --no-pager ${line}`))).toBe(false);
    expect(moves(`git -c user.name=config --git-dir=/x ${line}`)).toBe(false);
  });

  it('changes nothing in git either', () => {
    const root = temporaryRepository({ main: 'a', a: '[x]\n' });
    const state = () => [readFileSync(join(root, '.git/config'), 'utf8'), git(root, 'for-each-ref')];
    const before = state();
    for (const line of READING) {
      try {
        git(root, ...words(line));
      } catch {
        // Nothing was found.
      }
    }
    expect(state()).toEqual(before);
  });
});

it.each([
  ...['remote show origin', 'remote -v show origin', 'remote get-url origin', 'remote --verbose', 'submodule'],
  ...['submodule summary', 'config get user.name', 'config list --show-names', 'checkout -', 'switch -'],
  ...['checkout meshd/x a.txt', 'lfs ls-files', 'lfs status', 'lfs env', 'lfs version', 'branch --abbrev=8 -v'],
])('writes no settings and moves no branch in less usual forms either: git %s', (line) => {
  expect(writesSettings(words(`git ${line}`))).toBe(false);
  expect(moves(`git ${line}`)).toBe(false);
});

it.each([
  ...['config user.name x', 'config --add x.y z', 'config --unset x.y', 'config -e', 'config', 'config set x.y z'],
  ...['config -f --get x.y z', 'config --type --get x.y z', 'config --replace-all x.y z', 'config x.y -- z'],
  ...['branch topic', 'branch -v topic', 'branch -a topic', 'branch --format=x topic', 'branch --sort --list topic'],
  ...[
    'branch -D topic',
    'branch --list -D topic',
    'branch -u o/x',
    'branch --unset-upstream',
    'branch --no-list topic',
  ],
  ...['remote add x y', 'remote -v add x y', 'remote set-url x y', 'worktree add x', 'submodule init', 'lfs install'],
  ...['checkout -b x', 'checkout -qb x', 'checkout -tx', 'checkout --track o/x', 'checkout --tra o/x', 'switch -c x'],
  ...['checkout --guess x', 'checkout meshd/x', 'switch meshd/x', 'checkout meshd/x --', 'push -u origin x', 'push'],
  ...['init', 'sparse-checkout set a', 'maintenance register', 'branch -lD topic', 'remote a-v', 'remote -vx', 'lfs'],
])('may write settings: git %s', (line) => {
  expect(writesSettings(words(`git ${line}`))).toBe(true);
});

it.each(['add config', 'commit -m branch', 'log -- remote', 'diff push', 'tag config', 'update-ref config x'])(
  'writes no settings, because its command does not: git %s',
  (line) => {
    expect(writesSettings(words(`git ${line}`))).toBe(false);
    expect(writesSettings(words(`/usr/bin/git -C config ${line}`))).toBe(false);
  },
);

it.each([
  ...['git mine config', 'git -c alias.x=y branch --list', 'git -c include.path=x branch --list', 'git --new branch'],
  ...['git --exec-path=/x branch', 'git -c core.hooksPath=/x checkout x', 'git --config-env=core.hooksPath=X switch x'],
  ...[
    'git -pX branch --list',
    'my-git-log config',
    'git --config-env alias.x=X branch',
    '/usr/lib/git-core/git-branch x',
    'git-config x.y z',
  ],
])('may write settings where its words are not certain: %s', (line) => {
  expect(writesSettings(words(line))).toBe(true);
});

it.each([
  ...['git update-ref refs/heads/main x', 'git branch -f main x', 'git branch -v main', 'git branch -M x main'],
  ...['git push . HEAD:main', 'git push /x HEAD:main', 'git push ../x HEAD:main', 'git push file:///x HEAD:main'],
  ...['git push -o origin . HEAD:main', 'git push --receive-pack x . x:main', 'git push ext::x HEAD:main'],
  ...['git push --repo . x:main', 'git push -q . +x:refs/heads/main', 'git mine tag main', 'git --new branch main'],
  ...['git push x/y HEAD:main', 'git push c:x HEAD:main'],
  ...['git -c core.hooksPath=/x commit', 'git config core.hooksPath x', 'git mine hooksPath', '/x/git-branch -f main'],
])('may move a branch: %s', (line) => {
  expect(moves(line)).toBe(true);
});

it.each([
  ...['git log main', 'git log -S hooksPath', 'git commit -m tag main', 'git add branch main', 'git tag v1'],
  ...['git push origin HEAD:main', 'git push -fu origin main', 'git push https://host/x HEAD:main'],
  ...['git push http://host/x HEAD:main', 'git push git://host/x HEAD:main', 'git push ab:x HEAD:main'],
  ...['git push git@host:me/x.git HEAD:main', 'git push ssh://host/x main', 'git -C x push --force origin main'],
])('moves no branch of the repository: %s', (line) => {
  expect(moves(line)).toBe(false);
});

it('moves a branch by the name of a remote that is a folder here', () => {
  const push = words('git push self HEAD:main');
  expect(movesRef([push, ['git-receive-pack', '/project']], 'refs/heads/main')).toBe(true);
  expect(movesRef([push, ['/usr/bin/git', 'receive-pack', '/project']], 'refs/heads/main')).toBe(true);
  expect(movesRef([push, ['git-receive-pack', '/project']], 'refs/heads/other')).toBe(false);
});

it.each(['git -C /x/include branch --list', 'git --git-dir=/a-c/include branch --list', 'git -pP --bare branch'])(
  'is certain of a command, whatever its folders are called: %s',
  (line) => {
    expect(writesSettings(words(line))).toBe(false);
  },
);

it('knows nothing of a command without a name but its words', () => {
  expect(writesSettings(['git', '', 'config'])).toBe(true);
  for (const command of [['git', '', 'log'], ['git', '--no-pager'], ['git', '-c'], ['git'], []]) {
    expect(writesSettings(command)).toBe(false);
    expect(movesRef([command], 'refs/heads/main')).toBe(false);
  }
});

it('takes a reference for what it is called in full, or without the folder of branches or tags at its front', () => {
  const command = (name: string) => [['git', 'update-ref', name, 'x']];
  expect(movesRef(command('v1'), 'refs/tags/v1')).toBe(true);
  expect(movesRef(command('x'), 'refs/notes/refs/heads/x')).toBe(false);
  expect(movesRef(command('refs/notes/x'), 'refs/notes/refs/heads/x')).toBe(false);
  expect(movesRef(command('refs/notes/refs/heads/x'), 'refs/notes/refs/heads/x')).toBe(true);
});
