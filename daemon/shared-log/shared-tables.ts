import { createHash } from 'node:crypto';
import type { Database } from '../storage/database/database.js';

/**
 * The tables that only commands change, each after those that its rows refer to. What SQLite derives from them
 * (indexes, places of posts) and the full text of the directory are not among them.
 */
export const SHARED_TABLES = [
  'clusters',
  'cluster_slugs',
  'boards',
  'posts',
  'board_events',
  'registry_agents',
  'registry_seen',
  'hub_agents',
  'hub_channels',
  'hub_channel_members',
  'hub_contacts',
  'hub_messages',
  'hub_inbox',
  'hub_polling_agents',
  'hub_receipts',
  'hub_watermarks',
  'shared_answers',
  'reputation_reports',
] as const;

/** What belongs to one daemon of a network, with the query for the ids of all of an area. */
export const OWNED_AREAS = {
  hub: 'SELECT agent_key AS id FROM hub_agents',
  registry: 'SELECT key AS id FROM registry_agents WHERE rid IS NOT NULL',
  catalog: 'SELECT key AS id FROM registry_agents WHERE catalog IS NOT NULL',
  cluster: 'SELECT id FROM clusters',
  post: 'SELECT id FROM posts',
} as const;

/**
 * Names the daemon that creates a network as the sender of what its store holds from before. Its id is given twice.
 */
export const SENT_BEFORE =
  "UPDATE reputation_reports SET daemon = ?, proof_key = ? || ' ' || proof_key WHERE daemon = ''";

/** Something that belongs to one daemon of a network: the agent, cluster or post `id` of an `area`. */
export interface Owned {
  area: keyof typeof OWNED_AREAS;
  id: string;
}

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
