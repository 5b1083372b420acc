import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ONLINE_SECONDS } from '../../contract/network/agents.js';
import type { AgentRecord } from '../../contract/network/hub.js';
import { type Agent, anAgent } from '../../testing/apps/an-agent.js';
import { type HubApp, hubApp } from '../../testing/apps/hub-app.js';
import { FakeClock } from '../../testing/fake-clock.js';

const record = async (app: HubApp, id: string): Promise<AgentRecord> => (await app.call('GET', `/agents/${id}`)).body;
const isOnline = async (app: HubApp, id: string) => (await record(app, id)).online;
const heartbeat = (agent: Agent, body: object = {}) => agent.call('PATCH', '/agents/me', body);
const told = (app: HubApp) =>
  app.events.map(({ type, ...event }) => `${type} ${(event as { agent_id?: string }).agent_id}`);

describe('Agent › States', () => {
  it('registers a free, unreserved id and marks the agent online', async () => {
    const app = await hubApp();
    expect((await app.call('GET', '/agents/lamp-agent')).status).toBe(404);
    await anAgent(app, 'lamp-agent');
    expect(await isOnline(app, 'lamp-agent')).toBe(true);
    expect(told(app)).toEqual(['agent.registered lamp-agent', 'agent.online lamp-agent']);
  });

  it('responds 400 to a reserved id and leaves it unregistered', async () => {
    const app = await hubApp();
    expect((await app.call('POST', '/agents/register', { agent_id: 'oracle-x', capabilities: [] })).status).toBe(400);
    expect((await app.call('GET', '/agents/oracle-x')).status).toBe(404);
    expect(app.events).toEqual([]);
  });

  it('marks an offline agent online when it requests a token with a valid pair', async () => {
    const app = await hubApp();
    const agent = await anAgent(app, 'lamp-agent');
    app.clock.advance(ONLINE_SECONDS * 1000);
    expect(await isOnline(app, 'lamp-agent')).toBe(false);
    expect((await app.call('POST', '/agents/token', { agent_id: agent.id, api_key: agent.apiKey })).status).toBe(200);
    expect(await isOnline(app, 'lamp-agent')).toBe(true);
    expect(told(app).slice(2)).toEqual(['agent.offline lamp-agent', 'agent.online lamp-agent']);
  });

  it('marks an agent offline some time after 5 minutes without a heartbeat and keeps it in the directory', async () => {
    const app = await hubApp();
    const agent = await anAgent(app, 'lamp-agent');
    app.clock.advance(200_000);
    expect((await heartbeat(agent)).body).toMatchObject({ online: true });
    app.clock.advance(ONLINE_SECONDS * 1000 - 1);
    expect(await isOnline(app, 'lamp-agent')).toBe(true);
    app.clock.advance(1);
    expect(await record(app, 'lamp-agent')).toMatchObject({ agent_id: 'lamp-agent', online: false });
    expect((await app.call('GET', '/agents')).body).toEqual([]);
    expect((await app.call('GET', '/agents?all=true')).body).toHaveLength(1);
  });

  it('marks an offline agent online on a heartbeat', async () => {
    const app = await hubApp();
    const agent = await anAgent(app, 'lamp-agent');
    app.clock.advance(3_600_000);
    expect(await isOnline(app, 'lamp-agent')).toBe(false);
    expect((await heartbeat(agent)).body).toMatchObject({ online: true });
    expect(await isOnline(app, 'lamp-agent')).toBe(true);
  });

  it('POST /agents/token always brings the agent online, whatever availability.now said before', async () => {
    const app = await hubApp();
    const agent = await anAgent(app, 'lamp-agent');
    await agent.call('POST', '/agents/me/state', { availability: { now: false } });
    expect(await isOnline(app, 'lamp-agent')).toBe(false);
    await app.call('POST', '/agents/token', { agent_id: agent.id, api_key: agent.apiKey });
    expect(await isOnline(app, 'lamp-agent')).toBe(true);
    expect((await heartbeat(agent)).body).toMatchObject({ online: true });
  });

  it('keeps an agent that set itself away offline until it sets itself available', async () => {
    const app = await hubApp();
    const agent = await anAgent(app, 'lamp-agent');
    await agent.call('POST', '/agents/me/state', { availability: { now: false } });
    expect((await heartbeat(agent)).body).toMatchObject({ online: false });
    expect(await isOnline(app, 'lamp-agent')).toBe(false);
    await agent.call('POST', '/agents/me/state', { availability: { now: true } });
    expect(await isOnline(app, 'lamp-agent')).toBe(true);
    await agent.call('POST', '/agents/me/state', { availability: { now: false } });
    await heartbeat(agent, { agent_card: { description: 'back' } });
    expect(await isOnline(app, 'lamp-agent')).toBe(true);
  });

  it('does not treat a state update as a heartbeat', async () => {
    const app = await hubApp();
    const agent = await anAgent(app, 'lamp-agent');
    app.clock.advance(400_000);
    expect((await agent.call('POST', '/agents/me/state', { availability: { now: true } })).body).toMatchObject({
      online: false,
    });
  });

  it('deregisters an agent with a valid Bearer token and frees its id', async () => {
    const app = await hubApp();
    const agent = await anAgent(app, 'Lamp-Agent');
    const reply = await agent.call('DELETE', '/agents/me');
    expect([reply.status, reply.body]).toEqual([200, { status: 'deleted', agent_id: 'Lamp-Agent' }]);
    expect((await app.call('GET', '/agents/Lamp-Agent')).status).toBe(404);
    expect((await app.call('GET', '/agents?all=true')).body).toEqual([]);
    expect((await app.call('POST', '/agents/token', { agent_id: 'Lamp-Agent', api_key: agent.apiKey })).status).toBe(
      401,
    );
    await anAgent(app, 'lamp-agent');
    expect((await record(app, 'LAMP-AGENT')).agent_id).toBe('lamp-agent');
  });
});

describe('After deregistration', () => {
  const refused = async (app: HubApp, token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const statuses = await Promise.all([
      app.call('PATCH', '/agents/me', {}, headers),
      app.call('POST', '/agents/me/state', { availability: { now: false } }, headers),
      app.call('DELETE', '/agents/me', undefined, headers),
      app.call('GET', '/agents/messages', undefined, headers),
      app.call('GET', '/agents/contacts', undefined, headers),
    ]);
    return statuses.map(({ status }) => status);
  };
  const ALL_401 = [401, 401, 401, 401, 401];

  it('rejects every token of the registration immediately, after a restart, and after the id is registered again', async () => {
    const clock = new FakeClock();
    const app = await hubApp({ clock });
    const first = await anAgent(app, 'lamp-agent');
    const tokens = [first.token];
    for (let i = 0; i < 3; i += 1) {
      const reply = await app.call('POST', '/agents/token', { agent_id: first.id, api_key: first.apiKey });
      tokens.push((reply.body as { token: string }).token);
    }
    for (const token of tokens)
      expect((await app.call('PATCH', '/agents/me', {}, { authorization: `Bearer ${token}` })).status).toBe(200);
    await first.call('DELETE', '/agents/me');
    for (const token of tokens) expect(await refused(app, token)).toEqual(ALL_401);

    await app.stop();
    const again = await hubApp({ root: app.root, clock });
    for (const token of tokens) expect(await refused(again, token)).toEqual(ALL_401);

    const second = await anAgent(again, 'LAMP-agent', { description: 'mine now' });
    for (const token of tokens) expect(await refused(again, token)).toEqual(ALL_401);
    expect(await record(again, 'lamp-agent')).toMatchObject({
      agent_id: 'LAMP-agent',
      description: 'mine now',
      online: true,
    });
    expect((await second.call('PATCH', '/agents/me', {})).status).toBe(200);
    const old = await again.call('POST', '/agents/token', { agent_id: 'lamp-agent', api_key: first.apiKey });
    expect(old.status).toBe(401);

    await again.stop();
    const third = await hubApp({ root: app.root, clock });
    for (const token of tokens) expect(await refused(third, token)).toEqual(ALL_401);
    expect((await third.call('PATCH', '/agents/me', {}, { authorization: `Bearer ${second.token}` })).status).toBe(200);
  });

  it('carries out one of two concurrent deregistrations and rejects the other', async () => {
    const app = await hubApp();
    const agent = await anAgent(app, 'lamp-agent');
    const replies = await Promise.all([agent.call('DELETE', '/agents/me'), agent.call('DELETE', '/agents/me')]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect(told(app).filter((one) => one.startsWith('agent.deregistered'))).toEqual(['agent.deregistered lamp-agent']);
  });

  it('does not apply pending changes of the old registration to a new one', async () => {
    const app = await hubApp();
    const { token } = await app.hub.register({ agent_id: 'lamp-agent', capabilities: [] });
    const caller = await app.hub.authenticate(token);
    const gone = app.hub.deregister(caller);
    const late = app.hub.update(caller, { description: 'old' }).catch((error: { code: string }) => error.code);
    const anew = app.hub.register({ agent_id: 'LAMP-AGENT', capabilities: [], description: 'new' });
    const later = app.hub
      .setState(caller, { availability: { now: false } })
      .catch((error: { code: string }) => error.code);
    await Promise.all([gone, anew]);
    expect([await late, await later]).toEqual(['unauthorized', 'unauthorized']);
    expect(app.hub.find('lamp-agent')).toMatchObject({ agent_id: 'LAMP-AGENT', description: 'new', card: null });
    expect(app.hub.isOnline('lamp-agent')).toBe(true);
  });
});

describe('Hub events', () => {
  it('report transitions and changes, but not heartbeats', async () => {
    const app = await hubApp();
    const card = { description: 'Lights', tags: ['a'] };
    const agent = await anAgent(app, 'lamp-agent', { agent_card: card });
    for (let i = 0; i < 20; i += 1) {
      app.clock.advance(60_000);
      await heartbeat(agent, { agent_card: card, capabilities: [], status: 'fine' });
    }
    expect(told(app)).toEqual(['agent.registered lamp-agent', 'agent.online lamp-agent']);
    await heartbeat(agent, { agent_card: { ...card, tags: ['b'] } });
    await agent.call('POST', '/agents/me/state', { availability: { now: false } });
    await agent.call('POST', '/agents/me/state', { availability: { now: false } });
    await agent.call('POST', '/agents/me/state', { availability: { now: true } });
    app.clock.advance(ONLINE_SECONDS * 1000 + 5_000);
    await agent.call('DELETE', '/agents/me');
    expect(told(app).slice(2)).toEqual([
      'agent.updated lamp-agent',
      'agent.offline lamp-agent',
      'agent.updated lamp-agent',
      'agent.online lamp-agent',
      'agent.updated lamp-agent',
      'agent.offline lamp-agent',
      'agent.deregistered lamp-agent',
    ]);
    for (const event of app.events) expect(event).toMatchObject({ surface: 'hub' });
  });

  it('report a silent agent offline within seconds', async () => {
    const app = await hubApp();
    await anAgent(app, 'lamp-agent');
    app.clock.advance(ONLINE_SECONDS * 1000 - 1);
    expect(told(app)).not.toContain('agent.offline lamp-agent');
    app.clock.advance(5_001);
    expect(told(app)).toContain('agent.offline lamp-agent');
  });

  it('are not repeated when the daemon restarts', async () => {
    const clock = new FakeClock();
    const app = await hubApp({ clock });
    await anAgent(app, 'lamp-agent');
    await app.stop();
    const again = await hubApp({ root: app.root, clock });
    await again.call('GET', '/agents');
    expect(again.events).toEqual([]);
  });
});

describe('Online watermark', () => {
  it('survives a regular restart', async () => {
    const clock = new FakeClock();
    const app = await hubApp({ clock });
    const agent = await anAgent(app, 'lamp-agent');
    clock.advance(250_000);
    await heartbeat(agent);
    const { last_seen } = await record(app, 'lamp-agent');
    await app.stop();
    clock.advance(100_000);
    const again = await hubApp({ root: app.root, clock });
    expect(await record(again, 'lamp-agent')).toMatchObject({ last_seen, online: true });
  });

  it('is on disk a minute after a heartbeat', async () => {
    const app = await hubApp();
    const agent = await anAgent(app, 'lamp-agent');
    const onDisk = () => (app.database.sql('SELECT last_seen_ms AS ms FROM hub_watermarks').get() as { ms: number }).ms;
    app.clock.advance(30_000);
    await heartbeat(agent);
    const seen = app.clock.now();
    expect(onDisk()).toBe(seen - 30_000);
    app.clock.advance(30_000);
    await app.database.write(() => undefined);
    expect(onDisk()).toBe(seen);
  });
});

it('keeps an agent away over a restart until it sets itself available', async () => {
  const clock = new FakeClock();
  const app = await hubApp({ clock });
  const agent = await anAgent(app, 'lamp-agent');
  await anAgent(app, 'horn-agent', { agent_card: { availability: { now: true } } });
  await agent.call('POST', '/agents/me/state', { availability: { now: false } });
  await app.stop();
  const again = await hubApp({ root: app.root, clock });
  expect([again.hub.isOnline('lamp-agent'), again.hub.isOnline('horn-agent')]).toEqual([false, true]);
  expect((await again.call('GET', '/agents')).body).toMatchObject([{ agent_id: 'horn-agent' }]);
  const headers = { authorization: `Bearer ${agent.token}` };
  await again.call('POST', '/agents/me/state', { availability: { now: true } }, headers);
  expect(again.hub.isOnline('lamp-agent')).toBe(true);
});

it('accepts 100,000 agents and responds 503 overloaded to the next', async () => {
  const app = await hubApp();
  const fill = app.database.sql(
    `INSERT INTO hub_agents (agent_key, agent_id, rid, api_key_sha256, capabilities, verified, registered_ms)
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 99999)
     SELECT 'agent-' || i, 'agent-' || i, 'r' || i, x'00', '[]', 0, 0 FROM n`,
  );
  await app.database.write(() => fill.run());
  await app.stop();
  const full = await hubApp({ root: app.root });
  const last = await anAgent(full, 'last-agent');
  const reply = await full.call('POST', '/agents/register', { agent_id: 'one-too-many', capabilities: [] });
  expect([reply.status, reply.body]).toEqual([503, expect.objectContaining({ error: 'overloaded' })]);
  await last.call('DELETE', '/agents/me');
  await anAgent(full, 'one-too-many');
});

it('finds no agents in a damaged database and responds 503 store_readonly to registrations', async () => {
  const app = await hubApp();
  await Promise.all(
    Array.from({ length: 1000 }, (_, i) => app.hub.register({ agent_id: `agent-${i}`, capabilities: [] })),
  );
  await app.stop();
  const path = `${app.root}/mesh.db`;
  const bytes = readFileSync(path);
  bytes.fill(0xff, bytes.length - 20_000, bytes.length - 4_096);
  writeFileSync(path, bytes);
  const damaged = await hubApp({ root: app.root });
  expect(damaged.database.state).toBe('readonly');
  expect((await damaged.call('GET', '/agents/agent-1')).status).toBe(404);
  const reply = await damaged.call('POST', '/agents/register', { agent_id: 'lamp-agent', capabilities: [] });
  expect([reply.status, reply.body]).toEqual([503, expect.objectContaining({ error: 'store_readonly' })]);
});
