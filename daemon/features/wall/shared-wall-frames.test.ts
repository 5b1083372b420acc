import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate as waitForTick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import type { Visibility } from '../../contract/clusters.js';
import { COMMAND_CLOCK_MS } from '../../contract/shared/commands.js';
import type { RemoteFrame } from '../../contract/shared/peer-frames.js';
import type { Vis, WallFrame } from '../../contract/wall.js';
import type { DropReason, FrameListener, FrameTopic, SharedFrames } from '../../shared-log/shared-frames.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { readFrames } from '../../testing/parts/written-frames.js';
import { ClusterHub } from '../clusters/cluster-hub.js';
import type { Member } from '../clusters/connection.js';
import { SharedWall } from './shared-wall.js';

const QUAY = { id: 'quay', visibility: 'public' } as const;
const PEER = 'peer';
const POST = 'p_0123456789abcdef';

/** The way to other daemons, which keeps what is sent. */
class KeptFrames implements SharedFrames {
  isReachable = true;
  listener: FrameListener | undefined;
  readonly sent: [topic: FrameTopic, entity: string, content: object][] = [];
  readonly followed = new Set<string>();
  readonly dropped: DropReason[] = [];

  listen(listener: FrameListener): void {
    this.listener = listener;
  }

  follow(entity: string): void {
    this.followed.add(entity);
  }

  unfollow(entity: string): void {
    this.followed.delete(entity);
  }

  send(...message: [topic: FrameTopic, entity: string, content: object]): void {
    this.sent.push(structuredClone(message));
  }

  countDropped(reason: DropReason): void {
    this.dropped.push(reason);
  }

  /** Returns what was sent since the last time. */
  take(): object[] {
    return this.sent.splice(0);
  }
}

/** A socket and its connection at once, that keeps the frames written to it. */
class KeptSocket extends EventEmitter {
  readonly readyState = 1;
  readonly writableLength = 0;
  readonly frames: WallFrame[] = [];

  write(bytes: Buffer): void {
    this.frames.push(...readFrames(bytes));
  }

  /** The messages that came since the last time. */
  takeMessages(): WallFrame[] {
    return this.frames.splice(0).filter(({ kind }) => kind === 'message');
  }
}

const member = (handle: string, vis: Vis = 'public', did: string | null = null): Member => {
  return { handle, vis, did, isOwner: false };
};
const listed = (handle: string, masked = false, did: string | null = null) => ({ handle, did, masked });
const change = (members: object[], gone: string[] = []) => ['presence', QUAY.id, { part: 0, of: 0, members, gone }];

function aWall({ isOpen = true } = {}) {
  const clock = new FakeClock();
  const frames = new KeptFrames();
  const hub = new ClusterHub(clock, frames);
  const known = new Map<string, Visibility>([[QUAY.id, 'public']]);
  const boards = {
    findBoard: (id: string, slug: string) => (id === QUAY.id && slug === 'jobs' ? { slug } : undefined),
    hasPost: (id: string, post: string) => id === QUAY.id && post === POST,
  };
  const wall = new SharedWall({ frames, hub, boards, clock, getVisibility: (id) => known.get(id) });
  if (isOpen) wall.onOpen();
  const hold = (handle: string, vis?: Vis, did?: string) =>
    hub.hold(QUAY, member(handle, vis, did), () => undefined) as () => void;
  const join = (handle: string) => {
    const socket = new KeptSocket();
    hub.join(QUAY, member(handle), socket as unknown as WebSocket, socket as unknown as Socket);
    return socket;
  };
  const ts = clock.now() / 1000;
  const say = (from: Member, to: string | string[] | null = null, payload = '"hello"', scope = {}) =>
    wall.say(QUAY.id, from, to, { ts, scope, payload });
  const hear = (...all: Partial<RemoteFrame>[]) => {
    const frame = { from: 'ada', did: null, ghost: false, to: null, ts, payload: '"hello"' };
    return wall.onFrames(PEER, QUAY.id, { frames: all.map((one) => ({ ...frame, ...one })) });
  };
  const list = (...handles: string[]) =>
    wall.onPresence(PEER, QUAY.id, { part: 1, of: 1, members: handles.map((handle) => listed(handle)), gone: [] });
  return { clock, frames, hub, known, wall, hold, join, ts, say, hear, list };
}

describe('A daemon in a network', () => {
  it('follows the clusters in which somebody is connected to it, and not those of members elsewhere', () => {
    const { frames, hub, wall, hold, list } = aWall({ isOpen: false });
    const leave = hold('ada');
    hub.placeRemote({ id: 'else', visibility: 'public' }, member('eve'));
    expect(frames.listener).toBe(wall);
    expect([...frames.followed]).toEqual([]);
    wall.onOpen();
    expect([...frames.followed]).toEqual([QUAY.id]);
    list('cay');
    const leaveToo = hold('ben');
    leave();
    expect([...frames.followed]).toEqual([QUAY.id]);
    leaveToo();
    expect([...frames.followed]).toEqual([]);
    hold('ada');
    expect([...frames.followed]).toEqual([QUAY.id]);
  });

  it('sends nothing before it is connected, and nothing that waited when it is so no longer', async () => {
    const { frames, wall, hold, say } = aWall({ isOpen: false });
    hold('ada');
    say(member('ada'));
    await waitForTick();
    expect([frames.take(), frames.dropped]).toEqual([[], []]);
    wall.onOpen();
    say(member('ada'));
    hold('ben');
    wall.onClose();
    say(member('ada'));
    await waitForTick();
    expect(frames.take().filter((message) => (message as string[])[0] === 'presence')).toEqual([]);
  });
});

describe('Who is here', () => {
  it('is told when a handle becomes visible, changes and is gone, each once', async () => {
    const { frames, hold } = aWall();
    const [first, second] = [hold('ada', 'public', 'did:key:a'), hold('ada', 'public', 'did:key:b')];
    hold('eve', 'ghost');
    await waitForTick();
    expect(frames.take()).toEqual([change([listed('ada', false, 'did:key:a')])]);
    const hidden = hold('ada', 'private');
    await waitForTick();
    expect(frames.take()).toEqual([change([listed('ada', true, 'did:key:a')])]);
    hidden();
    await waitForTick();
    expect(frames.take()).toEqual([change([listed('ada', false, 'did:key:a')])]);
    first();
    await waitForTick();
    expect(frames.take()).toEqual([change([listed('ada', false, 'did:key:b')])]);
    second();
    second();
    await waitForTick();
    expect(frames.take()).toEqual([change([], ['ada'])]);
  });

  it('is not told of who came and went in one moment, nor of a cluster that is deleted', async () => {
    const { frames, known, hold } = aWall();
    hold('ada')();
    await waitForTick();
    expect(frames.take()).toEqual([]);
    const leave = hold('ben');
    await waitForTick();
    frames.take();
    known.clear();
    leave();
    await waitForTick();
    expect(frames.take()).toEqual([]);
  });

  it('is told in messages of 400', async () => {
    const { frames, hold } = aWall();
    const leave = Array.from({ length: 401 }, (_, n) => hold(`m${n}`));
    await waitForTick();
    const sizes = () =>
      frames.take().map((message) => {
        const { members, gone } = (message as [string, string, { members: object[]; gone: object[] }])[2];
        return [members.length, gone.length];
      });
    expect(sizes()).toEqual([
      [400, 0],
      [1, 0],
    ]);
    for (const one of leave) one();
    hold('new');
    await waitForTick();
    expect(sizes()).toEqual([
      [1, 400],
      [0, 1],
    ]);
  });

  it('is announced as a whole, after what was still to be told, in parts of 400', () => {
    const { frames, hub, wall, hold } = aWall();
    hub.placeRemote({ id: 'else', visibility: 'public' }, member('eve'));
    wall.onAnnounce();
    expect(frames.take()).toEqual([]);
    hold('ada', 'private', 'did:key:a');
    hold('eve', 'ghost');
    wall.onAnnounce();
    const ada = listed('ada', true, 'did:key:a');
    expect(frames.take()).toEqual([change([ada]), ['presence', QUAY.id, { part: 1, of: 1, members: [ada], gone: [] }]]);
    for (let n = 1; n <= 400; n += 1) hold(`m${n}`);
    wall.onAnnounce();
    const parts = frames.take().slice(1) as [string, string, { part: number; of: number; members: object[] }][];
    expect(parts.map(([, , { part, of, members }]) => [part, of, members.length])).toEqual([
      [1, 2, 400],
      [2, 2, 1],
    ]);
  });

  it('is remembered from an announcement, so that what is gone afterwards is told', async () => {
    const { frames, wall, hold } = aWall({ isOpen: false });
    const leave = hold('ada');
    wall.onOpen();
    wall.onAnnounce();
    frames.take();
    const second = hold('ada');
    await waitForTick();
    expect(frames.take()).toEqual([]);
    leave();
    second();
    await waitForTick();
    expect(frames.take()).toEqual([change([], ['ada'])]);
  });

  it('is told anew after the daemon left the network and came back', async () => {
    const { frames, wall, hold } = aWall();
    hold('ada');
    await waitForTick();
    frames.take();
    wall.onClose();
    wall.onOpen();
    hold('ada');
    await waitForTick();
    expect(frames.take()).toEqual([change([listed('ada')])]);
  });
});

describe('What is said here', () => {
  const ADA = member('ada');
  const aFrame = { from: 'ada', did: null, ghost: false, to: null, payload: '"hello"' };

  async function withAda() {
    const wall = aWall();
    wall.hold('ada');
    wall.hold('ben');
    wall.list('cay');
    await waitForTick();
    wall.frames.take();
    return wall;
  }

  it('goes to the others in one message for each moment, in its order, with its scope', async () => {
    const { frames, ts, say } = await withAda();
    say(ADA, null, '1', { board: 'jobs' });
    say(member('eve', 'ghost', 'did:key:e'), null, '2', { ref: POST });
    expect(frames.take()).toEqual([]);
    await waitForTick();
    const ghost = { ...aFrame, from: 'eve', did: 'did:key:e', ghost: true, ts, payload: '2', ref: POST };
    expect(frames.take()).toEqual([
      ['wall', QUAY.id, { frames: [{ ...aFrame, ts, payload: '1', board: 'jobs' }, ghost] }],
    ]);
  });

  it.each([
    ['to one who is there', 'cay', ['cay']],
    ['to one whom nobody knows', 'ghost', ['ghost']],
    ['to one who is here', 'ben', undefined],
    ['to several', ['ben', 'cay', 'ghost', 'cay'], ['cay', 'ghost']],
    ['to several who are all here', ['ben', 'ada'], undefined],
  ])('%s goes to whom it concerns elsewhere', async (_whom, to, elsewhere) => {
    const { frames, ts, say } = await withAda();
    say(ADA, to);
    await waitForTick();
    const message = ['wall', QUAY.id, { frames: [{ ...aFrame, ts, to: elsewhere }] }];
    expect(frames.take()).toEqual(elsewhere ? [message] : []);
  });

  it('is counted as dropped while the servers are out of reach, unless it is for nobody elsewhere', async () => {
    const { frames, say } = await withAda();
    frames.isReachable = false;
    say(ADA);
    say(ADA, 'cay');
    say(ADA, 'ben');
    await waitForTick();
    expect([frames.dropped, frames.take()]).toEqual([['overflow', 'overflow'], []]);
  });

  it('comes after the news of who says it, and before the news that it is gone', async () => {
    const { frames, hold, say } = await withAda();
    const leave = hold('dot');
    say(member('dot'), null, '1');
    expect(frames.take()).toEqual([change([listed('dot')])]);
    say(member('dot'), null, '2');
    leave();
    const messages = frames.take() as [string, string, { frames: RemoteFrame[] }][];
    expect(messages.map(([topic, , content]) => [topic, content.frames.map(({ payload }) => payload)])).toEqual([
      ['wall', ['1', '2']],
    ]);
    await waitForTick();
    expect(frames.take()).toEqual([change([], ['dot'])]);
  });

  it.each([
    ['all', null, 1_024],
    ['four elsewhere', ['a', 'b', 'c', 'd'], 2_048],
  ])('to %s goes at once when 256 KiB have gathered', async (_whom, to, overhead) => {
    const { frames, say } = await withAda();
    say(ADA, to, 'x'.repeat(256 * 1024 - overhead - 1));
    expect(frames.take()).toEqual([]);
    await waitForTick();
    expect(frames.take()).toHaveLength(1);
    say(ADA, to, 'x'.repeat(256 * 1024 - overhead));
    expect(frames.take()).toHaveLength(1);
    say(ADA, to, 'x');
    expect(frames.take()).toEqual([]);
  });

  it('to a handle goes nowhere from a cluster in which nobody is', async () => {
    const { frames, wall, ts } = aWall();
    wall.say(QUAY.id, ADA, 'cay', { ts, scope: {}, payload: '1' });
    await waitForTick();
    expect(frames.take()).toEqual([]);
  });
});

describe('What other daemons tell', () => {
  it('of who is there is taken for a known cluster, in its form, and ends with them', () => {
    const { clock, hub, wall, list } = aWall();
    expect(list('ada')).toBeUndefined();
    const content = { part: 1, of: 1, members: [listed('ben')], gone: [] };
    expect(wall.onPresence(PEER, 'else', content)).toBe('cluster');
    expect(wall.onPresence(PEER, QUAY.id, { ...content, part: -1 })).toBe('form');
    expect(wall.onPresence('other', QUAY.id, content)).toBeUndefined();
    expect(hub.shown(QUAY.id)).toEqual(['ada', 'ben']);
    wall.onAbsent(PEER);
    expect(hub.shown(QUAY.id)).toEqual(['ben']);
    clock.advance(60_000);
    list('ada');
    wall.onAnnounce();
    expect(hub.shown(QUAY.id)).toEqual(['ada']);
    wall.onClose();
    expect(hub.shown(QUAY.id)).toEqual([]);
  });

  it('is heard by those here, with the board and the post that are here too', async () => {
    const { join, ts, hear, list, frames } = aWall();
    const [ben, cay] = [join('ben'), join('cay')];
    list('ada');
    await waitForTick();
    expect(
      hear(
        { board: 'jobs', ref: POST, payload: '{"a":[1]}' },
        { board: 'flats', ref: 'p_ffffffffffffffff', did: 'did:key:a' },
        { to: ['ben', 'nobody'], did: 'did:key:a', payload: '7' },
      ),
    ).toBeUndefined();
    await waitForTick();
    const message = { kind: 'message', from: 'ada', to: null, ts };
    const all = [
      { ...message, board: 'jobs', ref: POST, payload: { a: [1] } },
      { ...message, payload: 'hello' },
    ];
    expect(ben.takeMessages()).toEqual([...all, { ...message, from_did: 'did:key:a', to: 'ben', payload: 7 }]);
    expect(cay.takeMessages()).toEqual(all);
    expect(frames.dropped).toEqual([]);
  });

  it.each<[string, Partial<RemoteFrame>, DropReason]>([
    ['the name of nobody there', { from: 'eve' }, 'handle'],
    ['the name of somebody here', { from: 'ben' }, 'handle'],
    ['a ghost with the name of somebody here', { from: 'ben', ghost: true }, 'handle'],
    ['a ghost with no handle', { from: 'a\u202Eb', ghost: true }, 'handle'],
    ['a payload of 33 levels', { payload: '['.repeat(33) + ']'.repeat(33) }, 'form'],
    ['a payload that breaks out', { payload: '1,"to":"x"' }, 'form'],
    ['a recipient that is no handle', { to: ['ben', ''] }, 'form'],
  ])('with %s is dropped and counted, and what comes with it is heard', async (_what, lie, reason) => {
    const { join, hear, list, frames } = aWall();
    const ben = join('ben');
    list('ada');
    await waitForTick();
    expect(hear(lie, { payload: '"heard"' })).toBeUndefined();
    await waitForTick();
    expect([frames.dropped, ben.takeMessages()]).toMatchObject([[reason], [{ from: 'ada', payload: 'heard' }]]);
  });

  it.each<[string, Partial<RemoteFrame>]>([
    ['a ghost with a name of its own', { from: 'shade', ghost: true }],
    ['a ghost beside a member of the same name there', { ghost: true }],
    ['a payload of 32 levels', { payload: '['.repeat(32) + ']'.repeat(32) }],
  ])('from %s is heard', async (_who, frame) => {
    const { join, hear, list, frames } = aWall();
    const ben = join('ben');
    list('ada');
    await waitForTick();
    hear(frame);
    await waitForTick();
    expect([frames.dropped, ben.takeMessages()]).toMatchObject([[], [{ from: frame.from ?? 'ada' }]]);
  });

  it.each([-1, 1])('is heard while its clock differs by two minutes, and not beyond (%i)', async (sign) => {
    const { join, ts, hear, list, frames } = aWall();
    const ben = join('ben');
    list('ada');
    await waitForTick();
    const seconds = COMMAND_CLOCK_MS / 1000;
    hear({ ts: ts + sign * seconds, payload: '1' }, { ts: ts + sign * (seconds + 1), payload: '2' });
    await waitForTick();
    expect([frames.dropped, ben.takeMessages()]).toMatchObject([['clock'], [{ payload: 1 }]]);
  });

  it('is refused as a whole in another form, or for a cluster that is not there', () => {
    const { wall, known, hear, frames } = aWall();
    expect(wall.onFrames(PEER, QUAY.id, { frames: [] })).toBe('form');
    known.clear();
    expect(hear({})).toBe('cluster');
    expect(frames.dropped).toEqual([]);
  });

  it('is nothing when nobody is left here to hear it', () => {
    const { hear, frames } = aWall();
    expect([hear({ from: 'eve' }), frames.dropped]).toEqual([undefined, []]);
  });
});
