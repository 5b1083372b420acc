import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { WebSocket } from 'ws';
import { FakeClock } from '../../testing/fake-clock.js';
import { Wall } from '../wall/wall.js';
import { ClusterHub } from './cluster-hub.js';
import type { ClusterRow } from './clusters-store.js';

const MIB = 1024 * 1024;
const LOOK_MS = 1_000;

/** A socket whose peer reads nothing: `queued` bytes wait for it. */
class SlowSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  closedWith: number | undefined;
  pings = 0;
  isTerminated = false;
  reason = '';
  readonly written: string[] = [];

  constructor(public writableLength: number) {
    super();
  }

  get bufferedAmount(): number {
    return this.writableLength;
  }

  close(code: number, reason = ''): void {
    this.closedWith = code;
    this.reason = reason;
    this.readyState = 2;
  }

  write(bytes: Buffer): void {
    this.written.push(bytes.toString());
  }

  ping(): void {
    this.pings += 1;
  }

  terminate(): void {
    this.isTerminated = true;
  }

  pause(): void {}
}

const parts = (socket: SlowSocket) => [socket as unknown as WebSocket, socket as unknown as Socket] as const;

function aHub() {
  const clock = new FakeClock();
  const hub = new ClusterHub(clock);
  hub.start();
  onTestFinished(() => hub.stop());
  const joins = (cluster: string, handle: string, mib: number) => {
    const socket = new SlowSocket(0);
    const member = { handle, did: null, vis: 'public' as const, isOwner: false };
    hub.join({ id: cluster, visibility: 'public' }, member, ...parts(socket));
    socket.writableLength = mib * MIB;
    return socket;
  };
  return { clock, hub, joins };
}

describe('The bytes queued for the readers of all clusters', () => {
  it('beyond 128 MiB close the longest queues of any cluster, and no more than needed', () => {
    const { clock, hub, joins } = aHub();
    const queues = { short: joins('a', 'ada', 10), longest: joins('a', 'ben', 60), idle: joins('b', 'cay', 0) };
    const others = { long: joins('b', 'dot', 50), middle: joins('c', 'eve', 40) };
    clock.advance(LOOK_MS);
    const closed = Object.entries({ ...queues, ...others }).filter(([, { closedWith }]) => closedWith !== undefined);
    expect(closed.map(([name, { closedWith }]) => [name, closedWith])).toEqual([['longest', 4408]]);
    expect(hub.queuedBytes).toBe(100 * MIB);
  });

  it('up to 128 MiB close nothing', () => {
    const { clock, hub, joins } = aHub();
    const sockets = [joins('a', 'ada', 64), joins('b', 'ben', 64)];
    clock.advance(LOOK_MS);
    expect(sockets.map(({ closedWith }) => closedWith)).toEqual([undefined, undefined]);
    expect(hub.sockets).toBe(2);
  });
});

describe('Joining a cluster that is deleted during the upgrade', () => {
  const row = { id: 'cl-1', seq: 7, visibility: 'public' } as ClusterRow;
  const who = { handle: 'ada', did: null, vis: 'public' as const };

  it.each([
    ['that is gone', undefined],
    ['whose id another cluster has by now', 8],
  ])('closes the socket of one %s with 4000, and nobody is in it', (_what, seq) => {
    const { clock, hub } = aHub();
    const boards = { findBoard: () => undefined, hasPost: () => false };
    const wall = new Wall({ hub, boards, clock, getSeq: () => seq, failed: () => undefined });
    const socket = new SlowSocket(0);
    wall.open({ cluster: row, role: 'member' }, who, ...parts(socket));
    expect(socket.closedWith).toBe(4000);
    expect([hub.sockets, hub.count(row.id)]).toEqual([0, 0]);
  });
});

const QUAY = { id: 'quay', visibility: 'public' } as const;
const PIER = { id: 'pier', visibility: 'private' } as const;
const member = (handle: string, vis: 'public' | 'ghost' = 'public') => {
  return { handle, did: null, vis, isOwner: false };
};
const join = (hub: ClusterHub, cluster: typeof QUAY | typeof PIER, handle: string) => {
  const socket = new SlowSocket(0);
  const joined = hub.join(cluster, member(handle), ...parts(socket));
  return { socket, joined };
};

describe('The live clusters', () => {
  it('are those with a connection, and are gone with the last one', () => {
    const { hub } = aHub();
    const leave = hub.hold(QUAY, member('ada'), () => undefined);
    const { socket, joined } = join(hub, PIER, 'ben');
    const away = hub.placeRemote(QUAY, { handle: 'cay', did: null, vis: 'private' });
    expect([hub.ids, hub.sockets, hub.queuedBytes]).toEqual([['quay', 'pier'], 1, 0]);
    expect([hub.count('quay'), hub.shown('quay'), hub.shown('pier')]).toEqual([2, ['ada', 'private-1'], ['ben']]);
    expect(joined?.cluster).toBe(hub.find('pier'));
    expect(joined?.connection.member).toEqual(member('ben'));
    leave?.();
    leave?.();
    expect(hub.shown('quay')).toEqual(['private-1']);
    away.remove();
    away.remove();
    socket.emit('close');
    expect([hub.ids, hub.sockets]).toEqual([[], 0]);
    expect([hub.find('quay'), hub.count('quay'), hub.shown('quay')]).toEqual([undefined, 0, []]);
  });

  it('tell of each connection that opens or closes here, ghosts included, and of none elsewhere', () => {
    const { hub } = aHub();
    const told: string[] = [];
    hub.onMemberHere((cluster, handle) => told.push(`${cluster} ${handle} ${hub.count(cluster)}`));
    const leave = hub.hold(QUAY, member('ada'), () => undefined);
    const { socket } = join(hub, QUAY, 'ben');
    hub.hold(QUAY, member('eve', 'ghost'), () => undefined);
    hub.placeRemote(QUAY, member('cay')).remove();
    leave?.();
    socket.emit('close');
    expect(told).toEqual(['quay ada 1', 'quay ben 2', 'quay eve 2', 'quay ada 1', 'quay ben 0']);
  });

  it('have members of other daemons without rights here, and ghosts of theirs are in none', () => {
    const { hub } = aHub();
    const { connection } = hub.placeRemote(QUAY, { handle: 'cay', did: 'did:key:c', vis: 'public' });
    expect([connection.member, connection.isRemote]).toEqual([
      { handle: 'cay', did: 'did:key:c', vis: 'public', isOwner: false },
      true,
    ]);
    const ghost = hub.createGhost('eve', 'did:key:e');
    expect(ghost.member).toEqual({ handle: 'eve', did: 'did:key:e', vis: 'ghost', isOwner: false });
    expect([ghost.isRemote, hub.ids, hub.count('quay')]).toEqual([true, ['quay'], 1]);
  });

  it('are told to whoever joins as public or not', () => {
    const { hub } = aHub();
    expect(join(hub, QUAY, 'ada').socket.written[0]).toContain('"public":true');
    expect(join(hub, PIER, 'ada').socket.written[0]).toContain('"public":false');
  });

  it('get frames for all their connections, and none where nobody is', async () => {
    const { hub } = aHub();
    const [{ socket }, other] = [join(hub, QUAY, 'ada'), join(hub, PIER, 'ben')];
    hub.push('quay', { kind: 'closed', reason: 'a mark' });
    hub.push('nowhere', { kind: 'closed', reason: 'a mark' });
    await new Promise((resolve) => setImmediate(resolve));
    expect([socket.written.at(-1), other.socket.written]).toEqual([
      expect.stringContaining('a mark'),
      [expect.stringContaining('ready')],
    ]);
  });
});

describe('The end of a live cluster', () => {
  it('tells its connections why, closes them with 4000, and leaves the others', () => {
    const { hub } = aHub();
    const [{ socket }, other] = [join(hub, QUAY, 'ada'), join(hub, PIER, 'ben')];
    hub.close('quay', 'It was deleted.');
    hub.close('nowhere', 'It was deleted.');
    expect(socket.written.at(-1)).toContain('{"kind":"closed","reason":"It was deleted."}');
    expect([socket.closedWith, socket.reason, other.socket.closedWith]).toEqual([4000, 'It was deleted.', undefined]);
    expect(hub.ids).toEqual(['pier']);
  });

  it('does not concern one of the same id that was opened since', () => {
    const { hub } = aHub();
    const { socket } = join(hub, QUAY, 'ada');
    hub.close('quay', 'It was deleted.');
    join(hub, QUAY, 'ben');
    socket.emit('close');
    expect([hub.ids, hub.shown('quay')]).toEqual([['quay'], ['ben']]);
  });

  it('comes to those that are unknown after all clusters were replaced', () => {
    const { hub } = aHub();
    const [{ socket }, other] = [join(hub, QUAY, 'ada'), join(hub, PIER, 'ben')];
    hub.closeUnknown((id) => id === 'pier');
    expect([socket.closedWith, socket.reason]).toEqual([4000, 'The cluster is no longer here.']);
    expect([other.socket.closedWith, hub.ids]).toEqual([undefined, ['pier']]);
  });

  it('comes to all when the daemon stops, and nobody joins any more', () => {
    const { clock, hub } = aHub();
    const { socket } = join(hub, QUAY, 'ada');
    const slow = new SlowSocket(0);
    hub.join(PIER, member('ben'), ...parts(slow));
    slow.writableLength = MIB;
    clock.advance(12 * LOOK_MS);
    expect([slow.closedWith, slow.isTerminated]).toEqual([4408, false]);
    hub.stop();
    expect([socket.closedWith, socket.reason, slow.isTerminated]).toEqual([1001, 'the daemon stops', true]);
    const late = join(hub, QUAY, 'cay');
    expect([late.socket.closedWith, late.socket.reason]).toEqual([1001, 'the daemon stops']);
    expect([late.joined, hub.hold(QUAY, member('dot'), () => undefined), hub.ids]).toEqual([undefined, undefined, []]);
    clock.advance(60 * LOOK_MS);
    expect(clock.pending).toBe(0);
  });
});

describe('A look at the connections', () => {
  it('pings each once in 25 seconds, each in a second of its own', () => {
    const { clock, hub } = aHub();
    const sockets = Array.from({ length: 26 }, (_, n) => join(hub, n % 2 === 0 ? QUAY : PIER, `m${n}`).socket);
    const pingedIn: number[] = [];
    for (let second = 1; second <= 25; second += 1) {
      const before = sockets.reduce((sum, { pings }) => sum + pings, 0);
      clock.advance(LOOK_MS);
      pingedIn.push(sockets.reduce((sum, { pings }) => sum + pings, 0) - before);
    }
    expect(pingedIn).toEqual([...Array<number>(24).fill(1), 2]);
    expect(sockets.map(({ pings }) => pings)).toEqual(Array(26).fill(1));
    for (const socket of sockets) socket.emit('pong');
    clock.advance(25 * LOOK_MS);
    expect(sockets.map(({ pings }) => pings)).toEqual(Array(26).fill(2));
  });

  it('drops whoever does not answer, and closes whoever does not read, whom it pings no more', () => {
    const { clock, hub } = aHub();
    const [silent, stalled, held] = [join(hub, QUAY, 'ada').socket, join(hub, QUAY, 'ben').socket, 'cay'];
    hub.hold(QUAY, member(held), () => undefined);
    hub.placeRemote(QUAY, member('dot'));
    stalled.writableLength = 10;
    clock.advance(11 * LOOK_MS);
    expect([stalled.closedWith, stalled.reason, hub.shown('quay')]).toEqual([4408, 'too slow', ['ada', 'cay', 'dot']]);
    clock.advance(46 * LOOK_MS);
    expect(silent.isTerminated).toBe(false);
    clock.advance(LOOK_MS);
    expect([silent.isTerminated, silent.closedWith, hub.shown('quay')]).toEqual([true, undefined, ['cay', 'dot']]);
    clock.advance(120 * LOOK_MS);
    expect(hub.shown('quay')).toEqual(['cay', 'dot']);
  });

  it('closes no more queues than bring their sum to 128 MiB', () => {
    const { clock, hub, joins } = aHub();
    const others = Array.from({ length: 8 }, (_, n) => joins('a', `m${n}`, 16));
    const longest = joins('b', 'ada', 20);
    const later = joins('c', 'ben', 0);
    clock.advance(LOOK_MS);
    expect(others.map(({ closedWith }) => closedWith)).toEqual(Array(8).fill(undefined));
    expect([longest.closedWith, longest.reason, later.closedWith]).toEqual([4408, 'too slow', undefined]);
    expect(hub.queuedBytes).toBe(128 * MIB);
  });
});
