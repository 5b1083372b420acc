import { chmodSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { heldOpen } from '../../testing/held-open.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { readOwnFile } from './own-file.js';

const uid = process.getuid?.() ?? 0;

function aFile(text = 'text', mode = 0o600): string {
  const path = join(temporaryFolder({ file: text }), 'file');
  chmodSync(path, mode);
  return path;
}

it('reads a file that only this user can access', async () => {
  expect(await readOwnFile(aFile(), uid)).toBe('text');
  expect(await readOwnFile(aFile('', 0o700), uid)).toBe('');
});

it.each([0o640, 0o604, 0o660, 0o601, 0o610])('does not read a file of mode %o', async (mode) => {
  expect(await readOwnFile(aFile('text', mode), uid)).toBeUndefined();
});

it('does not read a file of another user', async () => {
  expect(await readOwnFile(aFile(), uid + 1)).toBeUndefined();
});

it('asks for neither where the system has no users', async () => {
  expect(await readOwnFile(aFile('text', 0o644), undefined)).toBe('text');
});

it('reads at most 64 KiB', async () => {
  expect(await readOwnFile(aFile('x'.repeat(65_536)), uid)).toHaveLength(65_536);
  expect(await readOwnFile(aFile('x'.repeat(65_537)), uid)).toBeUndefined();
});

it.each([
  ['a link', (path: string, other: string) => symlinkSync(other, path)],
  ['a file with two names', (path: string, other: string) => linkSync(other, path)],
  ['a folder', (path: string) => mkdirSync(path, { mode: 0o700 })],
  ['nothing', () => undefined],
])('does not read %s', async (_, put) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'other'), 'text', { mode: 0o600 });
  put(join(folder, 'file'), join(folder, 'other'));
  expect(await readOwnFile(join(folder, 'file'), uid)).toBeUndefined();
  expect(heldOpen(folder)).toEqual([]);
});
