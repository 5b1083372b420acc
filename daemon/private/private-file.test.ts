import { execFileSync } from 'node:child_process';
import fs, {
  chmodSync,
  chownSync,
  constants,
  linkSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.js';
import {
  checkPrivateDatabase,
  findEntry,
  openPrivate,
  openPrivateSync,
  readPrivate,
  readPrivateSync,
  writePrivateSync,
} from './private-file.js';
import { listPaths } from './private-names.js';

const STATE = '.mesh/state';
const isRoot = process.getuid?.() === 0;

/**
 * A project with `x` in its state and a foreign file outside. Returns the paths of the private
 * file and of the foreign one.
 */
function project(): { root: string; place: string; outside: string } {
  const root = temporaryFolder({ 'outside.txt': 'theirs\n', [`${STATE}/x`]: '' });
  return { root, place: join(root, STATE, 'secret'), outside: join(root, 'outside.txt') };
}

const PUTS: readonly [what: string, put: (place: string, outside: string) => void][] = [
  ['a symbolic link', (place, outside) => symlinkSync(outside, place)],
  ['a symbolic link', (place) => symlinkSync('/nowhere/at/all', place)],
  ['a hard link', (place, outside) => linkSync(outside, place)],
  ['a pipe', (place) => execFileSync('mkfifo', [place])],
  ['a folder', (place) => mkdirSync(place)],
];

afterEach(() => vi.restoreAllMocks());

describe('a private file', () => {
  it('is read, and only its owner has permissions afterwards', async () => {
    const { place } = project();
    writeFileSync(place, 'mine\n', { mode: 0o644 });
    chmodSync(place, 0o644);
    expect(readPrivateSync(place)).toBe('mine\n');
    expect(statSync(place).mode & 0o777).toBe(0o600);
    expect(await readPrivate(place)).toBe('mine\n');
  });

  it('loses the permissions of others also when it is opened beside the event loop', async () => {
    const { place } = project();
    writeFileSync(place, 'mine\n');
    chmodSync(place, 0o644);
    expect([await readPrivate(place), statSync(place).mode & 0o777]).toEqual(['mine\n', 0o600]);
  });

  it('leaves nothing beside it when it cannot take its place', () => {
    const { place } = project();
    const error = new Error('no');
    const spy = vi.spyOn(fs, 'renameSync').mockImplementation(() => {
      throw error;
    });
    syncBuiltinESMExports();
    onTestFinished(() => {
      spy.mockRestore();
      syncBuiltinESMExports();
    });
    expect(() => writePrivateSync(place, 'new')).toThrow(error);
    expect(fs.readdirSync(dirname(place))).toEqual(['x']);
  });

  it('stands for the files that SQLite keeps beside a database, and for the older ones of a log', () => {
    expect([listPaths('a', 'file'), listPaths('a', 'folder')]).toEqual([['a'], ['a']]);
    expect(listPaths('a', 'database')).toEqual(['a', 'a-wal', 'a-shm', 'a-journal']);
    expect(listPaths('a', 'log')).toEqual(['a', 'a.next', 'a.1', 'a.2', 'a.3']);
  });

  it('is undefined when it does not exist, and is created when the flags say so', async () => {
    const { place } = project();
    expect([readPrivateSync(place), await openPrivate(place)]).toEqual([undefined, undefined]);
    expect(openPrivateSync(place, constants.O_WRONLY | constants.O_CREAT)).toBeTypeOf('number');
    expect(statSync(place).mode & 0o777).toBe(0o600);
  });

  it('is synced with its new text before it takes the place of the old one', () => {
    const { place } = project();
    writePrivateSync(place, 'old');
    const synced: string[] = [];
    const sync = fs.fsyncSync;
    vi.spyOn(fs, 'fsyncSync').mockImplementation((file) => {
      sync(file);
      synced.push(`${fs.fstatSync(file).size} bytes, while it holds ${readFileSync(place, 'utf8')}`);
    });
    writePrivateSync(place, 'newer');
    expect(synced).toEqual(['5 bytes, while it holds old']);
    expect(readFileSync(place, 'utf8')).toBe('newer');
  });

  it.each(PUTS)('%s in its place is rejected and named, and its target is unchanged', async (what, put) => {
    const { place, outside } = project();
    put(place, outside);
    const before = statSync(outside);
    const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;
    for (const open of [
      () => openPrivateSync(place, flags),
      () => readPrivateSync(place),
      () => checkPrivateDatabase(place),
    ])
      expect(open).toThrow(expect.objectContaining({ code: 'forbidden', message: expect.stringContaining(what) }));
    await expect(readPrivate(place)).rejects.toMatchObject({ message: expect.stringContaining(place) });
    expect(readFileSync(outside, 'utf8')).toBe('theirs\n');
    expect(statSync(outside).mode).toBe(before.mode);
  });

  it.each(['-wal', '-shm', '-journal'])(
    'is rejected when a file that SQLite keeps beside it (%s) is a link',
    (ending) => {
      const { place, outside } = project();
      writeFileSync(place, '');
      symlinkSync(outside, place + ending);
      expect(() => checkPrivateDatabase(place)).toThrow(ending);
    },
  );

  it.each(['.mesh', STATE])('is rejected when the folder %s is a link', (folder) => {
    const { root } = project();
    const clone = temporaryFolder({ '.mesh/x': '' });
    const elsewhere = join(root, folder);
    if (folder === '.mesh') execFileSync('rm', ['-r', join(clone, '.mesh')]);
    symlinkSync(elsewhere, join(clone, folder));
    expect(() => readPrivateSync(join(clone, STATE, 'x'))).toThrow('must be a folder');
  });

  it.each(['.mesh', STATE])(
    'is rejected when the folder %s is a file, and findEntry returns undefined for it',
    (folder) => {
      const clone = temporaryFolder({ [folder]: 'a file' });
      const place = join(clone, STATE, 'x');
      expect(() => readPrivateSync(place)).toThrow(`${join(clone, folder)} must be a folder`);
      expect(findEntry(place)).toBeUndefined();
    },
  );

  it.runIf(isRoot)('is rejected when it or its folder belongs to another user', () => {
    const { root, place } = project();
    writeFileSync(place, 'mine\n');
    chownSync(place, 65_534, 65_534);
    expect(() => readPrivateSync(place)).toThrow('another user (uid 65534)');
    chownSync(place, 0, 0);
    chownSync(join(root, STATE), 65_534, 65_534);
    expect(() => readPrivateSync(place)).toThrow('belongs to another user');
  });
});
