import { EventEmitter, once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../lib/time/clock.js';
import { TABLE_HEAD, tableRow } from '../../testing/processes/connection-table.js';
import { TableReader } from '../database/table-reader.js';
import { formatEndpoints, type Reading, readKernelTable, readOwners } from './connection-table.js';
import { Peers, UNKNOWN_UID } from './peer-uid.js';

const reading = (table: () => Iterable<string>) =>
  new TableReader(undefined, systemClock, (wanted) => readOwners(wanted, table, () => []));
const failing = (code: string) => (): never => {
  throw Object.assign(new Error(code), { code });
};

describe('Peers', () => {
  async function listening() {
    const server = createServer({ allowHalfOpen: true });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const connection = async ({ ends = false } = {}): Promise<Socket> => {
      const client = connect({
        port: (server.address() as { port: number }).port,
        host: '127.0.0.1',
        allowHalfOpen: true,
      });
      onTestFinished(() => void client.destroy());
      const [socket] = (await once(server, 'connection')) as [Socket];
      if (ends) {
        client.end('x');
        await once(socket.resume(), 'end');
      }
      return socket;
    };
    return { server, connection };
  }
  const connection = async (how?: { ends: boolean }) => (await listening()).connection(how);

  it('treats processes of its own user as not foreign', async () => {
    expect(new Peers(process.getuid?.()).isForeign(await connection())).toBe(false);
  });

  it('treats a half-closed connection of its own user as not foreign', async () => {
    const socket = await connection({ ends: true });
    expect(new Peers(process.getuid?.()).isForeign(socket)).toBe(false);
  });

  it('treats a connection as foreign when its row belongs to another user or cannot be found', async () => {
    const socket = await connection();
    const hex = (port: number | undefined) => (port as number).toString(16).padStart(4, '0').toUpperCase();
    const ends = `0100007F:${hex(socket.remotePort)} 0100007F:${hex(socket.localPort)}`;
    const foreign = (uid: number) =>
      new Peers(
        4242,
        reading(() => [TABLE_HEAD, tableRow(ends, '01', uid, 1)]),
      ).isForeign(socket);
    expect([foreign(4242), foreign(0), foreign(4243)]).toEqual([false, false, true]);
    expect(
      new Peers(
        4242,
        reading(() => [TABLE_HEAD]),
      ).isForeign(socket),
    ).toBe(true);
  });

  it('reads the table once for all connections accepted by then, and once more for later ones', async () => {
    const { server, connection: another } = await listening();
    let readings = 0;
    const peers = new Peers(
      process.getuid?.(),
      reading(() => {
        readings += 1;
        return readKernelTable();
      }),
    );
    peers.follow(server);
    const early = [await another(), await another(), await another()];
    expect(early.map((socket) => peers.isForeign(socket))).toEqual([false, false, false]);
    expect(readings).toBe(1);
    expect(peers.isForeign(await another())).toBe(false);
    expect(early.map((socket) => peers.isForeign(socket))).toEqual([false, false, false]);
    expect(readings).toBe(2);
  });

  it('reads once for all waiting connections, and again for one that arrived during the reading', async () => {
    const { server, connection: another } = await listening();
    const begun: number[] = [];
    const ending: (() => void)[] = [];
    const peers = new Peers(process.getuid?.(), {
      now: readOwners,
      soon(wanted, read) {
        const ends = wanted();
        begun.push(ends.size);
        ending.push(() => read(readOwners(ends)));
      },
    });
    peers.follow(server);
    const known = (socket: Socket) => new Promise<void>((resolve) => peers.onKnown(socket, resolve));
    const early = [await another(), await another(), await another()].map(known);
    const late = known(await another());
    ending[0]?.();
    await Promise.all(early);
    ending[1]?.();
    await late;
    expect(begun).toEqual([3, 1]);
  });

  it('treats a connection without a row in two readings as foreign, and does not look it up again', async () => {
    const socket = await connection();
    let readings = 0;
    const peers = new Peers(
      4242,
      reading(() => {
        readings += 1;
        return [TABLE_HEAD];
      }),
    );
    await new Promise<void>((resolve) => peers.onKnown(socket, resolve));
    expect([readings, peers.foreignUid(socket)]).toEqual([2, UNKNOWN_UID]);
    expect(readings).toBe(2);
  });

  it('admits no connection while the table cannot be read, and retries', async () => {
    const socket = await connection();
    let table: () => Iterable<string> = failing('EMFILE');
    const peers = new Peers(
      process.getuid?.(),
      reading(() => table()),
    );
    expect(() => peers.isForeign(socket)).toThrow(
      expect.objectContaining({
        code: 'overloaded',
        message:
          'The system does not tell at the moment who is connecting, so nobody is let in: send the request again.',
        details: { retry_after: 1 },
      }),
    );
    table = readKernelTable;
    expect(peers.isForeign(socket)).toBe(false);
    table = failing('EMFILE');
    expect(peers.isForeign(socket)).toBe(false);
  });

  it('treats no connection as foreign where the system has no table', async () => {
    expect(new Peers(1000, reading(failing('ENOENT'))).isForeign(await connection())).toBe(false);
    expect(new Peers(undefined).isForeign(await connection())).toBe(false);
  });
});

describe('the connections of a table', () => {
  /** An open connection from the given port. */
  const socketFrom = (remotePort: number | undefined) =>
    Object.assign(new EventEmitter(), {
      ...{ remoteAddress: '127.0.0.1', remotePort, localAddress: '127.0.0.1', localPort: 4_747 },
    }) as unknown as Socket;

  /** Peers whose readings are those of `next`, one after the other, and `wanted`, the number of connections of each. */
  function peersOf(...readings: (Reading | 'missing' | ((wanted: ReadonlySet<string>) => Reading))[]) {
    const wanted: number[] = [];
    const next = (ends: ReadonlySet<string>): Reading => {
      const reading = readings[wanted.length] ?? 'unreadable';
      wanted.push(ends.size);
      if (reading === 'missing') return new Map();
      return typeof reading === 'function' ? reading(ends) : reading;
    };
    const begun: (() => void)[] = [];
    const peers = new Peers(1000, {
      now: next,
      soon: (ends, read) => void begun.push(() => read(next(ends()))),
    });
    return { peers, wanted, readSoon: () => begun.shift()?.() };
  }
  const ownedBy = (uid: number) => (ends: ReadonlySet<string>) => new Map([...ends].map((one) => [one, uid]));

  it('are not read for one that is closed, whose owner stays unknown', () => {
    const { peers, wanted } = peersOf();
    let calls = 0;
    peers.onKnown(socketFrom(undefined), () => (calls += 1));
    expect([calls, peers.foreignUid(socketFrom(undefined)), wanted]).toEqual([1, UNKNOWN_UID, []]);
  });

  it('are not read for one that the operator has authenticated over', () => {
    const { peers, wanted } = peersOf();
    const socket = socketFrom(1);
    expect([peers.isKnown(socket), peers.isKnownOwn(socket)]).toEqual([false, false]);
    peers.rememberOwn(socket);
    let calls = 0;
    peers.onKnown(socket, () => (calls += 1));
    expect([peers.isKnown(socket), peers.isKnownOwn(socket), peers.foreignUid(socket), calls, wanted]).toEqual([
      true,
      true,
      undefined,
      1,
      [],
    ]);
  });

  it("are all nobody else's where the system has no users", () => {
    const peers = new Peers(undefined, { now: () => 'unreadable', soon: () => undefined });
    const socket = socketFrom(1);
    let calls = 0;
    peers.onKnown(socket, () => (calls += 1));
    peers.rememberOwn(socket);
    expect([calls, peers.foreignUid(socket), peers.isForeign(socket), peers.isKnown(socket)]).toEqual([
      1,
      undefined,
      false,
      false,
    ]);
  });

  it.each([
    [0, undefined, true],
    [1000, undefined, true],
    [1001, 1001, false],
  ])('of the user %i are foreign to %s', (uid, foreign, isOwn) => {
    const { peers } = peersOf(ownedBy(uid));
    const socket = socketFrom(1);
    expect([
      peers.foreignUid(socket),
      peers.isForeign(socket),
      peers.isKnown(socket),
      peers.isKnownOwn(socket),
    ]).toEqual([foreign, !isOwn, true, isOwn]);
  });

  it.each<[string, Parameters<typeof peersOf>, number | undefined | 'overloaded', number]>([
    ['is read again when its row was missed', ['missing', ownedBy(1001)], 1001, 2],
    ['is read again when the table could not be read', ['unreadable', ownedBy(1001)], 1001, 2],
    ['is unknown when its row was missed twice', ['missing', 'missing', ownedBy(1001)], UNKNOWN_UID, 2],
    [
      'is unknown when its row was missed once and then nothing could be read',
      ['missing', 'unreadable'],
      UNKNOWN_UID,
      2,
    ],
    ['is unknown when its row was missed and there is no table any more', ['missing', 'no table'], UNKNOWN_UID, 2],
    ['is not foreign when there is no table', ['no table', ownedBy(1001)], undefined, 1],
    ['is not admitted when nothing can be read', ['unreadable', 'unreadable', ownedBy(1001)], 'overloaded', 2],
    [
      'is not admitted when nothing can be read and then there is no table',
      ['unreadable', 'no table'],
      'overloaded',
      2,
    ],
  ])('of which one %s', (_what, readings, foreign, count) => {
    const { peers, wanted } = peersOf(...readings);
    const socket = socketFrom(1);
    if (foreign === 'overloaded')
      expect(() => peers.foreignUid(socket)).toThrow(expect.objectContaining({ code: 'overloaded' }));
    else expect(peers.foreignUid(socket)).toBe(foreign);
    expect(wanted).toHaveLength(count);
  });

  it('are looked up while they are open', () => {
    const { peers, wanted } = peersOf('missing', 'missing');
    const server = new EventEmitter();
    peers.follow(server as Server);
    const [open, closed] = [socketFrom(1), socketFrom(2)];
    for (const socket of [open, closed]) server.emit('connection', socket);
    closed.emit('close');
    peers.foreignUid(socketFrom(3));
    expect(wanted).toEqual([2, 2]);
  });

  it('are looked up once', async () => {
    const { peers, wanted, readSoon } = peersOf(ownedBy(1001), ownedBy(1001));
    const server = new EventEmitter();
    peers.follow(server as Server);
    server.emit('connection', socketFrom(1));
    const first = peers.lookUp();
    readSoon();
    expect((await first) as ReadonlyMap<string, number>).toEqual(
      new Map([[formatEndpoints(socketFrom(1)) as string, 1001]]),
    );
    const second = peers.lookUp();
    readSoon();
    await second;
    expect(wanted).toEqual([1, 0]);
  });

  it('are told with a reading to all that wait for one, and to each with its own', async () => {
    const { peers, wanted, readSoon } = peersOf('unreadable', ownedBy(1001));
    const first = [peers.lookUp(), peers.lookUp()];
    readSoon();
    expect(await Promise.all(first)).toEqual(['unreadable', 'unreadable']);
    const told: string[] = [];
    const socket = socketFrom(1);
    peers.onKnown(socket, () => told.push('a'));
    peers.onKnown(socket, () => told.push('b'));
    peers.onKnown(socketFrom(2), () => told.push('c'));
    expect(told).toEqual([]);
    readSoon();
    expect([told, peers.foreignUid(socket), wanted]).toEqual([['a', 'b', 'c'], 1001, [0, 2]]);
  });

  it('are told as unknown at once while the table cannot be read', () => {
    const { peers, wanted, readSoon } = peersOf('unreadable', ownedBy(1001));
    let calls = 0;
    const socket = socketFrom(1);
    peers.onKnown(socket, () => (calls += 1));
    readSoon();
    expect([calls, peers.isKnown(socket), wanted]).toEqual([1, false, [1]]);
    readSoon();
    expect([calls, wanted]).toEqual([1, [1]]);
  });

  it('are told to who waits for them when another call has looked them up', async () => {
    const { peers, readSoon } = peersOf(ownedBy(1001), 'unreadable');
    const socket = socketFrom(1);
    const known = new Promise<void>((resolve) => peers.onKnown(socket, resolve));
    expect(peers.foreignUid(socket)).toBe(1001);
    await known;
    readSoon();
    expect(peers.foreignUid(socket)).toBe(1001);
  });
});
