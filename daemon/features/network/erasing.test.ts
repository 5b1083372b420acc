import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { PostCreated } from '../../contract/boards.js';
import type { ClusterCreated } from '../../contract/clusters.js';
import type { Registration } from '../../contract/network/hub.js';
import type { NetworkStatus } from '../../contract/shared/network.js';
import { digestSharedTables } from '../../shared-log/shared-tables.js';
import { Database } from '../../storage/database/database.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { findBytes } from '../../testing/find-bytes.js';
import { hasNatsServer, NATS_NEEDED, NatsServers } from '../../testing/processes/nats-server.js';
import { toStreamName } from './command-stream.js';
import { parseNatsAddress } from './nats-address.js';
import { openNats } from './nats-connection.js';
import { SnapshotBucket } from './snapshots/snapshot-bucket.js';

const HOUR_MS = 3_600_000;

const TICK_MS = 20;

/** A daemon whose clock is that of the servers, which compare it, and goes on like theirs. */
async function aDaemon(root?: string): Promise<TestApp> {
  const clock = new FakeClock(Date.now());
  const timer = setInterval(() => clock.advance(TICK_MS), TICK_MS);
  onTestFinished(() => clearInterval(timer));
  return testApp({ clock, ...(root !== undefined && { root }) });
}

/**
 * Lets so many hours pass for a daemon alone, which looks after the snapshots once, until something holds. The others
 * refuse its changes meanwhile.
 */
async function pass({ clock }: TestApp, hours: number, until: () => Promise<void>): Promise<void> {
  clock.step((hours - 1) * HOUR_MS);
  clock.advance(HOUR_MS);
  await until();
  clock.step(-hours * HOUR_MS);
}

async function connect(servers: NatsServers, network: string) {
  const connection = await openNats({ address: parseNatsAddress(servers.url), credentials: undefined, name: 'test' });
  onTestFinished(() => connection.close());
  const manager = await jetstreamManager(connection, { checkAPI: false });
  const bucket = await SnapshotBucket.open(jetstream(connection), network, 1);
  const state = async () => (await manager.streams.info(toStreamName(network))).state;
  const newest = async () => (await bucket.list())[0]?.sequence;
  /** Lets the daemon make a snapshot. */
  const snapshot = async (app: TestApp) => {
    const before = (await newest()) ?? 0;
    await pass(app, 22, () => expect.poll(newest).toBeGreaterThan(before));
  };
  return { manager, bucket, state, newest, snapshot };
}

/** Bytes in the middle of the newest snapshot, which is compressed. */
async function bytesOf(bucket: SnapshotBucket): Promise<Buffer> {
  const [newest] = await bucket.list();
  const all = newest ? await buffer(bucket.read(newest)) : Buffer.alloc(0);
  return all.subarray(all.length / 2, all.length / 2 + 48);
}

/** The words of everything that these daemons share and then delete. */
const WORDS = {
  cluster: ['ZCNAME', 'zctopic'],
  board: ['zbname', 'zbabout'],
  post: ['zptitle', 'zpbody', 'zpplace'],
  message: ['zmtext'],
  agent: ['zadescription'],
};
const ALL_WORDS = Object.values(WORDS).flat();

async function registerAgent(app: TestApp, agent_id: string, description: string) {
  const { token }: Registration = (
    await app.call('POST', '/agents/register', { agent_id, capabilities: ['test'], description })
  ).body;
  return { authorization: `Bearer ${token}` };
}

/** Shares every text through the daemon. Returns what deletes it. */
async function shareAll(app: TestApp): Promise<() => Promise<void>> {
  const { call } = app;
  const [name, topic] = WORDS.cluster;
  const { cluster_id, admin_token }: ClusterCreated = (
    await call('POST', '/v1/clusters', { name, topic, visibility: 'public' })
  ).body;
  const admin = { 'x-cluster-token': admin_token ?? '' };
  const cluster = `/v1/clusters/${cluster_id}`;
  await call('PATCH', cluster, { boards_enabled: true }, admin);
  const board = { slug: 'flats', name: WORDS.board[0], about: WORDS.board[1], kind: 'generic' };
  await call('POST', `${cluster}/boards`, board, admin);
  const [title, body, label] = WORDS.post;
  const post = { title, body, props: { where: { lat: 1, lon: 2, label } } };
  const posts = `${cluster}/boards/flats/posts`;
  const { id }: PostCreated = (await call('POST', `${posts}?agent=ada`, post, { 'idempotency-key': 'one' })).body;
  const sender = await registerAgent(app, 'sender', WORDS.agent[0] as string);
  await registerAgent(app, 'receiver', 'stays');
  const message = { to: 'receiver', payload: { text: WORDS.message[0] } };
  expect((await call('POST', '/agents/messages', message, sender)).status).toBe(200);
  return async () => {
    const removed = [
      await call('DELETE', `${posts}/${id}?agent=ada`),
      await call('DELETE', `${cluster}/boards/flats`, undefined, admin),
      await call('DELETE', cluster, undefined, admin),
      await call('DELETE', '/agents/me', undefined, sender),
    ];
    expect(removed.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  };
}

const sequenceOf = async ({ call }: TestApp) => ((await call('GET', '/network')).body as NetworkStatus).sequence;

/** Stops daemons that have applied the same commands, and returns the digests of their shared data. */
async function digestsOf(apps: readonly TestApp[], servers: NatsServers): Promise<Set<string>> {
  const sequences = async () => new Set(await Promise.all(apps.map(sequenceOf)));
  for (;;) {
    await expect.poll(async () => (await sequences()).size).toBe(1);
    // From here on there is no command of a daemon that stops.
    await servers.kill('n1');
    if ((await sequences()).size === 1) break;
    await servers.startOne('n1');
  }
  await Promise.all(apps.map((app) => app.stop()));
  await servers.startOne('n1');
  const digests = apps.map(({ root }) => {
    const database = new Database(join(root, '.mesh/state/mesh.db'));
    const digest = digestSharedTables(database);
    database.close();
    return digest;
  });
  return new Set(digests);
}

describe.skipIf(!hasNatsServer)(`what was deleted in a network${NATS_NEEDED}`, () => {
  let servers: NatsServers;
  beforeAll(async () => {
    servers = await NatsServers.start(1);
  });
  afterAll(() => servers.stop());

  const onServers = (what: string | Buffer) => findBytes(servers.folder, what);
  const wordsOnServers = () => ALL_WORDS.filter((word) => onServers(word).length > 0);

  it('is in no byte of the servers and of any daemon a day later, and everybody goes on', async () => {
    const [one, other] = [await aDaemon(), await aDaemon()];
    await one.call('POST', '/network', { url: servers.url, network: 'docks' });
    await other.call('PUT', '/network', { url: servers.url, network: 'docks' });
    const { bucket, snapshot } = await connect(servers, 'docks');
    const deleteAll = await shareAll(one);
    await snapshot(one);
    const old = await bytesOf(bucket);
    expect([wordsOnServers(), onServers(old).length]).toEqual([ALL_WORDS, 1]);

    const late = await registerAgent(one, 'late', 'zlate');
    await one.call('DELETE', '/agents/me', undefined, late);
    await deleteAll();
    await snapshot(one);
    expect([onServers('zlate').length, onServers(old).length]).toEqual([1, 1]);
    await pass(one, 1, () => expect.poll(() => onServers('zlate')).toEqual([]));
    expect([wordsOnServers(), onServers(old)]).toEqual([[], []]);

    await servers.kill('n1');
    await servers.startOne('n1');
    await expect.poll(async () => ((await one.call('GET', '/network')).body as NetworkStatus).state).toBe('following');
    await registerAgent(one, 'later', 'stays');
    expect((await digestsOf([one, other], servers)).size).toBe(1);
    for (const { root } of [one, other])
      expect(ALL_WORDS.filter((word) => findBytes(root, word).length > 0)).toEqual([]);
  });

  it.each(['all of it', 'one command'])('is not missed by a daemon that was away: %s is erased', async (erased) => {
    const network = erased.replaceAll(' ', '-');
    const [one, late] = [await aDaemon(), await aDaemon()];
    await one.call('POST', '/network', { url: servers.url, network });
    await late.call('PUT', '/network', { url: servers.url, network });
    const { manager, state, snapshot } = await connect(servers, network);
    await late.stop();
    const deleteAll = await shareAll(one);
    const middle = (await state()).last_seq - 2;
    await deleteAll();
    await snapshot(one);
    if (erased === 'one command') await manager.streams.deleteMessage(toStreamName(network), middle, true);
    else await pass(one, 1, () => expect.poll(async () => (await state()).first_seq).toBeGreaterThan(middle));
    await registerAgent(one, 'later', 'stays');
    const again = await aDaemon(late.root);
    expect((await digestsOf([one, again], servers)).size).toBe(1);
  });
});
