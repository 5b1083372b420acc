import { linkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { putFiles, temporaryFolder } from '../../daemon/testing/temporary-folder.js';
import { digestOf, listFiles, readStamp, writeStamp } from './stamp.mjs';

const files = { 'src/b.ts': 'b', 'src/a/c.ts': 'c', 'one.json': '{}' };

it('lists files in a stable order, a file as itself, and nothing for a missing path', () => {
  const folder = temporaryFolder(files);
  expect(listFiles(folder, 'src')).toEqual(['src/a/c.ts', 'src/b.ts']);
  expect(listFiles(folder, 'one.json')).toEqual(['one.json']);
  expect(listFiles(folder, 'gone')).toEqual([]);
});

it('the digest depends only on the contents and names of the counted files', () => {
  const folder = temporaryFolder(files);
  const digest = () => digestOf(folder, ['src', 'one.json'], (file: string) => !file.endsWith('.test.ts'));
  const before = digest();
  putFiles(folder, { 'src/b.test.ts': 'new', 'other/d.ts': 'd' });
  expect(digest()).toBe(before);
  writeFileSync(join(folder, 'src/b.ts'), 'B');
  const changed = digest();
  expect(changed).not.toBe(before);
  rmSync(join(folder, 'src/b.ts'));
  putFiles(folder, { 'src/bb.ts': 'B' });
  expect([before, changed]).not.toContain(digest());
});

it('reads back a written stamp, and returns undefined for a corrupt one', () => {
  const folder = temporaryFolder({ 'torn.json': '{"a"' });
  writeStamp(join(folder, 'deep/stamp.json'), { a: 1 });
  expect(readStamp(join(folder, 'deep/stamp.json'))).toEqual({ a: 1 });
  expect(readStamp(join(folder, 'torn.json'))).toBeUndefined();
});

it('a stamp that another project shares by a hard link is replaced, not written into', () => {
  const folder = temporaryFolder();
  const [ours, theirs] = [join(folder, 'ours.json'), join(folder, 'theirs.json')];
  writeStamp(theirs, { a: 1 });
  linkSync(theirs, ours);
  writeStamp(ours, { a: 2 });
  expect([readStamp(ours), readStamp(theirs)]).toEqual([{ a: 2 }, { a: 1 }]);
});
