import { expect, it } from 'vitest';
import { testApp } from '../testing/apps/test-app.js';
import { rawRequest } from '../testing/processes/raw-request.js';
import { REMOVAL_SCRIPT } from './left-over-worker.js';

const WORKER_SCRIPT = 'Service-Worker: script';

it('answers a service worker script request on any path with the removal script, under its own host only', async () => {
  const app = await testApp();
  const port = Number(new URL(app.address).port);
  const fetchScript = (line: string, ...more: string[]) => rawRequest(port, [line, ...more, WORKER_SCRIPT]);
  const own = `Host: 127.0.0.1:${port}`;
  for (const path of [
    '/sw.js',
    '/app/sw.js',
    '/app',
    '/team',
    '/team/consultant/ask',
    '/events',
    '/v1/x',
    '/%',
    '/a/%ff?b',
  ]) {
    const { status, head, body } = await fetchScript(`GET ${path} HTTP/1.1`, own, 'Referer: http://127.0.0.1/sw.js');
    expect([path, status, body]).toEqual([path, 200, REMOVAL_SCRIPT]);
    expect(head).toMatch(/^content-type: text\/javascript/im);
    expect(head).toMatch(/^cache-control: no-store/im);
    expect(head).toMatch(/^service-worker-allowed: \//im);
  }
  for (const [more, status] of [
    [`Host: localhost:${port}`, 421],
    [`${own}\r\nOrigin: https://evil.example`, 403],
    [`${own}\r\nSec-Fetch-Site: cross-site`, 403],
    [`${own}\r\nSec-Fetch-Site: same-site`, 403],
  ] as const)
    expect([more, (await fetchScript('GET /sw.js HTTP/1.1', more)).status]).toEqual([more, status]);
  expect((await fetchScript('DELETE /sw.js HTTP/1.1', own)).status).toBe(404);
  expect((await fetchScript('GET /team HTTP/1.1', own, 'Connection: Upgrade', 'Upgrade: websocket')).status).toBe(404);
});

it('lets requests of an earlier program’s worker or page read pages only', async () => {
  const app = await testApp();
  const port = Number(new URL(app.address).port);
  const send = (path: string, ...more: string[]) =>
    rawRequest(port, [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...more]);
  const ask = async (path: string, ...more: string[]) => (await send(path, ...more)).status;
  const sameOrigin = 'Sec-Fetch-Site: same-origin';
  const withReferer = [sameOrigin, `Referer: ${app.address}/`];
  expect(await ask('/docs', ...withReferer)).toBe(200);
  for (const path of ['/team', '/v1/search?q=x', '/events', '/nothing', '/docs.css'])
    expect([path, await ask(path, ...withReferer)]).toEqual([path, 403]);
  expect((await send('/team', ...withReferer)).head).toMatch(/^clear-site-data: "cache"\r?$/im);
  expect((await send('/team', sameOrigin)).head).not.toMatch(/clear-site-data/i);
  expect(await ask('/team', sameOrigin, 'Sec-Fetch-Mode: cors', 'Sec-Fetch-Dest: empty')).toBe(200);
  expect(await ask('/team', 'Referer: https://of.a.program/')).toBe(200);
});

it('redirects a document under localhost with a response that is not cached', async () => {
  const app = await testApp();
  const port = Number(new URL(app.address).port);
  const { status, head } = await rawRequest(port, ['GET /agent/a?b=%0d%0ac HTTP/1.1', `Host: localhost:${port}`]);
  expect(status).toBe(308);
  expect(head).toContain(`\r\nlocation: ${app.address}/agent/a?b=%0d%0ac`);
  expect(head).toMatch(/^cache-control: no-store/im);
});
