import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.js';
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
  symlinkSync(elsewhere, join(folders.pathOf('conv-1'), 'link'));
  expect(await folders.diskBytes('conv-1')).toBeLessThan(10_000);
});

it('projects of one name have folders of their own', () => {
  const [one, other] = ['/a/lamp', '/b/lamp'].map((root) => new WorktreeFolders('/state', root).path);
  expect(one).toMatch(/^\/state\/worktrees\/lamp-[0-9a-f]{12}$/);
  expect(one).not.toBe(other);
});
