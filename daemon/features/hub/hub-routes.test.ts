import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { TokenResult } from '../../contract/network/agents.js';
import type { AgentRecord, AgentUpdated } from '../../contract/network/hub.js';
import { CURRENCIES } from '../../contract/team.js';
import { MeshError } from '../../lib/errors.js';
import { anAgent, LAMP_CARD as CARD } from '../../testing/apps/an-agent.js';
import { type HubApp, hubApp } from '../../testing/apps/hub-app.js';
import { testApp } from '../../testing/apps/test-app.js';

const PARTNER = 'acme-partner-key-0123456789';

const register = (app: HubApp, agent_id: unknown, more: object = {}, headers: Record<string, string> = {}) =>
  app.call('POST', '/agents/register', { agent_id, capabilities: [], ...more }, headers);
const lookup = async (app: HubApp, id: string): Promise<AgentRecord> => (await app.call('GET', `/agents/${id}`)).body;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('POST /agents/register', () => {
  it('returns the registration result: agent_id, api_key, token, hub_url, message', async () => {
    const app = await hubApp();
    const reply = await register(app, 'lamp-agent', { capabilities: ['light.switch'] });
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      agent_id: 'lamp-agent',
      api_key: expect.stringMatching(/^[0-9a-f]{32}$/),
      token: expect.stringMatching(/^eyJ/),
      hub_url: app.address,
      message: expect.stringContaining('lamp-agent'),
    });
  });

  it('accepts a description and an initial card', async () => {
    const app = await hubApp();
    await anAgent(app, 'lamp-agent', { capabilities: ['light.switch'], description: 'Lights', agent_card: CARD });
    expect(await lookup(app, 'lamp-agent')).toMatchObject({
      agent_card: CARD,
      description: 'Lights',
      capabilities: ['light.switch'],
      verified: false,
    });
  });

  it.each(['hub-x1', 'oracle-x1', 'mesh-x1', 'meshd-x1', 'HUB-x1', 'Mesh-X'])(
    'responds 400 reserved_agent_id to the reserved prefix of %s',
    async (id) => {
      const app = await hubApp();
      const reply = await register(app, id);
      expect([reply.status, (reply.body as { error: string }).error]).toEqual([400, 'reserved_agent_id']);
      expect((await app.call('GET', `/agents/${id}`)).status).toBe(404);
    },
  );

  it('accepts a reserved prefix from a configured partner and marks the agent verified', async () => {
    const app = await hubApp({ partnerKeys: ['another-partner-key-000', PARTNER] });
    expect((await register(app, 'oracle-acme', {}, { 'x-partner-key': PARTNER })).status).toBe(200);
    expect((await lookup(app, 'oracle-acme')).verified).toBe(true);
    expect((await register(app, 'acme-agent', {}, { 'x-partner-key': PARTNER })).status).toBe(200);
    expect((await lookup(app, 'acme-agent')).verified).toBe(true);
  });

  it('reads the partner keys from the environment', async () => {
    const app = await testApp({ env: { MESHD_PARTNER_KEYS: `acme:${PARTNER}` } });
    const reply = await app.call(
      'POST',
      '/agents/register',
      { agent_id: 'hub-acme', capabilities: [] },
      { 'x-partner-key': PARTNER },
    );
    expect(reply.status).toBe(200);
    expect((await app.call('GET', '/agents/hub-acme')).body).toMatchObject({ verified: true });
    expect(app.log.join('')).not.toContain(PARTNER);
  });

  it('treats a caller with an unknown partner key as any other, and responds 429 after twenty a minute', async () => {
    const app = await hubApp({ partnerKeys: [PARTNER] });
    const attempt = (key: string) => register(app, 'mesh-acme', {}, { 'x-partner-key': key });
    for (let i = 0; i < 20; i += 1)
      expect((await attempt(`${PARTNER}${i}`)).body).toMatchObject({ error: 'reserved_agent_id' });
    expect((await attempt(PARTNER.slice(1))).status).toBe(429);
    expect((await attempt(PARTNER)).status).toBe(200);
  });

  it('responds 409 agent_id_claimed to an id in use, whatever its case', async () => {
    const app = await hubApp();
    await anAgent(app, 'Lamp-Agent');
    for (const id of ['Lamp-Agent', 'lamp-agent', 'LAMP-AGENT']) {
      const reply = await register(app, id);
      expect([reply.status, (reply.body as { error: string }).error]).toEqual([409, 'agent_id_claimed']);
    }
  });

  it('registers exactly one of many concurrent registrations of one id', async () => {
    const app = await hubApp();
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) => register(app, i % 2 === 0 ? 'lamp-agent' : 'LAMP-AGENT')),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
  });

  it.each<[string, object, string]>([
    ['a short id', { agent_id: 'ab', capabilities: [] }, 'agent_id'],
    ['an id that is a number', { agent_id: 777, capabilities: [] }, 'agent_id'],
    ['a route word', { agent_id: 'channels', capabilities: [] }, 'agent_id'],
    ['no capabilities', { agent_id: 'lamp-agent' }, 'capabilities'],
    ['capabilities as text', { agent_id: 'lamp-agent', capabilities: 'x' }, 'capabilities'],
    [
      '65 capabilities',
      { agent_id: 'lamp-agent', capabilities: Array.from({ length: 65 }, (_, i) => `c${i}`) },
      'capabilities',
    ],
    ['an empty capability', { agent_id: 'lamp-agent', capabilities: [''] }, 'capabilities.0'],
    ['a long description', { agent_id: 'lamp-agent', capabilities: [], description: 'x'.repeat(1001) }, 'description'],
    ['a wrong card', { agent_id: 'lamp-agent', capabilities: [], agent_card: { tags: [''] } }, 'agent_card.tags.0'],
  ])('responds 400 with the path of the invalid field for %s', async (_name, body, path) => {
    const app = await hubApp();
    const reply = await app.call('POST', '/agents/register', body);
    expect([reply.status, reply.body]).toEqual([400, expect.objectContaining({ error: 'bad_request', path })]);
  });

  it('responds 400 unknown_key to an unknown key and 400 unknown_card_key to one in the card', async () => {
    const app = await hubApp();
    expect((await register(app, 'lamp-agent', { skills: [] })).body).toMatchObject({
      error: 'unknown_key',
      key: 'skills',
    });
    const reply = await register(app, 'lamp-agent', { agent_card: { ...CARD, skills: [] } });
    expect([reply.status, reply.body]).toEqual([
      400,
      expect.objectContaining({ error: 'unknown_card_key', keys: ['skills'] }),
    ]);
  });
});

describe('POST /agents/token', () => {
  it('returns a new token valid for 24 hours for agent_id and api_key', async () => {
    const app = await hubApp();
    const { apiKey, token } = await anAgent(app, 'Lamp-Agent');
    const reply = await app.call('POST', '/agents/token', { agent_id: 'lamp-agent', api_key: apiKey });
    const result = reply.body as TokenResult;
    expect(result).toEqual({
      token: expect.any(String),
      expires_at: Math.floor(app.clock.now() / 1000) + 86_400,
      agent_id: 'Lamp-Agent',
    });
    expect(result.token).not.toBe(token);
    expect((await app.call('PATCH', '/agents/me', {}, bearer(result.token))).status).toBe(200);
  });

  it('responds 401 to a wrong pair and identically to an unknown id', async () => {
    const app = await hubApp();
    const { apiKey } = await anAgent(app, 'lamp-agent');
    const wrong = await app.call('POST', '/agents/token', {
      agent_id: 'lamp-agent',
      api_key: randomBytes(16).toString('hex'),
    });
    const unknown = await app.call('POST', '/agents/token', { agent_id: 'nobody', api_key: apiKey });
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(wrong.text).toBe(unknown.text);
  });

  it('responds 429 after twenty wrong credentials a minute for one agent, and still accepts right ones and other agents', async () => {
    const app = await hubApp();
    const lamp = await anAgent(app, 'lamp-agent');
    const horn = await anAgent(app, 'horn-agent');
    const attempt = (agent_id: string, api_key: string) => app.call('POST', '/agents/token', { agent_id, api_key });
    for (let i = 0; i < 20; i += 1)
      expect((await attempt(i % 2 === 0 ? 'lamp-agent' : 'LAMP-agent', `wrong-${i}`)).status).toBe(401);
    const refused = await attempt('lamp-agent', 'wrong');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    expect((await attempt('lamp-agent', lamp.apiKey)).status).toBe(200);
    expect((await attempt('horn-agent', 'wrong')).status).toBe(401);
    expect((await attempt('horn-agent', horn.apiKey)).status).toBe(200);
    app.clock.advance(60_000);
    expect((await attempt('lamp-agent', 'wrong')).status).toBe(401);
  });
});

describe('A token that cannot be given', () => {
  it('is refused for its own reason, which counts as no wrong credential', async () => {
    const app = await hubApp();
    const token = vi.spyOn(app.hub, 'token').mockRejectedValue(new MeshError('no_space', 'The disk is full.'));
    for (let time = 0; time < 21; time += 1)
      expect(await app.call('POST', '/agents/token', { agent_id: 'lamp-agent', api_key: 'x' })).toMatchObject({
        status: 507,
        body: { error: 'no_space', message: 'The disk is full.' },
      });
    token.mockRestore();
    expect((await app.call('POST', '/agents/token', { agent_id: 'lamp-agent', api_key: 'x' })).status).toBe(401);
  });
});

describe('PATCH /agents/me', () => {
  it('replaces the stored card as a whole', async () => {
    const app = await hubApp();
    const agent = await anAgent(app, 'lamp-agent', { agent_card: CARD });
    const reply = await agent.call('PATCH', '/agents/me', { agent_card: { description: 'Only this' } });
    expect([reply.status, reply.body]).toEqual([
      200,
      { status: 'ok', agent_id: 'lamp-agent', online: true, agent_card: { description: 'Only this' } },
    ]);
    expect((await lookup(app, 'lamp-agent')).agent_card).toEqual({ description: 'Only this' });
  });

  it('keeps absent keys unchanged, and accepts and ignores status', async () => {
    const app = await hubApp();
    const agent = await anAgent(app, 'lamp-agent', { agent_card: CARD, description: 'Lights', capabilities: ['a'] });
    for (const status of ['busy', 7, null, { x: 1 }]) {
      expect((await agent.call('PATCH', '/agents/me', { status })).status).toBe(200);
    }
    expect(await lookup(app, 'lamp-agent')).toMatchObject({
      agent_card: CARD,
      description: 'Lights',
      capabilities: ['a'],
      online: true,
    });
    await agent.call('PATCH', '/agents/me', { capabilities: [] });
    expect(await lookup(app, 'lamp-agent')).toMatchObject({
      agent_card: CARD,
      description: 'Lights',
      capabilities: [],
    });
    await agent.call('PATCH', '/agents/me', { description: 'Horns' });
    expect(await lookup(app, 'lamp-agent')).toMatchObject({ agent_card: CARD, description: 'Horns', capabilities: [] });
  });

  it('rejects and names keys outside the allow-list and stores nothing', async () => {
    const app = await hubApp();
    const agent = await anAgent(app, 'lamp-agent', { agent_card: CARD });
    const reply = await agent.call('PATCH', '/agents/me', { agent_card: { description: 'x', skills: [], docs: 'y' } });
    expect([reply.status, reply.body]).toEqual([
      400,
      expect.objectContaining({ error: 'unknown_card_key', keys: ['skills', 'docs'] }),
    ]);
    expect((await lookup(app, 'lamp-agent')).agent_card).toEqual(CARD);
  });

  it('rejects a plaintext endpoint, except on this machine', async () => {
    const app = await hubApp();
    const agent = await anAgent(app, 'lamp-agent');
    const patch = (endpoint: string) => agent.call('PATCH', '/agents/me', { agent_card: { endpoint } });
    expect(await patch('http://lamp.example/')).toMatchObject({ status: 400, body: { error: 'plaintext_endpoint' } });
    expect((await patch('https://lamp.example/')).status).toBe(200);
    expect((await patch(`${app.address}/team/consultant`)).status).toBe(200);
  });

  it('returns any card exactly as it was sent', async () => {
    const app = await hubApp();
    const agent = await anAgent(app, 'lamp-agent');
    const text = (max: number) =>
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: max / 2 }).filter((one) => one.length <= max);
    const card = fc.record(
      {
        description: text(200),
        tags: fc.array(text(64), { maxLength: 8 }),
        protocols: fc.array(text(32), { maxLength: 4 }),
        pricing: fc.record({
          unit: text(64),
          amount: fc.integer({ min: 0 }),
          currency: fc.constantFrom(...CURRENCIES),
        }),
        availability: fc.record({ now: fc.boolean() }),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(card, async (agent_card) => {
        const reply = await agent.call('PATCH', '/agents/me', { agent_card });
        expect([reply.status, (reply.body as AgentUpdated).agent_card]).toEqual([200, agent_card]);
        expect((await lookup(app, 'lamp-agent')).agent_card).toEqual(agent_card);
      }),
      { seed: 20261121, numRuns: 40 },
    );
  });
});

describe('POST /agents/me/state', () => {
  it('merges availability into the stored card and keeps its other keys', async () => {
    const app = await hubApp();
    const agent = await anAgent(app, 'lamp-agent');
    const { availability: _, ...rest } = CARD;
    await fc.assert(
      fc.asyncProperty(
        fc.subarray(Object.keys(rest)),
        fc.option(fc.boolean(), { nil: undefined }),
        fc.boolean(),
        async (keys, before, now) => {
          const kept = Object.fromEntries(Object.entries(rest).filter(([key]) => keys.includes(key)));
          await agent.call('PATCH', '/agents/me', {
            agent_card: { ...kept, ...(before === undefined ? {} : { availability: { now: before } }) },
          });
          const reply = await agent.call('POST', '/agents/me/state', { availability: { now } });
          expect([reply.status, (reply.body as AgentUpdated).agent_card]).toEqual([
            200,
            { ...kept, availability: { now } },
          ]);
          expect(await lookup(app, 'lamp-agent')).toMatchObject({
            agent_card: { ...kept, availability: { now } },
            online: now,
          });
        },
      ),
      { seed: 20261121, numRuns: 40 },
    );
  });

  it('completes the card that an agent without one has of its record', async () => {
    const app = await hubApp();
    const agent = await anAgent(app, 'lamp-agent', { description: 'Lights.', capabilities: ['light'] });
    const ofRecord = { description: 'Lights.', tags: ['light'] };
    expect((await lookup(app, 'lamp-agent')).agent_card).toEqual(ofRecord);
    const { body } = await agent.call('POST', '/agents/me/state', { availability: { now: false } });
    expect(await lookup(app, 'lamp-agent')).toMatchObject({
      agent_card: { ...ofRecord, availability: { now: false } },
      online: false,
    });
    expect((body as AgentUpdated).agent_card).toEqual({ ...ofRecord, availability: { now: false } });
  });

  it.each([
    {},
    { availability: {} },
    { availability: { now: 'yes' } },
    { availability: { now: true, until: 1 } },
    { description: 'x' },
  ])('responds 400 to %j', async (body) => {
    const app = await hubApp();
    const agent = await anAgent(app, 'lamp-agent', { agent_card: CARD });
    expect((await agent.call('POST', '/agents/me/state', body)).status).toBe(400);
    expect((await lookup(app, 'lamp-agent')).agent_card).toEqual(CARD);
  });
});
