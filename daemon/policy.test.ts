import { describe, expect, it } from 'vitest';
import type { Access } from './http/access.js';
import { rawRequest } from './testing/raw-request.js';
import { type TestApp, testApp } from './testing/test-app.js';

/** Every route and who may call it. A route without a row fails the check: decide before you add it. */
const POLICY: Record<string, Access> = {
  'GET /': 'page',
  'GET /agents': 'public',
  'GET /agents/': 'public',
  'GET /agents/:agent_id': 'public',
  'GET /agents/channels': 'bearer',
  'POST /agents/channels': 'bearer',
  'POST /agents/channels/:id/join': 'bearer',
  'POST /agents/channels/:id/leave': 'bearer',
  'POST /agents/channels/:id/send': 'bearer',
  'GET /agents/contacts': 'bearer',
  'PUT /agents/contacts/:agent_id': 'bearer',
  'DELETE /agents/contacts/:agent_id': 'bearer',
  'DELETE /agents/me': 'bearer',
  'PATCH /agents/me': 'bearer',
  'POST /agents/me/state': 'bearer',
  'GET /agents/messages': 'bearer',
  'POST /agents/messages': 'bearer',
  'GET /agents/messages/:peer/history': 'bearer',
  'POST /agents/messages/ack': 'bearer',
  'POST /agents/register': 'public',
  'POST /agents/token': 'public',
  'GET /agents/ws': 'bearer',
  'GET /app': 'page',
  'POST /chain': 'public',
  'GET /approvals': 'operator',
  'GET /calls': 'operator',
  'POST /calls': 'operator',
  'GET /calls/:id': 'operator',
  'GET /ledger': 'operator',
  'POST /ledger/approvals/:call_id': 'operator',
  'PATCH /ledger/caps': 'operator',
  'GET /ledger/export.csv': 'operator',
  'POST /ledger/settle': 'operator',
  'GET /clients': 'operator',
  'GET /conversations': 'operator',
  'POST /conversations': 'operator',
  'GET /conversations/:conv': 'operator',
  'PATCH /conversations/:conv': 'operator',
  'DELETE /conversations/:conv': 'operator',
  'GET /conversations/:conv/messages': 'operator',
  'POST /conversations/:conv/messages': 'operator',
  'DELETE /conversations/:conv/messages/:msg': 'operator',
  'DELETE /conversations/:conv/queue': 'operator',
  'POST /conversations/:conv/cancel': 'operator',
  'POST /conversations/:conv/permissions/:pid': 'operator',
  'GET /conversations/:conv/export': 'operator',
  'GET /docs': 'page',
  'GET /docs.css': 'public',
  'GET /doctor': 'operator',
  'GET /events': 'operator',
  'GET /exports/:id': 'operator',
  'POST /exports': 'operator',
  'GET /health': 'public',
  'GET /imports': 'operator',
  'POST /imports': 'operator',
  'GET /imports/drift': 'operator',
  'GET /imports/:id/drift': 'operator',
  'POST /imports/:id/drift': 'operator',
  'GET /licenses': 'operator',
  'GET /logs': 'operator',
  'GET /mcp': 'bearer',
  'POST /mcp': 'bearer',
  'DELETE /mcp': 'bearer',
  'GET /openapi.json': 'public',
  'GET /permissions': 'operator',
  'GET /preferences': 'operator',
  'PATCH /preferences': 'operator',
  'GET /project/file': 'operator',
  'GET /projects': 'operator',
  'POST /receipts/verify': 'public',
  'GET /registrations': 'operator',
  'GET /requests': 'operator',
  'GET /requests/:rid': 'operator',
  'DELETE /requests/:rid': 'operator',
  'GET /rooms': 'operator',
  'POST /rooms': 'operator',
  'GET /rooms/:id': 'operator',
  'PATCH /rooms/:id': 'operator',
  'DELETE /rooms/:id': 'operator',
  'POST /rooms/:id/read': 'operator',
  'GET /roadmap': 'operator',
  'PATCH /roadmap/:task': 'operator',
  'POST /roadmap/run': 'operator',
  'POST /roadmap/stop': 'operator',
  'GET /support-bundle': 'operator',
  'GET /team': 'operator',
  'POST /team': 'operator',
  'PATCH /team': 'operator',
  'DELETE /team': 'operator',
  'GET /team/:id': 'operator',
  'PATCH /team/:id': 'operator',
  'DELETE /team/:id': 'operator',
  'GET /team/:id/.well-known/agent-card.json': 'card',
  'GET /team/:id/.well-known/agent.json': 'card',
  'POST /team/:id': 'bearer',
  'POST /team/:id/a2a': 'bearer',
  'GET /team/:id/a2a/*': 'bearer',
  'POST /team/:id/a2a/*': 'bearer',
  'DELETE /team/:id/a2a/*': 'bearer',
  'POST /team/:id/ask': 'bearer',
  'GET /team/:id/file': 'operator',
  'PUT /team/:id/file': 'operator',
  'GET /team/:id/health': 'public',
  'GET /team/:id/mcp': 'bearer',
  'POST /team/:id/mcp': 'bearer',
  'DELETE /team/:id/mcp': 'bearer',
  'POST /team/:id/restore': 'operator',
  'GET /team/:id/tests': 'operator',
  'PUT /team/:id/tests': 'operator',
  'POST /team/:id/tests/run': 'operator',
  'POST /team/:id/tests/cancel': 'operator',
  'POST /team/:id/token/rotate': 'operator',
  'GET /team/:id/about': 'public',
  'GET /team/:id/openapi.yaml': 'public',
  'POST /team/:id/tasks/send': 'public',
  'GET /team/:id/tasks/:task': 'bearer',
  'POST /team/:id/v1/:skill': 'public',
  'GET /team/:id/v1/balance': 'public',
  'POST /team/:id/v1/topup': 'public',
  'POST /team/draft': 'operator',
  'GET /team/requests/:rid': 'bearer',
  'DELETE /team/requests/:rid': 'bearer',
  'GET /tests': 'operator',
  'GET /versions': 'operator',
  'GET /v1/agents': 'public',
  'POST /v1/agents/:agent_id/feedback': 'public',
  'GET /v1/agents/:agent_id': 'public',
  'DELETE /v1/agents/me': 'bearer',
  'PATCH /v1/agents/me': 'bearer',
  'POST /v1/agents/me/heartbeat': 'bearer',
  'PUT /v1/agents/me/key': 'bearer',
  'POST /v1/agents/me/state': 'bearer',
  'POST /v1/agents/register': 'public',
  'POST /v1/agents/token': 'public',
  'POST /v1/catalog': 'operator',
  'GET /v1/clusters': 'public',
  'POST /v1/clusters': 'public',
  'GET /v1/clusters/:id': 'public',
  'PATCH /v1/clusters/:id': 'bearer',
  'DELETE /v1/clusters/:id': 'bearer',
  'GET /v1/clusters/:id/boards': 'public',
  'POST /v1/clusters/:id/boards': 'bearer',
  'GET /v1/clusters/:id/boards/:bid': 'public',
  'PATCH /v1/clusters/:id/boards/:bid': 'bearer',
  'DELETE /v1/clusters/:id/boards/:bid': 'bearer',
  'GET /v1/clusters/:id/boards/:bid/posts': 'public',
  'POST /v1/clusters/:id/boards/:bid/posts': 'public',
  'GET /v1/clusters/:id/boards/:bid/posts/:pid': 'public',
  'DELETE /v1/clusters/:id/boards/:bid/posts/:pid': 'public',
  'GET /v1/clusters/:id/history': 'bearer',
  'GET /v1/clusters/:id/ws': 'public',
  'POST /v1/feedback': 'public',
  'GET /v1/map': 'public',
  'GET /v1/reputation/:agent_id': 'public',
  'GET /v1/reputation/:agent_id/reports': 'public',
  'GET /v1/search': 'public',
  'POST /v1/search': 'public',
  'GET /agent/:id': 'page',
  'GET /agent/:id/.well-known/agent.json': 'card',
  'GET /agent/:id/tier2': 'operator',
  'GET /clusters/:slug': 'page',
  'GET /map': 'page',
  'GET /monitor': 'page',
  'GET /monitor.js': 'public',
  'GET /site.css': 'public',
  'GET /.well-known/ai-catalog.json': 'public',
  'GET /wallets': 'operator',
  'POST /wallets': 'operator',
  'POST /wallets/:name/fund': 'operator',
  'POST /wallets/:name/pay': 'operator',
  'GET /ws': 'bearer',
};

/** Open to whoever pays, and otherwise to the bearer, which they ask for before they look at the body. */
const PAID_OR_BEARER = ['POST /team/:id/v1/:skill', 'POST /team/:id/tasks/send'];

/** What an upgrade by a local program without a credential gets. */
const OPEN_SOCKETS: Record<string, number> = { '/events': 101, '/agents/ws': 401, '/ws': 401, '/v1/clusters/:id/ws': 401 };

const portOf = (app: TestApp) => Number(new URL(app.address).port);
const rows = (app: TestApp) => app.routes.filter(({ method }) => method !== 'HEAD' && method !== 'OPTIONS');
const fill = (url: string) => url.replace(':id', 'consultant').replace(':rid', 'req-aaaaaaaaaaaaaaaa').replace(':skill', 'ask');

/** The header sets of pages and names that are not ours, and what each must get, whatever the route. */
function foreignSets(port: number): [name: string, host: string[], more: string[], status: number][] {
  const own = `127.0.0.1:${port}`;
  const wrongHosts = [
    `evil.example:${port}`,
    `127.0.0.1.evil.com:${port}`,
    `localhost.:${port}`,
    `x.localhost:${port}`,
    `0.0.0.0:${port}`,
    `127.1:${port}`,
    `2130706433:${port}`,
    `localhost:${port}@evil.com`,
    '127.0.0.1',
    `127.0.0.1:${port + 1}`,
    '[::1',
    '',
  ];
  const origins = ['https://evil.example', 'null', 'http://localhost:5173', `http://127.0.0.1:${port + 1}`, `https://${own}`, 'http://['];
  return [
    ...wrongHosts.map((host): [string, string[], string[], number] => [`Host ${host}`, [`Host: ${host}`], [], 421]),
    ['X-Forwarded-Host', [`Host: evil.example:${port}`], [`X-Forwarded-Host: ${own}`], 421],
    ['two Hosts', [`Host: ${own}`, `Host: ${own}`], [], 400],
    ['no Host', [], [], 400],
    ...origins.map((origin): [string, string[], string[], number] => [`Origin ${origin}`, [`Host: ${own}`], [`Origin: ${origin}`], 403]),
    ['two Origins', [`Host: ${own}`], [`Origin: http://${own}`, `Origin: http://${own}`], 400],
    ['cross-site fetch', [`Host: ${own}`], ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: no-cors', 'Sec-Fetch-Dest: empty'], 403],
    ['same-site fetch', [`Host: ${own}`], ['Sec-Fetch-Site: same-site', 'Sec-Fetch-Mode: cors', 'Sec-Fetch-Dest: empty'], 403],
    ['framed', [`Host: ${own}`], ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: iframe'], 403],
  ];
}

describe('the policy', () => {
  it('has a row for every route, and every row is a route', async () => {
    const app = await testApp();
    const found = Object.fromEntries(rows(app).map(({ method, url, access }) => [`${method} ${url}`, access]));
    expect(found).toEqual(POLICY);
  });

  it('lets no page of another origin and no rebound name reach any route', async () => {
    const app = await testApp();
    const port = portOf(app);
    const wrong: string[] = [];
    for (const { method, url, access } of [...rows(app), { method: 'GET', url: '/no/such/route', access: 'public' as Access }]) {
      for (const [name, host, more, status] of foreignSets(port)) {
        const isCardRead = access === 'card' && method === 'GET' && status === 403;
        const reply = await rawRequest(
          port,
          [`${method} ${fill(url)} HTTP/1.1`, ...host, ...more, 'Content-Type: application/json', 'Content-Length: 2', 'Connection: close'],
          '{}',
        );
        const isRefused = reply.status === status && !/access-control-/i.test(reply.head) && reply.body.length < 200;
        // Nobody is registered under that id, which the site says to any page.
        const cardStatus = url.startsWith('/agent/') ? 404 : 200;
        if (isCardRead ? reply.status !== cardStatus : !isRefused) wrong.push(`${method} ${url} with ${name}: ${reply.status}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('lets no page of another origin and no rebound name upgrade anywhere, and nothing upgrade but sockets', async () => {
    const app = await testApp();
    const port = portOf(app);
    const upgrade = [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ];
    const wrong: string[] = [];
    for (const { url, access } of [...rows(app).filter(({ method }) => method === 'GET'), { url: '/no/such/route', access: 'public' }]) {
      for (const [name, host, more, status] of foreignSets(port)) {
        const reply = await rawRequest(port, [`GET ${fill(url)} HTTP/1.1`, ...host, ...more, ...upgrade]);
        const isExpected = access === 'card' && status === 403 ? reply.status === 404 : reply.status === status;
        if (!isExpected) wrong.push(`${url} with ${name}: ${reply.status}`);
      }
      const own = await rawRequest(port, [`GET ${fill(url)} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...upgrade]);
      if (own.status !== (OPEN_SOCKETS[url] ?? 404)) wrong.push(`${url} from a local program: ${own.status}`);
    }
    expect(wrong).toEqual([]);
  });

  it('refuses preflights of other origins without a hint', async () => {
    const app = await testApp();
    const port = portOf(app);
    for (const { url } of rows(app)) {
      const reply = await rawRequest(port, [
        `OPTIONS ${fill(url)} HTTP/1.1`,
        `Host: 127.0.0.1:${port}`,
        'Origin: https://evil.example',
        'Access-Control-Request-Method: POST',
        'Access-Control-Request-Private-Network: true',
      ]);
      expect([url, reply.status]).toEqual([url, 403]);
      expect(reply.head).not.toMatch(/access-control-/i);
    }
  });

  it('answers a wrong name in the same few bytes whether the route exists or not', async () => {
    const app = await testApp();
    const port = portOf(app);
    const ask = (path: string) => rawRequest(port, [`GET ${path} HTTP/1.1`, 'Host: evil.example']);
    const [known, unknown] = await Promise.all([ask('/team'), ask('/nothing')]);
    expect(known.body).toBe(unknown.body);
    expect(known.body.length).toBeLessThan(200);
    expect(known.head).not.toMatch(/^(server|x-powered-by):/im);
  });

  it('takes bodies as application/json only', async () => {
    const app = await testApp();
    for (const { method, url, access } of rows(app)) {
      if (!['POST', 'PATCH', 'PUT'].includes(method) || access === 'bearer' || PAID_OR_BEARER.includes(`${method} ${url}`)) continue;
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
        const reply = await app.call(method, fill(url), '{"text":"x"}', { 'content-type': type });
        expect([method, url, reply.status]).toEqual([method, url, 415]);
      }
    }
  });

  it.each(['application/json;', 'APPLICATION/JSON', 'application/json\t;x', 'application/json; charset=utf-8'])(
    'validates a body that comes as %j',
    async (type) => {
      const app = await testApp();
      const port = portOf(app);
      const body = '{"nonsense":1}';
      const reply = await rawRequest(
        port,
        ['POST /team HTTP/1.1', `Host: 127.0.0.1:${port}`, `Content-Type: ${type}`, `Content-Length: ${body.length}`],
        body,
      );
      expect([400, 415]).toContain(reply.status);
    },
  );

  it('sends its fixed headers with every kind of answer, and no origin is ever allowed but for cards', async () => {
    const app = await testApp();
    for (const path of ['/team', '/nothing', '/health', '/docs', '/team/A', '/%', '/team/consultant/.well-known/agent.json']) {
      const { headers } = await app.call('GET', path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('access-control-allow-origin')).toBe(path.endsWith('agent.json') ? '*' : null);
      expect(headers.get('server')).toBeNull();
    }
    const docs = await app.call('GET', '/docs');
    expect(docs.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('leaves no mark when a GET is called', async () => {
    const app = await testApp();
    const state = async () =>
      JSON.stringify([
        (await app.call('GET', '/team')).body,
        (await app.call('GET', '/requests')).body,
        (await app.call('GET', '/preferences')).body,
      ]);
    const before = await state();
    for (const { method, url, isSocket } of rows(app)) if (method === 'GET' && !isSocket) await app.call('GET', fill(url));
    expect(await state()).toBe(before);
  });
});

describe('malformed requests', () => {
  it.each([
    ['an absolute target', 'GET http://evil.example/team HTTP/1.1', 400],
    ['HTTP/1.0', 'GET /team HTTP/1.0', 400],
    ['an undecodable path', 'GET /team/%zz HTTP/1.1', 400],
    ['nonsense', 'NONSENSE', 400],
    ['a NUL in the path', 'GET /team/a%00b HTTP/1.1', 400],
  ])('%s is a plain 400 and the daemon goes on', async (_name, line, status) => {
    const app = await testApp();
    const port = portOf(app);
    const reply = await rawRequest(port, [line, `Host: 127.0.0.1:${port}`]);
    expect(reply.status).toBe(status);
    expect((await app.call('GET', '/health')).status).toBe(200);
  });

  it('too many header fields, too deep or too large a body, and poisoned keys are refused by name', async () => {
    const app = await testApp();
    const port = portOf(app);
    const many = Array.from({ length: 150 }, (_, i) => `X-${i}: y`);
    expect((await rawRequest(port, ['GET /health HTTP/1.1', `Host: 127.0.0.1:${port}`, ...many])).status).toBe(400);
    expect((await rawRequest(port, ['GET /health HTTP/1.1', `Host: 127.0.0.1:${port}`, `X-Big: ${'y'.repeat(20_000)}`])).status).toBe(431);
    expect((await app.call('POST', '/team', `{"name":${'['.repeat(5000)}${']'.repeat(5000)}}`)).status).toBe(400);
    expect((await app.call('POST', '/team', JSON.stringify({ name: 'x', body: 'y'.repeat(1_100_000) }))).body).toMatchObject({
      error: 'too_large',
    });
    expect((await app.call('POST', '/team', '{"__proto__":{"admin":true},"name":"x"}')).status).toBe(400);
    expect((await app.call('POST', '/team', '{"constructor":{"prototype":{}},"name":"x"}')).status).toBe(400);
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
  });
});
