import { describe, expect, it } from 'vitest';
import type { Access } from './http/callers/access.js';
import { type TestApp, testApp } from './testing/apps/test-app.js';
import { fillRoute, foreignSets, OPEN_SOCKETS, PAID_OR_BEARER, POLICY } from './testing/policy.js';
import { rawRequest, UPGRADE } from './testing/processes/raw-request.js';

const getPort = (app: TestApp) => Number(new URL(app.address).port);
const rows = (app: TestApp) => app.routes.filter(({ method }) => method !== 'HEAD' && method !== 'OPTIONS');

const CARD_PREFLIGHT = [
  'access-control-allow-origin: *',
  'access-control-allow-methods: GET, HEAD',
  'access-control-allow-headers: A2A-Version',
];

describe('the policy', () => {
  it('has a row for every route, and a route for every row', async () => {
    const app = await testApp();
    const found = Object.fromEntries(rows(app).map(({ method, url, access }) => [`${method} ${url}`, access]));
    expect(found).toEqual(POLICY);
  });

  it('refuses pages of other origins and rebound host names on every route', async () => {
    const app = await testApp();
    const port = getPort(app);
    const wrong: string[] = [];
    for (const { method, url, access } of [
      ...rows(app),
      { method: 'GET', url: '/no/such/route', access: 'public' as Access },
    ]) {
      for (const [name, host, more, status] of foreignSets(port)) {
        const isCardRead = access === 'card' && method === 'GET' && status === 403;
        const reply = await rawRequest(
          port,
          [
            `${method} ${fillRoute(url)} HTTP/1.1`,
            ...host,
            ...more,
            'Content-Type: application/json',
            'Content-Length: 2',
            'Connection: close',
          ],
          '{}',
        );
        const isRefused = reply.status === status && !/access-control-/i.test(reply.head) && reply.body.length < 200;
        // No agent is registered under that id, which the site reports to any page.
        const cardStatus = url.startsWith('/agent/') ? 404 : 200;
        if (isCardRead ? reply.status !== cardStatus : !isRefused)
          wrong.push(`${method} ${url} with ${name}: ${reply.status}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('refuses upgrades by pages of other origins, under rebound names and of routes that are not sockets', async () => {
    const app = await testApp();
    const port = getPort(app);
    const wrong: string[] = [];
    for (const { url, access } of [
      ...rows(app).filter(({ method }) => method === 'GET'),
      { url: '/no/such/route', access: 'public' },
    ]) {
      for (const [name, host, more, status] of foreignSets(port)) {
        const reply = await rawRequest(port, [`GET ${fillRoute(url)} HTTP/1.1`, ...host, ...more, ...UPGRADE]);
        const isExpected = access === 'card' && status === 403 ? reply.status === 404 : reply.status === status;
        if (!isExpected) wrong.push(`${url} with ${name}: ${reply.status}`);
      }
      const own = await rawRequest(port, [`GET ${fillRoute(url)} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...UPGRADE]);
      if (own.status !== (OPEN_SOCKETS[url] ?? 404)) wrong.push(`${url} from a local program: ${own.status}`);
    }
    expect(wrong).toEqual([]);
  });

  it('refuses preflights of other origins without access-control headers, but for a card with its version', async () => {
    const app = await testApp();
    const port = getPort(app);
    for (const { url, access } of rows(app)) {
      const reply = await rawRequest(port, [
        `OPTIONS ${fillRoute(url)} HTTP/1.1`,
        `Host: 127.0.0.1:${port}`,
        'Origin: https://evil.example',
        'Access-Control-Request-Method: POST',
        'Access-Control-Request-Private-Network: true',
        'Connection: close',
      ]);
      expect([url, reply.status]).toEqual([url, access === 'card' ? 204 : 403]);
      const allowed = reply.head.split('\r\n').filter((line) => /^access-control-/i.test(line));
      expect(allowed).toEqual(access === 'card' ? CARD_PREFLIGHT : []);
    }
  });

  it('sends the same short refusal for a wrong host name whether the route exists or not', async () => {
    const app = await testApp();
    const port = getPort(app);
    const ask = (path: string) => rawRequest(port, [`GET ${path} HTTP/1.1`, 'Host: evil.example']);
    const [known, unknown] = await Promise.all([ask('/team'), ask('/nothing')]);
    expect(known.body).toBe(unknown.body);
    expect(known.body.length).toBeLessThan(200);
    expect(known.head).not.toMatch(/^(server|x-powered-by):/im);
  });

  it('accepts bodies as application/json only', async () => {
    const app = await testApp();
    for (const { method, url, access } of rows(app)) {
      if (
        !['POST', 'PATCH', 'PUT'].includes(method) ||
        access === 'bearer' ||
        PAID_OR_BEARER.includes(`${method} ${url}`)
      )
        continue;
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
        const reply = await app.call(method, fillRoute(url), '{"text":"x"}', { 'content-type': type });
        expect([method, url, reply.status]).toEqual([method, url, 415]);
      }
    }
  });

  it.each(['application/json;', 'APPLICATION/JSON', 'application/json\t;x', 'application/json; charset=utf-8'])(
    'validates a body with the content type %j',
    async (type) => {
      const app = await testApp();
      const port = getPort(app);
      const body = '{"nonsense":1}';
      const reply = await rawRequest(
        port,
        ['POST /team HTTP/1.1', `Host: 127.0.0.1:${port}`, `Content-Type: ${type}`, `Content-Length: ${body.length}`],
        body,
      );
      expect([400, 415]).toContain(reply.status);
    },
  );

  it('sends its fixed headers with every kind of response, and allows other origins for cards only', async () => {
    const app = await testApp();
    for (const path of [
      '/team',
      '/nothing',
      '/health',
      '/docs',
      '/team/A',
      '/%',
      '/team/consultant/.well-known/agent.json',
    ]) {
      const { headers } = await app.call('GET', path);
      const isCard = path.endsWith('agent.json');
      expect(Object.fromEntries(headers)).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': isCard ? 'cross-origin' : 'same-origin',
        'permissions-policy': expect.stringMatching(/camera=\(\).*microphone=\(\)/),
      });
      expect(headers.get('access-control-allow-origin')).toBe(isCard ? '*' : null);
      expect(headers.get('server')).toBeNull();
    }
    const docs = await app.call('GET', '/docs');
    expect(docs.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('changes no state on a GET', async () => {
    const app = await testApp();
    const state = async () =>
      JSON.stringify([
        (await app.call('GET', '/team')).body,
        (await app.call('GET', '/requests')).body,
        (await app.call('GET', '/preferences')).body,
      ]);
    const before = await state();
    for (const { method, url, isSocket } of rows(app))
      if (method === 'GET' && !isSocket) await app.call('GET', fillRoute(url));
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
  ])('with %s get a plain 400, and the daemon continues', async (_name, line, status) => {
    const app = await testApp();
    const port = getPort(app);
    const reply = await rawRequest(port, [line, `Host: 127.0.0.1:${port}`]);
    expect(reply.status).toBe(status);
    expect((await app.call('GET', '/health')).status).toBe(200);
  });

  it('with too many fields, a too deep or too large body or poisoned keys are refused by name', async () => {
    const app = await testApp();
    const port = getPort(app);
    const many = Array.from({ length: 150 }, (_, i) => `X-${i}: y`);
    expect((await rawRequest(port, ['GET /health HTTP/1.1', `Host: 127.0.0.1:${port}`, ...many])).status).toBe(400);
    expect(
      (await rawRequest(port, ['GET /health HTTP/1.1', `Host: 127.0.0.1:${port}`, `X-Big: ${'y'.repeat(20_000)}`]))
        .status,
    ).toBe(431);
    expect((await app.call('POST', '/team', `{"name":${'['.repeat(5000)}${']'.repeat(5000)}}`)).status).toBe(400);
    expect(
      (await app.call('POST', '/team', JSON.stringify({ name: 'x', body: 'y'.repeat(1_100_000) }))).body,
    ).toMatchObject({
      error: 'too_large',
    });
    expect((await app.call('POST', '/team', '{"__proto__":{"admin":true},"name":"x"}')).status).toBe(400);
    expect((await app.call('POST', '/team', '{"constructor":{"prototype":{}},"name":"x"}')).status).toBe(400);
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
  });
});
