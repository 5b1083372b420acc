import type { Database } from './database.js';

/**
 * A larger store is not checked while the daemon works, because the check takes as long as reading
 * the file. The start checks it.
 */
const LOOKED_THROUGH_BYTES = 64 * 1024 * 1024;

/** Returns what was damaged in the store since it was opened, or undefined. */
export function findDamage(database: Database): string | undefined {
  const number = (pragma: string) => Number(Object.values(database.sql(`PRAGMA ${pragma}`).get() as object)[0]);
  if (number('page_count') * number('page_size') > LOOKED_THROUGH_BYTES) return undefined;
  const found = database.quickCheck();
  return (
    found &&
    `the database is damaged (${found.split('\n')[0]}): stop the daemon and restore a backup with \`meshd restore\``
  );
}
