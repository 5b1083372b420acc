import type { IncomingMessage } from 'node:http';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { testApp } from '../testing/apps/test-app.js';
import { rawRequest } from '../testing/processes/raw-request.js';
import { isLeftOver, isWorkerScript, LEFT_OVER, REMOVAL_SCRIPT } from './left-over-worker.js';

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
    expect(head).toMatch(/^content-security-policy: default-src 'none'\r?$/im);
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

describe('the removal script', () => {
  /** Runs the script in a worker with two caches and one page, and returns what it does. */
  function run() {
    const done: string[] = [];
    const listeners: Record<string, (event: object) => void> = {};
    const page = { url: '/lamp', navigate: async (url: string) => void done.push(`navigate ${url}`) };
    const timers: { run: () => Promise<void>; ms: number }[] = [];
    runInNewContext(REMOVAL_SCRIPT, {
      registration: { unregister: async () => void done.push('unregister') },
      caches: { keys: async () => ['a', 'b'], delete: async (name: string) => void done.push(`delete ${name}`) },
      clients: { matchAll: async ({ type }: { type: string }) => (type === 'window' ? [page] : []) },
      skipWaiting: () => void done.push('skip'),
      setTimeout: (clear: () => Promise<void>, ms: number) => void timers.push({ run: clear, ms }),
      addEventListener: (name: string, listener: (event: object) => void) => {
        listeners[name] = listener;
      },
    });
    return { done, listeners, timers };
  }

  it('takes the place of the worker at once, removes it with its caches, and reloads its pages', async () => {
    const { done, listeners } = run();
    listeners['install']?.({});
    let activated: Promise<void> | undefined;
    listeners['activate']?.({
      waitUntil: (work: Promise<void>) => {
        activated = work;
      },
    });
    await activated;
    expect(done).toEqual(['skip', 'unregister', 'delete a', 'delete b', 'navigate /lamp']);
  });

  it('removes a busy worker after four seconds', async () => {
    const { done, listeners, timers } = run();
    listeners['install']?.({});
    expect(timers.map(({ ms }) => ms)).toEqual([4_000]);
    await timers[0]?.run();
    expect(done).toEqual(['skip', 'unregister', 'delete a', 'delete b']);
  });
});

describe('a request', () => {
  const asked = (headers: IncomingMessage['headers'], method = 'GET') =>
    ({ method, headers }) as unknown as IncomingMessage;
  const script = { 'service-worker': 'script' };
  const left = { 'sec-fetch-site': 'same-origin', referer: '/' };

  it('is for the script of a worker when a browser reads it as one', () => {
    expect(isWorkerScript(asked(script))).toBe(true);
    for (const other of [
      asked({}),
      asked({ 'service-worker': 'other' }),
      asked(script, 'HEAD'),
      asked({ ...script, upgrade: 'websocket' }),
    ])
      expect(isWorkerScript(other)).toBe(false);
  });

  it('is of an earlier program when a page of this address sends a referrer', () => {
    expect(isLeftOver(asked(left))).toBe(true);
    for (const headers of [
      { referer: '/' },
      { 'sec-fetch-site': 'same-origin' },
      { ...left, 'sec-fetch-site': 'none' },
      { ...left, ...script },
    ])
      expect(isLeftOver(asked(headers))).toBe(false);
  });

  it('of an earlier program is refused as one of another page, with what helps', () => {
    expect(LEFT_OVER).toEqual({
      code: 'forbidden_origin',
      message: 'A page or service worker of an earlier program at this address sent this: reload the page.',
    });
  });
});
