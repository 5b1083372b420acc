import { HttpClient, newId } from './http-client.js';
import { HUB_CARD, HubAgent } from './hub-client.js';
import {
  epochSeconds,
  expectLike,
  holding,
  matching,
  onlyKeys,
  refusal,
  type Scenario,
  text,
  without,
} from './scenario.js';

const COMPACT_JWT = matching(/^[\w-]+\.[\w-]+\.[\w-]+$/);

export const HUB: readonly Scenario[] = [
  {
    title: 'Registration returns agent_id, api_key (32 hex characters), token, hub_url and message',
    async check({ url }) {
      const agent_id = newId('lamp');
      const like = { agent_id, api_key: matching(/^[0-9a-f]{32}$/), token: COMPACT_JWT, hub_url: url, message: text };
      const body = { agent_id, capabilities: ['light'] };
      await new HttpClient(url).expect(200, 'POST', '/agents/register', { body }, like);
    },
  },
  {
    title: 'The token is a JWT valid 24 hours, with the claims iss, aud, sub, jti, rid, iat and exp',
    async check({ url }) {
      const agent = await HubAgent.register(url);
      const claims = JSON.parse(Buffer.from(agent.token.split('.')[1] ?? '', 'base64url').toString());
      expectLike('the claims', claims, { iss: text, aud: 'hub', sub: agent.id, jti: text, iat: epochSeconds });
      expectLike('the lifetime', claims.exp - claims.iat, 24 * 60 * 60);
    },
  },
  {
    title: 'Reserved prefixes hub-, oracle-, mesh- and meshd- are rejected with 400',
    async check({ url }) {
      for (const agent_id of ['hub-lamp', 'oracle-lamp', 'mesh-lamp', 'meshd-lamp', 'Hub-lamp']) {
        const body = { agent_id, capabilities: [] };
        await new HttpClient(url).expect(400, 'POST', '/agents/register', { body }, refusal('reserved_agent_id'));
      }
    },
  },
  {
    title: 'agent_id has 3 to 64 letters, digits, - and _, and starts with a letter or digit',
    async check({ url }) {
      for (const agent_id of ['ab', '-lamp', 'la mp', 'lämp', 'a'.repeat(65)]) {
        const body = { agent_id, capabilities: [] };
        await new HttpClient(url).expect(400, 'POST', '/agents/register', { body }, refusal('bad_request'));
      }
      await HubAgent.register(url, newId('A_b').padEnd(64, 'x'));
    },
  },
  {
    title: 'agent_id is first come first served, without regard to case: 409 agent_id_claimed',
    async check({ url }) {
      const { id } = await HubAgent.register(url);
      for (const agent_id of [id, id.toUpperCase()]) {
        const body = { agent_id, capabilities: [] };
        await new HttpClient(url).expect(409, 'POST', '/agents/register', { body }, refusal('agent_id_claimed'));
      }
    },
  },
  {
    title: 'Bodies are closed: an unknown key is a 400 that names it',
    async check({ url }) {
      const body = { agent_id: newId('lamp'), capabilities: [], flavour: 'sour' };
      const { message } = await new HttpClient(url).expect(400, 'POST', '/agents/register', { body });
      expectLike('the message', message, matching(/flavour/));
    },
  },
  {
    title: 'Requests with a body must be application/json: 415 otherwise',
    async check({ url }) {
      const extras = { body: 'agent_id=lamp', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
      const like = refusal('unsupported_media_type');
      await new HttpClient(url).expect(415, 'POST', '/agents/register', extras, like);
    },
  },
  {
    title: 'POST /agents/token with a valid pair returns a fresh token that works',
    async check({ url }) {
      const agent = await HubAgent.register(url);
      const body = { agent_id: agent.id, api_key: agent.apiKey };
      const like = { token: COMPACT_JWT, agent_id: agent.id };
      const { token } = await new HttpClient(url).expect(200, 'POST', '/agents/token', { body }, like);
      await new HttpClient(url, token).expect(200, 'PATCH', '/agents/me', { body: { description: 'Lit.' } });
    },
  },
  {
    title: 'A wrong pair is 401, the same for an unknown id',
    async check({ url }) {
      const { id } = await HubAgent.register(url);
      const http = new HttpClient(url);
      const api_key = '0'.repeat(32);
      const wrong = await http.send('POST', '/agents/token', { body: { agent_id: id, api_key } });
      const unknown = await http.send('POST', '/agents/token', { body: { agent_id: newId('lamp'), api_key } });
      expectLike('the answer to a wrong key', wrong, { status: 401, body: refusal('unauthorized') });
      expectLike('the answer to an unknown id', unknown.body, wrong.body);
    },
  },
  {
    title: 'POST /agents/token always brings the agent online, whatever availability.now said before',
    async check({ url }) {
      const agent = await HubAgent.register(url);
      await agent.expect(200, 'PATCH', '/agents/me', { body: { agent_card: HUB_CARD } });
      await agent.expect(200, 'POST', '/agents/me/state', { body: { availability: { now: false } } });
      expectLike('online when away', (await agent.lookUp()).body.online, false);
      const body = { agent_id: agent.id, api_key: agent.apiKey };
      await new HttpClient(url).expect(200, 'POST', '/agents/token', { body });
      expectLike('online after the token', (await agent.lookUp()).body.online, true);
    },
  },
  {
    title: 'GET /agents/<agent_id> contains online and agent_card, and needs no credential',
    async check({ url }) {
      const agent = await HubAgent.register(url);
      await agent.expect(200, 'PATCH', '/agents/me', { body: { agent_card: HUB_CARD } });
      const body = {
        agent_id: agent.id,
        online: true,
        agent_card: HUB_CARD,
        capabilities: ['light'],
        verified: false,
        registered_at: epochSeconds,
        last_seen: epochSeconds,
      };
      expectLike('the record', await agent.lookUp(), { status: 200, body });
    },
  },
  {
    title: 'PATCH /agents/me replaces the stored slim card; absent keys are left alone',
    async check({ url }) {
      const agent = await HubAgent.register(url);
      await agent.expect(200, 'PATCH', '/agents/me', { body: { description: 'Lit.', agent_card: HUB_CARD } });
      const { endpoint, description } = HUB_CARD;
      await agent.expect(200, 'PATCH', '/agents/me', { body: { agent_card: { endpoint, description } } });
      const { body } = await agent.lookUp();
      expectLike('the card', body.agent_card, onlyKeys('endpoint', 'description'));
      expectLike('the record', body, { description: 'Lit.', capabilities: ['light'] });
    },
  },
  {
    title: 'PATCH /agents/me accepts and ignores status, which older clients send',
    async check({ url }) {
      const agent = await HubAgent.register(url);
      await agent.expect(200, 'PATCH', '/agents/me', { body: { status: 'online', description: 'Lit.' } });
      expectLike('the description', (await agent.lookUp()).body.description, 'Lit.');
    },
  },
  {
    title: 'The hub rejects keys of a card outside its allow-list: 400 unknown_card_key with keys',
    async check({ url }) {
      const agent = await HubAgent.register(url);
      const body = { agent_card: { ...HUB_CARD, skills: [], sla: 'none' } };
      const like = refusal('unknown_card_key', { keys: holding('skills', 'sla') });
      await agent.expect(400, 'PATCH', '/agents/me', { body }, like);
    },
  },
  {
    title: 'HTTPS only: plaintext is refused, except for a loopback host',
    async check({ url }) {
      const agent = await HubAgent.register(url);
      const withEndpoint = (endpoint: string) => ({ body: { agent_card: { ...HUB_CARD, endpoint } } });
      const like = refusal('plaintext_endpoint');
      await agent.expect(400, 'PATCH', '/agents/me', withEndpoint('http://lamp.example/agent'), like);
      await agent.expect(200, 'PATCH', '/agents/me', withEndpoint('http://127.0.0.1:9/agent'));
    },
  },
  {
    title: 'POST /agents/me/state shallow-merges into the stored card; it does not replace it',
    async check({ url }) {
      const agent = await HubAgent.register(url);
      await agent.expect(200, 'PATCH', '/agents/me', { body: { agent_card: HUB_CARD } });
      await agent.expect(200, 'POST', '/agents/me/state', { body: { availability: { now: false } } });
      const card = { ...HUB_CARD, availability: { now: false } };
      expectLike('the record', (await agent.lookUp()).body, { online: false, agent_card: card });
    },
  },
  {
    title: 'GET /agents is a bare array of the same rows, online only unless all=true',
    async check({ url }) {
      const [here, away] = [await HubAgent.register(url), await HubAgent.register(url)];
      await away.expect(200, 'PATCH', '/agents/me', { body: { agent_card: HUB_CARD } });
      await away.expect(200, 'POST', '/agents/me/state', { body: { availability: { now: false } } });
      const http = new HttpClient(url);
      for (const path of ['/agents', '/agents/']) {
        const rows = await http.expect(
          200,
          'GET',
          `${path}?limit=200`,
          {},
          holding({ agent_id: here.id, online: true }),
        );
        expectLike(path, rows, without({ agent_id: away.id }));
      }
      const all = holding({ agent_id: here.id }, { agent_id: away.id, online: false });
      await http.expect(200, 'GET', '/agents?all=true&limit=200', {}, all);
    },
  },
  {
    title: 'GET /agents pages with limit and names the next page in a Link header',
    async check({ url }) {
      for (let count = 0; count < 2; count += 1) await HubAgent.register(url);
      const first = await new HttpClient(url).send('GET', '/agents?limit=1');
      expectLike('the page', first, { status: 200, body: [{ agent_id: text }] });
      const next = /<([^>]+)>;\s*rel="?next/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
      const { pathname, search } = new URL(next, url);
      const second = await new HttpClient(url).expect(200, 'GET', pathname + search, {}, [{ agent_id: text }]);
      expectLike('the second page', second, without({ agent_id: first.body[0].agent_id }));
    },
  },
  {
    title: 'Agent id not found: 404 not_found',
    async check({ url }) {
      await new HttpClient(url).expect(404, 'GET', `/agents/${newId('lamp')}`, {}, refusal('not_found'));
    },
  },
  {
    title: 'Missing or invalid Bearer token on deregistration: 401',
    async check({ url }) {
      await new HttpClient(url).expect(401, 'DELETE', '/agents/me', {}, refusal('unauthorized'));
      await new HttpClient(url, 'x.y.z').expect(401, 'DELETE', '/agents/me', {}, refusal('unauthorized'));
    },
  },
  {
    title: 'DELETE /agents/me answers {status: "deleted", agent_id}; the calling JWT is revoked at once',
    async check({ url }) {
      const agent = await HubAgent.register(url);
      const headers = { 'content-type': 'application/json' };
      await agent.expect(200, 'DELETE', '/agents/me', { headers }, { status: 'deleted', agent_id: agent.id });
      expectLike('the record', await agent.lookUp(), { status: 404 });
      await agent.expect(401, 'PATCH', '/agents/me', { body: { description: 'Lit.' } }, refusal('unauthorized'));
    },
  },
  {
    title: 'The id is free again after deregistration, and never obeys its old owner',
    async check({ url }) {
      const old = await HubAgent.register(url);
      await old.expect(200, 'DELETE', '/agents/me');
      await HubAgent.register(url, old.id);
      await old.expect(401, 'DELETE', '/agents/me', {}, refusal('unauthorized'));
      expectLike('the record', await old.lookUp(), { status: 200 });
    },
  },
  {
    title: 'A token of the unified API is none of the hub',
    async check({ url }) {
      const body = { agent_id: newId('one') };
      const { token } = await new HttpClient(url).expect(200, 'POST', '/v1/agents/register', { body });
      await new HttpClient(url, token).expect(401, 'DELETE', '/agents/me', {}, refusal('unauthorized'));
    },
  },
];
