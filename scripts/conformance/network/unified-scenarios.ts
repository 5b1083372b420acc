import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HttpClient, newId } from './http-client.js';
import { HUB_CARD, HubAgent } from './hub-client.js';
import { absent, expectLike, holding, integer, matching, refusal, type Scenario, text } from './scenario.js';
import { Identity, UnifiedAgent } from './unified-client.js';

export const UNIFIED: readonly Scenario[] = [
  {
    title: 'POST /v1/agents/register with an agent_id alone answers {agent_id, api_key, token, base_url, message}',
    async check({ url }) {
      const agent_id = newId('one');
      const like = { agent_id, api_key: matching(/^[0-9a-f]{32}$/), token: text, base_url: url, message: text };
      await new HttpClient(url).expect(200, 'POST', '/v1/agents/register', { body: { agent_id } }, like);
    },
  },
  {
    title: 'Registration takes capabilities, description, endpoint, agent_card and pubkey',
    async check({ url }) {
      const { pubkey } = new Identity();
      const { endpoint, description } = HUB_CARD;
      const more = { capabilities: ['light'], description, endpoint, agent_card: HUB_CARD, pubkey };
      const { id } = await UnifiedAgent.register(url, more);
      const like = { agent_id: id, endpoint, pubkey, verified: false, agent_card: HUB_CARD };
      await new HttpClient(url).expect(200, 'GET', `/v1/agents/${id}`, {}, like);
    },
  },
  {
    title: 'Registration of an id that another agent claimed: 409, without regard to case',
    async check({ url }) {
      const { id } = await UnifiedAgent.register(url);
      for (const agent_id of [id, id.toUpperCase()]) {
        const like = refusal('agent_id_claimed');
        await new HttpClient(url).expect(409, 'POST', '/v1/agents/register', { body: { agent_id } }, like);
      }
    },
  },
  {
    title: 'Reserved ids are 400 here too',
    async check({ url }) {
      const like = refusal('reserved_agent_id');
      for (const agent_id of ['hub-lamp', 'oracle-lamp', 'mesh-lamp'])
        await new HttpClient(url).expect(400, 'POST', '/v1/agents/register', { body: { agent_id } }, like);
    },
  },
  {
    title: 'It is a separate backend from the hub: using only one leaves the other as it was',
    async check({ url }) {
      const hub = await HubAgent.register(url);
      await new HttpClient(url).expect(404, 'GET', `/v1/agents/${hub.id}`, {}, refusal('not_found'));
      const { id, token } = await UnifiedAgent.register(url, { agent_id: hub.id });
      await hub.expect(200, 'DELETE', '/agents/me');
      await new HttpClient(url, token).expect(200, 'POST', '/v1/agents/me/heartbeat', {}, { agent_id: id });
    },
  },
  {
    title: 'POST /v1/agents/token answers {token}; a wrong pair is 401',
    async check({ url }) {
      const agent = await UnifiedAgent.register(url);
      const body = { agent_id: agent.id, api_key: agent.apiKey };
      const { token } = await new HttpClient(url).expect(200, 'POST', '/v1/agents/token', { body }, { token: text });
      await new HttpClient(url, token).expect(200, 'POST', '/v1/agents/me/heartbeat');
      const wrong = { body: { ...body, api_key: '0'.repeat(32) } };
      await new HttpClient(url).expect(401, 'POST', '/v1/agents/token', wrong, refusal('unauthorized'));
    },
  },
  {
    title: 'The body of a heartbeat is optional: {status: "ok", agent_id, live: true, next_heartbeat_before}',
    async check({ url }) {
      const agent = await UnifiedAgent.register(url);
      const like = { status: 'ok', agent_id: agent.id, live: true, next_heartbeat_before: integer };
      const path = '/v1/agents/me/heartbeat';
      await agent.expect(200, 'POST', path, { body: {} }, like);
      const { next_heartbeat_before } = await agent.expect(200, 'POST', path, {}, like);
      const seconds = next_heartbeat_before - Math.floor(Date.now() / 1_000);
      expectLike('five minutes ahead', seconds > 290 && seconds <= 300, true);
    },
  },
  {
    title: 'A heartbeat moves the endpoint everywhere it is shown; an agent without a card has one of its record',
    async check({ url }) {
      const agent = await UnifiedAgent.register(url, { description: 'Says whether the lamp is lit.' });
      const endpoint = 'https://moved.example/agent';
      await agent.expect(200, 'POST', '/v1/agents/me/heartbeat', { body: { endpoint } });
      await agent.expect(200, 'GET', `/v1/agents/${agent.id}`, {}, { endpoint });
      const card = { endpoint, description: 'Says whether the lamp is lit.' };
      const headers = { accept: 'application/json' };
      await agent.expect(200, 'GET', `/agent/${agent.id}`, { headers }, card);
      const carded = await UnifiedAgent.register(url, { agent_card: HUB_CARD });
      await carded.expect(200, 'POST', '/v1/agents/me/heartbeat', { body: { endpoint } });
      await carded.expect(200, 'GET', `/v1/agents/${carded.id}`, {}, { agent_card: { ...HUB_CARD, endpoint } });
      const body = { query: agent.id };
      await agent.expect(200, 'POST', '/v1/search', { body }, { agents: holding({ agent_id: agent.id, endpoint }) });
    },
  },
  {
    title: 'A heartbeat carries the card, which is pushed on every tick',
    async check({ url }) {
      const agent = await UnifiedAgent.register(url);
      await agent.expect(200, 'POST', '/v1/agents/me/heartbeat', { body: { agent_card: HUB_CARD } });
      await agent.expect(200, 'GET', `/v1/agents/${agent.id}`, {}, { agent_card: HUB_CARD });
    },
  },
  {
    title: 'A heartbeat without a token is 401',
    async check({ url }) {
      await new HttpClient(url).expect(401, 'POST', '/v1/agents/me/heartbeat', {}, refusal('unauthorized'));
    },
  },
  {
    title:
      'GET /v1/agents/<agent_id> shows registered, live, verified, avail_status, pubkey, catalog; never the key hash',
    async check({ url }) {
      const { id } = await UnifiedAgent.register(url);
      const like = { agent_id: id, registered: true, live: true, verified: false, avail_status: text };
      const more = { pubkey: null, catalog: null, api_key_hash: absent, api_key: absent };
      await new HttpClient(url).expect(200, 'GET', `/v1/agents/${id}`, {}, { ...like, ...more });
    },
  },
  {
    title: 'PATCH /v1/agents/me and POST /v1/agents/me/state edit the record as on the hub',
    async check({ url }) {
      const agent = await UnifiedAgent.register(url, { agent_card: HUB_CARD });
      await agent.expect(200, 'PATCH', '/v1/agents/me', { body: { agent_card: { ...HUB_CARD, tags: ['horn'] } } });
      await agent.expect(200, 'POST', '/v1/agents/me/state', { body: { availability: { now: false } } });
      const agent_card = { ...HUB_CARD, tags: ['horn'], availability: { now: false } };
      await agent.expect(200, 'GET', `/v1/agents/${agent.id}`, {}, { live: false, agent_card });
    },
  },
  {
    title: 'GET /v1/agents pages as {agents, count, next_cursor}',
    async check({ url }) {
      for (let count = 0; count < 2; count += 1) await UnifiedAgent.register(url);
      const http = new HttpClient(url);
      const like = { agents: [{ agent_id: text }], count: 1, next_cursor: text };
      const { agents, next_cursor } = await http.expect(200, 'GET', '/v1/agents?limit=1', {}, like);
      const path = `/v1/agents?limit=1&cursor=${encodeURIComponent(next_cursor)}`;
      const second = await http.expect(200, 'GET', path, {}, { agents: [{ agent_id: text }] });
      expectLike('another row', second.agents[0].agent_id === agents[0].agent_id, false);
    },
  },
  {
    title: 'PUT /v1/agents/me/key, signed by that key, binds it: verified: true',
    async check({ url }) {
      const [agent, identity] = [await UnifiedAgent.register(url), new Identity()];
      const body = { pubkey: identity.pubkey };
      await agent.expect(200, 'PUT', '/v1/agents/me/key', identity.sign('PUT', '/v1/agents/me/key', body));
      await agent.expect(200, 'GET', `/v1/agents/${agent.id}`, {}, { verified: true, pubkey: identity.pubkey });
    },
  },
  {
    title: 'Anything wrong with a Mesh-Sig is 401 bad_signature: another key, another path, an old time, a used nonce',
    async check({ url }) {
      const [agent, identity] = [await UnifiedAgent.register(url), new Identity()];
      const path = '/v1/agents/me/key';
      const body = { pubkey: identity.pubkey };
      const used = identity.sign('PUT', path, body);
      await agent.expect(200, 'PUT', path, used);
      const old = Math.floor(Date.now() / 1_000) - 200;
      for (const extras of [
        new Identity().sign('PUT', path, body),
        identity.sign('PUT', '/v1/agents/me', body),
        identity.sign('PUT', path, body, old),
        used,
      ])
        await agent.expect(401, 'PUT', path, extras, refusal('bad_signature'));
    },
  },
  {
    title: 'DELETE /v1/agents/me answers {status: "deleted", agent_id}; lookup and heartbeat are then 404',
    async check({ url }) {
      const agent = await UnifiedAgent.register(url);
      await agent.expect(200, 'DELETE', '/v1/agents/me', {}, { status: 'deleted', agent_id: agent.id });
      await agent.expect(404, 'GET', `/v1/agents/${agent.id}`, {}, refusal('not_found'));
      await agent.expect(404, 'POST', '/v1/agents/me/heartbeat', {}, refusal('not_found'));
      await agent.expect(404, 'DELETE', '/v1/agents/me', {}, refusal('not_found'));
    },
  },
  {
    title: 'Missing or invalid Bearer token on deregistration: 401',
    async check({ url }) {
      await new HttpClient(url).expect(401, 'DELETE', '/v1/agents/me', {}, refusal('unauthorized'));
      const { token } = await HubAgent.register(url);
      await new HttpClient(url, token).expect(401, 'DELETE', '/v1/agents/me', {}, refusal('unauthorized'));
    },
  },
  {
    title: 'The id is free again after deregistration, and a token of the old registration moves nothing of the new',
    async check({ url }) {
      const old = await UnifiedAgent.register(url);
      await old.expect(200, 'DELETE', '/v1/agents/me');
      const renewed = await UnifiedAgent.register(url, { agent_id: old.id });
      const { status } = await old.send('DELETE', '/v1/agents/me');
      expectLike('the old token is refused', status === 401 || status === 404, true);
      await renewed.expect(200, 'POST', '/v1/agents/me/heartbeat', {}, { agent_id: old.id });
    },
  },
  {
    title: 'Over a catalog entry it claims the entry; DELETE leaves a catalog-only stub',
    async check({ url, operate }) {
      const agent_id = newId('scraped');
      const entry = { agent_id, name: 'Scraped', description: 'Found.', url: 'https://s.example/', tags: ['found'] };
      const file = join(tmpdir(), `${agent_id}.jsonl`);
      writeFileSync(file, `${JSON.stringify({ ...entry, source: 'a directory' })}\n`);
      await operate('catalog', 'import', file).finally(() => rmSync(file));
      const http = new HttpClient(url);
      const path = `/v1/agents/${agent_id}`;
      const catalog = { name: 'Scraped', source: 'a directory' };
      await http.expect(200, 'GET', path, {}, { registered: false, live: false, catalog });
      const agent = await UnifiedAgent.register(url, { agent_id, agent_card: HUB_CARD });
      await http.expect(200, 'GET', path, {}, { registered: true, agent_card: HUB_CARD, catalog });
      await agent.expect(200, 'DELETE', '/v1/agents/me', {}, { status: 'deleted', agent_id });
      await http.expect(200, 'GET', path, {}, { registered: false, live: false, agent_card: null, catalog });
      await agent.expect(404, 'POST', '/v1/agents/me/heartbeat', {}, refusal('not_found'));
    },
  },
  {
    title: 'Each exposed member is registered by the daemon itself on both surfaces as <project>-<member>',
    async check({ url }) {
      const http = new HttpClient(url);
      const isMember = { agent_id: matching(/-consultant$/), online: true };
      const rows: { agent_id: string }[] = await http.expect(200, 'GET', '/agents?limit=200', {}, holding(isMember));
      const id = rows.find(({ agent_id }) => agent_id.endsWith('-consultant'))?.agent_id;
      await http.expect(
        200,
        'GET',
        `/v1/agents/${id}`,
        {},
        { registered: true, live: true, agent_card: { endpoint: text } },
      );
    },
  },
  {
    title: 'A member is deregistered on both surfaces when it is hidden, and registered again when it is exposed',
    async check({ url }) {
      const http = new HttpClient(url);
      const flip = (exposure: string) => http.expect(200, 'PATCH', '/team/developer', { body: { exposure } });
      const statuses = async () => {
        const page = await http.expect(200, 'GET', '/v1/agents?limit=200');
        const rows = await http.expect(200, 'GET', '/agents?all=true&limit=200');
        return [page.agents, rows].map((all: { agent_id: string }[]) =>
          all.some(({ agent_id }) => agent_id.endsWith('-developer') && !agent_id.endsWith('-api-developer')),
        );
      };
      expectLike('internal', await statuses(), [false, false]);
      await flip('external');
      expectLike('external', await statuses(), [true, true]);
      await flip('internal');
      expectLike('internal again', await statuses(), [false, false]);
    },
  },
  {
    title:
      '{site_url}/agent/<id> answers by Accept with Vary: page, Tier-1 card, and the Tier-2 card at its own endpoint',
    async check({ url }) {
      const agent = await UnifiedAgent.register(url, { agent_card: HUB_CARD });
      const path = `/agent/${agent.id}`;
      const page = await agent.send('GET', path, { headers: { accept: 'text/html' } });
      expectLike('the page', [page.status, page.headers.get('content-type')], [200, matching(/^text\/html/)]);
      expectLike('Vary', page.headers.get('vary'), matching(/accept/i));
      await agent.expect(200, 'GET', path, { headers: { accept: 'application/json' } }, HUB_CARD);
      const card = await agent.send('GET', `${path}/.well-known/agent.json`);
      const where = 'https://lamp.example/agent/.well-known/agent.json';
      expectLike('the Tier-2 card', [card.status, card.headers.get('location')], [307, where]);
    },
  },
];
