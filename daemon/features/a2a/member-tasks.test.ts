import { afterEach, describe, expect, it } from 'vitest';
import type { AskBody } from '../../contract/asks.js';
import { Bus } from '../../events/bus.js';
import { MeshError, unknownId } from '../../lib/errors.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { anAgentSpec, aSkill, IN_LAMPORTS } from '../../testing/parts/an-agent-spec.js';
import { HostedAgent } from '../agent-host/hosted-agent.js';
import type { Ask } from '../asks/ask-store.js';
import type { A2aAnswer } from './a2a-answer.js';
import { answerRest } from './a2a-rest.js';
import { answerRpc } from './a2a-rpc.js';
import type { A2aCall, MemberTasksParts } from './member-tasks.js';

type Json = Record<string, unknown>;

const ASK: Ask = {
  ...{ seq: 1, request_id: 'req-1', member: 'lamp', conv: 'conv-1', session: 's', turn: 't', status: 'queued' },
  ...{ text: 'Why?', caller: { user_agent: null, idempotency_key: null }, client: 'acp', model: 'm-1', created_ms: 0 },
  ...{ started_ms: null, finished_ms: null, collected_ms: null, result_text: null, citations: null, search: null },
  ...{ receipt: null, error_code: null, error_message: null },
};
const DONE = { status: 'done', result_text: 'So.', finished_ms: 1_000 } as const;
const OPENER = { name: 'token', description: '', isRight: () => true };
const INTERFACES = ['1.0', '0.3'].map((protocolVersion) => ({
  ...{ url: 'http://lamp/a2a', protocolBinding: 'JSONRPC', protocolVersion },
}));
const CONFIG = { tenant: '', id: 'hook', taskId: 'req-1', url: 'https://u', token: '', authentication: undefined };

/** Stores the asks of one member, and what was asked of it and of push notifications. */
function aDesk(first: Partial<Ask>) {
  const asked: [question: AskBody, caller: object, key: object][] = [];
  const seen: string[] = [];
  const rows = new Map<string, Ask>([['req-1', { ...ASK, ...first }]]);
  const listeners = new Set<(one: { request_id: string }) => void>();
  const getOwn = (_member: string, id: string) => {
    const found = rows.get(id);
    if (!found) throw unknownId('request', id);
    return found;
  };
  const change = (id: string, facts: Partial<Ask>) => {
    rows.set(id, { ...getOwn('lamp', id), ...facts });
    for (const listener of listeners) listener({ request_id: id });
  };
  const asks = {
    getOwn,
    getPartialText: () => undefined,
    onChanged: (listener: (one: { request_id: string }) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    acceptAsk: async (_member: string, question: AskBody, caller: object, key: object) => {
      asked.push([question, caller, key]);
      rows.set('req-2', { ...ASK, request_id: 'req-2', session: question.session ?? null, text: question.text });
      return { request_id: 'req-2' };
    },
    cancelAsk: async (_member: string, id: string) => {
      if (getOwn('lamp', id).text !== 'too late') change(id, { status: 'error', error_code: 'cancelled' });
      else change(id, DONE);
      const { status, error_code } = getOwn('lamp', id);
      return { status, ...(error_code === null ? {} : { error: { code: error_code } }) };
    },
    listOwn: () => ({ asks: [...rows.values()], total: rows.size }),
    documentsOf: () => [],
    recheck: async (found: Ask[]) => found.map((one) => ({ ...one, model: 'rechecked' })),
  };
  const pushes = {
    checked: async (config: { url: string }) => {
      if (config.url === 'bad') throw new MeshError('bad_request', 'Not there.', { details: { path: 'url' } });
      return config;
    },
    put: async (ask: Ask, config: object, version: string) => {
      seen.push(`put ${ask.request_id} ${version}`);
      return { ...CONFIG, ...config, taskId: ask.request_id };
    },
    get: (id: string, config: string) => ({ ...CONFIG, id: config, taskId: id }),
    list: (id: string) => [{ ...CONFIG, taskId: id }],
    delete: async (id: string, config: string) => void seen.push(`delete ${id} ${config}`),
  };
  return { asks, pushes, asked, seen, change, rows, listeners };
}

/** Calls a member over REST and JSON-RPC. */
function calling(first: Partial<Ask> = {}, spec: Parameters<typeof anAgentSpec>[0] = {}) {
  const clock = new FakeClock();
  const desk = aDesk(first);
  const faults: unknown[] = [];
  const parts = {
    ...{ asks: desk.asks, pushes: desk.pushes, bus: new Bus(clock), clock },
    running: () => ({ client: 'acp', model: 'm-1' }),
    onFault: (fault: unknown) => {
      faults.push(fault);
      return 'log-1';
    },
  } as unknown as MemberTasksParts;
  const agent = new HostedAgent(
    anAgentSpec({ skills: [aSkill({ id: 'ask' })], opener: OPENER, interfaces: INTERFACES, ...spec }),
    {
      clock,
      processor: () => undefined as never,
      onFailure: () => undefined,
    },
  );
  const gone = new AbortController();
  const call: Omit<A2aCall, 'version'> = {
    ...{ agent, address: '127.0.0.1', signal: gone.signal },
    caller: { user_agent: 'Harbour-Clock/2.1', idempotency_key: null },
  };
  const toReply = (answer: A2aAnswer) =>
    ({ body: undefined as Json | undefined, ...answer }) as { status: number; body: Json };
  const rest = async (method: string, path: string, body?: unknown, query: Json = {}) =>
    toReply(await answerRest(parts, { method, path, query: query, body }, call));
  const rpc = async (method: string, params: unknown, more: Json = {}) =>
    toReply(await answerRpc(parts, { jsonrpc: '2.0', id: 1, method, params, ...more }, call));
  return { ...desk, clock, parts, call, gone, rest, rpc, faults };
}

const message = (facts: Json = {}, configuration?: Json) => ({
  message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'Why?' }], ...facts },
  configuration: { returnImmediately: true, ...configuration },
});
const reasonOf = ({ body }: { body: Json }) => (body['error'] as { message: string }).message;

describe('a message', () => {
  it('asks the member in a session of its own, under its id', async () => {
    const { rest, asked } = calling();
    const { status, body } = await rest('POST', 'message:send', message());
    expect([status, body]).toMatchObject([200, { task: { id: 'req-2', status: { state: 'TASK_STATE_SUBMITTED' } } }]);
    const [[question, caller, key]] = asked as [(typeof asked)[number]];
    expect(question).toEqual({ text: 'Why?', session: expect.stringMatching(/^ctx-/) });
    expect(caller).toEqual({ user_agent: 'Harbour-Clock/2.1', idempotency_key: 'm' });
    expect(key).toEqual({
      ...{ scope: 'a2a lamp', key: expect.stringMatching(/^m [0-9a-f]{64}$/) },
      body_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    await rest('POST', 'message:send', message({ contextId: 'mine' }));
    await rest('POST', 'message:send', message({ contextId: 'mine', parts: [{ text: 'How?' }] }));
    expect(asked[1]?.[0].session).toBe('mine');
    expect(new Set(asked.map(([, , one]) => (one as { key: string }).key)).size).toBe(3);
  });

  it.each([
    [{ messageId: '' }, 'message.messageId" is required, 1 to 256 characters.'],
    [{ messageId: 'x'.repeat(257) }, 'message.messageId" is required, 1 to 256 characters.'],
    [{ messageId: 'a\nb' }, 'message.messageId" is required, 1 to 256 characters.'],
    [{ contextId: 'a b' }, 'message.contextId" must be 1 to 48 letters, digits, "-" and "_".'],
    [{ contextId: 'x'.repeat(49) }, 'message.contextId" must be 1 to 48 letters, digits, "-" and "_".'],
  ])('is refused for names that it cannot have: %#', async (facts, reason) => {
    const { rest, asked } = calling();
    const refused = await rest('POST', 'message:send', message(facts));
    expect([refused.status, reasonOf(refused), asked]).toEqual([400, `"${reason}`, []]);
  });

  it('may have names of 256 and 48 characters', async () => {
    const { rest, asked } = calling();
    await rest('POST', 'message:send', message({ messageId: 'ü'.repeat(256), contextId: 'x'.repeat(48) }));
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['queued', 'is being answered'],
    ['running', 'is being answered'],
    ['needs_input', 'waits for its operator'],
    ['done', 'has ended'],
    ['error', 'has ended'],
  ] as const)('to a task that is %s is no part of it', async (status, said) => {
    const { rest } = calling({ status });
    const refused = await rest('POST', 'message:send', message({ taskId: 'req-1', contextId: 's' }));
    expect(reasonOf(refused)).toBe(`This task ${said}: go on with a new message of context s and without a task id.`);
    const other = await rest('POST', 'message:send', message({ taskId: 'req-1', contextId: 'other' }));
    expect([other.status, reasonOf(other)]).toEqual([400, 'The task belongs to the context s.']);
    expect((await rest('POST', 'message:send', message({ taskId: 'req-9' }))).status).toBe(404);
  });

  it('to a task without a session names its conversation', async () => {
    const { rest } = calling({ session: null });
    expect(reasonOf(await rest('POST', 'message:send', message({ taskId: 'req-1' })))).toContain('context conv-1 and');
  });

  it('is refused where its answer would not be taken, and where it has to be paid', async () => {
    const { rest, asked } = calling({}, { outputModes: ['text/plain', 'application/json'] });
    const picky = await rest('POST', 'message:send', message({}, { acceptedOutputModes: ['image/png'] }));
    expect(reasonOf(picky)).toBe('Answers are text/plain and application/json: accept one of them.');
    const priced = calling({}, { skills: [aSkill({ id: 'ask' }, [IN_LAMPORTS])] });
    const unpaid = await priced.rest('POST', 'message:send', message());
    expect([unpaid.status, reasonOf(unpaid)]).toEqual([
      ...[402, 'This agent is paid for what it answers: call http://lamp/v1/ask, which says how.'],
    ]);
    const unchargeable = calling({}, { skills: [{ ...aSkill({ id: 'ask' }), refusal: 'has no rate.' }] });
    expect((await unchargeable.rest('POST', 'message:send', message())).status).toBe(503);
    expect([asked, priced.asked, unchargeable.asked]).toEqual([[], [], []]);
  });

  it('counts towards the limits of the agent once nothing else is wrong', async () => {
    const { rest, asked } = calling({}, { rateLimits: { per_ip_per_day: 1 } });
    const push = { taskPushNotificationConfig: { url: 'bad' } };
    expect((await rest('POST', 'message:send', message({}, push))).status).toBe(400);
    expect((await rest('POST', 'message:send', message())).status).toBe(200);
    expect((await rest('POST', 'message:send', message())).status).toBe(429);
    expect(asked).toHaveLength(1);
  });

  it('sets its push configuration for the task that it makes', async () => {
    const { rest, rpc, seen } = calling();
    await rest('POST', 'message:send', message({}, { taskPushNotificationConfig: { url: 'https://u' } }));
    const legacy = { ...message({ kind: 'message', role: 'user', parts: [{ kind: 'text', text: 'x' }] }) };
    const configuration = { blocking: false, pushNotificationConfig: { url: 'https://u' } };
    await rpc('message/send', { ...legacy, configuration });
    expect(seen).toEqual(['put req-2 1.0', 'put req-2 0.3']);
  });

  it('is waited for until it ends, also while it needs a person, or until 280 s are over', async () => {
    const made = calling();
    const wait = async () => {
      const sent = made.rest('POST', 'message:send', message({}, { returnImmediately: false }));
      for (let count = 0; count < 10; count += 1) await new Promise(setImmediate);
      return sent;
    };
    const states: unknown[] = [];
    const stateOf = async (sent: ReturnType<typeof made.rest>) =>
      states.push(((await sent).body['task'] as { status: Json }).status['state']);
    const first = wait();
    for (let count = 0; count < 10; count += 1) await new Promise(setImmediate);
    made.change('req-2', { status: 'needs_input' });
    for (let count = 0; count < 10; count += 1) await new Promise(setImmediate);
    made.change('req-2', DONE);
    await stateOf(first);
    const second = wait();
    for (let count = 0; count < 10; count += 1) await new Promise(setImmediate);
    made.clock.advance(279_999);
    expect(made.clock.pending).toBe(1);
    made.clock.advance(1);
    await stateOf(second);
    expect(states).toEqual(['TASK_STATE_COMPLETED', 'TASK_STATE_SUBMITTED']);
    expect(made.clock.pending).toBe(0);
  });

  it('shows as much history as is wanted', async () => {
    const { rest } = calling();
    const history = async (historyLength: unknown) =>
      (await rest('POST', 'message:send', message({}, { historyLength }))).body['task'] as Json;
    expect((await history(1))['history']).toHaveLength(1);
    expect((await history(0))['history'] ?? []).toEqual([]);
    const refused = await rest('POST', 'message:send', message({}, { historyLength: -1 }));
    expect([refused.status, reasonOf(refused)]).toEqual([400, '"historyLength" must be an integer of at least 0.']);
  });
});

describe('a task', () => {
  it('is read with its citations as they are now', async () => {
    const { rest } = calling(DONE);
    const { body } = await rest('GET', 'tasks/req-1', undefined, { historyLength: '0' });
    expect(body).toMatchObject({
      id: 'req-1',
      artifacts: [{ parts: [{ text: 'So.' }, { data: { model: 'rechecked' } }] }],
    });
    expect(body['history'] ?? []).toEqual([]);
    expect((await rest('GET', 'tasks/req-1')).body['history']).toHaveLength(1);
    for (const historyLength of ['-1', 'x']) {
      expect((await rest('GET', 'tasks/req-1', undefined, { historyLength })).status).toBe(400);
    }
  });

  it('is cancelled once, and not when it has ended or ends meanwhile', async () => {
    const { rest } = calling();
    expect((await rest('POST', 'tasks/req-1:cancel')).body).toMatchObject({ status: { state: 'TASK_STATE_CANCELED' } });
    const again = await rest('POST', 'tasks/req-1:cancel');
    expect([again.status, reasonOf(again)]).toEqual([400, 'This task has ended already.']);
    const late = calling({ text: 'too late' });
    expect(reasonOf(await late.rest('POST', 'tasks/req-1:cancel'))).toBe('This task has ended already.');
    expect((await late.rest('POST', 'tasks/req-9:cancel')).status).toBe(404);
  });

  it('without an id is refused', async () => {
    const { rpc } = calling();
    for (const params of [{ id: '' }, {}]) {
      const { body } = await rpc('GetTask', params);
      expect(body['error']).toMatchObject({ code: expect.any(Number), message: expect.stringMatching(/id/i) });
    }
  });

  it('is listed with its artifacts only if they are wanted', async () => {
    const { rest } = calling(DONE);
    const tasks = async (query: Json) => (await rest('GET', 'tasks', undefined, query)).body['tasks'] as Json[];
    expect((await tasks({}))[0]).not.toHaveProperty('artifacts');
    expect((await tasks({ includeArtifacts: 'true' }))[0]).toMatchObject({
      artifacts: [{ parts: [{}, { data: { model: 'rechecked' } }] }],
    });
    const open = calling();
    const listed = await open.rest('GET', 'tasks', undefined, { includeArtifacts: 'true' });
    expect(listed.body).toMatchObject({ tasks: [{ artifacts: [] }], nextPageToken: '', pageSize: 50, totalSize: 1 });
    expect((await open.rest('GET', 'tasks', undefined, { historyLength: '-1' })).status).toBe(400);
    open.rows.clear();
    expect((await open.rest('GET', 'tasks')).body['tasks']).toEqual([]);
  });

  it('has a card for its holder', async () => {
    const { rest } = calling();
    expect((await rest('GET', 'extendedAgentCard')).body).toMatchObject({
      name: 'Lamp',
      capabilities: {
        extensions: [
          {
            ...{ uri: 'urn:meshd:running', description: 'What runs this agent now, and its limits.' },
            params: {
              ...{ client: 'acp', model: 'm-1' },
              limits: {
                ...{ tasks_at_once: 6, text_chars: 16_384, documents: 8, document_bytes: 65_536, kept_days: 30 },
              },
            },
          },
        ],
      },
    });
  });
});

describe('a stream of a task', () => {
  const streams: AsyncGenerator<string>[] = [];
  afterEach(async () => {
    for (const one of streams.splice(0)) await one.return(undefined);
  });

  async function open(made: ReturnType<typeof calling>, path: string, body?: unknown) {
    const answer = await answerRest(made.parts, { method: 'POST', path, query: {}, body }, made.call);
    if (answer.kind !== 'stream') throw new Error(JSON.stringify(answer));
    streams.push(answer.events);
    return async () => {
      const { value } = await answer.events.next();
      return value === undefined ? undefined : (JSON.parse(value as string) as Json);
    };
  }

  it('tells the task, its states, the pieces of the answer, and at the end the whole one', async () => {
    const made = calling();
    const next = await open(made, 'message:stream', message());
    expect(await next()).toMatchObject({ task: { id: 'req-2' } });
    made.change('req-2', { status: 'running' });
    expect(await next()).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_WORKING' } } });
    const say = (index: number, text: string) =>
      (made.parts.bus as Bus).publish('turn.delta', { conv: 'conv-1', turn: 't', index, text });
    say(0, 'So');
    expect(await next()).toMatchObject({ artifactUpdate: { artifact: { parts: [{ text: 'So' }] } } });
    say(0, 'again');
    say(1, '.');
    expect(await next()).toMatchObject({ artifactUpdate: { append: true, artifact: { parts: [{ text: '.' }] } } });
    made.change('req-2', DONE);
    expect(await next()).toMatchObject({
      artifactUpdate: { lastChunk: true, artifact: { parts: [{ text: 'So.' }, {}] } },
    });
    expect(await next()).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } });
    expect(await next()).toBeUndefined();
  });

  it('is taken up again while the task lives, and not afterwards', async () => {
    const made = calling({ status: 'running' });
    const next = await open(made, 'tasks/req-1:subscribe');
    expect(await next()).toMatchObject({ task: { status: { state: 'TASK_STATE_WORKING' } } });
    made.change('req-1', { status: 'error', error_code: 'deadline', error_message: 'Too late.' });
    expect(await next()).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_FAILED' } } });
    expect(await next()).toBeUndefined();
    const refused = await made.rest('POST', 'tasks/req-1:subscribe');
    expect(reasonOf(refused)).toBe('This task has ended, so nothing more comes: get it instead.');
  });

  it('of a message that is answered at once tells its end too', async () => {
    const made = calling();
    made.asks.acceptAsk = async () => {
      made.rows.set('req-2', { ...ASK, ...DONE, request_id: 'req-2' });
      return { request_id: 'req-2' };
    };
    const next = await open(made, 'message:stream', message({}, { historyLength: 0 }));
    const first = await next();
    expect(first).toMatchObject({ task: { artifacts: [{}] } });
    expect((first as { task: Json }).task['history'] ?? []).toEqual([]);
    expect(await next()).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } });
    expect(await next()).toBeUndefined();
  });

  it('ends when its caller is gone', async () => {
    const made = calling({ status: 'running' });
    const next = await open(made, 'tasks/req-1:subscribe');
    await next();
    const waiting = next();
    made.gone.abort();
    expect(await waiting).toBeUndefined();
  });
});

describe('A2A over REST', () => {
  const PUSH = { url: 'https://u' };

  it.each([
    ['GET', 'tasks', undefined, 200],
    ['GET', 'tasks/req-1', undefined, 200],
    ['POST', 'message:send', message(), 200],
    ['POST', 'tasks/req-1:cancel', undefined, 200],
    ['POST', 'tasks/req-1/pushNotificationConfigs', PUSH, 201],
    ['GET', 'tasks/req-1/pushNotificationConfigs', undefined, 200],
    ['GET', 'tasks/req-1/pushNotificationConfigs/hook', undefined, 200],
    ['DELETE', 'tasks/req-1/pushNotificationConfigs/hook', undefined, 204],
    ['GET', 'extendedAgentCard', undefined, 200],
    ['POST', 'message:send', 7, 400],
    ['POST', 'tasks/req-1/pushNotificationConfigs', { url: 7 }, 400],
    ['POST', 'tasks/req-1/pushNotificationConfigs', 7, 400],
  ])('%s %s with %j', async (method, path, body, status) => {
    expect((await calling().rest(method, path, body)).status).toBe(status);
  });

  it.each([
    ...['xtasks', 'tasksx', 'tasks/', 'tasks/a/b', 'xextendedAgentCard', 'extendedAgentCardx', 'tasks/a:other'],
    ...['xtasks/req-1', 'tasks/req-1/pushNotificationConfigsx', 'tasks/req-1/pushNotificationConfigs/a/b'],
    ...['xtasks/req-1/pushNotificationConfigs', 'xtasks/req-1/pushNotificationConfigs/a', 'tasks/a:subscribex'],
    ...['v1/xtasks', 'v1/tasksx', 'v1/xcard', 'v1/cardx', 'v1/tasks/a/b', 'v1/xtasks/req-1', 'v1/tasks/a:other'],
    ...['v1/xtasks/req-1/pushNotificationConfigs', 'v1/tasks/req-1/pushNotificationConfigsx', 'xtasks/a:subscribe'],
    ...['v1/xtasks/req-1/pushNotificationConfigs/a', 'v1/tasks/req-1/pushNotificationConfigs/a/b'],
  ])('has no operation GET %s', async (path) => {
    expect(await calling().rest('GET', path)).toEqual({
      ...{ kind: 'json', status: 404, contentType: 'application/a2a+json; charset=utf-8' },
      body: { error: { code: 404, status: 'NOT_FOUND', message: 'A2A has no such operation.', details: [] } },
    });
  });

  it.each([
    ...['xmessage:send', 'message:sendx', 'xmessage:stream', 'message:streamx', 'tasks', 'xtasks/a:cancel'],
    ...['tasks/a:cancelx', 'tasks/a/b:cancel', 'tasks/a:b:cancel', 'v1/xmessage:send', 'v1/message:sendx'],
    ...['v1/xmessage:stream', 'v1/message:streamx', 'v1/xtasks/a:cancel', 'v1/tasks/a:cancelx', 'v1/tasks'],
  ])('has no operation POST %s', async (path) => {
    expect((await calling().rest('POST', path, message())).status).toBe(404);
  });

  it('tells what is set, listed and deleted', async () => {
    const { rest, seen } = calling();
    const at = 'tasks/req-1/pushNotificationConfigs';
    expect((await rest('POST', at, { id: 'hook', url: 'https://u' })).body).toMatchObject({
      id: 'hook',
      taskId: 'req-1',
    });
    expect((await rest('GET', `${at}/hook`)).body).toMatchObject({ id: 'hook', url: 'https://u' });
    expect((await rest('GET', at)).body).toMatchObject({ configs: [{ id: 'hook' }] });
    expect(await rest('DELETE', `${at}/hook`)).toMatchObject({ kind: 'nothing', status: 204 });
    expect(seen).toEqual(['put req-1 1.0', 'delete req-1 hook']);
    const none = calling();
    none.pushes.list = () => [];
    expect((await none.rest('GET', at)).body).toMatchObject({ configs: [] });
  });

  it('refuses an unknown version before anything else', async () => {
    const { parts, call } = calling();
    const answer = await answerRest(parts, { method: 'GET', path: 'tasks', query: {}, body: undefined }, call, '2.0');
    expect(answer).toMatchObject({ kind: 'json', status: 400 });
  });
});

describe('A2A 0.3 over REST', () => {
  const legacy = (facts: Json = {}, configuration: Json = {}) => ({
    message: { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'Why?' }], ...facts },
    configuration,
  });
  const at = 'v1/tasks/req-1/pushNotificationConfigs';
  const push = {
    name: 'tasks/req-1/pushNotificationConfigs/hook',
    pushNotificationConfig: { id: 'hook', url: 'https://u' },
  };

  it.each([
    ['POST', 'v1/message:send', legacy(), 201, { task: { id: 'req-2', status: { state: 'TASK_STATE_SUBMITTED' } } }],
    ['GET', 'v1/tasks/req-1', undefined, 200, { id: 'req-1', history: [{ content: [{ text: 'Why?' }] }] }],
    ['POST', 'v1/tasks/req-1:cancel', undefined, 200, { status: { state: 'TASK_STATE_CANCELLED' } }],
    ['GET', 'v1/tasks', undefined, 200, { tasks: [{ id: 'req-1' }], nextPageToken: '', pageSize: 50, totalSize: 1 }],
    ['GET', 'v1/card', undefined, 200, { name: 'Lamp', security: [{ schemes: { token: { list: [] } } }] }],
    ['POST', at, { pushNotificationConfig: { id: 'hook', url: 'https://u' } }, 201, push],
    ['GET', at, undefined, 200, { configs: [push], nextPageToken: '' }],
    ['GET', `${at}/hook`, undefined, 200, push],
  ] as const)('%s %s', async (method, path, body, status, expected) => {
    const answer = await calling().rest(method, path, body);
    expect(answer).toMatchObject({ kind: 'json', status, contentType: 'application/json; charset=utf-8' });
    expect(answer.body).toMatchObject(expected);
  });

  it('forgets a push configuration', async () => {
    const { rest, seen } = calling();
    expect(await rest('DELETE', `${at}/hook`)).toMatchObject({ kind: 'nothing', status: 204 });
    expect((await rest('POST', at, { id: 'hook', url: 'https://u' })).status).toBe(201);
    expect(seen).toEqual(['delete req-1 hook', 'put req-1 0.3']);
  });

  it.each([
    ['POST', 'v1/message:send', 7, 400],
    ['POST', 'v1/message:send', { message: 7 }, 400],
    ['POST', at, 7, 400],
    ['POST', at, { url: 7 }, 400],
    ['GET', 'v1/tasks/req-9', undefined, 404],
    ['GET', 'v1/tasks?', undefined, 404],
  ])('refuses %s %s with %j', async (method, path, body, status) => {
    expect((await calling().rest(method, path, body)).status).toBe(status);
  });

  it('names the mistake in a body', async () => {
    const { rest } = calling();
    const said = async (path: string, body: unknown) => JSON.stringify((await rest('POST', path, body)).body);
    expect(await said('v1/message:send', 7)).toContain('The body must be a JSON object.');
    expect(await said(at, { url: 7 })).toContain('pushNotificationConfig.url');
    expect(await said('message:send', 7)).toContain('The body must be a JSON object.');
    expect(await said('tasks/req-1/pushNotificationConfigs', { url: 7 })).toContain('body.url');
  });

  it('takes the length of the history in both spellings', async () => {
    const { rest } = calling();
    for (const name of ['historyLength', 'history_length']) {
      const { body } = await rest('GET', 'v1/tasks/req-1', undefined, { [name]: '0' });
      expect(body['history'] ?? []).toEqual([]);
    }
    expect((await rest('GET', 'v1/tasks', undefined, { pageSize: '0' })).status).toBe(400);
  });

  it('says when to come back', async () => {
    const { rest } = calling({}, { rateLimits: { per_ip_per_day: 1 } });
    await rest('POST', 'v1/message:send', legacy());
    expect(await rest('POST', 'v1/message:send', legacy())).toMatchObject({ status: 429, retryAfterSeconds: 86_400 });
  });

  it.each([
    ['POST', 'v1/message:stream', legacy()],
    ['POST', 'v1/tasks/req-1:subscribe', undefined],
    ['GET', 'v1/tasks/req-1:subscribe', undefined],
    ['GET', 'tasks/req-1:subscribe', undefined],
  ])('streams %s %s', async (method, path, body) => {
    const { parts, call } = calling({ status: 'running' });
    const answer = await answerRest(parts, { method, path, query: {}, body }, call);
    if (answer.kind !== 'stream') throw new Error(JSON.stringify(answer));
    const first = JSON.parse((await answer.events.next()).value as string) as { task: Json };
    expect(first.task['id']).toMatch(/^req-[12]$/);
    await answer.events.return();
  });

  it('refuses a stream of a task that has ended or is unknown', async () => {
    const { rest } = calling(DONE);
    expect(JSON.stringify((await rest('GET', 'v1/tasks/req-1:subscribe')).body)).toContain('This task has ended');
    expect((await rest('GET', 'v1/tasks/req-9:subscribe')).status).toBe(404);
  });

  it('ends a stream that breaks with its error', async () => {
    for (const path of ['v1/tasks/req-1:subscribe', 'tasks/req-1:subscribe']) {
      const made = calling({ status: 'running' });
      const answer = await answerRest(made.parts, { method: 'GET', path, query: {}, body: undefined }, made.call);
      if (answer.kind !== 'stream') throw new Error('It is no stream.');
      await answer.events.next();
      const ask = { ...ASK, ...DONE };
      Object.defineProperty(ask, 'result_text', {
        get: () => {
          throw new Error('secret');
        },
      });
      made.rows.set('req-1', ask);
      const last = answer.events.next();
      await new Promise(setImmediate);
      for (const listener of made.listeners) listener({ request_id: 'req-1' });
      const { value } = await last;
      expect([value, (await answer.events.next()).done]).toEqual([expect.stringContaining('log-1'), true]);
      expect(value).not.toContain('secret');
    }
  });
});

describe('A2A over JSON-RPC', () => {
  it.each([
    [7],
    [[]],
    [{ method: 'GetTask' }],
    [{ jsonrpc: '1.0', method: 'GetTask' }],
    [{ jsonrpc: '2.0' }],
    [{ jsonrpc: '2.0', method: '' }],
    [{ jsonrpc: '2.0', method: 7 }],
    [{ jsonrpc: '2.0', method: 'GetTask', id: {} }],
    [{ jsonrpc: '2.0', method: 'GetTask', id: 1.5 }],
  ])('refuses what is no request: %j', async (body) => {
    const { parts, call } = calling();
    expect(await answerRpc(parts, body, call)).toEqual({
      ...{ kind: 'json', status: 200, contentType: 'application/json; charset=utf-8' },
      body: {
        ...{ jsonrpc: '2.0', id: null },
        error: {
          code: -32600,
          message: 'Send one JSON-RPC 2.0 request: {"jsonrpc": "2.0", "id", "method", "params"}.',
        },
      },
    });
  });

  it.each([[null], ['x'], [7]])('answers under the id of the request: %j', async (id) => {
    const { rpc } = calling();
    expect((await rpc('GetTask', { id: 'req-9' }, { id })).body).toMatchObject({
      id,
      error: { code: -32001 },
    });
  });

  it('refuses parameters that cannot be decoded, by the place of their mistake', async () => {
    const { rpc } = calling();
    for (const [method, params, place] of [
      ['SendMessage', { message: 7 }, 'message'],
      ['SendStreamingMessage', { message: 7 }, 'message'],
      ['message/send', { message: 7 }, 'message'],
      ['message/stream', { message: 7 }, 'message'],
      ['CreateTaskPushNotificationConfig', { url: 7 }, 'params.url'],
      ['tasks/pushNotificationConfig/set', { pushNotificationConfig: { url: 7 } }, 'pushNotificationConfig.url'],
      ['tasks/pushNotificationConfig/set', 7, 'pushNotificationConfig'],
    ] as const) {
      const { status, body } = await rpc(method, params);
      expect([method, status, body]).toMatchObject([
        method,
        200,
        { error: { code: -32602, message: expect.stringContaining(`"${place}"`) } },
      ]);
    }
  });

  it('has the status of an error that says what to do, and no other', async () => {
    const paid = calling({}, { skills: [aSkill({ id: 'ask' }, [IN_LAMPORTS])] });
    expect((await paid.rpc('SendMessage', message())).status).toBe(402);
    const { rpc, rest, faults, asks } = calling({}, { rateLimits: { per_ip_per_day: 1 } });
    await rpc('SendMessage', message());
    expect(await rpc('SendMessage', message())).toMatchObject({ status: 429, retryAfterSeconds: 86_400 });
    expect(await rest('POST', 'message:send', message())).toMatchObject({ status: 429, retryAfterSeconds: 86_400 });
    asks.getOwn = () => {
      throw new Error('secret');
    };
    const failed = await rpc('GetTask', { id: 'req-1' });
    expect([failed.status, failed.body['error']]).toMatchObject([200, { code: -32603 }]);
    expect(JSON.stringify(failed.body)).not.toContain('secret');
    expect((await rest('GET', 'tasks/req-1')).status).toBe(500);
    expect(faults.length).toBeGreaterThanOrEqual(2);
  });

  it('refuses an unknown version', async () => {
    const { parts, call } = calling();
    const body = { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'req-1' } };
    expect(await answerRpc(parts, body, call, '2.0')).toMatchObject({ status: 200, body: { error: { code: -32009 } } });
  });

  it('streams each event in an envelope', async () => {
    const { parts, call } = calling(DONE);
    const body = { jsonrpc: '2.0', id: 5, method: 'SendStreamingMessage', params: message() };
    const answer = await answerRpc(parts, body, call);
    if (answer.kind !== 'stream') throw new Error('It is no stream.');
    expect(JSON.parse((await answer.events.next()).value as string)).toMatchObject({
      ...{ jsonrpc: '2.0', id: 5, result: { task: { id: 'req-2' } } },
    });
    await answer.events.return();
    const ended = { ...body, method: 'SubscribeToTask', params: { id: 'req-1' } };
    expect(await answerRpc(parts, ended, call)).toMatchObject({
      kind: 'json',
      body: { id: 5, error: { code: -32004 } },
    });
  });
});
