import { pipeline, Readable } from 'node:stream';
import { setImmediate as nextTick } from 'node:timers/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { SigningKey } from '../../../lib/crypto/ed25519.js';
import type { CommandKinds } from '../../../shared-log/command-kinds.js';
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

function setSequences(transaction: Transaction, given: Given): void {
  transaction
    .sql('DELETE FROM sqlite_sequence WHERE name IN (SELECT value FROM json_each(?))')
    .run(JSON.stringify(TABLES));
  for (const [table, seq] of given)
    transaction.sql('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(table, seq);
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

/** Deletes every shared row and every row of the network itself, a part at a time. */
const clearSharedState = (database: Store, transactions: Transactions): Promise<void> =>
  clearTables(transactions, describeTables(database));

/** A gzipped snapshot, which can be read more than once, and what it must be of. */
export interface SnapshotSource {
  open: () => Readable;
  network: string;
  accept: (head: SnapshotHead) => boolean;
}

interface LoadParts {
  database: Store;
  transactions: Transactions;
  kinds: Pick<CommandKinds, 'replaced'>;
}

type CheckedPart = { head: SnapshotHead } | { shape: TableShape; row: Row } | { given: Given };
type Given = readonly (readonly [table: string, seq: number])[];

const isGiven = (given: Given) => given.every(([table, seq]) => TABLES.includes(table) && Number.isSafeInteger(seq));

async function* readParts(store: Store, { open, network, accept }: SnapshotSource): AsyncGenerator<CheckedPart> {
  const shapes = new Map(describeTables(store).map((shape) => [shape.table, shape]));
  let shape: TableShape | undefined;
  const bytes = pipeline(open(), createGunzip(), () => undefined);
  for await (const part of readSnapshot(bytes, network)) {
    if ('row' in part) {
      if (!shape || part.row.length !== shape.columns.length)
        throw new UnusableSnapshotError('a row has wrong columns');
      yield { shape, row: part.row };
    } else if ('table' in part) shape = requireShape(part, shapes.get(part.table));
    else if ('given' in part) {
      if (!isGiven(part.given)) throw new UnusableSnapshotError('its numbers are wrong');
      yield part;
    } else if (accept(part.head)) yield part;
    else throw new UnusableSnapshotError('it is of another state of the network');
  }
}

/**
 * Reads a snapshot to its end. Throws `UnusableSnapshotError`, also for one that `accept` refuses, and what reading the
 * bytes throws.
 */
export async function checkSharedState(store: Store, source: SnapshotSource): Promise<void> {
  for await (const _ of readParts(store, source));
}

/**
 * Replaces every shared row by those of a snapshot, a part at a time, and sets the position of the store with the last
 * of them, once `kinds` know of it. `mark` is what the store is marked with until then: rows of a marked store are
 * incomplete, or not in the indexes yet. One that `checkSharedState` refuses changes nothing.
 */
export async function loadSharedState(
  { database, transactions, kinds }: LoadParts,
  source: SnapshotSource,
  mark: string,
): Promise<void> {
  await checkSharedState(database, source);
  await transactions.run((transaction) => transaction.sql('UPDATE network_state SET loading = ?').run(mark));
  await clearSharedState(database, transactions);
  const loaded: { sequence: number; given: Given } = { sequence: 0, given: [] };
  let into: TableShape | undefined;
  let rows: Row[] = [];
  const flush = async () => {
    const [shape, some] = [into, rows];
    rows = [];
    if (shape && some.length > 0) await transactions.run((transaction) => insertRows(transaction, shape, some));
  };
  for await (const part of readParts(database, source)) {
    if ('head' in part) loaded.sequence = part.head.sequence;
    else if ('given' in part) loaded.given = part.given;
    else {
      if (part.shape !== into || rows.length === ROWS_AT_ONCE) await flush();
      into = part.shape;
      rows.push(part.row);
    }
  }
  await flush();
  await transactions.run((transaction) => setSequences(transaction, loaded.given));
  await kinds.replaced();
  await transactions.run((transaction) => {
    transaction
      .sql('UPDATE network_state SET sequence = ?, snapshot_sequence = ?, loading = NULL')
      .run(loaded.sequence, loaded.sequence);
  });
}
