import { statSync } from 'node:fs';
import type SQLite from 'better-sqlite3';
import { getErrorMessage, MeshError } from '../../lib/errors.js';
import { checkPrivateDatabase } from '../../private/private-file.js';
import { isDamage, openExclusively } from '../files/open-exclusively.js';
import { MIGRATIONS } from './migrations/index.js';
import { openSqlite } from './sqlite.js';
import { isCutShort } from './store-file.js';

/** The message for a file whose last page is incomplete. */
export const CUT_SHORT = 'the file ends in the midst of a page';

/** Returns the damage that SQLite finds anywhere in a store, or undefined. */
export function quickCheck(store: SQLite.Database): string | undefined {
  try {
    const found = String(store.pragma('quick_check(1)', { simple: true }));
    return found === 'ok' ? undefined : found;
  } catch (error) {
    return getErrorMessage(error);
  }
}

/** Returns the schema number of a store. Throws `store_readonly` when it is newer than this version. */
export function refuseNewer(store: SQLite.Database): number {
  const schema = store.pragma('user_version', { simple: true }) as number;
  if (schema <= MIGRATIONS.length) return schema;
  throw new MeshError(
    'store_readonly',
    `The database was written by a newer meshd (schema ${schema}, this one knows ${MIGRATIONS.length}): ` +
      'install that version.',
  );
}

const getSchema = (store: SQLite.Database) =>
  JSON.stringify(store.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all());

/** Reports whether a store has exactly the tables of the schema with that number. */
function hasSchema(store: SQLite.Database, number: number): boolean {
  const made = openSqlite(':memory:');
  try {
    for (const migration of MIGRATIONS.slice(0, number)) made.exec(migration);
    return getSchema(store) === getSchema(made);
  } finally {
    made.close();
  }
}

/** Reports whether a store has the tables of the newest schema, whatever number it declares. */
export const hasNewestSchema = (store: SQLite.Database): boolean => hasSchema(store, MIGRATIONS.length);

/**
 * Returns why a store of unknown origin cannot be adopted, or undefined. A trigger or a view in it would act
 * on the rows that are written.
 */
export function findForeignSchema(store: SQLite.Database): string | undefined {
  const number = store.pragma('user_version', { simple: true }) as number;
  if (number > MIGRATIONS.length) return `it was written by a newer meshd (schema ${number})`;
  return hasSchema(store, number) ? undefined : `its tables are not those that meshd makes (schema ${number})`;
}

/**
 * Checks the whole file at `path`, which no daemon may hold open, and returns its schema number. Does not migrate it.
 * Throws `store_readonly` when it is damaged or newer than this version.
 */
export function inspectStore(path: string): number {
  const damaged = (how: string | undefined) =>
    new MeshError(
      'store_readonly',
      `The database is damaged (${String(how).split('\n')[0]}): restore a backup with \`meshd restore\`.`,
    );
  checkPrivateDatabase(path);
  if (statSync(path).size === 0) throw damaged('the file is empty');
  if (isCutShort(path)) throw damaged(CUT_SHORT);
  let store: SQLite.Database;
  try {
    store = openExclusively(path);
  } catch (error) {
    throw isDamage(error) ? damaged(getErrorMessage(error)) : error;
  }
  try {
    store.pragma('trusted_schema = OFF');
    const found = quickCheck(store);
    if (found !== undefined) throw damaged(found);
    return refuseNewer(store);
  } finally {
    store.close();
  }
}
