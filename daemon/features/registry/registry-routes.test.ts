import { describe, expect, it, vi } from 'vitest';
import type { RegistryList } from '../../contract/network/registry.js';
import { sha256 } from '../../lib/crypto/digests.js';
import { MeshError } from '../../lib/errors.js';
import { type ARegistry, aRegistry } from '../../testing/apps/a-registry.js';
import { bearer, CARD, ENTRY, fetchRecord, recordEvents, registered } from '../../testing/apps/registering.js';

const MINUTE = 60_000;
const importCatalog = (app: ARegistry, ...entries: unknown[]) => app.call('POST', '/v1/catalog', { entries });
const heartbeat = (app: ARegistry, as: Record<string, string>, body?: object) =>
  app.call('POST', '/v1/agents/me/heartbeat', body, as);

describe('Endpoints › Unified API', () => {
  it('accepts endpoint and card in POST /v1/agents/me/heartbeat and shows them immediately', async () => {
    const app = await aRegistry();
    const { as } = await registered(app, 'painter', { agent_card: CARD });
    const events = recordEvents(app);
    await heartbeat(app, as, { endpoint: 'https://elsewhere.example/' });
    expect(await fetchRecord(app, 'painter')).toMatchObject({
      endpoint: 'https://elsewhere.example/',
      agent_card: { ...CARD, endpoint: 'https://elsewhere.example/' },
    });
    await heartbeat(app, as, { agent_card: { description: 'Another card.' } });
    expect(await fetchRecord(app, 'painter')).toMatchObject({
      endpoint: 'https://elsewhere.example/',
      agent_card: { description: 'Another card.' },
    });
    await heartbeat(app, as, { agent_card: { description: 'Another card.' } });
    expect(events).toEqual(['agent.updated v1 painter', 'agent.updated v1 painter']);
  });

  it('shows an agent that registered without a card with one of its record, which follows a moved endpoint', async () => {
    const app = await aRegistry();
    const description = 'd'.repeat(1_000);
    const { as } = await registered(app, 'painter', { description, capabilities: ['image.draw'] });
    const ofRecord = { description, tags: ['image.draw'] };
    expect((await fetchRecord(app, 'painter')).agent_card).toEqual(ofRecord);
    const endpoint = 'https://moved.example/painter';
    await app.call('POST', '/v1/agents/me/heartbeat', { endpoint }, as);
    expect((await fetchRecord(app, 'painter')).agent_card).toEqual({ ...ofRecord, endpoint });
  });

  it('accepts a heartbeat without a body, with or without a content type', async () => {
    const app = await aRegistry();
    const { as } = await registered(app, 'painter');
    expect((await heartbeat(app, as)).status).toBe(200);
    expect((await heartbeat(app, { ...as, 'content-type': 'application/json' })).status).toBe(200);
    expect((await heartbeat(app, as, {})).status).toBe(200);
    expect((await heartbeat(app, as, { mood: 'fine' })).body).toMatchObject({ error: 'unknown_key', key: 'mood' });
  });

  it('replaces the card as a whole in PATCH /v1/agents/me and keeps fields that are not named', async () => {
    const app = await aRegistry();
    const { as } = await registered(app, 'painter', {
      agent_card: CARD,
      description: 'It paints.',
      capabilities: ['paint'],
    });
    const { status, body } = await app.call('PATCH', '/v1/agents/me', { agent_card: { tags: ['oil'] } }, as);
    expect([status, body]).toMatchObject([
      200,
      { agent_card: { tags: ['oil'] }, description: 'It paints.', capabilities: ['paint'] },
    ]);
    expect((body as { agent_card: object }).agent_card).toEqual({ tags: ['oil'] });
  });

  it('keeps an avail_status set by the agent over heartbeats until null or a state update resets it', async () => {
    const app = await aRegistry();
    const { as } = await registered(app, 'painter');
    const set = (avail_status: string | null) => app.call('PATCH', '/v1/agents/me', { avail_status }, as);
    await set('busy');
    await heartbeat(app, as);
    expect((await fetchRecord(app, 'painter')).avail_status).toBe('busy');
    await set(null);
    expect((await fetchRecord(app, 'painter')).avail_status).toBe('available');
    await set('busy');
    await app.call('POST', '/v1/agents/me/state', { availability: { now: false } }, as);
    expect((await fetchRecord(app, 'painter')).avail_status).toBe('away');
    expect((await set('asleep')).status).toBe(400);
  });

  it('merges availability into the stored card in POST /v1/agents/me/state', async () => {
    const app = await aRegistry();
    const { as } = await registered(app, 'painter', { agent_card: CARD });
    const events = recordEvents(app);
    const state = (now: boolean) => app.call('POST', '/v1/agents/me/state', { availability: { now } }, as);
    expect((await state(false)).body).toMatchObject({
      live: false,
      avail_status: 'away',
      agent_card: { ...CARD, availability: { now: false } },
    });
    expect((await heartbeat(app, as)).body).toMatchObject({ live: false });
    expect((await state(true)).body).toMatchObject({ live: true, agent_card: CARD });
    expect(events).toEqual([
      'agent.updated v1 painter',
      'agent.offline v1 painter',
      'agent.updated v1 painter',
      'agent.online v1 painter',
    ]);
  });

  it('finds an id whatever its case in GET /v1/agents/<agent_id>, and responds 404 to an unknown one', async () => {
    const app = await aRegistry();
    await registered(app, 'Painter');
    expect((await fetchRecord(app, 'pAINTER')).agent_id).toBe('Painter');
    expect((await app.call('GET', '/v1/agents/nobody')).body).toMatchObject({ error: 'not_found' });
    expect((await app.call('GET', '/v1/agents/__proto__')).status).toBe(404);
  });

  it('pages GET /v1/agents in order of registration and filters it by words, presence and registration', async () => {
    const app = await aRegistry();
    await importCatalog(app, { ...ENTRY, agent_id: 'sculptor', tags: ['stone'] });
    for (const [index, agent_id] of ['a-painter', 'b-painter', 'c-writer'].entries()) {
      await registered(app, agent_id, { agent_card: { tags: index < 2 ? ['Oil', 'canvas'] : ['prose'] } });
      app.clock.advance(2 * MINUTE);
    }
    const list = async (query: string): Promise<RegistryList> => (await app.call('GET', `/v1/agents?${query}`)).body;
    const ids = async (query: string) => (await list(query)).agents.map(({ agent_id }) => agent_id);
    expect(await ids('')).toEqual(['sculptor', 'a-painter', 'b-painter', 'c-writer']);
    const page = await list('limit=3');
    expect(page).toMatchObject({ count: 3, next_cursor: expect.any(String) });
    expect(await list(`limit=3&cursor=${page.next_cursor}`)).toMatchObject({ count: 1, next_cursor: null });
    expect(await ids('live=true')).toEqual(['b-painter', 'c-writer']);
    expect(await ids('registered=false')).toEqual(['sculptor']);
    expect(await ids('q=oil')).toEqual(['a-painter', 'b-painter']);
    expect(await ids('q=stone')).toEqual(['sculptor']);
    expect(await ids('q="%22 OR *')).toEqual([]);
    for (const bad of ['cursor=x', 'limit=0', 'limit=201', 'live=maybe', 'color=red', 'q=a&q=b']) {
      expect([bad, (await app.call('GET', `/v1/agents?${bad}`)).status]).toEqual([bad, 400]);
    }
  });

  it('returns the api_key only in the registration result, and its hash never', async () => {
    const app = await aRegistry();
    const { api_key, as } = await registered(app, 'painter', { agent_card: CARD });
    const digest = sha256(api_key);
    const texts = [
      (await app.call('GET', '/v1/agents/painter')).text,
      (await app.call('GET', '/v1/agents')).text,
      (await heartbeat(app, as)).text,
      (await app.call('POST', '/v1/agents/token', { agent_id: 'painter', api_key })).text,
      (await app.call('PATCH', '/v1/agents/me', { description: 'x' }, as)).text,
      ...app.log,
    ].join('\n');
    for (const secret of [api_key, digest.toString('hex'), digest.toString('base64')])
      expect(texts).not.toContain(secret);
    expect(texts).not.toMatch(/hash|"rid"/);
  });
});

describe('Authentication', () => {
  it('responds 401 without a valid Bearer token on every route that acts as an agent', async () => {
    const app = await aRegistry();
    await registered(app, 'painter');
    for (const [method, path, body] of [
      ['POST', '/v1/agents/me/heartbeat', {}],
      ['PATCH', '/v1/agents/me', { description: 'x' }],
      ['POST', '/v1/agents/me/state', { availability: { now: true } }],
      ['PUT', '/v1/agents/me/key', { pubkey: Buffer.alloc(32, 7).toString('base64') }],
      ['DELETE', '/v1/agents/me', undefined],
    ] as const) {
      for (const headers of [{}, bearer('nonsense'), { authorization: 'Basic eDp5' }]) {
        const reply = await app.call(method, path, body, headers);
        expect([method, path, reply.status, (reply.body as { error: string }).error]).toEqual([
          method,
          path,
          401,
          'unauthorized',
        ]);
        expect(reply.headers.get('www-authenticate')).toBe('Bearer');
      }
    }
    expect(await fetchRecord(app, 'painter')).toMatchObject({ registered: true, description: null });
  });

  it('accepts a JWT for 24 hours', async () => {
    const app = await aRegistry();
    const { as } = await registered(app, 'painter');
    app.clock.advance(24 * 60 * MINUTE - 1000);
    expect((await heartbeat(app, as)).status).toBe(200);
    app.clock.advance(1000);
    expect((await heartbeat(app, as)).status).toBe(401);
  });

  it('responds identically to a wrong api_key and an unknown id, and with 429 after twenty a minute', async () => {
    const app = await aRegistry();
    const { api_key } = await registered(app, 'painter');
    await registered(app, 'writer');
    const token = (agent_id: string, key: string) => app.call('POST', '/v1/agents/token', { agent_id, api_key: key });
    const [wrong, unknown] = [await token('painter', 'f'.repeat(32)), await token('nobody', 'f'.repeat(32))];
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(wrong.text).toBe(unknown.text);
    for (let i = 0; i < 19; i += 1)
      expect((await token(i % 2 ? 'painter' : 'PAINTER', 'f'.repeat(32))).status).toBe(401);
    const late = await token('painter', 'f'.repeat(32));
    expect([late.status, late.headers.get('retry-after')]).toEqual([429, '60']);
    expect((await token('writer', 'f'.repeat(32))).status).toBe(401);
    expect((await token('painter', api_key)).status).toBe(200);
  });
});

describe('A token that cannot be given', () => {
  it('is refused for its own reason, which counts as no wrong credential', async () => {
    const app = await aRegistry();
    const token = () => app.call('POST', '/v1/agents/token', { agent_id: 'painter', api_key: 'x' });
    const failing = vi.spyOn(app.registry, 'token').mockRejectedValue(new MeshError('no_space', 'The disk is full.'));
    for (let time = 0; time < 21; time += 1)
      expect(await token()).toMatchObject({ status: 507, body: { error: 'no_space', message: 'The disk is full.' } });
    failing.mockRestore();
    expect((await token()).status).toBe(401);
  });
});

describe('Errors › invalid registration', () => {
  it('responds 400 and registers nothing', async () => {
    const app = await aRegistry();
    for (const [name, body, error] of [
      ['an id that is too short', { agent_id: 'ab' }, 'bad_request'],
      ['an id of other characters', { agent_id: 'a painter' }, 'bad_request'],
      ['a word of the service', { agent_id: 'Register' }, 'bad_request'],
      ['an unknown key', { agent_id: 'painter', mood: 'fine' }, 'unknown_key'],
      [
        'a key of the card beyond the allow-list',
        { agent_id: 'painter', agent_card: { skills: [] } },
        'unknown_card_key',
      ],
      ['a plaintext endpoint', { agent_id: 'painter', endpoint: 'http://painter.example/' }, 'plaintext_endpoint'],
      [
        'a plaintext endpoint in the card',
        { agent_id: 'painter', agent_card: { endpoint: 'http://painter.example/' } },
        'plaintext_endpoint',
      ],
      [
        'an endpoint with credentials',
        { agent_id: 'painter', endpoint: 'https://a:b@painter.example/' },
        'bad_request',
      ],
      ['a key that is none', { agent_id: 'painter', pubkey: 'short' }, 'bad_request'],
      [
        'a card of more than 32 KiB',
        { agent_id: 'painter', agent_card: { description: 'x'.repeat(33_000) } },
        'bad_request',
      ],
      ['capabilities that are no list', { agent_id: 'painter', capabilities: 'paint' }, 'bad_request'],
    ] as const) {
      const reply = await app.call('POST', '/v1/agents/register', body);
      expect([name, reply.status, (reply.body as { error: string }).error]).toEqual([name, 400, error]);
    }
    expect(((await app.call('GET', '/v1/agents')).body as RegistryList).count).toBe(0);
  });
});
