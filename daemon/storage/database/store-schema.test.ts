import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { DatabaseBusyError } from '../files/open-exclusively.js';
import { Database } from './database.js';
import { MIGRATIONS } from './migrations/index.js';
import { openSqlite } from './sqlite.js';
import { findForeignSchema, hasNewestSchema, inspectStore, quickCheck, refuseNewer } from './store-schema.js';

const NEWEST = MIGRATIONS.length;

/** A store in memory with the tables of a schema that declares the given number. */
function memoryStore(migrations: number, declared = migrations) {
  const store = openSqlite(':memory:');
  onTestFinished(() => void store.close());
  for (const migration of MIGRATIONS.slice(0, migrations)) store.exec(migration);
  store.pragma(`user_version = ${declared}`);
  return store;
}

const damagedRows = (bytes: Buffer) => bytes.fill(0xff, bytes.length - 20_000, bytes.length - 4_096);

function storeFile(): string {
  const path = join(temporaryFolder(), 'mesh.db');
  new Database(path).close();
  return path;
}

describe('the schema number of a store', () => {
  it.each([0, 3, NEWEST])('is accepted up to the newest: %i', (number) => {
    expect(refuseNewer(memoryStore(0, number))).toBe(number);
  });

  it('is refused above, with both numbers', () => {
    expect(() => refuseNewer(memoryStore(0, NEWEST + 1))).toThrow(
      expect.objectContaining({
        code: 'store_readonly',
        message:
          `The database was written by a newer meshd (schema ${NEWEST + 1}, this one knows ${NEWEST}): ` +
          'install that version.',
      }),
    );
  });

  it('does not matter to whether its tables are the newest', () => {
    expect([
      hasNewestSchema(memoryStore(NEWEST, 3)),
      hasNewestSchema(memoryStore(NEWEST - 1)),
      hasNewestSchema(memoryStore(0)),
    ]).toEqual([true, false, false]);
  });
});

describe('a store of unknown origin', () => {
  it.each([0, 1, NEWEST])('is adopted with exactly the tables of its schema: %i', (number) => {
    expect(findForeignSchema(memoryStore(number))).toBeUndefined();
  });

  it('is not adopted when it is newer', () => {
    expect(findForeignSchema(memoryStore(NEWEST, NEWEST + 1))).toBe(
      `it was written by a newer meshd (schema ${NEWEST + 1})`,
    );
  });

  it.each([
    'CREATE TRIGGER mine AFTER INSERT ON turns BEGIN DELETE FROM turns; END',
    'CREATE VIEW mine AS SELECT * FROM turns',
    'CREATE TABLE mine (a)',
    'DROP TABLE used_nonces',
  ])('is not adopted with other tables: %s', (change) => {
    const store = memoryStore(NEWEST);
    store.exec(change);
    expect(findForeignSchema(store)).toBe(`its tables are not those that meshd makes (schema ${NEWEST})`);
  });
});

describe('the check of a whole store', () => {
  it('finds nothing in one that is whole, and says why one cannot be read', () => {
    const store = openSqlite(':memory:');
    expect(quickCheck(store)).toBeUndefined();
    store.close();
    expect(quickCheck(store)).toBe('The database connection is not open');
  });

  it('returns the schema number of the file, and leaves it as it was', () => {
    const path = storeFile();
    const older = openSqlite(path);
    older.pragma('user_version = 3');
    older.close();
    const bytes = readFileSync(path);
    expect([inspectStore(path), inspectStore(path)]).toEqual([3, 3]);
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  it('finds damage in rows that opening the file does not read', async () => {
    const path = join(temporaryFolder(), 'mesh.db');
    const database = new Database(path);
    const nonce = database.sql("INSERT INTO used_nonces VALUES ('k', ?, 1)");
    await database.write(() => Array.from({ length: 500 }, (_, number) => nonce.run(`${number}`.repeat(40))));
    database.close();
    writeFileSync(path, damagedRows(readFileSync(path)));
    expect(() => inspectStore(path)).toThrow(/^The database is damaged \(.+\): restore a backup/);
  });

  it.each<[string, RegExp, (bytes: Buffer) => Buffer]>([
    ['is empty', /^the file is empty$/, () => Buffer.alloc(0)],
    ['ends in a page', /^the file ends in the midst of a page$/, (bytes) => bytes.subarray(0, bytes.length - 100)],
    ['is no database', /^file is not a database$/, (bytes) => Buffer.concat([Buffer.from('no'), bytes.subarray(2)])],
    ['has damaged rows', /^.*(Tree|page|malformed).*$/i, damagedRows],
  ])('says in one line that the file %s, and leaves it', (_how, said, damage) => {
    const path = storeFile();
    const damaged = damage(readFileSync(path));
    writeFileSync(path, damaged);
    let error: unknown;
    try {
      inspectStore(path);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ code: 'store_readonly' });
    const [, how] = /^The database is damaged \((.*)\): restore a backup with `meshd restore`\.$/.exec(
      (error as Error).message,
    ) as RegExpExecArray;
    expect(how).toMatch(said);
    expect(readFileSync(path).equals(damaged)).toBe(true);
    // The file is not held any more.
    copyFileSync(storeFile(), path);
    expect(inspectStore(path)).toBe(NEWEST);
  });

  it('refuses one that is newer, that a daemon holds, or whose name is no file of its own', () => {
    const path = storeFile();
    const newer = openSqlite(path);
    newer.pragma(`user_version = ${NEWEST + 1}`);
    newer.close();
    expect(() => inspectStore(path)).toThrow('written by a newer meshd');
    const held = join(temporaryFolder(), 'mesh.db');
    const database = new Database(held);
    onTestFinished(() => database.close());
    expect(() => inspectStore(held)).toThrow(DatabaseBusyError);
    expect(() => inspectStore(temporaryFolder())).toThrow(expect.objectContaining({ code: 'forbidden' }));
  });
});
