import { describe, expect, it } from 'vitest';
import type { ClusterCreated } from '../../contract/clusters.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { answers, heldAnswer, ScriptedAgent } from '../../testing/processes/scripted-agent.js';

const ACCEPT = { accept: 'application/json, text/event-stream' };
const INFO = { name: 'wire', version: '1' };
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': INFO,
  'io.modelcontextprotocol/clientCapabilities': {},
};
const ASK = { name: 'ask_consultant', arguments: { text: 'On which port does it listen?' } };

interface Rpc {
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
  method?: string;
}

const bearer = async (app: TestApp, member = 'consultant') => ({
  authorization: `Bearer ${await app.getToken(member)}`,
  ...ACCEPT,
});

/** A request of the current protocol with the headers that repeat its content. */
function current(
  method: string,
  params: Record<string, unknown> = {},
): { body: object; headers: Record<string, string> } {
  const name = params['name'] ?? params['uri'];
  return {
    body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } },
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
    },
  };
}

/** Begins a session of the previous protocol and returns its headers. */
async function begin(app: TestApp, headers: Record<string, string>): Promise<Record<string, string>> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: INFO };
  const reply = await app.call('POST', '/mcp', { jsonrpc: '2.0', id: 0, method: 'initialize', params }, headers);
  const session = {
    ...headers,
    'mcp-session-id': reply.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': '2025-11-25',
  };
  const noted = await app.call('POST', '/mcp', { jsonrpc: '2.0', method: 'notifications/initialized' }, session);
  expect([reply.status, noted.status]).toEqual([200, 202]);
  return session;
}

/** Yields the messages of an event stream as they arrive. */
async function* messages(response: Response): AsyncGenerator<Rpc> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of response.body as ReadableStream<Uint8Array>) {
    const events = (rest + decoder.decode(piece, { stream: true })).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const data = /^data: (\{.*)$/m.exec(event)?.[1];
      if (data !== undefined) yield JSON.parse(data) as Rpc;
    }
  }
}

async function heard(stream: AsyncGenerator<Rpc>, method: string): Promise<void> {
  // Calls `next` directly, since leaving a `for await` loop would end the stream.
  for (;;) {
    const { value, done } = await stream.next();
    if (done) throw new Error(`${method} was not heard`);
    if (value.method === method) return;
  }
}

const getRpc = (text: string) => JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text) as Rpc;

describe('Access to the protocol', () => {
  it('responds with the same 401 to an unknown or internal member and to a missing or wrong token, before it reads the body', async () => {
    const app = await testApp();
    const right = await app.getToken('consultant');
    const tries: [string, Record<string, string>][] = [
      ['/mcp', {}],
      ['/mcp', { authorization: 'Bearer mk_wrong' }],
      ['/mcp', { authorization: `Basic ${right}` }],
      ['/team/nobody/mcp', { authorization: `Bearer ${right}` }],
      ['/team/developer/mcp', { authorization: `Bearer ${right}` }],
      ['/team/consultant/mcp', { authorization: `Bearer ${right}x` }],
    ];
    const replies = await Promise.all(
      tries.flatMap(([path, headers]) =>
        ['POST', 'GET', 'DELETE'].map((method) =>
          app.call(method, path, method === 'POST' ? '{"x": ' : undefined, headers),
        ),
      ),
    );
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(replies[0]?.status).toBe(401);
    expect(replies[0]?.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('rate-limits wrong tokens and still accepts the right one', async () => {
    const app = await testApp();
    for (let n = 0; n < 20; n += 1) await app.call('POST', '/mcp', '{}', { authorization: `Bearer mk_${n}` });
    const slowed = await app.call('POST', '/mcp', '{}', { authorization: 'Bearer mk_more' });
    expect([slowed.status, slowed.body]).toEqual([429, expect.objectContaining({ error: 'too_many_requests' })]);
    const { body, headers } = current('tools/list');
    expect((await app.call('POST', '/mcp', body, { ...(await bearer(app)), ...headers })).status).toBe(200);
  });

  it('rejects other origins and sends the headers of every response', async () => {
    const app = await testApp();
    const { body, headers } = current('tools/list');
    const all = { ...(await bearer(app)), ...headers };
    expect((await app.call('POST', '/mcp', body, { ...all, origin: 'https://evil.example' })).status).toBe(403);
    const reply = await app.call('POST', '/mcp', body, all);
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
    expect(reply.headers.get('access-control-allow-origin')).toBeNull();
    expect(reply.text).not.toContain(await app.getToken('consultant'));
  });

  it('accepts a session only with the token that began it, and not after that was revoked', async () => {
    const app = await testApp();
    await app.call('PATCH', '/team/developer', { exposure: 'external' });
    const session = await begin(app, await bearer(app));
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    expect((await app.call('POST', '/mcp', list, session)).status).toBe(200);
    const foreign = await app.call('POST', '/mcp', list, { ...session, ...(await bearer(app, 'developer')) });
    expect([foreign.status, foreign.body]).toEqual([
      404,
      expect.objectContaining({ error: expect.objectContaining({ code: -32001 }) }),
    ]);
    await app.call('POST', '/team/consultant/token/rotate');
    expect((await app.call('POST', '/mcp', list, session)).status).toBe(401);
    expect((await app.call('POST', '/mcp', list, { ...session, ...(await bearer(app)) })).status).toBe(404);
  });

  it('begins a session for a client that still names one of before a restart, and for no other request', async () => {
    const app = await testApp();
    const headers = { ...(await bearer(app)), 'mcp-session-id': 'gone' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: INFO };
    const begun = await app.call('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'initialize', params }, headers);
    const session = begun.headers.get('mcp-session-id') ?? '';
    expect([begun.status, session]).toEqual([200, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    expect((await app.call('POST', '/mcp', list, headers)).status).toBe(404);
    expect((await app.call('POST', '/mcp', list, { ...headers, 'mcp-session-id': session })).status).toBe(200);
  });

  it('returns the request id to a waiting caller whose token is revoked, and the request continues', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await testApp({ clients: [agent] });
    const { body, headers } = current('tools/call', ASK);
    const call = app.call('POST', '/mcp', body, { ...(await bearer(app)), ...headers });
    await agent.untilHeld(1);
    await app.call('POST', '/team/consultant/token/rotate');
    expect(JSON.stringify(getRpc((await call).text))).toMatch(/overloaded.*req-/);
    const done = new Promise<void>((resolve) => {
      app.daemon.bus.watch(({ type }) => type === 'team.request.done' && resolve());
    });
    agent.finishAll();
    await done;
  });

  it('cancels a request of the current protocol when its caller disconnects', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await testApp({ clients: [agent] });
    const ended = new Promise<void>((resolve) => {
      app.daemon.bus.watch(({ type }) => type === 'team.request.error' && resolve());
    });
    const { body, headers } = current('tools/call', ASK);
    const hanging = new AbortController();
    const call = fetch(`${app.address}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(await bearer(app)), ...headers },
      body: JSON.stringify(body),
      signal: hanging.signal,
    });
    const refused = expect(call.then((response) => response.text())).rejects.toThrow();
    await agent.untilHeld(1);
    hanging.abort();
    await refused;
    await ended;
  });
});

describe('Listening client', () => {
  it('is notified of changed tools in the current protocol', async () => {
    const app = await testApp();
    const { body, headers } = current('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const response = await fetch(`${app.address}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(await bearer(app)), ...headers },
      body: JSON.stringify(body),
    });
    const stream = messages(response);
    await heard(stream, 'notifications/subscriptions/acknowledged');
    const told = heard(stream, 'notifications/tools/list_changed');
    await app.call('PATCH', '/team/consultant', { name: 'Keeper' });
    await told;
  });

  it('is notified of changed tools in a session of the previous protocol and lists the new ones', async () => {
    const app = await testApp();
    const session = await begin(app, await bearer(app));
    const response = await fetch(`${app.address}/mcp`, { headers: { ...session, accept: 'text/event-stream' } });
    expect(response.status).toBe(200);
    const told = heard(messages(response), 'notifications/tools/list_changed');
    await app.call('PATCH', '/team/consultant', { name: 'Keeper' });
    await told;
    const { text } = await app.call('POST', '/mcp', { jsonrpc: '2.0', id: 2, method: 'tools/list' }, session);
    expect(text).toContain('Ask Keeper');
  });
});

describe('Resource list', () => {
  it("excludes questions of the operator's own tests", async () => {
    const app = await testApp({ clients: [new ScriptedAgent('acp', () => answers('Port 8123.'))] });
    await app.call('PUT', '/team/consultant/tests', { text: '## On which port?\n- says: 8123\n', revision: null });
    const ended = new Promise<void>((resolve) => {
      app.daemon.bus.watch(({ type }) => type === 'team.tests.ended' && resolve());
    });
    expect((await app.call('POST', '/team/consultant/tests/run', {})).status).toBe(202);
    await ended;
    expect((await app.call('GET', '/requests')).text).toContain('On which port?');
    const { body, headers } = current('resources/list');
    const { text } = await app.call('POST', '/mcp', body, { ...(await bearer(app)), ...headers });
    expect(text).toContain('mesh://members/consultant/card');
    expect(text).not.toContain('mesh://requests/');
  });

  it('is paged, and its cursors lead to every resource once', async () => {
    const app = await testApp({ clients: [new ScriptedAgent('acp', () => answers('Port 8123.'))] });
    const { request_id } = await app.ask('consultant', { text: 'On which port does it listen?' });
    await app.poll('consultant', request_id, 60);
    const { cluster_id, admin_token } = (
      await app.call('POST', '/v1/clusters', { name: 'Harbour', visibility: 'public' })
    ).body as ClusterCreated;
    const at = `/v1/clusters/${cluster_id}`;
    const admin = { 'x-cluster-token': admin_token ?? '' };
    await app.call('PATCH', at, { boards_enabled: true }, admin);
    const slugs = Array.from({ length: 50 }, (_, n) => `board-${n}`);
    const board = (slug: string) => ({ slug, name: slug, kind: 'generic', about: 'One of many.' });
    await Promise.all(slugs.map((slug) => app.call('POST', `${at}/boards`, board(slug), admin)));
    await app.call('POST', `${at}/boards/board-0/posts?agent=keeper`, { title: 'High water' });

    const token = await bearer(app);
    const pages: string[][] = [];
    for (let cursor: unknown; pages.length === 0 || cursor !== undefined; ) {
      const { body, headers } = current('resources/list', cursor === undefined ? {} : { cursor });
      const reply = await app.call('POST', '/mcp', body, { ...token, ...headers });
      const { result } = getRpc(reply.text) as { result: { resources: { uri: string }[]; nextCursor?: string } };
      pages.push(result.resources.map(({ uri }) => uri));
      cursor = result.nextCursor;
    }
    expect(pages.map(({ length }) => length)).toEqual([50, 3]);
    const uris = pages.flat();
    expect(new Set(uris).size).toBe(uris.length);
    expect(uris.slice(0, 2)).toEqual(['mesh://members/consultant/card', `mesh://requests/${request_id}`]);
    expect(uris.filter((uri) => /boards\/board-\d+$/.test(uri))).toHaveLength(50);
    expect(uris.filter((uri) => uri.includes('/posts/'))).toHaveLength(1);
  });
});

describe('Invalid request', () => {
  it('never causes an internal error or a 5xx status', async () => {
    const app = await testApp();
    const token = await bearer(app);
    const session = await begin(app, token);
    const call = (params: unknown, id: unknown = 1) => ({ jsonrpc: '2.0', id, method: 'tools/call', params });
    const bodies: unknown[] = [
      '',
      'null',
      '[]',
      '"text"',
      '{"jsonrpc":"2.0"',
      '{"__proto__":{"x":1}}',
      `${'['.repeat(2_000)}${']'.repeat(2_000)}`,
      { jsonrpc: '1.0', id: 1, method: 'tools/list' },
      { jsonrpc: '2.0', id: {}, method: 'tools/list' },
      { jsonrpc: '2.0', id: 1, method: 'no/such' },
      { jsonrpc: '2.0', id: 1, method: '__proto__' },
      { jsonrpc: '2.0', id: 1, result: {} },
      [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }, 7, null],
      call(undefined),
      call(null),
      call({ name: 7 }),
      call({ name: 'ask_consultant' }),
      call({ name: 'ask_consultant', arguments: [] }),
      call({ name: 'constructor', arguments: {} }),
      call({ name: 'ask_consultant', arguments: { text: 'x'.repeat(20_000) } }),
      call({ name: 'ask_consultant', arguments: { text: 'x', tier: 'gold' } }),
      call({ name: 'ask_consultant', arguments: { text: 'x', session: '../etc' } }),
      call({ name: 'find_agents', arguments: { query: 'x', cursor: 'nonsense' } }),
      call({ name: 'read_board', arguments: { cluster: '../..', board: '%00' } }),
      call({ name: 'read_board', arguments: { cluster: 'the-commons', board: 'x', limit: 1e9 } }),
      call({ name: 'post_to_board', arguments: { cluster: 'the-commons', board: 'x', title: '', ttl: 'never' } }),
      ...[
        'mesh://',
        'mesh://members/../card',
        'file:///etc/passwd',
        'mesh://requests/req-0000000000000000',
        `mesh://requests/${'a'.repeat(5_000)}`,
      ].map((uri) => ({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri } })),
      { jsonrpc: '2.0', id: 1, method: 'resources/list', params: { cursor: 'bnVsbA' } },
      { jsonrpc: '2.0', id: 1, method: 'prompts/get', params: { name: 'toString' } },
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'completion/complete',
        params: { ref: { type: 'ref/resource', uri: 'x' }, argument: { name: '', value: '' } },
      },
      current('tools/list').body,
      { ...current('tools/list').body, method: 'tools/call' },
    ];
    for (const headers of [
      token,
      session,
      { ...token, ...current('tools/list').headers },
      { ...token, 'mcp-session-id': 'x' },
    ]) {
      for (const body of bodies) {
        const { status, text } = await app.call('POST', '/mcp', body, headers);
        expect(status, `${JSON.stringify(body).slice(0, 200)} gave ${text.slice(0, 300)}`).toBeLessThan(500);
        expect(text).not.toMatch(/"code":-32603|"error":"internal"| at .*\.ts:/);
      }
    }
    for (const [method, headers] of [
      ['GET', token],
      ['DELETE', token],
      ['GET', { ...token, accept: 'text/plain' }],
      ['GET', { ...session, 'mcp-protocol-version': '1' }],
      ['GET', { ...session, 'last-event-id': 'x' }],
      ['DELETE', { ...token, 'mcp-session-id': 'x' }],
    ] as const) {
      const reply = await fetch(`${app.address}/mcp`, { method, headers });
      expect(reply.status).toBeLessThan(500);
      await reply.body?.cancel();
    }
    const plain = await app.call('POST', '/mcp', 'text', { ...token, 'content-type': 'text/plain' });
    expect(plain.status).toBe(415);
    expect(app.log.filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  it('returns the code and message of the HTTP API when a tool rejects it', async () => {
    const app = await testApp({ clients: [new ScriptedAgent('acp', heldAnswer)] });
    const token = await bearer(app);
    const refusal = async (args: object) => {
      const { body, headers } = current('tools/call', { name: 'ask_consultant', arguments: args });
      const { text } = await app.call('POST', '/mcp', body, { ...token, ...headers });
      const { result } = getRpc(text) as { result: { isError: boolean; content: { text: string }[] } };
      expect(result.isError).toBe(true);
      return JSON.parse(result.content[0]?.text ?? '') as unknown;
    };
    expect(await refusal({})).toEqual({ error: 'bad_request', message: '"text" is required.', path: 'text' });
    expect(await refusal({ text: 'x', tier: 'gold' })).toMatchObject({ error: 'unknown_key', key: 'tier' });
    for (let n = 0; n < 6; n += 1) await app.ask('consultant', { text: 'And now?' });
    const over = await app.call('POST', '/team/consultant/ask', { text: 'And now?' }, token);
    expect(await refusal({ text: 'And now?' })).toEqual(over.body);
  });

  it.each([[null], ['']])('takes optional arguments that a strict client sends as %j as left out', async (none) => {
    const app = await testApp({ clients: [new ScriptedAgent('acp', () => answers('Port 8123.'))] });
    const token = await bearer(app);
    const call = async (args: object) => {
      const { body, headers } = current('tools/call', { name: 'ask_consultant', arguments: args });
      const { text } = await app.call('POST', '/mcp', body, { ...token, ...headers });
      const { result } = getRpc(text) as { result: { isError?: boolean; content: { text: string }[] } };
      return { isError: result.isError === true, text: result.content[0]?.text ?? '' };
    };
    expect(await call({ text: 'And now?', session: none })).toEqual({
      isError: false,
      text: expect.stringContaining('Port 8123.'),
    });
    const refused = await call({ text: none });
    expect([refused.isError, JSON.parse(refused.text)]).toEqual([true, expect.objectContaining({ path: 'text' })]);
    const unknown = await call({ text: 'And now?', tier: none });
    expect(JSON.parse(unknown.text)).toMatchObject({ error: 'unknown_key', key: 'tier' });
  });

  it('returns the reason of a request that ended without an answer', async () => {
    const failing = new ScriptedAgent('acp', async function* () {
      yield { type: 'text' as const, text: 'Well. ' };
      throw new Error('the program ended');
    });
    const app = await testApp({ clients: [failing] });
    const { body, headers } = current('tools/call', ASK);
    const { text } = await app.call('POST', '/mcp', body, { ...(await bearer(app)), ...headers });
    const { result } = getRpc(text) as { result: { isError: boolean; content: { text: string }[] } };
    expect(result.isError).toBe(true);
    expect(JSON.parse(result.content[0]?.text ?? '')).toMatchObject({
      error: 'client_failed',
      request_id: expect.stringMatching(/^req-/),
    });
  });

  it('does not include a call without a session in the previous protocol, which is handled individually', async () => {
    const app = await testApp({ clients: [new ScriptedAgent('acp', () => answers('Port 8123.'))] });
    const { status, text } = await app.call(
      'POST',
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: ASK },
      await bearer(app),
    );
    expect([status, JSON.stringify(getRpc(text))]).toEqual([200, expect.stringContaining('Port 8123.')]);
  });
});
