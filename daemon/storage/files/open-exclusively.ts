import type SQLite from 'better-sqlite3';
import { systemCode } from '../../lib/errors.js';
import { openPrivateSqlite } from '../database/sqlite.js';

/** Another process holds the database: two daemons on one project. */
export class DatabaseBusyError extends Error {
  override readonly name = 'DatabaseBusyError';
}

const OPEN_TRIES = 10;
const OPEN_PAUSE_MS = 20;

/** Adds the path to an error, as file system errors have it. */
const named = (error: unknown, path: string) => Object.assign(error as Error, { path });

function openOrName(path: string): SQLite.Database {
  try {
    return openPrivateSqlite(path, { timeout: 0 });
  } catch (error) {
    throw named(error, path);
  }
}

/**
 * Opens the database with an exclusive lock. Two processes that open the file at the same instant can each hold a part
 * of the lock and block the other. Each then releases it and retries after a pause of random length, so that one of
 * them succeeds. Throws `DatabaseBusyError`, or SQLite's error for a damaged file.
 */
export function openExclusively(path: string): SQLite.Database {
  for (let attempt = 1; ; attempt += 1) {
    const sqlite = openOrName(path);
    try {
      sqlite.pragma('locking_mode = EXCLUSIVE');
      sqlite.pragma('journal_mode = WAL');
      sqlite.exec('BEGIN IMMEDIATE; COMMIT');
      // Reads the whole schema: a store without a readable schema is unusable.
      sqlite.prepare('SELECT count(*) FROM sqlite_schema').get();
      return sqlite;
    } catch (error) {
      sqlite.close();
      if (!systemCode(error)?.startsWith('SQLITE_BUSY')) throw named(error, path);
      if (attempt === OPEN_TRIES) throw new DatabaseBusyError('Another process holds the database.');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, OPEN_PAUSE_MS * (1 + Math.random()));
    }
  }
}

/** Reports whether SQLite considers the file damaged or not a database. */
export const isDamage = (error: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB)/.test(String(systemCode(error)));
