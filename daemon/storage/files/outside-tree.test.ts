import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MeshError } from '../../lib/errors.js';
import { isSecretPath } from '../../lib/secrets/secret-names.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { plantedSecrets } from '../../testing/planted-secrets.js';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { ProjectTools } from '../members/project-tools.js';
import { WITHHELD } from '../members/project-tools-text.js';
import { OutsideTree } from './outside-tree.js';

const environment = { PATH: process.env['PATH'] };

function aTree(root: string) {
  const folder = join(temporaryFolder(), 'outside');
  const clock = new FakeClock();
  const tools = new ProjectTools({
    root,
    environment,
    clock,
    mayRead: (path) => !isSecretPath(path),
    toText: (bytes) => (bytes.includes(0) ? undefined : Buffer.from(bytes).toString('utf8')),
  });
  const tree = new OutsideTree({ root, folder, project: tools.forOutside() });
  const prepare = () => {
    // A listing of the tree is cached for two seconds.
    clock.advance(3_000);
    return tree.prepare();
  };
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  const has = (path: string) => existsSync(join(folder, path));
  return { folder, prepare, read, has };
}

const TOKEN = plantedSecrets(1).find(({ id }) => id === 'github/GITHUB_TOKEN')?.text ?? '';

it('contains the tracked text files, at their paths and with their lines, and no secrets', async () => {
  const root = temporaryRepository({
    'README.md': '# Lamp\n',
    'src/deep/a.ts': `one\nconst key = '${TOKEN}';\nthree\n`,
    '.npmrc': 'x',
    'secrets/db.yaml': 'x',
    'server.pem': 'x',
    'picture.txt': 'a\u0000b',
    '.gitignore': 'ignored.md\n',
  });
  putFiles(root, { 'notes.md': 'untracked', 'ignored.md': 'ignored' });
  symlinkSync('/etc/hosts', join(root, 'hosts'));
  git(root, 'add', 'hosts');
  const { folder, prepare, read, has } = aTree(root);
  expect(await prepare()).toBe(folder);
  expect(read('README.md')).toBe('# Lamp\n');
  expect(read('src/deep/a.ts').split('\n')).toEqual(['one', WITHHELD, 'three', '']);
  for (const path of ['.npmrc', 'secrets', 'server.pem', 'picture.txt', 'notes.md', 'ignored.md', 'hosts'])
    expect({ path, is: has(path) }).toEqual({ path, is: false });
  expect(lstatSync(folder).mode & 0o777).toBe(0o700);
  expect(lstatSync(join(folder, 'src/deep/a.ts')).mode & 0o777).toBe(0o600);
  // A search for a repository ends at this one.
  expect(git(folder, 'rev-parse', '--show-toplevel').trim()).toBe(folder);
});

it('copies added and changed files, removes deleted ones, and writes nothing else', async () => {
  const root = temporaryRepository({ 'a.md': 'first\n', 'b.md': 'stays\n', 'c.md': 'goes\n' });
  const { folder, prepare, read, has } = aTree(root);
  await prepare();
  const before = lstatSync(join(folder, 'b.md'));
  putFiles(root, { 'a.md': 'second, longer\n', 'd.md': 'new\n' });
  unlinkSync(join(root, 'c.md'));
  git(root, 'add', 'd.md');
  await prepare();
  expect([read('a.md'), read('d.md'), has('c.md')]).toEqual(['second, longer\n', 'new\n', false]);
  expect(lstatSync(join(folder, 'b.md')).ino).toBe(before.ino);
  git(root, 'rm', '-q', '--cached', 'b.md');
  await prepare();
  expect(has('b.md')).toBe(false);
});

it('replaces or removes files that another program left there', async () => {
  const root = temporaryRepository({ 'a.md': 'right\n', 'src/b.md': 'right\n' });
  const { folder, prepare, read, has } = aTree(root);
  await prepare();
  writeFileSync(join(folder, 'a.md'), 'wrong\n');
  writeFileSync(join(folder, 'src/planted.md'), 'wrong\n');
  unlinkSync(join(folder, 'src/b.md'));
  symlinkSync('/etc/hosts', join(folder, 'src/b.md'));
  await prepare();
  expect([read('a.md'), read('src/b.md'), has('src/planted.md')]).toEqual(['right\n', 'right\n', false]);
});

it('rejects with forbidden while git cannot tell which files it tracks', async () => {
  const root = temporaryRepository({ 'a.md': 'right\n' });
  const { prepare } = aTree(root);
  await prepare();
  writeFileSync(join(root, '.git/HEAD'), 'damaged');
  await expect(prepare()).rejects.toMatchObject({
    code: 'forbidden',
    message: expect.stringContaining('Git cannot tell'),
  });
});

/** A tree of a project whose readable files are those of `texts`; an error is thrown when its file is read. */
function aGivenTree(texts: Record<string, string | Error>) {
  const root = temporaryFolder();
  const folder = join(temporaryFolder(), 'outside');
  const put = (changes: Record<string, string | Error>) => {
    Object.assign(texts, changes);
    putFiles(root, Object.fromEntries(Object.entries(changes).map(([path, text]) => [path, String(text)])));
  };
  put(texts);
  const readings: string[] = [];
  const lines = async (path: string) => {
    readings.push(path);
    const text = texts[path];
    if (text === undefined || text instanceof Error) throw text ?? new MeshError('not_found', 'gone');
    return text.split('\n');
  };
  const tree = new OutsideTree({ root, folder, project: { paths: async () => Object.keys(texts), lines } });
  const prepare = async () => {
    readings.length = 0;
    await tree.prepare();
    return readings;
  };
  const list = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('.git'))
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .sort();
  return { root, folder, texts, put, prepare, list };
}

it('reads a file again only when it has changed, or when its copy has', async () => {
  const { folder, put, prepare, list } = aGivenTree({ 'a.md': 'a', 'd/b.md': 'b', 'd/c.md': 'c' });
  expect(await prepare()).toEqual(['a.md', 'd/b.md', 'd/c.md']);
  expect(await prepare()).toEqual([]);
  put({ 'd/b.md': 'changed' });
  unlinkSync(join(folder, 'd/c.md'));
  expect(await prepare()).toEqual(['d/b.md', 'd/c.md']);
  expect(list()).toEqual(['a.md', 'd/b.md', 'd/c.md']);
});

it('has a file where a folder was, of the project or of another program', async () => {
  const { folder, root, prepare, list, texts } = aGivenTree({ 'a.md': 'a', 'b/c.md': 'c' });
  await prepare();
  delete texts['b/c.md'];
  rmSync(join(root, 'b'), { recursive: true });
  texts['b'] = 'now a file';
  putFiles(root, { b: 'now a file' });
  unlinkSync(join(folder, 'a.md'));
  putFiles(folder, { 'a.md/planted/x.md': 'x' });
  await prepare();
  expect([list(), readFileSync(join(folder, 'b'), 'utf8')]).toEqual([['a.md', 'b'], 'now a file\n']);
});

it('has no copy of what is no text or gone by the time it is read, and says other failures', async () => {
  const notText = new MeshError('bad_request', 'not text');
  const { root, put, prepare, list } = aGivenTree({ 'a.md': 'a', 'b.md': 'b', 'c.md': notText });
  await prepare();
  expect(list()).toEqual(['a.md', 'b.md']);
  put({ 'a.md': notText });
  rmSync(join(root, 'b.md'));
  await prepare();
  expect(list()).toEqual(['b.md']);
  put({ 'a.md': new Error('the disk failed') });
  await expect(prepare()).rejects.toThrow('the disk failed');
  put({ 'a.md': 'again' });
  await prepare();
  expect(list()).toEqual(['a.md', 'b.md']);
});

it('discards what an earlier daemon left, once', async () => {
  const { folder, prepare, list } = aGivenTree({ 'a.md': 'a' });
  putFiles(folder, { 'a.md': 'a\n', '.git/hooks/x': 'x', 'old/b.md': 'b' });
  expect(await prepare()).toEqual(['a.md']);
  expect([list(), existsSync(join(folder, '.git/hooks'))]).toEqual([['a.md'], false]);
  // What another program puts there stays until the next start.
  putFiles(folder, { '.git/x': 'x' });
  await prepare();
  expect(existsSync(join(folder, '.git/x'))).toBe(true);
});

it('is a repository without a commit, for the user alone', async () => {
  const { folder, prepare } = aGivenTree({ 'd/e/a.md': 'a' });
  await prepare();
  expect(git(folder, 'status', '--porcelain').trim()).toBe('?? d/');
  expect(git(folder, 'symbolic-ref', 'HEAD').trim()).toBe('refs/heads/main');
  const modes = ['.git', '.git/objects', '.git/refs', 'd', 'd/e', '.git/HEAD', '.git/config'].map(
    (name) => lstatSync(join(folder, name)).mode & 0o777,
  );
  expect(modes).toEqual([0o700, 0o700, 0o700, 0o700, 0o700, 0o600, 0o600]);
  expect(readdirSync(join(folder, '.git')).sort()).toEqual(['HEAD', 'config', 'objects', 'refs']);
  expect(readFileSync(join(folder, '.git/config'), 'utf8')).toBe(
    '[core]\n\trepositoryformatversion = 0\n\tbare = false\n',
  );
});

it('copies at most 256 MiB of text at once', async () => {
  const { folder, root, list } = aGivenTree({ 'a.md': '', 'b.md': '', 'c.md': '' });
  const line = (length: number) => ({ length, toString: () => 'line' }) as unknown as string;
  const size = 256 * 1024 * 1024;
  const lengths: Record<string, number[]> = { 'a.md': [size - 2, 1], 'b.md': [1], 'c.md': [1] };
  const lines = async (path: string) => (lengths[path] ?? []).map(line);
  const tree = new OutsideTree({ root, folder, project: { paths: async () => Object.keys(lengths), lines } });
  await tree.prepare();
  expect(list()).toEqual(['a.md', 'b.md']);
  expect(readFileSync(join(folder, 'a.md'), 'utf8')).toBe('line\nline\n');
});

it('prepares one after another, also after a failure', async () => {
  const { root, folder } = aGivenTree({ 'a.md': 'a' });
  const steps: string[] = [];
  let round = 0;
  const paths = async () => {
    round += 1;
    const own = round;
    steps.push(`begin ${own}`);
    await new Promise(setImmediate);
    steps.push(`end ${own}`);
    if (own === 1) throw new Error('the first fails');
    return ['a.md'];
  };
  const tree = new OutsideTree({ root, folder, project: { paths, lines: async () => ['a'] } });
  const results = await Promise.allSettled([tree.prepare(), tree.prepare(), tree.prepare()]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(steps).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2', 'begin 3', 'end 3']);
});

it('lets the rest of the daemon work after each 32 files', async () => {
  const names = Array.from({ length: 64 }, (_, at) => `${at + 100}.md`);
  const { root, folder } = aGivenTree(Object.fromEntries(names.map((name) => [name, 'x'])));
  let turns = 0;
  const seen: number[] = [];
  const lines = async () => {
    seen.push(turns);
    setImmediate(() => {
      turns = seen.length;
    });
    return ['x'];
  };
  await new OutsideTree({ root, folder, project: { paths: async () => names, lines } }).prepare();
  expect(seen).toEqual(names.map((_, at) => (at < 31 ? 0 : at < 63 ? 31 : 63)));
});

it('writes a copy over whatever a cut-off one left', async () => {
  const { folder, put, prepare, list } = aGivenTree({ 'a.md': 'a' });
  await prepare();
  putFiles(folder, { '.git/incoming/x': 'x' });
  put({ 'a.md': 'changed' });
  expect([await prepare(), list()]).toEqual([['a.md'], ['a.md']]);
  expect(readFileSync(join(folder, 'a.md'), 'utf8')).toBe('changed\n');
});
