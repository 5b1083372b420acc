import { rmSync } from 'node:fs';
import type SQLite from 'better-sqlite3';
import { DATABASE_ENDINGS } from '../../private/private-names.js';
import { openPrivateSqlite } from './sqlite.js';

/** Must be raised when the stored data changes. An older file is then rebuilt. */
const SCHEMA_VERSION = 1;
const SCHEMA =
  'CREATE TABLE vectors (key TEXT PRIMARY KEY, dimensions INTEGER NOT NULL, vector BLOB NOT NULL) WITHOUT ROWID';

function open(path: string): SQLite.Database {
  const sqlite = openPrivateSqlite(path);
  sqlite.pragma('journal_mode = WAL');
  sqlite.pragma('synchronous = NORMAL');
  const version = sqlite.pragma('user_version', { simple: true }) as number;
  if (version === 0) sqlite.exec(`${SCHEMA}; PRAGMA user_version = ${SCHEMA_VERSION}`);
  else if (version !== SCHEMA_VERSION) {
    sqlite.close();
    throw new Error('The cache is of another version.');
  }
  return sqlite;
}

/**
 * A cache of vectors by key in an SQLite file that can be deleted, because its content can be computed again. A file
 * that is damaged or of another version is removed and recreated.
 */
export class VectorCacheFile {
  private readonly sqlite: SQLite.Database;

  constructor(path: string) {
    this.sqlite = openAnew(path);
  }

  find(key: string): Float32Array | undefined {
    const row = this.sqlite.prepare('SELECT dimensions, vector FROM vectors WHERE key = ?').get(key) as
      | { dimensions: number; vector: Buffer }
      | undefined;
    if (!row || row.vector.length !== row.dimensions * 4) return undefined;
    return new Float32Array(Uint8Array.from(row.vector).buffer);
  }

  put(vectors: readonly (readonly [key: string, vector: Float32Array])[]): void {
    const put = this.sqlite.prepare('INSERT OR REPLACE INTO vectors (key, dimensions, vector) VALUES (?, ?, ?)');
    this.sqlite.transaction(() => {
      for (const [key, vector] of vectors)
        put.run(key, vector.length, Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength));
    })();
  }

  close(): void {
    this.sqlite.close();
  }
}

function openAnew(path: string): SQLite.Database {
  try {
    return open(path);
  } catch {
    // Whatever the defect is, all content of the file can be computed again.
    for (const suffix of ['', ...DATABASE_ENDINGS]) rmSync(`${path}${suffix}`, { force: true });
    return open(path);
  }
}
