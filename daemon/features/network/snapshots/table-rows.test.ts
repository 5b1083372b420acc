import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Database } from '../../../storage/database/database.js';
import { Transactions } from '../../../storage/database/transaction.js';
import { putTemplateDatabase } from '../../../testing/template-database.js';
import { temporaryFolder } from '../../../testing/temporary-folder.js';
import { clearTables, describeTable, insertRows, type Row, readRows } from './table-rows.js';

function aStore(...tables: string[]) {
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  for (const table of tables) database.sql(`CREATE TABLE ${table}`).run();
  const transactions = new Transactions(database);
  const insert = (table: string, rows: readonly Row[]) =>
    transactions.run((transaction) => insertRows(transaction, describeTable(database, table), rows));
  const count = (table: string) => database.sql(`SELECT count(*) FROM ${table}`).pluck().get();
  return { database, transactions, insert, count };
}

it.each<[string, string, string[], string[]]>([
  ['by its number', 't (seq INTEGER PRIMARY KEY, a TEXT)', ['seq', 'a'], ['seq']],
  ['by a number that is given once', 't (a TEXT, seq INTEGER PRIMARY KEY AUTOINCREMENT)', ['a', 'seq'], ['seq']],
  ['by its rowid without a key', 't (a TEXT, b TEXT)', ['rowid', 'a', 'b'], ['rowid']],
  ['by its rowid with a text as key', 't (id TEXT PRIMARY KEY, a TEXT)', ['rowid', 'id', 'a'], ['rowid']],
  [
    'by its rowid with two columns as key',
    't (a INTEGER, b INTEGER, PRIMARY KEY (a, b))',
    ['rowid', 'a', 'b'],
    ['rowid'],
  ],
  ['by its rowid with a number of another type', 't (a INT PRIMARY KEY)', ['rowid', 'a'], ['rowid']],
  ['by its key without a rowid', 't (a TEXT, id TEXT PRIMARY KEY) WITHOUT ROWID', ['a', 'id'], ['id']],
  [
    'by the columns of its key, in their order there',
    't (a TEXT, b TEXT, c TEXT, PRIMARY KEY (c, a)) WITHOUT ROWID',
    ['a', 'b', 'c'],
    ['c', 'a'],
  ],
])('identifies a row %s', (_, table, columns, key) => {
  const { database } = aStore(table);
  expect(describeTable(database, 't')).toEqual({ table: 't', columns, key });
});

it('reads rows in the order of the key, a part at a time, as they were inserted', async () => {
  const { database, insert } = aStore('t (a TEXT, b INTEGER, c BLOB, PRIMARY KEY (b, a)) WITHOUT ROWID');
  const shape = describeTable(database, 't');
  const rows: Row[] = [
    ['y', 1, null],
    ['z', 1, Buffer.from([0, 255])],
    ['a', 2, null],
    ['b', 2, null],
  ];
  await insert('t', [...rows].reverse());
  expect(readRows(database, shape, undefined, 9)).toEqual(rows);
  expect(readRows(database, shape, undefined, 2)).toEqual(rows.slice(0, 2));
  expect(readRows(database, shape, rows[0], 2)).toEqual(rows.slice(1, 3));
  expect(readRows(database, shape, rows[1], 9)).toEqual(rows.slice(2));
  expect(readRows(database, shape, rows[3], 9)).toEqual([]);
});

it('keeps the rowids of a table that has them', async () => {
  const { database, insert } = aStore('t (a TEXT)');
  await insert('t', [
    [7, 'x'],
    [3, 'y'],
  ]);
  expect(readRows(database, describeTable(database, 't'), undefined, 9)).toEqual([
    [3, 'y'],
    [7, 'x'],
  ]);
});

it('deletes every row, also of a table with more than one transaction takes', async () => {
  const { database, transactions, insert, count } = aStore('t (a TEXT, PRIMARY KEY (a)) WITHOUT ROWID', 'u (a TEXT)');
  await insert(
    't',
    Array.from({ length: 2_001 }, (_, index) => [`a${index}`]),
  );
  await insert('u', [[1, 'x']]);
  await clearTables(
    transactions,
    ['t', 'u'].map((table) => describeTable(database, table)),
  );
  expect([count('t'), count('u')]).toEqual([0, 0]);
});

it('deletes a thousand rows at a time, of the last table first', async () => {
  const left = { t: 2_000, u: 3 };
  const deleted: [string, number][] = [];
  const sql = (text: string) => ({
    run: (limit: number) => {
      const table = /FROM (\w)/.exec(text)?.[1] as 't' | 'u';
      const changes = Math.min(limit, left[table]);
      left[table] -= changes;
      deleted.push([table, changes]);
      return { changes };
    },
  });
  const run = async (change: (transaction: object) => unknown) => change({ sql });
  const shapes = (['t', 'u'] as const).map((table) => ({ table, columns: ['a'], key: ['a'] }));
  await clearTables({ run } as unknown as Transactions, shapes);
  expect(deleted).toEqual([
    ['u', 3],
    ['t', 1_000],
    ['t', 1_000],
    ['t', 0],
  ]);
  expect(shapes.map(({ table }) => table)).toEqual(['t', 'u']);
});
