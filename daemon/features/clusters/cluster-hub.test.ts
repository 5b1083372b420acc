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

  constructor(public writableLength: number) {
    super();
  }

  get bufferedAmount(): number {
    return this.writableLength;
  }

  close(code: number): void {
    this.closedWith = code;
    this.readyState = 2;
  }

  write(): void {}
  ping(): void {}
  terminate(): void {}
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
