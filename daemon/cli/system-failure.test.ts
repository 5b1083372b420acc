import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { systemFailure } from './system-failure.js';

function findFailure(run: () => unknown) {
  try {
    run();
  } catch (error) {
    return systemFailure(error);
  }
  return undefined;
}

describe('a failed system call', () => {
  const withFiles = () => {
    const root = temporaryFolder({ 'a file': 'x' });
    mkdirSync(join(root, 'folder'));
    return root;
  };

  it.each<[string, (root: string) => unknown, string, string]>([
    ['a missing file', (root) => readFileSync(join(root, 'none')), 'There is no file or folder', 'none'],
    ['a missing folder', (root) => mkdtempSync(join(root, 'none', 'x-')), 'no folder to create it in', 'none'],
    ['a folder for a file', (root) => readFileSync(join(root, 'folder')), 'The system refused it', 'read'],
    [
      'a file for a folder',
      (root) => writeFileSync(join(root, 'a file', 'x'), ''),
      'is a file, not a folder',
      'a file',
    ],
    ['a folder that exists', (root) => mkdirSync(join(root, 'folder')), 'already exists', 'folder'],
    ['a long name', (root) => writeFileSync(join(root, 'n'.repeat(300)), ''), 'too long', 'nnn'],
  ])('is one sentence that names the path: %s', (_what, run, said, named) => {
    const root = withFiles();
    const failure = findFailure(() => run(root));
    expect(failure).toMatchObject({ exit: 1, code: 'system' });
    expect(failure?.message).toContain(said);
    expect(failure?.message).toContain(named);
  });

  it.each([
    ['ENOSPC', 'disk is full'],
    ['EROFS', 'read-only'],
    ['EACCES', 'permissions'],
  ])('says for %s what would help', (code, said) => {
    const error = Object.assign(new Error(`${code}: x`), { code, syscall: 'copyfile', path: '/from', dest: '/to' });
    expect(systemFailure(error)?.message).toContain('/to');
    expect(systemFailure(error)?.message).toContain(said);
    expect(systemFailure(error)?.message).not.toContain(code);
  });

  it('says that the disk is full, whether or not the path is known', () => {
    const full = 'The disk is full: free some space, then run the command again.';
    for (const error of [{ code: 'ENOSPC', syscall: 'write' }, { code: 'SQLITE_FULL' }])
      expect(systemFailure(Object.assign(new Error('x'), error))).toMatchObject({ code: 'no_space', message: full });
  });

  it('is nothing else than a system call', () => {
    expect(systemFailure(new TypeError('x'))).toBeUndefined();
  });
});
