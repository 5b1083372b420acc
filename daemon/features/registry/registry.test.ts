import { describe, expect, it } from 'vitest';
import type { RegistryList } from '../../contract/network/registry.js';
import { type ARegistry, aRegistry } from '../../testing/apps/a-registry.js';
import { CARD, ENTRY, fetchRecord, recordEvents, registered } from '../../testing/apps/registering.js';

const MINUTE = 60_000;
const importCatalog = (app: ARegistry, ...entries: unknown[]) => app.call('POST', '/v1/catalog', { entries });
const heartbeat = (app: ARegistry, as: Record<string, string>, body?: object) =>
  app.call('POST', '/v1/agents/me/heartbeat', body, as);
const remove = (app: ARegistry, as: Record<string, string>) => app.call('DELETE', '/v1/agents/me', undefined, as);

describe('Agent › States and transitions on the unified API', () => {
  it('registers a free id and returns api_key and token', async () => {
    const app = await aRegistry();
    const events = recordEvents(app);
    const { status, body } = await app.call('POST', '/v1/agents/register', {
      agent_id: 'painter',
      agent_card: CARD,
      capabilities: ['paint'],
    });
    expect([status, body]).toEqual([
      200,
      {
        agent_id: 'painter',
        api_key: expect.stringMatching(/^[0-9a-f]{32}$/),
        token: expect.stringMatching(/^eyJ/),
        base_url: app.address,
        message: expect.stringContaining('painter'),
      },
    ]);
    expect(await fetchRecord(app, 'painter')).toEqual({
      agent_id: 'painter',
      registered: true,
      live: true,
      verified: false,
      avail_status: 'available',
      endpoint: 'https://painter.example/',
      pubkey: null,
      agent_card: CARD,
      description: 'Paints pictures.',
      capabilities: ['paint'],
      registered_at: app.clock.now() / 1000,
      last_seen: app.clock.now() / 1000,
      catalog: null,
    });
    expect(events).toEqual(['agent.registered v1 painter', 'agent.online v1 painter']);
  });

  it('responds 400 to a reserved id and leaves it unregistered', async () => {
    const app = await aRegistry();
    for (const agent_id of ['hub-x', 'Oracle-x', 'mesh-x']) {
      const { status, body } = await app.call('POST', '/v1/agents/register', { agent_id });
      expect([status, body]).toMatchObject([400, { error: 'reserved_agent_id' }]);
      expect((await app.call('GET', `/v1/agents/${agent_id}`)).status).toBe(404);
    }
  });

  it('responds 409 to an id in use, whatever its case', async () => {
    const app = await aRegistry();
    const first = await registered(app, 'Painter');
    for (const agent_id of ['Painter', 'painter', 'PAINTER']) {
      const { status, body } = await app.call('POST', '/v1/agents/register', { agent_id, description: 'mine now' });
      expect([status, body]).toMatchObject([409, { error: 'agent_id_claimed' }]);
    }
    expect((await heartbeat(app, first.as)).status).toBe(200);
    expect((await fetchRecord(app, 'painter')).description).toBeNull();
  });

  it('registers exactly one of many concurrent registrations of one id', async () => {
    const app = await aRegistry();
    const all = await Promise.all(
      Array.from({ length: 12 }, () => app.call('POST', '/v1/agents/register', { agent_id: 'painter' })),
    );
    expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 11 }, () => 409)]);
  });

  it('marks an offline agent online and returns a new JWT for a valid agent_id and api_key', async () => {
    const app = await aRegistry();
    const { api_key, token } = await registered(app, 'painter');
    app.clock.advance(6 * MINUTE);
    expect((await fetchRecord(app, 'painter')).live).toBe(false);
    const events = recordEvents(app);
    const { status, body } = await app.call('POST', '/v1/agents/token', { agent_id: 'painter', api_key });
    expect([status, body]).toEqual([
      200,
      { agent_id: 'painter', token: expect.stringMatching(/^eyJ/), expires_at: app.clock.now() / 1000 + 86_400 },
    ]);
    expect((body as { token: string }).token).not.toBe(token);
    expect(await fetchRecord(app, 'painter')).toMatchObject({ live: true, last_seen: app.clock.now() / 1000 });
    expect(events).toEqual(['agent.online v1 painter']);
  });

  it('marks an agent offline half a minute after a heartbeat was due and keeps it in the directory', async () => {
    const app = await aRegistry();
    await registered(app, 'painter');
    const events = recordEvents(app);
    app.clock.advance(5.5 * MINUTE - 1000);
    expect((await fetchRecord(app, 'painter')).live).toBe(true);
    app.clock.advance(1000);
    expect(await fetchRecord(app, 'painter')).toMatchObject({ registered: true, live: false, avail_status: 'unknown' });
    expect(((await app.call('GET', '/v1/agents?live=true')).body as RegistryList).count).toBe(0);
    expect(((await app.call('GET', '/v1/agents')).body as RegistryList).count).toBe(1);
    expect(events).toEqual(['agent.offline v1 painter']);
  });

  it('keeps an agent online with heartbeats about every five minutes and reports only transitions', async () => {
    const app = await aRegistry();
    const { as } = await registered(app, 'painter');
    const events = recordEvents(app);
    for (let i = 0; i < 12; i += 1) {
      // A timer and the way to the surface take their time.
      app.clock.advance(5 * MINUTE + 1000);
      expect((await heartbeat(app, as)).body).toEqual({
        status: 'ok',
        agent_id: 'painter',
        live: true,
        next_heartbeat_before: app.clock.now() / 1000 + 300,
      });
    }
    expect(events).toEqual([]);
  });

  it('does not announce a silent agent as online when it changes its record', async () => {
    const app = await aRegistry();
    const { as } = await registered(app, 'painter');
    app.clock.advance(6 * MINUTE);
    const events = recordEvents(app);
    expect((await app.call('PATCH', '/v1/agents/me', { description: 'Paints lamps.' }, as)).status).toBe(200);
    app.clock.advance(1000);
    expect(events.filter((event) => !event.startsWith('agent.updated'))).toEqual([]);
    expect(await fetchRecord(app, 'painter')).toMatchObject({ description: 'Paints lamps.', live: false });
  });

  it('deletes the row of an agent without a catalog entry on deregistration', async () => {
    const app = await aRegistry();
    const { as, api_key } = await registered(app, 'painter');
    const events = recordEvents(app);
    const { status, body } = await remove(app, as);
    expect([status, body]).toEqual([200, { status: 'deleted', agent_id: 'painter' }]);
    expect((await app.call('GET', '/v1/agents/painter')).status).toBe(404);
    expect(((await app.call('GET', '/v1/agents?q=painter')).body as RegistryList).count).toBe(0);
    expect((await app.call('POST', '/v1/agents/token', { agent_id: 'painter', api_key })).status).toBe(401);
    app.clock.advance(10 * MINUTE);
    expect(events).toEqual(['agent.deregistered v1 painter']);
  });

  it('reverts an agent on a catalog entry to its stub on deregistration, with all registration fields cleared', async () => {
    const app = await aRegistry();
    await importCatalog(app, ENTRY);
    const pubkey = Buffer.alloc(32, 7).toString('base64');
    const { as, api_key } = await registered(app, 'PAINTER', {
      agent_card: CARD,
      pubkey,
      description: 'It paints.',
      capabilities: ['paint'],
    });
    expect(await fetchRecord(app, 'painter')).toMatchObject({
      agent_id: 'PAINTER',
      registered: true,
      catalog: ENTRY,
      pubkey,
    });
    expect((await remove(app, as)).body).toEqual({ status: 'deleted', agent_id: 'PAINTER' });
    const { status, body } = await app.call('GET', '/v1/agents/painter');
    expect([status, body]).toEqual([
      200,
      {
        agent_id: 'painter',
        registered: false,
        live: false,
        verified: false,
        avail_status: 'unknown',
        endpoint: null,
        pubkey: null,
        agent_card: null,
        description: null,
        capabilities: [],
        registered_at: null,
        last_seen: null,
        catalog: ENTRY,
      },
    ]);
    expect((await heartbeat(app, as)).status).toBe(404);
    expect((await remove(app, as)).status).toBe(404);
    expect((await app.call('POST', '/v1/agents/token', { agent_id: 'painter', api_key })).status).toBe(401);
    expect(((await app.call('GET', '/v1/agents?q=media')).body as RegistryList).count).toBe(0);
  });

  it('registers a deregistered id again', async () => {
    const app = await aRegistry();
    const first = await registered(app, 'painter', { description: 'the first' });
    await remove(app, first.as);
    const second = await registered(app, 'painter');
    expect(second.api_key).not.toBe(first.api_key);
    expect(await fetchRecord(app, 'painter')).toMatchObject({ registered: true, live: true, description: null });
  });

  it('responds 404 to every call with a valid token of an ended registration', async () => {
    const app = await aRegistry();
    const { as } = await registered(app, 'painter');
    await remove(app, as);
    expect((await heartbeat(app, as)).body).toMatchObject({ error: 'not_found' });
    for (const [method, path, body] of [
      ['POST', '/v1/agents/me/heartbeat', { agent_card: CARD }],
      ['PATCH', '/v1/agents/me', { description: 'x' }],
      ['POST', '/v1/agents/me/state', { availability: { now: true } }],
      ['DELETE', '/v1/agents/me', undefined],
    ] as const) {
      expect([method, path, (await app.call(method, path, body, as)).status]).toEqual([method, path, 404]);
    }
    app.clock.advance(24 * 60 * MINUTE + 6000);
    expect((await heartbeat(app, as)).status).toBe(401);
  });

  it("rejects the previous owner's token for an id that was registered again", async () => {
    const app = await aRegistry();
    const old = await registered(app, 'painter');
    await remove(app, old.as);
    const now = await registered(app, 'painter', { description: 'the new one' });
    expect((await heartbeat(app, old.as)).status).toBe(404);
    expect((await app.call('PATCH', '/v1/agents/me', { description: 'stolen' }, old.as)).status).toBe(404);
    expect((await remove(app, old.as)).status).toBe(404);
    expect(await fetchRecord(app, 'painter')).toMatchObject({ registered: true, description: 'the new one' });
    expect((await heartbeat(app, now.as)).status).toBe(200);
  });

  it('keeps registrations, tokens and the last sign of life over a restart and repeats no event', async () => {
    const app = await aRegistry();
    const { as } = await registered(app, 'painter', { agent_card: CARD });
    const before = await fetchRecord(app, 'painter');
    await app.stop();
    const next = await aRegistry({ root: app.root, clock: app.clock });
    const events = recordEvents(next);
    expect(await fetchRecord(next, 'painter')).toEqual(before);
    expect((await heartbeat(next, as)).status).toBe(200);
    next.clock.advance(6 * MINUTE);
    expect(events).toEqual(['agent.offline v1 painter']);
  });
});
