import { createRequire } from 'node:module';
import type SQLite from 'better-sqlite3';

/** The version of Node-API that better-sqlite3 13 is built for. */
const NODE_API = 10;

let Sqlite: typeof SQLite | undefined;

/**
 * Opens a SQLite database with better-sqlite3. Version 13 needs Node-API 10, which came with Node.js 22.14, and ends
 * the process where it is missing; version 12 ends it on Node.js 24.19 and later. Throws what better-sqlite3 throws, and an
 * Error when the package for this version of Node.js is not installed.
 */
export function openSqlite(path?: string | Buffer, options?: SQLite.Options): SQLite.Database {
  Sqlite ??= createRequire(import.meta.url)(
    Number(process.versions['napi']) >= NODE_API ? 'better-sqlite3' : 'better-sqlite3-12',
  ) as typeof SQLite;
  return new Sqlite(path, options);
}
