import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Database } from '../storage/database/database.js';

let template: Buffer | undefined;

/**
 * Returns the file of a database with every table and no row. Migrating a new database takes longer than most tests.
 */
function readTemplate(): Buffer {
  if (template) return template;
  const folder = mkdtempSync(join(tmpdir(), 'meshd-template-'));
  const path = join(folder, 'mesh.db');
  new Database(path).close();
  template = readFileSync(path);
  rmSync(folder, { recursive: true });
  return template;
}

/** Puts an empty, migrated database at `path` for `Database` to open. An existing file is left unchanged. */
export function putTemplateDatabase(path: string): string {
  if (existsSync(path)) return path;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, readTemplate(), { mode: 0o600 });
  return path;
}
