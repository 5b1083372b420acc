import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type SQLite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fillEveryTable, rowsOfEveryTable } from '../../testing/rows-everywhere.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { Database } from './database.js';
import { MIGRATIONS } from './migrations/index.js';
import { openSqlite } from './sqlite.js';

const NEWEST = MIGRATIONS.length;
const SCHEMAS = Array.from({ length: NEWEST + 1 }, (_, schema) => schema);

function open(path: string): SQLite.Database {
  const database = openSqlite(path);
  onTestFinished(() => void database.close());
  return database;
}

/** Creates a store as the version with `schema` migrations left it, with rows in all of its tables. */
function getStore(schema: number): string {
  const path = join(temporaryFolder(), 'mesh.db');
  const database = openSqlite(path);
  database.pragma('journal_mode = WAL');
  database.pragma('foreign_keys = ON');
  for (const migration of MIGRATIONS.slice(0, schema)) database.exec(migration);
  database.pragma(`user_version = ${schema}`);
  fillEveryTable(database);
  database.close();
  return path;
}

const getSchema = (database: SQLite.Database) =>
  database.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all();
const getVersion = (database: SQLite.Database) => database.pragma('user_version', { simple: true });

describe.each(SCHEMAS)('a store of schema %i', (schema) => {
  it('is migrated to the newest schema with all its rows, and then equals a new store', () => {
    const path = getStore(schema);
    copyFileSync(path, `${path}.before`);
    const store = new Database(path);
    expect([store.state, store.problem]).toEqual(['ok', undefined]);
    store.close();
    const fresh = join(temporaryFolder(), 'mesh.db');
    new Database(fresh).close();

    const [before, after] = [open(`${path}.before`), open(path)];
    expect(getVersion(after)).toBe(NEWEST);
    expect(getSchema(after)).toEqual(getSchema(open(fresh)));
    const rows = rowsOfEveryTable(before);
    expect(Object.values(rows).every((found) => found.length > 0)).toBe(true);
    expect(rowsOfEveryTable(after, before)).toEqual(rows);
    expect([after.pragma('integrity_check', { simple: true }), after.pragma('foreign_key_check')]).toEqual(['ok', []]);
  });

  // The newest schema has no migration that can fail.
  const itMigrating = schema < NEWEST ? it : () => undefined;
  itMigrating('is unchanged when one of the migrations fails', () => {
    const path = getStore(schema);
    const before = open(path);
    // The last thing to be added already exists, so that what was added before it must be rolled back.
    const coming = MIGRATIONS.slice(schema).join('\n');
    const last = (pattern: RegExp) => [...coming.matchAll(pattern)].at(-1)?.[0];
    const [table, column] = [last(/CREATE TABLE \w+/g), last(/ALTER TABLE \w+ ADD COLUMN \w+/g)];
    if (table !== undefined) before.exec(`${table} (mine TEXT)`);
    else if (column !== undefined) before.exec(`${column} TEXT`);
    else before.exec(`${last(/CREATE INDEX \w+/g)} ON turns (conv)`);
    const [schemaBefore, rows] = [getSchema(before), rowsOfEveryTable(before)];
    before.close();
    expect(() => new Database(path)).toThrow(/already exists|duplicate column/);
    const after = open(path);
    expect([getVersion(after), getSchema(after), rowsOfEveryTable(after)]).toEqual([schema, schemaBefore, rows]);
  });
});

it('counts every message of an older store as read when it is migrated', () => {
  const path = getStore(13);
  new Database(path).close();
  expect(open(path).prepare('SELECT conv, read_seq FROM conversations ORDER BY seq').raw().all()).toEqual([
    ['word1', 1],
    ['word2', 2],
  ]);
});

it('has no outcome of a search for the answers of an older store', () => {
  const path = getStore(16);
  new Database(path).close();
  const store = open(path);
  for (const table of ['asks', 'messages'])
    expect(store.prepare(`SELECT DISTINCT search FROM ${table}`).pluck().all()).toEqual([null]);
});

it('refuses a store that a newer version wrote, names both schemas, and neither changes nor locks it', () => {
  const path = getStore(NEWEST);
  const newer = open(path);
  newer.pragma(`user_version = ${NEWEST + 3}`);
  newer.close();
  const bytes = readFileSync(path);
  for (let attempt = 0; attempt < 2; attempt += 1) {
    expect(() => new Database(path)).toThrow(`schema ${NEWEST + 3}, this one knows ${NEWEST}`);
  }
  expect(readFileSync(path).equals(bytes)).toBe(true);
});
