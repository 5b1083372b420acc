import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { ErrorBody } from '../contract/errors.js';
import { testApp } from '../testing/apps/test-app.js';
import { rawRequest } from '../testing/processes/raw-request.js';
import { isForPerson, refusalPage } from './refusal-page.js';

const BROWSER = 'Accept: text/html,application/xhtml+xml';

it('shows a browser what was checked, what arrived and how to fix it, and sends JSON to programs', async () => {
  const app = await testApp();
  const port = Number(new URL(app.address).port);
  const ask = (path: string, ...headers: string[]) => rawRequest(port, [`GET ${path} HTTP/1.1`, ...headers]);
  const own = `Host: 127.0.0.1:${port}`;

  const named = await ask('/team', `Host: <b>evil</b>.example:${port}`, BROWSER);
  expect(named.status).toBe(421);
  expect(named.head).toMatch(/^content-type: text\/html/im);
  expect(named.head).toMatch(/^content-security-policy: default-src 'none'; style-src 'sha256-/im);
  for (const said of [
    'the name in the address',
    '&lt;b&gt;evil&lt;/b&gt;.example',
    `<code>127.0.0.1:${port}</code>`,
    'meshd open',
  ])
    expect(named.body).toContain(said);
  expect(named.body).not.toContain('<b>');
  expect((await ask('/nothing', `Host: <b>evil</b>.example:${port}`, BROWSER)).body).toBe(named.body);

  const foreign = await ask(
    '/team',
    own,
    BROWSER,
    'Sec-Fetch-Site: cross-site',
    'Sec-Fetch-Mode: navigate',
    'Sec-Fetch-Dest: document',
  );
  expect([foreign.status, foreign.body]).toEqual([403, expect.stringContaining('none, cross-site')]);

  const missing = await ask('/nothing', own, BROWSER);
  expect([missing.status, missing.body]).toEqual([404, expect.stringContaining(`${app.address}/app`)]);
  for (const more of [[], ['Accept: application/json'], [BROWSER, 'Sec-Fetch-Dest: empty']])
    expect(JSON.parse((await ask('/nothing', own, ...more)).body)).toMatchObject({ error: 'not_found' });
});

/** Returns the page of a refusal at port 4747. */
function pageOf(body: ErrorBody, headers: Record<string, string> = {}) {
  return refusalPage(body, { headers, socket: { localPort: 4747 } } as unknown as IncomingMessage);
}

const factsOf = (html: string) =>
  [...html.matchAll(/<dt>(.*?)<\/dt><dd><code>(.*?)<\/code><\/dd>/g)].map(([, name, value]) => [name, value]);

describe('a refusal is a page', () => {
  const asked = (headers: Record<string, string>, method = 'GET') =>
    isForPerson({ method, headers } as unknown as IncomingMessage);
  const accept = 'text/html,*/*';

  it('for what a browser shows to a person', () => {
    expect(asked({ accept })).toBe(true);
    expect(asked({ accept, 'sec-fetch-dest': 'document' })).toBe(true);
  });

  it('for no program, frame, upgrade or other method', () => {
    expect(asked({})).toBe(false);
    expect(asked({ accept: 'application/json' })).toBe(false);
    for (const dest of ['iframe', 'empty', '']) expect(asked({ accept, 'sec-fetch-dest': dest })).toBe(false);
    expect(asked({ accept, upgrade: 'websocket' })).toBe(false);
    expect(asked({ accept, upgrade: 'h2c' })).toBe(true);
    for (const method of ['POST', 'HEAD']) expect(asked({ accept }, method)).toBe(false);
  });
});

describe('the page of a refusal', () => {
  it.each([
    ['wrong_host', 'The daemon does not serve this host name'],
    ['forbidden_origin', 'Pages of other sites may not call this daemon'],
    ['forbidden', 'This is another user’s daemon'],
    ['not_found', 'There is nothing here'],
    ['internal', 'Something went wrong'],
    ['overloaded', 'The daemon refused this'],
  ])('of %s has the title: %s', (error, title) => {
    const { html } = pageOf({ error, message: 'Why.' });
    expect(html).toContain(`<title>${title}</title>`);
    expect(html).toContain(`<h1>${title}</h1>\n<p>Why.</p>\n`);
    expect(html).toContain(`<p><code>${error}</code></p>`);
  });

  it('may use its own style alone', () => {
    const { html, policy } = pageOf({ error: 'forbidden' });
    const style = /<style>([\s\S]*)<\/style>/.exec(html)?.[1] ?? '';
    expect(style).toContain('color-scheme:light dark');
    const digest = createHash('sha256').update(style).digest('base64');
    expect(policy).toBe(
      `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
  });

  it('tells which host name arrived and which is accepted', () => {
    const host = `<${'x'.repeat(300)}`;
    expect(factsOf(pageOf({ error: 'wrong_host' }, { host }).html)).toEqual([
      ['Checked', 'the name in the address (Host)'],
      ['Arrived', `&lt;${'x'.repeat(199)}`],
      ['Accepted', '127.0.0.1:4747'],
    ]);
    expect(factsOf(pageOf({ error: 'wrong_host' }).html)[1]).toEqual(['Arrived', 'none']);
  });

  it('tells which page asked and which may', () => {
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect(factsOf(pageOf({ error: 'forbidden_origin' }, headers).html)).toEqual([
      ['Checked', 'which page asks (Origin, Sec-Fetch-Site)'],
      ['Arrived', 'https://evil.example, cross-site'],
      ['Accepted', 'the dashboard’s own pages, and addresses that are typed'],
    ]);
    expect(factsOf(pageOf({ error: 'forbidden_origin' }).html)[1]).toEqual(['Arrived', 'none, none']);
  });

  it('tells nothing else of the request or the project', () => {
    const { html } = pageOf({ error: 'not_found', path: 'secret' }, { host: 'lamp.example', origin: 'https://lamp' });
    expect(html).not.toMatch(/<dl>|secret|lamp|undefined|<p><\/p>/);
    expect(html).toContain('<h1>There is nothing here</h1>\n\n\n<p><a href="http://127.0.0.1:4747/app">');
  });

  it('lists the facts of a refusal in one list', () => {
    expect(pageOf({ error: 'wrong_host' }).html).toMatch(
      /<dl>(?:<dt>[^<]*<\/dt><dd><code>[^<]*<\/code><\/dd>){3}<\/dl>/,
    );
  });

  it('has the id under which the daemon logged an error', () => {
    expect(pageOf({ error: 'internal', id: 'a1' }).html).toContain('<p><code>internal a1</code></p>');
  });

  it('is whole when the connection is gone', () => {
    const { html } = refusalPage({ error: 'wrong_host' }, { headers: {}, socket: {} } as unknown as IncomingMessage);
    expect(html).toContain('<a href="http://127.0.0.1:0/app">');
    expect(factsOf(html)[2]).toEqual(['Accepted', '127.0.0.1:0']);
  });
});
