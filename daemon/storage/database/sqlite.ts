import { createRequire } from 'node:module';
import type SQLite from 'better-sqlite3';
import { findSqlitePackage } from '../../lib/sqlite-package.js';

let Sqlite: typeof SQLite | undefined;

/**
 * Opens a SQLite database. Throws what better-sqlite3 throws, and an Error when the package for this version of Node.js
 * is not installed.
 */
export function openSqlite(path?: string | Buffer, options?: SQLite.Options): SQLite.Database {
  Sqlite ??= createRequire(import.meta.url)(findSqlitePackage()) as typeof SQLite;
  return new Sqlite(path, options);
}
