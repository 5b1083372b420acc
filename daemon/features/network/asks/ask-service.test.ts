import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import {
  NETWORK_ASKS_PER_DAEMON,
  NETWORK_REQUESTS_PER_MINUTE,
  type NetworkFrame,
  type NetworkRequest,
} from '../../../contract/shared/network-asks.js';
import { MeshError } from '../../../lib/errors.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { idOf, newKey, SAMPLE_ANSWER } from '../../../testing/network-samples.js';
import { MemorySubjects } from '../../../testing/stand-ins/memory-subjects.js';
import { AskService } from './ask-service.js';
import type { ReachableMembers } from './reachable-members.js';
import { askSubject, readFrame, signRequest } from './signed-messages.js';

const NETWORK = 'docks';

/** A daemon that shares `consultant`, and what it was asked. Asks end when the test says so. */
function createService() {
  const [clock, subjects, own, colleague] = [new FakeClock(), new MemorySubjects(), newKey(), newKey()];
  const asked: { member: string; text: string; session?: string; by: string }[] = [];
  const cancelled: string[] = [];
  const shared = new Set(['consultant']);
  const left = new Set<string>();
  let finish: () => void = () => undefined;
  let finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const reachable: ReachableMembers = {
    findCard: (member) => ({ member, name: member, description: '' }),
    requireShareable: () => undefined,
    accept: async (member, question, { name }) => {
      if (question.text === 'fail') throw new MeshError('too_many_requests', 'Six asks are running.');
      asked.push({ member, ...question, by: name });
      return `req-${asked.length}`;
    },
    async *follow() {
      yield { kind: 'state', status: 'running' };
      yield { kind: 'delta', text: 'Port ' };
      await finished;
    },
    read: async () => ({ answer: SAMPLE_ANSWER }),
    cancel: async (_member, requestId) => void cancelled.push(requestId),
  };
  const daemons = new Map([[idOf(colleague), 'Pier']]);
  const service = new AskService({
    ...{ network: NETWORK, key: own, clock, connection: subjects.connection, warn: () => undefined },
    self: () => idOf(own),
    findDaemon: (key) => {
      const name = daemons.get(key);
      if (name === undefined) return undefined;
      return { id: key, key, name, joined_ms: 0, left_ms: left.has(key) ? 1 : null };
    },
    members: { reachable, isShared: (member) => shared.has(member) },
  });
  service.start();
  onTestFinished(() => {
    finish();
    service.stop();
  });
  const request = (changes: Partial<NetworkRequest> = {}): NetworkRequest => ({
    ...{ v: 1, id: randomUUID(), at: clock.now(), key: idOf(colleague), to: idOf(own), member: 'consultant' },
    reply: `_INBOX.${randomUUID().replaceAll('-', '')}`,
    body: { kind: 'ask', text: 'Which port?' },
    ...changes,
  });
  const subject = askSubject(NETWORK, idOf(own), 'consultant');
  const send = async (text: string, to = subject) => {
    subjects.publish(to, text);
    await subjects.settle();
  };
  const framesOf = ({ reply }: NetworkRequest) =>
    subjects.said
      .filter((message) => message.subject === reply)
      .map(({ data }) => readFrame(NETWORK, idOf(own), data) as NetworkFrame);
  const ask = async (changes: Partial<NetworkRequest> = {}, signer = colleague) => {
    const made = request(changes);
    await send(signRequest(signer, NETWORK, made), askSubject(NETWORK, made.to, made.member));
    return framesOf(made).map(({ body }) => body);
  };
  const end = async () => {
    finish();
    await subjects.settle();
    finished = Promise.resolve();
  };
  const join = (name: string) => {
    const key = newKey();
    daemons.set(idOf(key), name);
    return key;
  };
  return {
    ...{ clock, subjects, own, colleague, asked, cancelled, shared, left, request, send, framesOf, ask, end, join },
  };
}

it('answers a request once, in signed frames of its own order', async () => {
  const { request, send, framesOf, end, asked, colleague } = createService();
  const made = request();
  await send(signRequest(colleague, NETWORK, made));
  expect(asked).toEqual([{ member: 'consultant', text: 'Which port?', by: 'Pier' }]);
  await end();
  expect(framesOf(made)).toEqual([
    { v: 1, re: made.id, seq: 0, body: { kind: 'state', status: 'running' } },
    { v: 1, re: made.id, seq: 1, body: { kind: 'delta', text: 'Port ' } },
    { v: 1, re: made.id, seq: 2, body: { kind: 'done', answer: SAMPLE_ANSWER } },
  ]);
});

it('does and says nothing for a request that is forged, replayed or for somebody else', async () => {
  const { request, send, subjects, asked, colleague, own, left, ask } = createService();
  const genuine = request();
  const text = signRequest(colleague, NETWORK, genuine);
  const signed = JSON.parse(text) as { text: string; sig: string };
  const stranger = newKey();
  const other = idOf(newKey());
  const refused: [string, string?][] = [
    [JSON.stringify({ ...signed, text: signed.text.replace('Which port?', 'Which keys?') })],
    [signRequest(stranger, NETWORK, genuine)],
    [signRequest(stranger, NETWORK, request({ key: idOf(stranger) }))],
    [signRequest(colleague, 'another', genuine)],
    [signRequest(colleague, NETWORK, request({ to: other }))],
    [text, askSubject(NETWORK, idOf(own), 'developer')],
    // Nobody makes this daemon publish a signed text elsewhere than in an inbox.
    [signRequest(colleague, NETWORK, request({ reply: 'm.docks.cmd.hub.register' }))],
    [signRequest(colleague, NETWORK, request({ reply: '_INBOX.>' }))],
    [signRequest(colleague, NETWORK, request({ body: { kind: 'ask', text: 'x'.repeat(16_385) } }))],
    [signRequest(colleague, NETWORK, { ...request(), more: 'x' } as NetworkRequest)],
    [JSON.stringify({ ...signed, sig: signed.sig.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')) })],
    [`${text}${' '.repeat(130 * 1024)}`],
    [`{"text":${'['.repeat(40)}${']'.repeat(40)},"sig":"x"}`],
    ['{'],
  ];
  for (const [one, to] of refused) await send(one, to);
  expect(asked).toEqual([]);
  await send(text);
  expect(asked).toHaveLength(1);
  const { length } = subjects.said;
  await send(text);
  expect(asked).toHaveLength(1);
  // Nothing but the repetition itself.
  expect(subjects.said).toHaveLength(length + 1);
  left.add(idOf(colleague));
  expect(await ask()).toEqual([]);
  expect(asked).toHaveLength(1);
});

it('refuses a request of another time, and forgets no id before it is too old', async () => {
  const { ask, clock, asked, request, send, colleague } = createService();
  for (const offMs of [-121_000, 121_000, 7_200_000])
    expect(await ask({ at: clock.now() + offMs })).toEqual([
      {
        kind: 'refused',
        code: 'bad_signature',
        message: expect.stringContaining('set the clocks of both machines right'),
      },
    ]);
  const ahead = request({ at: clock.now() + 119_000 });
  await send(signRequest(colleague, NETWORK, ahead));
  expect(asked).toHaveLength(1);
  clock.advance(238_000);
  await send(signRequest(colleague, NETWORK, ahead));
  expect(asked).toHaveLength(1);
});

it('tells no more of a member that is not shared than of one that does not exist', async () => {
  const { ask, shared, end } = createService();
  const unknown = [
    { kind: 'refused', code: 'not_found', message: 'The daemon shares no such member with the network.' },
  ];
  expect(await ask({ member: 'developer' })).toEqual(unknown);
  expect(await ask({ member: 'nobody' })).toEqual(unknown);
  expect(await ask({ body: { kind: 'ask', text: 'fail' } })).toEqual([
    { kind: 'refused', code: 'too_many_requests', message: 'Six asks are running.' },
  ]);
  const { length } = await ask();
  expect(length).toBe(2);
  // The operator closes the member while it works.
  shared.clear();
  await end();
  expect(await ask()).toEqual(unknown);
});

it('gives no answer of a member that was closed meanwhile', async () => {
  const { request, send, framesOf, colleague, shared, end } = createService();
  const made = request();
  await send(signRequest(colleague, NETWORK, made));
  shared.clear();
  await end();
  expect(framesOf(made).at(-1)?.body).toMatchObject({ kind: 'refused', code: 'not_found' });
});

it('lets no daemon take a member from the others, or flood this one', async () => {
  const { ask, join, asked, clock, subjects } = createService();
  for (let count = 0; count < NETWORK_ASKS_PER_DAEMON; count += 1) expect(await ask()).toHaveLength(2);
  const [fourth] = await ask();
  expect(fourth).toMatchObject({ code: 'too_many_requests', message: expect.stringContaining('asks of your daemon') });
  const other = join('Reef');
  expect(await ask({ key: idOf(other) }, other)).toHaveLength(2);
  expect(asked.map(({ by }) => by)).toEqual(['Pier', 'Pier', 'Pier', 'Reef']);
  for (let count = 4; count < NETWORK_REQUESTS_PER_MINUTE; count += 1) await ask();
  expect(await ask()).toMatchObject([
    { code: 'too_many_requests', message: expect.stringContaining('a minute: wait 60 s') },
  ]);
  clock.advance(60_000);
  expect(await ask()).toMatchObject([{ message: expect.stringContaining('asks of your daemon') }]);
  const before = subjects.said.length;
  for (let count = 0; count < 300; count += 1) await ask({ at: 0 });
  // What came is counted with its answers.
  expect(subjects.said.length - before).toBeLessThan(500);
});

it('keeps the sessions and the cancelling of daemons apart', async () => {
  const { ask, join, asked, cancelled } = createService();
  const other = join('Reef');
  const id = randomUUID();
  const body = { kind: 'ask', text: 'x', session: 'today' } as const;
  await ask({ id, body });
  await ask({ body });
  await ask({ key: idOf(other), body }, other);
  const [mine, again, theirs] = asked.map(({ session }) => session);
  expect(mine).toMatch(/^net-[0-9a-f]{40}$/);
  expect([again === mine, theirs === mine]).toEqual([true, false]);
  await ask({ key: idOf(other), body: { kind: 'cancel', ask: id } }, other);
  await ask({ member: 'developer', body: { kind: 'cancel', ask: id } });
  expect(cancelled).toEqual([]);
  await ask({ body: { kind: 'cancel', ask: id } });
  expect(cancelled).toEqual(['req-1']);
});
