import { expect, it } from 'vitest';
import type { NetworkShown } from '../../../contract/shared/network-asks.js';
import { PEER_BYTES_PER_SECOND, PEER_MESSAGES_PER_SECOND, PeerGreeting } from '../../../contract/shared/peer-frames.js';
import { SigningKey } from '../../../lib/crypto/ed25519.js';
import { hasForm } from '../../../shared-log/has-form.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { toBase64Url } from '../command-envelope.js';
import { PeerSessions } from './peer-sessions.js';
import { openMessage, sealMessage } from './sealed-message.js';

/** Two daemons, here and there, that greet each other as `PeerFrames` does. */
function aPair() {
  const clock = new FakeClock();
  const [here, there] = [new PeerSessions(clock), new PeerSessions(clock)];
  for (const one of [here, there]) one.begin();
  const greeting = (from: PeerSessions, bye = false, shown?: NetworkShown) => ({
    message: from.number(null),
    greeting: { seen: from.seen, bye, shown },
  });
  const hear = (at: PeerSessions, key: string, { message, greeting: said }: ReturnType<typeof greeting>) =>
    at.greet(key, message, said);
  const meet = () => {
    hear(there, 'here', greeting(here));
    hear(here, 'there', greeting(there));
    hear(there, 'here', greeting(here));
  };
  return { clock, here, there, greeting, hear, meet };
}

it('believes a session once it has named the own one, and its messages in growing order', () => {
  const { here, there, greeting, hear } = aPair();
  hear(there, 'here', greeting(here));
  const early = there.number('early');
  expect(here.accept('there', early)).toBe('session');
  expect(hear(here, 'there', greeting(there))).toEqual({ isNew: true, isProven: true });
  expect(here.accept('there', early)).toBe('replay');
  const next = there.number('next');
  expect(here.accept('there', next)).toBeUndefined();
  expect(here.accept('there', next)).toBe('replay');
  expect(there.accept('here', here.number('x'))).toBe('session');
});

it('lets no replayed greeting displace the session of now, nor bring back one that said goodbye', () => {
  const { here, there, greeting, hear, meet } = aPair();
  meet();
  const old = greeting(there);
  expect(hear(here, 'there', old)).toMatchObject({ isProven: true });
  there.begin();
  hear(there, 'here', greeting(here));
  expect(hear(here, 'there', greeting(there))).toEqual({ isNew: true, isProven: true });
  expect(hear(here, 'there', old)).toBe('replay');
  expect(here.accept('there', there.number('on'))).toBeUndefined();
  const last = greeting(there, true);
  expect(hear(here, 'there', last)).toMatchObject({ isProven: true });
  expect(hear(here, 'there', greeting(there))).toBe('replay');
  expect(here.accept('there', there.number('after'))).toBe('session');
});

it('must be proved to anew after an interruption here', () => {
  const { here, there, greeting, hear, meet } = aPair();
  meet();
  const said = there.number('said');
  here.begin();
  expect(here.accept('there', said)).toBe('session');
  hear(there, 'here', greeting(here));
  hear(here, 'there', greeting(there));
  expect(here.accept('there', there.number('again'))).toBeUndefined();
});

it('lists a daemon as absent once after a minute of silence, and takes it back', () => {
  const { clock, here, there, meet } = aPair();
  meet();
  clock.advance(59_000);
  expect(here.takeAbsent()).toEqual([]);
  clock.advance(1_000);
  expect(here.takeAbsent()).toEqual(['there']);
  expect(here.takeAbsent()).toEqual([]);
  expect(here.accept('there', there.number('back'))).toBeUndefined();
  clock.advance(60_000);
  expect(here.takeAbsent()).toEqual(['there']);
});

it('lists a daemon as present, with what it shows, from its first proven greeting until a minute of silence', () => {
  const { clock, here, there, greeting, hear } = aPair();
  const shown = { project: 'lamp', cards: [] };
  const unproven = greeting(there, false, shown);
  expect(hear(here, 'there', unproven)).toMatchObject({ isProven: false });
  expect(here.find('there')).toEqual({ isPresent: false, lastSeenMs: undefined, shown: undefined });
  hear(there, 'here', greeting(here));
  hear(here, 'there', greeting(there, false, shown));
  const lastSeenMs = clock.now();
  expect(here.find('there')).toEqual({ isPresent: true, lastSeenMs, shown });
  clock.advance(59_999);
  expect(here.find('there').isPresent).toBe(true);
  clock.advance(1);
  expect(here.find('there')).toEqual({ isPresent: false, lastSeenMs, shown });
  here.takeAbsent();
  expect(here.find('there').isPresent).toBe(false);
  hear(here, 'there', greeting(there));
  expect(here.find('there')).toEqual({ isPresent: true, lastSeenMs: lastSeenMs + 60_000, shown: undefined });
  hear(here, 'there', greeting(there, true));
  expect(here.find('there').isPresent).toBe(false);
  here.clear();
  expect(here.find('there').lastSeenMs).toBeUndefined();
});

it('takes so many messages a second of one daemon, whatever others send', () => {
  const { here } = aPair();
  const admitted = Array.from({ length: PEER_MESSAGES_PER_SECOND + 10 }, () => here.admits('there', 100));
  expect(admitted.filter(Boolean)).toHaveLength(PEER_MESSAGES_PER_SECOND);
  expect(here.admits('other', 100)).toBe(true);
});

it('opens a message of its key and subject alone, as it was signed, within the limits', () => {
  const [key, other] = [new SigningKey(SigningKey.newSeed()), new SigningKey(SigningKey.newSeed())];
  const id = toBase64Url(key.pubkey);
  const message = { session: 'a'.repeat(22), seq: 1, content: { text: 'ä\u0000' } };
  const sealed = sealMessage(key, 'm.docks.wall.c_1.key', message);
  expect(openMessage(id, 'm.docks.wall.c_1.key', sealed)).toEqual(message);
  expect(openMessage(id, 'm.docks.wall.c_2.key', sealed)).toBe('signature');
  expect(openMessage(toBase64Url(other.pubkey), 'm.docks.wall.c_1.key', sealed)).toBe('signature');
  const changed = Buffer.from(sealed);
  changed[changed.length - 3] = 0x20;
  expect(openMessage(id, 'm.docks.wall.c_1.key', changed)).toBe('signature');
  expect(openMessage(id, 's', sealed.subarray(0, 64))).toBe('form');
  expect(openMessage(id, 's', Buffer.alloc(960 * 1024 + 1))).toBe('size');
  const seal = (content: unknown) => sealMessage(key, 's', { ...message, content });
  expect(openMessage(id, 's', seal([[[[[1]]]]]))).toMatchObject({ seq: 1 });
  expect(openMessage(id, 's', seal([[[[[[1]]]]]]))).toBe('form');
  expect(openMessage(id, 's', sealMessage(key, 's', { ...message, seq: 0 }))).toBe('form');
});

it('numbers its messages from 1, in sessions that nobody could know before', () => {
  const sessions = new PeerSessions(new FakeClock());
  const [first, second] = [sessions.number('a'), sessions.number('b')];
  expect([first, second]).toEqual([
    { session: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/), seq: 1, content: 'a' },
    { session: first.session, seq: 2, content: 'b' },
  ]);
  sessions.begin();
  const next = sessions.number('c');
  expect([next.seq, next.session === first.session]).toEqual([1, false]);
});

it('remembers the newest four sessions of each daemon', () => {
  const { here, there, greeting, hear } = aPair();
  const heard = Array.from({ length: 6 }, (_, number) => {
    there.begin();
    const said = greeting(there);
    const peer = number < 5 ? 'there' : 'other';
    expect(hear(here, peer, said)).toEqual({ isNew: true, isProven: false });
    return said;
  });
  // The newest of each, and then what is older: at most four of one.
  const sessions = heard.map(({ message }) => message.session);
  expect(here.seen).toEqual([5, 4, 1, 2, 3].map((number) => sessions[number]));
  expect(hear(here, 'there', heard[1] as never)).toMatchObject({ isNew: false });
  expect(hear(here, 'there', heard[0] as never)).toMatchObject({ isNew: true });
});

it('answers no goodbye, and takes none twice', () => {
  const { here, there, greeting, hear } = aPair();
  expect(hear(here, 'there', greeting(there, true))).toEqual({ isNew: false, isProven: false });
  expect(here.seen).toEqual([]);
  hear(there, 'here', greeting(here));
  const hello = greeting(there);
  const bye = greeting(there, true);
  expect(hear(here, 'there', hello)).toEqual({ isNew: true, isProven: true });
  expect(hear(here, 'there', hello)).toBe('replay');
  expect(hear(here, 'there', bye)).toEqual({ isNew: false, isProven: true });
  expect([hear(here, 'there', bye), here.takeAbsent()]).toEqual(['replay', []]);
});

it('shows what a daemon shows in its newest greeting that was taken', () => {
  const { here, there, greeting, hear } = aPair();
  const shown = (project: string) => ({ project, cards: [] });
  hear(there, 'here', greeting(here));
  const old = greeting(there, false, shown('old'));
  hear(here, 'there', greeting(there, false, shown('new')));
  expect(hear(here, 'there', old)).toBe('replay');
  expect(here.find('there').shown).toEqual(shown('new'));
});

it('proves a session anew after an interruption, also one that was over', () => {
  const { here, there, greeting, hear, meet } = aPair();
  meet();
  hear(here, 'there', greeting(there, true));
  here.begin();
  hear(there, 'here', greeting(here));
  expect(hear(here, 'there', greeting(there))).toEqual({ isNew: true, isProven: true });
  expect(here.accept('nobody', there.number('x'))).toBe('session');
});

it('greets and proves others, however many daemons a member makes up', () => {
  const { here, there, greeting, hear, meet, clock } = aPair();
  meet();
  const stranger = new PeerSessions(clock);
  const crowd = (begin: number, count: number) => {
    for (let number = begin; number < begin + count; number += 1) {
      stranger.begin();
      hear(here, `crowd-${number % 1_025}-${Math.floor(begin / 10_000)}`, greeting(stranger));
    }
  };
  crowd(0, 4 * 1_025);
  const { seen } = here;
  expect(hasForm(PeerGreeting, { seen, bye: false, shown: null })).toBe(true);
  const session = there.number('x').session;
  expect(seen[0]).toBe(session);
  there.begin();
  hear(here, 'there', greeting(there));
  expect(here.seen).toContain(there.number('x').session);
  // An hour later those that are away make room.
  for (const begin of [10_000, 20_000, 30_000]) crowd(begin, 1_025);
  clock.advance(3_600_000);
  meet();
  here.takeAbsent();
  expect([here.seen.length <= 4_096, here.find('there').isPresent]).toEqual([true, true]);
});

it('looks at so many messages of all daemons together', () => {
  const { here } = aPair();
  const admitted = ['one', 'two', 'three'].map(
    (key) => Array.from({ length: PEER_MESSAGES_PER_SECOND }, () => here.admits(key, 1)).filter(Boolean).length,
  );
  expect(admitted).toEqual([PEER_MESSAGES_PER_SECOND, PEER_MESSAGES_PER_SECOND, 0]);
});

it('takes so many bytes a second of one daemon', () => {
  const { here, clock } = aPair();
  expect([here.admits('there', PEER_BYTES_PER_SECOND), here.admits('there', 1)]).toEqual([true, false]);
  expect(here.admits('other', PEER_BYTES_PER_SECOND)).toBe(true);
  clock.advance(2_000);
  expect(here.admits('there', PEER_BYTES_PER_SECOND)).toBe(true);
});
