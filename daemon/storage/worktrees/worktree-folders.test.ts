import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { putFiles, temporaryFolder } from '../../testing/temporary-folder.js';
import { WorktreeFolders } from './worktree-folders.js';

it('a worktree is a folder named after its conversation: no file and no link is one', async () => {
  const [state, elsewhere] = [temporaryFolder(), temporaryFolder({ big: 'x'.repeat(10_000) })];
  const folders = new WorktreeFolders(state, '/home/someone/a project');
  expect(await folders.list()).toEqual([]);
  await folders.prepare();
  mkdirSync(folders.pathOf('conv-1'));
  mkdirSync(folders.guardFolder);
  writeFileSync(folders.pathOf('conv-2'), '');
  symlinkSync(elsewhere, folders.pathOf('conv-3'));
  expect(await folders.list()).toEqual(['conv-1']);
  expect(await Promise.all(['conv-1', 'conv-2', 'conv-3', 'conv-4'].map((conv) => folders.has(conv)))).toEqual([
    ...[true, false, false, false],
  ]);
  symlinkSync('nowhere', join(folders.path, 'lost'));
  const paths = ['conv-1', 'conv-2', 'conv-3', 'lost', 'conv-4'].map((name) => join(folders.path, name));
  expect(await Promise.all(paths.map((path) => folders.isThere(path)))).toEqual([true, true, true, true, false]);
  symlinkSync(elsewhere, join(folders.pathOf('conv-1'), 'link'));
  expect(await folders.diskBytes('conv-1')).toBeLessThan(10_000);
});

it('projects of one name have folders of their own', () => {
  const [one, other] = ['/a/lamp', '/b/lamp'].map((root) => new WorktreeFolders('/state', root).path);
  expect(one).toMatch(/^\/state\/worktrees\/lamp-[0-9a-f]{12}$/);
  expect(one).not.toBe(other);
});

it('names the folder of a project after at most 40 plain characters of its own name', () => {
  const nameOf = (root: string) => new WorktreeFolders('/state', root).path.replace(/-[0-9a-f]{12}$/, '');
  expect(nameOf('/home/a b  (c)/My lämp--2.x_y')).toBe('/state/worktrees/My-l-mp--2.x_y');
  expect(nameOf(`/home/${'x'.repeat(41)}`)).toBe(`/state/worktrees/${'x'.repeat(40)}`);
});

it('keeps its folders for the user alone, and makes none where a link is', async () => {
  const state = temporaryFolder();
  const folders = new WorktreeFolders(state, '/home/lamp');
  await folders.prepare();
  expect([join(state, 'worktrees'), folders.path].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700]);
  expect(folders.guardFolder).toBe(join(folders.path, 'agents'));
  const linked = temporaryFolder();
  symlinkSync(temporaryFolder(), join(linked, 'worktrees'));
  await expect(new WorktreeFolders(linked, '/home/lamp').prepare()).rejects.toMatchObject({ code: 'forbidden' });
});

it('removes a worktree’s folder with all in it, and says how much of the disk all its files take', async () => {
  const folders = new WorktreeFolders(temporaryFolder(), '/home/lamp');
  expect(await folders.diskBytes('conv-1')).toBe(0);
  await folders.prepare();
  putFiles(folders.pathOf('conv-1'), { 'a.txt': 'x'.repeat(10_000), 'deep/er/b.txt': 'x'.repeat(20_000) });
  const paths = ['a.txt', 'deep', 'deep/er', 'deep/er/b.txt'].map((path) => join(folders.pathOf('conv-1'), path));
  const blocks = paths.reduce((sum, path) => sum + statSync(path).blocks, 0);
  expect(await folders.diskBytes('conv-1')).toBe(blocks * 512);
  await folders.remove('conv-1');
  await folders.remove('conv-1');
  expect([await folders.list(), await folders.has('conv-1')]).toEqual([[], false]);
});

it('tells the worktree of this project from those of others, and from any other folder', () => {
  const [one, other] = ['/a/lamp', '/b/lamp'].map((root) => new WorktreeFolders('/state', root)) as [
    WorktreeFolders,
    WorktreeFolders,
  ];
  const tell = (conv: string, path: string) => [one.isOwn(conv, path), one.isOfUser(conv, path)];
  expect(tell('conv-1', one.pathOf('conv-1'))).toEqual([true, true]);
  expect(tell('conv-1', other.pathOf('conv-1'))).toEqual([false, true]);
  expect(tell('conv-1', one.pathOf('conv-2'))).toEqual([false, false]);
  expect(tell('conv-1', '/state/worktrees/conv-1')).toEqual([false, false]);
  for (const conv of ['agents', 'conv-1/../../x', '..']) expect(tell(conv, one.pathOf(conv))).toEqual([false, false]);
});

it('tells a worktree below a link as one of the user, and as its own only as the state folder is written', () => {
  const [state, link] = [temporaryFolder(), join(temporaryFolder(), 'link')];
  symlinkSync(state, link);
  const [real, linked] = [state, link].map((folder) => new WorktreeFolders(folder, '/a/lamp')) as [
    WorktreeFolders,
    WorktreeFolders,
  ];
  const path = linked.pathOf('conv-1');
  expect([real.isOwn('conv-1', path), linked.isOwn('conv-1', path)]).toEqual([false, true]);
  expect([real.isOfUser('conv-1', path), linked.isOfUser('conv-1', real.pathOf('conv-1'))]).toEqual([true, true]);
  const round = join(temporaryFolder(), 'round');
  symlinkSync(round, round);
  const lost = new WorktreeFolders(round, '/a/lamp');
  expect(lost.isOfUser('conv-1', path)).toBe(false);
  expect(lost.isOfUser('conv-1', lost.pathOf('conv-1'))).toBe(false);
});
