import { expect, it, vi } from 'vitest';
import {
  NETWORK_ASK_MS,
  NETWORK_BEAT_MS,
  NETWORK_SILENCE_MS,
  type NetworkAgent,
  type NetworkFrame,
  type NetworkRequest,
} from '../../../contract/shared/network-asks.js';
import type { SigningKey } from '../../../lib/crypto/ed25519.js';
import { makeReceipt } from '../../../lib/crypto/receipt.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { idOf, newKey, SAMPLE_ANSWER } from '../../../testing/network-samples.js';
import { RECEIPT_FACTS } from '../../../testing/receipt-facts.js';
import { MemorySubjects } from '../../../testing/stand-ins/memory-subjects.js';
import { ColleagueAsk } from './colleague-ask.js';
import { askSubject, readRequest, signFrame } from './signed-messages.js';

const NETWORK = 'docks';

/** An ask that was sent, and the other side of it. */
function createAsk({ question = { text: 'Which port?' } as { text: string; session?: string }, isKnown = true } = {}) {
  const [clock, subjects, own, asked] = [new FakeClock(), new MemorySubjects(), newKey(), newKey()];
  const daemon = idOf(asked);
  const agent: NetworkAgent = {
    ...{ ref: 'lamp/consultant', project: 'lamp', daemon, daemon_name: 'Quay', self: false, problem: null },
    ...{ member: 'consultant', name: 'Consultant', description: '' },
  };
  const parts = { connection: subjects.connection, network: NETWORK, key: own, clock };
  const findKey = (id: string) => (isKnown && id === daemon ? daemon : undefined);
  const changed: string[] = [];
  const ask = new ColleagueAsk({ ...parts, findKey, onChanged: (id) => changed.push(id) }, agent, question);
  ask.send();
  const readSent = () =>
    subjects.said
      .filter(({ subject }) => subject === askSubject(NETWORK, daemon, 'consultant'))
      .map(({ data }) => readRequest(NETWORK, data) as NetworkRequest);
  const { reply } = readSent()[0] as NetworkRequest;
  const answer = (seq: number, body: NetworkFrame['body'], signer = asked, changes: Partial<NetworkFrame> = {}) =>
    subjects.publish(reply, signFrame(signer, NETWORK, { v: 1, re: ask.id, seq, body, ...changes }));
  return { clock, subjects, own, asked, ask, answer, readSent, reply, changed };
}

it('shows the answer as it is written, and then the whole of it', () => {
  const { ask, answer, readSent, subjects } = createAsk();
  expect(readSent()).toMatchObject([{ id: ask.id, member: 'consultant', body: { kind: 'ask', text: 'Which port?' } }]);
  expect(ask.view()).toMatchObject({ status: 'sent', to: 'lamp/consultant' });
  answer(0, { kind: 'state', status: 'queued', queue_position: 2 });
  expect(ask.view()).toMatchObject({ status: 'queued', queue_position: 2 });
  answer(1, { kind: 'state', status: 'running' });
  expect(ask.view()).not.toHaveProperty('queue_position');
  answer(2, { kind: 'delta', text: 'Port ' });
  answer(3, { kind: 'delta', text: '8' });
  expect(ask.view()).toMatchObject({ status: 'running', text_so_far: 'Port 8' });
  answer(4, { kind: 'done', answer: SAMPLE_ANSWER });
  expect(ask.view()).toMatchObject({ status: 'done', ...SAMPLE_ANSWER, finished_at: expect.any(String) });
  expect(ask.view()).not.toHaveProperty('text_so_far');
  expect(subjects.subscriptions).toBe(0);
});

it('believes nobody but the daemon that it asked', () => {
  const { ask, answer, subjects, reply, asked } = createAsk();
  const done = { kind: 'done', answer: SAMPLE_ANSWER } as const;
  answer(0, done, newKey());
  answer(0, done, asked, { re: '00000000-0000-0000-0000-000000000000' });
  subjects.publish(reply, signFrame(asked, 'another', { v: 1, re: ask.id, seq: 0, body: done }));
  answer(0, { ...done, answer: { ...SAMPLE_ANSWER, more: 1 } as typeof SAMPLE_ANSWER });
  answer(0, { ...done, answer: { ...SAMPLE_ANSWER, result_text: 'x'.repeat(257 * 1024) } });
  answer(0, { ...done, answer: { ...SAMPLE_ANSWER, citations: Array.from({ length: 201 }, () => ({})) as never[] } });
  answer(0, { kind: 'refused', code: 'Not a code!', message: '' });
  subjects.publish(reply, 'x'.repeat(800 * 1024));
  subjects.publish(reply, '{');
  expect(ask.view().status).toBe('sent');
  answer(3, { kind: 'state', status: 'running' });
  // Said before, and sent once more by somebody.
  answer(2, done);
  answer(3, done);
  expect(ask.view().status).toBe('running');
});

it('keeps a receipt only when it is of this answer, by the daemon that was asked', () => {
  const facts = {
    ...RECEIPT_FACTS,
    question: 'Which port?',
    answer: SAMPLE_ANSWER.result_text,
  };
  const receive = (changes: Partial<typeof facts>, signer?: SigningKey) => {
    const { ask, answer, asked } = createAsk();
    const receipt = makeReceipt({ ...facts, ...changes }, signer ?? asked);
    answer(0, { kind: 'done', answer: { ...SAMPLE_ANSWER, receipt } });
    expect(ask.view().status).toBe('done');
    return ask.view().receipt;
  };
  expect(receive({})).toMatchObject({ member: 'consultant' });
  expect(receive({ question: 'Another?' })).toBeUndefined();
  expect(receive({ answer: 'Another.' })).toBeUndefined();
  expect(receive({}, newKey())).toBeUndefined();
});

it('waits for a daemon that says that it works, and not for one that is silent', () => {
  const { ask, answer, clock, subjects } = createAsk();
  for (let seq = 0; seq < 10; seq += 1) {
    clock.advance(NETWORK_BEAT_MS);
    answer(seq, { kind: 'state', status: 'running' });
  }
  expect(ask.isOver).toBe(false);
  clock.advance(NETWORK_SILENCE_MS);
  expect(ask.view()).toMatchObject({
    status: 'error',
    error: {
      code: 'network_unavailable',
      message: expect.stringMatching(/^The daemon Quay has said nothing for 20 seconds:/),
    },
  });
  expect(subjects.subscriptions).toBe(0);
  answer(10, { kind: 'done', answer: SAMPLE_ANSWER });
  expect(ask.view().status).toBe('error');
});

it('ends at once when nobody listens there, and at last when the answer never ends', () => {
  const absent = createAsk();
  absent.subjects.publish(absent.reply, '', { code: 503 });
  expect(absent.ask.view().error).toMatchObject({ message: expect.stringContaining('Quay does not answer') });
  const endless = createAsk();
  for (let ms = 0, seq = 0; ms < NETWORK_ASK_MS; ms += 10_000, seq += 1) {
    endless.answer(seq, { kind: 'delta', text: 'x'.repeat(16_384) });
    endless.clock.advance(10_000);
  }
  expect(endless.ask.view()).toMatchObject({ status: 'error', error: { code: 'deadline' } });
  expect(endless.readSent().at(-1)?.body).toEqual({ kind: 'cancel', ask: endless.ask.id });
});

it('tells the other daemon when it is cancelled', () => {
  const { ask, readSent } = createAsk();
  ask.cancel();
  expect(readSent().at(-1)?.body).toEqual({ kind: 'cancel', ask: ask.id });
  expect(ask.view()).toMatchObject({ status: 'error', error: { code: 'cancelled' } });
  ask.cancel();
  expect(readSent()).toHaveLength(2);
});

it('asks in the name of this daemon, with an inbox that the servers know as such', () => {
  const { ask, clock, own, asked, readSent, subjects } = createAsk({ question: { text: 'Why?', session: 'today' } });
  const created_at = '2026-11-21T12:00:00.000Z';
  expect(ask.view()).toEqual({
    ...{ id: ask.id, to: 'lamp/consultant', daemon: idOf(asked), daemon_name: 'Quay', member: 'consultant' },
    ...{ text: 'Why?', status: 'sent', created_at, finished_at: null },
  });
  const body = { kind: 'ask', text: 'Why?', session: 'today' };
  expect(readSent()).toEqual([
    {
      ...{ v: 1, id: ask.id, at: clock.now(), key: idOf(own), to: idOf(asked), member: 'consultant', body },
      reply: expect.stringMatching(/^_INBOX\.[0-9a-f]{32}$/),
    },
  ]);
  const publish = vi.spyOn(subjects.connection, 'publish');
  ask.cancel();
  const [, cancel] = readSent();
  expect(cancel?.id).not.toBe(ask.id);
  // Servers answer for a subject that nobody listens on where they are told an inbox.
  expect(publish.mock.lastCall?.[2]).toEqual({ reply: cancel?.reply });
});

it('tells of each change, and of none after its end', () => {
  const { ask, answer, changed } = createAsk();
  answer(0, { kind: 'state', status: 'running' });
  answer(1, { kind: 'delta', text: 'Port' });
  expect(changed).toEqual([ask.id, ask.id]);
  ask.fail({ code: 'internal', message: 'No.' });
  expect(ask.view()).toMatchObject({ status: 'error', error: { code: 'internal', message: 'No.' } });
  ask.fail({ code: 'deadline', message: 'Late.' });
  ask.cancel();
  expect([changed.length, ask.view().error?.code]).toEqual([3, 'internal']);
});

it('keeps what is written while its state changes, and shows none of it when a part is missing', () => {
  const { ask, answer } = createAsk();
  answer(0, { kind: 'delta', text: 'Port ' });
  answer(1, { kind: 'state', status: 'needs_input' });
  expect(ask.view()).toMatchObject({ status: 'needs_input', text_so_far: 'Port ' });
  answer(3, { kind: 'delta', text: '8' });
  expect(ask.view().text_so_far).toBe('');
  answer(4, { kind: 'delta', text: '123' });
  expect(ask.view().text_so_far).toBe('123');
});

it('shows 262,144 characters of what is written', () => {
  const { ask, answer } = createAsk();
  for (let seq = 0; seq < 4; seq += 1) answer(seq, { kind: 'delta', text: 'x'.repeat(64 * 1024) });
  expect(ask.view().text_so_far).toHaveLength(256 * 1024);
  answer(4, { kind: 'delta', text: 'y' });
  expect(ask.view().text_so_far).toBe('x'.repeat(256 * 1024));
});

it('ends with the refusal of the other daemon, which waits for nothing more', () => {
  const { ask, answer, clock, subjects } = createAsk();
  answer(0, { kind: 'state', status: 'queued', queue_position: 1 });
  answer(1, { kind: 'delta', text: 'Port' });
  answer(2, { kind: 'refused', code: 'too_many_requests', message: 'Six asks are running.' });
  expect(ask.view()).toEqual({
    ...{ id: ask.id, to: 'lamp/consultant', daemon: expect.any(String), daemon_name: 'Quay', member: 'consultant' },
    ...{ text: 'Which port?', status: 'error', created_at: expect.any(String), finished_at: expect.any(String) },
    error: { code: 'too_many_requests', message: 'Six asks are running.' },
  });
  expect([clock.pending, subjects.subscriptions]).toEqual([0, 0]);
});

it('waits twenty seconds for the first sign of life, and half an hour for the end', () => {
  const { ask, clock } = createAsk();
  clock.advance(NETWORK_SILENCE_MS - 1);
  expect(ask.isOver).toBe(false);
  clock.advance(1);
  expect(ask.view().error).toEqual({
    code: 'network_unavailable',
    message: 'The daemon Quay does not answer: ask again when it is connected to the network.',
  });
  const endless = createAsk();
  for (let ms = 0, seq = 0; ms < NETWORK_ASK_MS; ms += 10_000, seq += 1) {
    expect(endless.ask.isOver).toBe(false);
    endless.answer(seq, { kind: 'state', status: 'running' });
    endless.clock.advance(10_000);
  }
  expect(endless.ask.view().error).toEqual({
    code: 'deadline',
    message: 'The member did not finish its answer in half an hour.',
  });
  const silent = createAsk();
  silent.answer(0, { kind: 'state', status: 'running' });
  silent.clock.advance(NETWORK_SILENCE_MS);
  expect(silent.ask.view().error?.message).toBe(
    'The daemon Quay has said nothing for 20 seconds: ask again when it is connected to the network.',
  );
});

it('takes only an empty answer of the servers for nobody', () => {
  const { ask, subjects, reply } = createAsk();
  subjects.publish(reply, '', { code: 408 });
  subjects.publish(reply, '');
  subjects.publish(reply, 'x', { code: 503 });
  expect(ask.isOver).toBe(false);
});

it('believes nobody while the key of the daemon is not known', () => {
  const { ask, answer } = createAsk({ isKnown: false });
  answer(0, { kind: 'done', answer: SAMPLE_ANSWER });
  expect(ask.view().status).toBe('sent');
});

it('sends nothing over a connection that is closed', () => {
  const { ask, subjects } = createAsk();
  const { length } = subjects.said;
  Object.assign(subjects.connection, { isClosed: () => true });
  ask.cancel();
  expect([subjects.said.length, ask.view().error]).toEqual([
    ...[length, { code: 'cancelled', message: 'You cancelled it.' }],
  ]);
});

it('keeps no receipt of other citations, or one that was changed after it was signed', () => {
  const { ask, answer, asked } = createAsk();
  const facts = { ...RECEIPT_FACTS, question: 'Which port?', answer: SAMPLE_ANSWER.result_text };
  const cited = {
    ...{ path: 'README.md', start_line: 1, end_line: 1, commit: null, sha256: '0'.repeat(64), quote: 'x' },
    status: 'checked' as const,
  };
  const receipt = makeReceipt({ ...facts, citations: [cited] }, asked);
  answer(0, { kind: 'done', answer: { ...SAMPLE_ANSWER, receipt } });
  expect(ask.view()).not.toHaveProperty('receipt');
  const other = createAsk();
  const changed = { ...makeReceipt(facts, other.asked), model: 'another' };
  other.answer(0, { kind: 'done', answer: { ...SAMPLE_ANSWER, receipt: changed } });
  expect(other.ask.view()).toMatchObject({ status: 'done', model: 'none' });
  expect(other.ask.view()).not.toHaveProperty('receipt');
});
