import { expect, it } from 'vitest';
import { testApp } from '../testing/apps/test-app.js';
import { rawRequest } from '../testing/processes/raw-request.js';

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
