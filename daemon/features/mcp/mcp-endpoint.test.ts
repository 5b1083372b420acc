import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as waitForTick } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { MeshError } from '../../lib/errors.js';
import { Mcp } from './mcp.js';
import type { McpCall, McpSurface } from './mcp-surface.js';

const PROTOCOL = '2025-11-25';
const SESSION = 'mcp-session-id';
/** Sessions that one subject may have. */
const SESSIONS_MAX = 64;

type Answer = { status: number; text: string; session: string };

/** The endpoint of a subject with the tool `wait`, which does what `run` does. */
async function anEndpoint(run: (call: McpCall) => Promise<never> = () => Promise.reject(new Error('unused'))) {
  const closed: Promise<unknown>[] = [];
  const surface = {
    info: { name: 'meshd', version: '1' },
    capabilities: { tools: {} },
    tools: [
      { definition: { name: 'wait', inputSchema: { type: 'object' } }, call: (_args, call) => run(call) },
      {
        definition: { name: 'last', inputSchema: { type: 'object' } },
        call: (_args, call) => run(call),
        mayTakeMinutes: true,
      },
    ],
  } as Pick<McpSurface, 'info' | 'capabilities' | 'tools'> as McpSurface;
  const mcp = new Mcp({ getSurface: () => surface, onFault: () => undefined });
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += String(piece);
    closed.push(once(response, 'close'));
    const endpoint = await mcp.endpoint(String(request.headers['x-subject'] ?? 'x'));
    await endpoint.answer(request, response, text === '' ? undefined : JSON.parse(text));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  let id = 0;
  const post = async (method: string, params: object, session?: string): Promise<Answer> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': PROTOCOL,
        ...(session === undefined ? {} : { [SESSION]: session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }),
    });
    return { status: response.status, text: await response.text(), session: response.headers.get(SESSION) ?? '' };
  };
  const begin = async () => {
    const clientInfo = { name: 'test', version: '1' };
    const { session } = await post('initialize', { protocolVersion: PROTOCOL, capabilities: {}, clientInfo });
    expect(session).not.toBe('');
    return session;
  };
  /** Opens the stream of a session for notifications. Returns a function that closes it on both sides. */
  const listen = async (session: string) => {
    const client = new AbortController();
    const headers = { accept: 'text/event-stream', 'mcp-protocol-version': PROTOCOL, [SESSION]: session };
    expect((await fetch(url, { headers, signal: client.signal })).status).toBe(200);
    const isClosed = closed.at(-1);
    return async () => {
      client.abort();
      await isClosed;
    };
  };
  const send = (body: unknown, headers: Record<string, string> = {}, method = 'POST') =>
    fetch(url, {
      method,
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return { mcp, post, begin, listen, send };
}

it('closes only once every running call has ended, and its caller gets what it ended with', async () => {
  let begun: () => void = () => undefined;
  const isRunning = new Promise<void>((resolve) => {
    begun = resolve;
  });
  let isOver = false;
  const { mcp, post } = await anEndpoint(async ({ ended }) => {
    begun();
    await once(ended, 'abort');
    // What a call has to write before its answer takes a while.
    for (let tick = 0; tick < 20; tick += 1) await waitForTick();
    isOver = true;
    throw new MeshError('overloaded', 'The daemon stops; poll req-1.');
  });
  const called = post('tools/call', { name: 'wait', arguments: {} });
  await isRunning;
  await mcp.stop();
  expect(isOver).toBe(true);
  expect((await called).text).toContain('poll req-1');
});

it('closes the session that was not used for longest, not the one that began first', async () => {
  const { mcp, post, begin } = await anEndpoint();
  onTestFinished(() => mcp.stop());
  const uses = async (session: string) => (await post('tools/list', {}, session)).status;
  const [first, second] = [await begin(), await begin()];
  for (let number = 2; number < SESSIONS_MAX; number += 1) await begin();
  expect(await uses(first)).toBe(200);
  await begin();
  expect([await uses(first), await uses(second)]).toEqual([200, 404]);
});

it('closes no session with an open stream, unless every one has one', async () => {
  const { mcp, post, begin, listen } = await anEndpoint();
  onTestFinished(() => mcp.stop());
  const uses = async (session: string) => (await post('tools/list', {}, session)).status;
  const first = await begin();
  const hangUp = await listen(first);
  const second = await begin();
  for (let number = 2; number <= SESSIONS_MAX; number += 1) await begin();
  expect([await uses(first), await uses(second)]).toEqual([200, 404]);
  await hangUp();
  const oldest = await begin();
  await listen(oldest);
  for (let number = 1; number < SESSIONS_MAX; number += 1) await listen(await begin());
  expect(await uses(first)).toBe(404);
  const last = await begin();
  expect([await uses(oldest), await uses(last)]).toEqual([404, 200]);
});

it('closes no session with a call in progress', async () => {
  let begun: () => void = () => undefined;
  const isRunning = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const { mcp, post, begin } = await anEndpoint(async ({ ended }) => {
    begun();
    await once(ended, 'abort');
    throw new MeshError('overloaded', 'The daemon stops; poll req-1.');
  });
  const busy = await begin();
  const called = post('tools/call', { name: 'wait', arguments: {} }, busy);
  await isRunning;
  for (let number = 1; number <= SESSIONS_MAX; number += 1) await begin();
  expect((await post('tools/list', {}, busy)).status).toBe(200);
  await mcp.stop();
  expect((await called).text).toContain('poll req-1');
});

const callOf = (name: string, id: unknown = 1) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } });

it('rejects a wrong batch as a whole, with what is wrong', async () => {
  const { mcp, send } = await anEndpoint();
  onTestFinished(() => mcp.stop());
  const reply = await send([callOf('wait'), callOf('wait')]);
  expect([reply.status, await reply.json()]).toEqual([
    400,
    { jsonrpc: '2.0', error: { code: -32600, message: 'Each call of a batch has an id of its own.' }, id: null },
  ]);
});

it.each([
  [7, 7],
  ['seven', 'seven'],
  [undefined, null],
])('tells a client with an unknown session to begin a new one, by its own id %j', async (given, id) => {
  const { mcp, send } = await anEndpoint();
  onTestFinished(() => mcp.stop());
  const reply = await send({ ...callOf('wait'), id: given }, { [SESSION]: 'unknown' });
  const error = { code: -32001, message: 'Session not found: begin a new one with "initialize".' };
  expect([reply.status, await reply.json()]).toEqual([404, { jsonrpc: '2.0', error, id }]);
});

it('has an unknown session also where there is no call', async () => {
  const { mcp, send } = await anEndpoint();
  onTestFinished(() => mcp.stop());
  const replies = [
    await send(undefined, { [SESSION]: 'unknown' }, 'GET'),
    await send([callOf('wait', 1), callOf('wait', 2)], { [SESSION]: 'unknown' }),
  ];
  for (const reply of replies) expect([reply.status, await reply.json()]).toMatchObject([404, { id: null }]);
});

it('ends a session when its client does', async () => {
  const { mcp, post, begin, send } = await anEndpoint();
  onTestFinished(() => mcp.stop());
  const session = await begin();
  const headers = { [SESSION]: session, 'mcp-protocol-version': PROTOCOL };
  expect((await send(undefined, headers, 'DELETE')).status).toBe(200);
  expect((await post('tools/list', {}, session)).status).toBe(404);
});

it('streams from the start only the response of a call that may take minutes', async () => {
  const { mcp, send } = await anEndpoint(async () => ({ content: [] }) as never);
  onTestFinished(() => mcp.stop());
  const typeOf = async (body: { method: string; params: object }) => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const name = (body.params as { name?: string }).name;
    const reply = await send(
      { ...body, params: { ...body.params, _meta: meta } },
      {
        ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': body.method },
        ...(name === undefined ? {} : { 'mcp-name': name }),
      },
    );
    const text = await reply.text();
    return [reply.status, reply.headers.get('content-type')?.split(';')[0], text.includes('"result"')];
  };
  expect(await typeOf(callOf('last'))).toEqual([200, 'text/event-stream', true]);
  expect(await typeOf(callOf('wait'))).toEqual([200, 'application/json', true]);
  expect(await typeOf({ ...callOf('last'), method: 'tools/list' })).toEqual([200, 'application/json', true]);
});

it('lets only the calls of the subject go whose token was revoked', async () => {
  const begun: McpCall[] = [];
  let wake: () => void = () => undefined;
  const { mcp, send } = await anEndpoint(async (call) => {
    begun.push(call);
    wake();
    await once(call.ended, 'abort');
    throw new MeshError('overloaded', 'Let go.');
  });
  const untilBegun = async (count: number) => {
    while (begun.length < count) await new Promise<void>((resolve) => (wake = resolve));
  };
  const first = send(callOf('wait'), { 'x-subject': 'a' });
  await untilBegun(1);
  const second = send(callOf('wait'), { 'x-subject': 'b' });
  await untilBegun(2);
  await mcp.close('a');
  expect([(await (await first).text()).includes('Let go.'), begun.map(({ ended }) => ended.aborted)]).toEqual([
    ...[true, [true, false]],
  ]);
  await mcp.close('nobody');
  await mcp.stop();
  expect(await (await second).text()).toContain('Let go.');
});

it('lets calls go at once that come after it was stopped', async () => {
  const seen: boolean[] = [];
  const { mcp, send } = await anEndpoint(async ({ ended }) => {
    seen.push(ended.aborted);
    throw new MeshError('overloaded', 'Let go.');
  });
  await mcp.stop();
  const reply = await send(callOf('wait')).catch(() => undefined);
  await reply?.text();
  expect(seen.filter((isEnded) => !isEnded)).toEqual([]);
  mcp.changed('nobody');
});

it('has one endpoint for each subject, until that is closed', async () => {
  const { mcp } = await anEndpoint();
  const [one, other] = [await mcp.endpoint('a'), await mcp.endpoint('b')];
  expect([await mcp.endpoint('a'), one === other]).toEqual([one, false]);
  await mcp.close('a');
  expect([(await mcp.endpoint('a')) === one, (await mcp.endpoint('b')) === other]).toEqual([false, true]);
  await mcp.stop();
});
