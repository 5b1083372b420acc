import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { compiledModules } from './compiled-modules.js';

it('finds what is there and nothing else, also where there is no folder', () => {
  const folder = temporaryFolder({ 'schemas/one.cjs': 'module.exports = () => 1;' });
  const find = compiledModules(join(folder, 'schemas'));
  expect((find('one') as () => number)()).toBe(1);
  expect(find('two')).toBeUndefined();
  expect(compiledModules(join(folder, 'none'))('one')).toBeUndefined();
});
