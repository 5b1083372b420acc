import { pipeline, Readable } from 'node:stream';
import { setImmediate as nextTick } from 'node:timers/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { SigningKey } from '../../../lib/crypto/ed25519.js';
import { SHARED_TABLES } from '../../../shared-log/shared-tables.js';
import type { Database } from '../../../storage/database/database.js';
import type { Transaction, Transactions } from '../../../storage/database/transaction.js';
import { NETWORK_TABLES } from '../network-store.js';
import {
  readSnapshot,
  requireShape,
  type SnapshotHead,
  SnapshotWriter,
  UnusableSnapshotError,
} from './snapshot-format.js';
import { clearTables, describeTable, insertRows, type Row, readRows, type TableShape } from './table-rows.js';

const ROWS_AT_ONCE = 500;
const TABLES: readonly string[] = [...NETWORK_TABLES, ...SHARED_TABLES];

type Store = Pick<Database, 'sql'>;

const describeTables = (store: Store): TableShape[] => TABLES.map((table) => describeTable(store, table));

function listSequences(store: Store): [string, number][] {
  return store
    .sql('SELECT name, seq FROM sqlite_sequence WHERE name IN (SELECT value FROM json_each(?)) ORDER BY name')
    .raw()
    .all(JSON.stringify(TABLES)) as [string, number][];
}

function setSequences(transaction: Transaction, given: readonly (readonly [string, number])[]): void {
  transaction
    .sql('DELETE FROM sqlite_sequence WHERE name IN (SELECT value FROM json_each(?))')
    .run(JSON.stringify(TABLES));
  for (const [table, seq] of given) {
    if (!TABLES.includes(table) || !Number.isSafeInteger(seq)) throw new UnusableSnapshotError('its numbers are wrong');
    transaction.sql('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(table, seq);
  }
}

/** How many rows a snapshot of the store holds. Reads an index of every table. */
export function countSharedRows(store: Store): number {
  const count = (table: string) => store.sql(`SELECT count(*) FROM ${table}`).pluck().get() as number;
  return TABLES.reduce((sum, table) => sum + count(table), 0);
}

async function* writeLines(store: Store, key: SigningKey, head: SnapshotHead): AsyncGenerator<string> {
  const writer = new SnapshotWriter(key, head.network);
  yield writer.line({ head });
  for (const shape of describeTables(store)) {
    yield writer.line({ table: shape.table, columns: shape.columns });
    let last: Row | undefined;
    for (;;) {
      const rows = readRows(store, shape, last, ROWS_AT_ONCE);
      yield rows.map((row) => writer.line({ row })).join('');
      last = rows.at(-1);
      if (rows.length < ROWS_AT_ONCE) break;
      await nextTick();
    }
  }
  yield writer.line({ given: listSequences(store) });
  yield writer.end();
}

/**
 * The gzipped snapshot of all shared rows and of those of the network itself. No command may be applied before the
 * stream has ended.
 */
export function writeSharedState(store: Store, key: SigningKey, head: SnapshotHead): Readable {
  const lines = Readable.from(writeLines(store, key, head), { objectMode: true });
  const gzip = createGzip();
  lines.on('error', (error) => gzip.destroy(error));
  return lines.pipe(gzip);
}

/** Throws `UnusableSnapshotError` unless a table of a snapshot is a shared one, with the columns of this store. */
export function requireShapeOf(store: Store, part: { table: string; columns: readonly string[] }): void {
  requireShape(part, TABLES.includes(part.table) ? describeTable(store, part.table) : undefined);
}

/** Deletes every shared row and every row of the network itself, a part at a time. */
const clearSharedState = (database: Store, transactions: Transactions): Promise<void> =>
  clearTables(transactions, describeTables(database));

/**
 * Replaces every shared row by those of the gzipped snapshot that `open` gives, a part at a time, and sets the position
 * of the store with the last of them. `mark` is what the store is marked with until then: rows of a marked store are
 * incomplete. Throws `UnusableSnapshotError`, also for a snapshot that `accept` refuses, and what reading the bytes
 * throws; the store stays marked.
 */
export async function loadSharedState(
  { database, transactions }: { database: Store; transactions: Transactions },
  { open, network, mark }: { open: () => Readable; network: string; mark: string },
  accept: (head: SnapshotHead) => boolean,
): Promise<SnapshotHead> {
  const shapes = new Map(describeTables(database).map((shape) => [shape.table, shape]));
  await transactions.run((transaction) => transaction.sql('UPDATE network_state SET loading = ?').run(mark));
  await clearSharedState(database, transactions);
  const loaded: { head?: SnapshotHead; given: readonly (readonly [string, number])[] } = { given: [] };
  let shape: TableShape | undefined;
  let rows: Row[] = [];
  const flush = async () => {
    const [into, some] = [shape, rows];
    rows = [];
    if (into && some.length > 0) await transactions.run((transaction) => insertRows(transaction, into, some));
  };
  // Opened only now: an error of a stream that nobody reads yet would end the process.
  const bytes = pipeline(open(), createGunzip(), () => undefined);
  for await (const part of readSnapshot(bytes, network)) {
    if ('row' in part) {
      if (!shape || part.row.length !== shape.columns.length)
        throw new UnusableSnapshotError('a row has wrong columns');
      rows.push(part.row);
      if (rows.length === ROWS_AT_ONCE) await flush();
      continue;
    }
    await flush();
    if ('table' in part) shape = requireShape(part, shapes.get(part.table));
    else if ('given' in part) loaded.given = part.given;
    else if (accept(part.head)) loaded.head = part.head;
    else throw new UnusableSnapshotError('it is of another state of the network');
  }
  await flush();
  return finish(transactions, loaded);
}

function finish(
  transactions: Transactions,
  { head, given }: { head?: SnapshotHead; given: readonly (readonly [string, number])[] },
): Promise<SnapshotHead> {
  if (!head) throw new UnusableSnapshotError('it is empty');
  return transactions.run((transaction) => {
    setSequences(transaction, given);
    transaction
      .sql('UPDATE network_state SET sequence = ?, snapshot_sequence = ?, loading = NULL')
      .run(head.sequence, head.sequence);
    return head;
  });
}
