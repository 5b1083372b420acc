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
    tools: [{ definition: { name: 'wait', inputSchema: { type: 'object' } }, call: (_args, call) => run(call) }],
  } as Pick<McpSurface, 'info' | 'capabilities' | 'tools'> as McpSurface;
  const mcp = new Mcp({ getSurface: () => surface, onFault: () => undefined });
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += String(piece);
    closed.push(once(response, 'close'));
    await (await mcp.endpoint('x')).answer(request, response, text === '' ? undefined : JSON.parse(text));
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
  return { mcp, post, begin, listen };
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
