import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { SigningKey } from '../../../lib/crypto/ed25519.js';
import { digestSharedTables } from '../../../shared-log/shared-tables.js';
import { Database } from '../../../storage/database/database.js';
import { Transactions } from '../../../storage/database/transaction.js';
import { putTemplateDatabase } from '../../../testing/template-database.js';
import { temporaryFolder } from '../../../testing/temporary-folder.js';
import { toBase64Url } from '../command-envelope.js';
import { bindDaemon, ownEverything, putState, readState } from '../network-store.js';
import { countSharedRows, loadSharedState, writeSharedState } from './shared-state.js';
import { SnapshotWriter } from './snapshot-format.js';

const KEY = new SigningKey(SigningKey.newSeed());
const HEAD = { network: 'docks', created: 'then', sequence: 7, key: toBase64Url(KEY.pubkey) };

/** A store that follows the network, with an agent, a board and so many posts, whose first one is gone. */
async function aStore(posts: number) {
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const transactions = new Transactions(database);
  await transactions.run((transaction) => {
    putState(transaction, { network: 'docks', identity: 'then', sequence: 3, loading: null });
    const digest = Buffer.from([0, 255, 10]);
    transaction
      .sql('INSERT INTO hub_agents VALUES (NULL, ?, ?, ?, ?, NULL, ?, NULL, 0, 5)')
      .run(`a${posts}`, `A${posts}`, 'rid', digest, '[]');
    const cluster = `c_${posts}`;
    transaction
      .sql('INSERT INTO clusters VALUES (NULL, ?, NULL, ?, ?, ?, ?, 1, NULL, ?, NULL, 5)')
      .run(cluster, 'Quay "1"\n', '', 'ü', 'public', digest);
    transaction.sql("INSERT INTO boards VALUES (NULL, 'b', ?, 's', 'n', 'generic', '', NULL, 5)").run(cluster);
    const post = transaction.sql(
      "INSERT INTO posts VALUES (NULL, ?, (SELECT max(seq) FROM boards), 5, NULL, 1, 48.1, 11.5, 'de', '1h', 'x', NULL, NULL, 't', 'b')",
    );
    for (let index = 0; index < posts; index += 1) post.run(`p_${index}`);
    transaction
      .sql(
        `INSERT INTO reputation_reports (agent_key, agent_id, reporter, ts, nonce, method, path, body, sig,
           quality, proof, proof_key, filed_at)
         VALUES ('a', 'A', 'r', 5, 'n', 'POST', '/', '{}', 's', 0.25, 'payment', 'payment one', 5)`,
      )
      .run();
    bindDaemon(transaction, HEAD.key, 5);
    ownEverything(transaction, HEAD.key);
    transaction.sql("DELETE FROM posts WHERE id = 'p_0'").run();
  });
  const listOwners = () => database.sql('SELECT * FROM network_owners ORDER BY area, entity').all();
  return { database, transactions, listOwners };
}

type Store = Awaited<ReturnType<typeof aStore>>;

const DOCKS = { network: 'docks', accept: ({ created }: { created: string }) => created === 'then' };

const write = ({ database }: Store, head = HEAD) => buffer(writeSharedState(database, KEY, head));
const kinds = { replaced: async () => undefined };
const load = (store: Store, bytes: Buffer) =>
  loadSharedState({ ...store, kinds }, { open: () => Readable.from([bytes]), ...DOCKS }, 'one');

it('replaces every shared row, with their numbers, and takes over the position', async () => {
  const [from, into] = [await aStore(1_203), await aStore(4)];
  await load(into, await write(from));
  expect(digestSharedTables(into.database)).toBe(digestSharedTables(from.database));
  expect(into.listOwners()).toEqual(from.listOwners());
  // A post that is gone belongs to nobody.
  expect(from.listOwners()).toHaveLength(2 + 1_202);
  // Those, an agent, a cluster, a board, 1,202 posts, a report and a daemon.
  expect(countSharedRows(into.database)).toBe(2 * 1_202 + 2 + 5);
  // A report from before a daemon was named with each is of the daemon that created the network.
  const reports = into.database.sql('SELECT daemon, proof_key, quality FROM reputation_reports').all();
  expect(reports).toEqual([{ daemon: HEAD.key, proof_key: `${HEAD.key} payment one`, quality: 0.25 }]);
  expect(readState(into.database)).toMatchObject({ sequence: 7, snapshotSequence: 7, loading: null });
  const places = into.database.sql('SELECT count(*) AS n FROM post_places').get();
  expect(places).toEqual({ n: 1_202 });
});

const change = (bytes: Buffer, edit: (lines: string[]) => string[]) =>
  gzipSync(edit(gunzipSync(bytes).toString().trimEnd().split('\n')).join('\n').concat('\n'));

const rename = ([head = '', ...lines]: string[]) => [head.replace('"then"', '"before"'), ...lines];

it.each<[string, string, (bytes: Buffer) => Buffer]>([
  [
    'forged',
    'its signature is wrong',
    (bytes) => change(bytes, (lines) => lines.map((line) => line.replace('Quay', 'Pier'))),
  ],
  [
    'of another signer',
    'its signature is wrong',
    (bytes) =>
      change(bytes, (lines) =>
        lines.map((line) => line.replace(HEAD.key, toBase64Url(new SigningKey(SigningKey.newSeed()).pubkey))),
      ),
  ],
  ['cut off', 'it is cut off', (bytes) => change(bytes, (lines) => lines.slice(0, -1))],
  ['cut off as bytes', 'unexpected end of file', (bytes) => bytes.subarray(0, bytes.length - 30)],
  ['followed by more', 'it goes on after its signature', (bytes) => change(bytes, (lines) => [...lines, '{}'])],
  [
    'of a table that is not shared',
    'a table "asks", which is not shared',
    (bytes) => change(bytes, ([head = '']) => [head, '{"table":"asks","columns":["seq"]}']),
  ],
  [
    'of other columns',
    'is of another version of meshd',
    (bytes) => change(bytes, ([head = '']) => [head, '{"table":"boards","columns":["seq"]}']),
  ],
  ['without a head', 'it does not begin with one head', (bytes) => change(bytes, ([, ...lines]) => lines)],
  ['no JSON', 'one of its lines is no JSON', (bytes) => change(bytes, ([head = '']) => [head, 'x'])],
  ['of another stream', 'it is of another state of the network', (bytes) => change(bytes, rename)],
])('refuses a snapshot that is %s, and leaves what is here', async (_, message, spoil) => {
  const [from, into] = [await aStore(2), await aStore(1)];
  const before = digestSharedTables(into.database);
  await expect(load(into, spoil(await write(from)))).rejects.toThrow(message);
  expect(readState(into.database)).toMatchObject({ sequence: 3, loading: null });
  expect(digestSharedTables(into.database)).toBe(before);
  await load(into, await write(from));
  expect(digestSharedTables(into.database)).toBe(digestSharedTables(from.database));
});

it('says what failed when the bytes cannot be read', async () => {
  const store = await aStore(4);
  const open = () => new Readable({ construct: (done) => done(new Error('the servers have lost it')) });
  await expect(loadSharedState({ ...store, kinds }, { open, ...DOCKS }, 'one')).rejects.toThrow(
    'the servers have lost it',
  );
  expect(readState(store.database)).toMatchObject({ sequence: 3, loading: null });
});

/** A snapshot of these parts after its head, signed as the maker of one signs. */
function craft(...parts: Parameters<SnapshotWriter['line']>[0][]): Buffer {
  const writer = new SnapshotWriter(KEY, 'docks');
  return gzipSync([...[{ head: HEAD }, ...parts].map((part) => writer.line(part)), writer.end()].join(''));
}

const OLD_KEYS = { table: 'network_old_keys', columns: ['key', 'daemon'] };

it.each<[string, string, Buffer]>([
  ['a row before any table', 'a row has wrong columns', craft({ row: ['k', 'd'] })],
  ['a row that is too short', 'a row has wrong columns', craft(OLD_KEYS, { row: ['k'] })],
  ['a row that is too long', 'a row has wrong columns', craft(OLD_KEYS, { row: ['k', 'd', 1] })],
  ['a number of a table that is not shared', 'its numbers are wrong', craft({ given: [['asks', 1]] })],
  ['a number that is none', 'its numbers are wrong', craft({ given: [['posts', 0.5]] })],
])('refuses a signed snapshot with %s', async (_, message, bytes) => {
  const store = await aStore(1);
  await expect(load(store, bytes)).rejects.toThrow(message);
  expect(readState(store.database)).toMatchObject({ sequence: 3, loading: null });
});

it('gives the numbers of a snapshot in place of its own, and keeps those of tables that are not shared', async () => {
  const { database, ...store } = await aStore(3);
  const given = () =>
    database.sql('SELECT name, seq FROM sqlite_sequence ORDER BY name').raw().all() as [string, number][];
  database.sql("INSERT INTO sqlite_sequence (name, seq) VALUES ('test_other', 9)").run();
  await load({ database, ...store }, craft(OLD_KEYS, { row: ['k', 'd'] }, { given: [['posts', 77]] }));
  expect(given()).toEqual(
    expect.arrayContaining([
      ['posts', 77],
      ['test_other', 9],
    ]),
  );
  expect(given().map(([name]) => name)).not.toContain('boards');
  expect(database.sql('SELECT * FROM network_old_keys').raw().all()).toEqual([['k', 'd']]);
  expect(countSharedRows(database)).toBe(1);
});

it('loads as many rows as one transaction takes, and one more', async () => {
  const store = await aStore(1);
  for (const count of [500, 501]) {
    const rows = Array.from({ length: count }, (_, index) => ({ row: [`k${index}`, 'd'] }));
    await load(store, craft(OLD_KEYS, ...rows));
    expect(store.database.sql('SELECT count(*) FROM network_old_keys').pluck().get()).toBe(count);
  }
});

it('is marked before the first row goes, once the snapshot was read whole', async () => {
  const { database, transactions } = await aStore(2);
  const seen: unknown[] = [];
  const open = () => {
    seen.push(readState(database)?.loading, database.sql('SELECT count(*) FROM posts').pluck().get());
    return Readable.from([craft()]);
  };
  const replaced = async () => void seen.push(readState(database)?.loading);
  await loadSharedState({ database, transactions, kinds: { replaced } }, { open, ...DOCKS }, 'next');
  // Until those who keep something of it elsewhere know.
  expect(seen).toEqual([null, 1, 'next', 0, 'next']);
  expect(readState(database)?.loading).toBeNull();
});

it('says why a store cannot be written into a snapshot', async () => {
  const { database } = await aStore(1);
  const sql = (text: string) => {
    if (text.includes('FROM posts')) throw new Error('disk I/O error');
    return database.sql(text);
  };
  await expect(buffer(writeSharedState({ sql } as never, KEY, HEAD))).rejects.toThrow('disk I/O error');
});
