import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { UserRepository } from './user-repository.js';

const environment = { PATH: process.env['PATH'], HOME: '/nonexistent' };

function aRepository() {
  const root = temporaryRepository({ 'a.txt': 'a' });
  const gitFolder = join(root, '.git');
  const base = { head: '', branch: 'main', gitFolder, commonFolder: gitFolder, prefix: '', uncommitted: 0 };
  const user = new UserRepository(root, environment);
  /** Runs one turn, in which `change` happens and an agent ran the commands. */
  const turn = async (change: () => unknown, ...commands: string[][]) => {
    await user.begin(base);
    await change();
    return user.end(base, commands, 'turn-1');
  };
  const inGit = (name: string) => join(root, '.git', name);
  const read = (name: string) => readFileSync(inGit(name), 'utf8');
  /** Makes a commit that no branch has. */
  const aCommit = (message: string) => git(root, 'commit-tree', 'HEAD^{tree}', '-p', 'HEAD', '-m', message).trim();
  const refs = () => git(root, 'for-each-ref', '--format=%(refname) %(objectname)').trim().split('\n');
  return { root, base, user, turn, inGit, read, aCommit, refs };
}

const KEPT = 'refs/meshd/kept/turn-1';

it('finds nothing to put back where nothing changed, or where only the user changed something', async () => {
  const { root, turn, read, aCommit, refs } = aRepository();
  expect(await turn(() => undefined)).toBeUndefined();
  const change = () => {
    git(root, 'update-ref', 'refs/heads/main', aCommit('of the user'));
    git(root, 'tag', 'v1');
    git(root, 'config', 'user.name', 'Anna');
    putFiles(root, { '.git/info/exclude': '*.o\n' });
  };
  expect(await turn(change, ['git', 'status'], ['git', 'commit', '-m', 'x'])).toBeUndefined();
  expect([read('info/exclude'), read('config').includes('Anna'), refs().length]).toEqual(['*.o\n', true, 2]);
});

it('puts hooks back whoever changed them, with their permissions, and keeps what they were', async () => {
  const { root, turn, inGit, read } = aRepository();
  putFiles(root, { '.git/hooks/pre-commit': 'old', '.git/hooks/gone': 'old', '.git/hooks/mode': 'old' });
  for (const name of ['pre-commit', 'gone', 'mode']) chmodSync(inGit(`hooks/${name}`), 0o755);
  const found = await turn(() => {
    putFiles(root, { '.git/hooks/pre-commit': 'evil', '.git/hooks/post-merge': 'evil too' });
    rmSync(inGit('hooks/gone'));
    chmodSync(inGit('hooks/mode'), 0o644);
  });
  const names = ['.git/hooks/gone', '.git/hooks/mode', '.git/hooks/pre-commit', '.git/hooks/post-merge'];
  expect(found?.kept).toBe(KEPT);
  expect([...(found?.names ?? [])].sort()).toEqual([...names].sort());
  expect(['pre-commit', 'gone', 'mode'].map((name) => read(`hooks/${name}`))).toEqual(['old', 'old', 'old']);
  expect(['pre-commit', 'gone', 'mode'].map((name) => statSync(inGit(`hooks/${name}`)).mode & 0o777)).toEqual([
    ...[0o755, 0o755, 0o755],
  ]);
  expect(existsSync(inGit('hooks/post-merge'))).toBe(false);
  expect(git(root, 'ls-tree', '--name-only', KEPT).trim().split('\n')).toEqual([
    ...['hooks-mode', 'hooks-post-merge', 'hooks-pre-commit'],
  ]);
  expect(git(root, 'show', `${KEPT}:hooks-pre-commit`)).toBe('evil');
  expect(git(root, 'show', '-s', '--format=%P%B', KEPT).trim()).toBe(
    `What a turn changed of the repository:\n\n${(found?.names ?? []).map((name) => name.slice(5)).join('\n')}`,
  );
});

it('puts a hook back whose folder was removed', async () => {
  const { root, turn, inGit, read } = aRepository();
  putFiles(root, { '.git/hooks/pre-commit': 'old' });
  await turn(() => rmSync(inGit('hooks'), { recursive: true }));
  expect(read('hooks/pre-commit')).toBe('old');
});

it.each([
  '[alias]\n\tx = !evil',
  '[include]\n\tpath = /tmp/evil',
  '[includeIf "gitdir:/"]',
  '[core]\n\thooksPath = /tmp/evil',
  '[core]\n\tfsmonitor = evil',
  '[core]\n\tsshCommand=evil',
  '[core]\n\tgitProxyCommand = evil',
  '[core]\n\tpager = evil',
  '[core]\n\tEDITOR = evil',
  '[core]\n\taskPass = evil',
  '[gpg]\n\tprogram = evil',
  '[credential]\n\thelper = evil',
  '[diff "x"]\n\ttextconv = evil',
  '[diff "x"]\n\tcommand = evil',
  '[man "x"]\n\tpath = evil',
  '[filter "x"]\n\tclean = evil',
  '[filter "x"]\n\tsmudge = evil',
  '[filter "x"]\n\tprocess = evil',
  '[merge "x"]\n\tdriver = evil',
  '[diff]\n\texternal  = evil',
  '  [alias]',
  'pager=evil',
])('puts settings that name a program back although no command of the agent shows it: %j', async (text) => {
  const { turn, inGit, read } = aRepository();
  const before = read('config');
  const found = await turn(() => writeFileSync(inGit('config'), `${before}${text}\n`));
  expect([found, read('config')]).toEqual([{ names: ['.git/config'], kept: KEPT }, before]);
});

it.each([
  '[user]\n\tname = Anna',
  '[x]\n\tmypager = less',
  '[x]\n\teditors = a',
  '[x]\n\ty = pager = z',
  '[x] [alias]',
])('leaves settings that name no program: %j', async (text) => {
  const { turn, inGit, read } = aRepository();
  const after = `${read('config')}${text}\n`;
  expect(await turn(() => writeFileSync(inGit('config'), after))).toBeUndefined();
  expect(read('config')).toBe(after);
});

it('leaves a program that the user had set before, and its removal', async () => {
  const { turn, inGit, read } = aRepository();
  writeFileSync(inGit('config'), `${read('config')}[core]\n\tpager = less\n`);
  const after = `${read('config')}[user]\n\tname = Anna\n`;
  expect(await turn(() => writeFileSync(inGit('config'), after))).toBeUndefined();
  const without = after.replace('\tpager = less\n', '');
  expect(await turn(() => writeFileSync(inGit('config'), without))).toBeUndefined();
  expect(read('config')).toBe(without);
});

it.each(['config x.y z', 'remote x', 'checkout -b x', 'worktree x'])(
  'puts every setting back after the agent ran git %s',
  async (command) => {
    const { turn, inGit, read } = aRepository();
    const before = read('config');
    const change = () => writeFileSync(inGit('config'), `${before}[user]\n\tname = Agent\n`);
    expect(await turn(change, ['git', 'status'], ['git', '-C', '.', ...command.split(' ')])).toMatchObject({
      names: ['.git/config'],
    });
    expect(read('config')).toBe(before);
  },
);

it('leaves settings and branches of the user after commands of the agent that only read', async () => {
  const { root, turn, aCommit, refs, read } = aRepository();
  const commands = [
    ...['branch --show-current', 'branch --merged main', 'branch --contains main', 'tag --merged main', 'remote -v'],
    ...['config user.name', 'config core.hooksPath', 'worktree list', 'checkout -- f', 'add config', 'diff branch'],
  ];
  const moved = aCommit('of the user');
  const change = () => {
    git(root, 'update-ref', 'refs/heads/main', moved);
    git(root, 'config', 'branch.main.remote', 'origin');
    putFiles(root, { '.git/info/exclude': '*.o\n' });
  };
  expect(await turn(change, ...commands.map((one) => ['git', ...one.split(' ')]))).toBeUndefined();
  expect([read('config').includes('origin'), read('info/exclude'), refs()]).toEqual([
    ...[true, '*.o\n', [`refs/heads/main ${moved}`]],
  ]);
  const again = aCommit('again');
  const commit = () => git(root, 'update-ref', 'refs/heads/main', again);
  expect(await turn(commit, ['git', 'push', 'origin', 'HEAD:main'])).toBeUndefined();
});

it.each(['config', 'config.worktree', 'info/exclude', 'info/attributes', 'info/grafts', 'objects/info/alternates'])(
  'watches the file %s of the git folder',
  async (name) => {
    const { root, turn, inGit } = aRepository();
    const before = existsSync(inGit(name)) ? readFileSync(inGit(name)) : undefined;
    const change = () => putFiles(root, { [`.git/${name}`]: `${before ?? ''}# of an agent\n` });
    expect(await turn(change, ['git', 'config'])).toMatchObject({ names: [`.git/${name}`] });
    expect(existsSync(inGit(name)) ? readFileSync(inGit(name)) : undefined).toEqual(before);
    expect(git(root, 'ls-tree', '--name-only', KEPT).trim()).toBe(name.replaceAll('/', '-'));
  },
);

it('takes a program for an agent’s only in the files of settings', async () => {
  const { root, turn, read } = aRepository();
  const change = () => putFiles(root, { '.git/info/exclude': 'pager = x\n', '.git/config.worktree': '[alias]\n' });
  expect(await turn(change)).toMatchObject({ names: ['.git/config.worktree'] });
  expect(read('info/exclude')).toBe('pager = x\n');
});

it('looks neither at folders nor at files of more than a mebibyte', async () => {
  const { root, turn, inGit } = aRepository();
  const found = await turn(() => {
    putFiles(root, { '.git/hooks/large': '', '.git/hooks/exact': '' });
    truncateSync(inGit('hooks/large'), 1024 * 1024 + 1);
    truncateSync(inGit('hooks/exact'), 1024 * 1024);
    mkdirSync(inGit('hooks/folder'));
  });
  expect(found?.names).toEqual(['.git/hooks/exact']);
  expect(existsSync(inGit('hooks/large'))).toBe(true);
});

it.each([
  ['its name', 'refs/heads/topic', ['git', 'update-ref', 'refs/heads/topic', 'x']],
  ['its short name', 'refs/heads/topic', ['git', 'branch', '-f', 'topic', 'x']],
  ['a tag', 'refs/tags/v1', ['git', 'tag', '-f', 'v1']],
  ['a push to it', 'refs/heads/topic', ['git', 'push', '.', 'x:topic']],
  ['a push to its whole name', 'refs/heads/topic', ['git', 'push', '.', '+HEAD:refs/heads/topic']],
  ['a symbolic reference', 'refs/heads/topic', ['git', 'symbolic-ref', 'refs/heads/topic', 'x']],
  ['a hook turned off', 'refs/heads/topic', ['git', '-c', 'core.HooksPath=/dev/null', 'commit']],
  ['another kind of reference', 'refs/notes/x', ['git', 'update-ref', 'refs/notes/x', 'x']],
])('puts a reference back that a command of the agent moved: %s', async (_, ref, command) => {
  const { root, turn, aCommit, refs } = aRepository();
  git(root, 'update-ref', ref, 'HEAD');
  const before = refs();
  const moved = aCommit('of the agent');
  const found = await turn(() => git(root, 'update-ref', ref, moved), ['git', 'status'], command);
  expect(found).toEqual({ names: [ref], kept: KEPT });
  expect(refs().filter((line) => !line.startsWith(KEPT))).toEqual(before);
  expect(git(root, 'rev-parse', `${KEPT}^`).trim()).toBe(moved);
});

it.each([
  ['it names another', ['git', 'branch', '-f', 'other', 'x']],
  ['it moves nothing', ['git', 'log', 'topic']],
  ['it only begins so', ['git', 'branch', 'topic2', 'x']],
  ['it only ends so', ['git', 'branch', 'my/topic', 'x']],
])('leaves a branch that moved while %s', async (_, command) => {
  const { root, turn, aCommit, refs } = aRepository();
  git(root, 'branch', 'topic');
  const moved = aCommit('of the user');
  expect(await turn(() => git(root, 'update-ref', 'refs/heads/topic', moved), command)).toBeUndefined();
  expect(refs()).toContain(`refs/heads/topic ${moved}`);
});

it('brings removed references back and removes new ones, with all that they held kept', async () => {
  const { root, turn, aCommit, refs } = aRepository();
  git(root, 'branch', 'gone');
  const [before, moved] = [refs(), aCommit('of the agent')];
  const blob = git(root, 'rev-parse', 'HEAD:a.txt').trim();
  const found = await turn(
    () => {
      git(root, 'branch', '-D', 'gone');
      for (const name of ['heads/made', 'heads/again']) git(root, 'update-ref', `refs/${name}`, moved);
      git(root, 'update-ref', 'refs/tags/blob', blob);
    },
    ['git', 'branch', '-D', 'gone'],
    ['git', 'branch', 'made', 'again'],
    ['git', 'tag', 'blob'],
  );
  expect([...(found?.names ?? [])].sort()).toEqual([
    ...['refs/heads/again', 'refs/heads/gone', 'refs/heads/made', 'refs/tags/blob'],
  ]);
  expect(refs().filter((line) => !line.startsWith(KEPT))).toEqual(before);
  expect(git(root, 'show', '-s', '--format=%P', KEPT).trim()).toBe(moved);
});

it.each([
  'refs/meshd/x',
  'refs/meshd/refs/x',
  'refs/heads/meshd/x',
  'refs/remotes/o/x',
  'refs/worktree/x',
  'refs/bisect/x',
])('does not take %s for the user’s', async (ref) => {
  const { root, turn } = aRepository();
  const change = () => git(root, 'update-ref', ref, 'HEAD');
  expect(await turn(change, ['git', 'update-ref', ref, 'HEAD'])).toBeUndefined();
});

it('takes a reference that only sounds like the daemon’s for the user’s', async () => {
  const { root, turn } = aRepository();
  const ref = 'refs/heads/refs/meshd/x';
  expect(await turn(() => git(root, 'update-ref', ref, 'HEAD'), ['git', 'branch', 'refs/meshd/x'])).toMatchObject({
    names: [ref],
  });
});

it('compares turns that overlap with what was before the first of them', async () => {
  const { root, base, user, inGit } = aRepository();
  await user.begin(base);
  putFiles(root, { '.git/hooks/one': 'x' });
  await user.begin(base);
  expect(await user.end(base, [], 'turn-1')).toMatchObject({ names: ['.git/hooks/one'] });
  putFiles(root, { '.git/hooks/two': 'x' });
  expect(await user.end(base, [], 'turn-2')).toEqual({ names: ['.git/hooks/two'], kept: 'refs/meshd/kept/turn-2' });
  putFiles(root, { '.git/hooks/three': 'of the user' });
  await user.begin(base);
  expect(await user.end(base, [], 'turn-3')).toBeUndefined();
  expect(existsSync(inGit('hooks/three'))).toBe(true);
  expect(await user.end(base, [], 'turn-4')).toBeUndefined();
});

it('cannot put anything back when the repository is gone', async () => {
  const { root, base, user, turn } = aRepository();
  putFiles(root, { '.git/hooks/one': 'x' });
  const fails = turn(() => rmSync(join(root, '.git'), { recursive: true }));
  await expect(fails).rejects.toThrow('The repository of the project is gone.');
  expect(await user.end(base, [], 'turn-2')).toBeUndefined();
  expect(await new UserRepository(temporaryFolder(), environment).end(base, [], 'x')).toBeUndefined();
});

it('puts back the settings that a worktree has of its own, unless the worktree is new or gone', async () => {
  const { root, turn, inGit, read } = aRepository();
  for (const name of ['one', 'two', 'gone']) putFiles(root, { [`.git/worktrees/${name}/HEAD`]: 'x' });
  const own = '[core]\n\tsparseCheckout = true\n';
  for (const name of ['two', 'gone']) putFiles(root, { [`.git/worktrees/${name}/config.worktree`]: own });
  const evil = `${own}[filter "e"]\n\tclean = evil\n`;
  const found = await turn(() => {
    for (const name of ['one', 'two', 'new']) putFiles(root, { [`.git/worktrees/${name}/config.worktree`]: evil });
    rmSync(inGit('worktrees/gone'), { recursive: true });
  });
  expect([...(found?.names ?? [])].sort()).toEqual([
    '.git/worktrees/one/config.worktree',
    '.git/worktrees/two/config.worktree',
  ]);
  expect(existsSync(inGit('worktrees/one/config.worktree'))).toBe(false);
  expect([read('worktrees/two/config.worktree'), read('worktrees/new/config.worktree')]).toEqual([own, evil]);
  expect(existsSync(inGit('worktrees/gone'))).toBe(false);
  expect(git(root, 'show', `${KEPT}:worktrees-one-config.worktree`)).toBe(evil);
  const sparse = () => putFiles(root, { '.git/worktrees/two/config.worktree': `${own}\tsparseCheckoutCone = true\n` });
  expect(await turn(sparse, ['git', 'sparse-checkout', 'set', 'a'])).toBeUndefined();
});

it('looks at 200 hooks', async () => {
  const { root, turn, inGit } = aRepository();
  putFiles(root, Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`.git/hooks/${1000 + at}`, 'x'])));
  const [last = '', more = ''] = readdirSync(inGit('hooks')).slice(199);
  expect(await turn(() => writeFileSync(inGit(`hooks/${more}`), 'changed'))).toBeUndefined();
  expect(await turn(() => writeFileSync(inGit(`hooks/${last}`), 'changed'))).toMatchObject({
    names: [`.git/hooks/${last}`],
  });
});

it('leaves what is checked out in a worktree when a command of the agent writes settings', async () => {
  const { root, turn, read } = aRepository();
  putFiles(root, { '.git/worktrees/one/config.worktree': '' });
  const own = '[core]\n\tsparseCheckout = true\n';
  const change = () => putFiles(root, { '.git/worktrees/one/config.worktree': own, '.git/info/exclude': '*.o\n' });
  expect(await turn(change, ['git', 'config', 'x.y', 'z'])).toMatchObject({ names: ['.git/info/exclude'] });
  expect(read('worktrees/one/config.worktree')).toBe(own);
});
