import { OWNED_AREAS, SENT_BEFORE } from '../../shared-log/shared-tables.js';
import type { Database } from '../../storage/database/database.js';
import type { Transaction } from '../../storage/database/transaction.js';

type Reader = Pick<Database, 'sql'>;

/** The stream that a store follows. */
interface FollowedStream {
  network: string;
  /** What distinguishes the network from others of its name. */
  identity: string;
  /** The sequence of the last message that is applied. */
  sequence: number;
  /** The snapshot that is being loaded, if any: until then the shared rows are incomplete. */
  loading: string | null;
  /** The last command in the newest snapshot that this daemon made, loaded or saw. */
  snapshotSequence: number;
}

export interface NetworkDaemon {
  id: string;
  key: string;
  name: string;
  joined_ms: number;
  left_ms: number | null;
}

/** Tables of the network itself that are equal on all daemons, in the order in which a snapshot loads them. */
export const NETWORK_TABLES = ['network_daemons', 'network_old_keys', 'network_commands', 'network_owners'] as const;

export function readState(store: Reader): FollowedStream | undefined {
  return store
    .sql(
      'SELECT network, stream_created AS identity, sequence, loading, snapshot_sequence AS snapshotSequence ' +
        'FROM network_state',
    )
    .get() as FollowedStream | undefined;
}

/** Begins to follow a stream. */
export function putState(
  store: Reader,
  { network, identity, sequence, loading }: Omit<FollowedStream, 'snapshotSequence'>,
): void {
  store
    .sql(
      'INSERT OR REPLACE INTO network_state (one, network, stream_created, sequence, loading) VALUES (1, ?, ?, ?, ?)',
    )
    .run(network, identity, sequence, loading);
}

/** Forgets the network: its daemons, owners and position. */
export function clearNetwork(store: Reader): void {
  for (const table of [...NETWORK_TABLES, 'network_state']) store.sql(`DELETE FROM ${table}`).run();
}

/** Before an area: who owned it in a network that was left. Without a network nobody owns anything. */
const LEFT = 'left ';

/** Forgets the network, but not whose everything is: one that is created from this store gives it back to them. */
export function leaveNetwork(store: Reader): void {
  store.sql('UPDATE OR REPLACE network_owners SET area = ? || area WHERE instr(area, ?) <> 1').run(LEFT, LEFT);
  for (const table of [...NETWORK_TABLES, 'network_state'])
    if (table !== 'network_owners') store.sql(`DELETE FROM ${table}`).run();
}

export const setSnapshotSequence = (store: Reader, sequence: number) =>
  store.sql('UPDATE network_state SET snapshot_sequence = ?').run(sequence);

export const advance = (transaction: Transaction, sequence: number) =>
  transaction.sql('UPDATE network_state SET sequence = ? WHERE sequence < ?').run(sequence, sequence);

/** Returns whether the id was new, and forgets ids that are older than `beforeMs`. */
export function takeCommandId(transaction: Transaction, id: string, timeMs: number, beforeMs: number): boolean {
  transaction.sql('DELETE FROM network_commands WHERE time_ms < ?').run(beforeMs);
  return (
    transaction.sql('INSERT OR IGNORE INTO network_commands (id, time_ms) VALUES (?, ?)').run(id, timeMs).changes === 1
  );
}

/** Whether a command of this id was applied or refused not long before the last one. */
export const hasCommandId = (store: Reader, id: string) =>
  store.sql('SELECT 1 FROM network_commands WHERE id = ?').get(id) !== undefined;

export const findDaemonByKey = (store: Reader, key: string) =>
  store.sql('SELECT * FROM network_daemons WHERE key = ?').get(key) as NetworkDaemon | undefined;

export const findDaemonById = (store: Reader, id: string) =>
  store.sql('SELECT * FROM network_daemons WHERE id = ?').get(id) as NetworkDaemon | undefined;

/** What a daemon is called: by its name, or by the beginning of its id. */
export const getDaemonName = ({ name, id }: Pick<NetworkDaemon, 'name' | 'id'>) => name || id.slice(0, 8);

export const isOldKey = (store: Reader, key: string) =>
  store.sql('SELECT 1 FROM network_old_keys WHERE key = ?').get(key) !== undefined;

export const listDaemons = (store: Reader) =>
  store.sql('SELECT * FROM network_daemons ORDER BY joined_ms, id').all() as NetworkDaemon[];

export function bindDaemon(transaction: Transaction, key: string, timeMs: number): NetworkDaemon {
  const daemon: NetworkDaemon = { id: key, key, name: '', joined_ms: timeMs, left_ms: null };
  transaction
    .sql('INSERT INTO network_daemons (id, key, name, joined_ms) VALUES (?, ?, ?, ?)')
    .run(daemon.id, daemon.key, daemon.name, daemon.joined_ms);
  return daemon;
}

export const setDaemonName = (transaction: Transaction, id: string, name: string) =>
  transaction.sql('UPDATE network_daemons SET name = ?, left_ms = NULL WHERE id = ?').run(name, id);

export const setDaemonLeft = (transaction: Transaction, id: string, timeMs: number) =>
  transaction.sql('UPDATE network_daemons SET left_ms = ? WHERE id = ?').run(timeMs, id);

export function rotateKey(transaction: Transaction, { id, key }: NetworkDaemon, next: string): void {
  transaction.sql('INSERT INTO network_old_keys (key, daemon) VALUES (?, ?)').run(key, id);
  transaction.sql('UPDATE network_daemons SET key = ? WHERE id = ?').run(next, id);
}

export const setOwner = (transaction: Transaction, area: string, entity: string, daemon: string) =>
  transaction
    .sql('INSERT OR REPLACE INTO network_owners (area, entity, daemon) VALUES (?, ?, ?)')
    .run(area, entity, daemon);

/**
 * Gives everything that the store holds to the daemon that creates a network from it, but for what was another's in the
 * network that it left: that daemon has its agents' keys, and owns them again once it joins.
 */
export function ownEverything(transaction: Transaction, daemon: string): void {
  transaction.sql(SENT_BEFORE).run(daemon, daemon);
  for (const [area, ids] of Object.entries(OWNED_AREAS))
    transaction
      .sql(
        `INSERT OR REPLACE INTO network_owners (area, entity, daemon) SELECT ?, id, coalesce((SELECT daemon
         FROM network_owners WHERE area = ? AND entity = id), ?) FROM (${ids})`,
      )
      .run(area, LEFT + area, daemon);
  transaction.sql('DELETE FROM network_owners WHERE instr(area, ?) = 1').run(LEFT);
}

export const removeOwner = (transaction: Transaction, area: string, entity: string) =>
  transaction.sql('DELETE FROM network_owners WHERE area = ? AND entity = ?').run(area, entity);
