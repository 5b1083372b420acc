import { HttpClient } from './http-client.js';
import { expectLike, fraction, integer, refusal, type Scenario } from './scenario.js';
import { Identity, UnifiedAgent } from './unified-client.js';

/** Files a report signed by `identity`, whose answer must have the status. */
async function report(
  url: string,
  about: string,
  body: unknown,
  status = 200,
  like: unknown = {},
  by = new Identity(),
) {
  const path = `/v1/agents/${about}/feedback`;
  return new HttpClient(url).expect(status, 'POST', path, by.sign('POST', path, body), like);
}

const DIMS = { reliability: 1, speed: 0.5, quality: 0.75, settlement: 1 };

export const REPUTATION: readonly Scenario[] = [
  {
    title: 'A signed report of the four dimensions is answered {ok, score, dims}',
    async check({ url }) {
      const { id } = await UnifiedAgent.register(url);
      await report(url, id, { dims: DIMS }, 200, { ok: true, score: fraction, dims: DIMS });
    },
  },
  {
    title: 'Any subset of the dimensions will do; the result always lists the four (absent ones null)',
    async check({ url }) {
      const { id } = await UnifiedAgent.register(url);
      const dims = { reliability: null, speed: null, quality: 0.75, settlement: null };
      await report(url, id, { dims: { quality: 0.75 } }, 200, { ok: true, score: 0.75, dims });
    },
  },
  {
    title: 'Outcomes become dimensions: success, latency_ms, quality (1 to 5), paid and disputed',
    async check({ url }) {
      const { id } = await UnifiedAgent.register(url);
      const body = { success: true, latency_ms: 1_000, quality: 4, paid: true, disputed: false, capability: 'light' };
      await report(url, id, body, 200, { ok: true, dims: { reliability: 1, speed: 1, quality: 0.75, settlement: 1 } });
    },
  },
  {
    title: 'A report of success alone is enough',
    async check({ url }) {
      const { id } = await UnifiedAgent.register(url);
      await report(url, id, { success: false }, 200, { ok: true, score: 0, dims: { reliability: 0, quality: null } });
    },
  },
  {
    title: 'A report that is not signed, or whose body was changed, is 401 bad_signature',
    async check({ url }) {
      const { id } = await UnifiedAgent.register(url);
      const path = `/v1/agents/${id}/feedback`;
      const signed = new Identity().sign('POST', path, { dims: DIMS });
      const changed = { ...signed, body: { dims: { ...DIMS, quality: 0 } } };
      await new HttpClient(url).expect(401, 'POST', path, { body: { dims: DIMS } }, refusal('bad_signature'));
      await new HttpClient(url).expect(401, 'POST', path, changed, refusal('bad_signature'));
    },
  },
  {
    title: 'A report about oneself is 400 self_report',
    async check({ url }) {
      const [agent, identity] = [await UnifiedAgent.register(url), new Identity()];
      const path = '/v1/agents/me/key';
      await agent.expect(200, 'PUT', path, identity.sign('PUT', path, { pubkey: identity.pubkey }));
      await report(url, agent.id, { dims: DIMS }, 400, refusal('self_report'), identity);
    },
  },
  {
    title: 'A dimension outside 0 to 1 is a 400; a report about an unknown agent 404',
    async check({ url }) {
      const { id } = await UnifiedAgent.register(url);
      await report(url, id, { dims: { quality: 1.5 } }, 400, refusal('bad_request'));
      await report(url, `${id}-none`, { dims: DIMS }, 404, refusal('not_found'));
    },
  },
  {
    title: 'GET /v1/reputation/<agent_id> without reports: score null and status not_yet_rated',
    async check({ url }) {
      const { id } = await UnifiedAgent.register(url);
      const like = { agent_id: id, score: null, reports: 0, message_through_count: 0, status: 'not_yet_rated' };
      await new HttpClient(url).expect(200, 'GET', `/v1/reputation/${id}`, {}, like);
    },
  },
  {
    title: 'Score = 0.4 reliability + 0.3 quality + 0.2 speed + 0.1 settlement',
    async check({ url }) {
      const { id } = await UnifiedAgent.register(url);
      const { score } = await report(url, id, { dims: DIMS });
      const expected = 0.4 * DIMS.reliability + 0.3 * DIMS.quality + 0.2 * DIMS.speed + 0.1 * DIMS.settlement;
      expectLike('the score differs by', Math.abs(score - expected) < 0.001, true);
      const like = { score, dims: DIMS, reports: 1, impression_count: integer };
      await new HttpClient(url).expect(200, 'GET', `/v1/reputation/${id}`, {}, like);
    },
  },
  {
    title: 'GET /v1/reputation/<agent_id>/reports pages the signed log, so that anyone can recompute the score',
    async check({ url }) {
      const { id } = await UnifiedAgent.register(url);
      const identity = new Identity();
      await report(url, id, { dims: DIMS }, 200, {}, identity);
      const body = await new HttpClient(url).expect(200, 'GET', `/v1/reputation/${id}/reports`, {}, { count: 1 });
      expectLike('the log names the key of the reporter', JSON.stringify(body).includes(identity.pubkey), true);
      expectLike('the page', body, { reports: [{}], next_cursor: null });
    },
  },
];
