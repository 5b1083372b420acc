import fs from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { compiledModules } from './compiled-modules.js';

it('finds only modules that exist, also when the folder does not exist', () => {
  const folder = temporaryFolder({ 'schemas/one.cjs': 'module.exports = () => 1;' });
  const find = compiledModules(join(folder, 'schemas'));
  expect((find('one') as () => number)()).toBe(1);
  expect(find('two')).toBeUndefined();
  expect(compiledModules(join(folder, 'none'))('one')).toBeUndefined();
});

it('finds nothing while the file cannot be read, and throws an error of the module itself', () => {
  const folder = temporaryFolder({
    'one.cjs': 'module.exports = () => 1;',
    'two.cjs': 'throw new TypeError("wrong");',
  });
  const find = compiledModules(folder);
  const reading = vi.spyOn(fs, 'readFileSync').mockImplementation(() => {
    throw Object.assign(new Error('EMFILE'), { code: 'EMFILE', syscall: 'open' });
  });
  const unread = find('one');
  reading.mockRestore();
  expect(unread).toBeUndefined();
  expect((find('one') as () => number)()).toBe(1);
  expect(() => find('two')).toThrow('wrong');
});
