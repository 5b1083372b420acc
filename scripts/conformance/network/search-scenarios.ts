import { HttpClient, newId } from './http-client.js';
import { HUB_CARD, HubAgent } from './hub-client.js';
import {
  absent,
  expectLike,
  fraction,
  holding,
  integer,
  list,
  matching,
  type Scenario,
  text,
  without,
} from './scenario.js';
import { UnifiedAgent } from './unified-client.js';

/** Registers an agent on the unified API with a card that `more` changes. */
function listed(url: string, more: Readonly<Record<string, unknown>> = {}): Promise<UnifiedAgent> {
  return UnifiedAgent.register(url, { agent_card: { ...HUB_CARD, ...more } });
}

const search = (url: string, body: Readonly<Record<string, unknown>>, like: unknown = {}) =>
  new HttpClient(url).expect(200, 'POST', '/v1/search', { body }, like);

export const SEARCH: readonly Scenario[] = [
  {
    title: 'Search returns agent_id, endpoint, description, tags, pricing, protocols, online and oracle_score (0 to 1)',
    async check({ url }) {
      const { id } = await listed(url);
      const { endpoint, description, tags, pricing, protocols } = HUB_CARD;
      const row = { agent_id: id, endpoint, description, tags, pricing, protocols, online: true };
      const like = { agents: holding({ ...row, oracle_score: fraction }), count: integer, query_id: text };
      await search(url, { query: 'is the lamp lit', filters: { limit: 200 } }, { ...like, unfilterable: list });
    },
  },
  {
    title: 'GET /v1/search?q= answers as POST does',
    async check({ url }) {
      const { id } = await listed(url);
      const like = { agents: holding({ agent_id: id }), query_id: text };
      await new HttpClient(url).expect(200, 'GET', `/v1/search?q=${id}`, {}, like);
    },
  },
  {
    title: 'prompt is another name of query; source and audience are accepted and ignored',
    async check({ url }) {
      const { id } = await listed(url);
      const body = { prompt: id, source: 'chat', audience: 'everyone' };
      await search(url, body, { agents: holding({ agent_id: id }) });
    },
  },
  {
    title: 'query also matches the agent id, and an exact id is first',
    async check({ url }) {
      for (let count = 0; count < 3; count += 1) await listed(url, { tags: ['lantern'] });
      const { id } = await listed(url, { description: 'Sounds the horn.', tags: ['horn'] });
      const { agents } = await search(url, { query: id });
      expectLike('the first row', agents[0], { agent_id: id });
    },
  },
  {
    title: 'The meaning finds everyday synonyms: doctor finds physician, car finds automobile',
    async check({ url }) {
      for (const [word, query] of [
        ['physician', 'doctor'],
        ['automobile', 'car'],
      ] as const) {
        const { id } = await listed(url, { description: `Finds the nearest ${word}.`, tags: [word] });
        await search(url, { query, filters: { limit: 200 } }, { agents: holding({ agent_id: id }) });
      }
    },
  },
  {
    title: 'Both backends are searched: an agent of the hub is found too',
    async check({ url }) {
      const hub = await HubAgent.register(url);
      await hub.expect(200, 'PATCH', '/agents/me', { body: { agent_card: HUB_CARD } });
      await search(url, { query: hub.id }, { agents: holding({ agent_id: hub.id, endpoint: HUB_CARD.endpoint }) });
    },
  },
  {
    title: 'filters.online_only is true by default: an agent that is away is dropped, and found with false',
    async check({ url }) {
      const agent = await listed(url);
      await agent.expect(200, 'POST', '/v1/agents/me/state', { body: { availability: { now: false } } });
      const row = { agent_id: agent.id };
      await search(url, { query: agent.id }, { agents: without(row) });
      const online = { ...row, online: false };
      await search(url, { query: agent.id, filters: { online_only: false } }, { agents: holding(online) });
    },
  },
  {
    title: 'filters.tags is a list or a comma string',
    async check({ url }) {
      const tag = newId('tag');
      const { id } = await listed(url, { tags: [tag, 'harbour'] });
      for (const tags of [[tag, 'harbour'], `${tag},harbour`, `${tag}, harbour`])
        await search(url, { query: 'lamp', filters: { tags } }, { agents: [{ agent_id: id }], count: 1 });
    },
  },
  {
    title: 'filters category, protocols, input_mode and output_mode read the Tier-1 card',
    async check({ url }) {
      const tags = [newId('tag')];
      const more = { tags, category: 'home.sound', protocols: ['mcp'], accepts: ['text/csv'], produces: ['audio/ogg'] };
      const { id } = await listed(url, more);
      await listed(url, { tags });
      for (const filter of [
        { category: 'home.sound' },
        { protocols: ['mcp'] },
        { input_mode: 'text/csv' },
        { output_mode: 'audio/ogg' },
      ])
        await search(url, { query: 'lamp', filters: { tags, ...filter } }, { agents: [{ agent_id: id }] });
    },
  },
  {
    title: 'max_price_usd is a ceiling; rows that cannot be converted are left out and counted in unfilterable',
    async check({ url }) {
      const tags = [newId('tag')];
      const priced = (amount: number, currency: string) =>
        listed(url, { tags, pricing: { unit: 'request', amount, currency } });
      const [free, cheap] = [await priced(0, 'free'), await priced(5, 'USD')];
      await priced(500, 'USD');
      await priced(1_000, 'lamports');
      const body = { query: 'lamp', filters: { tags, max_price_usd: 1 } };
      const { agents, unfilterable } = await search(url, body);
      expectLike('the rows', agents, holding({ agent_id: free.id }, { agent_id: cheap.id }));
      expectLike('their number', agents.length, 2);
      expectLike('unfilterable', unfilterable, holding({ constraint: 'max_price_usd', reason: text, dropped: 1 }));
    },
  },
  {
    title: 'country reads a geo:<ISO 3166> tag',
    async check({ url }) {
      const tag = newId('tag');
      const { id } = await listed(url, { tags: [tag, 'geo:NO'] });
      await listed(url, { tags: [tag, 'geo:SE'] });
      const body = { query: 'lamp', filters: { tags: [tag], country: 'NO' } };
      await search(url, body, { agents: [{ agent_id: id }] });
    },
  },
  {
    title: 'explain: true adds why {text, semantic, capability, reputation} to each row; without it there is none',
    async check({ url }) {
      const { id } = await listed(url);
      const why = { text: fraction, semantic: fraction, capability: fraction, reputation: fraction };
      await search(url, { query: id, explain: true }, { agents: holding({ agent_id: id, why }) });
      await search(url, { query: id }, { agents: holding({ agent_id: id, why: absent }) });
    },
  },
  {
    title: 'limit and cursor page through the results',
    async check({ url }) {
      const tags = [newId('tag')];
      for (let count = 0; count < 3; count += 1) await listed(url, { tags });
      const first = await search(url, { query: 'lamp', filters: { tags, limit: 2 } }, { count: 2, next_cursor: text });
      const filters = { tags, limit: 2, cursor: first.next_cursor };
      const second = await search(url, { query: 'lamp', filters }, { agents: [{}], next_cursor: null });
      const [{ agent_id }] = second.agents;
      expectLike('the first page', first.agents, without({ agent_id }));
    },
  },
  {
    title: 'After deregistration the agent is absent from Oracle search',
    async check({ url }) {
      const agent = await listed(url);
      await search(url, { query: agent.id }, { agents: holding({ agent_id: agent.id }) });
      await agent.expect(200, 'DELETE', '/v1/agents/me');
      const filters = { online_only: false };
      await search(url, { query: agent.id, filters }, { agents: without({ agent_id: agent.id }) });
    },
  },
  {
    title:
      'POST /v1/feedback {requester, agent_id, kind: "message_through"} answers {status: "ok"}; query_id is optional',
    async check({ url }) {
      const [asker, { id }] = [await listed(url), await listed(url)];
      const { query_id } = await search(url, { query: id });
      const body = { requester: asker.id, agent_id: id, kind: 'message_through' };
      for (const more of [{}, { query_id }])
        await new HttpClient(url).expect(200, 'POST', '/v1/feedback', { body: { ...body, ...more } }, { status: 'ok' });
      const like = { message_through_count: 2, impression_count: integer };
      await new HttpClient(url).expect(200, 'GET', `/v1/reputation/${id}`, {}, like);
    },
  },
  {
    title: 'An unknown filter is a 400 that names it',
    async check({ url }) {
      const body = { query: 'lamp', filters: { colour: 'red' } };
      const like = { message: matching(/colour/) };
      await new HttpClient(url).expect(400, 'POST', '/v1/search', { body }, like);
    },
  },
];
