import { expect, it } from 'vitest';
import { diskRefusal, toStorageError } from './disk-errors.js';

const failed = (code: string, syscall = 'open') =>
  Object.assign(new Error(code), { code, syscall, path: '/project/.mesh/team/a.md' });

it.each([
  ['ENOSPC', 'no_space'],
  ['EDQUOT', 'no_space'],
  ['SQLITE_FULL', 'no_space'],
  ['EROFS', 'store_readonly'],
  ['EACCES', 'store_readonly'],
  ['EPERM', 'store_readonly'],
  ['EIO', 'store_readonly'],
  ['EMFILE', 'overloaded'],
  ['ENFILE', 'overloaded'],
])('maps %s to %s without naming the path', (code, is) => {
  expect(toStorageError(failed(code))).toMatchObject({ code: is, cause: { code } });
  expect(toStorageError(failed(code))).not.toMatchObject({ message: expect.stringContaining('/project') });
});

it('returns any other error unchanged', () => {
  for (const error of [failed('ENOENT'), new Error('no code'), undefined, null])
    expect(toStorageError(error)).toBe(error);
});

it('treats only a full disk and system calls on a file as disk errors', () => {
  expect(diskRefusal(failed('EIO'))).toMatchObject({ code: 'store_readonly' });
  expect(diskRefusal(failed('EACCES', 'spawn claude'))).toBeUndefined();
  const full = Object.assign(new Error('no path'), { code: 'ENOSPC', syscall: 'write' });
  expect(diskRefusal(full)).toMatchObject({ code: 'no_space' });
  expect(diskRefusal(failed('ENOENT'))).toBeUndefined();
  expect(diskRefusal(Object.assign(new Error('no path'), { code: 'EIO', syscall: 'read' }))).toBeUndefined();
  expect(diskRefusal(new Error('no code'))).toBeUndefined();
});
