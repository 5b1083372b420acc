import { expect, it } from 'vitest';
import type { RequestList, RequestRow } from '../contract/asks.js';
import { held } from '../testing/apps/conversing.js';
import { testApp } from '../testing/apps/test-app.js';
import { submit } from './ask.js';
import { callForText } from './call.js';
import type { Fetch } from './daemon.js';
import { pages, rows } from './pages.js';

it('reads a list row by row and page by page, and no page before it is needed', async () => {
  const app = await testApp({ clients: [held()] });
  const token = await app.getToken('consultant');
  const asked: string[] = [];
  for (const text of ['one', 'two', 'three'])
    asked.unshift((await submit({ address: app.address, token }, 'consultant', text)).request_id);
  const called: string[] = [];
  const counted: Fetch = (url, init) => {
    called.push(url);
    return fetch(url, init);
  };
  const daemon = { address: app.address, fetch: counted };
  const found: string[] = [];
  for await (const { request_id } of rows<RequestRow>(daemon, '/requests', 'requests', {
    query: { limit: 2, member: 'consultant' },
  })) {
    found.push(request_id);
  }
  expect(found).toEqual(asked);
  expect(called).toHaveLength(2);
  for await (const { requests, next_cursor } of pages<RequestList>(daemon, '/requests', { query: { limit: 1 } })) {
    expect([requests.length, typeof next_cursor]).toEqual([1, 'string']);
    break;
  }
  expect(called).toHaveLength(3);
  expect(await callForText(daemon, '/team/consultant/file', { headers: { accept: '*/*' } })).toContain('consultant');
});
