import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { JetStreamClient, PubAck } from '@nats-io/jetstream';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { SigningKey } from '../../lib/crypto/ed25519.js';
import { systemClock } from '../../lib/time/clock.js';
import type { Command } from '../../shared-log/shared-log.js';
import { NetworkReplica, TEST_NETWORK } from '../../testing/apps/network-replica.js';
import { hasNatsServer, NATS_NEEDED, NatsServers } from '../../testing/processes/nats-server.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { commandSubject, signCommand, toBase64Url } from './command-envelope.js';
import { createStream, eraseMessages, findStream, toStreamName } from './command-stream.js';
import { parseNatsAddress } from './nats-address.js';
import { openNats } from './nats-connection.js';

interface Transport {
  socket: Socket;
  discard(): void;
}

/** Ends the socket, writes to it, and discards it before the error of that write is emitted. */
async function breakWhileWriting(transport: Transport): Promise<void> {
  const { socket } = transport;
  const failed = new Promise((resolve) => {
    socket.end();
    socket.write('PING\r\n', resolve);
  });
  socket.removeAllListeners();
  expect(await failed).toMatchObject({ code: 'ERR_STREAM_WRITE_AFTER_END' });
  transport.discard();
  await new Promise(setImmediate);
}

/** A clock that a test moves on by hand, too. */
function steppedClock() {
  let aheadMs = 0;
  const step = (ms: number) => {
    aheadMs += ms;
  };
  return { clock: { ...systemClock, elapsed: () => systemClock.elapsed() + aheadMs }, step };
}

/** Makes the first attempts to publish end as `attempts` say; later ones reach the servers. */
const answering =
  (attempts: (() => Promise<Partial<PubAck>>)[]) =>
  (client: JetStreamClient): Pick<JetStreamClient, 'publish'> => ({
    publish: (...args) => (attempts.shift() as (() => Promise<PubAck>) | undefined)?.() ?? client.publish(...args),
  });

const failure = (properties: object) => Object.assign(new Error('no'), properties);

async function follow(servers: NatsServers, options?: Parameters<NetworkReplica['follow']>[1]) {
  const replica = NetworkReplica.create(temporaryFolder());
  onTestFinished(() => replica.database.close());
  const followed = await replica.follow(servers.url, options);
  onTestFinished(() => followed.stop());
  return { replica, ...followed };
}

describe.skipIf(!hasNatsServer)(`the log of one server${NATS_NEEDED}`, () => {
  let servers: NatsServers;
  beforeAll(async () => {
    servers = await NatsServers.start(1);
  });
  afterAll(() => servers.stop());

  it('resolves with the result of the decider once the change is applied here, and rejects with its refusal', async () => {
    const { replica, log, stream } = await follow(servers);
    expect(stream.config.num_replicas).toBe(1);
    await expect(log.submit('berth.claim', 'first', { holder: 'Aurora' })).resolves.toEqual({ holder: 'Aurora' });
    expect(replica.berths()).toMatchObject({ first: 'Aurora' });
    await expect(log.submit('berth.claim', 'first', { holder: 'Borneo' })).rejects.toMatchObject({
      code: 'agent_id_claimed',
      message: 'The berth first is taken.',
    });
    await expect(log.submit('berth.move', 'none', {})).rejects.toMatchObject({ code: 'not_found' });
  });

  it('keeps every command after a snapshot, also after that of an empty network', async () => {
    const { connection, manager } = await follow(servers);
    await createStream(manager, 'quay', 'one', systemClock);
    for (const number of [1, 2, 3]) await connection.request(`m.quay.cmd.berth.b${number}`);
    const count = async () => (await findStream(manager, 'quay'))?.state;
    await eraseMessages(manager, toStreamName('quay'), 0);
    expect(await count()).toMatchObject({ messages: 3, first_seq: 1 });
    await eraseMessages(manager, toStreamName('quay'), 1);
    expect(await count()).toMatchObject({ messages: 2, first_seq: 2 });
    // The newest stays: a server that restarts would not know the number of the next.
    await eraseMessages(manager, toStreamName('quay'), 3);
    expect(await count()).toMatchObject({ messages: 1, first_seq: 3, last_seq: 3 });
  });

  it('is purged at least, where the stream of an older network lets no message be erased', async () => {
    const { connection, manager } = await follow(servers);
    await manager.streams.add({ name: 'older', subjects: ['m.older.cmd.>'], storage: 'file', deny_delete: true });
    for (const number of [1, 2, 3]) await connection.request(`m.older.cmd.berth.b${number}`);
    for (const last of [0, 2]) await eraseMessages(manager, 'older', last);
    expect((await manager.streams.info('older')).state).toMatchObject({ messages: 1, first_seq: 3 });
  });

  it('refuses and names what is forged, replayed, of a wrong clock or another daemon’s, and goes on', async () => {
    const [one, other] = [await follow(servers), await follow(servers)];
    await one.log.submit('berth.claim', 'mine', { holder: 'Aurora' });
    const key = new SigningKey(SigningKey.newSeed());
    const send = (changes: Partial<Command>, signer = key) => {
      const command: Command = {
        ...{ schema: 1, id: randomUUID(), kind: 'berth.claim', entity: 'theirs', at: Date.now() },
        ...{ daemon: toBase64Url(key.pubkey), body: { holder: 'Pirate' }, ...changes },
      };
      return other.connection.publish(
        commandSubject(TEST_NETWORK, command),
        signCommand(signer, TEST_NETWORK, command),
      );
    };
    const id = randomUUID();
    send({}, new SigningKey(SigningKey.newSeed()));
    send({ at: Date.now() - 2 * 3_600_000 });
    send({ id });
    send({ id });
    send({ kind: 'berth.free', entity: 'mine' });
    await expect(other.log.submit('berth.claim', 'last', { holder: 'Borneo' })).resolves.toBeDefined();
    await one.log.submit('berth.move', 'mine', { holder: 'Calypso' });
    await expect
      .poll(() => one.log.state.refusals.map(({ reason }) => reason))
      .toEqual(['owner', 'replay', 'clock', 'signature']);
    expect(one.replica.warnings.join('\n')).toContain('The sender’s clock is 7200 seconds behind');
    expect(one.replica.berths()).toMatchObject({ mine: 'Calypso', theirs: 'Pirate', last: 'Borneo' });
    await expect.poll(() => other.replica.digest()).toBe(one.replica.digest());
  });

  it('goes on after a restart where its store stands, whatever its consumer was given', async () => {
    const { replica, log, stop } = await follow(servers);
    await log.submit('berth.claim', 'before', { holder: 'Aurora' });
    await stop();
    const other = await follow(servers);
    await other.log.submit('berth.claim', 'meanwhile', { holder: 'Borneo' });
    const again = await replica.follow(servers.url);
    await again.log.submit('berth.claim', 'after', { holder: 'Calypso' });
    await expect.poll(() => other.replica.digest()).toBe(replica.digest());
    expect(replica.berths()).toMatchObject({ before: 'Aurora', meanwhile: 'Borneo', after: 'Calypso' });
    // The server forgets the consumer: it is created again.
    await again.manager.consumers.delete(again.stream.config.name, `daemon-${toBase64Url(replica.key.pubkey)}`);
    await again.log.submit('berth.free', 'after', {});
    expect(replica.berths()).not.toHaveProperty('after');
    await again.stop();
  });

  it('stops at a command of a newer schema, says so, and takes no change until it is upgraded', async () => {
    const lone = await NatsServers.start(1);
    onTestFinished(() => lone.stop());
    const { log, connection, replica } = await follow(lone);
    await log.submit('berth.claim', 'old', { holder: 'Aurora' });
    const { key } = replica;
    const command = {
      ...{ schema: 2 as 1, id: randomUUID(), kind: 'berth.claim', entity: 'new', at: Date.now() },
      ...{ daemon: toBase64Url(key.pubkey), body: {} },
    };
    connection.publish(commandSubject(TEST_NETWORK, command), signCommand(key, TEST_NETWORK, command));
    await expect.poll(() => log.state.cannotFollow).toContain('too old for the network (command 2: It has schema 2');
    await expect(log.submit('berth.claim', 'next', { holder: 'Borneo' })).rejects.toMatchObject({
      code: 'network_unavailable',
      message: expect.stringContaining('Upgrade meshd'),
    });
    expect([log.sequence, replica.berths()]).toEqual([1, { old: 'Aurora' }]);
  });

  it('asks again while an earlier attempt waits for a majority', async () => {
    const { log, replica } = await follow(servers, {
      wrap: answering([
        () => Promise.reject(failure({ code: 10_158 })),
        () => Promise.resolve({ seq: 0, duplicate: true }),
        () => Promise.reject(failure({ name: 'TimeoutError' })),
      ]),
    });
    await expect(log.submit('berth.claim', 'late', { holder: 'Aurora' })).resolves.toEqual({ holder: 'Aurora' });
    expect(replica.berths()).toMatchObject({ late: 'Aurora' });
  });

  it.each([
    ['a code of JetStream', { code: 10_054 }],
    ['what the client does not send', { name: 'InvalidArgumentError' }],
    ['a subject that is not permitted', { cause: { name: 'PermissionViolationError' } }],
  ])('says at once that nothing was changed for %s', async (_, refusal) => {
    const wrap = answering([() => Promise.reject(failure(refusal))]);
    const { log, replica } = await follow(servers, { wrap });
    await expect(log.submit('berth.claim', 'refused', {})).rejects.toMatchObject({
      code: 'network_unavailable',
      message: 'Nothing was changed: the servers refused it (no).',
    });
    expect(replica.berths()).not.toHaveProperty('refused');
  });

  it.each([
    ['nobody answers for JetStream', { name: 'JetStreamNotEnabled' }, 'Nothing was changed.'],
    [
      'an answer is missing',
      { name: 'TimeoutError' },
      'The change may still take effect: look before you send it again.',
    ],
  ])('says what may have become of a change where %s', async (_, reason, fate) => {
    const { clock, step } = steppedClock();
    const attempt = () => {
      step(6_000);
      return Promise.reject(failure(reason));
    };
    const { log } = await follow(servers, { clock, wrap: answering([attempt, attempt]) });
    await expect(log.submit('berth.claim', 'unsure', {})).rejects.toMatchObject({
      message: `No majority of the network’s servers confirmed it. ${fate}`,
    });
  });

  it('stops where the servers have lost what it has applied, also once they have as much again', async () => {
    const lone = await NatsServers.start(1);
    onTestFinished(() => lone.stop());
    const { clock, step } = steppedClock();
    const { log, manager, stream, replica } = await follow(lone, { clock });
    for (const id of ['b1', 'b2', 'b3']) await log.submit('berth.claim', id, { holder: 'Aurora' });
    // As with a disk of an earlier time.
    await manager.streams.delete(stream.config.name);
    const other = await follow(lone);
    await other.log.submit('berth.claim', 'c1', { holder: 'Borneo' });
    const lost = 'the servers of the network have lost changes: their';
    await expect.poll(() => log.state.problem).toBe(`${lost} newest change is number 1, this daemon’s 3.`);
    await expect(log.submit('berth.claim', 'b4', {})).rejects.toMatchObject({
      message: `Nothing was changed: ${lost} newest change is number 1, this daemon’s 3.`,
    });
    for (const id of ['c2', 'c3', 'c4']) await other.log.submit('berth.claim', id, { holder: 'Borneo' });
    const replaced = `${lost} change number 3 is not the one that is applied here.`;
    await expect.poll(() => log.state.problem).toBe(replaced);
    expect(log.state.cannotFollow).toBeUndefined();
    step(30_000);
    await expect
      .poll(() => log.state.cannotFollow)
      .toBe(`${replaced} Leave it, and join it again: what is here is set aside.`);
    expect([log.sequence, Object.keys(replica.berths())]).toEqual([3, ['b1', 'b2', 'b3']]);
  });

  it('refuses a change at once while there is no server, and keeps none for later', async () => {
    const lone = await NatsServers.start(1);
    onTestFinished(() => lone.stop());
    const { log, replica } = await follow(lone);
    await log.submit('berth.claim', 'b1', { holder: 'Aurora' });
    await lone.kill('n1');
    await expect.poll(() => log.state.isConnected).toBe(false);
    await expect(log.submit('berth.claim', 'b2', { holder: 'Borneo' })).rejects.toMatchObject({
      code: 'network_unavailable',
      message: expect.stringContaining('Nothing was changed'),
    });
    expect(replica.berths()).toEqual({ b1: 'Aurora' });
    await lone.startOne('n1');
    await expect.poll(() => log.state.isConnected).toBe(true);
    await log.submit('berth.claim', 'b3', { holder: 'Calypso' });
    expect(Object.keys(replica.berths())).toEqual(['b1', 'b3']);
  });
});

it.skipIf(!hasNatsServer)(`outlives the death of a server in the middle of a write${NATS_NEEDED}`, async () => {
  const servers = await NatsServers.start(1);
  onTestFinished(() => servers.stop());
  const open = async () => {
    const address = parseNatsAddress(servers.url);
    const connection = await openNats({ address, credentials: undefined, name: 'test' });
    onTestFinished(() => connection.close());
    return { connection, find: () => (connection as unknown as { protocol: { transport: Transport } }).protocol };
  };
  const [first, second] = [await open(), await open()];
  // An error that nobody handles fails the test.
  await breakWhileWriting(first.find().transport);
  // The socket of a reconnection, too.
  const { transport } = second.find();
  await second.connection.reconnect();
  await expect.poll(() => second.find().transport !== transport).toBe(true);
  await second.connection.flush();
  await breakWhileWriting(second.find().transport);
});

describe.skipIf(!hasNatsServer)(`the log of three servers${NATS_NEEDED}`, () => {
  it('has one winner of fifty racers for an id, the same on three replicas', async () => {
    const servers = await NatsServers.start(3);
    onTestFinished(() => servers.stop());
    const replicas = [await follow(servers), await follow(servers), await follow(servers)];
    expect(replicas[0]?.stream.config.num_replicas).toBe(3);
    const race = Array.from({ length: 50 }, (_, index) => {
      const { log } = replicas[index % 3] as (typeof replicas)[number];
      return log.submit<{ holder: string }>('berth.claim', 'b1', { holder: `ship-${index}` });
    });
    const results = await Promise.allSettled(race);
    const winners = results.filter((result) => result.status === 'fulfilled');
    const codes = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
    expect(winners).toHaveLength(1);
    expect(codes).toEqual(Array(49).fill('agent_id_claimed'));
    expect(replicas[0]?.replica.berths()).toEqual({ b1: winners[0]?.value.holder });
    // None of them need have applied the last lost races yet.
    await expect.poll(() => new Set(replicas.map(({ replica }) => replica.digest())).size).toBe(1);
  });
});
