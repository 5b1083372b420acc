import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { SigningKey } from '../../../lib/crypto/ed25519.js';
import { systemClock } from '../../../lib/time/clock.js';
import { CommandKinds } from '../../../shared-log/command-kinds.js';
import { Database } from '../../../storage/database/database.js';
import { Transactions } from '../../../storage/database/transaction.js';
import { StreamedCopies } from '../../../storage/files/streamed-copies.js';
import { findBytes } from '../../../testing/find-bytes.js';
import { hasNatsServer, NATS_NEEDED, NatsServers } from '../../../testing/processes/nats-server.js';
import { putTemplateDatabase } from '../../../testing/template-database.js';
import { temporaryFolder } from '../../../testing/temporary-folder.js';
import { toBase64Url } from '../command-envelope.js';
import { createStream, eraseMessages, findStream, getIdentity, toStreamName } from '../command-stream.js';
import { parseNatsAddress } from '../nats-address.js';
import { openNats } from '../nats-connection.js';
import { putState, readState } from '../network-store.js';
import { NetworkSnapshots } from './network-snapshots.js';
import { writeSharedState } from './shared-state.js';
import { SnapshotBucket } from './snapshot-bucket.js';

const COMMANDS = 12;
const numbers = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** A network with so many commands, and stores that follow it. */
async function aNetwork(connection: NatsConnection, network: string) {
  const manager = await jetstreamManager(connection, { checkAPI: false });
  const client = jetstream(connection);
  const identity = getIdentity(await createStream(manager, network, 'one', systemClock));
  for (const number of numbers(1, COMMANDS))
    await client.publish(`m.${network}.cmd.post.${number}`, `${network}-${number}.`);
  const bucket = await SnapshotBucket.open(client, network, 1);
  const warnings: string[] = [];
  /** A daemon that just started, over a store that has applied the commands up to `sequence`. */
  const start = (sequence: number) => {
    const key = new SigningKey(SigningKey.newSeed());
    const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
    onTestFinished(() => database.close());
    putState(database, { network, identity, sequence, loading: null });
    const snapshots = new NetworkSnapshots({
      ...{ database, transactions: new Transactions(database), kinds: new CommandKinds(), network },
      key,
      files: new StreamedCopies(temporaryFolder(), '.snapshot'),
      openBucket: async () => bucket,
      eraseCommands: (last) => eraseMessages(manager, toStreamName(network), last),
      warn: (message) => warnings.push(message),
    });
    const load = async () => {
      const state = (await findStream(manager, network))?.state;
      await snapshots.load({ identity, firstSequence: state?.first_seq ?? 0, lastSequence: state?.last_seq ?? 0 });
      return { loaded: readState(database)?.sequence ?? -1, first: state?.first_seq ?? 0 };
    };
    const write = () =>
      buffer(writeSharedState(database, key, { network, created: identity, sequence, key: toBase64Url(key.pubkey) }));
    return { snapshots, load, write };
  };
  /** Stores a part of a snapshot whose daemon is killed before the others. */
  const putPart = () => client.publish(`$O.MESHD_${network}.C.part`, `${network}-part.`);
  const partsOfNewest = async () => `$O.MESHD_${network}.C.${(await bucket.list())[0]?.parts}`;
  /** Begins to store a snapshot. What it returns stores the rest of it. */
  const beginPut = async (sequence: number) => {
    const bytes = await start(sequence).write();
    const nuid = 'z'.repeat(22);
    const putBytes = (some: Buffer) => client.publish(`$O.MESHD_${network}.C.${nuid}`, some);
    await putBytes(bytes.subarray(0, 100));
    return async () => {
      await putBytes(bytes.subarray(100));
      await nameNewest({ name: `snapshot-${sequence}-0123abcd`, nuid, chunks: 2 });
    };
  };
  const nameNewest = async (entry: {
    name?: string;
    nuid: string;
    chunks?: number;
    digest?: string;
    options?: object;
  }) =>
    client.publish(
      `$O.MESHD_${network}.M.${Buffer.from(entry.name ?? '')
        .toString('base64')
        .replaceAll('/', '_')}`,
      JSON.stringify({ bucket: `MESHD_${network}`, size: 1, chunks: 1, ...entry }),
    );
  /** Erases the parts of the newest snapshot, as another daemon does before it erases what names them. */
  const eraseParts = async () => manager.streams.purge(`OBJ_MESHD_${network}`, { filter: await partsOfNewest() });
  /** What every member of a network can do to the newest snapshot: name another part as its own. */
  const spoilParts = async () => {
    const [newest] = await bucket.list();
    await client.publish(`$O.MESHD_${network}.C.${'x'.repeat(22)}`, 'not compressed');
    await nameNewest({ name: newest?.name, nuid: 'x'.repeat(22) });
  };
  /** Makes it a link to itself. */
  const linkNewest = async () => {
    const [newest] = await bucket.list();
    const link = { bucket: `MESHD_${network}`, name: newest?.name };
    await nameNewest({ name: newest?.name, nuid: 'y'.repeat(22), digest: 'SHA-256=', options: { link } });
  };
  return { start, putPart, beginPut, eraseParts, spoilParts, linkNewest, warnings };
}

/** Bytes of a snapshot, which is compressed, that no other one has: of the signature. */
async function storedBytes(snapshots: NetworkSnapshots, connection: NatsConnection, network: string): Promise<Buffer> {
  const [newest] = await snapshots.list();
  const bucket = await SnapshotBucket.open(jetstream(connection), network, 1);
  return newest ? (await buffer(bucket.read(newest))).subarray(-64) : Buffer.alloc(0);
}

/** Lets the process die before its erasing of message number `count`: it erases no other one either. */
async function dieAt(connection: NatsConnection, count: number): Promise<{ calls: () => number; live: () => void }> {
  const { streams } = await jetstreamManager(connection, { checkAPI: false });
  const prototype = Object.getPrototypeOf(streams) as typeof streams;
  const { deleteMessage } = prototype;
  let calls = 0;
  const spy = vi.spyOn(prototype, 'deleteMessage').mockImplementation(function (this: typeof streams, ...args) {
    calls += 1;
    return calls > count ? Promise.reject(new Error('killed')) : deleteMessage.apply(this, args);
  });
  onTestFinished(() => spy.mockRestore());
  return { calls: () => calls, live: () => spy.mockRestore() };
}

describe.skipIf(!hasNatsServer)(`snapshots on the servers${NATS_NEEDED}`, () => {
  let servers: NatsServers;
  let connection: NatsConnection;
  beforeAll(async () => {
    servers = await NatsServers.start(1);
    connection = await openNats({ address: parseNatsAddress(servers.url), credentials: undefined, name: 'test' });
  });
  afterAll(async () => {
    await connection.close();
    await servers.stop();
  });

  /** Which of these are in a byte of the servers. */
  const onServers = (texts: readonly (string | Buffer)[]) =>
    texts.filter((text) => findBytes(servers.folder, text).length > 0);

  it('lose nothing and leave nothing, wherever the daemon that erases is killed', async () => {
    for (let step = 0, isDone = false; !isDone; step += 1) {
      const network = `step-${step}`;
      const { start, putPart, warnings } = await aNetwork(connection, network);
      const texts = (first: number, last: number) => numbers(first, last).map((number) => `${network}-${number}.`);
      const first = start(4);
      await first.snapshots.make();
      const old = await storedBytes(first.snapshots, connection, network);
      await putPart();
      await start(8).snapshots.make();
      const replaced = [...texts(5, 8), `${network}-part.`, old];
      expect(onServers(replaced)).toEqual(replaced);

      const { calls, live } = await dieAt(connection, step);
      await start(COMMANDS).snapshots.eraseReplaced(0);
      isDone = calls() <= step;
      expect(warnings).toHaveLength(isDone ? 0 : 1);
      live();
      const { loaded, first: next } = await start(0).load();
      expect([loaded, next <= loaded + 1]).toEqual([8, true]);

      await start(COMMANDS).snapshots.eraseReplaced(0);
      expect(onServers(replaced)).toEqual([]);
      expect(onServers([...texts(1, 8)])).toEqual([]);
      expect(onServers(texts(9, COMMANDS))).toEqual(texts(9, COMMANDS));
      expect(await start(0).load()).toEqual({ loaded: 8, first: 9 });
    }
  });

  it('of commands that this daemon has not applied are no reason to erase', async () => {
    const { start } = await aNetwork(connection, 'ahead');
    await start(4).snapshots.make();
    await start(8).snapshots.make();
    await start(6).snapshots.eraseReplaced(0);
    expect(onServers(['ahead-4.', 'ahead-5.'])).toEqual(['ahead-5.']);
    expect(await start(0).load()).toMatchObject({ loaded: 8 });
  });

  it.each([
    ['whose parts are being erased', 'eraseParts', []],
    ['that a member made a link to itself', 'linkNewest', []],
    [
      'whose parts a member replaced',
      'spoilParts',
      ['the snapshot 8 of the network cannot be used: incorrect header check'],
    ],
  ] as const)('%s give way to an older one', async (_, spoil, warnings) => {
    const network = await aNetwork(connection, spoil.toLowerCase());
    await network.start(4).snapshots.make();
    await network.start(8).snapshots.make();
    await network[spoil]();
    expect(await network.start(0).load()).toMatchObject({ loaded: 4 });
    expect(network.warnings).toEqual(warnings);
  });

  it('that are stored at the same time leave one that is whole, and their commands', async () => {
    const { start, beginPut } = await aNetwork(connection, 'herd');
    await start(4).snapshots.make();
    const before = Date.now();
    // A daemon has begun to store one of 9, another one stores one of 8, and only then the first one is done.
    const finish = await beginPut(9);
    await start(8).snapshots.make();
    await start(COMMANDS).snapshots.eraseReplaced(0, before);
    expect(onServers(['herd-4.', 'herd-5.'])).toEqual(['herd-5.']);
    await finish();
    await start(COMMANDS).snapshots.eraseReplaced(0);
    expect(await start(0).load()).toEqual({ loaded: 9, first: 10 });
  });
});
