import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { rawRequest } from '../testing/raw-request.js';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { testApp } from '../testing/test-app.js';

const DOCUMENT = ['Sec-Fetch-Site: none', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document'];
const OF_PAGE = ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Mode: cors', 'Sec-Fetch-Dest: empty'];

const proofOf = (key: string, run: string) => createHmac('sha256', key).update(run).digest('hex');
const found = (pattern: RegExp, text: string) => pattern.exec(text)?.[1] ?? '';

/** A daemon with a dashboard, asked as a browser asks. */
async function asked() {
  const uiFolder = temporaryFolder({ 'index.html': '<html lang="en"><script src="./assets/a.js"></script></html>' });
  const app = await testApp({ uiFolder });
  const port = Number(new URL(app.address).port);
  const get = (path: string, ...more: string[]) =>
    rawRequest(port, [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...more]);
  const first = await get('/app/team?q=a', ...DOCUMENT);
  const cookie = `Cookie: a=b; ${found(/^set-cookie: ([^;]+)/im, first.head)}`;
  const page = await get('/app', ...DOCUMENT, cookie);
  const key = found(/data-key="([^"]+)"/, page.body);
  const run = found(/data-run="([^"]+)"/, page.body);
  return { app, port, get, first, cookie, page, key, run };
}

describe('the key of a page', () => {
  it('comes with a document that the browser shows itself, once it was cleared in this run', async () => {
    const { app, get, first, cookie, page, key, run, port } = await asked();
    expect(first.status).toBe(303);
    expect(first.head).toMatch(/^location: \/app\/team\?q=a&meshd-first\r?$/im);
    expect(first.head).toMatch(/^clear-site-data: "cache", "storage"\r?$/im);
    expect(first.head).toMatch(
      new RegExp(`^set-cookie: meshd_${port}=[^;]+; Path=/; HttpOnly; SameSite=Lax\r?$`, 'im'),
    );
    expect([page.status, key.length, run.length]).toEqual([200, 43, 22]);
    expect(page.head).toMatch(/^cache-control: no-store/im);
    expect(page.head).toMatch(/^cross-origin-opener-policy: noopener-allow-popups/im);
    expect(page.head).not.toMatch(/clear-site-data/i);
    expect(page.body).toContain(`src="/app/assets/${run}/a.js"`);
    const navigate = ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Mode: navigate'];
    for (const more of [
      [...navigate, 'Sec-Fetch-Dest: empty'],
      [...navigate, 'Sec-Fetch-Dest: iframe'],
      [...DOCUMENT, 'Service-Worker-Navigation-Preload: true'],
      OF_PAGE,
      [],
    ]) {
      const without = await get('/app', ...more, cookie);
      expect([more, without.status, without.body.includes('data-key')]).toEqual([more, 200, false]);
    }
    expect((await get('/app', ...DOCUMENT, cookie, 'Sec-Purpose: prefetch;prerender')).status).toBe(403);
    await app.stop();
  });

  it('is not given to a browser that keeps no cookie, which is redirected once', async () => {
    const { get } = await asked();
    const { status, head, body } = await get('/app?meshd-first', ...DOCUMENT, 'Cookie: meshd_1=x');
    expect([status, body.includes('data-key')]).toEqual([200, false]);
    expect(head).not.toMatch(/clear-site-data|set-cookie/i);
  });
});

describe('a page of the daemon’s origin', () => {
  it('reads what is the operator’s with the proof of this run, and hears of the run without', async () => {
    const { get, key, run } = await asked();
    const proof = proofOf(key, run);
    expect((await get('/team', ...OF_PAGE, `X-Meshd-Page: ${proof}`)).status).toBe(200);
    for (const given of [
      [],
      [`X-Meshd-Page: ${proofOf(key, 'other')}`],
      [`X-Meshd-Page: ${key}`],
      ['X-Meshd-Page: '],
    ]) {
      const refused = await get('/team', ...OF_PAGE, ...given);
      expect([given, refused.status]).toEqual([given, 403]);
      expect(refused.head).toContain(`x-meshd-run: ${run}`);
      expect(JSON.parse(refused.body).error).toBe('forbidden_origin');
    }
    expect((await get('/team')).status).toBe(200);
    expect((await get('/team', ...DOCUMENT)).status).toBe(200);
  });

  it('proves itself anew after a restart, and hears its number from a daemon that clears the browser', async () => {
    const { app, key, run, get, cookie } = await asked();
    const renewed = await get('/app/run.json', ...OF_PAGE);
    expect(JSON.parse(renewed.body)).toEqual({ run });
    expect(renewed.head).toMatch(/^clear-site-data: "cache", "storage"\r?$/im);
    expect((await get('/app/run.json', ...OF_PAGE, cookie)).head).not.toMatch(/clear-site-data|set-cookie/i);
    await app.stop();
    const next = await testApp({ root: app.root });
    const port = Number(new URL(next.address).port);
    const ask = (...more: string[]) =>
      rawRequest(port, ['GET /team HTTP/1.1', `Host: 127.0.0.1:${port}`, ...OF_PAGE, ...more]);
    const refused = await ask(`X-Meshd-Page: ${proofOf(key, run)}`);
    const now = found(/^x-meshd-run: (\S+)/im, refused.head);
    expect(now).not.toBe(run);
    expect(refused.head).not.toMatch(/clear-site-data/i);
    expect((await ask(`X-Meshd-Page: ${proofOf(key, now)}`)).status).toBe(200);
  });

  it('opens a socket with its proof as a subprotocol', async () => {
    const { app, port, key, run } = await asked();
    const open = (protocols: string[], headers: Record<string, string>) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(`ws://127.0.0.1:${port}/events`, protocols, { headers });
        socket.on('open', () => resolve(`open with ${socket.protocol}`));
        socket.on('error', (error) => resolve(error.message));
        socket.on('message', () => socket.close());
      });
    const own = { origin: app.address };
    const protocol = `meshd.page.${proofOf(key, run)}`;
    expect(await open([protocol], own)).toBe(`open with ${protocol}`);
    for (const protocols of [[], ['meshd.page.'], [`meshd.page.${proofOf(key, 'other')}`]])
      expect(await open(protocols, own)).toContain('403');
    expect(await open([], {})).toBe('open with ');
  });
});
