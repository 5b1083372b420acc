import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { heldOpen } from '../../testing/held-open.js';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { putBack, removeIncoming } from './put-back.js';
import { WorkingTrees } from './working-trees.js';

const environment = { PATH: process.env['PATH'], HOME: '/nonexistent' };

function aFolder(files: Record<string, string>, { below = '', provided = [] as string[] } = {}) {
  const root = temporaryRepository(files);
  const folder = join(root, below);
  const trees = new WorkingTrees(temporaryFolder(), environment, () => provided);
  const take = async () => {
    const taken = await trees.take(folder);
    if (!taken) throw new Error('There is no repository.');
    return taken;
  };
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  /** Puts the folder back to the tree, from what it is now or from the snapshot `now`. */
  const back = async (to: string, now?: Awaited<ReturnType<typeof take>>) => putBack(trees, now ?? (await take()), to);
  return { root, folder, trees, take, read, back };
}

/** The names of unfinished files in a folder. */
const incomingIn = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('.meshd-'));

/** Lets the disk be full when the files or folders for which `isFull` says so are brought to it. */
async function fillDisk(isFull: (isFolder: boolean) => boolean): Promise<void> {
  const handle = await open(temporaryFolder(), 'r');
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const spy = vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
    if (isFull((await this.stat()).isDirectory())) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
  });
  onTestFinished(() => spy.mockRestore());
}

it('makes changed, removed and added files those of the tree again, and says how many', async () => {
  const { root, take, read, back, trees } = aFolder({
    'a.txt': 'a',
    'run.sh': '#',
    'x/y/gone.txt': 'g',
    'same.txt': 's',
  });
  chmodSync(join(root, 'run.sh'), 0o755);
  symlinkSync('a.txt', join(root, 'link'));
  const { tree } = await take();
  const before = lstatSync(join(root, 'same.txt')).ino;
  writeFileSync(join(root, 'a.txt'), 'changed');
  writeFileSync(join(root, 'run.sh'), 'changed');
  chmodSync(join(root, 'run.sh'), 0o644);
  unlinkSync(join(root, 'link'));
  rmSync(join(root, 'x'), { recursive: true });
  putFiles(root, { 'new/deep/added.txt': 'n', link: 'no link' });
  expect(await back(tree)).toEqual({ files: 5, skipped: [] });
  expect([read('a.txt'), read('run.sh'), read('x/y/gone.txt'), read('same.txt')]).toEqual(['a', '#', 'g', 's']);
  expect(readlinkSync(join(root, 'link'))).toBe('a.txt');
  expect([lstatSync(join(root, 'run.sh')).mode & 0o777, lstatSync(join(root, 'a.txt')).mode & 0o111]).toEqual([
    0o755, 0,
  ]);
  expect(existsSync(join(root, 'new'))).toBe(false);
  expect(lstatSync(join(root, 'same.txt')).ino).toBe(before);
  expect((await take()).tree).toBe(tree);
  expect([...incomingIn(root), ...incomingIn(join(root, 'x/y'))]).toEqual([]);
  expect(readdirSync(trees.folder).filter((name) => name.endsWith('.files'))).toEqual([]);
  expect(await back(tree)).toEqual({ files: 0, skipped: [] });
});

it.each([
  ['a folder in the place of a file', { place: 'f', 'a.txt': 'a' }, { 'place/in/file.txt': 'i' }],
  ['a file in the place of a folder', { 'place/in/file.txt': 'i', 'a.txt': 'a' }, { place: 'f' }],
])('puts %s back', async (_, before, after) => {
  const { root, take, back } = aFolder(before);
  const { tree } = await take();
  rmSync(join(root, 'place'), { recursive: true });
  putFiles(root, after);
  expect(await back(tree)).toEqual({ files: 2, skipped: [] });
  expect((await take()).tree).toBe(tree);
});

it('works in a folder below the top of the repository, and touches nothing outside of it', async () => {
  const { root, folder, take, read, back } = aFolder({ 'part/a.txt': 'a', 'other.txt': 'o' }, { below: 'part' });
  const { tree } = await take();
  putFiles(root, { 'part/a.txt': 'changed', 'other.txt': 'changed' });
  expect(await back(tree)).toEqual({ files: 1, skipped: [] });
  expect([read('a.txt'), readFileSync(join(root, 'other.txt'), 'utf8')]).toEqual(['a', 'changed']);
  expect(incomingIn(folder)).toEqual([]);
});

it('never touches secrets, files that are not the agent’s, and repositories inside the folder', async () => {
  const { root, take, read, back } = aFolder(
    { 'a.txt': 'a', '.env': 'OLD=1', 'given.txt': 'old' },
    { provided: ['given.txt'] },
  );
  const head = git(root, 'rev-parse', 'HEAD').trim();
  git(root, 'update-index', '--add', '--cacheinfo', `160000,${head},inner`);
  git(root, 'commit', '-qm', 'with a repository inside');
  const old = git(root, 'rev-parse', 'HEAD^{tree}').trim();
  putFiles(root, { '.env': 'NEW=1', 'given.txt': 'new', 'a.txt': 'b' });
  git(root, 'rm', '-q', '--cached', 'inner');
  mkdirSync(join(root, 'inner'));
  git(root, 'add', '-fA');
  git(root, 'commit', '-qm', 'second');
  // Equal to the last commit: in the snapshot, and different from the old tree.
  putFiles(root, { 'given.txt': 'newer' });
  const now = await take();
  expect([...now.leftOut.keys()]).toEqual(['given.txt']);
  expect(await back(old, now)).toEqual({ files: 1, skipped: [] });
  expect([read('.env'), read('given.txt'), read('a.txt')]).toEqual(['NEW=1', 'newer', 'a']);
  expect(readdirSync(join(root, 'inner'))).toEqual([]);
});

it('leaves what git ignores, and skips the files that would take its place', async () => {
  const { root, take, read, back } = aFolder({ 'a.txt': 'a', 'b.txt': 'b', 'd/c.txt': 'c' });
  const { tree } = await take();
  git(root, 'rm', '-q', 'a.txt', 'b.txt', 'd/c.txt');
  putFiles(root, { '.git/info/exclude': '/a.txt\n/b.txt\n/d\n', 'a.txt': 'ignored', 'b.txt/in': 'ignored' });
  writeFileSync(join(root, 'd'), 'ignored');
  expect(await back(tree)).toEqual({ files: 0, skipped: ['a.txt', 'b.txt', 'd/c.txt'] });
  expect([read('a.txt'), read('b.txt/in'), read('d')]).toEqual(['ignored', 'ignored', 'ignored']);
});

it('keeps the folders of a removed file that hold something else', async () => {
  const { root, take, read, back } = aFolder({ 'a.txt': 'a' });
  const { tree } = await take();
  putFiles(root, { 'one/two/added.txt': 'n', 'one/kept.o': 'k', '.git/info/exclude': '*.o\n' });
  expect(await back(tree)).toEqual({ files: 1, skipped: [] });
  expect([existsSync(join(root, 'one/two')), read('one/kept.o')]).toEqual([false, 'k']);
});

it('neither writes nor removes anything through a link that came after the snapshot', async () => {
  const outside = temporaryFolder({ 'a.txt': 'outside', 'added.txt': 'outside' });
  const { root, take, back } = aFolder({ 'd/a.txt': 'a', 'd/e/b.txt': 'b' });
  const { tree } = await take();
  putFiles(root, { 'd/a.txt': 'changed', 'd/added.txt': 'n', 'd/e/b.txt': 'changed' });
  const now = await take();
  rmSync(join(root, 'd'), { recursive: true });
  symlinkSync(outside, join(root, 'd'));
  expect(await back(tree, now)).toEqual({ files: 1, skipped: ['d/a.txt', 'd/e/b.txt'] });
  expect(readdirSync(outside).sort()).toEqual(['a.txt', 'added.txt']);
  expect(['a.txt', 'added.txt'].map((name) => readFileSync(join(outside, name), 'utf8'))).toEqual([
    'outside',
    'outside',
  ]);
});

it('replaces a link instead of what it leads to', async () => {
  const outside = temporaryFolder({ 'a.txt': 'outside' });
  const { root, take, read, back } = aFolder({ 'a.txt': 'a' });
  const { tree } = await take();
  unlinkSync(join(root, 'a.txt'));
  symlinkSync(join(outside, 'a.txt'), join(root, 'a.txt'));
  expect(await back(tree)).toEqual({ files: 1, skipped: [] });
  expect([read('a.txt'), readFileSync(join(outside, 'a.txt'), 'utf8')]).toEqual(['a', 'outside']);
  expect(lstatSync(join(root, 'a.txt')).isFile()).toBe(true);
});

it('takes a file that is gone meanwhile for removed, and skips a folder that came in its place', async () => {
  const { root, take, back } = aFolder({ 'a.txt': 'a', 'changed.txt': 'c' });
  const { tree } = await take();
  putFiles(root, { 'gone.txt': 'n', 'd/gone.txt': 'n', 'folder.txt': 'n', 'changed.txt': 'new' });
  const now = await take();
  for (const path of ['gone.txt', 'd', 'folder.txt', 'changed.txt']) rmSync(join(root, path), { recursive: true });
  putFiles(root, { 'folder.txt/kept.txt': 'k', 'changed.txt/kept.txt': 'k' });
  expect(await back(tree, now)).toEqual({ files: 2, skipped: ['folder.txt', 'changed.txt'] });
  expect(existsSync(join(root, 'folder.txt/kept.txt'))).toBe(true);
});

it('leaves the old file when the disk is full, and the next attempt needs no cleaning', async () => {
  const { root, take, read, back, trees } = aFolder({ 'd/a.txt': 'a' });
  const { tree } = await take();
  putFiles(root, { 'd/a.txt': 'changed' });
  const now = await take();
  let isFull = true;
  await fillDisk((isFolder) => isFull && !isFolder);
  await expect(back(tree, now)).rejects.toMatchObject({ code: 'no_space' });
  expect(read('d/a.txt')).toBe('changed');
  expect(incomingIn(join(root, 'd'))).toEqual([expect.stringMatching(/^\.meshd-[0-9a-f]{16}\.tmp$/)]);
  expect(readdirSync(trees.folder).filter((name) => name.endsWith('.files'))).toEqual([]);
  isFull = false;
  expect(await back(tree, now)).toEqual({ files: 1, skipped: [] });
  expect([read('d/a.txt'), incomingIn(join(root, 'd'))]).toEqual(['a', []]);
  expect([...heldOpen(root), ...heldOpen(trees.folder)]).toEqual([]);
});

it('counts a file as put back only once its folder is on the disk', async () => {
  const { root, take, back } = aFolder({ 'a.txt': 'a' });
  const { tree } = await take();
  putFiles(root, { 'a.txt': 'changed' });
  const now = await take();
  await fillDisk((isFolder) => isFolder);
  await expect(back(tree, now)).rejects.toMatchObject({ code: 'no_space' });
});

it.each(['a.txt', 'd/e/b.txt'])(
  'removes what an interrupted attempt left beside %s, but not through a link',
  async (path) => {
    const { root, folder, take, read, back } = aFolder(
      { 'x/a.txt': 'a', 'x/d/e/b.txt': 'b', 'x/same.txt': 's' },
      { below: 'x' },
    );
    const { tree } = await take();
    putFiles(folder, { [path]: 'changed' });
    const now = await take();
    await fillDisk((isFolder) => !isFolder);
    await expect(back(tree, now)).rejects.toMatchObject({ code: 'no_space' });
    const [place, elsewhere] = [dirname(join(folder, path)), join(temporaryFolder(), 'moved')];
    expect(incomingIn(place)).toHaveLength(1);
    await removeIncoming(now.repository, now.tree, now.tree);
    expect(incomingIn(place)).toHaveLength(1);
    if (place !== folder) {
      renameSync(place, elsewhere);
      symlinkSync(elsewhere, place);
      await removeIncoming(now.repository, now.tree, tree);
      expect(incomingIn(elsewhere)).toHaveLength(1);
      unlinkSync(place);
      renameSync(elsewhere, place);
    }
    for (const _ of [1, 2]) await removeIncoming(now.repository, now.tree, tree);
    expect([incomingIn(place), read(path)]).toEqual([[], 'changed']);
    expect(git(root, 'status', '--porcelain').trim()).toBe(`M x/${path}`);
  },
);

it('touches no file whose filter is only the repository’s, changed, removed or committed', async () => {
  const { root, take, read, back } = aFolder({
    '.gitattributes': 'x/*.yml filter=x\n',
    'x/a.yml': 'kept\n',
    'x/gone.yml': 'kept\n',
    'x/own.yml': 'kept\n',
    'b.txt': 'b',
  });
  git(root, 'config', 'filter.x.clean', 'false');
  const { tree } = await take();
  putFiles(root, { 'x/a.yml': 'changed\n', 'x/new.yml': 'new\n', 'x/own.yml': 'own\n', 'b.txt': 'B' });
  unlinkSync(join(root, 'x/gone.yml'));
  git(root, '-c', 'filter.x.clean=', 'commit', '-qm', 'own', 'x/own.yml');
  const now = await take();
  expect([...now.leftOut.keys()]).toEqual(['x/a.yml', 'x/new.yml']);
  expect(git(root, 'ls-tree', '-r', '--name-only', now.tree).split('\n')).not.toContain('x/new.yml');
  expect(git(root, 'show', `${now.tree}:x/a.yml`)).toBe('kept\n');
  expect(await back(tree, now)).toEqual({ files: 1, skipped: ['x/gone.yml', 'x/own.yml'] });
  expect([read('x/a.yml'), read('x/new.yml'), read('x/own.yml'), read('b.txt')]).toEqual([
    ...['changed\n', 'new\n', 'own\n', 'b'],
  ]);
  expect(existsSync(join(root, 'x/gone.yml'))).toBe(false);
});

it('takes a file that was moved back to where it was', async () => {
  const { root, take, read, back } = aFolder({ 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b' });
  const { tree } = await take();
  renameSync(join(root, 'a.txt'), join(root, 'moved.txt'));
  expect(await back(tree)).toEqual({ files: 2, skipped: [] });
  expect([read('a.txt'), existsSync(join(root, 'moved.txt'))]).toEqual(['one\ntwo\nthree\n', false]);
});

it('writes contents at first where only the user can read them, in a folder that need not be there yet', async () => {
  const { root, take, read } = aFolder({ 'a.txt': 'a' });
  const { tree } = await take();
  putFiles(root, { 'a.txt': 'changed' });
  const now = await take();
  const trees = new WorkingTrees(join(temporaryFolder(), 'not/yet'), environment);
  const modes = new Set<number>();
  await fillDisk(() => {
    for (const name of readdirSync(trees.folder)) modes.add(statSync(join(trees.folder, name)).mode & 0o777);
    return false;
  });
  expect(await putBack(trees, now, tree)).toEqual({ files: 1, skipped: [] });
  expect([[...modes], read('a.txt'), readdirSync(trees.folder)]).toEqual([[0o700], 'a', []]);
});

it('asks git for no contents where files are only removed', async () => {
  const { root, take, back } = aFolder({ 'a.txt': 'a' });
  const { tree } = await take();
  putFiles(root, { 'new.txt': 'n' });
  const now = await take();
  const output = vi.spyOn(now.repository, 'output');
  expect(await back(tree, now)).toEqual({ files: 1, skipped: [] });
  expect(output.mock.calls.map(([args]) => args.join(' ')).filter((line) => /read-tree|checkout/.test(line))).toEqual(
    [],
  );
});
