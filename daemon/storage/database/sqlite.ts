import { createRequire } from 'node:module';
import type SQLite from 'better-sqlite3';
import { findSqlitePackage } from '../../lib/sqlite-package.js';
import { checkPrivateDatabase, createPrivateSync } from '../../private/private-file.js';

let Sqlite: typeof SQLite | undefined;

/**
 * Opens a SQLite database, in which `folded(text)` is the text as it is compared without regard to case. SQLite's own
 * `lower` knows the 26 letters of ASCII alone. Throws what better-sqlite3 throws, and an Error when the package for
 * this version of Node.js is not installed.
 */
export function openSqlite(path?: string | Buffer, options?: SQLite.Options): SQLite.Database {
  Sqlite ??= createRequire(import.meta.url)(findSqlitePackage()) as typeof SQLite;
  const database = new Sqlite(path, options);
  return database.function('folded', { deterministic: true }, (text: unknown) =>
    typeof text === 'string' ? text.normalize('NFC').toLowerCase() : text,
  );
}

/**
 * Like `openSqlite`, for a database that only this user may read: a new file is 0600 before SQLite opens it, which
 * gives the files beside it the same mode. Throws like `checkPrivateDatabase` too.
 */
export function openPrivateSqlite(path: string, options?: SQLite.Options): SQLite.Database {
  if (!checkPrivateDatabase(path)) createPrivateSync(path);
  return openSqlite(path, options);
}
