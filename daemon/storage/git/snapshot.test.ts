import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { git, pathWithGit, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { GitRepository } from './git-repository.js';
import { canRead, copyIndex, isNeverCommitted, snapshotTree, sortByPresence } from './snapshot.js';
import { WorkingTrees } from './working-trees.js';

const environment = { PATH: process.env['PATH'], HOME: '/nonexistent' };
const open = async (root: string) => {
  const repository = await GitRepository.open(root, environment);
  if (!repository) throw new Error('The repository was not opened.');
  return repository;
};
const list = (root: string, tree: string) => git(root, 'ls-tree', '-r', '--name-only', tree).trim().split('\n');

it('is a tree of the files as they are, without secrets, and changes neither the index nor HEAD', async () => {
  const root = temporaryRepository({ 'a.txt': 'a', 'gone.txt': 'g', 'x/deep.txt': 'd', '.env': 'OLD=1' });
  putFiles(root, {
    'a.txt': 'new',
    'b c.txt': 'b',
    '.env': 'KEY=1',
    '.gitignore': 'out\n',
    out: 'o',
    '.env.local': 's',
  });
  putFiles(root, { '.mesh/state/mesh.db': 'x', 'x/id_rsa': 'k' });
  git(root, 'add', '-f', 'x/id_rsa', '.env');
  rmSync(join(root, 'gone.txt'));
  rmSync(join(root, 'x/deep.txt'));
  const before = readFileSync(join(root, '.git/index'));
  const index = join(temporaryFolder(), 'index');
  const repository = await open(root);
  const { tree, leftOut } = await snapshotTree(repository, { index, leaveOut: isNeverCommitted });
  expect(list(root, tree)).toEqual(['.env', '.gitignore', 'a.txt', 'b c.txt']);
  expect(git(root, 'show', `${tree}:.env`)).toBe('OLD=1');
  expect(git(root, 'show', `${tree}:a.txt`)).toBe('new');
  expect(leftOut).toContain('.env.local');
  expect(leftOut).toContain('.mesh/state/mesh.db');
  expect(readFileSync(join(root, '.git/index')).equals(before)).toBe(true);

  putFiles(root, { 'x/deep.txt': 'again' });
  rmSync(join(root, 'a.txt'));
  putFiles(root, { 'a.txt/now-a-folder.txt': 'f' });
  const next = await snapshotTree(repository, { index, leaveOut: isNeverCommitted });
  expect(list(root, next.tree)).toEqual(['.env', '.gitignore', 'a.txt/now-a-folder.txt', 'b c.txt', 'x/deep.txt']);
});

it('works before the first commit, and leaves a repository inside this one out', async () => {
  const root = temporaryFolder({ 'a.txt': 'a' });
  git(root, 'init', '-q');
  putFiles(root, { 'inner/b.txt': 'b' });
  git(join(root, 'inner'), 'init', '-q');
  const { tree, leftOut } = await snapshotTree(await open(root), {
    index: join(temporaryFolder(), 'index'),
    leaveOut: isNeverCommitted,
  });
  expect(list(root, tree)).toEqual(['a.txt']);
  expect(leftOut).toEqual(['inner/']);
  expect(existsSync(join(root, '.git/index'))).toBe(false);
});

it('sees every change since the last one, whether that is kept or not', async () => {
  const root = temporaryRepository({ 'a.txt': 'a', 'b.txt': 'b' });
  const trees = new WorkingTrees(temporaryFolder(), environment);
  const take = async (kept?: string) => (await trees.take(root, kept))?.tree ?? '';
  const first = git(root, 'rev-parse', 'HEAD^{tree}').trim();
  expect([await take(), await take(first), await take(first)]).toEqual([first, first, first]);
  putFiles(root, { 'a.txt': 'new', '.env': 'KEY=1' });
  const second = await take(first);
  expect(git(root, 'show', `${second}:a.txt`)).toBe('new');
  expect([await take(second), await take(first), await take()]).toEqual([second, second, second]);
  rmSync(join(root, 'b.txt'));
  const third = await take(second);
  expect(list(root, third)).toEqual(['a.txt']);
  git(root, 'add', '-fA');
  expect(await take(third)).toBe(third);
  git(root, 'reset', '-q', '--hard');
  expect(await take(third)).toBe(first);
  for (const name of readdirSync(trees.folder)) rmSync(join(trees.folder, name));
  putFiles(root, { 'c.txt': 'c' });
  expect(list(root, await take(first))).toEqual(['a.txt', 'b.txt', 'c.txt']);
});

it.each([
  ['.mesh/state', true],
  ['.mesh/state/mesh.db', true],
  ['part/.mesh/credentials/x', true],
  ['.MESH/State/x', true],
  ['.env', true],
  ['part/id_rsa', true],
  ['.mesh/team/one.md', false],
  ['.mesh/statement', false],
  ['my.mesh/state', false],
  ['state/x', false],
])('%s is never committed: %s', (path, is) => {
  expect(isNeverCommitted(path)).toBe(is);
});

const anIndex = () => join(temporaryFolder(), 'index');
const LIMIT = 50 * 1024 * 1024;

it('leaves files of more than 50 MiB out, and names what it leaves out in order', async () => {
  const root = temporaryRepository({ 'a.txt': 'a' });
  putFiles(root, { 'z.bin': '', 'm.bin': '', 'kept.bin': '', '.env': 'KEY=1' });
  truncateSync(join(root, 'z.bin'), LIMIT + 1);
  truncateSync(join(root, 'm.bin'), LIMIT + 1);
  const leaveOut = (path: string) => path === 'kept.bin' || isNeverCommitted(path);
  const repository = await open(root);
  const { tree, leftOut } = await snapshotTree(repository, { index: anIndex(), leaveOut });
  expect([list(root, tree), leftOut]).toEqual([['a.txt'], ['.env', 'kept.bin', 'm.bin', 'z.bin']]);
});

it('leaves files that cannot be read out, as the last commit has them, and takes all others', async () => {
  const root = temporaryRepository({ 'a.txt': 'a', 'locked.txt': 'old', 'gone.txt': 'g' });
  putFiles(root, { 'a.txt': 'new', 'acme.json': '{}', 'locked.txt': 'new' });
  symlinkSync('acme.json', join(root, 'link'));
  rmSync(join(root, 'gone.txt'));
  const asked: string[] = [];
  const isReadable = async (path: string) => {
    asked.push(path);
    return path === join(root, 'a.txt');
  };
  const repository = await open(root);
  const { tree, leftOut } = await snapshotTree(
    repository,
    { index: anIndex(), leaveOut: isNeverCommitted },
    isReadable,
  );
  expect([list(root, tree), leftOut]).toEqual([
    ['a.txt', 'link', 'locked.txt'],
    ['acme.json', 'locked.txt'],
  ]);
  expect([git(root, 'show', `${tree}:a.txt`), git(root, 'show', `${tree}:locked.txt`)]).toEqual(['new', 'old']);
  expect(asked.sort()).toEqual(['a.txt', 'acme.json', 'locked.txt'].map((name) => join(root, name)));
});

it('keeps a link to a file that is too large', async () => {
  const root = temporaryRepository({ 'a.txt': 'a' });
  const large = join(temporaryFolder({ large: '' }), 'large');
  truncateSync(large, LIMIT + 1);
  symlinkSync(large, join(root, 'link'));
  const repository = await open(root);
  const { tree, leftOut } = await snapshotTree(repository, { index: anIndex(), leaveOut: isNeverCommitted });
  expect([list(root, tree), leftOut]).toEqual([['a.txt', 'link'], []]);
});

it('takes only what is below the folder of the repository that was opened as changed', async () => {
  const root = temporaryRepository({ 'part/a.txt': 'a', 'other.txt': 'o' });
  putFiles(root, { 'part/a.txt': 'A', 'part/new.txt': 'n', 'other.txt': 'O', 'more.txt': 'm' });
  const repository = await open(join(root, 'part'));
  const { tree } = await snapshotTree(repository, { index: anIndex(), leaveOut: isNeverCommitted });
  expect(list(root, tree)).toEqual(['other.txt', 'part/a.txt', 'part/new.txt']);
  expect([git(root, 'show', `${tree}:part/a.txt`), git(root, 'show', `${tree}:other.txt`)]).toEqual(['A', 'o']);
});

it('has a secret that was staged before the first commit nowhere', async () => {
  const root = temporaryFolder({ 'a.txt': 'a', '.env': 'KEY=1' });
  git(root, 'init', '-q');
  git(root, 'add', '-fA');
  const { tree } = await snapshotTree(await open(root), { index: anIndex(), leaveOut: isNeverCommitted });
  expect(list(root, tree)).toEqual(['a.txt']);
});

it('has the files of the last commit when the repository lost its index, also ignored ones', async () => {
  const root = temporaryRepository({ 'a.txt': 'a', 'kept.o': 'k' });
  putFiles(root, { '.git/info/exclude': '*.o\n', 'more.o': 'm' });
  rmSync(join(root, '.git/index'));
  const { tree } = await snapshotTree(await open(root), { index: anIndex(), leaveOut: isNeverCommitted });
  expect(list(root, tree)).toEqual(['a.txt', 'kept.o']);
});

it('takes nothing from behind a folder that became a link', async () => {
  const root = temporaryRepository({ 'd/e/a.txt': 'a', 'd/e/b.txt': 'b', 'c.txt': 'c' });
  const outside = temporaryFolder({ 'e/a.txt': 'outside', 'e/b.txt': 'outside' });
  rmSync(join(root, 'd'), { recursive: true });
  symlinkSync(outside, join(root, 'd'));
  const { tree } = await snapshotTree(await open(root), { index: anIndex(), leaveOut: isNeverCommitted });
  expect(list(root, tree)).toEqual(['c.txt', 'd']);
});

it('returns the last tree without asking git for one, unless a file or the index has changed', async () => {
  const root = temporaryRepository({ 'a.txt': 'a', '.env': 'OLD=1' });
  const [repository, index] = [await open(root), anIndex()];
  const take = async (last?: string) =>
    (await snapshotTree(repository, { index, leaveOut: isNeverCommitted, last })).tree;
  const first = await take('of a new index');
  expect(first).toBe(git(root, 'rev-parse', 'HEAD^{tree}').trim());
  expect(await take('the last')).toBe('the last');
  expect(await take()).toBe(first);
  const env = ['-c', `alias.with=!GIT_INDEX_FILE=${index} git`, 'with'];
  putFiles(root, { '.env': 'NEW=1' });
  git(root, ...env, 'add', '-f', '.env');
  expect(await take('the last')).toBe(first);
  putFiles(root, { 'b.txt': 'b' });
  expect(list(root, await take('the last'))).toEqual(['.env', 'a.txt', 'b.txt']);
});

it('reads no file again only because the folder was copied', async () => {
  const root = join(temporaryFolder(), 'copy');
  cpSync(temporaryRepository({ 'a.txt': 'a', 'b.txt': 'b' }), root, { recursive: true });
  for (const name of ['a.txt', 'b.txt']) utimesSync(join(root, name), 1_000_000_000, 1_000_000_000);
  const repository = await open(root);
  const output = vi.spyOn(repository, 'output');
  await snapshotTree(repository, { index: anIndex(), leaveOut: isNeverCommitted });
  expect(output.mock.calls.filter(([args]) => args.includes('update-index'))).toEqual([]);
  expect(new Set(output.mock.calls.map(([, options]) => options?.timeoutMs))).toEqual(new Set([120_000]));
});

it('copies an index with a time that is not later, and says when there is none', async () => {
  const root = temporaryRepository({ 'a.txt': 'a' });
  const own = join(root, '.git/index');
  utimesSync(own, 1_000_000_000.9, 1_000_000_000.9);
  const [repository, copy] = [await open(root), anIndex()];
  expect(await copyIndex(repository, copy)).toBe(true);
  expect(readFileSync(copy).equals(readFileSync(own))).toBe(true);
  expect(statSync(copy).mtimeMs).toBe(1_000_000_000_000);
  rmSync(own);
  rmSync(copy);
  expect([await copyIndex(repository, copy), existsSync(copy)]).toEqual([false, false]);
});

it('tells what is there from what is gone, also behind what is no folder any more', async () => {
  const root = temporaryFolder({ 'a.txt': 'a', 'd/e/b.txt': 'b', file: 'f' });
  symlinkSync('d', join(root, 'link'));
  symlinkSync('nowhere', join(root, 'lost'));
  const there = ['a.txt', 'd/e/b.txt', 'd/e', 'link', 'lost'];
  const gone = ['none', 'd/none', 'none/deep/x', 'link/e', 'link/e/b.txt', 'file/x', 'lost/x'];
  expect(await sortByPresence(root, [...there, ...gone])).toEqual({ there, gone });
  expect(await sortByPresence(root, [])).toEqual({ there: [], gone: [] });
});

it('can read a file that is there', async () => {
  const root = temporaryFolder({ 'a.txt': 'a' });
  expect([await canRead(join(root, 'a.txt')), await canRead(join(root, 'none'))]).toEqual([true, false]);
});

it('takes a file without its filter as the last commit has it, and lists it, but not what is no file', async () => {
  const root = temporaryRepository({ '.gitattributes': '*.x filter=e\n', 'a.x': 'old', 'gone.x': 'g', 'b.x': 'b' });
  git(root, 'config', 'filter.e.clean', 'evil');
  putFiles(root, { 'a.x': 'new', 'new.x': 'n', 'z.txt': 'z', '.env': 'KEY=1' });
  for (const path of ['gone.x', 'b.x']) rmSync(join(root, path));
  symlinkSync('a.x', join(root, 'b.x'));
  const taken = await snapshotTree(await open(root), { index: anIndex(), leaveOut: isNeverCommitted });
  expect(list(root, taken.tree)).toEqual(['.gitattributes', 'a.x', 'b.x', 'z.txt']);
  expect([taken.leftOut, taken.unfiltered]).toEqual([
    ['.env', 'a.x', 'new.x'],
    ['a.x', 'new.x'],
  ]);
  expect([git(root, 'show', `${taken.tree}:a.x`), git(root, 'show', `${taken.tree}:b.x`)]).toEqual(['old', 'a.x']);
});

it('asks git to change its index only for what has changed', async () => {
  const root = temporaryRepository({ 'a.txt': 'a', 'b.txt': 'b' });
  const [repository, index] = [await open(root), anIndex()];
  const output = vi.spyOn(repository, 'output');
  const take = async () => {
    output.mockClear();
    await snapshotTree(repository, { index, leaveOut: isNeverCommitted });
    return output.mock.calls.map(([args]) => args).filter((args) => args.includes('update-index'));
  };
  expect(await take()).toEqual([]);
  putFiles(root, { 'a.txt': 'new' });
  expect(await take()).toEqual([expect.arrayContaining(['--add', '--remove', '--replace'])]);
  rmSync(join(root, 'b.txt'));
  expect(await take()).toEqual([expect.arrayContaining(['--force-remove'])]);
});

it('leaves out a file that is larger than 50 MiB alone', async () => {
  const root = temporaryRepository({ 'a.txt': 'a' });
  const sizes = { 'exact.bin': LIMIT, 'more.bin': LIMIT + 1 };
  const repository = await open(root);
  putFiles(root, { 'exact.bin': '', 'more.bin': '' });
  for (const [name, size] of Object.entries(sizes)) truncateSync(join(root, name), size);
  // No file is stored, because that would take long: those that are not read are left out too.
  const asked: string[] = [];
  const isReadable = async (path: string) => {
    asked.push(path);
    return false;
  };
  await snapshotTree(repository, { index: anIndex(), leaveOut: isNeverCommitted }, isReadable);
  expect(asked).toEqual([join(root, 'exact.bin')]);
});

it('has staged secrets as the last commit has them also where git compares only with the tree of it', async () => {
  const root = temporaryRepository({ 'a.txt': 'a', '.env': 'OLD=1' });
  putFiles(root, { '.env': 'NEW=1' });
  git(root, 'add', '-f', '.env');
  const PATH = pathWithGit('case " $* " in *" diff-index "*" HEAD "*) exit 128;; esac\nreal "$@"');
  const repository = await GitRepository.open(root, { ...environment, PATH });
  if (!repository) throw new Error('The repository was not opened.');
  const { tree } = await snapshotTree(repository, { index: anIndex(), leaveOut: isNeverCommitted });
  expect(git(root, 'show', `${tree}:.env`)).toBe('OLD=1');
});

it('has an ignored file that was added to git, as it is now', async () => {
  const root = temporaryRepository({ '.gitignore': 'out\n' });
  putFiles(root, { out: 'staged', 'more/out': 'ignored' });
  git(root, 'add', '-f', 'out');
  putFiles(root, { out: 'now' });
  const { tree } = await snapshotTree(await open(root), { index: anIndex(), leaveOut: isNeverCommitted });
  expect(list(root, tree)).toEqual(['.gitignore', 'out']);
  expect(git(root, 'show', `${tree}:out`)).toBe('now');
});
