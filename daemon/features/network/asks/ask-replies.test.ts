import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished, vi } from 'vitest';
import {
  NETWORK_ASKS_PER_DAEMON,
  NETWORK_BEAT_MS,
  NETWORK_FRAME_BYTES_MAX,
  type NetworkAnswer,
  type NetworkFrame,
  type NetworkRequest,
} from '../../../contract/shared/network-asks.js';
import { makeReceipt } from '../../../lib/crypto/receipt.js';
import { MeshError } from '../../../lib/errors.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { idOf, newKey, SAMPLE_ANSWER } from '../../../testing/network-samples.js';
import { RECEIPT_FACTS } from '../../../testing/receipt-facts.js';
import { MemorySubjects } from '../../../testing/stand-ins/memory-subjects.js';
import { AskService } from './ask-service.js';
import type { AskEnd, ReachableMembers } from './reachable-members.js';
import { askSubject, signRequest } from './signed-messages.js';

const NETWORK = 'docks';
const running = { kind: 'state', status: 'running' } as const;

type News = ReachableMembers['follow'] extends (...args: never[]) => AsyncIterable<infer One> ? One : never;

/** A daemon whose only member says what a test wants, and a colleague that asks it. */
function createService(changes: Partial<ReachableMembers> = {}) {
  const [clock, subjects, own, colleague] = [new FakeClock(), new MemorySubjects(), newKey(), newKey()];
  const script: { news: News[]; now: News | AskEnd; name: string; id: string } = {
    ...{ news: [running], now: { answer: SAMPLE_ANSWER }, name: 'Pier', id: idOf(own) },
  };
  const cancelled: string[] = [];
  const warnings: string[] = [];
  const asking: { id: string; name: string }[] = [];
  const members: ReachableMembers = {
    findCard: (member) => (member === 'closed' ? undefined : { member, name: member, description: '' }),
    requireShareable: () => undefined,
    accept: async (_member, _question, daemon) => {
      asking.push(daemon);
      return 'req-1';
    },
    follow: async function* () {
      yield* script.news;
    },
    read: async () => script.now,
    cancel: async (_member, requestId) => void cancelled.push(requestId),
    ...changes,
  };
  const service = new AskService({
    ...{ network: NETWORK, key: own, clock, connection: subjects.connection },
    warn: (message) => warnings.push(message),
    self: () => script.id,
    findDaemon: (key) => ({ id: key, key, name: script.name, joined_ms: 0, left_ms: null }),
    members: { reachable: members, isShared: () => true },
  });
  service.start();
  onTestFinished(() => service.stop());
  const replies = (reply: string) =>
    subjects.said
      .filter(({ subject }) => subject === reply)
      .map(({ data }) => JSON.parse((JSON.parse(Buffer.from(data).toString()) as { text: string }).text))
      .map(({ body }: NetworkFrame) => body);
  /** Sends a request; `said` is what was answered so far. */
  const ask = async (more: Partial<NetworkRequest> = {}) => {
    const request: NetworkRequest = {
      ...{ v: 1, id: randomUUID(), at: clock.now(), key: idOf(colleague), to: script.id, member: 'consultant' },
      ...{ reply: `_INBOX.${randomUUID().replaceAll('-', '')}`, body: { kind: 'ask', text: 'Which port?' }, ...more },
    };
    subjects.publish(askSubject(NETWORK, request.to, request.member), signRequest(colleague, NETWORK, request));
    await subjects.settle();
    return { id: request.id, said: () => replies(request.reply) };
  };
  return { clock, subjects, script, service, ask, cancelled, warnings, asking, colleague };
}

/** Something that a test lets happen. */
function aGate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}

it('splits what is written into parts of 16,384 characters', async () => {
  const { script, ask } = createService();
  const text = `${'a'.repeat(16_384)}${'b'.repeat(16_384)}c`;
  script.news = [
    { kind: 'delta', text },
    { kind: 'state', status: 'queued', queue_position: 2 },
  ];
  expect((await ask()).said()).toEqual([
    { kind: 'delta', text: 'a'.repeat(16_384) },
    { kind: 'delta', text: 'b'.repeat(16_384) },
    { kind: 'delta', text: 'c' },
    { kind: 'state', status: 'queued', queue_position: 2 },
    { kind: 'done', answer: SAMPLE_ANSWER },
  ]);
});

it('tells why a member gave no answer, and how a daemon without a name is called', async () => {
  const { script, ask, asking, colleague, warnings } = createService();
  script.now = { error: { code: 'deadline', message: 'It took too long.' } };
  script.name = '';
  expect((await ask()).said()).toEqual([running, { kind: 'refused', code: 'deadline', message: 'It took too long.' }]);
  expect(asking).toEqual([{ id: idOf(colleague), name: idOf(colleague).slice(0, 8) }]);
  // What has not ended yet is neither an answer nor a refusal.
  script.now = running;
  expect((await ask()).said()).toEqual([running]);
  expect(warnings).toEqual([]);
});

it('says no more of a failure of its own than that there was one, and warns of it', async () => {
  const { ask, warnings } = createService({ accept: () => Promise.reject(new Error('a private path')) });
  expect((await ask()).said()).toEqual([
    { kind: 'refused', code: 'internal', message: 'The daemon of the member failed.' },
  ]);
  expect(warnings).toEqual(['an ask of the network failed: Error: a private path']);
});

it('tells a thousand characters of a refusal, which is no failure', async () => {
  const accept = () => Promise.reject(new MeshError('overloaded', 'x'.repeat(1_001)));
  const { ask, warnings } = createService({ accept });
  expect((await ask()).said()).toEqual([{ kind: 'refused', code: 'overloaded', message: 'x'.repeat(1_000) }]);
  expect(warnings).toEqual([]);
});

it('answers for no member that is shared and has no card any more', async () => {
  const { ask } = createService();
  expect((await ask({ member: 'closed' })).said()).toEqual([
    { kind: 'refused', code: 'not_found', message: 'The daemon shares no such member with the network.' },
  ]);
});

it('tells every five seconds how the ask is, as long as it runs', async () => {
  const gate = aGate();
  const { clock, script, ask } = createService({
    follow: async function* () {
      yield running;
      await gate.opened;
    },
    read: () => (script.name === 'failing' ? Promise.reject(new Error('gone')) : Promise.resolve(script.now)),
  });
  script.now = { kind: 'state', status: 'queued', queue_position: 1 };
  const { said } = await ask();
  const beat = async (ms: number) => {
    clock.advance(ms);
    await Promise.resolve();
    await Promise.resolve();
    return said().length;
  };
  expect(await beat(NETWORK_BEAT_MS - 1)).toBe(1);
  expect(await beat(1)).toBe(2);
  expect(said().at(-1)).toEqual(script.now);
  expect(await beat(NETWORK_BEAT_MS)).toBe(3);
  // An end is told when it is followed, once.
  script.now = { answer: SAMPLE_ANSWER };
  expect(await beat(NETWORK_BEAT_MS)).toBe(3);
  script.name = 'failing';
  expect(await beat(NETWORK_BEAT_MS)).toBe(3);
  script.name = 'Pier';
  gate.open();
  await new Promise(setImmediate);
  expect(said()).toHaveLength(4);
  script.now = running;
  expect(await beat(10 * NETWORK_BEAT_MS)).toBe(4);
  expect(clock.pending).toBe(0);
});

it('ends beating when following the ask fails', async () => {
  const { clock, ask } = createService({
    follow: async function* () {
      yield running;
      throw new MeshError('not_found', 'It is gone.');
    },
  });
  expect((await ask()).said().at(-1)).toMatchObject({ kind: 'refused', code: 'not_found' });
  expect(clock.pending).toBe(0);
});

it('says nothing after it was stopped', async () => {
  const gate = aGate();
  const { clock, service, subjects, script, ask } = createService({
    follow: async function* (_member, _id, signal) {
      yield running;
      await gate.opened;
      expect(signal.aborted).toBe(true);
    },
  });
  const { said } = await ask();
  script.now = running;
  clock.advance(NETWORK_BEAT_MS);
  service.stop();
  await subjects.settle();
  clock.advance(NETWORK_BEAT_MS);
  await subjects.settle();
  gate.open();
  await subjects.settle();
  expect(said()).toEqual([running]);
  expect([clock.pending, subjects.subscriptions]).toEqual([0, 0]);
});

it('publishes nothing over a connection that is closed', async () => {
  const { subjects, ask } = createService();
  Object.assign(subjects.connection, { isClosed: () => true });
  expect((await ask()).said()).toEqual([]);
});

it('listens under one id at a time: that which the network knows', async () => {
  const { service, script, subjects, ask } = createService();
  const subscribe = vi.spyOn(subjects.connection, 'subscribe');
  service.start();
  expect([subjects.subscriptions, subscribe.mock.calls.length]).toEqual([1, 0]);
  const before = script.id;
  script.id = idOf(newKey());
  service.start();
  expect(subjects.subscriptions).toBe(1);
  expect((await ask({ to: before })).said()).toEqual([]);
  expect((await ask()).said()).toHaveLength(2);
});

it('hears nothing of a subscription that is refused', () => {
  const calls: string[] = [];
  const { subjects, service, script } = createService();
  Object.assign(subjects.connection, {
    subscribe: (_: string, { callback }: { callback: (error: Error | null, message: object) => void }) => {
      const message = {
        get subject() {
          calls.push('heard');
          return 'x';
        },
        data: new Uint8Array(),
      };
      callback(new Error('no permission'), message);
      return { getSubject: () => '', unsubscribe: () => undefined };
    },
  });
  script.id = 'another';
  service.start();
  expect(calls).toEqual([]);
});

it('looks at two hundred messages in a second', async () => {
  const { subjects, clock, ask, script } = createService();
  const flood = (count: number) => {
    for (let number = 0; number < count; number += 1)
      subjects.publish(askSubject(NETWORK, script.id, 'consultant'), '{');
  };
  clock.advance(1_000);
  flood(199);
  expect((await ask()).said()).toHaveLength(2);
  expect((await ask()).said()).toEqual([]);
  clock.advance(999);
  expect((await ask()).said()).toEqual([]);
  clock.advance(1);
  expect((await ask()).said()).toHaveLength(2);
  flood(199);
  expect((await ask()).said()).toEqual([]);
});

it('takes the next ask of a daemon when one has ended, however it ended', async () => {
  const gate = aGate();
  const { ask } = createService({
    accept: async (_member, { text }) => {
      if (text === 'fail') throw new MeshError('overloaded', 'No.');
      if (text === 'wait') await gate.opened;
      return 'req-1';
    },
  });
  const asks = (text: string) => ask({ body: { kind: 'ask', text } });
  for (let count = 0; count <= NETWORK_ASKS_PER_DAEMON; count += 1) {
    expect((await asks('fail')).said()).toMatchObject([{ code: 'overloaded' }]);
    expect((await asks('go')).said()).toHaveLength(2);
  }
  const waiting = [await asks('wait'), await asks('wait'), await asks('wait')];
  expect((await asks('go')).said()).toEqual([
    {
      ...{ kind: 'refused', code: 'too_many_requests' },
      message: '3 asks of your daemon are already running or queued here: wait for one to end.',
    },
  ]);
  gate.open();
  await new Promise(setImmediate);
  expect(waiting.map(({ said }) => said().at(-1))).toEqual(Array(3).fill({ kind: 'done', answer: SAMPLE_ANSWER }));
  expect((await asks('go')).said()).toHaveLength(2);
});

it('cancels an ask that was accepted, by its member, and none that has ended', async () => {
  const [accepted, over] = [aGate(), aGate()];
  const { ask, cancelled } = createService({
    accept: async () => {
      await accepted.opened;
      return 'req-7';
    },
    follow: async function* () {
      await over.opened;
      yield running;
    },
  });
  const { id } = await ask();
  const cancel = (member = 'consultant') => ask({ member, body: { kind: 'cancel', ask: id } });
  await cancel();
  expect(cancelled).toEqual([]);
  accepted.open();
  await new Promise(setImmediate);
  await cancel('developer');
  expect(cancelled).toEqual([]);
  expect((await cancel()).said()).toEqual([]);
  expect(cancelled).toEqual(['req-7']);
  over.open();
  await new Promise(setImmediate);
  await cancel();
  expect(cancelled).toEqual(['req-7']);
});

const FITTING_BYTES = NETWORK_FRAME_BYTES_MAX - 4_096;
const bytesOf = (answer: NetworkAnswer) => Buffer.byteLength(JSON.stringify(JSON.stringify(answer)));
/** An answer that takes so many bytes in a frame, in which a line break takes three. */
function ofBytes(bytes: number, more: Partial<NetworkAnswer> = {}): NetworkAnswer {
  const left = bytes - bytesOf({ ...SAMPLE_ANSWER, ...more, result_text: '' });
  return { ...SAMPLE_ANSWER, ...more, result_text: '\n'.repeat(Math.floor(left / 3)) + 'x'.repeat(left % 3) };
}
const citation = (number: number, quote: string) => ({
  ...{ path: `docs/${number}.md`, start_line: 1, end_line: 2, commit: null, sha256: '0'.repeat(64) },
  ...{ quote, status: 'checked' as const },
});

it('sends an answer that fits as it is, and refuses a text that does not', async () => {
  const { script, ask } = createService();
  const receipt = makeReceipt(RECEIPT_FACTS, newKey());
  const fitting = ofBytes(FITTING_BYTES, { receipt, citations: [citation(1, 'x')] });
  script.now = { answer: fitting };
  expect((await ask()).said().at(-1)).toEqual({ kind: 'done', answer: fitting });
  script.now = { answer: ofBytes(FITTING_BYTES) };
  expect((await ask()).said().at(-1)).toMatchObject({ kind: 'done' });
  script.now = { answer: ofBytes(FITTING_BYTES + 1) };
  expect((await ask()).said().at(-1)).toEqual({
    ...{ kind: 'refused', code: 'too_large', message: 'The answer is larger than the network takes.' },
  });
});

it('leaves out half of the citations until the answer fits, and says how many there were', async () => {
  const { script, ask } = createService();
  const receipt = makeReceipt(RECEIPT_FACTS, newKey());
  const citations = Array.from({ length: 99 }, (_, number) => citation(number, 'x'.repeat(16_000)));
  script.now = { answer: { ...SAMPLE_ANSWER, citations, receipt } };
  expect((await ask()).said().at(-1)).toEqual({
    ...{ kind: 'done', answer: { ...SAMPLE_ANSWER, total: 99, citations: citations.slice(0, 24) } },
  });
  script.now = { answer: { ...SAMPLE_ANSWER, citations: citations.slice(0, 60), total: 512 } };
  expect((await ask()).said().at(-1)).toMatchObject({ kind: 'done', answer: { total: 512 } });
  // A text that fits alone is sent without any.
  const text = ofBytes(FITTING_BYTES - 100).result_text;
  script.now = { answer: { ...SAMPLE_ANSWER, result_text: text, citations: citations.slice(0, 1) } };
  expect((await ask()).said().at(-1)).toEqual({
    ...{ kind: 'done', answer: { ...SAMPLE_ANSWER, result_text: text, total: 1, citations: [] } },
  });
});
