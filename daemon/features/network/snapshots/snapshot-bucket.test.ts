import { buffer } from 'node:stream/consumers';
import { type JetStreamClient, jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasNatsServer, NATS_NEEDED, NatsServers } from '../../../testing/processes/nats-server.js';
import { parseNatsAddress } from '../nats-address.js';
import { openNats } from '../nats-connection.js';
import { SnapshotBucket, type StoredSnapshot } from './snapshot-bucket.js';

const bytes = (...parts: string[]) =>
  new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const part of parts) controller.enqueue(Buffer.from(part));
      controller.close();
    },
  });

describe.skipIf(!hasNatsServer)(`the snapshots of a network on its servers${NATS_NEEDED}`, () => {
  let servers: NatsServers;
  let connection: NatsConnection;
  let client: JetStreamClient;
  beforeAll(async () => {
    servers = await NatsServers.start(1);
    connection = await openNats({ address: parseNatsAddress(servers.url), credentials: undefined, name: 'test' });
    client = jetstream(connection);
  });
  afterAll(async () => {
    await connection.close();
    await servers.stop();
  });

  /** Names an object, as every member of the network can. */
  const name = (network: string, entry: object, as = JSON.stringify(entry)) =>
    client.publish(`$O.MESHD_${network}.M.${Buffer.from(as).toString('base64url')}`, JSON.stringify(entry));
  const part = (network: string, nuid: string, text: string) => client.publish(`$O.MESHD_${network}.C.${nuid}`, text);

  it('are stored in files of a bucket that says whose it is', async () => {
    await SnapshotBucket.open(client, 'docks', 1);
    const manager = await jetstreamManager(connection, { checkAPI: false });
    expect((await manager.streams.info('OBJ_MESHD_docks')).config).toMatchObject({
      ...{ description: 'Snapshots of the meshd network docks', storage: 'file', num_replicas: 1 },
    });
  });

  it('are listed the newest first, also where two are of the same state, and read as they were stored', async () => {
    const bucket = await SnapshotBucket.open(client, 'quays', 1);
    expect(await bucket.list()).toEqual([]);
    await bucket.put(9, bytes('nine'));
    await bucket.put(10, bytes('x'.repeat(200_000), 'end'));
    // By the clock of the servers, which is that of this machine, one is older than the other.
    for (const since = Date.now(); Date.now() < since + 2; );
    await bucket.put(9, bytes('nine again'));
    const list = await bucket.list();
    expect(list).toEqual(
      [10, 9, 9].map((sequence) => ({
        ...{ sequence, name: expect.stringMatching(new RegExp(`^snapshot-${sequence}-[0-9a-f]{8}$`)) },
        ...{ storedMs: expect.any(Number), parts: expect.stringMatching(/^[0-9A-Z]{22}$/) },
      })),
    );
    const texts = await Promise.all(list.map(async (one) => (await buffer(bucket.read(one))).toString()));
    expect(texts).toEqual([`${'x'.repeat(200_000)}end`, 'nine again', 'nine']);
    expect((list[1]?.storedMs ?? 0) - (list[2]?.storedMs ?? 0)).toBeGreaterThan(0);
    expect((await buffer(bucket.read({ ...(list[0] as StoredSnapshot), parts: 'none' }))).length).toBe(0);
  });

  it('are no objects of another name or form, and none of which a part is missing', async () => {
    const bucket = await SnapshotBucket.open(client, 'reef', 1);
    await part('reef', 'whole', 'a');
    await part('reef', 'whole', 'b');
    const entry = { name: 'snapshot-5', nuid: 'whole', chunks: 2, size: 2 };
    await name('reef', entry);
    const others: object[] = [
      ...['snapshot-', 'snapshot-5-xyz', 'xsnapshot-5', 'snapshot-5-0123abcd9', `snapshot-${'1'.repeat(16)}`].map(
        (other) => ({ ...entry, name: other }),
      ),
      ...[1, 3, 0, '2'].map((chunks) => ({ ...entry, chunks })),
      ...['other', '', 'who*le', 'x'.repeat(65)].map((nuid) => ({ ...entry, nuid })),
      { ...entry, name: 7 },
      { ...entry, deep: [[[[1]]]] },
      { name: entry.name },
    ];
    for (const other of others) await name('reef', other);
    await client.publish('$O.MESHD_reef.M.broken', '{');
    await name('reef', { ...entry, name: 'snapshot-6-0123abcd', more: { deep: [1] } });
    expect((await bucket.list()).map(({ name: found, parts }) => [found, parts])).toEqual([
      ['snapshot-6-0123abcd', 'whole'],
      ['snapshot-5', 'whole'],
    ]);
  });

  it('are erased with all that was stored before the first part of any that is kept', async () => {
    const bucket = await SnapshotBucket.open(client, 'pier', 1);
    await bucket.put(1, bytes('one'));
    await part('pier', 'unfinished', 'x');
    await bucket.put(2, bytes('two'));
    await bucket.put(3, bytes('three'));
    const [three, two] = await bucket.list();
    await bucket.eraseBefore([three, two] as never);
    expect((await bucket.list()).map(({ sequence }) => sequence)).toEqual([3, 2]);
    const parts = async (nuid: string) => (await buffer(bucket.read({ parts: nuid } as never))).toString();
    expect([await parts('unfinished'), await parts(two?.parts ?? '')]).toEqual(['', 'two']);
    // One that is gone tells that another daemon has erased more.
    await bucket.eraseBefore([three, { ...three, parts: 'gone' }] as never);
    expect((await bucket.list()).map(({ sequence }) => sequence)).toEqual([3, 2]);
  });
});
