import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { CommandKinds } from '../../../shared-log/command-kinds.js';
import { Database } from '../../../storage/database/database.js';
import { Transactions } from '../../../storage/database/transaction.js';
import { StreamedCopies } from '../../../storage/files/streamed-copies.js';
import { idOf, newKey } from '../../../testing/network-samples.js';
import { putTemplateDatabase } from '../../../testing/template-database.js';
import { temporaryFolder } from '../../../testing/temporary-folder.js';
import { putState, readState } from '../network-store.js';
import { NetworkSnapshots } from './network-snapshots.js';
import { writeSharedState } from './shared-state.js';
import type { SnapshotBucket, StoredSnapshot } from './snapshot-bucket.js';

const key = newKey();

function aDatabase() {
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  return database;
}

/** The bytes of a snapshot. */
const write = (head: { network?: string; created?: string; sequence: number }) =>
  buffer(writeSharedState(aDatabase(), key, { network: 'docks', created: 'one', key: idOf(key), ...head }));

/** The snapshots of a store that has applied seven commands, over servers that hold `stored`, the newest first. */
function aStore(stored: (StoredSnapshot & { bytes?: Buffer })[] = [], { follows = true } = {}) {
  const database = aDatabase();
  if (follows) putState(database, { network: 'docks', identity: 'one', sequence: 7, loading: null });
  const [warnings, erased]: [string[], unknown[]] = [[], []];
  const put: [number, Buffer][] = [];
  const state = { opened: 0, refusals: 0, replaced: 0, read: [] as number[] };
  const bucket = {
    list: async () => stored,
    put: async (sequence: number, bytes: ReadableStream<Uint8Array>) => {
      put.push([sequence, await buffer(Readable.fromWeb(bytes as never))]);
    },
    read: (snapshot: (typeof stored)[number]) => {
      state.read.push(snapshot.sequence);
      return Readable.from([snapshot.bytes ?? Buffer.from('no gzip')]);
    },
    eraseBefore: async (kept: readonly StoredSnapshot[]) => {
      erased.push(kept.map(({ sequence }) => sequence));
    },
  };
  const kinds = new CommandKinds();
  kinds.onReplaced(() => {
    state.replaced += 1;
  });
  const snapshots = new NetworkSnapshots({
    ...{ database, kinds, key, network: 'docks', transactions: new Transactions(database) },
    files: new StreamedCopies(temporaryFolder(), '.snapshot'),
    openBucket: async () => {
      state.opened += 1;
      if (state.opened <= state.refusals) throw new Error('no answer');
      return bucket as unknown as SnapshotBucket;
    },
    eraseCommands: async (last) => {
      erased.push(last);
    },
    warn: (message) => warnings.push(message),
  });
  return { database, snapshots, warnings, erased, put, state };
}

const stored = (sequence: number, storedMs = 0, bytes?: Buffer) => ({
  ...{ name: `snapshot-${sequence}`, sequence, storedMs, parts: `p${sequence}` },
  ...(bytes && { bytes }),
});

/** The snapshot with bytes that can be loaded. */
const whole = async (one: StoredSnapshot) => ({ ...one, bytes: await write({ sequence: one.sequence }) });

it('stores the state of its last command, and notes that it did', async () => {
  const { snapshots, put, database } = aStore();
  await snapshots.make();
  expect(put.map(([sequence]) => sequence)).toEqual([7]);
  expect(readState(database)).toMatchObject({ sequence: 7, snapshotSequence: 7 });
  const other = aStore([stored(7, 0, put[0]?.[1])]);
  await other.snapshots.load({ identity: 'one', firstSequence: 1, lastSequence: 7 });
  expect(other.warnings).toEqual([]);
});

it('lets commands be applied again before the servers have it', async () => {
  const { snapshots, put, database } = aStore();
  const seen: number[] = [];
  await snapshots.make(async (work) => {
    await work();
    seen.push(put.length);
    putState(database, { network: 'docks', identity: 'one', sequence: 8, loading: null });
  });
  expect([seen, put.map(([sequence]) => sequence), readState(database)?.snapshotSequence]).toEqual([[0], [7], 7]);
});

it('stores nothing in no network, and nothing that is incomplete', async () => {
  const none = aStore([], { follows: false });
  await none.snapshots.make();
  const half = aStore();
  putState(half.database, { network: 'docks', identity: 'one', sequence: 7, loading: 'newest' });
  await half.snapshots.make();
  expect([none.put, half.put, none.state.opened, half.state.opened]).toEqual([[], [], 0, 0]);
});

it('opens the bucket once, and again only when that failed', async () => {
  const { snapshots, state } = aStore([stored(3)]);
  state.refusals = 1;
  await expect(snapshots.list()).rejects.toThrow('no answer');
  expect(await snapshots.list()).toEqual([stored(3)]);
  await snapshots.list();
  expect(state.opened).toBe(2);
});

it.each<[string, [number, number | undefined], StoredSnapshot[], unknown[]]>([
  ['no snapshot', [0, undefined], [], []],
  ['the newest one by default, as if it were now', [0, undefined], [stored(7, 900), stored(4, 100)], [[7], 7]],
  ['the newest that is old enough', [800, undefined], [stored(7, 900), stored(4, 100)], [[7, 4], 4]],
  ['none that is younger by a millisecond', [801, undefined], [stored(7, 900), stored(4, 100)], []],
  ['what is old enough by a clock', [800, 1_700], [stored(7, 900), stored(4, 100)], [[7], 7]],
  ['only what is old enough by a clock', [800, 1_699], [stored(7, 900), stored(4, 100)], [[7, 4], 4]],
  ['none of commands that are not applied here', [0, 5_000], [stored(8, 900), stored(6, 100)], [[6], 6]],
  ['all that are newer than it', [0, 500], [stored(7, 900), stored(6, 800), stored(5, 500)], [[7, 6, 5], 5]],
])('erases what %s has replaced', async (_, [ageMs, nowMs], list, erased) => {
  const store = aStore(await Promise.all(list.map((one) => whole(one))));
  await store.snapshots.eraseReplaced(ageMs, nowMs);
  expect([store.erased, store.warnings]).toEqual([erased, []]);
});

it('erases nothing for a snapshot that cannot be used, and reads each that can be once', async () => {
  const { snapshots, erased, warnings, state } = aStore([stored(7, 900), await whole(stored(4, 100))]);
  await snapshots.eraseReplaced(0);
  expect(erased).toEqual([[7, 4], 4]);
  expect(warnings).toEqual(['the snapshot 7 of the network replaces nothing: incorrect header check']);
  await snapshots.eraseReplaced(0);
  expect(state.read).toEqual([7, 4, 7]);
});

it('erases the next time what it could not now', async () => {
  const { snapshots, state, warnings, erased } = aStore([await whole(stored(7))]);
  state.refusals = 1;
  await snapshots.eraseReplaced(0);
  expect(warnings).toEqual(['the servers keep what a snapshot of the network replaces, for now: no answer']);
  await snapshots.eraseReplaced(0);
  expect(erased).toEqual([[7], 7]);
  const none = aStore([await whole(stored(1)), await whole(stored(0))], { follows: false });
  await none.snapshots.eraseReplaced(0);
  expect(none.erased).toEqual([]);
});

it('loads the newest snapshot after which the stream has every command, and none that is lost there', async () => {
  const bytes = await write({ sequence: 5 });
  const { snapshots, database, state, warnings } = aStore([
    stored(9, 0, bytes),
    stored(5, 0, bytes),
    stored(4, 0, bytes),
  ]);
  await snapshots.load({ identity: 'one', firstSequence: 6, lastSequence: 8 });
  expect(readState(database)).toMatchObject({ sequence: 5, snapshotSequence: 5, loading: null });
  expect([state.replaced, state.read, warnings]).toEqual([1, [5], []]);
});

it('loads a snapshot up to the last command of the stream', async () => {
  const { snapshots, database } = aStore([stored(9, 0, await write({ sequence: 9 }))]);
  await snapshots.load({ identity: 'one', firstSequence: 1, lastSequence: 9 });
  expect(readState(database)?.sequence).toBe(9);
});

it('says that there is none that can be used', async () => {
  const none = 'the network has no snapshot that can be used yet';
  const { snapshots, state, warnings } = aStore([stored(4, 0, await write({ sequence: 4 })), stored(3)]);
  await expect(snapshots.load({ identity: 'one', firstSequence: 6, lastSequence: 9 })).rejects.toThrow(none);
  expect([state.replaced, warnings]).toEqual([0, []]);
  await expect(aStore().snapshots.load({ identity: 'one', firstSequence: 0, lastSequence: 0 })).rejects.toThrow(none);
});

it.each<[string, object]>([
  ['of another creation of its network', { created: 'two' }],
  ['of another number than it says', { sequence: 4 }],
])('gives a snapshot %s no trust, and takes an older one', async (_, changes) => {
  const wrong = await write({ sequence: 5, ...changes });
  const { snapshots, database, state, warnings } = aStore([
    ...[stored(5, 0, wrong), stored(3, 0, await write({ sequence: 3 }))],
  ]);
  await snapshots.load({ identity: 'one', firstSequence: 1, lastSequence: 9 });
  expect([readState(database)?.sequence, state.replaced]).toEqual([3, 1]);
  expect(warnings).toEqual(['the snapshot 5 of the network cannot be used: it is of another state of the network']);
});

it('takes no snapshot that was signed for another network', async () => {
  const { snapshots, warnings } = aStore([stored(5, 0, await write({ network: 'quays', sequence: 5 }))]);
  await expect(snapshots.load({ identity: 'one', firstSequence: 1, lastSequence: 9 })).rejects.toThrow();
  expect(warnings).toEqual(['the snapshot 5 of the network cannot be used: it is of another state of the network']);
});
