import { expect, it } from 'vitest';
import type { Registration } from '../../contract/network/hub.js';
import type { SearchResult } from '../../contract/network/oracle.js';
import type { Reputation } from '../../contract/network/reputation.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';

const CARD = {
  endpoint: 'https://lawyer.example/',
  description: 'Reviews contracts for startups.',
  tags: ['law', 'geo:DE'],
  protocols: ['http', 'a2a'],
};

async function register(
  app: TestApp,
  path: '/agents' | '/v1/agents',
  agent_id: string,
  agent_card: object = CARD,
): Promise<string> {
  const reply = await app.call('POST', `${path}/register`, { agent_id, capabilities: ['contract-review'], agent_card });
  expect(reply.status).toBe(200);
  return (reply.body as Registration).token;
}

const search = async (app: TestApp, body: object) => {
  const reply = await app.call('POST', '/v1/search', body);
  expect(reply.status).toBe(200);
  return reply.body as SearchResult;
};
const ids = async (app: TestApp, query: string, filters: object = {}) =>
  (await search(app, { query, filters })).agents.map(({ agent_id }) => agent_id);

it('an agent on both surfaces appears once, and disappears only when it is removed from both', async () => {
  const app = await testApp();
  const hub = await register(app, '/agents', 'paragraph-one');
  const v1 = await register(app, '/v1/agents', 'Paragraph-One');
  expect(await ids(app, 'contracts for startups')).toEqual(['paragraph-one']);
  await app.call('DELETE', '/agents/me', undefined, { authorization: `Bearer ${hub}` });
  expect(await ids(app, 'contracts for startups')).toEqual(['Paragraph-One']);
  await app.call('DELETE', '/v1/agents/me', undefined, { authorization: `Bearer ${v1}` });
  expect(await ids(app, 'contracts for startups', { online_only: false })).toEqual([]);
});

it('an agent that goes offline disappears from online-only results and returns with its next token', async () => {
  const app = await testApp();
  const reply = await app.call('POST', '/agents/register', {
    agent_id: 'paragraph-one',
    capabilities: [],
    agent_card: CARD,
  });
  const { api_key } = reply.body as Registration;
  app.clock.advance(329_000);
  expect(await ids(app, 'contracts')).toEqual(['paragraph-one']);
  app.clock.advance(1_000);
  expect(await ids(app, 'contracts')).toEqual([]);
  const stale = await search(app, { query: 'contracts', filters: { online_only: false } });
  expect(stale.agents[0]).toMatchObject({ agent_id: 'paragraph-one', online: false });
  await app.call('POST', '/agents/token', { agent_id: 'paragraph-one', api_key });
  expect(await ids(app, 'contracts')).toEqual(['paragraph-one']);
});

it('an agent that sets itself unavailable disappears', async () => {
  const app = await testApp();
  const token = await register(app, '/agents', 'paragraph-one');
  await app.call('POST', '/agents/me/state', { availability: { now: false } }, { authorization: `Bearer ${token}` });
  expect(await ids(app, 'contracts')).toEqual([]);
});

it('unclaimed catalog entries appear only in searches that include offline agents, with their country', async () => {
  const app = await testApp();
  const entry = {
    agent_id: 'scraped-one',
    name: 'Scraped',
    description: 'Moves pianos.',
    url: 'https://pianos.example/',
    tags: ['piano'],
    country: 'AT',
    source: 'list',
  };
  expect((await app.call('POST', '/v1/catalog', { entries: [entry] })).status).toBe(200);
  expect(await ids(app, 'pianos')).toEqual([]);
  expect(await ids(app, 'pianos', { online_only: false, country: 'AT' })).toEqual(['scraped-one']);
  expect(await ids(app, 'pianos', { online_only: false, country: 'DE' })).toEqual([]);
});

it('GET and POST return the same results, for lists as arrays and with commas, and take one text only', async () => {
  const app = await testApp();
  await register(app, '/agents', 'paragraph-one');
  const { query_id: _one, ...byBody } = await search(app, {
    prompt: 'contracts',
    filters: { tags: ['law'], protocols: 'a2a,mcp', country: 'de', limit: 5 },
    explain: true,
    source: 'test',
    audience: ['x'],
  });
  expect(await app.call('POST', '/v1/search', { query: 'deeds', prompt: 'contracts' })).toMatchObject({
    status: 400,
    body: { error: 'bad_request', path: 'prompt' },
  });
  const reply = await app.call(
    'GET',
    '/v1/search?q=contracts&tags=law&protocols=a2a,mcp&country=de&limit=5&explain=true&online_only=true',
  );
  const { query_id: _other, ...byQuery } = reply.body as SearchResult;
  expect(byQuery).toEqual(byBody);
  expect(byBody.agents[0]).toMatchObject({ agent_id: 'paragraph-one', why: { reputation: null, promoted: 0 } });
});

it.each([
  ['POST', '/v1/search', { query: 'x', nonsense: 1 }, 'unknown_key'],
  ['POST', '/v1/search', { query: 7 }, 'bad_request'],
  ['POST', '/v1/search', { filters: { country: 'Germany' } }, 'bad_request'],
  ['POST', '/v1/search', { filters: { limit: 500 } }, 'bad_request'],
  ['POST', '/v1/search', { filters: { cursor: 'x' } }, 'bad_request'],
  ['GET', '/v1/search?max_price_usd=-1', undefined, 'bad_request'],
  ['POST', '/v1/feedback', { requester: 'client-1', agent_id: 'nobody-here', kind: 'message_through' }, 'not_found'],
  ['POST', '/v1/feedback', { requester: 'client-1', agent_id: 'nobody-here', kind: 'praise' }, 'bad_request'],
])('%s %s with %j returns %s', async (method, path, body, code) => {
  const app = await testApp();
  const reply = await app.call(method, path, body);
  expect(reply.body).toMatchObject({ error: code });
  expect(reply.status).toBe(code === 'not_found' ? 404 : 400);
});

it('the reputation of an agent includes how often it was shown and reached', async () => {
  const app = await testApp();
  await register(app, '/agents', 'paragraph-one');
  await search(app, { query: 'contracts' });
  await search(app, { query: '' });
  const told = await app.call('POST', '/v1/feedback', {
    requester: 'client-1',
    agent_id: 'paragraph-one',
    kind: 'message_through',
    query_id: 'q-1',
  });
  expect(told.body).toEqual({ status: 'ok' });
  const reputation = (await app.call('GET', '/v1/reputation/paragraph-one')).body as Reputation;
  expect([reputation.impression_count, reputation.message_through_count]).toEqual([2, 1]);
});
