import { join } from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { MeshError } from '../../lib/errors.js';
import { CommandKinds } from '../../shared-log/command-kinds.js';
import type { SharedLog } from '../../shared-log/shared-log.js';
import { Database } from '../../storage/database/database.js';
import { Transactions } from '../../storage/database/transaction.js';
import type { JsonObject } from '../../storage/files/json-file.js';
import { JsonStore } from '../../storage/files/json-store.js';
import { StreamedCopies } from '../../storage/files/streamed-copies.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { idOf, newKey } from '../../testing/network-samples.js';
import { hasNatsServer, NATS_NEEDED, NatsServers } from '../../testing/processes/nats-server.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { SharedMembers } from './asks/shared-members.js';
import { findStream } from './command-stream.js';
import { parseNatsAddress } from './nats-address.js';
import { type OpenNats, openNats } from './nats-connection.js';
import { Network } from './network.js';
import { NetworkSession } from './network-session.js';
import { parseNetworkFile, stringifyNetworkFile } from './network-settings.js';
import { findDaemonById, putState, readState } from './network-store.js';
import { SnapshotBucket } from './snapshots/snapshot-bucket.js';

const URL = 'nats://127.0.0.1:4222';
const JOINED = { url: URL, network: 'docks', name: 'Quay' };
const away = () => new MeshError('network_unavailable', 'No connection to 127.0.0.1:4222: connection refused.');

interface Given {
  /** What is in the settings file. */
  file?: JsonObject | null;
  mayWriteSecrets?: boolean;
  /** How opening a connection fails, each time. */
  fails?: () => Error;
  /** Opens connections, when there are servers. */
  open?: OpenNats;
}

/** What `SetAside` does, noted. */
function aShelf(database: Database) {
  const done: string[] = [];
  const fails: { check?: Error; restore?: Error } = {};
  const during: { restore: () => void } = { restore: () => undefined };
  const setAside = {
    keep: async (before: string) => {
      done.push(`keep ${before}`);
      return before;
    },
    check: async (name: string) => {
      if (fails.check) throw fails.check;
      done.push(`check ${name}`);
    },
    restore: async (name?: string) => {
      during.restore();
      done.push(`restore ${name} of "${readState(database)?.network}" ${readState(database)?.loading}`);
      if (fails.restore) throw fails.restore;
    },
    list: async () => [{ name: '1-before-docks', made_at: '2026-11-21T12:00:00.000Z', before: 'docks' }],
  };
  return { setAside, done, fails, during };
}

/** A daemon of the project `lamp`. Its servers do not answer, unless `open` connects to some. */
function aDaemon({ file = null, mayWriteSecrets = true, fails = away, open }: Given = {}) {
  const project = 'lamp';
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const [clock, key] = [new FakeClock(), newKey()];
  const warnings: string[] = [];
  const state = { file, ready: 0, credentials: 'SU-before' as string | undefined, dialled: [] as object[] };
  const settings = new JsonStore(
    {
      read: async () => state.file,
      write: async (content) => {
        state.file = content;
      },
    },
    { parse: parseNetworkFile, stringify: stringifyNetworkFile },
  );
  const selected: (SharedLog | undefined)[] = [];
  const shelf = aShelf(database);
  const refuse = { with: fails };
  const network = new Network({
    ...{ database, clock, key, settings, project, kinds: new CommandKinds(), transactions: new Transactions(database) },
    setAside: shelf.setAside,
    files: new StreamedCopies(temporaryFolder(), '.snapshot'),
    warn: (message) => warnings.push(message),
    onReady: () => {
      state.ready += 1;
    },
    members: new SharedMembers({ settings, project }),
    selected: { select: (log) => selected.push(log) },
    credentials: {
      read: async () => state.credentials,
      write: async (text) => {
        state.credentials = text;
      },
    },
    mayWriteSecrets: async () => mayWriteSecrets,
    openNats: async (wanted) => {
      state.dialled.push(wanted);
      if (open) return open(wanted);
      throw refuse.with();
    },
  });
  onTestFinished(() => network.stop());
  const submit = () => selected.at(-1)?.submit('hub.register', 'ada', {});
  return { network, database, clock, key, warnings, state, selected, shelf, refuse, submit };
}

const settle = async () => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
};

it('leaves the shared data to this daemon in no network', async () => {
  const { network, selected, state, key, submit, warnings } = aDaemon();
  await network.load();
  network.start();
  await settle();
  expect([selected, state.dialled, warnings, submit()]).toEqual([[], [], [], undefined]);
  expect(await network.status()).toEqual({
    ...{ state: 'off', network: null, url: null, daemon: idOf(key), sequence: 0, server: null, lag: null },
    ...{ replicas: null, fsync: null, promise: null, problem: null, refused: 0, refusals: [] },
    frames: { sent: 0, received: 0, dropped: [] },
  });
  expect(network.members()).toEqual({ members: [], count: 0 });
  const none = { code: 'not_found', message: 'This daemon is in no network.' };
  await expect(network.leave()).rejects.toMatchObject(none);
  expect(() => network.colleagues.find('lamp/consultant')).toThrow(
    expect.objectContaining({
      code: 'not_found',
      message: 'This daemon is in no network: join one first (meshd network join).',
    }),
  );
  expect(network.colleagues.list()).toEqual({ agents: [], count: 0 });
});

it('refuses changes from its start until it is connected, and dials every two seconds', async () => {
  const { network, selected, state, clock, warnings, refuse, submit } = aDaemon({ file: JOINED });
  await network.load();
  expect(selected).toHaveLength(1);
  expect(selected[0]?.isShared).toBe(true);
  const refusal = (why: string) =>
    expect.objectContaining({
      code: 'network_unavailable',
      message: `Nothing was changed: ${why}. Reading goes on; see meshd network status.`,
    });
  expect(submit).toThrow(refusal('this daemon is not connected to its network yet'));
  expect(() => network.colleagues.find('a/b')).toThrow(
    'No member of another daemon can be asked: this daemon is not connected to it. See meshd network status.',
  );
  expect(await network.status()).toMatchObject({ state: 'connecting', network: 'docks', url: URL, problem: null });
  network.start();
  await settle();
  const problem = 'No connection to 127.0.0.1:4222: connection refused.';
  expect([warnings, state.dialled.length]).toEqual([[`the network is away: ${problem}`], 1]);
  expect(state.dialled[0]).toMatchObject({
    ...{ address: { servers: ['127.0.0.1:4222'], isLoopback: true }, credentials: 'SU-before', name: 'meshd lamp' },
  });
  expect(submit).toThrow(refusal(problem));
  expect(() => network.colleagues.find('a/b')).toThrow(`can be asked: ${problem}. See meshd`);
  expect(await network.status()).toMatchObject({ state: 'connecting', problem });
  clock.advance(1_999);
  await settle();
  expect(state.dialled).toHaveLength(1);
  clock.advance(1);
  await settle();
  expect([state.dialled.length, warnings.length]).toEqual([2, 1]);
  refuse.with = () => new MeshError('forbidden', 'They refused the credentials.');
  clock.advance(2_000);
  await settle();
  clock.advance(2_000);
  await settle();
  expect([state.dialled.length, warnings.slice(1)]).toEqual([
    4,
    ['the network is away: They refused the credentials.'],
  ]);
  await network.stop();
  clock.advance(60_000);
  await settle();
  expect([state.dialled.length, clock.pending]).toEqual([4, 0]);
});

it('dials no more after a failure that waiting does not mend', async () => {
  const { network, state, clock, warnings, refuse } = aDaemon({ file: JOINED });
  refuse.with = () => new Error('no such module');
  await network.load();
  network.start();
  await settle();
  clock.advance(60_000);
  await settle();
  expect([state.dialled.length, warnings]).toEqual([1, ['the network is away: no such module']]);
});

it('is stopped while its settings cannot be read, and changes nothing until then', async () => {
  const { network, warnings, state, submit, clock } = aDaemon({ file: { damaged: true } });
  await network.load();
  network.start();
  await settle();
  const broken = '.mesh/state/network.json is damaged: mend it, or remove it.';
  expect([warnings, state.dialled]).toEqual([[`the network is not followed: ${broken}`], []]);
  expect(submit).toThrow(`Nothing was changed: ${broken}. Reading goes on`);
  expect(await network.status()).toMatchObject({ state: 'stopped', network: null, problem: broken });
  expect(() => network.colleagues.find('a/b')).toThrow(`No member of another daemon can be asked: ${broken}. See`);
  await expect(network.restore({ copy: '1-before-docks' })).rejects.toMatchObject({
    ...{ code: 'store_readonly', message: broken },
  });
  await expect(network.join({ url: URL })).rejects.toThrow(broken);
  expect([state.dialled, clock.pending]).toEqual([[], 0]);
});

it('lists the daemons of the network, and who of them is there', async () => {
  const { network, database } = aDaemon();
  const put = database.sql('INSERT INTO network_daemons VALUES (?, ?, ?, ?, ?)');
  put.run('k2', 'k2', 'Pier', 2_000, 5_000);
  put.run('k1', 'k1', 'Quay', 1_000, null);
  const member = { self: false, present: false, last_seen_at: null };
  expect(network.members()).toEqual({
    members: [
      { id: 'k1', name: 'Quay', ...member, joined_at: '1970-01-01T00:00:01.000Z', left_at: null },
      {
        ...{ id: 'k2', name: 'Pier', ...member, joined_at: '1970-01-01T00:00:02.000Z' },
        left_at: '1970-01-01T00:00:05.000Z',
      },
    ],
    count: 2,
  });
  vi.spyOn(network.frames, 'find').mockReturnValue({ isPresent: true, lastSeenMs: 7_000, shown: undefined });
  expect(network.members().members).toMatchObject([
    { id: 'k1', present: true, last_seen_at: '1970-01-01T00:00:07.000Z' },
    { id: 'k2', present: false, last_seen_at: '1970-01-01T00:00:07.000Z' },
  ]);
});

it('hears daemons that are in the network, and no others', () => {
  const { network, database } = aDaemon();
  const put = database.sql('INSERT INTO network_daemons VALUES (?, ?, ?, 1, ?)');
  put.run('there', 'there', 'Pier', null);
  put.run('left', 'left', 'Reef', 5);
  let hear: (error: null, message: object) => void = () => undefined;
  network.frames.open(
    {
      subscribe: (_: string, { callback }: { callback: typeof hear }) => {
        hear = callback;
        return { unsubscribe: () => undefined };
      },
      ...{
        publish: () => undefined,
        isClosed: () => false,
        flush: async () => undefined,
        status: async function* () {},
      },
    } as unknown as NatsConnection,
    'docks',
  );
  for (const key of ['there', 'left', 'stranger'])
    hear(null, { subject: `m.docks.presence.c_1.${key}`, data: new Uint8Array(1) });
  expect(network.frames.counts.dropped).toEqual([
    { reason: 'daemon', count: 2 },
    { reason: 'form', count: 1 },
  ]);
});

it.each([
  [null, []],
  ['newest', ['restore undefined of "docks" newest']],
])('leaves a network that it is not connected to, whose data are loaded: %s', async (loading, restored) => {
  const { network, state, selected, database, shelf } = aDaemon({ file: { ...JOINED, shared: ['consultant'] } });
  await network.load();
  putState(database, { network: 'docks', identity: 'one', sequence: 3, loading });
  network.start();
  await settle();
  const end = vi.spyOn(network.colleagues, 'end');
  expect(await network.leave()).toMatchObject({ state: 'off', network: null, problem: null, sequence: 0 });
  expect(end).toHaveBeenCalledOnce();
  await network.stop();
  expect(end).toHaveBeenCalledTimes(2);
  expect([state.file, state.credentials, readState(database), shelf.done]).toEqual([
    {},
    undefined,
    undefined,
    restored,
  ]);
  expect(selected).toEqual([expect.anything(), undefined]);
  await expect(network.leave()).rejects.toMatchObject({ code: 'not_found' });
});

it('leaves a network with what was loaded of its data where there is no copy of its own', async () => {
  const { network, database, shelf, warnings } = aDaemon({ file: { ...JOINED } });
  await network.load();
  putState(database, { network: 'docks', identity: 'one', sequence: 3, loading: 'snapshot-4' });
  shelf.fails.restore = new MeshError('not_found', 'There is no copy of the data before the network.');
  expect(await network.leave()).toMatchObject({ state: 'off', network: null });
  expect(warnings.at(-1)).toBe(
    'the network is left with what was loaded of its data: There is no copy of the data before the network.',
  );
});

it('restores a copy, which nothing changes meanwhile, and sets aside what it replaces', async () => {
  const { network, shelf, state, selected, submit, database } = aDaemon();
  await network.load();
  const said: unknown[] = [];
  shelf.during.restore = () => {
    try {
      said.push(submit());
    } catch (error) {
      said.push((error as Error).message);
    }
  };
  const copies = { copies: [expect.objectContaining({ name: '1-before-docks' })], count: 1 };
  expect(await network.restore({ copy: '1-before-docks' })).toEqual(copies);
  expect(await network.copies()).toEqual(copies);
  expect(shelf.done).toEqual([
    ...['check 1-before-docks', 'keep restore', 'restore 1-before-docks of "" 1-before-docks'],
  ]);
  expect(said).toEqual([
    'Nothing was changed: a copy of the shared data is being restored. Reading goes on; see meshd network status.',
  ]);
  expect([state.ready, readState(database), selected.length, selected.at(-1)]).toEqual([1, undefined, 2, undefined]);
});

it('restores nothing that cannot be used, and nothing in a network', async () => {
  const lone = aDaemon();
  await lone.network.load();
  lone.shelf.fails.check = new MeshError('bad_request', 'It is cut off.');
  await expect(lone.network.restore({ copy: '1-before-docks' })).rejects.toThrow('It is cut off.');
  expect([lone.shelf.done, lone.selected, lone.state.ready]).toEqual([[], [], 0]);
  const { network, shelf } = aDaemon({ file: JOINED });
  await network.load();
  await expect(network.restore({ copy: '1-before-docks' })).rejects.toMatchObject({
    code: 'bad_request',
    message: 'This daemon is in the network "docks", whose data it follows: leave it first (meshd network leave).',
  });
  expect(shelf.done).toEqual([]);
});

it('takes changes again after a restore that failed, which the next start finishes', async () => {
  const { network, shelf, state, selected, database } = aDaemon();
  await network.load();
  shelf.fails.restore = new Error('no disk');
  await expect(network.restore({ copy: '1-before-docks' })).rejects.toThrow('no disk');
  expect([selected.length, selected.at(-1), state.ready]).toEqual([2, undefined, 0]);
  expect(readState(database)).toMatchObject({ network: '', loading: '1-before-docks' });
  shelf.fails.restore = undefined;
  await network.load();
  expect(shelf.done.at(-1)).toBe('restore 1-before-docks of "" 1-before-docks');
  expect(readState(database)).toBeUndefined();
});

it.each([
  ['was not cut off', '', null],
  ['is of a network', 'docks', 'newest'],
])('finishes no restore that %s', async (_, name, loading) => {
  const { network, shelf, database } = aDaemon();
  putState(database, { network: name, identity: '', sequence: 0, loading });
  await network.load();
  expect([shelf.done, readState(database)]).toMatchObject([[], { network: name }]);
});

it('joins one network at a time', async () => {
  const { network, state } = aDaemon({ file: JOINED });
  for (const enter of [() => network.join({ url: URL }), () => network.create({ url: URL, network: 'quays' })])
    await expect(enter()).rejects.toMatchObject({
      code: 'bad_request',
      message: 'This daemon is in the network "docks": leave it first (meshd network leave).',
    });
  expect(state.dialled).toEqual([]);
});

it('replaces the credentials of its own network alone, by those that the servers take', async () => {
  const { network, state, refuse } = aDaemon({ file: { ...JOINED, shared: ['consultant'] } });
  await network.load();
  const credentials = `SU${'A'.repeat(56)}`;
  for (const other of [{ url: 'nats://127.0.0.1:4223' }, { url: URL, network: 'quays' }])
    await expect(network.join({ ...other, credentials })).rejects.toMatchObject({ code: 'bad_request' });
  refuse.with = () => new MeshError('forbidden', 'They refused the credentials.');
  await expect(network.join({ url: URL, credentials })).rejects.toMatchObject({ code: 'forbidden' });
  expect([state.credentials, state.file]).toEqual(['SU-before', { ...JOINED, shared: ['consultant'] }]);
});

it('takes no credentials that Git would see, or that no server takes', async () => {
  const tracked = aDaemon({ mayWriteSecrets: false });
  await expect(tracked.network.join({ url: URL, credentials: `SU${'A'.repeat(56)}` })).rejects.toMatchObject({
    code: 'forbidden',
    message: 'Git tracks files of .mesh/credentials: see meshd doctor, then join.',
  });
  await expect(tracked.network.join({ url: URL })).rejects.toMatchObject({ code: 'network_unavailable' });
  const free = aDaemon();
  await expect(free.network.join({ url: URL, credentials: 'a password' })).rejects.toMatchObject({
    ...{ code: 'bad_request', details: { path: 'credentials' } },
  });
  await expect(free.network.join({ url: 'nats://10.0.0.5' })).rejects.toMatchObject({ code: 'bad_request' });
  expect([tracked.state.dialled.length, free.state.dialled.length]).toEqual([1, 0]);
});

it('keeps nothing of a network whose servers do not answer', async () => {
  const { network, state, selected, shelf } = aDaemon();
  const credentials = `SU${'A'.repeat(56)}`;
  await expect(network.create({ url: URL, network: 'docks', credentials })).rejects.toMatchObject({
    code: 'network_unavailable',
  });
  expect(state.dialled).toMatchObject([{ credentials, name: 'meshd lamp' }]);
  expect([state.file, state.credentials, selected, shelf.done]).toEqual([null, 'SU-before', [], []]);
});

interface Following {
  isConnected?: boolean;
  cannotFollow?: string;
  problem?: string;
  /** The number of the newest change; undefined when the servers do not tell. */
  last?: number;
}

/** A daemon in a network, as its session says that it is. */
async function aFollower({ isConnected = true, cannotFollow, problem, last }: Following) {
  const daemon = aDaemon({ file: JOINED });
  await daemon.network.load();
  putState(daemon.database, { network: 'docks', identity: 'one', sequence: 3, loading: null });
  const refusals = [
    { sequence: 2, reason: 'clock', message: 'Late.', key: undefined },
    { sequence: 1, reason: 'kind', message: 'Unknown.', key: 'k1' },
  ];
  const submitted: unknown[] = [];
  const session = {
    daemon: 'k1',
    server: { name: 'n1', version: '2.12.1', address: '127.0.0.1:4222' },
    log: {
      state: { isConnected, cannotFollow, problem, refusedCount: 7, refusals },
      submit: async (...command: unknown[]) => submitted.push(command),
    },
    stream: async () => (last === undefined ? undefined : { config: { num_replicas: 1 }, state: { last_seq: last } }),
    close: async () => undefined,
  };
  Object.assign(daemon.network, { session });
  return { ...daemon, submitted };
}

it.each<[string, Following, string | null]>([
  ['following', { last: 3 }, null],
  ['catching_up', { last: 4 }, null],
  ['connecting', {}, null],
  ['connecting', { last: 3, isConnected: false, problem: 'They refuse.' }, 'They refuse.'],
  ['stopped', { last: 3, cannotFollow: 'It is too old.', problem: 'It is old.' }, 'It is too old.'],
])('says that it is %s, and why not', async (state, following, problem) => {
  const { network } = await aFollower(following);
  expect(await network.status()).toMatchObject({ state, problem, sequence: 3, daemon: 'k1', refused: 7 });
});

it('tells of its servers and of what was refused, and sends changes there', async () => {
  const { network, submit, submitted, database } = await aFollower({ last: 3 });
  expect(await network.status()).toMatchObject({
    ...{ server: { name: 'n1', version: '2.12.1', address: '127.0.0.1:4222' }, lag: 0, replicas: 1, fsync: 'unknown' },
    refusals: [
      { sequence: 2, reason: 'clock', message: 'Late.', key: null },
      { sequence: 1, reason: 'kind', message: 'Unknown.', key: 'k1' },
    ],
  });
  await submit();
  expect(submitted).toEqual([['hub.register', 'ada', {}]]);
  for (const id of ['k1', 'k2']) database.sql('INSERT INTO network_daemons VALUES (?, ?, ?, 1, NULL)').run(id, id, id);
  expect(network.members().members.map(({ id, self }) => [id, self])).toEqual([
    ['k1', true],
    ['k2', false],
  ]);
  expect(() => network.colleagues.find('a/b')).toThrow('No daemon of the network shares "a/b"');
});

it('says why no member can be asked while its session is not connected', async () => {
  const { network } = await aFollower({ isConnected: false, problem: 'They refuse the credentials' });
  expect(() => network.colleagues.find('a/b')).toThrow(
    expect.objectContaining({
      code: 'network_unavailable',
      message: 'No member of another daemon can be asked: They refuse the credentials. See meshd network status.',
    }),
  );
});

describe.skipIf(!hasNatsServer)(`a daemon that enters a network${NATS_NEEDED}`, () => {
  let servers: NatsServers;
  let watching: NatsConnection;
  beforeAll(async () => {
    servers = await NatsServers.start(1);
    watching = await openNats({ address: parseNatsAddress(servers.url), credentials: undefined, name: 'test' });
  });
  afterAll(async () => {
    await watching.close();
    await servers.stop();
  });

  /** A daemon with a hub agent, whose connections are noted. */
  async function aConnected(agent: string, given: Given = {}) {
    const connections: NatsConnection[] = [];
    const open: OpenNats = async (wanted) => {
      const connection = await openNats(wanted);
      connections.push(connection);
      return connection;
    };
    const daemon = aDaemon({ open, ...given });
    const { database, clock, network, state } = daemon;
    state.credentials = undefined;
    clock.step(Date.now() - clock.now());
    database.sql("INSERT INTO hub_agents VALUES (NULL, ?, ?, 'rid', x'00', NULL, '[]', NULL, 0, 5)").run(agent, agent);
    const agents = () => database.sql('SELECT agent_id FROM hub_agents').pluck().all();
    await network.load();
    return { ...daemon, connections, agents };
  }
  const findNamed = async (name: string) => findStream(await jetstreamManager(watching, { checkAPI: false }), name);

  it('gives its shared data to a network that it creates, and takes those of one that it joins', async () => {
    const one = await aConnected('ada');
    // What a network before it has left behind.
    one.database.sql("INSERT INTO network_daemons VALUES ('stale', 'stale', 'Stale', 1, NULL)").run();
    const created = await one.network.create({ url: servers.url, network: 'docks' });
    expect(one.network.members().members.map(({ name }) => name)).toEqual(['lamp']);
    expect(created).toMatchObject({ network: 'docks', url: servers.url, daemon: idOf(one.key), problem: null });
    expect(one.state.file).toEqual({ url: servers.url, network: 'docks', name: 'lamp', shared: [] });
    expect([one.shelf.done, one.state.ready, one.state.credentials]).toEqual([[], 1, undefined]);
    expect(one.selected).toEqual([expect.objectContaining({ isShared: true })]);
    expect(findDaemonById(one.database, idOf(one.key))).toMatchObject({ name: 'lamp', joined_ms: expect.any(Number) });
    const owners = one.database.sql('SELECT area, entity, daemon FROM network_owners').raw().all();
    expect(owners).toEqual([['hub', 'ada', idOf(one.key)]]);
    const bucket = await SnapshotBucket.open(jetstream(watching), 'docks', 1);
    expect((await bucket.list()).length).toBe(1);
    expect(one.state.dialled).toMatchObject([{ name: 'meshd lamp' }, { name: 'meshd lamp', echo: false }]);

    const other = await aConnected('ben');
    await other.network.join({ url: servers.url, name: 'Pier' });
    expect([other.agents(), other.shelf.done]).toEqual([['ada'], ['keep docks']]);
    expect(other.state.file).toMatchObject({ network: 'docks', name: 'Pier' });
    await expect
      .poll(() => other.network.members().members.map(({ name, self }) => [name, self]))
      .toEqual([
        ['lamp', false],
        ['Pier', true],
      ]);
    const left = await other.network.leave();
    expect(left).toMatchObject({ state: 'off', network: null, server: null });
    expect([other.state.file, other.agents(), other.selected.at(-1)]).toEqual([{}, ['ada'], undefined]);
    expect(other.connections.map((connection) => connection.isClosed())).toEqual([true, true]);
    await expect
      .poll(() => one.network.members().members.find(({ name }) => name === 'Pier')?.left_at)
      .toEqual(expect.any(String));
    // A network that another one creates anew from the same data leaves them with who has their keys.
    await other.network.create({ url: servers.url, network: 'anew' });
    expect(other.database.sql('SELECT area, entity, daemon FROM network_owners').raw().all()).toEqual(owners);
  });

  it('closes what it opened for a network that it does not find, also after it has left another', async () => {
    const { network, connections } = await aConnected('ada');
    await network.create({ url: servers.url, network: 'jetty' });
    await network.leave();
    await expect(network.join({ url: servers.url, network: 'nowhere' })).rejects.toMatchObject({ code: 'not_found' });
    expect(connections.map((connection) => connection.isClosed())).toEqual([true, true, true]);
  });

  it('keeps nothing of a network that it does not find', async () => {
    const { network, state, selected, connections, shelf } = await aConnected('ada');
    await expect(network.join({ url: servers.url, network: 'nowhere' })).rejects.toMatchObject({ code: 'not_found' });
    expect([state.file, state.credentials, shelf.done, selected]).toEqual([{}, undefined, [], [undefined]]);
    expect(connections.map((connection) => connection.isClosed())).toEqual([true]);
    expect(await network.status()).toMatchObject({ state: 'off', problem: null });
  });

  it.each([
    ['which is deleted', 'quays', false],
    ['which it cannot delete', 'reef', true],
  ])('is in no network whose first snapshot is not taken, %s', async (_, name, isCut) => {
    const { network, state, connections, warnings, database, agents } = await aConnected('ada');
    const make = vi.spyOn(NetworkSession.prototype, 'makeSnapshot').mockImplementation(async () => {
      if (isCut) await connections[0]?.close();
      throw new Error('no space');
    });
    onTestFinished(() => make.mockRestore());
    await expect(network.create({ url: servers.url, network: name })).rejects.toMatchObject({
      code: 'network_unavailable',
      message: 'The network was not created: the servers did not take its first snapshot (no space).',
      cause: { message: 'no space' },
    });
    expect([state.file, readState(database), agents(), await findNamed(name)]).toEqual([
      ...[{}, undefined, ['ada'], isCut ? expect.anything() : undefined],
    ]);
    // Its reader may tell first that the stream is gone.
    expect(warnings.filter((warning) => !warning.endsWith('stream not found'))).toEqual(
      isCut ? [expect.stringMatching(/^the network "reef" is left unfinished on the servers: ./)] : [],
    );
    expect(connections[0]?.isClosed()).toBe(true);
    expect(await network.status()).toMatchObject({ state: 'off', server: null });
  });

  it('returns to its network after a restart, and closes its connections when it stops', async () => {
    const one = await aConnected('ada');
    await one.network.create({ url: servers.url, network: 'pier' });
    await one.network.stop();
    expect(one.connections.map((connection) => connection.isClosed())).toEqual([true, true]);
    const { database, network, state, connections } = await aConnected('ben', { file: one.state.file });
    const { identity = '', sequence = 0 } = readState(one.database) ?? {};
    putState(database, { network: 'pier', identity, sequence, loading: null });
    for (const command of one.database.sql('SELECT id, time_ms FROM network_commands').raw().all() as [
      string,
      number,
    ][])
      database.sql('INSERT INTO network_commands VALUES (?, ?)').run(...command);
    const renewed = vi.spyOn(NetworkSession.prototype, 'renewSnapshot');
    onTestFinished(() => renewed.mockRestore());
    network.start();
    await expect.poll(() => state.ready).toBe(1);
    expect([renewed.mock.calls.length, (await network.status()).problem]).toEqual([1, null]);
    await expect.poll(() => connections.length).toBe(2);
    await network.stop();
    expect(connections.map((connection) => connection.isClosed())).toEqual([true, true]);
  });

  it('closes a connection that comes after it has left, or was stopped', async () => {
    for (const end of ['leave', 'stop'] as const) {
      let give = (): void => undefined;
      const late: NatsConnection[] = [];
      const waiting = new Promise<void>((resolve) => {
        give = resolve;
      });
      const daemon = aDaemon({
        file: { url: servers.url, network: 'docks', name: 'Quay' },
        open: async (wanted) => {
          await waiting;
          const connection = await openNats(wanted);
          late.push(connection);
          return connection;
        },
      });
      daemon.state.credentials = undefined;
      await daemon.network.load();
      daemon.network.start();
      await settle();
      const ended = daemon.network[end]();
      if (end === 'leave') await ended;
      give();
      await ended;
      await expect.poll(() => late.map((connection) => connection.isClosed())).toEqual([true]);
      expect([daemon.state.ready, daemon.warnings]).toEqual([0, []]);
    }
  });
});
