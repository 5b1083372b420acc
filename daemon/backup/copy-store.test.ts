import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Database } from '../storage/database/database.js';
import { openSqlite } from '../storage/database/sqlite.js';
import { inspectStore } from '../storage/database/store-schema.js';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { copyStore } from './copy-store.js';

it('copies a store whole, and says so when the copy is without a page because its file cannot be locked', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'mesh.db');
  new Database(path).close();
  await copyStore(path, join(folder, 'copy.db'));
  expect(inspectStore(join(folder, 'copy.db'))).toBe(inspectStore(path));

  // As where the file system has no locks.
  const to = join(folder, 'locked.db');
  const holder = openSqlite(to);
  onTestFinished(() => void holder.close());
  holder.exec('BEGIN EXCLUSIVE');
  await expect(copyStore(path, to)).rejects.toMatchObject({
    code: 'store_readonly',
    message: `The database could not be copied: ${to} cannot be locked.`,
  });
  expect(inspectStore(path)).toBeGreaterThan(0);
});
