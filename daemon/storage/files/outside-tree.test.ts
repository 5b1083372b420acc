import { existsSync, lstatSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
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
