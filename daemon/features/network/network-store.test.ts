import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findOwner } from '../../shared-log/owners.js';
import { Database } from '../../storage/database/database.js';
import { type Transaction, Transactions } from '../../storage/database/transaction.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import {
  advance,
  bindDaemon,
  clearNetwork,
  findDaemonById,
  findDaemonByKey,
  getDaemonName,
  hasCommandId,
  isOldKey,
  leaveNetwork,
  listDaemons,
  NETWORK_TABLES,
  ownEverything,
  putState,
  readState,
  removeOwner,
  rotateKey,
  setDaemonLeft,
  setDaemonName,
  setOwner,
  setSnapshotSequence,
  takeCommandId,
} from './network-store.js';

function aStore() {
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const transactions = new Transactions(database);
  const change = <T>(run: (transaction: Transaction) => T) => transactions.run(run);
  const owners = () => database.sql('SELECT area, entity, daemon FROM network_owners').raw().all();
  return { database, change, owners };
}

const STATE = { network: 'docks', identity: 'one', sequence: 3, loading: null };

it('follows one stream, which a later one replaces with its position', async () => {
  const { database, change } = aStore();
  expect(readState(database)).toBeUndefined();
  await change((transaction) => putState(transaction, STATE));
  expect(readState(database)).toEqual({ ...STATE, snapshotSequence: 0 });
  setSnapshotSequence(database, 2);
  expect(readState(database)).toEqual({ ...STATE, snapshotSequence: 2 });
  const next = { network: 'quays', identity: 'two', sequence: 0, loading: 'newest' };
  await change((transaction) => putState(transaction, next));
  expect(readState(database)).toEqual({ ...next, snapshotSequence: 0 });
});

it('advances, and never goes back', async () => {
  const { database, change } = aStore();
  await change((transaction) => putState(transaction, STATE));
  for (const [sequence, at] of [
    [4, 4],
    [2, 4],
    [9, 9],
  ] as const) {
    await change((transaction) => advance(transaction, sequence));
    expect(readState(database)?.sequence).toBe(at);
  }
});

it('forgets everything about a network that is left', async () => {
  const { database, change } = aStore();
  await change((transaction) => {
    putState(transaction, STATE);
    rotateKey(transaction, bindDaemon(transaction, 'k1', 5), 'k2');
    takeCommandId(transaction, 'c1', 5, 0);
    setOwner(transaction, 'hub', 'a', 'k1');
  });
  const count = (table: string) => database.sql(`SELECT count(*) FROM ${table}`).pluck().get();
  const tables = [...NETWORK_TABLES, 'network_state'];
  expect(tables.map(count)).toEqual([1, 1, 1, 1, 1]);
  await change(clearNetwork);
  expect(tables.map(count)).toEqual([0, 0, 0, 0, 0]);
});

it('takes the id of a command once, and forgets those that are older than it is told', async () => {
  const { database, change } = aStore();
  const take = (id: string, timeMs: number, beforeMs: number) =>
    change((transaction) => takeCommandId(transaction, id, timeMs, beforeMs));
  expect([await take('a', 10, 0), await take('a', 11, 0), await take('b', 20, 10)]).toEqual([true, false, true]);
  expect(['a', 'b', 'c'].map((id) => hasCommandId(database, id))).toEqual([true, true, false]);
  expect([await take('c', 30, 11), hasCommandId(database, 'a'), hasCommandId(database, 'b')]).toEqual([
    ...[true, false, true],
  ]);
  expect(await take('a', 31, 11)).toBe(true);
});

it('binds a daemon by its first key, which is its id for good', async () => {
  const { database, change } = aStore();
  const bound = { id: 'k1', key: 'k1', name: '', joined_ms: 5, left_ms: null };
  expect(await change((transaction) => bindDaemon(transaction, 'k1', 5))).toEqual(bound);
  expect([findDaemonByKey(database, 'k1'), findDaemonById(database, 'k1')]).toEqual([bound, bound]);
  await change((transaction) => rotateKey(transaction, bound, 'k2'));
  const rotated = { ...bound, key: 'k2' };
  expect([findDaemonByKey(database, 'k1'), findDaemonByKey(database, 'k2')]).toEqual([undefined, rotated]);
  expect([findDaemonById(database, 'k1'), findDaemonById(database, 'k2')]).toEqual([rotated, undefined]);
  expect(['k1', 'k2'].map((key) => isOldKey(database, key))).toEqual([true, false]);
  expect(database.sql('SELECT * FROM network_old_keys').all()).toEqual([{ key: 'k1', daemon: 'k1' }]);
});

it('lists daemons in the order of their joining, with their names and whether they left', async () => {
  const { database, change } = aStore();
  await change((transaction) => {
    for (const [key, ms] of [
      ['c', 5],
      ['b', 5],
      ['a', 9],
    ] as const)
      bindDaemon(transaction, key, ms);
    setDaemonName(transaction, 'b', 'Pier');
    setDaemonLeft(transaction, 'c', 7);
  });
  expect(listDaemons(database).map(({ id, name, left_ms }) => [id, name, left_ms])).toEqual([
    ['b', 'Pier', null],
    ['c', '', 7],
    ['a', '', null],
  ]);
  // Whoever joins again is there again.
  await change((transaction) => setDaemonName(transaction, 'c', 'Quay'));
  expect(findDaemonById(database, 'c')).toMatchObject({ name: 'Quay', left_ms: null });
});

it('calls a daemon without a name by the first eight characters of its id', () => {
  expect(getDaemonName({ name: 'Pier', id: '0123456789' })).toBe('Pier');
  expect(getDaemonName({ name: '', id: '0123456789' })).toBe('01234567');
});

it('has one owner of each thing, which another one replaces', async () => {
  const { change, owners } = aStore();
  await change((transaction) => {
    setOwner(transaction, 'hub', 'a', 'k1');
    setOwner(transaction, 'hub', 'a', 'k2');
    setOwner(transaction, 'hub', 'b', 'k1');
    setOwner(transaction, 'post', 'a', 'k1');
  });
  expect(owners()).toEqual([
    ['hub', 'a', 'k2'],
    ['hub', 'b', 'k1'],
    ['post', 'a', 'k1'],
  ]);
  await change((transaction) => removeOwner(transaction, 'hub', 'a'));
  expect(owners()).toEqual([
    ['hub', 'b', 'k1'],
    ['post', 'a', 'k1'],
  ]);
});

it('gives what was another’s in the network that was left back to it, and what is nobody’s to its creator', async () => {
  const { database, change, owners } = aStore();
  const register = (id: string) =>
    database.sql("INSERT INTO hub_agents VALUES (NULL, ?, ?, 'rid', x'00', NULL, '[]', NULL, 0, 5)").run(id, id);
  await change((transaction) => {
    for (const id of ['ada', 'ben']) register(id);
    putState(transaction, STATE);
    bindDaemon(transaction, 'k1', 5);
    setOwner(transaction, 'hub', 'ada', 'k1');
    for (const id of ['ben', 'gone']) setOwner(transaction, 'hub', id, 'k2');
    leaveNetwork(transaction);
    leaveNetwork(transaction);
  });
  expect([findOwner(database, { area: 'hub', id: 'ben' }), readState(database), listDaemons(database)]).toEqual([
    ...[undefined, undefined, []],
  ]);
  await change((transaction) => {
    register('new');
    ownEverything(transaction, 'k1');
  });
  expect(owners()).toEqual([
    ['hub', 'ada', 'k1'],
    ['hub', 'ben', 'k2'],
    ['hub', 'new', 'k1'],
  ]);
});

it('gives what the store holds to the daemon that creates a network', async () => {
  const { database, change, owners } = aStore();
  const report = (reporter: string, daemon: string) =>
    database
      .sql(
        `INSERT INTO reputation_reports (agent_key, agent_id, reporter, ts, nonce, method, path, body, sig,
           quality, proof, proof_key, filed_at, daemon)
         VALUES ('a', 'A', ?, 5, ?, 'POST', '/', '{}', 's', 0.25, 'payment', ?, 5, ?)`,
      )
      .run(reporter, reporter, `proof ${reporter}`, daemon);
  await change((transaction) => {
    report('early', '');
    report('late', 'another');
    transaction.sql("INSERT INTO hub_agents VALUES (NULL, 'ada', 'Ada', 'rid', x'00', NULL, '[]', NULL, 0, 5)").run();
    setOwner(transaction, 'hub', 'ada', 'before');
    ownEverything(transaction, 'k1');
  });
  expect(owners()).toEqual([['hub', 'ada', 'k1']]);
  expect(database.sql('SELECT reporter, daemon, proof_key FROM reputation_reports ORDER BY reporter').all()).toEqual([
    { reporter: 'early', daemon: 'k1', proof_key: 'k1 proof early' },
    { reporter: 'late', daemon: 'another', proof_key: 'proof late' },
  ]);
});
