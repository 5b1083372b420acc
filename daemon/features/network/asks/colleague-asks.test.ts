import { setImmediate as nextTick } from 'node:timers/promises';
import { expect, it } from 'vitest';
import {
  NETWORK_ASKS_KEPT,
  NETWORK_ASKS_LIVE_MAX,
  type NetworkAgent,
  type NetworkFrame,
  type NetworkPollQuery,
  type NetworkRequest,
} from '../../../contract/shared/network-asks.js';
import { MeshError } from '../../../lib/errors.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { idOf, newKey, SAMPLE_ANSWER } from '../../../testing/network-samples.js';
import { MemorySubjects } from '../../../testing/stand-ins/memory-subjects.js';
import { ColleagueAsks } from './colleague-asks.js';
import { askSubject, readRequest, signFrame } from './signed-messages.js';

const NETWORK = 'docks';

/** The asks of one daemon, all of one member, and the other side of them. */
function createAsks() {
  const [clock, subjects, own, asked] = [new FakeClock(), new MemorySubjects(), newKey(), newKey()];
  const daemon = idOf(asked);
  const agent: NetworkAgent = {
    ...{ ref: 'lamp/consultant', project: 'lamp', daemon, daemon_name: 'Quay', self: false, problem: null },
    ...{ member: 'consultant', name: 'Consultant', description: '' },
  };
  const asks = new ColleagueAsks(clock);
  const parts = { connection: subjects.connection, network: NETWORK, key: own, clock, findKey: () => daemon };
  const ask = (more: object = {}) => asks.ask(parts, agent, { to: 'lamp/consultant', text: 'Which port?', ...more });
  const sent = () =>
    subjects.said
      .filter(({ subject }) => subject === askSubject(NETWORK, daemon, 'consultant'))
      .map(({ data }) => readRequest(NETWORK, data) as NetworkRequest);
  const answer = (id: string, seq: number, body: NetworkFrame['body']) => {
    const reply = sent().find((request) => request.id === id)?.reply ?? '';
    subjects.publish(reply, signFrame(asked, NETWORK, { v: 1, re: id, seq, body }));
  };
  /** Begins to poll. `isOver` says whether there is an answer. */
  const poll = (id: string, query: NetworkPollQuery) => {
    const ending = new AbortController();
    const state = { isOver: false };
    const polled = asks.poll(id, query, ending.signal).then((view) => {
      state.isOver = true;
      return view;
    });
    const isOver = async () => {
      await nextTick();
      return state.isOver;
    };
    return { polled, isOver, abort: () => ending.abort() };
  };
  return { asks, ask, clock, sent, answer, poll };
}

it('sends the question with its session, and shows the ask', () => {
  const { ask, sent } = createAsks();
  expect(ask()).toMatchObject({ status: 'sent', text: 'Which port?', to: 'lamp/consultant' });
  expect(ask({ session: 'today' })).toMatchObject({ status: 'sent' });
  expect(sent().map(({ body }) => body)).toEqual([
    { kind: 'ask', text: 'Which port?' },
    { kind: 'ask', text: 'Which port?', session: 'today' },
  ]);
});

it('has so many asks under way, and takes the next when one has ended', () => {
  const { asks, ask } = createAsks();
  const [first] = Array.from({ length: NETWORK_ASKS_LIVE_MAX }, () => ask());
  expect(() => ask()).toThrow(
    expect.objectContaining({
      code: 'limit_reached',
      message: `${NETWORK_ASKS_LIVE_MAX} asks of other daemons are under way: wait for one to end, or cancel one.`,
    }),
  );
  expect(asks.cancel(first?.id ?? '')).toMatchObject({ status: 'error', error: { code: 'cancelled' } });
  expect(ask().status).toBe('sent');
  expect(() => ask()).toThrow('are under way');
});

it('remembers so many asks, and forgets the oldest that has ended', async () => {
  const { asks, ask, poll } = createAsks();
  const live = ask();
  const ended = Array.from({ length: NETWORK_ASKS_KEPT - 1 }, () => asks.cancel(ask().id));
  await expect(poll(ended[0]?.id ?? '', {}).polled).resolves.toMatchObject({ status: 'error' });
  ask();
  await expect(poll(ended[0]?.id ?? '', {}).polled).rejects.toMatchObject({
    code: 'not_found',
    message: 'There is no such ask: they are kept in memory, and gone when the daemon restarts.',
  });
  await expect(poll(ended[1]?.id ?? '', {}).polled).resolves.toMatchObject({ status: 'error' });
  await expect(poll(live.id, {}).polled).resolves.toMatchObject({ status: 'sent' });
  expect(() => asks.cancel('another')).toThrow('There is no such ask');
});

it('is polled at once by default, and for so many seconds while nothing ends it', async () => {
  const { ask, poll, clock } = createAsks();
  const { id } = ask();
  expect(await poll(id, {}).polled).toMatchObject({ status: 'sent' });
  const waiting = poll(id, { wait: 3 });
  clock.advance(2_999);
  expect(await waiting.isOver()).toBe(false);
  clock.advance(1);
  expect(await waiting.polled).toMatchObject({ status: 'sent' });
});

it.each<[string, NetworkFrame['body'], string]>([
  ['done', { kind: 'done', answer: SAMPLE_ANSWER }, 'done'],
  ['refused', { kind: 'refused', code: 'too_large', message: 'No.' }, 'error'],
])('wakes who polls when the ask is %s', async (_, body, status) => {
  const { ask, answer, poll } = createAsks();
  const { id } = ask();
  const waiting = poll(id, { wait: 60 });
  answer(id, 0, { kind: 'state', status: 'running' });
  expect(await waiting.isOver()).toBe(false);
  answer(id, 1, body);
  expect(await waiting.polled).toMatchObject({ status });
  // An ask that has ended is never waited for.
  expect(await poll(id, { wait: 60 }).polled).toMatchObject({ status });
});

it('wakes who has seen less of the text, and nobody else', async () => {
  const { ask, answer, poll } = createAsks();
  const [{ id }, other] = [ask(), ask()];
  const [all, more, apart] = [poll(id, { wait: 60 }), poll(id, { wait: 60, seen: 5 }), poll(other.id, { wait: 60 })];
  expect(await poll(id, { wait: 60, seen: 0 }).isOver()).toBe(false);
  answer(id, 0, { kind: 'delta', text: 'Port ' });
  expect(await poll(id, { wait: 60, seen: 4 }).polled).toMatchObject({ text_so_far: 'Port ' });
  expect([await all.isOver(), await more.isOver()]).toEqual([false, false]);
  answer(id, 1, { kind: 'delta', text: '8' });
  expect(await more.polled).toMatchObject({ text_so_far: 'Port 8' });
  expect([await all.isOver(), await apart.isOver()]).toEqual([false, false]);
});

it('ends a poll whose caller is gone, and no other', async () => {
  const { ask, poll } = createAsks();
  const { id } = ask();
  const [gone, stays] = [poll(id, { wait: 60 }), poll(id, { wait: 60 })];
  gone.abort();
  expect(await gone.polled).toMatchObject({ status: 'sent' });
  expect(await stays.isOver()).toBe(false);
});

it('ends all asks with the connection that they came by', async () => {
  const { asks, ask, answer, poll } = createAsks();
  const [done, live] = [ask(), ask()];
  answer(done.id, 0, { kind: 'done', answer: SAMPLE_ANSWER });
  const waiting = poll(live.id, { wait: 60 });
  asks.failAll(new MeshError('network_unavailable', 'This daemon left.'));
  expect(await waiting.polled).toMatchObject({
    status: 'error',
    error: { code: 'network_unavailable', message: 'This daemon left.' },
  });
  expect(await poll(done.id, {}).polled).toMatchObject({ status: 'done' });
});
