import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { heldOpen } from '../../testing/held-open.js';
import { git, pathWithGit, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { GitRepository } from './git-repository.js';
import { parseStatus, STATUS } from './git-status.js';
import { newLockName, PlaceUpdate, putLock } from './place-update.js';

type Change = Record<string, string | undefined>;

async function open(root: string): Promise<GitRepository> {
  const repository = await GitRepository.open(root, { PATH: process.env['PATH'], HOME: '/nonexistent' });
  if (!repository) throw new Error('no repository');
  return repository;
}

/** Changes files: a text, or undefined for what goes. */
function apply(root: string, change: Change): void {
  for (const path of Object.keys(change)) rmSync(join(root, path), { recursive: true, force: true });
  for (const [path, text] of Object.entries(change)) if (text !== undefined) putFiles(root, { [path]: text });
}

/** A working tree at its first commit, and a second one with the changes. */
async function aPlace(before: Record<string, string>, change: Change, prepare?: (root: string) => void) {
  const root = temporaryRepository(before);
  const first = git(root, 'rev-parse', 'HEAD').trim();
  apply(root, change);
  prepare?.(root);
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'second');
  const second = git(root, 'rev-parse', 'HEAD').trim();
  git(root, 'reset', '-q', '--hard', first);
  const repository = await open(root);
  const move = { before: first, after: second, name: newLockName() };
  const lock = () => PlaceUpdate.lock(repository, move);
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const has = (path: string) => existsSync(join(root, path));
  /** The tree that the repository's own index holds. */
  const staged = () => git(root, 'write-tree').trim();
  const treeOf = (commit: string) => git(root, 'rev-parse', `${commit}^{tree}`).trim();
  /** What differs on the disk from a commit. */
  const differs = (commit: string) => {
    git(root, 'add', '-AN', '.');
    return git(root, 'diff', '--name-only', commit).trim();
  };
  const inGit = () => readdirSync(join(root, '.git')).filter((name) => name.startsWith('index'));
  return { root, repository, move, lock, read, has, staged, treeOf, differs, inGit, first, second };
}

it('a lock of a place is never seen without its name, and only its own name takes it again', async () => {
  const root = temporaryRepository({ 'a.txt': 'a\n' });
  const repository = await open(root);
  const head = git(root, 'rev-parse', 'HEAD').trim();
  const move = { before: head, after: head, name: 'meshd one' };
  const seen = new Set<string>();
  const openLock = () => {
    try {
      return openSync(join(root, '.git/index.lock'), 'r');
    } catch {
      return undefined;
    }
  };
  // Looks once in each turn of the event loop, between the steps of the lock.
  const look = () => {
    const lock = openLock();
    if (lock !== undefined) {
      seen.add(readFileSync(lock, 'latin1'));
      closeSync(lock);
    }
    looking = setImmediate(look);
  };
  let looking = setImmediate(look);
  for (let round = 0; round < 20; round += 1) await (await PlaceUpdate.lock(repository, move)).unlock();
  clearImmediate(looking);
  expect([...seen]).toEqual(['meshd one']);

  const place = await PlaceUpdate.lock(repository, move);
  await expect(PlaceUpdate.lock(repository, { ...move, name: 'meshd two' })).rejects.toMatchObject({
    code: 'in_flight',
    message: `Another git command works in ${root}. If none does, remove ${root}/.git/index.lock and try again.`,
  });
  await (await PlaceUpdate.lock(repository, move)).unlock();
  await place.unlock();
});

it('names of locks are never the same', () => {
  expect(newLockName()).toMatch(/^meshd [0-9a-f]{24}$/);
  expect(newLockName()).not.toBe(newLockName());
});

it('leaves only the lock beside the index while it is held, and nothing after', async () => {
  const { root, lock, inGit } = await aPlace({ 'a.txt': 'a\n' }, { 'a.txt': 'A\n' });
  const place = await lock();
  expect(inGit().sort()).toEqual(['index', 'index.lock']);
  // As a killed daemon leaves it.
  putFiles(root, { '.git/index.meshd-0123456789ab': 'x', '.git/indexes': 'x', '.git/index.backup': 'x' });
  await place.unlock();
  await place.unlock();
  expect(inGit().sort()).toEqual(['index', 'index.backup', 'indexes']);
});

it('cannot take a lock where the git folder is gone', async () => {
  const { root, lock, repository } = await aPlace({ 'a.txt': 'a\n' }, { 'a.txt': 'A\n' });
  await repository.findPlace();
  renameSync(join(root, '.git'), join(root, 'moved'));
  await expect(lock()).rejects.toMatchObject({ code: 'ENOENT', syscall: 'open' });
});

it.each(['EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])(
  'a file system without hard links (%s) has locks too, and never replaces one',
  async (code) => {
    const root = temporaryFolder({ written: 'mine', held: 'theirs' });
    const refuse = () => Promise.reject(Object.assign(new Error(code), { code }));
    await putLock(join(root, 'written'), join(root, 'lock'), refuse);
    expect(readFileSync(join(root, 'lock'), 'utf8')).toBe('mine');
    await expect(putLock(join(root, 'written'), join(root, 'held'), refuse)).rejects.toMatchObject({ code: 'EEXIST' });
    expect(readFileSync(join(root, 'held'), 'utf8')).toBe('theirs');
  },
);

it('a lock that cannot be made for another reason is not made', async () => {
  const root = temporaryFolder({ written: 'mine' });
  for (const error of [Object.assign(new Error('full'), { code: 'ENOSPC' }), new Error('unknown')])
    await expect(putLock(join(root, 'written'), join(root, 'lock'), () => Promise.reject(error))).rejects.toBe(error);
  expect(existsSync(join(root, 'lock'))).toBe(false);
});

const BEFORE = {
  ...{ 'a.txt': 'a\n', 'gone.txt': 'g\n', 'd/e/gone.txt': 'g\n', 'd/kept.txt': 'k\n', 'x/y/gone.txt': 'g\n' },
  ...{ 'other.txt': 'o\n', 'staged.txt': 's\n' },
};
const CHANGE: Change = {
  ...{ 'a.txt': 'A\n', 'gone.txt': undefined, 'd/e/gone.txt': undefined, 'x/y/gone.txt': undefined },
  ...{ 'new/deep/n.txt': 'n\n', 'run.sh': '#\n' },
};
const addRun = (root: string) => {
  chmodSync(join(root, 'run.sh'), 0o755);
  symlinkSync('a.txt', join(root, 'link'));
};

it('takes files and index to the other commit, and leaves what else is changed or staged', async () => {
  const { root, lock, read, has, inGit, first, second } = await aPlace(BEFORE, CHANGE, addRun);
  putFiles(root, { 'other.txt': 'user\n', 'untracked.txt': 'u\n', 'staged.txt': 'user\n' });
  git(root, 'add', 'staged.txt');
  const place = await lock();
  await place.requireClean();
  await place.putFiles();
  expect([read('a.txt'), read('new/deep/n.txt'), read('run.sh')]).toEqual(['A\n', 'n\n', '#\n']);
  expect(readlinkSync(join(root, 'link'))).toBe('a.txt');
  expect([has('gone.txt'), has('d/e'), has('d/kept.txt'), has('x')]).toEqual([false, false, true, false]);
  // The index of the repository is replaced at the end only.
  expect(git(root, 'diff', '--cached', '--name-only', first).trim()).toBe('staged.txt');
  await place.putIndex();
  expect(git(root, 'diff', '--cached', '--name-only', second).trim()).toBe('staged.txt');
  await place.unlock();
  expect(git(root, 'diff', '--name-only', second).trim()).toBe('other.txt\nstaged.txt');
  expect([read('other.txt'), read('staged.txt'), read('untracked.txt')]).toEqual(['user\n', 'user\n', 'u\n']);
  expect(git(root, 'ls-files', '-s', 'run.sh')).toMatch(/^100755 /);
  expect(inGit()).toEqual(['index']);
});

it.each<[string, Record<string, string>, Change]>([
  ['a folder that replaces a file', { place: 'f\n', 'z.txt': 'z\n' }, { place: undefined, 'place/in/a.txt': 'i\n' }],
  ['a file that replaces a folder', { 'place/in/a.txt': 'i\n', 'z.txt': 'z\n' }, { place: 'f\n' }],
  ['files that are only removed', { 'a.txt': 'a\n', 'z.txt': 'z\n' }, { 'a.txt': undefined }],
  ['no difference', { 'a.txt': 'a\n' }, { 'a.txt': 'a\n', empty: '' }],
])('takes files and index over %s', async (_, before, change) => {
  const { lock, staged, treeOf, differs, second } = await aPlace(before, change);
  const place = await lock();
  await place.requireClean();
  await place.putFiles();
  await place.putIndex();
  await place.unlock();
  expect([staged(), differs(second)]).toEqual([treeOf(second), '']);
});

it('removes nothing behind a link, and no folder in the place of a file', async () => {
  const outside = temporaryFolder({ 'e/gone.txt': 'outside' });
  const { root, lock, has } = await aPlace(BEFORE, CHANGE);
  rmSync(join(root, 'd'), { recursive: true });
  symlinkSync(outside, join(root, 'd'));
  for (const path of ['gone.txt', 'x/y/gone.txt']) unlinkSync(join(root, path));
  putFiles(root, { 'gone.txt/kept.txt': 'k' });
  const place = await lock();
  await place.putFiles();
  await place.unlock();
  expect([existsSync(join(outside, 'e/gone.txt')), has('gone.txt/kept.txt'), has('x')]).toEqual([true, true, false]);
});

const dirtyOf = (root: string, paths: string) =>
  `These files of ${root} have changes that are not committed: ${paths}. Commit or stash them first.`;

it.each<[string, Record<string, string>, Change, (root: string) => void, string[]]>([
  ['a file is changed', BEFORE, CHANGE, (root) => putFiles(root, { 'a.txt': 'user\n' }), ['a.txt']],
  ['a file that goes is changed', BEFORE, CHANGE, (root) => putFiles(root, { 'gone.txt': 'user\n' }), ['gone.txt']],
  ['a file is removed', BEFORE, CHANGE, (root) => unlinkSync(join(root, 'a.txt')), ['a.txt']],
  [
    'a change is only staged',
    ...([BEFORE, CHANGE] as const),
    (root) => {
      putFiles(root, { 'a.txt': 'user\n' });
      git(root, 'add', 'a.txt');
      putFiles(root, { 'a.txt': 'a\n' });
    },
    ['a.txt'],
  ],
  ['a file is in the way', BEFORE, CHANGE, (root) => putFiles(root, { 'new/deep/n.txt': 'u' }), ['new/deep/n.txt']],
  ['a file is in the way of a folder', BEFORE, CHANGE, (root) => putFiles(root, { new: 'user\n' }), ['new']],
  ['a link is in the way of a folder', BEFORE, CHANGE, (root) => symlinkSync('d', join(root, 'new')), ['new']],
  ['a folder is in the way', BEFORE, CHANGE, (root) => putFiles(root, { 'run.sh/u.txt': 'u' }), ['run.sh']],
  [
    'a folder that goes holds more',
    { 'place/in/a.txt': 'i\n', 'z.txt': 'z\n' },
    { place: 'f\n' },
    (root) => putFiles(root, { 'place/in/u.txt': 'u' }),
    ['place'],
  ],
  [
    'git was told not to look at a file',
    ...([BEFORE, CHANGE] as const),
    (root) => git(root, 'update-index', '--assume-unchanged', 'a.txt', 'other.txt'),
    ['a.txt'],
  ],
  [
    'git was told to skip a file',
    ...([BEFORE, CHANGE] as const),
    (root) => git(root, 'update-index', '--skip-worktree', 'gone.txt'),
    ['gone.txt'],
  ],
  [
    'there are several of them',
    ...([BEFORE, CHANGE] as const),
    (root) => putFiles(root, { 'x/y/gone.txt': 'u', 'a.txt': 'u', new: 'u' }),
    ['a.txt', 'new', 'x/y/gone.txt'],
  ],
])('is not clean when %s', async (_, before, change, dirty, paths) => {
  const { root, repository, lock, first, second, inGit } = await aPlace(before, change);
  dirty(root);
  const place = await lock();
  const expected = { code: 'file_changed', message: dirtyOf(root, paths.join(', ')), details: { paths } };
  await expect(place.requireClean()).rejects.toMatchObject(expected);
  await place.unlock();
  const index = readFileSync(join(root, '.git/index'));
  await expect(PlaceUpdate.requireClean(repository, first, second)).rejects.toMatchObject(expected);
  expect(readFileSync(join(root, '.git/index')).equals(index)).toBe(true);
  expect(inGit()).toEqual(['index']);
});

it.each([
  [10, ''],
  [11, ' and 1 more'],
  [120, ' and 110 more'],
])('names ten of %i changed files, and a hundred in the details', async (count, more) => {
  const names = Array.from({ length: count }, (_, at) => `${String(at).padStart(3, '0')}.txt`);
  const files = (text: string) => Object.fromEntries(names.map((name) => [name, text]));
  const { root, lock } = await aPlace(files('a\n'), files('A\n'));
  putFiles(root, files('user\n'));
  const place = await lock();
  await expect(place.requireClean()).rejects.toMatchObject({
    message: dirtyOf(root, `${names.slice(0, 10).join(', ')}${more}`),
    details: { paths: names.slice(0, 100) },
  });
  await place.unlock();
});

it.each(['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply'])(
  'is not clean while git waits for the user (%s)',
  async (name) => {
    const { root, lock } = await aPlace({ 'a.txt': 'a\n' }, { 'a.txt': 'A\n' });
    if (name.startsWith('rebase')) mkdirSync(join(root, '.git', name));
    else writeFileSync(join(root, '.git', name), `${'1'.repeat(40)}\n`);
    const place = await lock();
    await expect(place.requireClean()).rejects.toMatchObject({
      code: 'file_changed',
      message: `A merge or rebase is under way in ${root}: end it first.`,
    });
    await place.unlock();
  },
);

it('is not clean as a sparse check-out, or with unresolved conflicts', async () => {
  const { root, lock } = await aPlace({ 'a.txt': 'a\n' }, { 'a.txt': 'A\n' });
  const place = await lock();
  git(root, 'config', 'core.sparseCheckout', 'yes');
  await expect(place.requireClean()).rejects.toMatchObject({
    code: 'file_changed',
    message: `${root} is a sparse check-out: merge in it by git itself.`,
  });
  git(root, 'config', 'core.sparseCheckout', 'false');
  await place.requireClean();
  await place.unlock();
  const id = git(root, 'rev-parse', 'HEAD:a.txt').trim();
  git(root, 'rm', '-q', '--cached', 'a.txt');
  const line = `printf '100644 ${id} 2\\ta.txt\\n' | git update-index --index-info`;
  git(root, '-c', `alias.put=!${line}`, 'put');
  const again = await lock();
  await expect(again.requireClean()).rejects.toMatchObject({
    code: 'file_changed',
    message: `There are unresolved conflicts in ${root}.`,
  });
  await again.unlock();
});

it.each([[false], [true]])(
  'continues from any state in which a crash left the files (fresh index: %s)',
  async (freshIndex) => {
    const whole = `${'é'.repeat(40)}\n`;
    const before = { ...BEFORE, 'torn.txt': 'old\n', 'empty.txt': 'old\n', 'lost.txt': 'old\n', 'edited.txt': 'old\n' };
    const { root, lock, read, has, staged, treeOf, second } = await aPlace(
      { ...before, 'edited-gone.txt': 'old\n', 'done.txt': 'old\n', 'linked.txt': 'old\n', 'folder.txt': 'old\n' },
      {
        ...{ ...CHANGE, 'torn.txt': whole, 'empty.txt': whole, 'lost.txt': whole, 'edited.txt': whole },
        ...{ 'edited-gone.txt': undefined, 'done.txt': whole, 'linked.txt': whole, 'folder.txt': whole },
        ...{ 'new-torn.txt': whole, 'new-edited.txt': whole, 'new-done.txt': whole },
      },
    );
    putFiles(root, { 'staged.txt': 'user\n', 'other.txt': 'user\n' });
    git(root, 'add', 'staged.txt');
    for (const path of ['lost.txt', 'linked.txt', 'folder.txt', 'x/y/gone.txt']) unlinkSync(join(root, path));
    symlinkSync('a.txt', join(root, 'linked.txt'));
    const mine = 'mine\n';
    putFiles(root, {
      ...{ 'empty.txt': '', 'edited.txt': mine, 'edited-gone.txt': mine, 'done.txt': whole, 'folder.txt/mine': mine },
      ...{ 'new-torn.txt': whole.slice(0, 9), 'new-edited.txt': mine, 'new-done.txt': whole },
    });
    // The end of what was written is in the middle of a character.
    writeFileSync(join(root, 'torn.txt'), Buffer.from(whole).subarray(0, 9));
    const done = ['done.txt', 'new-done.txt'].map((path) => join(root, path));
    for (const path of done) utimesSync(path, 1_000_000_000, 1_000_000_000);
    const place = await lock();
    await place.resumeFiles({ freshIndex });
    await place.putIndex();
    await place.unlock();
    for (const path of ['torn.txt', 'empty.txt', 'lost.txt', 'done.txt', 'new-torn.txt', 'new-done.txt'])
      expect({ path, text: read(path) }).toEqual({ path, text: whole });
    expect([read('a.txt'), read('new/deep/n.txt'), has('gone.txt'), has('d/e'), has('x/y/gone.txt')]).toEqual([
      ...['A\n', 'n\n', false, false, false],
    ]);
    for (const path of ['edited.txt', 'edited-gone.txt', 'new-edited.txt', 'folder.txt/mine'])
      expect({ path, text: read(path) }).toEqual({ path, text: mine });
    // What is there already is not written again.
    for (const path of done) expect(statSync(path).mtimeMs).toBe(1_000_000_000_000);
    expect([readlinkSync(join(root, 'linked.txt')), read('other.txt')]).toEqual(['a.txt', 'user\n']);
    if (freshIndex) expect(staged()).toBe(treeOf(second));
    else expect(git(root, 'diff', '--cached', '--name-only', second).trim()).toBe('staged.txt');
  },
);

it('a file whose beginning was written is told from one with another beginning', async () => {
  const { root, lock, read } = await aPlace({ 'a.txt': 'old\n' }, { 'a.txt': 'a new text\n' });
  putFiles(root, { 'a.txt': 'new' });
  const place = await lock();
  await place.resumeFiles({ freshIndex: false });
  expect(read('a.txt')).toBe('new');
  putFiles(root, { 'a.txt': 'a new text\nand more' });
  await place.resumeFiles({ freshIndex: false });
  expect(read('a.txt')).toBe('a new text\nand more');
  putFiles(root, { 'a.txt': 'a new' });
  await place.resumeFiles({ freshIndex: false });
  expect(read('a.txt')).toBe('a new text\n');
  await place.unlock();
});

it('git knows the written files afterwards without reading them', async () => {
  const { root, lock } = await aPlace({ 'a.txt': 'a\n', 'b.txt': 'b\n' }, { 'a.txt': 'A\n' });
  for (const freshIndex of [false, true]) {
    const place = await lock();
    await place.resumeFiles({ freshIndex });
    await place.putIndex();
    await place.unlock();
    expect(git(root, 'diff-files', '--name-only')).toBe('');
  }
});

it('gives git two minutes, because repositories can be large', async () => {
  const { repository, lock } = await aPlace(BEFORE, CHANGE);
  const run = vi.spyOn(repository, 'run');
  const place = await lock();
  await place.requireClean();
  await place.putFiles();
  await place.resumeFiles({ freshIndex: true });
  await place.unlock();
  const quick = ['config', 'cat-file', 'rev-parse'];
  const slow = run.mock.calls.filter(
    ([args, options]) => !quick.includes(args[0] ?? '') && options?.timeoutMs !== 120_000,
  );
  expect(slow.map(([args]) => args.join(' '))).toEqual(['ls-files -u -z']);
});

it('looks at no file of a repository below, which its own settings could let run a program', async () => {
  const inner = temporaryRepository({ 'x.txt': 'x', '.gitattributes': '* filter=e\n' });
  const mark = join(temporaryFolder(), 'ran');
  const { root, repository, move } = await aPlace({ a: 'a' }, { a: 'b' });
  cpSync(inner, join(root, 'sub'), { recursive: true });
  git(root, 'add', 'sub');
  git(join(root, 'sub'), 'config', 'filter.e.clean', `touch ${mark}; cat`);
  const dirty = () => putFiles(root, { 'sub/x.txt': 'y' });
  dirty();
  await PlaceUpdate.requireClean(repository, move.before, move.after);
  const update = await PlaceUpdate.lock(repository, move);
  await update.resumeFiles({ freshIndex: false });
  await update.unlock();
  expect(parseStatus(await repository.output(STATUS)).changes.map(({ path }) => path)).toEqual(['a', 'sub']);
  expect(readFileSync(join(root, 'a'), 'utf8')).toBe('b');
  expect(existsSync(mark)).toBe(false);
  dirty();
  git(root, 'status');
  expect(existsSync(mark)).toBe(true);
});

it('holds no file open for a lock, and takes a folder in its place for another git', async () => {
  const { root, lock, inGit } = await aPlace({ 'a.txt': 'a\n' }, { 'a.txt': 'A\n' });
  await (await lock()).unlock();
  mkdirSync(join(root, '.git/index.lock'));
  await expect(lock()).rejects.toMatchObject({ code: 'in_flight' });
  expect([heldOpen(root), inGit().sort()]).toEqual([[], ['index', 'index.lock']]);
});

it('has nothing to remove where the folder of a file is gone already', async () => {
  const { root, lock, read, has } = await aPlace(BEFORE, CHANGE);
  for (const path of ['d', 'x']) rmSync(join(root, path), { recursive: true });
  const place = await lock();
  await place.putFiles();
  await place.unlock();
  expect([read('a.txt'), has('d'), has('x')]).toEqual(['A\n', false, false]);
});

it('starts git for no files where none differ, or none are to be written', async () => {
  const { repository, move, lock, first } = await aPlace(BEFORE, { 'gone.txt': undefined });
  const run = vi.spyOn(repository, 'run');
  const commands = async (place: PlaceUpdate) => {
    run.mockClear();
    await place.putFiles();
    await place.unlock();
    return run.mock.calls.map(([[command]]) => command);
  };
  expect(await commands(await PlaceUpdate.lock(repository, { ...move, after: first }))).toEqual(['diff-tree']);
  expect(await commands(await lock())).toEqual(['diff-tree', 'update-index']);
});

it('continues with a fresh index also over what git was told to skip, unless the check-out is sparse', async () => {
  const { root, lock, read, staged, treeOf, second } = await aPlace(BEFORE, CHANGE);
  git(root, 'update-index', '--skip-worktree', 'a.txt');
  const place = await lock();
  await place.resumeFiles({ freshIndex: true });
  await place.putIndex();
  await place.unlock();
  expect([staged(), read('a.txt')]).toEqual([treeOf(second), 'A\n']);
  expect(git(root, 'ls-files', '-t', 'a.txt')).toBe('H a.txt\n');
});

it('continues in a sparse check-out without the files that it leaves out', async () => {
  const files = (text: string) => ({ 'top.txt': text, 'in/seas.txt': text, 'out/b.txt': text });
  const { root, lock, read, has, staged, treeOf, first, second } = await aPlace(files('old\n'), files('new\n'));
  git(root, 'sparse-checkout', 'set', '--cone', 'in');
  expect(has('out')).toBe(false);
  const place = await lock();
  await place.resumeFiles({ freshIndex: true });
  await place.putIndex();
  await place.unlock();
  expect([read('top.txt'), read('in/seas.txt'), has('out')]).toEqual(['new\n', 'new\n', false]);
  expect(staged()).toBe(treeOf(second));
  expect(git(root, 'ls-files', '-t').trim().split('\n')).toEqual(['H in/seas.txt', 'S out/b.txt', 'H top.txt']);
  expect(git(root, 'diff', '--name-only', second)).toBe('');
  expect(git(root, 'rev-parse', 'HEAD').trim()).toBe(first);
});

it.each([1, 2, 3, 4, 5])('continues a file that is no text after %i of its bytes', async (length) => {
  const whole = Buffer.from([0x61, 0xff, 0x62, 0x63, 0xc3, 0xa9, 0x0a]);
  const { root, lock } = await aPlace({ 'a.bin': 'old\n' }, {}, (place) => writeFileSync(join(place, 'a.bin'), whole));
  writeFileSync(join(root, 'a.bin'), whole.subarray(0, length));
  const place = await lock();
  await place.resumeFiles({ freshIndex: false });
  await place.unlock();
  expect(readFileSync(join(root, 'a.bin'))).toEqual(whole);
});

it('leaves a file of which git cannot say what it will hold', async () => {
  const { root, move, read } = await aPlace({ 'a.txt': 'old\n' }, { 'a.txt': 'a new text\n' });
  putFiles(root, { 'a.txt': 'a new' });
  const PATH = pathWithGit(`case " $* " in *" cat-file "*) echo a new text; exit 1;; esac\nreal "$@"`);
  const repository = await GitRepository.open(root, { PATH, HOME: '/nonexistent' });
  if (!repository) throw new Error('no repository');
  const place = await PlaceUpdate.lock(repository, move);
  await place.resumeFiles({ freshIndex: false });
  await place.unlock();
  expect(read('a.txt')).toBe('a new');
});
