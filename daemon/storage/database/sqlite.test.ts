import { readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { Database } from './database.js';
import { openPrivateSqlite } from './sqlite.js';
import { VectorCacheFile } from './vector-cache.js';

const modesIn = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777]));

it('lets nobody else read a database, what SQLite keeps beside it, and a copy of it', async () => {
  const folder = temporaryFolder();
  const database = new Database(join(folder, 'mesh.db'));
  onTestFinished(() => database.close());
  const cache = new VectorCacheFile(join(folder, 'vectors.db'));
  onTestFinished(() => cache.close());
  await database.copyTo(join(folder, 'copy.db'));
  expect(modesIn(folder)).toEqual({
    ...{ 'copy.db': 0o600, 'mesh.db': 0o600, 'mesh.db-wal': 0o600 },
    ...{ 'vectors.db': 0o600, 'vectors.db-shm': 0o600, 'vectors.db-wal': 0o600 },
  });
});

it('opens no database through a link, and makes no file at its end', () => {
  const folder = temporaryFolder({ target: 'theirs' });
  symlinkSync(join(folder, 'target'), join(folder, 'mesh.db'));
  expect(() => openPrivateSqlite(join(folder, 'mesh.db'))).toThrow('mesh.db is a symbolic link');
  symlinkSync(join(folder, 'nothing'), join(folder, 'none.db'));
  expect(() => openPrivateSqlite(join(folder, 'none.db'))).toThrow('none.db is a symbolic link');
  expect([readdirSync(folder).sort(), readFileSync(join(folder, 'target'), 'utf8')]).toEqual([
    ['mesh.db', 'none.db', 'target'],
    'theirs',
  ]);
});
