import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate as waitForTick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import type { Vis, WallFrame } from '../../contract/wall.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { readFrames } from '../../testing/parts/written-frames.js';
import type { Entered } from '../clusters/cluster-access.js';
import { ClusterHub } from '../clusters/cluster-hub.js';
import type { ClusterRow } from '../clusters/clusters-store.js';
import { Wall, type WallParts } from './wall.js';

/** A socket and its connection at once, that keeps what is written to it and done with it. */
class KeptSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  readonly writableLength = 0;
  readonly frames: WallFrame[] = [];
  readonly done: unknown[] = [];

  write(bytes: Buffer): void {
    this.frames.push(...readFrames(bytes));
  }

  close(code: number, reason: string): void {
    this.readyState = 2;
    this.done.push([code, reason]);
  }

  pause(): void {
    this.done.push('pause');
  }

  resume(): void {
    this.done.push('resume');
  }

  isPaused(): boolean {
    return this.done.at(-1) === 'pause';
  }

  unshift(): void {}
  ping(): void {}
  terminate(): void {}

  say(text: string | Buffer, isBinary = false): void {
    this.emit('message', Buffer.from(text), isBinary);
  }

  /** The frames since the last time, without presence. */
  async take(): Promise<WallFrame[]> {
    await waitForTick();
    await waitForTick();
    return this.frames.splice(0).filter(({ kind }) => kind !== 'presence');
  }
}

function aWall(parts: Partial<WallParts> = {}) {
  const clock = new FakeClock();
  const hub = new ClusterHub(clock);
  const boards = { findBoard: () => undefined as unknown, hasPost: () => false };
  const failures: unknown[] = [];
  const failed = (error: unknown) => void failures.push(error);
  const wall = new Wall({ hub, boards, clock, getSeq: () => 7, failed, ...parts });
  const open = (
    handle: string,
    { role = 'visitor' as Entered['role'], visibility = 'public', vis = 'public' as Vis, isOnlooker = false } = {},
    socket = new KeptSocket(),
  ) => {
    const cluster = { id: 'quay', seq: 7, visibility } as ClusterRow;
    const who = { handle, did: null, vis, ...(isOnlooker && { isOnlooker }) };
    wall.open({ cluster, role }, who, socket as unknown as WebSocket, socket as unknown as Socket);
    return socket;
  };
  return { clock, hub, boards, failures, open };
}

describe('A member', () => {
  it.each([
    ['admin', 'public', true],
    ['admin', 'private', true],
    ['member', 'public', true],
    ['member', 'private', false],
    ['visitor', 'public', false],
  ] as const)('that came as %s of a %s cluster owns it or not', async (role, visibility, owner) => {
    const { open } = aWall();
    expect(await open('ada', { role, visibility }).take()).toMatchObject([{ kind: 'ready', owner }]);
  });

  it('is told nothing when the cluster was deleted meanwhile', async () => {
    const { hub, open } = aWall({ getSeq: () => 8 });
    const socket = open('ada');
    expect([socket.done, await socket.take(), hub.ids]).toEqual([[[4000, 'the cluster was deleted']], [], []]);
  });

  it('does not join when the daemon stops', () => {
    const { hub, open } = aWall();
    hub.stop();
    const socket = open('ada');
    socket.say('hello');
    expect([socket.done, hub.ids]).toEqual([[[1001, 'the daemon stops']], []]);
  });

  it('is not called silent while it says something', () => {
    const { clock, hub, open } = aWall();
    const socket = open('ada');
    hub.start();
    for (let round = 0; round < 6; round += 1) {
      clock.advance(20_000);
      socket.say('a sign of life');
      expect(hub.count('quay')).toBe(1);
    }
    clock.advance(60_000);
    expect(hub.count('quay')).toBe(0);
    hub.stop();
  });
});

describe('What breaks the rules', () => {
  it('by its size is told once, and ends the socket', async () => {
    const { open } = aWall();
    const socket = open('ada');
    await socket.take();
    socket.say('x'.repeat(65_537));
    socket.say('more');
    expect(await socket.take()).toEqual([{ kind: 'error', detail: 'A frame has at most 65536 bytes.' }]);
    expect(socket.done).toEqual([[1009, 'over 64 KiB']]);
  });

  it('by its kind is told once, and ends the socket', async () => {
    const { open } = aWall();
    const [socket, ben] = [open('ada'), open('ben')];
    await socket.take();
    await ben.take();
    socket.say('hello', true);
    expect(await socket.take()).toEqual([{ kind: 'error', detail: 'Send text frames only.' }]);
    expect([socket.done, await ben.take()]).toEqual([[[1003, 'text frames only']], []]);
  });

  const TOO_MUCH = 'Too much at once: at most 200 frames a second.';

  it.each([
    ['messages', (socket: KeptSocket) => socket.say('{"to":"x","payload":1}')],
    ['pings', (socket: KeptSocket) => socket.emit('ping', Buffer.alloc(1))],
    ['pongs', (socket: KeptSocket) => socket.emit('pong', Buffer.alloc(1))],
  ])('by the number of its %s is told once, and ends the socket', async (_what, send) => {
    const { open } = aWall();
    const socket = open('ada');
    await socket.take();
    for (let n = 0; n < 400; n += 1) send(socket);
    expect([socket.done, (await socket.take()).filter(({ kind }) => kind === 'error')]).toEqual([[], []]);
    for (let n = 0; n < 3; n += 1) send(socket);
    expect(await socket.take()).toEqual([{ kind: 'error', detail: TOO_MUCH }]);
    expect(socket.done).toEqual([[1008, 'too many frames'], 'pause']);
  });

  it('by the bytes of a second is read later, whether they come as they are or larger as JSON', () => {
    const { clock, open } = aWall();
    const plain = open('ada');
    for (let n = 0; n < 16; n += 1) plain.say(`{"payload":"${'x'.repeat(65_536 - 14)}"}`);
    expect(plain.done).toEqual([]);
    plain.say('x'.repeat(1024));
    plain.say('x'.repeat(1024));
    expect(plain.done).toEqual(['pause']);
    clock.advance(1);
    expect(plain.done).toEqual(['pause', 'pause']);
    clock.advance(1);
    expect(plain.done).toEqual(['pause', 'pause', 'resume']);
    const escaped = open('ben');
    escaped.say('\u0001'.repeat(65_536));
    escaped.say('\u0001'.repeat(65_536));
    expect(escaped.done).toEqual([]);
    escaped.say('\u0001'.repeat(65_536));
    expect(escaped.done).toEqual(['pause']);
  });

  it('is measured by the limits of the wall', () => {
    const { open } = aWall({ limits: { framesPerSecond: 1, burst: 2, bytesPerSecond: 65_536 } });
    const socket = open('ada');
    for (let n = 0; n < 2; n += 1) socket.say('hello');
    expect(socket.done).toEqual([]);
    socket.say('hello');
    expect(socket.done).toHaveLength(2);
  });

  it('is not read any further, not even in the piece that has arrived', () => {
    const { open } = aWall({ limits: { framesPerSecond: 1, burst: 2, bytesPerSecond: 65_536 } });
    const socket = new KeptSocket();
    const read: number[] = [];
    socket.on('data', ({ length }: Buffer) => {
      read.push(length);
      socket.say('hello');
    });
    open('ada', {}, socket);
    socket.emit('data', Buffer.alloc(10_000));
    expect(read).toEqual([1024, 1024, 1024]);
    expect(socket.done).toHaveLength(2);
  });

  it('by what it means is told, and nothing else happens', async () => {
    const { open, failures } = aWall();
    const socket = open('ada');
    await socket.take();
    socket.say('{"to":"ben"}');
    expect(await socket.take()).toEqual([{ kind: 'error', detail: '"payload" is missing: say what to send.' }]);
    expect([socket.done, failures]).toEqual([[], []]);
  });
});

describe('What is said', () => {
  it('by an onlooker is refused', async () => {
    const { open } = aWall();
    const [eye, ben] = [open('eye', { vis: 'ghost', isOnlooker: true }), open('ben')];
    await eye.take();
    await ben.take();
    eye.say('hello');
    expect([await eye.take(), await ben.take()]).toEqual([
      [{ kind: 'error', detail: 'This socket is read-only: join without "mask" to send.' }],
      [],
    ]);
  });

  it('that cannot be carried out is reported to the operator, and its sender told no more than that', async () => {
    const problem = new Error('a bug');
    const findBoard = () => {
      throw problem;
    };
    const { open, failures } = aWall({ boards: { findBoard, hasPost: () => false } });
    const socket = open('ada');
    await socket.take();
    socket.say('about #jobs');
    expect(await socket.take()).toEqual([{ kind: 'error', detail: 'The frame could not be carried out.' }]);
    expect(failures).toEqual([problem]);
  });

  it('is told to the others here and to other daemons, with its time and scope', async () => {
    const told: unknown[][] = [];
    const post = 'p_0123456789abcdef';
    const asked: string[] = [];
    const boards = {
      findBoard: (id: string, slug: string) => asked.push(`${id} ${slug}`) > 0 && { slug },
      hasPost: (id: string, one: string) => asked.push(`${id} ${one}`) > 0,
    };
    const { clock, open } = aWall({ boards, shared: { say: (...all) => void told.push(all) } });
    const [ada, ben] = [open('ada'), open('ben')];
    await ben.take();
    clock.step(999);
    const ts = Math.floor(clock.now() / 1000);
    ada.say(`{"payload":"#jobs #${post}"}`);
    ada.say('{"to":["ben"],"payload":{"n":1}}');
    const scope = { board: 'jobs', ref: post };
    const message = { kind: 'message', from: 'ada', ts };
    expect(await ben.take()).toEqual([
      { ...message, to: null, ...scope, payload: `#jobs #${post}` },
      { ...message, from_did: null, to: 'ben', payload: { n: 1 } },
    ]);
    const member = { handle: 'ada', did: null, vis: 'public', isOwner: false };
    expect(told).toEqual([
      ['quay', member, null, { ts, scope, payload: `"#jobs #${post}"` }],
      ['quay', member, ['ben'], { ts, scope: {}, payload: '{"n":1}' }],
    ]);
    expect(asked).toEqual(['quay jobs', `quay ${post}`]);
  });
});
