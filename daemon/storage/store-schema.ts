import { statSync } from 'node:fs';
import type SQLite from 'better-sqlite3';
import { MeshError, messageOf } from '../lib/errors.js';
import { MIGRATIONS } from './migrations/index.js';
import { isDamage, openExclusively } from './open-exclusively.js';

/** What SQLite finds damaged in the whole of a store, or undefined. */
export function quickCheck(store: SQLite.Database): string | undefined {
  try {
    const found = String(store.pragma('quick_check(1)', { simple: true }));
    return found === 'ok' ? undefined : found;
  } catch (error) {
    return messageOf(error);
  }
}

/** The schema of a store; throws `store_readonly` when it is one that this version does not know. */
export function refuseNewer(store: SQLite.Database): number {
  const schema = store.pragma('user_version', { simple: true }) as number;
  if (schema <= MIGRATIONS.length) return schema;
  throw new MeshError(
    'store_readonly',
    `The database was written by a newer meshd (schema ${schema}, this one knows ${MIGRATIONS.length}): install that version.`,
  );
}

/**
 * Looks through the whole file at `path`, which no daemon holds, and gives its schema; brings nothing up to date. Throws `store_readonly` when it is damaged or
 * newer than this version.
 */
export function inspectStore(path: string): number {
  const damaged = (how: string | undefined) =>
    new MeshError('store_readonly', `The database is damaged (${String(how).split('\n')[0]}): restore a backup with \`meshd restore\`.`);
  if (statSync(path).size === 0) throw damaged('the file is empty');
  let store: SQLite.Database;
  try {
    store = openExclusively(path);
  } catch (error) {
    throw isDamage(error) ? damaged(messageOf(error)) : error;
  }
  try {
    store.pragma('trusted_schema = OFF');
    const found = quickCheck(store);
    if (found !== undefined) throw damaged(found);
    return refuseNewer(store);
  } finally {
    store.close();
  }
}
