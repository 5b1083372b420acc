import { statSync } from 'node:fs';
import { MeshError } from '../lib/errors.js';
import { createPrivateSync } from '../private/private-file.js';
import { DatabaseBusyError, isDamage, openExclusively } from '../storage/files/open-exclusively.js';

/**
 * Copies the database at `path` to a new file (0600). Throws `in_flight` when a daemon holds it, and
 * `store_readonly` when it is damaged or the new file cannot be locked.
 */
export async function copyStore(path: string, to: string): Promise<void> {
  const damaged = (cause?: unknown) =>
    new MeshError('store_readonly', 'The database is damaged: restore a backup with `meshd restore`.', { cause });
  // Opening an empty file would create a new database in it.
  if (statSync(path).size === 0) throw damaged();
  let store: ReturnType<typeof openExclusively>;
  try {
    store = openExclusively(path);
  } catch (error) {
    if (error instanceof DatabaseBusyError) {
      throw new MeshError('in_flight', 'A process holds the database and does not answer: `meshd doctor` names it.');
    }
    if (!isDamage(error)) throw error;
    throw damaged(error);
  }
  try {
    createPrivateSync(to);
    const { totalPages } = await store.backup(to);
    // A copy whose file is locked, or that cannot be locked, ends so without an error.
    if (totalPages === 0)
      throw new MeshError('store_readonly', `The database could not be copied: ${to} cannot be locked.`);
  } finally {
    store.close();
  }
}
