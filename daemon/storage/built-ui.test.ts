import { renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { BuiltUi } from './built-ui.js';

it('reads the page, which may not be built yet', async () => {
  expect(await new BuiltUi(temporaryFolder({ 'index.html': '<p>ü' })).readPage()).toBe('<p>ü');
  expect(await new BuiltUi(temporaryFolder()).readPage()).toBeUndefined();
  await expect(new BuiltUi(temporaryFolder({ 'index.html/a': '' })).readPage()).rejects.toMatchObject({
    code: 'EISDIR',
  });
});

it('knows that another build has taken its place, by a file of the same time too', () => {
  const folder = temporaryFolder({ 'index.html': '<p>one' });
  const path = join(folder, 'index.html');
  utimesSync(path, 1, 1);
  const ui = new BuiltUi(folder);
  expect(ui.isReplaced()).toBe(false);
  writeFileSync(`${path}.new`, '<p>two');
  utimesSync(`${path}.new`, 1, 1);
  renameSync(`${path}.new`, path);
  expect(ui.isReplaced()).toBe(true);
  rmSync(path);
  expect(ui.isReplaced()).toBe(true);
});

it('keeps the asset as it was on the first call', async () => {
  const folder = temporaryFolder({ 'assets/a.js': 'first' });
  const ui = new BuiltUi(folder);
  const copy = () => ui.findCopy('assets/a.js')?.toString();
  expect(copy()).toBeUndefined();
  await ui.keepCopy(join(folder, 'assets/a.js'));
  writeFileSync(join(folder, 'assets/a.js'), 'second');
  await ui.keepCopy(join(folder, 'assets/a.js'));
  expect([copy(), ui.findCopy('assets/b.js')]).toEqual(['first', undefined]);
});
