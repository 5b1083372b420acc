import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { git, pathWithGit, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { GitRepository } from '../git/git-repository.js';
import { WorktreeGit } from './worktree-git.js';

const environment = { PATH: process.env['PATH'], HOME: '/nonexistent' };

/** A repository with one worktree at its only commit. */
async function aWorktree(files: Record<string, string> = { 'a.txt': 'a', 'b.txt': 'b' }, folder = temporaryFolder()) {
  const root = temporaryRepository(files);
  const path = join(folder, 'conv-1');
  const worktrees = await WorktreeGit.open(root, environment);
  const base = git(root, 'rev-parse', 'HEAD').trim();
  await worktrees.add(path, base);
  const commit = (message: string) => {
    git(path, 'add', '-A');
    git(path, 'commit', '-q', '--allow-empty', '-m', message);
    return git(path, 'rev-parse', 'HEAD').trim();
  };
  return { root, path, worktrees, base, commit };
}

it('needs a repository', async () => {
  await expect(WorktreeGit.open(temporaryFolder(), environment)).rejects.toMatchObject({
    code: 'internal',
    message: 'The project is not in a git repository.',
  });
});

it('makes a worktree at a commit, on no branch, lists it and removes it with its files', async () => {
  const { root, path, worktrees, base } = await aWorktree();
  expect([git(path, 'rev-parse', 'HEAD').trim(), git(path, 'branch', '--show-current').trim()]).toEqual([base, '']);
  expect(await worktrees.listPaths()).toEqual([root, path]);
  putFiles(path, { 'a.txt': 'changed', 'new.txt': 'n' });
  git(root, 'worktree', 'lock', path);
  await worktrees.remove(path);
  expect([existsSync(path), await worktrees.listPaths()]).toEqual([false, [root]]);
});

it('works with a git that lists worktrees in lines only (before 2.36)', async () => {
  const { root, path } = await aWorktree();
  const PATH = pathWithGit('case " $* " in *" worktree list "*" -z "*) exit 129;; esac\nreal "$@"');
  const worktrees = await WorktreeGit.open(root, { ...environment, PATH });
  git(root, 'worktree', 'lock', '--reason', 'worktree /x\nworktree /y', path);
  expect(await worktrees.listPaths()).toEqual([root, path]);
  await worktrees.remove(path);
  expect([existsSync(path), await worktrees.listPaths()]).toEqual([false, [root]]);
});

it('makes a worktree again where only its folder was lost, and forgets one whose folder is gone', async () => {
  const { root, path, worktrees, base } = await aWorktree();
  rmSync(path, { recursive: true });
  expect(await worktrees.listPaths()).toEqual([root, path]);
  await worktrees.add(path, base);
  expect(existsSync(join(path, 'a.txt'))).toBe(true);
  rmSync(path, { recursive: true });
  await worktrees.remove(path);
  expect(await worktrees.listPaths()).toEqual([root]);
});

it('moves a worktree along with its repository, again after an interruption, and none that is not left', async () => {
  const { root, path, worktrees, base } = await aWorktree();
  const [moved, to] = [join(temporaryFolder(), 'moved'), join(temporaryFolder(), 'conv-1')];
  // The repository that has it is there, as seen from a copy.
  const copy = temporaryFolder();
  cpSync(root, copy, { recursive: true });
  expect(await (await WorktreeGit.open(copy, environment)).moveAlong(path, to)).toBe(false);
  expect(await worktrees.moveAlong(`${path}-more`, to)).toBe(false);
  renameSync(root, moved);
  const there = await WorktreeGit.open(moved, environment);
  expect([await there.moveAlong(path, to), await there.moveAlong(path, to)]).toEqual([true, true]);
  expect([await there.listPaths(), existsSync(path)]).toEqual([[moved, to], false]);
  expect([git(to, 'status', '--porcelain'), (await there.changes(to, base, [])).files]).toEqual(['', []]);
  for (const text of ['gitdir: ', 'x'.repeat(9000)]) {
    writeFileSync(join(to, '.git'), text);
    expect(await there.moveAlong(to, path)).toBe(false);
  }
});

/** Returns a link, whose text has fewer parts than the path of its folder. */
function linkedFolder(): string {
  const target = join(temporaryFolder(), 'deep/er/state');
  mkdirSync(target, { recursive: true });
  const link = join(temporaryFolder(), 'link');
  symlinkSync(target, link);
  return link;
}

/** Makes the two files by which a worktree and its repository name each other relative, as git may from 2.48 on. */
function makeRelative(root: string, path: string): void {
  const [admin, folder] = [join(root, '.git/worktrees/conv-1'), realpathSync(path)];
  writeFileSync(join(admin, 'gitdir'), `${relative(admin, join(folder, '.git'))}\n`);
  writeFileSync(join(folder, '.git'), `gitdir: ${relative(folder, admin)}\n`);
}

describe.each([
  ['below a link', linkedFolder, () => undefined],
  ['with relative paths', temporaryFolder, makeRelative],
  ['below a link, with relative paths', linkedFolder, makeRelative],
])('a worktree %s', (_name, makeFolder, prepare) => {
  it('is one of the repository: it is compared, put on a branch, kept and removed', async () => {
    const { root, path, worktrees, base } = await aWorktree(undefined, makeFolder());
    prepare(root, path);
    putFiles(path, { 'a.txt': 'changed' });
    expect([await worktrees.knows(path), await worktrees.knows(`${path}-more`)]).toEqual([true, false]);
    expect(await worktrees.changes(path, base, [])).toEqual({ files: ['a.txt'], head: base, branch: null });
    expect(await worktrees.attach(path, 'meshd/one', base)).toBe(true);
    expect(git(path, 'branch', '--show-current').trim()).toBe('meshd/one');
    const kept = await worktrees.keep(path, 'refs/meshd/kept/one', [], 'Kept files');
    expect(git(root, 'show', `${kept}:a.txt`)).toBe('changed');
    await worktrees.remove(path);
    expect([existsSync(path), await worktrees.listPaths()]).toEqual([false, [root]]);
  });

  it('is forgotten also once its folder is gone, with the one above', async () => {
    const { root, path, worktrees } = await aWorktree(undefined, join(makeFolder(), 'lamp'));
    prepare(root, path);
    rmSync(join(path, '..'), { recursive: true });
    expect(await worktrees.knows(path)).toBe(true);
    await worktrees.remove(path);
    expect([await worktrees.knows(path), await worktrees.listPaths()]).toEqual([false, [root]]);
  });

  it('is not taken from the repository of which another one is a copy', async () => {
    const { root, path } = await aWorktree(undefined, makeFolder());
    prepare(root, path);
    const copy = temporaryFolder();
    cpSync(root, copy, { recursive: true });
    const there = await WorktreeGit.open(copy, environment);
    expect(await there.knows(path)).toBe(true);
    expect(await there.moveAlong(path, `${path}-to`)).toBe(false);
    expect(existsSync(path)).toBe(true);
  });

  it('is removed alone where a link to a worktree of the user replaced its folder', async () => {
    const { root, path, worktrees, base } = await aWorktree(undefined, makeFolder());
    prepare(root, path);
    const mine = join(temporaryFolder(), 'mine');
    await worktrees.add(mine, base);
    rmSync(path, { recursive: true });
    symlinkSync(mine, path);
    await worktrees.remove(path);
    expect([existsSync(join(mine, 'a.txt')), await worktrees.listPaths()]).toEqual([true, [root, mine]]);
  });
});

it('lists what is below a folder as that folder is written', async () => {
  const link = linkedFolder();
  const { root, path, worktrees, base } = await aWorktree(undefined, link);
  await worktrees.add(join(temporaryFolder(), 'conv-2'), base);
  await worktrees.add(`${realpathSync(link)}-more`, base);
  rmSync(path, { recursive: true });
  expect([await worktrees.listBelow(link), await worktrees.listBelow(root)]).toEqual([[path], []]);
});

it('moves a worktree along to a folder below a link, and back to where the link leads', async () => {
  const { root, path, worktrees, base } = await aWorktree();
  const to = join(linkedFolder(), 'conv-1');
  const moved = join(temporaryFolder(), 'moved');
  renameSync(root, moved);
  const there = await WorktreeGit.open(moved, environment);
  expect([await there.moveAlong(path, to), await there.moveAlong(path, to)]).toEqual([true, true]);
  const real = realpathSync(to);
  expect(await there.listPaths()).toEqual([moved, real]);
  expect([await there.moveAlong(to, real), await there.moveAlong(real, to)]).toEqual([true, true]);
  expect((await there.changes(to, base, [])).files).toEqual([]);
  expect(await worktrees.knows(to)).toBe(false);
});

it('removes a folder that git does not know, too', async () => {
  const { worktrees } = await aWorktree();
  const other = join(temporaryFolder({ 'conv-2/a.txt': 'a' }), 'conv-2');
  await worktrees.remove(other);
  await worktrees.remove(other);
  expect(existsSync(other)).toBe(false);
});

it('knows which commits and branches the repository has', async () => {
  const { root, worktrees, base } = await aWorktree();
  const blob = git(root, 'rev-parse', 'HEAD:a.txt').trim();
  expect(await Promise.all([base, '1'.repeat(40), blob].map((id) => worktrees.hasCommit(id)))).toEqual([
    ...[true, false, false],
  ]);
  git(root, 'tag', 'v1');
  expect(await Promise.all(['main', 'none', 'v1'].map((name) => worktrees.findBranch(name)))).toEqual([
    ...[base, undefined, undefined],
  ]);
});

it('compares a worktree with the commit at which it began: what is committed, changed and new, in order', async () => {
  const { path, worktrees, base, commit } = await aWorktree();
  expect(await worktrees.changes(path, base, [])).toEqual({ files: [], head: base, branch: null });
  putFiles(path, { 'z.txt': 'committed', 'given/c.txt': 'committed' });
  rmSync(join(path, 'b.txt'));
  const head = commit('more');
  putFiles(path, { 'a.txt': 'changed', 'z.txt': 'changed again', 'new/deep.txt': 'n', 'given/x.txt': 'g', give: 'g' });
  git(path, 'switch', '-q', '-c', 'topic/one');
  expect(await worktrees.changes(path, base, ['given'])).toEqual({
    files: ['a.txt', 'b.txt', 'give', 'given/c.txt', 'new/deep.txt', 'z.txt'],
    head,
    branch: 'topic/one',
  });
});

it.each([
  ['a', 'a'],
  ['a.b-c_d/e', 'a.b-c_d/e'],
  ['x'.repeat(200), 'x'.repeat(200)],
  [`${'x'.repeat(150)}/${'x'.repeat(50)}`, null],
  ['refs/a', null],
  ['my-refs/a', 'my-refs/a'],
  ['a+b', null],
  ['a,', null],
  ['é', null],
])('takes only plain names of branches up: %s', async (name, branch) => {
  const { path, worktrees, base } = await aWorktree();
  git(path, 'switch', '-q', '-c', name);
  expect((await worktrees.changes(path, base, [])).branch).toBe(branch);
});

it('puts a worktree on a new branch, and on none that exists', async () => {
  const { root, path, worktrees, base } = await aWorktree();
  putFiles(path, { 'a.txt': 'changed' });
  expect(await worktrees.attach(path, 'meshd/one', base)).toBe(true);
  expect(git(path, 'branch', '--show-current').trim()).toBe('meshd/one');
  expect(git(path, 'reflog', '-1', '--format=%gs', 'HEAD').trim()).toBe('meshd: first change');
  expect(git(path, 'status', '--porcelain').trim()).toBe('M a.txt');
  expect(await worktrees.findBranch('meshd/one')).toBe(base);
  expect(await worktrees.attach(path, 'main', base)).toBe(false);
  expect(git(path, 'branch', '--show-current').trim()).toBe('meshd/one');
  expect(git(root, 'branch', '--show-current').trim()).toBe('main');
});

it('removes a branch only while it is at its commit', async () => {
  const { root, worktrees, base, commit } = await aWorktree();
  const moved = commitIn(root, commit);
  await worktrees.dropBranch('topic', base);
  expect(await worktrees.findBranch('topic')).toBe(moved);
  await worktrees.dropBranch('topic', moved);
  expect(await worktrees.findBranch('topic')).toBeUndefined();
});

/** Makes the branch `topic` with one more commit. */
function commitIn(root: string, commit: (message: string) => string): string {
  const head = commit('empty');
  git(root, 'branch', 'topic', head);
  return head;
}

it('keeps the files as a commit on a reference, without secrets and what the worktree was given', async () => {
  const { root, path, worktrees, base } = await aWorktree({ 'a.txt': 'a', 'b.txt': 'b', 'old.env': 'OLD=1' });
  putFiles(path, { 'a.txt': 'changed', 'new.txt': 'n', '.env': 'KEY=1', 'given/x.txt': 'g', 'old.env': 'NEW=1' });
  putFiles(path, { 'staged.txt': 's' });
  git(path, 'add', 'staged.txt');
  rmSync(join(path, 'b.txt'));
  const status = git(path, 'status', '--porcelain');
  const kept = await worktrees.keep(path, 'refs/meshd/kept/one', ['given'], 'Kept files');
  expect(git(root, 'rev-parse', 'refs/meshd/kept/one').trim()).toBe(kept);
  expect(git(root, 'show', '-s', '--format=%P %s', kept).trim()).toBe(`${base} Kept files`);
  expect(git(root, 'ls-tree', '-r', '--name-only', kept).trim().split('\n')).toEqual([
    ...['a.txt', 'new.txt', 'old.env', 'staged.txt'],
  ]);
  expect([git(root, 'show', `${kept}:a.txt`), git(root, 'show', `${kept}:old.env`)]).toEqual(['changed', 'NEW=1']);
  expect([git(path, 'status', '--porcelain'), git(path, 'rev-parse', 'HEAD').trim()]).toEqual([status, base]);
  expect(existsSync(join(root, '.git/worktrees/conv-1/meshd-keep.index'))).toBe(false);
});

it('keeps all other files when git cannot add one that may not be read, and names it', async () => {
  const { root, path, worktrees } = await aWorktree({ 'a.txt': 'a', 'b.txt': 'b' });
  putFiles(path, { 'a.txt': 'changed', 'z.txt': 'z', 'locked.txt': 'x' });
  rmSync(join(path, 'b.txt'));
  // Git ends at a file that it cannot store as it does at one that it may not read, also as root.
  const id = git(path, 'hash-object', 'locked.txt');
  writeFileSync(join(root, '.git/objects', id.slice(0, 2)), 'in the way');
  const keep = (isReadable?: (file: string) => Promise<boolean>) =>
    worktrees.keep(path, 'refs/meshd/kept/one', [], 'Kept files', isReadable);
  await expect(keep()).rejects.toMatchObject({ code: 'internal', message: expect.stringContaining('locked.txt') });
  const kept = await keep(async (file) => file !== join(path, 'locked.txt'));
  expect(git(root, 'ls-tree', '-r', '--name-only', kept).trim().split('\n')).toEqual(['a.txt', 'z.txt']);
  expect(git(root, 'show', '-s', '--format=%B', kept).trim()).toBe(
    'Kept files\n\nNot kept, because they cannot be read: locked.txt',
  );
});

it('keeps all files beside a repository without a commit, and names it', async () => {
  const { root, path, worktrees } = await aWorktree({ 'a.txt': 'a' });
  putFiles(path, { 'a.txt': 'changed', 'bare/x.txt': 'x' });
  git(join(path, 'bare'), 'init', '-q');
  const kept = await worktrees.keep(path, 'refs/meshd/kept/one', [], 'Kept files');
  expect(git(root, 'ls-tree', '-r', '--name-only', kept).trim()).toBe('a.txt');
  expect(git(root, 'show', '-s', '--format=%B', kept).trim()).toBe(
    'Kept files\n\nNot kept, because they are repositories without a commit: bare/',
  );
});

it('keeps a worktree of repositories alone', async () => {
  const { root, path, worktrees, commit } = await aWorktree({ 'a.txt': 'a' });
  cpSync(temporaryRepository({ 'x.txt': 'x' }), join(path, 'sub'), { recursive: true });
  rmSync(join(path, 'a.txt'));
  commit('a repository alone');
  const kept = await worktrees.keep(path, 'refs/meshd/kept/one', [], 'Kept files');
  expect(git(root, 'ls-tree', '-r', '--name-only', kept).trim()).toBe('sub');
});

describe('the repositories in a worktree', () => {
  const FILES = ['-c', 'protocol.file.allow=always'];

  it('are its submodules, as long as their files or commits are there', async () => {
    const { path, worktrees, commit } = await aWorktree();
    git(path, ...FILES, 'submodule', 'add', '-q', temporaryRepository({ 'x.txt': 'x' }), 'lib');
    commit('with a submodule');
    expect(await worktrees.findRepositories(path, [])).toEqual(['lib']);
    git(path, 'submodule', 'deinit', '-q', '-f', 'lib');
    const admin = git(path, 'rev-parse', '--absolute-git-dir').trim();
    expect(await worktrees.findRepositories(path, [])).toEqual([join(admin, 'modules')]);
    rmSync(join(admin, 'modules'), { recursive: true });
    expect(await worktrees.findRepositories(path, [])).toEqual([]);
  });

  it('are those that somebody made in it, but for ignored and provided ones', async () => {
    const { path, worktrees } = await aWorktree({ '.gitignore': 'ignored/\n' });
    expect(await worktrees.findRepositories(path, [])).toEqual([]);
    const inner = temporaryRepository({ 'x.txt': 'x' });
    for (const place of ['tracked', 'sub/clone', 'ignored/clone', 'given/clone'])
      cpSync(inner, join(path, place), { recursive: true });
    git(path, 'add', 'tracked');
    putFiles(path, { 'plain/x.txt': 'x', 'bare/x.txt': 'x' });
    git(join(path, 'bare'), 'init', '-q');
    expect(await worktrees.findRepositories(path, ['given'])).toEqual(['bare', 'sub/clone', 'tracked']);
  });
});

describe.each(['--no-sparse-index', '--sparse-index'])('a sparse worktree (%s)', (how) => {
  /** A worktree with the folder `in` and the files at the top alone, in a repository with one more below `out`. */
  async function aSparseWorktree() {
    const root = temporaryRepository({ 'top.txt': 't', 'in/a': 'a', 'out/b': 'b', 'out/c': 'c', 'out/d/e': 'e' });
    cpSync(temporaryRepository({ 'x.txt': 'x' }), join(root, 'out/link'), { recursive: true });
    git(root, 'add', '-A');
    git(root, 'commit', '-q', '-m', 'with a repository below');
    git(root, 'sparse-checkout', 'set', '--cone', how, 'in');
    const path = join(temporaryFolder(), 'conv-1');
    const worktrees = await WorktreeGit.open(root, environment);
    await worktrees.add(path, 'HEAD');
    const keep = () => worktrees.keep(path, 'refs/meshd/kept/one', [], 'Kept files');
    const changed = (kept: string) => git(root, 'diff', '--name-status', '--no-renames', `${kept}^`, kept).split('\n');
    return { root, path, keep, changed };
  }

  it('is kept with what was written outside of it, and with what it leaves out', async () => {
    const { root, path, keep, changed } = await aSparseWorktree();
    expect([existsSync(join(path, 'in/a')), existsSync(join(path, 'out'))]).toEqual([true, false]);
    putFiles(path, { 'in/a': 'changed', 'out/b': 'changed', 'new/f': 'f' });
    rmSync(join(path, 'top.txt'));
    const status = git(path, 'status', '--porcelain');
    const kept = await keep();
    expect(changed(kept)).toEqual(['M\tin/a', 'A\tnew/f', 'M\tout/b', 'D\ttop.txt', '']);
    expect(git(root, 'show', `${kept}:out/b`)).toBe('changed');
    expect(git(path, 'status', '--porcelain')).toBe(status);
  });

  it('is kept without what its own index does not list any more', async () => {
    const { path, keep, changed } = await aSparseWorktree();
    git(path, 'rm', '-q', '--sparse', '--cached', 'out/b');
    writeFileSync(join(path, 'out'), 'a file');
    expect(changed(await keep())).toEqual([...['A\tout', 'D\tout/b', 'D\tout/c', 'D\tout/d/e', 'D\tout/link', '']]);
    rmSync(join(path, 'out'));
    // One that the commit does not have.
    putFiles(path, { 'out/new': 'n' });
    git(path, 'add', '--sparse', 'out/new');
    git(path, 'update-index', '--skip-worktree', 'out/new');
    rmSync(join(path, 'out'), { recursive: true });
    expect(changed(await keep())).toEqual(['D\tout/b', '']);
  });
});

it('removes its index also when the files cannot be kept', async () => {
  const { root, path, worktrees } = await aWorktree();
  const index = join(root, '.git/worktrees/conv-1/meshd-keep.index');
  // As a git that was stopped leaves it.
  writeFileSync(`${index}.lock`, '');
  await expect(worktrees.keep(path, 'refs/meshd/kept/one', [], 'x')).rejects.toMatchObject({ code: 'internal' });
  expect([existsSync(index), existsSync(`${index}.lock`)]).toEqual([false, false]);
  await worktrees.keep(path, 'refs/meshd/kept/one', [], 'x');
});

it('works on the worktree also when its .git file names another repository', async () => {
  const { root, path, worktrees, base, commit } = await aWorktree();
  const other = join(temporaryFolder(), 'conv-2');
  await worktrees.add(other, base);
  const head = commit('in the first');
  writeFileSync(join(path, '.git'), `gitdir: ${join(root, '.git')}\n`);
  expect(await worktrees.changes(path, head, [])).toMatchObject({ head, branch: null });
  expect(await worktrees.changes(other, base, [])).toMatchObject({ head: base });
  expect(readFileSync(join(path, '.git'), 'utf8')).toContain(realpathSync(root));
});

it('knows no worktree that git does not know, and none without a commit', async () => {
  const { root, path, worktrees, base } = await aWorktree();
  await expect(worktrees.changes(`${path}-more`, base, [])).rejects.toMatchObject({
    code: 'internal',
    message: `Git does not know the worktree ${path}-more.`,
  });
  git(path, 'switch', '-q', '--orphan', 'empty');
  await expect(worktrees.changes(path, base, [])).rejects.toMatchObject({
    code: 'internal',
    message: `The worktree ${path} has no commit.`,
  });
  rmSync(join(root, '.git/worktrees'), { recursive: true });
  await expect(worktrees.changes(path, base, [])).rejects.toThrow('Git does not know');
});

describe('a program that an agent names for git', () => {
  /** A worktree whose files have the filter `e`, and the program that marks that it ran. */
  async function withFilter() {
    const made = await aWorktree({ 'a.txt': 'a', '.gitattributes': '* filter=e\n' });
    const mark = join(temporaryFolder(), 'ran');
    putFiles(made.path, { 'a.txt': 'b' });
    return { ...made, mark, program: `touch ${mark}; cat` };
  }

  it('in the settings of the worktree alone does not run', async () => {
    const { root, path, worktrees, base, mark, program } = await withFilter();
    git(root, 'config', 'extensions.worktreeConfig', 'true');
    git(path, 'config', '--worktree', 'filter.e.clean', program);
    git(path, 'config', '--worktree', 'filter.e.required', 'true');
    expect((await worktrees.changes(path, base, [])).files).toEqual(['a.txt']);
    const kept = await worktrees.keep(path, 'refs/meshd/kept/x', [], 'Kept');
    expect(git(root, 'show', `${kept}:a.txt`)).toBe('b');
    expect(existsSync(mark)).toBe(false);
    git(path, 'status');
    expect(existsSync(mark)).toBe(true);
  });

  it('in the settings of a repository below does not run', async () => {
    const inner = temporaryRepository({ 'x.txt': 'x', '.gitattributes': '* filter=e\n' });
    const { root, path, worktrees, commit, mark, program } = await withFilter();
    cpSync(inner, join(path, 'sub'), { recursive: true });
    const base = commit('with a repository below');
    git(join(path, 'sub'), 'config', 'filter.e.clean', program);
    putFiles(path, { 'sub/x.txt': 'y', 'a.txt': 'c' });
    expect((await worktrees.changes(path, base, [])).files).toEqual(['a.txt']);
    const kept = await worktrees.keep(path, 'refs/meshd/kept/x', [], 'Kept');
    expect(git(root, 'show', `${kept}:a.txt`)).toBe('c');
    expect(git(root, 'rev-parse', `${kept}:sub`)).toBe(git(inner, 'rev-parse', 'HEAD'));
    expect(existsSync(mark)).toBe(false);
    git(path, 'status');
    expect(existsSync(mark)).toBe(true);
  });

  it.each(['moved', 'removed'])('keeps that a repository below has %s', async (how) => {
    const inner = temporaryRepository({ 'x.txt': 'x' });
    const { root, path, worktrees, commit } = await aWorktree();
    cpSync(inner, join(path, 'sub'), { recursive: true });
    commit('with a repository below');
    if (how === 'moved') git(join(path, 'sub'), 'commit', '-q', '--allow-empty', '-m', 'next');
    else rmSync(join(path, 'sub'), { recursive: true });
    const kept = await worktrees.keep(path, 'refs/meshd/kept/x', [], 'Kept');
    const entry = git(root, 'ls-tree', kept, 'sub');
    if (how === 'moved') expect(entry).toContain(git(join(path, 'sub'), 'rev-parse', 'HEAD').trim());
    else expect(entry).toBe('');
  });
});

describe('a worktree whose repository was moved', () => {
  /** The worktree, the repository at its new place, and where the worktree is to be. */
  async function aLeftWorktree() {
    const { root, path } = await aWorktree();
    const moved = join(temporaryFolder(), 'moved');
    renameSync(root, moved);
    const there = await WorktreeGit.open(moved, environment);
    return { path, there, gone: join(root, '.git/worktrees/conv-1'), to: join(temporaryFolder(), 'conv-1') };
  }

  it.each<[string, (gone: string) => string, boolean]>([
    ['names a folder that is gone', (gone) => `gitdir: ${gone}`, true],
    ['ends with several lines', (gone) => `gitdir: ${gone}\n\n`, true],
    ['is of the most bytes', (gone) => `gitdir: ${gone}`.padEnd(8_192, '\n'), true],
    ['is longer', (gone) => `gitdir: ${gone}`.padEnd(8_193, '\n'), false],
    ['begins with something else', (gone) => `x gitdir: ${gone}\n`, false],
    ['goes on with something else', (gone) => `gitdir: ${gone}\nmore\n`, false],
    ['names nothing', () => 'gitdir: \n', false],
    ['is empty', () => '', false],
  ])('moves along when its .git file %s', async (_, text, moves) => {
    const { path, there, gone, to } = await aLeftWorktree();
    writeFileSync(join(path, '.git'), text(gone));
    expect([await there.moveAlong(path, to), existsSync(to), existsSync(path)]).toEqual([moves, moves, !moves]);
  });

  it('stays without a .git file, or with a folder in its place', async () => {
    const { path, there, to } = await aLeftWorktree();
    rmSync(join(path, '.git'));
    expect(await there.moveAlong(path, to)).toBe(false);
    mkdirSync(join(path, '.git'));
    expect([await there.moveAlong(path, to), existsSync(to)]).toEqual([false, false]);
  });

  it('takes the place of nothing that is there, and does not exist where nothing is', async () => {
    const { path, there, to } = await aLeftWorktree();
    mkdirSync(to);
    expect([await there.moveAlong(path, to), existsSync(join(path, 'a.txt'))]).toEqual([false, true]);
    rmSync(path, { recursive: true });
    expect(await there.moveAlong(path, to)).toBe(false);
    rmSync(to, { recursive: true });
    expect([await there.moveAlong(path, to), await there.knows(path)]).toEqual([false, true]);
  });
});

it('knows a worktree by the .git file that its repository names alone', async () => {
  const { root, path, worktrees } = await aWorktree();
  mkdirSync(join(root, '.git/worktrees/odd'));
  expect([await worktrees.knows(path), await worktrees.knows('/odd')]).toEqual([true, false]);
  writeFileSync(join(root, '.git/worktrees/conv-1/gitdir'), `${path}/other\n`);
  expect(await worktrees.knows(path)).toBe(false);
});

it('tells whether an operation of git waits in a worktree', async () => {
  const { root, path, worktrees } = await aWorktree();
  expect(await worktrees.isUnderWay(path)).toBe(false);
  putFiles(root, { '.git/MERGE_HEAD': '' });
  expect(await worktrees.isUnderWay(path)).toBe(false);
  mkdirSync(join(root, '.git/worktrees/conv-1/rebase-merge'));
  expect([await worktrees.isUnderWay(path), await worktrees.isUnderWay(`${path}-more`)]).toEqual([true, false]);
});

it('says that a worktree was not put on its new branch', async () => {
  const { root, path, worktrees, base } = await aWorktree();
  // As a git that was stopped leaves it.
  putFiles(root, { '.git/worktrees/conv-1/HEAD.lock': '' });
  expect(await worktrees.attach(path, 'meshd/one', base)).toBe(false);
  expect(git(path, 'branch', '--show-current').trim()).toBe('');
});

describe('what git could not add to the files that are kept', () => {
  /** Keeps a worktree by a git whose `add` ends so, with the files of `changes`, of which none can be read. */
  async function keepWith(end: string, changes: Record<string, string>) {
    const { root, path } = await aWorktree();
    putFiles(path, changes);
    const script = `case " $* " in *" add "*) ${end};; esac\nreal "$@"`;
    const worktrees = await WorktreeGit.open(root, { ...environment, PATH: pathWithGit(script) });
    const keep = () => worktrees.keep(path, 'refs/meshd/kept/one', [], 'Kept files', async () => false);
    return { root, path, keep };
  }
  const SAYS = "echo first >&2; printf 'last words\\n\\n' >&2";

  it.each([
    ['ended otherwise', `${SAYS}; exit 128`, { 'a.txt': 'changed' }],
    ['was stopped', `${SAYS}; kill -9 $$`, { 'a.txt': 'changed' }],
    ['complained of nothing that is missing', `PATH=$machine git "$@"; ${SAYS}; exit 1`, {}],
  ])('is an error in git’s own words when it %s', async (_, end, changes) => {
    const { path, keep } = await keepWith(end, changes as Record<string, string>);
    await expect(keep()).rejects.toMatchObject({
      code: 'internal',
      message: `The files of ${path} could not be kept: last words`,
    });
  });

  it('is named in the message of the commit, by why it is not there', async () => {
    const { root, path, keep } = await keepWith('exit 1', { 'a.txt': 'changed', 'bare/x.txt': 'x', 'z.txt': 'z' });
    git(join(path, 'bare'), 'init', '-q');
    expect(git(root, 'show', '-s', '--format=%B', await keep()).trim()).toBe(
      'Kept files\n\nNot kept, because they cannot be read: a.txt, b.txt, z.txt\n\n' +
        'Not kept, because they are repositories without a commit: bare/',
    );
  });
});

describe('the commands of git', () => {
  /** The commands that are run meanwhile, each with the time that it may take. */
  function watchGit() {
    const run = vi.spyOn(GitRepository.prototype, 'run');
    onTestFinished(() => run.mockRestore());
    return () => {
      const calls = run.mock.calls.map(([args, options]) => {
        const command = args.filter((arg, at) => arg !== '-c' && args[at - 1] !== '-c')[0];
        return [command, options?.timeoutMs] as const;
      });
      run.mockClear();
      return calls;
    };
  }
  const minutes = (count: number) => count * 60_000;

  it('are few for a usual worktree, and may take as long as a large one needs', async () => {
    const calls = watchGit();
    const { path, worktrees, base } = await aWorktree();
    expect(calls()).toEqual([['worktree', minutes(10)]]);
    await worktrees.changes(path, base, []);
    expect(calls()).toEqual([['status', minutes(2)]]);
    await worktrees.keep(path, 'refs/meshd/kept/one', [], 'Kept files');
    expect(calls()).toEqual([
      ['rev-parse', undefined],
      ['read-tree', minutes(10)],
      ['ls-files', minutes(10)],
      ['ls-files', minutes(10)],
      ['add', minutes(10)],
      ['diff-index', minutes(10)],
      ['update-index', minutes(10)],
      ['write-tree', minutes(10)],
      ['commit-tree', undefined],
      ['update-ref', undefined],
    ]);
  });

  it('hide what is left out and repositories below, and name what could not be added, in as much time', async () => {
    const calls = watchGit();
    const { root, path, worktrees, commit } = await aWorktree({ 'a.txt': 'a', 'out/b.txt': 'b' });
    cpSync(temporaryRepository({ 'x.txt': 'x' }), join(path, 'sub'), { recursive: true });
    commit('with a repository below');
    git(path, 'update-index', '--skip-worktree', 'out/b.txt');
    rmSync(join(path, 'out'), { recursive: true });
    putFiles(path, { 'bare/x.txt': 'x' });
    git(join(path, 'bare'), 'init', '-q');
    calls();
    const kept = await worktrees.keep(path, 'refs/meshd/kept/one', [], 'Kept files');
    const slow = calls().filter(([command]) => !['rev-parse', 'commit-tree', 'update-ref'].includes(command ?? ''));
    expect(new Set(slow.map(([, timeoutMs]) => timeoutMs))).toEqual(new Set([minutes(10)]));
    expect(slow.filter(([command]) => command === 'update-index')).toHaveLength(4);
    expect(git(root, 'diff', '--name-only', `${kept}^`, kept)).toBe('');
  });
});
