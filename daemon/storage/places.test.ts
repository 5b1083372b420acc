import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { isFile, readInstalledFile, realFolder } from './places.js';

it('finds the real path of a folder, whatever link leads to it', () => {
  const root = temporaryFolder({ 'folder/a.txt': 'a' });
  symlinkSync(join(root, 'folder'), join(root, 'link'));
  expect([realFolder(join(root, 'link')), realFolder(join(root, 'folder/../folder'))]).toEqual([
    join(root, 'folder'),
    join(root, 'folder'),
  ]);
});

it.each(['a.txt', 'missing'])('refuses %s as the root of a project', (name) => {
  const path = join(temporaryFolder({ 'a.txt': 'a' }), name);
  expect(() => realFolder(path)).toThrow(
    expect.objectContaining({ code: 'bad_request', message: `--root ${path} is not a folder.` }),
  );
});

it('tells files from folders and from what is missing', () => {
  const root = temporaryFolder({ 'a.txt': 'a' });
  symlinkSync('a.txt', join(root, 'link'));
  expect(['a.txt', 'link', '.', 'missing'].map((name) => isFile(join(root, name)))).toEqual([true, true, false, false]);
});

it('reads a file of the installation as text', () => {
  expect(readInstalledFile(join(temporaryFolder({ 'a.txt': 'ä' }), 'a.txt'))).toBe('ä');
});
