import type { Database } from './database.js';

/** A larger file is not looked through while the daemon works: it takes as long as reading the file, and the start does it. */
const LOOKED_THROUGH_BYTES = 64 * 1024 * 1024;

/** What is damaged in a store that was sound when it was opened, or undefined. */
export function findDamage(database: Database): string | undefined {
  const number = (pragma: string) => Number(Object.values(database.sql(`PRAGMA ${pragma}`).get() as object)[0]);
  if (number('page_count') * number('page_size') > LOOKED_THROUGH_BYTES) return undefined;
  const found = database.quickCheck();
  return (
    found &&
    `the database is damaged (${found.split('\n')[0]}): stop the daemon and restore a backup with \`meshd restore\``
  );
}
