import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { provideFiles } from './provided-files.js';

function aProject(files: Record<string, string>, there: Record<string, string> = {}) {
  const [root, folder] = [temporaryFolder(files), temporaryFolder(there)];
  const provide = (copy: string[], link: string[] = []) => provideFiles(root, folder, { copy, link });
  return { root, folder, provide, read: (path: string) => readFileSync(join(folder, path), 'utf8') };
}

it('copies and links what the patterns name, and says what was made', async () => {
  const files = { '.env': 'KEY=1', 'node_modules/a/index.js': 'a', 'x/y/z.txt': 'z', 'x/y/other.txt': 'o' };
  const { root, folder, provide, read } = aProject(files);
  symlinkSync('a', join(root, 'node_modules/linked'));
  const made = await provide(['.env', 'x/y/z.txt'], ['node_modules', 'none', 'none/deeper']);
  expect(made).toEqual(['.env', 'x/y/z.txt', 'node_modules']);
  expect([read('.env'), read('x/y/z.txt'), lstatSync(join(folder, '.env')).isFile()]).toEqual(['KEY=1', 'z', true]);
  expect(readlinkSync(join(folder, 'node_modules'))).toBe(join(root, 'node_modules'));
  expect(readdirSync(join(folder, 'x/y'))).toEqual(['z.txt']);
});

it('copies folders with all in them, and links in them as they are', async () => {
  const { root, folder, provide, read } = aProject({ 'data/deep/a.txt': 'a', 'data/b.txt': 'b' });
  symlinkSync('b.txt', join(root, 'data/link'));
  expect(await provide(['data'])).toEqual(['data']);
  expect([read('data/deep/a.txt'), readlinkSync(join(folder, 'data/link'))]).toEqual(['a', 'b.txt']);
});

it('finds names by * and ? in each part, in order, but not what git and meshd keep for themselves', async () => {
  const files = {
    'b.env': '',
    'c.env': '',
    'a.env': '',
    'abc.txt': '',
    'p/.mesh/x.txt': '',
    'p/one/x.txt': '',
    'p/two/x.txt': '',
  };
  const { provide } = aProject({ ...files, '.git/x.txt': '', '.mesh/x.txt': '', 'p/.git/x.txt': '' });
  expect(await provide(['*.env'])).toEqual(['a.env', 'b.env', 'c.env']);
  expect(await provide(['?bc.txt', '?c.txt'])).toEqual(['abc.txt']);
  expect(await provide(['*/*.txt'])).toEqual([]);
  expect(await provide(['*/*/x.txt'])).toEqual(['p/.mesh/x.txt', 'p/one/x.txt', 'p/two/x.txt']);
});

it.each([['../x'], ['/etc/hosts'], ['**/x'], ['.git/config'], ['.mesh/state']])(
  'refuses the pattern %s, which names nothing within the project',
  async (pattern) => {
    const { provide } = aProject({ 'a.txt': 'a' });
    await expect(provide([pattern])).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining(JSON.stringify(pattern)),
    });
    await expect(provide([], [pattern])).rejects.toMatchObject({ code: 'bad_request' });
  },
);

it('reaches nothing outside of the project, and follows links within it', async () => {
  const { root, folder, provide, read } = aProject({ 'real/a.txt': 'a' });
  const outside = temporaryFolder({ 'secret.txt': 's' });
  symlinkSync(outside, join(root, 'out'));
  symlinkSync('real', join(root, 'in'));
  symlinkSync('.', join(root, 'self'));
  // A folder whose name only begins like the project's.
  mkdirSync(`${root}-more`);
  symlinkSync(`${root}-more`, join(root, 'beside'));
  expect(await provide(['out', 'out/secret.txt', 'out/*', 'self', 'beside', '*/a.txt'])).toEqual([
    'in/a.txt',
    'real/a.txt',
  ]);
  expect([read('in/a.txt'), existsSync(join(folder, 'out'))]).toEqual(['a', false]);
});

it('replaces nothing, and makes nothing behind a link or a file of the worktree', async () => {
  const files = { 'a.txt': 'project', 'd/a.txt': 'project', 'l/e/a.txt': 'project', 'f/a.txt': 'project' };
  const { folder, provide, read } = aProject(files, { 'a.txt': 'worktree', 'd/b.txt': 'worktree', f: 'worktree' });
  const outside = temporaryFolder();
  symlinkSync(outside, join(folder, 'l'));
  expect(await provide(Object.keys(files), ['a.txt'])).toEqual(['d/a.txt']);
  expect([read('a.txt'), read('d/a.txt'), read('f')]).toEqual(['worktree', 'project', 'worktree']);
  expect(readdirSync(outside)).toEqual([]);
});

it('keeps a link whose target is gone', async () => {
  const { folder, provide } = aProject({ 'a.txt': 'project' });
  symlinkSync('nowhere', join(folder, 'a.txt'));
  expect(await provide(['a.txt'])).toEqual([]);
  expect(readlinkSync(join(folder, 'a.txt'))).toBe('nowhere');
});

it('finds names in the order of their characters, also beyond the first 65,536', async () => {
  // The system orders by bytes, in which these are the other way round.
  const { provide } = aProject({ '\uff61.env': '', '\u{1f600}.env': '' });
  expect(await provide(['*.env'])).toEqual(['\u{1f600}.env', '\uff61.env']);
});
