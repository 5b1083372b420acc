import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { heldOpen } from '../../testing/held-open.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { readLogTail } from './log-tail.js';

it.each([
  ['all of both files', 100, ['one', 'two', 'three', 'four']],
  ['both files exactly', 20, ['one', 'two', 'three', 'four']],
  ['whole lines of the older file', 19, ['two', 'three', 'four']],
  ['the file alone', 11, ['three', 'four']],
  ['whole lines of the file', 10, ['four']],
  ['no part of a line', 4, []],
])('returns %s', async (_, bytes, lines) => {
  const folder = temporaryFolder({ 'daemon.log': 'three\nfour\n', 'daemon.log.1': 'one\ntwo\n\n' });
  expect(await readLogTail(join(folder, 'daemon.log'), bytes)).toEqual(lines);
});

it('counts bytes, and does not read another file when the first one fills them', async () => {
  const folder = temporaryFolder({ 'daemon.log': 'é\n', 'daemon.log.1': 'a\n' });
  const path = join(folder, 'daemon.log');
  expect([await readLogTail(path, 3), await readLogTail(path, 5)]).toEqual([['é'], ['a', 'é']]);
});

it('is empty without a log, and has what is there of the older one', async () => {
  expect(await readLogTail(join(temporaryFolder(), 'daemon.log'), 10)).toEqual([]);
  const folder = temporaryFolder({ 'daemon.log.1': 'one\n' });
  expect(await readLogTail(join(folder, 'daemon.log'), 10)).toEqual(['one']);
});

it('opens the older file only when there is room for more, and closes both', async () => {
  const folder = temporaryFolder({ 'daemon.log': 'a\nb\n' });
  const path = join(folder, 'daemon.log');
  symlinkSync('daemon.log', `${path}.1`);
  expect(await readLogTail(path, 4)).toEqual(['a', 'b']);
  await expect(readLogTail(path, 5)).rejects.toMatchObject({ code: 'forbidden' });
  expect(heldOpen(folder)).toEqual([]);
});
