import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { MeshError } from '../lib/errors.js';
import { Database } from '../storage/database/database.js';
import { openSqlite } from '../storage/database/sqlite.js';
import { fillEveryTable } from '../testing/rows-everywhere.js';
import { putTemplateDatabase } from '../testing/template-database.js';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { toRefusal } from './outcome.js';
import { Owners } from './owners.js';
import { SelectedLog } from './selected-log.js';
import type { SharedLog } from './shared-log.js';
import { digestSharedTables, SHARED_TABLES } from './shared-tables.js';

/** A key of 32 equal bytes, once in each of its two forms. The bytes make them differ. */
const aKey = (byte: number) => {
  const bytes = Buffer.alloc(32, byte);
  return { standard: bytes.toString('base64'), url: bytes.toString('base64url') };
};
const [OWN, OTHER, OLD, GONE] = [aKey(251), aKey(252), aKey(253), aKey(254)] as const;

function aStore(isFilled = false): Database {
  const path = putTemplateDatabase(join(temporaryFolder(), 'mesh.db'));
  if (isFilled) {
    const store = openSqlite(path);
    fillEveryTable(store);
    store.close();
  }
  const database = new Database(path);
  onTestFinished(() => database.close());
  return database;
}

it('owns what is nobody’s, and names itself by its key, without a network', () => {
  const owners = new Owners(aStore(), OWN.standard);
  expect([owners.self, owners.keyOf(GONE.url), owners.listKeys()]).toEqual([OWN.url, GONE.standard, []]);
  expect([owners.find({ area: 'hub', id: 'lamp' }), owners.isOwn({ area: 'hub', id: 'lamp' })]).toEqual([
    undefined,
    true,
  ]);
});

it('owns in a network what is given to its id there, and knows the present and the former keys of all', () => {
  const database = aStore();
  const join = database.sql('INSERT INTO network_daemons (id, key, name, joined_ms) VALUES (?, ?, ?, 1)');
  join.run('first', OWN.url, 'one');
  join.run('second', OTHER.url, 'two');
  database.sql('INSERT INTO network_old_keys VALUES (?, ?)').run(OLD.url, 'second');
  const give = database.sql('INSERT INTO network_owners VALUES (?, ?, ?)');
  for (const [area, id, daemon] of [
    ['hub', 'lamp', 'first'],
    ['registry', 'lamp', 'second'],
  ])
    give.run(area, id, daemon);
  const owners = new Owners(database, OWN.standard);
  expect([owners.self, owners.keyOf('first'), owners.keyOf('second'), owners.keyOf(GONE.url)]).toEqual([
    ...['first', OWN.standard, OTHER.standard, GONE.standard],
  ]);
  expect(owners.listKeys().sort()).toEqual([OWN, OTHER, OLD].map(({ standard }) => standard).sort());
  const areas = ['hub', 'registry', 'post'] as const;
  const lamps = areas.map((area) => ({ area, id: 'lamp' }));
  expect(lamps.map((lamp) => [owners.find(lamp), owners.isOwn(lamp)])).toEqual([
    ['first', true],
    ['second', false],
    [undefined, true],
  ]);
  for (const lamp of [lamps[0], lamps[2]]) expect(() => owners.requireOwn(lamp as (typeof lamps)[0])).not.toThrow();
  const error = { code: 'forbidden', message: '"lamp" belongs to another daemon of the network.' };
  expect(() => owners.requireOwn({ area: 'registry', id: 'lamp' })).toThrow(expect.objectContaining(error));
});

it('sends changes to the selected log, and to the embedded one again when none is selected', async () => {
  const aLog = (isShared: boolean): SharedLog => ({
    isShared,
    submit: <Result>(...given: unknown[]) => [isShared, ...given] as Result,
  });
  const log = new SelectedLog(aLog(false));
  const look = () => [log.isShared, log.submit('lamp.add', 'one', { a: 1 })];
  const looks = [look()];
  log.select(aLog(true));
  looks.push(look());
  log.select(undefined);
  looks.push(look());
  expect(looks).toEqual([false, true, false].map((is) => [is, [is, 'lamp.add', 'one', { a: 1 }]]));
});

it('refuses with the status of the code, with details only where there are some, and passes on what is no refusal', () => {
  const refusal = { ok: false, status: 409, code: 'slug_taken', message: 'There is one.' };
  expect(toRefusal(new MeshError('slug_taken', 'There is one.'))).toStrictEqual(refusal);
  const details = { path: 'slug' };
  expect(toRefusal(new MeshError('slug_taken', 'There is one.', { details }))).toStrictEqual({ ...refusal, details });
  const error = new TypeError('a fault');
  expect(() => toRefusal(error)).toThrow(error);
});

it('digests every row with its place, and the ids that were given', () => {
  const [database, empty] = [aStore(true), aStore()];
  const digests = [digestSharedTables(empty), digestSharedTables(database)];
  const change = (sql: string) => {
    database.sql(sql).run();
    digests.push(digestSharedTables(database));
  };
  database.sql('PRAGMA foreign_keys = OFF').run();
  for (const table of SHARED_TABLES) change(`UPDATE ${table} SET rowid = rowid + 1000`);
  change("UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'hub_messages'");
  expect(new Set(digests).size).toBe(SHARED_TABLES.length + 3);
  // Of another table: each daemon gives ids of its own there.
  database.sql("INSERT INTO sqlite_sequence VALUES ('lamps', 7)").run();
  expect(digestSharedTables(database)).toBe(digests.at(-1));
});
