import { join as joinPath } from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import { hasNatsServer, NATS_NEEDED, NatsServers } from '../../testing/processes/nats-server.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { deleteNetwork, findNetwork } from './find-network.js';
import { parseNatsAddress } from './nats-address.js';
import { openNats } from './nats-connection.js';
import { SnapshotBucket } from './snapshots/snapshot-bucket.js';

describe.skipIf(!hasNatsServer)(`the networks of the servers${NATS_NEEDED}`, () => {
  let servers: NatsServers;
  let connection: NatsConnection;
  const clock = new FakeClock();
  const join = (name?: string) => findNetwork(connection, clock, name, false);
  const create = (name?: string) => findNetwork(connection, clock, name, true);
  beforeAll(async () => {
    servers = await NatsServers.start(1);
    connection = await openNats({ address: parseNatsAddress(servers.url), credentials: undefined, name: 'test' });
  });
  afterAll(async () => {
    await connection.close();
    await servers.stop();
  });

  it('are found by their names, of which none is needed while there is only one', async () => {
    const none = { code: 'not_found', message: 'The servers have no network: create one with meshd network create.' };
    await expect(join()).rejects.toMatchObject(none);
    await expect(join('docks')).rejects.toMatchObject({
      code: 'not_found',
      message: 'The servers have no network "docks": create it, or check the name.',
    });
    const docks = await create('docks');
    expect(docks).toEqual({ network: 'docks', identity: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect([await join(), await join('docks')]).toEqual([docks, docks]);
    await expect(create('docks')).rejects.toMatchObject({
      code: 'slug_taken',
      message: 'The servers have a network "docks": join it, or give another name.',
    });
    const quays = await create('quays');
    expect(quays.identity).not.toBe(docks.identity);
    await expect(join()).rejects.toMatchObject({
      ...{ code: 'bad_request', details: { path: 'network' } },
      message: 'The servers have several networks: give --network docks or quays.',
    });
    expect(await join('quays')).toEqual(quays);
    await expect(create('Upper')).rejects.toMatchObject({ code: 'bad_request' });
  });

  it('are deleted by their identity: another one of that name stays', async () => {
    const pier = await create('pier');
    await deleteNetwork(connection, { ...pier, identity: 'another' });
    expect(await join('pier')).toEqual(pier);
    await deleteNetwork(connection, pier);
    await expect(join('pier')).rejects.toMatchObject({ code: 'not_found' });
    await deleteNetwork(connection, pier);
  });

  it('can be created where the account takes streams of a given size alone', async () => {
    const lines = [
      'accounts { A { jetstream: { max_file: 8G, max_bytes_required: true }, users: [{ user: a, password: b }] } }',
      'no_auth_user: a',
    ];
    const config = joinPath(temporaryFolder({ 'nats.conf': lines.join('\n') }), 'nats.conf');
    const strict = await NatsServers.start(1, undefined, config);
    onTestFinished(() => strict.stop());
    const opened = await openNats({ address: parseNatsAddress(strict.url), credentials: undefined, name: 'test' });
    onTestFinished(() => opened.close());
    expect(await findNetwork(opened, clock, 'docks', true)).toMatchObject({ network: 'docks' });
    await SnapshotBucket.open(jetstream(opened), 'docks', 1);
    const { streams } = await jetstreamManager(opened, { checkAPI: false });
    const configs = await Promise.all(['MESHD_docks', 'OBJ_MESHD_docks'].map((name) => streams.info(name)));
    expect(configs.map(({ config: { max_bytes, discard } }) => [max_bytes, discard])).toEqual([
      [1024 ** 3, 'new'],
      [1024 ** 3 / 4, 'new'],
    ]);
  });

  it('need JetStream, which is said where nobody answers for it', async () => {
    const refused = { jsm: Object.assign(new Error('no responders'), { name: 'JetStreamNotEnabled' }) };
    const deaf = { ...connection, request: () => Promise.reject(refused.jsm) } as unknown as NatsConnection;
    await expect(findNetwork(deaf, clock, 'docks', false)).rejects.toMatchObject({
      message: expect.stringMatching(/They need JetStream \(nats-server --jetstream\)\.$/),
    });
  });

  it('are not looked for over a connection that is closed', async () => {
    const closed = await openNats({ address: parseNatsAddress(servers.url), credentials: undefined, name: 'test' });
    await closed.close();
    await expect(findNetwork(closed, clock, 'docks', false)).rejects.toMatchObject({
      code: 'network_unavailable',
      message: expect.stringMatching(/^The servers did not open the network: [^.]+\.$/),
    });
  });
});
