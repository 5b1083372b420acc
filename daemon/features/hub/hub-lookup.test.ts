import { describe, expect, it } from 'vitest';
import type { AgentRecord } from '../../contract/network/hub.js';
import { anAgent, LAMP_CARD as CARD } from '../../testing/apps/an-agent.js';
import { type HubApp, hubApp } from '../../testing/apps/hub-app.js';

const lookup = async (app: HubApp, id: string): Promise<AgentRecord> => (await app.call('GET', `/agents/${id}`)).body;

describe('GET /agents/<agent_id>', () => {
  it('returns the lookup record without a credential, whatever the case of the id', async () => {
    const app = await hubApp();
    await anAgent(app, 'Lamp-Agent', { agent_card: CARD, capabilities: ['light.switch'] });
    const now = Math.floor(app.clock.now() / 1000);
    for (const id of ['Lamp-Agent', 'lamp-agent']) {
      expect(await lookup(app, id)).toEqual({
        agent_id: 'Lamp-Agent',
        online: true,
        agent_card: CARD,
        description: null,
        capabilities: ['light.switch'],
        verified: false,
        registered_at: now,
        last_seen: now,
      });
    }
  });

  it.each(['nobody', 'a', '..%2f..', 'x%00y', '%F0%9F%92%A1', 'a'.repeat(200)])(
    'responds 404 to the unknown id %s',
    async (id) => {
      const app = await hubApp();
      expect(await app.call('GET', `/agents/${id}`)).toMatchObject({ status: 404, body: { error: 'not_found' } });
    },
  );
});

describe('GET /agents', () => {
  const ids = (reply: { body: never }) => (reply.body as AgentRecord[]).map(({ agent_id }) => agent_id);

  it('returns a plain array of the online agents, with and without a trailing slash', async () => {
    const app = await hubApp();
    const away = await anAgent(app, 'away-agent');
    await anAgent(app, 'lamp-agent', { agent_card: CARD });
    await away.call('POST', '/agents/me/state', { availability: { now: false } });
    for (const path of ['/agents', '/agents/']) {
      const reply = await app.call('GET', path);
      expect(reply.body).toEqual([await lookup(app, 'lamp-agent')]);
      expect(reply.headers.get('link')).toBeNull();
    }
    expect(ids(await app.call('GET', '/agents?all=true'))).toEqual(['away-agent', 'lamp-agent']);
    expect(ids(await app.call('GET', '/agents?all=false'))).toEqual(['lamp-agent']);
  });

  it('filters by capability and by search words', async () => {
    const app = await hubApp();
    await anAgent(app, 'lamp-agent', { capabilities: ['light.switch', 'a'], agent_card: CARD });
    await anAgent(app, 'horn-agent', { capabilities: ['horn'], description: 'Blows in fog' });
    const list = async (query: string) => ids(await app.call('GET', `/agents?${query}`));
    expect(await list('capability=light.switch')).toEqual(['lamp-agent']);
    expect(await list('capability=light')).toEqual([]);
    expect(await list('q=FOG')).toEqual(['horn-agent']);
    expect(await list('q=harbour')).toEqual(['lamp-agent']);
    expect(await list('q=agent')).toEqual(['lamp-agent', 'horn-agent']);
    expect(await list('q=endpoint')).toEqual([]);
    expect(await list('q=%25')).toEqual([]);
    expect(await list('q=fog&capability=light.switch')).toEqual([]);
  });

  it('lists each agent once when following the Link header', async () => {
    const app = await hubApp();
    const all = Array.from({ length: 7 }, (_, i) => `agent-${i}`);
    for (const id of all) await anAgent(app, id, { capabilities: ['x y&z'] });
    const met: string[] = [];
    let path: string | undefined = `/agents?limit=3&capability=${encodeURIComponent('x y&z')}`;
    while (path !== undefined) {
      const reply = await app.call('GET', path);
      met.push(...ids(reply));
      path = /^<([^>]+)>; rel="next"$/.exec(reply.headers.get('link') ?? '')?.[1];
    }
    expect(met).toEqual(all);
  });

  it('names in the Link header the path and the query that were asked for', async () => {
    const app = await hubApp();
    for (const id of ['lamp-agent', 'horn-agent']) await anAgent(app, id);
    for (const path of ['/agents', '/agents/']) {
      const { headers } = await app.call('GET', `${path}?limit=1&all=true&q=agent`);
      expect(headers.get('link')).toBe(`<${path}?limit=1&all=true&q=agent&cursor=1>; rel="next"`);
    }
  });

  it.each(['limit=0', 'limit=201', 'limit=x', 'cursor=x', 'cursor=-1', 'all=perhaps', 'nothing=1', 'q=a&q=b'])(
    'responds 400 to ?%s',
    async (query) => {
      const app = await hubApp();
      expect((await app.call('GET', `/agents?${query}`)).status).toBe(400);
    },
  );
});
