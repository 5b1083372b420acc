import { expect, it } from 'vitest';
import type { NetworkSession } from './network-session.js';
import { describePromise, describeSession, getFsync } from './network-status.js';

it.each([
  ['1.99.0', 'periodic'],
  ['2.9.10', 'periodic'],
  ['2.11.9', 'periodic'],
  ['2.12.0', 'unknown'],
  ['2.13', 'unknown'],
  ['3.0.1', 'unknown'],
  ['2', 'periodic'],
] as const)('says of version %s that it writes to disk: %s', (version, fsync) => {
  expect(getFsync(version)).toBe(fsync);
});

const LATER = 'not a power failure of all of them at once: this version does not write to disk before it acknowledges';
const PERHAPS = 'and a power failure of all of them only where they are set to sync_interval: always';
const ONE = 'An acknowledged change survives the death of the server process, but not the loss of its machine; ';
const MANY = 'An acknowledged change survives the death of any process and of any one machine, ';

it.each([
  [1, 'periodic', `${ONE}${LATER}.`],
  [2, 'unknown', `${ONE}${PERHAPS}.`],
  [3, 'periodic', `${MANY}${LATER}.`],
  [5, 'unknown', `${MANY}${PERHAPS}.`],
] as const)('promises of %i servers with %s writing no more than they keep', (replicas, fsync, promise) => {
  expect(describePromise(replicas, fsync)).toBe(promise);
});

const server = { name: 'n1', version: '2.12.1', address: '127.0.0.1:4222' };
const session = (parts: { server?: typeof server; last?: number }) =>
  ({
    server: parts.server,
    stream: async () =>
      parts.last === undefined ? undefined : { config: { num_replicas: 3 }, state: { last_seq: parts.last } },
  }) as unknown as NetworkSession;

it('describes the servers, and how many changes are not applied here', async () => {
  expect(await describeSession(session({ server, last: 9 }), 7)).toEqual({
    ...{ server, lag: 2, replicas: 3, fsync: 'unknown', promise: `${MANY}${PERHAPS}.` },
  });
  expect(await describeSession(session({ server, last: 9 }), 12)).toMatchObject({ lag: 0 });
});

it('says nothing of servers that do not answer', async () => {
  expect(await describeSession(session({}), 7)).toEqual({
    ...{ server: null, lag: null, replicas: null, fsync: null, promise: null },
  });
  expect(await describeSession(session({ server }), 7)).toMatchObject({ fsync: 'unknown', lag: null, promise: null });
  expect(await describeSession(session({ last: 9 }), 7)).toMatchObject({ replicas: 3, fsync: null, promise: null });
});
