import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { jetstream } from '@nats-io/jetstream';
import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ClusterCreated } from '../../contract/clusters.js';
import type { NetworkFrames, NetworkMembers, NetworkStatus } from '../../contract/shared/network.js';
import type { MessageFrame, ReadyFrame, WallFrame } from '../../contract/wall.js';
import { SigningKey } from '../../lib/crypto/ed25519.js';
import { systemClock } from '../../lib/time/clock.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { hasNatsServer, NATS_NEEDED, NatsServers } from '../../testing/processes/nats-server.js';
import { SocketClient } from '../../testing/processes/socket-client.js';
import { commandSubject, signCommand, toBase64Url } from '../network/command-envelope.js';
import { PeerFrames } from '../network/frames/peer-frames.js';
import { parseNatsAddress } from '../network/nats-address.js';
import { openNats } from '../network/nats-connection.js';

type Client = SocketClient<WallFrame>;

/** A daemon in the network, whose clock is that of the servers. The first one creates the network. */
async function aDaemon(servers: NatsServers, network: string, isFirst = false): Promise<TestApp> {
  const app = await testApp();
  app.clock.step(Date.now() - app.clock.now());
  const reply = await app.call(isFirst ? 'POST' : 'PUT', '/network', { url: servers.url, network });
  expect(reply.status).toBe(200);
  return app;
}

async function aCluster(app: TestApp): Promise<ClusterCreated> {
  return (await app.call('POST', '/v1/clusters', { name: 'Quay', visibility: 'public' })).body;
}

async function join(app: TestApp, cluster: ClusterCreated, agent: string, query: object = {}): Promise<Client> {
  const id = cluster.cluster_id;
  await expect.poll(async () => (await app.call('GET', `/v1/clusters/${id}`)).status).toBe(200);
  const all = new URLSearchParams({ agent, ...query });
  const client: Client = new SocketClient(`${app.address.replace('http', 'ws')}/v1/clusters/${id}/ws?${all}`);
  expect((await client.next()).kind).toBe('ready');
  return client;
}

const online = (agent: string) => ({ kind: 'presence', agent, did: null, status: 'online' });
const offline = (agent: string) => ({ ...online(agent), status: 'offline' });
const sees = (client: Client, frame: object) => expect.poll(() => client.frames).toContainEqual(frame);
const messages = (client: Client) => client.frames.filter((frame): frame is MessageFrame => frame.kind === 'message');
const payloads = (client: Client) => messages(client).map(({ payload }) => payload);
const say = (client: Client, frame: unknown) =>
  client.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
const getFrames = async (app: TestApp) => ((await app.call('GET', '/network')).body as NetworkStatus).frames;
const dropped = ({ dropped: list }: NetworkFrames) =>
  Object.fromEntries(list.map(({ reason, count }) => [reason, count]));

/** Somebody with access to the servers, who hears all that daemons say and says what it likes. */
async function aMember(servers: NatsServers): Promise<NatsConnection> {
  const wanted = { address: parseNatsAddress(servers.url), credentials: undefined, name: 'test', echo: false };
  const connection = await openNats(wanted);
  onTestFinished(() => connection.close());
  return connection;
}

describe.skipIf(!hasNatsServer)(`the Wall of daemons in a network${NATS_NEEDED}`, () => {
  let servers: NatsServers;
  beforeAll(async () => {
    servers = await NatsServers.start(1);
  });
  afterAll(() => servers.stop());

  it('carries presence and messages between three daemons, in the order of each sender, and counts who is reached', async () => {
    const one = await aDaemon(servers, 'three', true);
    const [other, third] = [await aDaemon(servers, 'three'), await aDaemon(servers, 'three')];
    const cluster = await aCluster(one);
    const [ines, omar] = [await join(one, cluster, 'ines'), await join(other, cluster, 'omar')];
    await sees(ines, online('omar'));
    const late = await join(third, cluster, 'late', { vis: 'ghost' });
    await expect
      .poll(async () => (await join(third, cluster, 'probe', { vis: 'ghost' })).frames[0] as ReadyFrame)
      .toMatchObject({ online: ['ines', 'omar'] });
    for (let n = 0; n < 100; n += 1) {
      say(ines, { payload: { n, text: `number ${n}` } });
      say(omar, { payload: `of omar ${n}` });
    }
    await expect.poll(() => messages(late)).toHaveLength(200);
    const of = (client: Client, from: string) => messages(client).filter((frame) => frame.from === from);
    expect(of(late, 'ines').map(({ payload }) => (payload as { n: number }).n)).toEqual([...Array(100).keys()]);
    await expect.poll(() => payloads(ines)).toEqual(Array.from({ length: 100 }, (_, n) => `of omar ${n}`));
    expect(of(late, 'omar').map(({ payload }) => payload)).toEqual(payloads(ines));
    expect(ines.frames).toContainEqual({ kind: 'ack', to: null, delivered: 1 });

    say(omar, { to: ['ines', 'late', 'nobody'], payload: 'for you' });
    await sees(ines, expect.objectContaining({ kind: 'message', from: 'omar', from_did: null, to: 'ines' }));
    await sees(late, expect.objectContaining({ from: 'omar', to: 'late', payload: 'for you' }));
    await sees(omar, { kind: 'ack', to: ['ines', 'late', 'nobody'], delivered: 1 });
    say(late, 'seen by all, from nobody that is listed');
    await sees(ines, expect.objectContaining({ from: 'late', to: null }));
    await sees(late, { kind: 'ack', to: null, delivered: 2 });

    omar.socket.close();
    await sees(ines, offline('omar'));
    say(ines, 'alone');
    await sees(ines, { kind: 'ack', to: null, delivered: 0 });
    // Omar was the only one of his daemon, which did not follow the cluster meanwhile.
    const back = await join(other, cluster, 'omar');
    const isOnline = (frame: object) => isDeepStrictEqual(frame, online('omar'));
    await expect.poll(() => ines.frames.filter(isOnline)).toHaveLength(2);
    say(ines, 'again');
    await sees(back, expect.objectContaining({ from: 'ines', payload: 'again' }));
    expect(dropped(await getFrames(one))).toEqual({});
    expect(dropped(await getFrames(third))).toEqual({});
  });

  it('keeps private members masked for the outside, and ends with the cluster, with a daemon and with the network', async () => {
    const [one, other] = [await aDaemon(servers, 'ends', true), await aDaemon(servers, 'ends')];
    const cluster = await aCluster(one);
    const omar = await join(other, cluster, 'omar');
    const ines = await join(one, cluster, 'ines', { vis: 'private', did: 'did:key:z6Mk' });
    await sees(omar, { ...online('ines'), did: 'did:key:z6Mk' });
    const onlooker = await join(other, cluster, 'eye', { vis: 'ghost', mask: '1' });
    expect((onlooker.frames[0] as ReadyFrame).online).toEqual(['omar', 'private-1']);
    say(ines, 'masked');
    await sees(onlooker, expect.objectContaining({ from: 'private-1', payload: 'masked' }));
    await sees(omar, expect.objectContaining({ from: 'ines', payload: 'masked' }));

    expect((await other.call('DELETE', '/network')).status).toBe(200);
    await sees(ines, offline('omar'));
    await sees(omar, { ...offline('ines'), did: 'did:key:z6Mk' });
    say(omar, 'to nobody');
    await sees(omar, { kind: 'ack', to: null, delivered: 0 });
    expect((await other.call('PUT', '/network', { url: servers.url, network: 'ends' })).status).toBe(200);
    // Whose cluster came after the snapshot with which the daemon began again was sent away.
    const again = await join(other, cluster, 'omar');
    await sees(ines, online('omar'));
    say(ines, 'welcome back');
    await sees(again, expect.objectContaining({ from: 'ines', payload: 'welcome back' }));
    await one.call('DELETE', `/v1/clusters/${cluster.cluster_id}`, undefined, {
      authorization: `Bearer ${cluster.admin_token}`,
    });
    await sees(again, expect.objectContaining({ kind: 'closed' }));
    expect((await again.closed).code).toBe(4000);
  });

  it('lists members as absent a minute after their daemon fell silent, and tells no more reached meanwhile than are', async () => {
    const lone = await NatsServers.start(1);
    onTestFinished(() => lone.stop());
    const [one, other] = [await aDaemon(lone, 'silent', true), await aDaemon(lone, 'silent')];
    const cluster = await aCluster(one);
    const [ines, omar] = [await join(one, cluster, 'ines'), await join(other, cluster, 'omar')];
    const anna = await join(one, cluster, 'anna');
    await sees(ines, online('omar'));
    await sees(omar, online('anna'));
    await lone.kill('n1');
    await expect.poll(async () => ((await one.call('GET', '/network')).body as NetworkStatus).state).toBe('connecting');
    say(ines, 'while nobody hears');
    await sees(ines, { kind: 'ack', to: null, delivered: 1 });
    await sees(anna, expect.objectContaining({ payload: 'while nobody hears' }));
    let passedMs = 0;
    const passTime = () => {
      passedMs += 4_000;
      one.clock.advance(4_000);
      return ines.frames;
    };
    // In steps, so that the sockets here answer the pings meanwhile.
    await expect.poll(passTime).toContainEqual(offline('omar'));
    expect(passedMs).toBeGreaterThanOrEqual(60_000);
    await lone.startOne('n1');
    await expect
      .poll(
        () => {
          for (const { clock } of [one, other]) clock.advance(1_000);
          return ines.frames.filter((frame) => frame.kind === 'presence' && frame.agent === 'omar');
        },
        { timeout: 15_000 },
      )
      .toHaveLength(3);
    say(ines, 'again');
    await expect.poll(() => payloads(omar)).toEqual(['again']);
  });

  it('believes nothing that is forged, replayed, too large or in the name of another daemon’s agent, and counts it', async () => {
    const [one, other] = [await aDaemon(servers, 'forged', true), await aDaemon(servers, 'forged')];
    const cluster = await aCluster(one);
    const id = cluster.cluster_id;
    const [ines, omar] = [await join(one, cluster, 'ines'), await join(other, cluster, 'omar')];
    const member = await aMember(servers);
    const heard: Msg[] = [];
    member.subscribe(`m.forged.wall.${id}.*`, { callback: (_, message) => void heard.push(message) });
    await member.flush();
    await sees(ines, online('omar'));
    say(omar, 'genuine');
    await expect.poll(() => payloads(ines)).toEqual(['genuine']);
    await expect.poll(() => heard).toHaveLength(1);
    const { subject, data } = heard[0] as Msg;
    member.publish(subject, data);
    member.publish(subject, Buffer.from(Buffer.from(data).toString('latin1').replace('genuine', 'altered'), 'latin1'));
    member.publish(subject, Buffer.alloc(1_000_000));
    member.publish(subject, Buffer.from('{}'));
    const key = new SigningKey(SigningKey.newSeed());
    member.publish(`m.forged.wall.${id}.${toBase64Url(key.pubkey)}`, data);
    await expect
      .poll(async () => dropped(await getFrames(one)))
      .toEqual({ replay: 1, signature: 1, size: 1, form: 1, daemon: 1 });

    // A daemon of the network that does not keep to its own members.
    const join_ = { schema: 1, id: randomUUID(), kind: 'daemon.join', entity: toBase64Url(key.pubkey) } as const;
    const command = { ...join_, at: Date.now(), daemon: join_.entity, body: { name: 'Rogue' } };
    await jetstream(member).publish(commandSubject('forged', command), signCommand(key, 'forged', command));
    const rogue = new PeerFrames({
      ...{ key, clock: systemClock, isMember: () => true },
      show: () => ({ project: 'rogue', cards: [] }),
    });
    rogue.listen({
      ...{ onOpen: () => undefined, onClose: () => undefined, onAnnounce: () => undefined, onAbsent: () => undefined },
      ...{ onPresence: () => undefined, onFrames: () => undefined },
    });
    onTestFinished(() => rogue.close());
    const countMembers = async () => ((await one.call('GET', '/network/members')).body as NetworkMembers).count;
    await expect.poll(countMembers).toBe(3);
    rogue.open(await aMember(servers), 'forged');
    await expect.poll(() => rogue.counts.received).toBeGreaterThanOrEqual(4);
    const frame = {
      from: 'omar',
      did: null,
      ghost: false,
      to: null,
      ts: Math.floor(Date.now() / 1000),
      payload: '"no"',
    };
    const lies = [
      { ...frame },
      { ...frame, ghost: true },
      { ...frame, from: 'a\u202Eb', ghost: true },
      { ...frame, from: 'rogue', ghost: true, ts: frame.ts - 600 },
      { ...frame, from: 'rogue', ghost: true, payload: '1,"to":"x"' },
      { ...frame, from: 'rogue', ghost: true, payload: '['.repeat(33) + ']'.repeat(33) },
      { ...frame, from: 'rogue', ghost: true, to: [''] },
    ];
    rogue.send('wall', id, { frames: lies });
    rogue.send('wall', id, { frames: [{ ...frame, kind: 'closed' }] });
    rogue.send('presence', 'c_0000000000000000', { part: 0, of: 0, members: [], gone: [] });
    rogue.send('presence', id, { part: 0, of: 0, members: [], gone: ['omar'] });
    rogue.send('wall', id, { frames: [{ ...frame, from: 'rogue', ghost: true, board: 'nope', payload: '"yes"' }] });
    await expect.poll(() => payloads(ines)).toEqual(['genuine', 'yes']);
    expect(messages(ines).at(-1)).toEqual({ kind: 'message', from: 'rogue', to: null, ts: frame.ts, payload: 'yes' });
    expect(ines.frames).not.toContainEqual(offline('omar'));
    expect(dropped(await getFrames(one))).toEqual({
      ...{ replay: 1, signature: 1, size: 1, daemon: 1 },
      ...{ handle: 3, clock: 1, form: 1 + 3 + 1, cluster: 1 },
    });
    expect(payloads(omar)).toEqual(['yes']);
  });
});
