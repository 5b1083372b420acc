import { expect, it } from 'vitest';
import { SigningKey } from '../../lib/crypto/ed25519.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { toBase64Url } from './command-envelope.js';
import { Presence } from './presence.js';

const show = () => ({ project: 'lamp', cards: [] });
interface Said {
  subject: string;
  data: Uint8Array;
}

/** One subject space in memory: who subscribes receives what is published. */
function createSpace() {
  const listeners: ((error: null, message: Said) => void)[] = [];
  const said: Said[] = [];
  const connection = {
    isClosed: () => false,
    publish: (subject: string, data: string) => {
      const message = { subject, data: Buffer.from(data) };
      said.push(message);
      for (const listener of listeners) listener(null, message);
    },
    subscribe: (_subject: string, { callback }: { callback: (error: null, message: Said) => void }) => {
      listeners.push(callback);
      return { unsubscribe: () => listeners.splice(listeners.indexOf(callback), 1) };
    },
  };
  return { said, connection: connection as never, deliver: (message: Said) => listeners[0]?.(null, message) };
}

const newKey = () => new SigningKey(SigningKey.newSeed());

it('lists a daemon as present while it announces itself, and as absent a minute after', () => {
  const [clock, space, mine, other] = [new FakeClock(), createSpace(), newKey(), newKey()];
  const parts = { connection: space.connection, network: 'docks', clock, show, findDaemon: (key: string) => key };
  const [here, there] = [new Presence({ ...parts, key: mine }), new Presence({ ...parts, key: other })];
  const id = toBase64Url(other.pubkey);
  here.start();
  expect(here.find(id)).toEqual({ isPresent: false });
  there.start();
  const lastSeenMs = clock.now();
  expect(here.find(id)).toEqual({ isPresent: true, lastSeenMs, shown: show() });
  clock.advance(200_000);
  expect(here.find(id)).toEqual({ isPresent: true, lastSeenMs: lastSeenMs + 200_000, shown: show() });
  there.stop();
  clock.advance(59_000);
  expect(here.find(id).isPresent).toBe(true);
  clock.advance(1_000);
  expect(here.find(id)).toEqual({ isPresent: false, lastSeenMs: lastSeenMs + 200_000, shown: show() });
});

it('answers a daemon that was absent, once for all who come meanwhile', () => {
  const [clock, space] = [new FakeClock(), createSpace()];
  const parts = { connection: space.connection, network: 'docks', clock, show, findDaemon: (key: string) => key };
  const [mine, others] = [newKey(), [newKey(), newKey()]];
  new Presence({ ...parts, key: mine }).start();
  clock.advance(5_000);
  const [first, second] = others.map((key) => new Presence({ ...parts, key }));
  first?.start();
  second?.start();
  const id = toBase64Url(mine.pubkey);
  expect([first, second].map((one) => one?.find(id).isPresent)).toEqual([false, false]);
  clock.advance(1_000);
  expect([first, second].map((one) => one?.find(id).isPresent)).toEqual([true, true]);
  expect(space.said.filter(({ subject }) => subject.endsWith(id))).toHaveLength(2);
  clock.advance(10_000);
  expect(space.said.filter(({ subject }) => subject.endsWith(id))).toHaveLength(2);
});

it('believes no announcement that is forged, old, of another subject or of an unknown daemon', () => {
  const [clock, space, mine, other] = [new FakeClock(), createSpace(), newKey(), newKey()];
  let isKnown = true;
  const findDaemon = (key: string) => (isKnown ? key : undefined);
  const parts = { connection: space.connection, network: 'docks', clock, show, findDaemon };
  const here = new Presence({ ...parts, key: mine });
  here.start();
  const id = toBase64Url(other.pubkey);
  const away = createSpace();
  new Presence({ ...parts, connection: away.connection, key: other }).announce();
  const genuine = away.said[0] as Said;
  const hear = (message: Said) => {
    space.deliver(message);
    return here.find(id).isPresent;
  };
  const forged = { ...JSON.parse(Buffer.from(genuine.data).toString()), at: clock.now() + 1 };
  expect(hear({ ...genuine, data: Buffer.from(JSON.stringify(forged)) })).toBe(false);
  const shown = JSON.stringify({ ...show(), project: 'another' });
  const changed = { ...JSON.parse(Buffer.from(genuine.data).toString()), shown };
  expect(hear({ ...genuine, data: Buffer.from(JSON.stringify(changed)) })).toBe(false);
  expect(hear({ ...genuine, subject: `m.docks.presence.${toBase64Url(mine.pubkey)}` })).toBe(false);
  expect(hear({ ...genuine, data: Buffer.from('{') })).toBe(false);
  clock.step(121_000);
  expect(hear(genuine)).toBe(false);
  clock.step(-121_000);
  isKnown = false;
  expect(hear(genuine)).toBe(false);
  // The command that binds the key may be applied after its daemon was heard of.
  isKnown = true;
  expect(here.find(id).isPresent).toBe(true);
});
