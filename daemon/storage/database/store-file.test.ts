import { mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { isCutShort, isEmptied } from './store-file.js';

const at = (files: Record<string, string>) => join(temporaryFolder(files), 'mesh.db');

describe('a store file that has lost its content', () => {
  it.each<[string, Record<string, string>]>([
    ['its log', { 'mesh.db': '', 'mesh.db-wal': 'x' }],
    ['a file of a daemon', { 'mesh.db': '', port: '' }],
    ['a file with a name like a temporary one', { 'mesh.db': '', 'x.0123456789abcdef.tmp': '' }],
    ['a file with a longer name than a temporary one', { 'mesh.db': '', '.0123456789abcdef.tmp2': '' }],
  ])('is empty beside %s', (_what, files) => {
    expect(isEmptied(at(files))).toBe(true);
  });

  it.each<[string, Record<string, string>]>([
    ['is missing', { port: '' }],
    ['has content', { 'mesh.db': 'x', port: '', 'mesh.db-wal': 'x' }],
    ['is alone', { 'mesh.db': '' }],
    [
      'is beside what a killed first start leaves',
      {
        ...{ 'mesh.db': '', 'mesh.db-wal': '', 'mesh.db-shm': 'x', 'mesh.db-journal': 'x', id: 'x', '.gitignore': '*' },
        '.0123456789abcdef.tmp': 'x',
      },
    ],
  ])('is not one that %s', (_what, files) => {
    expect(isEmptied(at(files))).toBe(false);
  });
});

describe('a store file that ends in the midst of a page', () => {
  /** A file of a length, whose head states the size of its pages. */
  function file(length: number, pageBytes: number): string {
    const path = at({});
    const bytes = Buffer.alloc(length);
    if (length >= 18) bytes.writeUInt16BE(pageBytes === 65_536 ? 1 : pageBytes, 16);
    writeFileSync(path, bytes);
    return path;
  }

  it.each([
    [8_192, 4_096, false],
    [8_191, 4_096, true],
    [131_072, 65_536, false],
    [131_071, 65_536, true],
    [98_304, 65_536, true],
    [8_192, 0, false],
    [100, 4_096, true],
    [99, 4_096, false],
  ])('is told by its length and the size of its pages: %i of %i', (length, pageBytes, isShort) => {
    expect(isCutShort(file(length, pageBytes))).toBe(isShort);
  });

  it.runIf(process.platform === 'linux')('is not held open once that is told', () => {
    const path = file(8_192, 4_096);
    isCutShort(path);
    const held = readdirSync('/proc/self/fd').map((number) => {
      try {
        return readlinkSync(`/proc/self/fd/${number}`);
      } catch {
        // The descriptor of the listing itself.
        return undefined;
      }
    });
    expect(held).not.toContain(path);
  });

  it('is not told while there is a log, or no file', () => {
    const path = file(8_191, 4_096);
    writeFileSync(`${path}-wal`, '');
    expect(isCutShort(path)).toBe(true);
    writeFileSync(`${path}-wal`, 'x');
    expect(isCutShort(path)).toBe(false);
    expect(isCutShort(at({}))).toBe(false);
    const folder = at({});
    mkdirSync(folder);
    expect(isCutShort(folder)).toBe(false);
  });
});
