import { join } from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../lib/time/clock.js';
import { CommandKinds } from '../../shared-log/command-kinds.js';
import { Database } from '../../storage/database/database.js';
import { Transactions } from '../../storage/database/transaction.js';
import { StreamedCopies } from '../../storage/files/streamed-copies.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { idOf, newKey } from '../../testing/network-samples.js';
import { hasNatsServer, NATS_NEEDED, NatsServers } from '../../testing/processes/nats-server.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import type { SharedMembers } from './asks/shared-members.js';
import { toStreamName } from './command-stream.js';
import { findNetwork } from './find-network.js';
import { parseNatsAddress } from './nats-address.js';
import { openNats } from './nats-connection.js';
import { NetworkSession } from './network-session.js';
import {
  bindDaemon,
  findDaemonById,
  putState,
  readState,
  setDaemonLeft,
  setSnapshotSequence,
} from './network-store.js';
import { SnapshotBucket } from './snapshots/snapshot-bucket.js';
import { SnapshotSchedule } from './snapshots/snapshot-schedule.js';

const HOUR_MS = 3_600_000;

describe.skipIf(!hasNatsServer)(`a session of a network${NATS_NEEDED}`, () => {
  let servers: NatsServers;
  let count = 0;
  beforeAll(async () => {
    servers = await NatsServers.start(1);
  });
  afterAll(() => servers.stop());

  const connect = async () => {
    const address = parseNatsAddress(servers.url);
    const connection = await openNats({ address, credentials: undefined, name: 'test' });
    onTestFinished(() => connection.close());
    return connection;
  };

  /** What the session does with the messages between daemons, noted. */
  const someFrames = () => {
    const done: string[] = [];
    const present = new Set<string>();
    const frames = {
      open: (_: unknown, network: string) => void done.push(`open ${network}`),
      close: async () => void done.push('close'),
      announceSoon: () => void done.push('announce'),
      find: (key: string) => ({ isPresent: present.has(key), lastSeenMs: undefined, shown: undefined }),
    };
    return { done, present, frames };
  };

  /** A session of a network of its own, which is new. */
  async function aSession() {
    count += 1;
    const network = `quay-${count}`;
    const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
    const connection = await connect();
    const { identity } = await findNetwork(connection, systemClock, network, true);
    putState(database, { network, identity, sequence: 0, loading: null });
    const [clock, key] = [new FakeClock(Date.now()), newKey()];
    const warnings: string[] = [];
    const state = { ready: 0, frames: connect as () => ReturnType<typeof connect> };
    const { frames, ...noted } = someFrames();
    const joined = { url: servers.url, network, name: 'Quay' };
    const transactions = new Transactions(database);
    const parts = {
      ...{ database, key, clock, frames, transactions, kinds: new CommandKinds() },
      files: new StreamedCopies(temporaryFolder(), '.snapshot'),
      warn: (message: string) => void warnings.push(message),
      onReady: () => {
        state.ready += 1;
      },
      members: { isShared: () => false } as unknown as SharedMembers,
    };
    const session = await NetworkSession.open(parts, joined, { connection, openForFrames: () => state.frames() });
    onTestFinished(async () => {
      await session.close();
      database.close();
    });
    const manager = await jetstreamManager(connection, { checkAPI: false });
    const list = async () => {
      const bucket = await SnapshotBucket.open(jetstream(await connect()), network, 1);
      return (await bucket.list()).map(({ sequence }) => sequence);
    };
    const id = idOf(key);
    const find = () => findDaemonById(database, id);
    return {
      ...noted,
      session,
      database,
      transactions,
      clock,
      id,
      warnings,
      state,
      joined,
      manager,
      list,
      find,
      connection,
    };
  }

  it('registers this daemon, once, and opens what is not stored', async () => {
    const { session, done, state, find, id, joined, database, transactions } = await aSession();
    expect([session.daemon, session.network]).toEqual([id, joined.network]);
    await session.register();
    expect(find()).toMatchObject({ name: 'Quay', left_ms: null });
    expect([done, state.ready, session.log.sequence]).toEqual([['announce', `open ${joined.network}`], 1, 1]);
    await session.register();
    expect([done.length, state.ready, session.log.sequence]).toEqual([2, 1, 1]);
    joined.name = 'Pier';
    await session.register();
    expect([find()?.name, state.ready, session.log.sequence, done.length]).toEqual(['Pier', 1, 2, 3]);
    await transactions.run((transaction) => setDaemonLeft(transaction, id, 1));
    await session.register();
    expect([find()?.left_ms, session.log.sequence]).toEqual([null, 3]);
    // By its first key, whatever its key is now.
    database.sql("UPDATE network_daemons SET id = 'first'").run();
    expect(session.daemon).toBe('first');
  });

  it('registers this daemon as one that has caught up, also where it is known', async () => {
    const { session, state, id, transactions, database } = await aSession();
    await transactions.run((transaction) => bindDaemon(transaction, id, 1));
    database.sql("UPDATE network_daemons SET name = 'Quay'").run();
    await session.register();
    expect([session.log.sequence, state.ready]).toEqual([1, 1]);
  });

  it('tries again every twenty seconds what the servers did not take', async () => {
    const { session, clock, warnings, state, done, find } = await aSession();
    vi.spyOn(session.log, 'submit').mockRejectedValueOnce(new Error('no majority'));
    await session.register();
    expect(warnings).toEqual(['this daemon could not register itself in the network: no majority']);
    expect([state.ready, done, find()]).toEqual([0, [], undefined]);
    const opens = state.frames;
    state.frames = async () => {
      throw new Error('no connection');
    };
    clock.advance(20_000);
    await expect.poll(() => state.ready).toBe(1);
    expect(warnings.slice(1)).toEqual(['the Wall of other daemons is away: no connection']);
    expect(done).toEqual(['announce']);
    state.frames = opens;
    clock.advance(19_999);
    clock.advance(1);
    await expect.poll(() => done.length).toBe(2);
    expect(warnings).toHaveLength(2);
  });

  it('tells which server it is connected to, and what the network is there', async () => {
    const { session, joined, connection } = await aSession();
    const { name, version, address } = session.server ?? {};
    expect([name, version, `nats://${address}`]).toEqual(['n1', expect.stringMatching(/^2\./), servers.url]);
    expect(session.connection).toBe(connection);
    expect((await session.stream())?.config).toMatchObject({ name: toStreamName(joined.network), num_replicas: 1 });
    await connection.close();
    expect(await session.stream()).toBeUndefined();
  });

  it('makes the first snapshot, and the next where commands have come for 21 hours', async () => {
    const { session, list, clock, database, warnings } = await aSession();
    await session.register();
    await session.renewSnapshot();
    expect([await list(), readState(database)?.snapshotSequence]).toEqual([[1], 1]);
    clock.step(22 * HOUR_MS);
    await session.renewSnapshot();
    expect(await list()).toEqual([1]);
    clock.step(-22 * HOUR_MS);
    await session.log.submit('daemon.join', session.daemon, { name: 'Pier' });
    clock.step(21 * HOUR_MS - 60_000);
    await session.renewSnapshot();
    expect(await list()).toEqual([1]);
    clock.step(120_000);
    await session.renewSnapshot();
    expect([await list(), readState(database)?.snapshotSequence]).toEqual([[2, 1], 2]);
    // Which snapshot is the newest is known from the servers.
    clock.step(-21 * HOUR_MS);
    setSnapshotSequence(database, 0);
    await session.renewSnapshot();
    expect([await list(), readState(database)?.snapshotSequence]).toEqual([[2, 1], 2]);
    expect(warnings).toEqual([]);
  });

  it('leaves it to the first daemon that is present to renew what is only old', async () => {
    const { session, list, clock, transactions, present, id } = await aSession();
    await session.register();
    await session.makeSnapshot();
    await session.log.submit('daemon.join', session.daemon, { name: 'Pier' });
    await transactions.run((transaction) => {
      bindDaemon(transaction, '!first', 1);
      bindDaemon(transaction, '~last', 1);
    });
    for (const key of ['!first', '~last', id]) present.add(key);
    clock.step(23 * HOUR_MS);
    await session.renewSnapshot();
    expect(await list()).toEqual([1]);
    // Whoever sees that enough commands have come does not wait.
    const due = vi.spyOn(SnapshotSchedule.prototype, 'isDue').mockReturnValueOnce(true);
    onTestFinished(() => due.mockRestore());
    await session.renewSnapshot();
    expect([await list(), due.mock.calls]).toEqual([[2, 1], [[1]]]);
    present.delete('!first');
    clock.step(-23 * HOUR_MS);
    await session.log.submit('daemon.join', session.daemon, { name: 'Quay' });
    clock.step(23 * HOUR_MS);
    await session.renewSnapshot();
    expect(await list()).toEqual([3, 2, 1]);
  });

  it('makes one snapshot at a time', async () => {
    const { session, list } = await aSession();
    await session.register();
    const making = session.makeSnapshot();
    expect(session.makeSnapshot()).toBe(making);
    await making;
    const again = session.makeSnapshot();
    expect(again).not.toBe(making);
    await again;
    expect(await list()).toEqual([1, 1]);
  });

  it('makes a snapshot when its own command makes one due', async () => {
    const { session, list, database } = await aSession();
    await session.register();
    const isTurn = vi.spyOn(SnapshotSchedule.prototype, 'isTurn').mockReturnValue(true);
    onTestFinished(() => isTurn.mockRestore());
    const renewed = vi.spyOn(session, 'renewSnapshot');
    await session.log.submit('daemon.join', session.daemon, { name: 'Pier' });
    await expect.poll(list).toEqual([2]);
    expect([isTurn.mock.calls, renewed.mock.calls.length]).toEqual([[[2]], 1]);
    await expect.poll(() => readState(database)?.snapshotSequence).toBe(2);
  });

  it('makes no snapshot for the command of another daemon', async () => {
    const { session, joined } = await aSession();
    await session.register();
    const isTurn = vi.spyOn(SnapshotSchedule.prototype, 'isTurn').mockReturnValue(true);
    onTestFinished(() => isTurn.mockRestore());
    const renewed = vi.spyOn(session, 'renewSnapshot');
    await jetstream(await connect()).publish(`m.${joined.network}.cmd.hub.register.ada`, '{}');
    await expect.poll(() => session.log.state.refusedCount).toBe(1);
    expect([isTurn.mock.calls.length, renewed.mock.calls.length]).toEqual([0, 0]);
  });

  it('looks after the snapshots every hour, and says what fails while it is open', async () => {
    const { session, clock, warnings, list } = await aSession();
    vi.spyOn(session, 'register').mockResolvedValue();
    clock.advance(HOUR_MS);
    await expect.poll(list).toEqual([0]);
    const failing = vi.spyOn(session, 'makeSnapshot').mockRejectedValue(new Error('no space'));
    const due = vi.spyOn(SnapshotSchedule.prototype, 'isDue').mockReturnValueOnce(true);
    onTestFinished(() => due.mockRestore());
    await session.renewSnapshot();
    expect(warnings).toEqual(['no snapshot of the network could be stored: no space']);
    await session.close();
    const before = warnings.length;
    await session.renewSnapshot();
    expect([warnings.length, failing.mock.calls.length, clock.pending]).toEqual([before, 1, 0]);
  });

  it('leaves the network, which it tells, and ends its connection', async () => {
    const { session, find, done, manager, joined, id, connection } = await aSession();
    await session.register();
    const stream = toStreamName(joined.network);
    expect((await manager.consumers.info(stream, `daemon-${id}`)).name).toBe(`daemon-${id}`);
    const watching = await jetstreamManager(await connect(), { checkAPI: false });
    await session.leave();
    expect(find()?.left_ms).toEqual(expect.any(Number));
    expect([done.filter((one) => one === 'close').length > 0, connection.isClosed()]).toEqual([true, true]);
    await expect(watching.consumers.info(stream, `daemon-${id}`)).rejects.toThrow('consumer not found');
  });

  it('leaves a network that it cannot tell', async () => {
    const { session, warnings, connection } = await aSession();
    vi.spyOn(session.log, 'submit').mockRejectedValueOnce(new Error('Nothing was changed.'));
    await session.leave();
    expect(warnings).toEqual(['the network was left without telling it: Nothing was changed.']);
    expect(connection.isClosed()).toBe(true);
  });

  it('opens nothing more once it is closed', async () => {
    const { session, done, state, clock } = await aSession();
    await session.register();
    await session.close();
    const { length } = done;
    await session.register();
    expect([done.length, clock.pending]).toEqual([length, 0]);
    const other = await aSession();
    let give = (_: Awaited<ReturnType<typeof connect>>): void => undefined;
    other.state.frames = () =>
      new Promise((resolve) => {
        give = resolve;
      });
    const registering = other.session.register();
    await expect.poll(() => other.done).toEqual(['announce']);
    const frames = await state.frames();
    await expect.poll(() => other.session.log.sequence).toBe(1);
    await other.session.close();
    give(frames);
    await registering;
    expect([frames.isClosed(), other.done]).toEqual([true, ['announce', 'close']]);
  });
});
