import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach } from 'vitest';
import { Database } from '../storage/database/database.js';
import { putTemplateDatabase } from './template-database.js';

/** Opens one store for all tests of a file, at its top: to open one takes longer than most tests. */
export function databaseOfFile(): Database {
  const folder = mkdtempSync(join(tmpdir(), 'meshd-test-'));
  const database = new Database(putTemplateDatabase(join(folder, 'mesh.db')));
  afterAll(() => {
    database.close();
    rmSync(folder, { recursive: true });
  });
  return database;
}

/** Like `databaseOfFile`, with what each test writes in a transaction that is never committed. */
export function rolledBackDatabase(): Database {
  const database = databaseOfFile();
  beforeEach(() => void database.sql('BEGIN').run());
  afterEach(() => void database.sql('ROLLBACK').run());
  return database;
}
