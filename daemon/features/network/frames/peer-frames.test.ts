import { PassThrough } from 'node:stream';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';
import { expect, it, vi } from 'vitest';
import {
  PEER_MESSAGE_BYTES_MAX,
  PEER_MESSAGES_PER_SECOND,
  PEER_QUEUE_BYTES_MAX,
  type PeerMessage,
} from '../../../contract/shared/peer-frames.js';
import type { DropReason } from '../../../shared-log/shared-frames.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { idOf, newKey } from '../../../testing/network-samples.js';
import { PeerFrames } from './peer-frames.js';
import { PeerSessions } from './peer-sessions.js';
import { openMessage, sealMessage } from './sealed-message.js';

const NETWORK = 'docks';
const SHOWN = { project: 'lamp', cards: [{ member: 'consultant', name: 'Consultant', description: '' }] };

type Hear = (error: Error | null, message: { subject: string; data: Uint8Array }) => void;

const fits = (pattern: string, subject: string) =>
  pattern.split('.').every((token, at) => token === '*' || token === subject.split('.')[at]);

/** Servers in memory. What one connection publishes reaches all others. Flushes are answered when a test says so. */
class FakeServers {
  private readonly hearing = new Map<NatsConnection, Map<string, Hear>>();

  connect() {
    const said: { subject: string; data: Uint8Array }[] = [];
    const subscribed = new Map<string, Hear>();
    const flushes: { resolve: () => void; reject: (error: Error) => void }[] = [];
    const news = new PassThrough({ objectMode: true });
    const state = { isClosed: false };
    // As the client of NATS does.
    const checkSubject = (subject: string) => {
      if (/\s/.test(subject)) throw new Error(`"${subject}" is no subject`);
    };
    const connection = {
      info: { max_payload: 1024 * 1024 },
      isClosed: () => state.isClosed,
      publish: (subject: string, data: Uint8Array) => {
        checkSubject(subject);
        said.push({ subject, data });
        for (const [other, listening] of this.hearing)
          if (other !== connection)
            for (const [pattern, hear] of [...listening]) if (fits(pattern, subject)) hear(null, { subject, data });
      },
      subscribe: (pattern: string, { callback }: { callback: Hear }) => {
        checkSubject(pattern);
        subscribed.set(pattern, callback);
        return { unsubscribe: () => subscribed.delete(pattern) };
      },
      flush: () => new Promise<void>((resolve, reject) => flushes.push({ resolve, reject })),
      close: async () => {
        state.isClosed = true;
      },
      status: () => news,
    } as unknown as NatsConnection;
    this.hearing.set(connection, subscribed);
    const tell = async (type: string) => {
      news.write({ type });
      await settle();
    };
    return { connection, said, subscribed, flushes, state, news, tell };
  }
}

const settle = async () => {
  for (let turn = 0; turn < 5; turn += 1) await nextTick();
};

/** A daemon over the servers, and what it tells its listener. */
function aDaemon(servers = new FakeServers(), { isListening = true } = {}) {
  const [key, clock] = [newKey(), new FakeClock()];
  const strangers = new Set<string>();
  const told: unknown[][] = [];
  const answers: { reason?: DropReason } = {};
  const note =
    (name: string) =>
    (...said: unknown[]) => {
      told.push([name, ...said]);
      return answers.reason;
    };
  const listener = {
    ...{ onOpen: note('open'), onClose: note('close'), onAnnounce: note('announce'), onAbsent: note('absent') },
    ...{ onPresence: note('presence'), onFrames: note('frames') },
  };
  const isMember = (other: string) => !strangers.has(other);
  const frames = new PeerFrames({ key, clock, isMember, show: () => SHOWN });
  if (isListening) frames.listen(listener);
  const link = servers.connect();
  const open = () => frames.open(link.connection, NETWORK);
  const id = idOf(key);
  const greetings = (said = link.said) =>
    said
      .filter(({ subject }) => subject === `m.${NETWORK}.presence.daemons.${id}`)
      .map(({ subject, data }) => openMessage(id, subject, data) as PeerMessage);
  const dropped = () => Object.fromEntries(frames.counts.dropped.map(({ reason, count }) => [reason, count]));
  return { servers, id, clock, frames, listener, told, answers, strangers, link, open, greetings, dropped };
}

/** A member of the network that says what a test wants, once it has proved to be there. */
function aPeer({ servers, clock, greetings }: ReturnType<typeof aDaemon>) {
  const key = newKey();
  const sessions = new PeerSessions(clock);
  sessions.begin();
  const { connection } = servers.connect();
  const id = idOf(key);
  const say = (topic: string, content: unknown, signer = key) => {
    const subject = `m.${NETWORK}.${topic}.${id}`;
    connection.publish(subject, sealMessage(signer, subject, sessions.number(content)));
  };
  const greet = (more: object = {}) =>
    say('presence.daemons', { seen: [greetings().at(-1)?.session], bye: false, shown: SHOWN, ...more });
  return { id, connection, say, greet };
}

/** Two daemons that have greeted each other. */
async function aPair() {
  const one = aDaemon();
  const other = aDaemon(one.servers);
  one.open();
  other.open();
  await settle();
  return [one, other] as const;
}

it('greets when it is opened, with what it shows', () => {
  const { open, greetings, told, frames, id, clock } = aDaemon();
  expect([frames.isReachable, frames.find(id)]).toEqual([
    false,
    { isPresent: false, lastSeenMs: undefined, shown: SHOWN },
  ]);
  open();
  expect(greetings()).toEqual([
    { session: expect.any(String), seq: 1, content: { seen: [], bye: false, shown: SHOWN } },
  ]);
  expect(told).toEqual([['open']]);
  expect(frames.isReachable).toBe(true);
  expect(frames.find(id)).toEqual({ isPresent: true, lastSeenMs: clock.now(), shown: SHOWN });
});

it('knows a daemon as present once both have greeted each other, and announces itself to it', async () => {
  const [one, other] = await aPair();
  for (const [near, far] of [
    [one, other],
    [other, one],
  ] as const) {
    expect(near.frames.find(far.id)).toEqual({ isPresent: true, lastSeenMs: near.clock.now(), shown: SHOWN });
    expect(near.told).toContainEqual(['announce']);
    expect(near.dropped()).toEqual({});
  }
  expect(one.frames.counts.received).toBe(other.frames.counts.sent);
});

it('has one listener, which hears at once that there is a connection', () => {
  const { frames, open, listener, told } = aDaemon(undefined, { isListening: false });
  open();
  frames.listen(listener);
  expect(told).toEqual([['open']]);
  expect(() => frames.listen(listener)).toThrow('Messages of other daemons have a listener already.');
});

it('takes frames of the entities that it follows, from before it is opened or since', async () => {
  const one = aDaemon();
  const other = aDaemon(one.servers);
  one.frames.follow('c_early');
  one.frames.follow('c_dropped');
  one.frames.unfollow('c_dropped');
  one.open();
  other.open();
  await settle();
  one.frames.follow('c_late');
  one.frames.follow('c_late');
  one.told.length = 0;
  const { received } = one.frames.counts;
  for (const entity of ['c_early', 'c_late', 'c_dropped', 'c_other']) other.frames.send('wall', entity, { in: entity });
  expect(one.told).toEqual([
    ['frames', other.id, 'c_early', { in: 'c_early' }],
    ['frames', other.id, 'c_late', { in: 'c_late' }],
  ]);
  expect(one.frames.counts.received).toBe(received + 2);
  one.frames.unfollow('c_late');
  one.frames.unfollow('c_late');
  other.frames.send('wall', 'c_late', { in: 'vain' });
  expect(one.told).toHaveLength(2);
  one.frames.follow('c_late');
  other.frames.send('wall', 'c_late', { in: 'again' });
  expect(one.told.at(-1)).toEqual(['frames', other.id, 'c_late', { in: 'again' }]);
  expect(one.told).toHaveLength(3);
  // Who is there is heard for every entity.
  other.frames.send('presence', 'c_other', { members: [] });
  expect(one.told.at(-1)).toEqual(['presence', other.id, 'c_other', { members: [] }]);
});

it('drops what is of no member, or was not signed, or of a session that was not proven, and counts each', () => {
  const daemon = aDaemon();
  const { open, frames, strangers, told, answers, dropped, servers, link, id } = daemon;
  open();
  const peer = aPeer(daemon);
  peer.say('presence.c_1', 'early');
  peer.greet();
  peer.say('presence.c_1', 'signed', newKey());
  strangers.add(peer.id);
  peer.say('presence.c_1', 'no member');
  strangers.clear();
  const echo = `m.${NETWORK}.presence.c_1.${id}`;
  servers.connect().connection.publish(echo, link.said[0]?.data ?? new Uint8Array());
  answers.reason = 'cluster';
  peer.say('presence.c_1', 'refused');
  expect(dropped()).toEqual({ session: 1, signature: 1, daemon: 2, cluster: 1 });
  expect(frames.counts.dropped.map(({ reason }) => reason)).toEqual(['cluster', 'daemon', 'session', 'signature']);
  expect([frames.counts.received, frames.counts.sent]).toEqual([1, 1]);
  expect(told.filter(([name]) => name === 'presence')).toEqual([['presence', peer.id, 'c_1', 'refused']]);
  frames.countDropped('handle', 3);
  frames.countDropped('handle');
  expect(dropped()).toMatchObject({ handle: 4 });
});

it('takes entities of 1 to 64 letters, digits, hyphens and underscores', () => {
  const daemon = aDaemon();
  daemon.open();
  const peer = aPeer(daemon);
  peer.greet();
  const right = ['c', 'Az09_-', 'x'.repeat(64)];
  for (const entity of [...right, 'x'.repeat(65), 'a=b', '=ab', 'ab=']) peer.say(`presence.${entity}`, {});
  expect(daemon.told.filter(([name]) => name === 'presence').map(([, , entity]) => entity)).toEqual(right);
  expect(daemon.dropped()).toEqual({ form: 4 });
});

it('neither follows nor sends to an entity that cannot be part of a subject', () => {
  const { open, frames, link, dropped } = aDaemon();
  frames.follow('a b');
  open();
  for (const entity of ['a b', '>', '*', 'a.b', '']) {
    frames.follow(entity);
    frames.send('presence', entity, {});
    frames.unfollow(entity);
  }
  expect([...link.subscribed.keys()]).toEqual([`m.${NETWORK}.presence.*.*`]);
  expect([dropped(), link.said.length]).toEqual([{ form: 5 }, 1]);
});

it('looks at so many messages of a daemon in a second', () => {
  const daemon = aDaemon();
  daemon.open();
  const { id, connection } = aPeer(daemon);
  const subject = `m.${NETWORK}.presence.c_1.${id}`;
  const short = new Uint8Array(1);
  for (let count = 0; count < PEER_MESSAGES_PER_SECOND + 2; count += 1) connection.publish(subject, short);
  expect(daemon.dropped()).toEqual({ form: PEER_MESSAGES_PER_SECOND, rate: 2 });
});

it('takes a greeting of its form alone; what it shows may have another form', () => {
  const daemon = aDaemon();
  daemon.open();
  const peer = aPeer(daemon);
  peer.say('presence.daemons', { seen: [], bye: 'no', shown: SHOWN });
  expect(daemon.dropped()).toEqual({ form: 1 });
  peer.greet({ shown: { project: 'lamp', rooms: [] } });
  expect(daemon.frames.find(peer.id)).toMatchObject({ isPresent: true, shown: undefined });
  peer.greet();
  expect(daemon.frames.find(peer.id)).toMatchObject({ isPresent: true, shown: SHOWN });
});

it('answers a greeting of a new session once, and none that it knows', async () => {
  const daemon = aDaemon();
  daemon.open();
  const peer = aPeer(daemon);
  peer.greet();
  await settle();
  expect(daemon.greetings()).toHaveLength(2);
  expect(daemon.greetings()[1]?.content).toMatchObject({ seen: [expect.any(String)], bye: false });
  peer.greet();
  await settle();
  expect(daemon.greetings()).toHaveLength(2);
});

it('believes a goodbye of a proven session alone', () => {
  const daemon = aDaemon();
  daemon.open();
  const [peer, unproven] = [aPeer(daemon), aPeer(daemon)];
  unproven.greet({ seen: [], bye: true });
  peer.greet();
  daemon.told.length = 0;
  peer.greet({ bye: true });
  expect(daemon.told).toEqual([['absent', peer.id]]);
  expect(daemon.frames.find(peer.id).isPresent).toBe(false);
  peer.greet();
  expect(daemon.dropped()).toEqual({ replay: 1 });
});

it('announces itself every twenty seconds, and tells of a daemon that was silent for a minute', async () => {
  const daemon = aDaemon();
  const { clock, greetings, told } = daemon;
  daemon.open();
  const peer = aPeer(daemon);
  peer.greet();
  await settle();
  told.length = 0;
  const before = greetings().length;
  clock.advance(19_999);
  await settle();
  expect(greetings()).toHaveLength(before);
  clock.advance(1);
  await settle();
  expect(greetings()).toHaveLength(before + 1);
  expect(told).toEqual([['announce']]);
  for (let count = 0; count < 3; count += 1) {
    clock.advance(20_000);
    await settle();
  }
  expect(told.filter(([name]) => name === 'absent')).toEqual([['absent', peer.id]]);
});

it('announces itself once for all that asks for it in a tick, and not without a connection', async () => {
  const { open, frames, greetings, told, link } = aDaemon();
  frames.announceSoon();
  frames.announce();
  await settle();
  expect(link.said).toEqual([]);
  open();
  for (let count = 0; count < 3; count += 1) frames.announceSoon();
  await settle();
  expect(greetings()).toHaveLength(2);
  expect(told).toEqual([['open'], ['announce']]);
  frames.announce();
  expect(greetings()).toHaveLength(3);
  await link.tell('disconnect');
  frames.announce();
  frames.announceSoon();
  await settle();
  expect(greetings()).toHaveLength(3);
  expect(told).toHaveLength(2);
  await link.tell('reconnect');
  frames.announceSoon();
  await settle();
  expect(greetings()).toHaveLength(5);
});

it('greets others three times at most, and all are present, once the servers of many daemons have restarted', async () => {
  const servers = new FakeServers();
  const daemons = Array.from({ length: 20 }, () => aDaemon(servers));
  const pass = async (ms: number) => {
    for (const { clock } of daemons) clock.advance(ms);
    await settle();
  };
  for (const { open } of daemons) open();
  await settle();
  await pass(1_000);
  for (const { link } of daemons) await link.tell('disconnect');
  const before = daemons.map(({ greetings }) => greetings().length);
  for (const { link } of daemons) link.news.write({ type: 'reconnect' });
  await settle();
  expect(daemons.map(({ greetings }, at) => greetings().length - (before[at] ?? 0))).toEqual(daemons.map(() => 1));
  for (let step = 0; step < 30; step += 1) await pass(10);
  const since = daemons.map(({ greetings }, at) => greetings().length - (before[at] ?? 0));
  expect(Math.max(...since)).toBeLessThanOrEqual(3);
  for (const { frames } of daemons) expect(daemons.map(({ id }) => frames.find(id).isPresent)).not.toContain(false);
});

it('begins a new session when the connection comes back, in which others prove theirs again', async () => {
  const daemon = aDaemon();
  const { open, frames, link, greetings, id } = daemon;
  open();
  const peer = aPeer(daemon);
  peer.greet();
  await link.tell('disconnect');
  expect([frames.isReachable, frames.find(id).isPresent]).toEqual([false, false]);
  frames.send('wall', 'c_1', {});
  expect(daemon.dropped()).toEqual({ overflow: 1 });
  await link.tell('ping');
  expect(frames.isReachable).toBe(false);
  await link.tell('reconnect');
  expect([frames.isReachable, frames.find(id).isPresent]).toEqual([true, true]);
  const [first, last] = [greetings()[0], greetings().at(-1)];
  expect(last).toMatchObject({ seq: 1, content: { seen: [], bye: false } });
  expect(last?.session).not.toBe(first?.session);
  peer.say('presence.c_1', 'of the session before');
  expect(daemon.dropped()).toMatchObject({ session: 1 });
});

it('is reachable through an open connection alone', () => {
  const { open, frames, link, dropped } = aDaemon();
  frames.send('wall', 'c_1', {});
  open();
  expect(dropped()).toEqual({});
  link.state.isClosed = true;
  expect(frames.isReachable).toBe(false);
  frames.send('wall', 'c_1', {});
  expect([dropped(), frames.counts.sent]).toEqual([{ overflow: 1 }, 1]);
});

const FRAME_BYTES = 64 + JSON.stringify({ session: 'x'.repeat(22), seq: 1, content: { text: '' } }).length;
/** The content of the message number `seq` of a session that is so many bytes long. */
const ofBytes = (bytes: number, seq: number) => ({ text: 'x'.repeat(bytes - FRAME_BYTES - String(seq).length + 1) });

it.each([
  ['this daemon sends', 1024 * 1024, PEER_MESSAGE_BYTES_MAX],
  ['the servers take', 10_000, 10_000],
])('sends messages of at most as many bytes as %s', (_whose, payload, most) => {
  const { open, frames, link, dropped } = aDaemon();
  open();
  Object.assign(link.connection, { info: { max_payload: payload } });
  frames.send('wall', 'c_1', ofBytes(most, 2));
  expect([link.said.at(-1)?.data.length, link.said.length, dropped()]).toEqual([most, 2, {}]);
  frames.send('wall', 'c_1', ofBytes(most + 1, 3));
  expect([link.said.length, dropped(), frames.counts.sent]).toEqual([2, { size: 1 }, 2]);
});

it('sends by its own limit where the servers have told none', () => {
  const { open, frames, link, dropped } = aDaemon();
  open();
  Object.assign(link.connection, { info: undefined });
  frames.send('wall', 'c_1', ofBytes(PEER_MESSAGE_BYTES_MAX, 2));
  frames.send('wall', 'c_1', ofBytes(PEER_MESSAGE_BYTES_MAX + 1, 3));
  expect([link.said.length, dropped()]).toEqual([2, { size: 1 }]);
});

it('sends no more than the servers confirm, and goes on once they have', async () => {
  const { open, frames, link, dropped } = aDaemon();
  open();
  const waiting = () => link.said.reduce((sum, { data }) => sum + data.length, 0);
  const send = (bytes: number) => frames.send('wall', 'c_1', ofBytes(bytes, link.said.length + 1));
  while (PEER_QUEUE_BYTES_MAX - waiting() > PEER_MESSAGE_BYTES_MAX) send(900_000);
  send(PEER_QUEUE_BYTES_MAX - waiting());
  expect([waiting(), frames.isReachable]).toEqual([PEER_QUEUE_BYTES_MAX, true]);
  send(160);
  expect(frames.isReachable).toBe(false);
  const { length } = link.said;
  send(160);
  expect([link.said.length, dropped()]).toEqual([length, { overflow: 1 }]);
  // One question at a time: the first one was for the greeting alone.
  expect(link.flushes).toHaveLength(1);
  link.flushes[0]?.resolve();
  await settle();
  expect([link.flushes.length, frames.isReachable]).toEqual([2, true]);
  link.flushes[1]?.reject(new Error('gone'));
  await settle();
  // Nothing is left to ask for.
  expect(link.flushes).toHaveLength(2);
  for (let count = 0; count < 9; count += 1) send(900_000);
  expect([frames.isReachable, dropped()]).toEqual([true, { overflow: 1 }]);
  send(900_000);
  expect(frames.isReachable).toBe(false);
});

it('asks for no confirmation while the connection is away', async () => {
  const { open, frames, link } = aDaemon();
  open();
  frames.send('wall', 'c_1', { text: 'more' });
  await link.tell('disconnect');
  link.flushes[0]?.resolve();
  await settle();
  expect(link.flushes).toHaveLength(1);
  await link.tell('reconnect');
  expect(link.flushes).toHaveLength(2);
});

it('owes nothing of an earlier connection, whose questions are never answered', async () => {
  const { open, frames, link, servers, clock } = aDaemon();
  open();
  while (frames.isReachable) frames.send('wall', 'c_1', ofBytes(900_000, 1));
  await link.tell('disconnect');
  await link.tell('reconnect');
  expect(frames.isReachable).toBe(true);
  const closed = frames.close();
  clock.advance(1_000);
  await closed;
  const next = servers.connect();
  frames.open(next.connection, NETWORK);
  expect([next.flushes.length, frames.isReachable]).toEqual([1, true]);
});

it('says goodbye, and waits a second at most until that has arrived', async () => {
  const { open, frames, link, greetings, told, clock, id } = aDaemon();
  await frames.close();
  expect(told).toEqual([]);
  open();
  const flushes = link.flushes.length;
  const closed = frames.close();
  expect(greetings().at(-1)?.content).toMatchObject({ bye: true, shown: SHOWN });
  expect(told.at(-1)).toEqual(['close']);
  await settle();
  expect([link.flushes.length, link.state.isClosed]).toEqual([flushes + 1, false]);
  clock.advance(999);
  await settle();
  expect(link.state.isClosed).toBe(false);
  clock.advance(1);
  await closed;
  expect([link.state.isClosed, frames.find(id).isPresent, frames.isReachable]).toEqual([true, false, false]);
  const { length } = link.said;
  clock.advance(60_000);
  await settle();
  frames.send('wall', 'c_1', {});
  expect([link.said.length, clock.pending]).toEqual([length, 0]);
});

it.each(['resolve', 'reject'] as const)('closes as soon as the servers %s the goodbye', async (how) => {
  const { open, frames, link } = aDaemon();
  open();
  const closed = frames.close();
  await settle();
  link.flushes.at(-1)?.[how](new Error('gone'));
  await closed;
  expect(link.state.isClosed).toBe(true);
});

it('says no goodbye where nobody would hear it', async () => {
  const { open, frames, link, greetings } = aDaemon();
  open();
  await link.tell('disconnect');
  const before = link.flushes.length;
  await frames.close();
  expect([greetings().length, link.flushes.length, link.state.isClosed]).toEqual([1, before, true]);
});

it('knows nobody any more after it is closed, and hears nothing of the connection', async () => {
  const daemon = aDaemon();
  const { open, frames, link, servers, told } = daemon;
  open();
  const peer = aPeer(daemon);
  peer.greet();
  const [before] = link.subscribed.values();
  const closed = frames.close();
  await settle();
  link.flushes.at(-1)?.resolve();
  await closed;
  expect(frames.find(peer.id)).toEqual({ isPresent: false, lastSeenMs: undefined, shown: undefined });
  const next = servers.connect();
  frames.open(next.connection, NETWORK);
  const counts = frames.counts;
  const [{ subject, data } = { subject: '', data: new Uint8Array() }] = link.said;
  before?.(null, { subject, data });
  await link.tell('disconnect');
  expect([frames.isReachable, frames.counts]).toEqual([true, counts]);
  const [hear] = next.subscribed.values();
  hear?.(new Error('no permission'), { subject, data });
  expect(frames.counts).toEqual(counts);
  expect(told.filter(([name]) => name === 'open')).toHaveLength(2);
});

it('works for a daemon that nobody listens to', async () => {
  const daemon = aDaemon(undefined, { isListening: false });
  daemon.open();
  const peer = aPeer(daemon);
  daemon.frames.follow('c_1');
  peer.greet();
  peer.say('presence.c_1', {});
  peer.say('wall.c_1', {});
  peer.greet({ bye: true });
  daemon.clock.advance(120_000);
  await settle();
  expect([daemon.dropped(), daemon.frames.counts.received]).toEqual([{}, 4]);
  vi.spyOn(daemon.link.connection, 'flush').mockResolvedValue();
  await daemon.frames.close();
  expect(daemon.link.state.isClosed).toBe(true);
});
