import type { Database } from '../../../storage/database/database.js';
import type { Transaction, Transactions } from '../../../storage/database/transaction.js';

/** What a cell of a row may hold. */
export type Cell = null | number | string | Buffer;
export type Row = readonly Cell[];

/** A table, the columns that identify its rows in full, and those of its key. */
export interface TableShape {
  table: string;
  columns: readonly string[];
  key: readonly string[];
}

interface Column {
  name: string;
  type: string;
  pk: number;
}

const DELETED_AT_ONCE = 1_000;

/** Returns the shape of a table of this store. Its rowid is a column unless another one stands for it. */
export function describeTable(store: Pick<Database, 'sql'>, table: string): TableShape {
  const columns = store.sql('SELECT name, type, pk FROM pragma_table_info(?)').all(table) as Column[];
  const { wr } = store.sql('SELECT wr FROM pragma_table_list WHERE name = ?').get(table) as { wr: number };
  const names = columns.map(({ name }) => name);
  const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  if (wr === 1) return { table, columns: names, key: key.map(({ name }) => name) };
  const [only] = key;
  if (only && key.length === 1 && only.type === 'INTEGER') return { table, columns: names, key: [only.name] };
  return { table, columns: ['rowid', ...names], key: ['rowid'] };
}

/** Returns up to `limit` rows in the order of the key, beginning after the row `after`. */
export function readRows(
  store: Pick<Database, 'sql'>,
  { table, columns, key }: TableShape,
  after: Row | undefined,
  limit: number,
): Row[] {
  const list = key.join(', ');
  const where = after ? `WHERE (${list}) > (${key.map(() => '?').join(', ')})` : '';
  const from = after ? key.map((name) => after[columns.indexOf(name)]) : [];
  return store
    .sql(`SELECT ${columns.join(', ')} FROM ${table} ${where} ORDER BY ${list} LIMIT ?`)
    .raw()
    .all(...from, limit) as Row[];
}

export function insertRows(transaction: Transaction, { table, columns }: TableShape, rows: readonly Row[]): void {
  const places = columns.map(() => '?').join(', ');
  const insert = transaction.sql(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`);
  for (const row of rows) insert.run(...row);
}

/** Deletes every row of the tables, the last table first, a part at a time. */
export async function clearTables(transactions: Transactions, shapes: readonly TableShape[]): Promise<void> {
  for (const { table, key } of [...shapes].reverse()) {
    const list = key.join(', ');
    const remove = (transaction: Transaction) =>
      transaction
        .sql(`DELETE FROM ${table} WHERE (${list}) IN (SELECT ${list} FROM ${table} LIMIT ?)`)
        .run(DELETED_AT_ONCE).changes;
    while ((await transactions.run(remove)) === DELETED_AT_ONCE);
  }
}
