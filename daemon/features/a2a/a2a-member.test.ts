import { describe, expect, it } from 'vitest';
import { BODY_LIMIT } from '../../contract/limits.js';
import type { AgentCard } from '../../contract/network/card.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { rawRequest } from '../../testing/processes/raw-request.js';
import { answers, heldAnswer, ScriptedAgent } from '../../testing/processes/scripted-agent.js';

type Json = Record<string, unknown>;
const AT = '/team/consultant/a2a';
const part = (text = 'Why?') => ({ text });
const send = (messageId: string, more: Json = {}, parts: unknown = [part()]) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'SendMessage',
  params: { message: { messageId, role: 'ROLE_USER', parts, ...more } },
});
interface RpcReply {
  result?: { task: { id: string; contextId: string; status: { state: string }; history: { parts: Json[] }[] } } & Json;
  error?: { code: number; message: string };
}

const bearer = async (app: TestApp, member = 'consultant') => ({
  authorization: `Bearer ${await app.getToken(member)}`,
});
async function getRpc(app: TestApp, headers?: Record<string, string>) {
  const credential = headers ?? (await bearer(app));
  return async (body: unknown, path = AT) => {
    const reply = await app.call('POST', path, body, credential);
    return { ...reply, body: reply.body as RpcReply };
  };
}
const quick = () => testApp({ clients: [new ScriptedAgent('acp', () => answers('Because.'))] });

describe('Access to A2A', () => {
  it('responds identically to an unknown member, an internal one and a wrong token, and counts wrong tokens', async () => {
    const app = await quick();
    const wrong = { authorization: 'Bearer mk_wrong' };
    const replies = await Promise.all([
      app.call('POST', '/team/nobody/a2a', send('a'), wrong),
      app.call('POST', '/team/developer/a2a', send('a'), wrong),
      app.call('POST', AT, send('a'), wrong),
      app.call('POST', '/team/consultant', send('a')),
      app.call('GET', `${AT}/tasks`),
      app.call('GET', `${AT}/extendedAgentCard`, undefined, wrong),
    ]);
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect([replies[0]?.status, replies[0]?.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    const statuses: number[] = [];
    for (let i = 0; i < 21; i += 1) statuses.push((await app.call('POST', AT, send('a'), wrong)).status);
    expect(statuses.at(-1)).toBe(429);
    expect((await (await getRpc(app))(send('a'))).status).toBe(200);
  });

  it("shows nothing to the holder of another member's token", async () => {
    const app = await quick();
    await app.call('PATCH', '/team/architect-master', { exposure: 'external' });
    const { body } = await (await getRpc(app))(send('mine', { contextId: 'c' }));
    const other = await bearer(app, 'architect-master');
    const theirs = await getRpc(app, other);
    const at = '/team/architect-master/a2a';
    const id = body.result?.task.id;
    for (const method of ['GetTask', 'CancelTask', 'SubscribeToTask', 'ListTaskPushNotificationConfigs']) {
      const reply = await theirs({ jsonrpc: '2.0', id: 1, method, params: { id, taskId: id } }, at);
      expect([method, reply.body.error?.code]).toEqual([method, -32001]);
    }
    expect((await app.call('GET', `${at}/tasks`, undefined, other)).body).toMatchObject({ tasks: [], totalSize: 0 });
    expect((await app.call('GET', `${AT}/tasks`, undefined, other)).status).toBe(401);
  });

  it('accepts requests without a version header and with a trailing slash, and rejects an unknown version', async () => {
    const app = await quick();
    const headers = await bearer(app);
    const rpc = await getRpc(app);
    expect((await rpc(send('a'), `${AT}/`)).body.result?.task.status.state).toBe('TASK_STATE_COMPLETED');
    expect((await app.call('GET', `${AT}/tasks/`, undefined, headers)).status).toBe(200);
    expect((await app.call('GET', `${AT}/nothing`, undefined, headers)).status).toBe(404);
    for (const version of ['1.0', '1.0.1', '0.3']) {
      const reply = await app.call('GET', `${AT}/tasks`, undefined, { ...headers, 'a2a-version': version });
      expect([version, reply.status]).toEqual([version, 200]);
    }
    const next = { ...headers, 'a2a-version': '2.0' };
    expect((await app.call('POST', AT, send('b'), next)).body).toMatchObject({ error: { code: -32009 } });
    const rest = await app.call('GET', `${AT}/tasks`, undefined, next);
    expect([rest.status, rest.body]).toEqual([
      400,
      { error: expect.objectContaining({ details: [expect.objectContaining({ reason: 'VERSION_NOT_SUPPORTED' })] }) },
    ]);
  });

  it('sends the fixed security headers on a stream and handles a disconnecting reader', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await testApp({ clients: [agent] });
    const gone = new AbortController();
    const reply = await fetch(`${app.address}${AT}/message:stream`, {
      method: 'POST',
      headers: { ...(await bearer(app)), 'content-type': 'application/a2a+json' },
      body: JSON.stringify(send('s').params),
      signal: gone.signal,
    });
    expect([
      reply.headers.get('content-type'),
      reply.headers.get('x-content-type-options'),
      reply.headers.get('cache-control'),
    ]).toEqual(['text/event-stream; charset=utf-8', 'nosniff', 'no-store']);
    await agent.untilHeld(1);
    gone.abort();
    agent.finishAll();
    const { tasks } = (await app.call('GET', `${AT}/tasks`, undefined, await bearer(app))).body as {
      tasks: { id: string }[];
    };
    expect((await app.poll('consultant', tasks[0]?.id ?? '', 30)).status).toBe('done');
    expect(app.log.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  it('ends a stream when its token is revoked', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await testApp({ clients: [agent] });
    const reply = await fetch(`${app.address}${AT}/message:stream`, {
      method: 'POST',
      headers: { ...(await bearer(app)), 'content-type': 'application/json' },
      body: JSON.stringify(send('s').params),
    });
    await agent.untilHeld(1);
    await app.call('POST', '/team/consultant/token/rotate', {});
    expect(await reply.text()).not.toContain('COMPLETED');
  });
});

describe('A2A message', () => {
  it('returns the same task for an exact repetition within its context; with another body a messageId is a new message', async () => {
    const agent = new ScriptedAgent('acp', () => answers('Because.'));
    const app = await testApp({ clients: [agent] });
    const rpc = await getRpc(app);
    const first = await rpc(send('same'));
    const again = await rpc(send('same'));
    expect(again.body.result?.task.id).toBe(first.body.result?.task.id);
    expect(again.body.result?.task.contextId).toMatch(/^ctx-/);
    expect(agent.turns).toHaveLength(1);
    const id = first.body.result?.task.id;
    const contextId = first.body.result?.task.contextId;
    const others = [
      await rpc(send('same', {}, [part('Something else?')])),
      await rpc(send('same', { contextId })),
      await rpc(send('same', { contextId: 'mine' })),
    ];
    expect(others.map(({ body }) => body.result?.task.status.state)).toEqual(Array(3).fill('TASK_STATE_COMPLETED'));
    expect(new Set([id, ...others.map(({ body }) => body.result?.task.id)]).size).toBe(4);
    expect((await rpc(send('same', { contextId }))).body.result?.task.id).toBe(others[1]?.body.result?.task.id);
  });

  it('continues the conversation of its context, also of a singleton member and one started by ask', async () => {
    const app = await quick();
    await app.call('PATCH', '/team/architect-master', { exposure: 'external' });
    const rpc = await getRpc(app, await bearer(app, 'architect-master'));
    const { body } = await rpc(send('a', { contextId: 'mine' }), '/team/architect-master/a2a');
    expect(body.result?.task.contextId).toBe('mine');
    const asked = await app.ask('consultant', { text: 'One?' });
    await app.poll('consultant', asked.request_id, 30);
    const next = await (await getRpc(app))(send('b', { contextId: asked.conv }));
    expect(next.body.result?.task.contextId).toBe(asked.conv);
    expect((await app.poll('consultant', next.body.result?.task.id ?? '')).conv).toBe(asked.conv);
    const followUp = await (await getRpc(app))(send('c', { taskId: next.body.result?.task.id }));
    expect(followUp.body.error).toMatchObject({
      code: -32004,
      message: expect.stringContaining(`context ${asked.conv}`),
    });
  });

  it('accepts data and text files as documents, but neither URLs nor binary files', async () => {
    const agent = new ScriptedAgent('acp', () => answers('Because.'));
    const app = await testApp({ clients: [agent] });
    const rpc = await getRpc(app);
    const raw = (bytes: Buffer) => ({ raw: bytes.toString('base64'), filename: 'notes.txt', mediaType: 'text/plain' });
    const { body } = await rpc(send('a', {}, [part(), { data: { a: 1 } }, raw(Buffer.from('häufig'))]));
    expect(body.result?.task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(agent.turns[0]?.context_docs).toEqual([
      { filename: 'data-1.json', content: '{\n  "a": 1\n}' },
      { filename: 'notes.txt', content: 'häufig' },
    ]);
    expect((await rpc(send('b', {}, [part(), { url: 'http://127.0.0.1/x' }]))).body.error?.code).toBe(-32005);
    expect((await rpc(send('c', {}, [part(), raw(Buffer.from([0xff, 0xfe, 0]))]))).body.error?.code).toBe(-32005);
    const typed = { ...raw(Buffer.from('text')), mediaType: 'application/x-unknown' };
    expect((await rpc(send('e', {}, [part(), typed]))).body.error?.code).toBe(-32005);
    const picky = send('d');
    Object.assign(picky.params, { configuration: { acceptedOutputModes: ['image/png'] } });
    expect((await rpc(picky)).body.error?.code).toBe(-32005);
  });

  it('is rejected by a paid member with the payment address, and nothing is asked', async () => {
    const app = await quick();
    const pricing = [{ unit: 'request', amount: 5000, currency: 'lamports', network: 'solana:local' }];
    await app.call('PATCH', '/team/consultant', { pricing, payment: { modes: ['x402'] } });
    const { body } = await (await getRpc(app))(send('a'));
    expect(body.error).toMatchObject({ code: -32000, message: expect.stringContaining('/team/consultant/v1/ask') });
    expect((await app.call('GET', '/requests')).body).toMatchObject({ count: 0 });
  });

  it("is working while it waits for a person, and a blocking send gets the answer after the operator's decision", async () => {
    const agent = new ScriptedAgent('acp', async function* (_turn, _signal, _agent, decide) {
      const decision = await decide({ tool: 'execute', target: 'npm test', reason: '' });
      yield { type: 'text', text: `So it is: ${decision}.` } as const;
      yield { type: 'end', citations: [] } as const;
    });
    const app = await testApp({ clients: [agent] });
    const rpc = await getRpc(app);
    const sent = rpc(send('a'));
    const questions = async () =>
      ((await app.call('GET', '/permissions')).body as { permissions: { pid: string; conv: string }[] }).permissions;
    await expect.poll(questions).toHaveLength(1);
    const [asked] = await questions();
    const ofState = async (state: string) =>
      (await app.call('GET', `${AT}/tasks?status=TASK_STATE_${state}`, undefined, await bearer(app))).body;
    expect(await ofState('WORKING')).toMatchObject({
      totalSize: 1,
      tasks: [{ status: { message: { role: 'ROLE_AGENT' } } }],
    });
    expect(await ofState('INPUT_REQUIRED')).toMatchObject({ totalSize: 0 });
    await app.call('POST', `/conversations/${asked?.conv}/permissions/${asked?.pid}`, { decision: 'allow_once' });
    const task = (await sent).body.result?.task;
    expect(task).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
    expect(JSON.stringify(task)).toContain('So it is: allow');
    expect(await ofState('COMPLETED')).toMatchObject({ totalSize: 1, tasks: [{ id: task?.id }] });
  });

  it('is HTTP 200 over JSON-RPC whatever the error code, except 401, 402, 413, 415 and 429', async () => {
    const app = await testApp({ clients: [new ScriptedAgent('acp', heldAnswer)] });
    const rpc = await getRpc(app);
    const own = await bearer(app);
    const unknown = { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'none' } };
    const excess = send('a', {}, [part('x'.repeat(BODY_LIMIT))]);
    const answers = {
      'unknown task': await rpc(unknown),
      'unknown method': await rpc({ ...unknown, method: 'Nothing' }),
      'wrong token': await app.call('POST', AT, send('a'), { authorization: 'Bearer mk_wrong' }),
      'body above 1 MiB': await rpc(excess),
      'another media type': await app.call('POST', AT, '{}', { ...own, 'content-type': 'text/plain' }),
    };
    const now = { configuration: { returnImmediately: true } };
    for (let n = 0; n < 6; n += 1) await rpc({ ...send(`m${n}`), params: { ...send(`m${n}`).params, ...now } });
    const seventh = await rpc(send('m6'));
    const pricing = [{ unit: 'request', amount: 5000, currency: 'lamports', network: 'solana:local' }];
    await app.call('PATCH', '/team/consultant', { pricing, payment: { modes: ['x402'] } });
    const all = Object.entries({ ...answers, 'seventh task': seventh, 'to be paid': await rpc(send('m7')) });
    expect(Object.fromEntries(all.map(([what, { status }]) => [what, status]))).toEqual({
      'unknown task': 200,
      'unknown method': 200,
      'wrong token': 401,
      'body above 1 MiB': 413,
      'another media type': 415,
      'seventh task': 429,
      'to be paid': 402,
    });
  });

  it('responds 429 with retry-after beyond six concurrent tasks', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await testApp({ clients: [agent] });
    const rpc = await getRpc(app);
    const reply = (id: string) =>
      rpc({ ...send(id), params: { ...send(id).params, configuration: { returnImmediately: true } } });
    for (let i = 0; i < 6; i += 1)
      expect((await reply(`m${i}`)).body.result?.task.status.state).toMatch(/SUBMITTED|WORKING/);
    const seventh = await reply('m6');
    expect([seventh.status, seventh.headers.get('retry-after'), seventh.body.error?.code]).toEqual([429, '2', -32000]);
    const rest = await app.call('POST', `${AT}/message:send`, send('m7').params, await bearer(app));
    expect([rest.status, rest.headers.get('retry-after')]).toEqual([429, '2']);
  });
});

describe('Hostile A2A call', () => {
  const many = Array.from({ length: 10_000 }, () => part('x'));
  const deep = (depth: number) =>
    `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`;
  const bodies: [what: string, body: string][] = [
    ['no JSON', '{"jsonrpc"'],
    ['a list', JSON.stringify([send('a')])],
    ['nothing', ''],
    ['no method', '{"jsonrpc":"2.0","id":1}'],
    ['an object as id', '{"jsonrpc":"2.0","id":{},"method":"GetTask","params":{"id":"x"}}'],
    ['ten thousand parts', JSON.stringify(send('a', {}, many))],
    ['parts that are no list', JSON.stringify(send('a', {}, 'x'))],
    ['parts that are no objects', JSON.stringify(send('a', {}, [1, null]))],
    ['a message that is none', '{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":7}}'],
    [
      'a 0.3 message that is none',
      '{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"parts":[{"kind":"file","file":3}]}}}',
    ],
    ['deep nesting', deep(40)],
    ['very deep nesting', deep(100_000)],
    ['a poisoned key', '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"__proto__":{"admin":true}}}'],
    ['more than a megabyte', JSON.stringify(send('a', {}, [part('x'.repeat(1_100_000))]))],
  ];

  it('responds with a reason: HTTP 200 over JSON-RPC whatever the error code, 4xx over REST', async () => {
    const app = await quick();
    const headers = { ...(await bearer(app)), 'content-type': 'application/json' };
    for (const [what, body] of bodies) {
      for (const path of [AT, '/team/consultant', `${AT}/message:send`, `${AT}/v1/message:send`]) {
        const reply = await app.call('POST', path, body, headers);
        const isRest = path.endsWith('message:send');
        const isRefused = isRest || reply.status !== 200;
        expect([what, path, reply.status >= 400 && reply.status < 500]).toEqual([what, path, isRefused]);
        if (!isRefused) expect(reply.body).toMatchObject({ error: { code: expect.any(Number) } });
        expect(reply.text).toContain('message');
      }
    }
    const unreadable = await app.call('POST', AT, '{"jsonrpc":', headers);
    expect([unreadable.status, unreadable.body]).toMatchObject([200, { id: null, error: { code: -32700 } }]);
    expect(({} as Json)['admin']).toBeUndefined();
    expect(app.log.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  it('causes no internal error with invalid task ids, pages or lengths', async () => {
    const app = await quick();
    const headers = await bearer(app);
    const rpc = await getRpc(app);
    const paths = [
      'tasks/%00',
      'tasks/..',
      'tasks?pageSize=0',
      'tasks?pageSize=x',
      'tasks?pageToken=zz',
      'tasks?status=NO',
      'tasks?status=1&status=2',
    ];
    for (const path of [
      ...paths,
      'tasks?statusTimestampAfter=soon',
      'tasks/req-x?historyLength=-1',
      'v1/tasks/req-x?historyLength=a',
    ]) {
      const { status } = await app.call('GET', `${AT}/${path}`, undefined, headers);
      expect([path, status >= 400 && status < 500]).toEqual([path, true]);
    }
    for (const [method, params] of [
      ['GetTask', {}],
      ['GetTask', { id: {} }],
      ['GetTask', { id: 'x', historyLength: -1 }],
      ['tasks/get', { id: { a: 1 } }],
      ['tasks/get', null],
      ['tasks/pushNotificationConfig/set', {}],
      ['CreateTaskPushNotificationConfig', { taskId: 'x', url: 7 }],
      ['ListTasks', { pageSize: 1e9 }],
      ['ListTasks', { status: 'NONE' }],
      ['Nothing', {}],
      ['no/thing', {}],
    ] as const) {
      const { status, body } = await rpc({ jsonrpc: '2.0', id: 1, method, params });
      expect([method, status < 500, (body.error?.code ?? 0) < 0 && body.error?.code !== -32603]).toEqual([
        method,
        true,
        true,
      ]);
    }
  });

  it('responds 415 and -32005 to another media type', async () => {
    const app = await quick();
    const port = Number(new URL(app.address).port);
    const { authorization } = await bearer(app);
    for (const path of [AT, `${AT}/message:send`]) {
      const lines = [
        `POST ${path} HTTP/1.1`,
        `Host: 127.0.0.1:${port}`,
        `Authorization: ${authorization}`,
        'Content-Type: text/plain',
      ];
      const reply = await rawRequest(port, [...lines, 'Content-Length: 2', 'Connection: close'], '{}');
      expect([path, reply.status]).toEqual([path, 415]);
    }
  });
});

describe('Strict card', () => {
  it('contains only the fields of A2A 1.0 at every level', async () => {
    const app = await testApp();
    const card = (
      await app.call('GET', '/team/consultant/.well-known/agent-card.json', undefined, { 'a2a-version': '1.0' })
    ).body as AgentCard;
    expect(unknownFields(card, CARD, '')).toEqual([]);
    expect(card.capabilities).toMatchObject({ streaming: true, pushNotifications: true, extendedAgentCard: true });
    const bindings = card.supportedInterfaces.map(
      ({ protocolBinding, protocolVersion }) => `${protocolBinding} ${protocolVersion}`,
    );
    expect(bindings.slice(0, 4)).toEqual(['JSONRPC 1.0', 'HTTP+JSON 1.0', 'JSONRPC 0.3', 'HTTP+JSON 0.3']);
  });
});

/** The JSON form of the A2A 1.0 protocol buffer messages that make up a card: their fields, and which are required. */
interface Shape {
  [field: string]: 'required' | 'optional' | 'anything' | Shape;
}
const EXTENSION: Shape = { uri: 'required', description: 'optional', required: 'optional', params: 'anything' };
const HTTP_SCHEME: Shape = { description: 'optional', scheme: 'required', bearerFormat: 'optional' };
const REQUIREMENT: Shape = { schemes: 'anything' };
const CARD: Shape = {
  name: 'required',
  description: 'required',
  supportedInterfaces: {
    url: 'required',
    protocolBinding: 'required',
    tenant: 'optional',
    protocolVersion: 'required',
  },
  provider: 'optional',
  version: 'required',
  documentationUrl: 'optional',
  capabilities: {
    streaming: 'optional',
    pushNotifications: 'optional',
    extensions: EXTENSION,
    extendedAgentCard: 'optional',
  },
  securitySchemes: { memberToken: { httpAuthSecurityScheme: HTTP_SCHEME } },
  securityRequirements: REQUIREMENT,
  defaultInputModes: 'required',
  defaultOutputModes: 'required',
  skills: {
    id: 'required',
    name: 'required',
    description: 'required',
    tags: 'required',
    examples: 'optional',
    inputModes: 'optional',
    outputModes: 'optional',
    securityRequirements: REQUIREMENT,
  },
  signatures: 'optional',
  iconUrl: 'optional',
};

/** The paths at which `value` has a field that its shape does not define, or lacks a required one. */
function unknownFields(value: unknown, shape: Shape, path: string): string[] {
  if (Array.isArray(value)) return value.flatMap((one, index) => unknownFields(one, shape, `${path}[${index}]`));
  const object = value as Json;
  const wrong = Object.keys(object).filter((key) => !(key in shape));
  const missing = Object.keys(shape).filter((key) => shape[key] === 'required' && object[key] === undefined);
  const below = Object.entries(shape).flatMap(([key, inner]) =>
    typeof inner === 'string' || object[key] === undefined ? [] : unknownFields(object[key], inner, `${path}.${key}`),
  );
  return [
    ...wrong.map((key) => `${path}.${key} is unknown`),
    ...missing.map((key) => `${path}.${key} is missing`),
    ...below,
  ];
}
