import SQLite from 'better-sqlite3';
import { systemCode } from '../lib/errors.js';
import { checkPrivateDatabase } from '../private/private-file.js';

/** Another process holds the database: two daemons on one project. */
export class DatabaseBusy extends Error {
  override readonly name = 'DatabaseBusy';
}

const OPEN_TRIES = 10;
const OPEN_PAUSE_MS = 20;

/** An error that says which file it is about, as those of the file system do. */
const named = (error: unknown, path: string) => Object.assign(error as Error, { path });

function openOrName(path: string): SQLite.Database {
  checkPrivateDatabase(path);
  try {
    return new SQLite(path, { timeout: 0 });
  } catch (error) {
    throw named(error, path);
  }
}

/**
 * Two processes that open the file at the same instant can each hold a part of the lock and keep the other out; each then lets go and tries again
 * after a pause of its own length, so that one of them gets it. Throws DatabaseBusy, or what SQLite says of a damaged file.
 */
export function openExclusively(path: string): SQLite.Database {
  for (let attempt = 1; ; attempt += 1) {
    const sqlite = openOrName(path);
    try {
      sqlite.pragma('locking_mode = EXCLUSIVE');
      sqlite.pragma('journal_mode = WAL');
      sqlite.exec('BEGIN IMMEDIATE; COMMIT');
      // Reads the whole schema: who cannot do that can answer nothing.
      sqlite.prepare('SELECT count(*) FROM sqlite_schema').get();
      return sqlite;
    } catch (error) {
      sqlite.close();
      if (!systemCode(error)?.startsWith('SQLITE_BUSY')) throw named(error, path);
      if (attempt === OPEN_TRIES) throw new DatabaseBusy('Another process holds the database.');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, OPEN_PAUSE_MS * (1 + Math.random()));
    }
  }
}

/** Whether SQLite says that it cannot make sense of the file. */
export const isDamage = (error: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB)/.test(systemCode(error) ?? '');
