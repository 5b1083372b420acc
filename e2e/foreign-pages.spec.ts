import { createServer, type Server } from 'node:http';
import { chromium } from '@playwright/test';
import { expect, test } from './fixtures.js';

/** Serves a page of another origin, on another port of this machine. */
async function foreignServer(): Promise<{ server: Server; port: number }> {
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>foreign</title><body></body>'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as { port: number }).port };
}

/** Tries everything that a page can do; returns what succeeded. */
async function attack(target: string): Promise<string[]> {
  const through: string[] = [];
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const tries: [string, string, RequestInit][] = [
    ['read', '/team', {}],
    ['read token', '/team/consultant', {}],
    [
      'post json',
      '/team',
      { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":"evil"}' },
    ],
    ['post text', '/team', { method: 'POST', body: '{"name":"evil"}' }],
    ['delete', '/team/developer', { method: 'DELETE' }],
    ['rotate', '/team/consultant/token/rotate', { method: 'POST' }],
  ];
  for (const [name, path, init] of tries) {
    await fetch(target + path, init).then(
      (response) => response.ok && through.push(`fetch ${name}`),
      () => undefined,
    );
    await fetch(target + path, { ...init, mode: 'no-cors' }).catch(() => undefined);
  }
  for (const path of ['/events', '/events?since=0']) {
    await new Promise<void>((resolve) => {
      const socket = new WebSocket(target.replace('http', 'ws') + path);
      socket.onopen = () => {
        through.push(`socket ${path}`);
        resolve();
      };
      socket.onerror = () => resolve();
    });
  }
  await new Promise<void>((resolve) => {
    const source = new EventSource(`${target}/events`);
    source.onopen = () => {
      through.push('event source');
      resolve();
    };
    source.onerror = () => {
      source.close();
      resolve();
    };
  });
  for (const tag of ['img', 'script', 'iframe'] as const) {
    await new Promise<void>((resolve) => {
      const element = document.createElement(tag);
      element.onload = () => {
        if (tag !== 'iframe') through.push(tag);
        resolve();
      };
      element.onerror = () => resolve();
      element.src = `${target}/team`;
      document.body.append(element);
      setTimeout(resolve, 1500);
    });
  }
  const frame = document.createElement('iframe');
  frame.name = 'sink';
  document.body.append(frame);
  const form = document.createElement('form');
  form.method = 'POST';
  form.enctype = 'text/plain';
  form.target = 'sink';
  form.action = `${target}/team`;
  form.innerHTML = '<input name=\'{"name":"evil","x":"\' value=\'"}\'>';
  document.body.append(form);
  form.submit();
  await wait(500);
  return through;
}

test.describe('a page that is not ours', () => {
  for (const [where, host] of [
    ['on another port', '127.0.0.1'],
    ['on another port of localhost', 'localhost'],
  ] as const) {
    test(`can do nothing ${where}`, async ({ page, project }) => {
      const foreign = await foreignServer();
      try {
        const before = JSON.stringify(await project.api('GET', '/team'));
        await page.goto(`http://${host}:${foreign.port}/`);
        expect(await page.evaluate(attack, project.address)).toEqual([]);
        expect(JSON.stringify(await project.api('GET', '/team'))).toBe(before);
        const card = await page.evaluate(
          (url) => fetch(url, { headers: { 'A2A-Version': '1.0' } }).then((response) => response.json()),
          `${project.address}/team/consultant/.well-known/agent.json`,
        );
        expect(card).toMatchObject({ name: 'Consultant' });
        expect(JSON.stringify(card)).not.toContain('mk_');
      } finally {
        foreign.server.close();
      }
    });
  }

  test('can do nothing under a name that was rebound to this machine', async ({
    project,
    playwright: _playwright,
  }, info) => {
    const { launchOptions } = info.project.use;
    const browser = await chromium.launch({
      ...launchOptions,
      args: [...(launchOptions?.args ?? []), '--host-resolver-rules=MAP evil.test 127.0.0.1'],
    });
    try {
      const page = await browser.newPage();
      const rebound = `http://evil.test:${project.port}`;
      const answer = await page.goto(`${rebound}/app`);
      expect(answer?.status()).toBe(421);
      expect(await page.evaluate(attack, rebound)).toEqual([]);
      const members = await project.api<{ count: number }>('GET', '/team');
      expect(members.count).toBe(9);
    } finally {
      await browser.close();
    }
  });
});
