import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { heldOpen } from '../../testing/held-open.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { DatabaseBusyError, isDamage, openExclusively } from './open-exclusively.js';

/** Takes the place of the pauses between attempts: the test need not wait. */
function watchPauses(during: (count: number) => void = () => undefined): number[] {
  const pauses: number[] = [];
  const wait = vi.spyOn(Atomics, 'wait').mockImplementation((...args: unknown[]) => {
    pauses.push(Number(args[3]));
    during(pauses.length);
    return 'timed-out';
  });
  onTestFinished(() => wait.mockRestore());
  return pauses;
}

const open = (path: string) => {
  const sqlite = openExclusively(path);
  onTestFinished(() => void sqlite.close());
  return sqlite;
};

const caught = (work: () => unknown): Error & { code?: string; path?: string } => {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error('Nothing was thrown.');
};

it('opens a database that no other process can open until it is closed', () => {
  const path = join(temporaryFolder(), 'mesh.db');
  const first = open(path);
  expect(first.pragma('journal_mode', { simple: true })).toBe('wal');
  first.exec('CREATE TABLE a (b)');
  const pauses = watchPauses();
  const error = caught(() => openExclusively(path));
  expect([error instanceof DatabaseBusyError, error.name, error.message]).toEqual([
    ...[true, 'DatabaseBusyError', 'Another process holds the database.'],
  ]);
  expect(pauses).toHaveLength(9);
  for (const pause of pauses) expect([pause >= 20, pause < 40]).toEqual([true, true]);
  first.close();
  expect(open(path).prepare('SELECT count(*) AS n FROM a').get()).toEqual({ n: 0 });
});

it('opens a database that another process lets go meanwhile', () => {
  const path = join(temporaryFolder(), 'mesh.db');
  const first = open(path);
  const pauses = watchPauses((count) => {
    if (count === 9) first.close();
  });
  open(path).exec('CREATE TABLE a (b)');
  expect(pauses).toHaveLength(9);
});

it('names the file that is no database, and holds it no longer', () => {
  const folder = temporaryFolder({ 'mesh.db': 'this is no database at all, but a long enough text'.repeat(20) });
  const path = join(folder, 'mesh.db');
  const error = caught(() => openExclusively(path));
  expect([isDamage(error), error.path]).toEqual([true, path]);
  expect(heldOpen(folder)).toEqual([]);
});

it('names the file that cannot be opened at all', () => {
  const path = join(temporaryFolder(), 'none/mesh.db');
  expect(caught(() => openExclusively(path)).path).toBe(path);
});

it.each(['mesh.db', 'mesh.db-wal'])('opens nothing when %s is not a file of its own', (name) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'other'), '');
  symlinkSync('other', join(folder, name));
  expect(caught(() => openExclusively(join(folder, 'mesh.db'))).code).toBe('forbidden');
  mkdirSync(join(folder, 'd'));
  expect(caught(() => openExclusively(join(folder, 'd'))).code).toBe('forbidden');
});

it.each([
  ['SQLITE_CORRUPT', true],
  ['SQLITE_CORRUPT_INDEX', true],
  ['SQLITE_NOTADB', true],
  ['SQLITE_BUSY', false],
  ['MY_SQLITE_CORRUPT', false],
  [undefined, false],
])('%s means a damaged file: %s', (code, is) => {
  expect(isDamage(Object.assign(new Error('x'), { code }))).toBe(is);
});

it('holds the database from the moment it is opened', () => {
  const path = join(temporaryFolder(), 'mesh.db');
  open(path);
  watchPauses();
  expect(() => openExclusively(path)).toThrow(DatabaseBusyError);
});
