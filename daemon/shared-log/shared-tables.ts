import { createHash } from 'node:crypto';
import type { Database } from '../storage/database/database.js';

/**
 * The tables that only commands change. What SQLite derives from them (indexes, full text, places of posts) is not
 * among them.
 */
const SHARED_TABLES = [
  'board_events',
  'boards',
  'clusters',
  'cluster_slugs',
  'hub_agents',
  'hub_channel_members',
  'hub_channels',
  'hub_contacts',
  'hub_inbox',
  'hub_messages',
  'hub_polling_agents',
  'hub_receipts',
  'hub_watermarks',
  'posts',
  'registry_agents',
  'registry_seen',
  'shared_answers',
] as const;

/**
 * The SHA-256 of every row of the shared tables and of the ids given in them, in hex. Equal on replicas that have
 * applied the same commands. Reads all of it.
 */
export function digestSharedTables(database: Pick<Database, 'sql'>): string {
  const hash = createHash('sha256');
  const add = (table: string, rows: Iterable<unknown>) => {
    hash.update(`${table}\n`);
    for (const row of rows) hash.update(`${JSON.stringify(row)}\n`);
  };
  for (const table of SHARED_TABLES) {
    add(table, database.sql(`SELECT rowid, * FROM ${table} ORDER BY rowid`).raw().iterate() as Iterable<unknown>);
  }
  const given = database
    .sql('SELECT name, seq FROM sqlite_sequence WHERE name IN (SELECT value FROM json_each(?)) ORDER BY name')
    .raw()
    .all(JSON.stringify(SHARED_TABLES));
  add('sqlite_sequence', given);
  return hash.digest('hex');
}
