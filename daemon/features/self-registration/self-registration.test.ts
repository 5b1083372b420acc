import { readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AgentRecord } from '../../contract/network/hub.js';
import type { SearchResult } from '../../contract/network/oracle.js';
import type { RegistryRecord } from '../../contract/network/registry.js';
import type { SelfRegistrationList, SelfRegistrationRecord } from '../../contract/network/self-registration.js';
import { bearer, registered } from '../../testing/apps/registering.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { git, putFiles, temporaryRepository } from '../../testing/temporary-folder.js';
import { SELF_HEARTBEAT_MS, SelfRegistration } from './self-registration.js';

const KEYS = '.mesh/credentials/house-agents.json';

const getId = (app: TestApp, member: string) => `${basename(app.root)}-${member}`;
const list = async (app: TestApp): Promise<SelfRegistrationRecord[]> =>
  ((await app.call('GET', '/registrations')).body as SelfRegistrationList).registrations;
const one = async (app: TestApp, member: string) => (await list(app)).find((row) => row.member === member)?.surfaces;
const onHub = (app: TestApp, id: string) => app.call('GET', `/agents/${id}`);
const onV1 = (app: TestApp, id: string) => app.call('GET', `/v1/agents/${id}`);
const expose = (app: TestApp, member: string, exposure: 'internal' | 'external') =>
  app.call('PATCH', `/team/${member}`, { exposure });
const listKeys = (app: TestApp) =>
  JSON.parse(readFileSync(join(app.root, KEYS), 'utf8')) as Record<string, Record<string, { api_key: string }>>;

/** Advances to the next heartbeats and resolves when they are complete. */
async function nextHeartbeat(app: TestApp): Promise<void> {
  app.clock.advance(SELF_HEARTBEAT_MS);
  // Both edits wait for the operations queued before them.
  await expose(app, 'ui-reviewer', 'external');
  await expose(app, 'ui-reviewer', 'internal');
}

describe('Exposed member', () => {
  it('is registered by the daemon on both surfaces as <project>-<member> with its card', async () => {
    const app = await testApp();
    const id = getId(app, 'consultant');
    const registration = {
      agent_id: id,
      registered: true,
      online: true,
      last_heartbeat: app.clock.now() / 1000,
      token_age_seconds: 0,
      problem: null,
    };
    expect(await list(app)).toEqual([{ member: 'consultant', surfaces: { hub: registration, v1: registration } }]);
    const { agent_card, capabilities } = (await onHub(app, id)).body as AgentRecord;
    expect(agent_card).toMatchObject({
      endpoint: `${app.address}/team/consultant`,
      tags: expect.arrayContaining(['project', 'ask', 'question-answering']),
      category: expect.stringMatching(/^project\.[a-z]+$/),
      accepts: ['text/plain', 'application/json'],
      produces: ['text/plain', 'application/json'],
      protocols: expect.arrayContaining(['http']),
      pricing: { unit: 'request', amount: 0, currency: 'free' },
      availability: { now: true },
    });
    expect(agent_card?.description).not.toBe('');
    expect(capabilities).toContain('ask');
    expect((await onV1(app, id)).body).toMatchObject({
      agent_card,
      capabilities,
      endpoint: `${app.address}/team/consultant`,
      registered: true,
    });
  });

  it('is registered on both surfaces when exposed and deregistered when hidden, before the edit responds', async () => {
    const app = await testApp();
    const id = getId(app, 'developer');
    await expose(app, 'developer', 'external');
    expect([(await onHub(app, id)).status, (await onV1(app, id)).status]).toEqual([200, 200]);
    await expose(app, 'developer', 'internal');
    expect([(await onHub(app, id)).status, (await onV1(app, id)).status]).toEqual([404, 404]);
    expect(await one(app, 'developer')).toBeUndefined();
    expect(Object.keys(listKeys(app))).toEqual(['consultant']);
  });

  it('is found with the price of its present card as soon as an edit of its price responds', async () => {
    const app = await testApp();
    const id = getId(app, 'consultant');
    const found = async () =>
      ((await app.call('POST', '/v1/search', { query: id })).body as SearchResult).agents.find(
        (row) => row.agent_id === id,
      )?.pricing;
    expect(await found()).toMatchObject({ amount: 0, currency: 'free' });
    for (const amount of [700, 900]) {
      const pricing = { unit: 'request', amount, currency: 'lamports', network: 'solana:local' };
      expect(await app.call('PATCH', '/team/consultant', { pricing })).toMatchObject({ status: 200 });
      expect(await found()).toMatchObject({ amount, currency: 'lamports' });
    }
    expect(((await onV1(app, id)).body as RegistryRecord).agent_card?.pricing).toMatchObject({ amount: 900 });
  });

  it('is deregistered on both surfaces when it is deleted', async () => {
    const app = await testApp();
    await app.call('POST', '/team', { id: 'guide', name: 'Guide', exposure: 'external', body: 'Shows people around.' });
    const id = getId(app, 'guide');
    expect([(await onHub(app, id)).status, (await onV1(app, id)).status]).toEqual([200, 200]);
    await app.call('DELETE', '/team/guide');
    expect([(await onHub(app, id)).status, (await onV1(app, id)).status]).toEqual([404, 404]);
  });

  it('is kept online by heartbeats, and its card follows its file', async () => {
    const app = await testApp();
    await app.call('PATCH', '/team/consultant', { description: 'Knows everything about lamps.' });
    for (let i = 0; i < 4; i += 1) await nextHeartbeat(app);
    const id = getId(app, 'consultant');
    for (const { body } of [await onHub(app, id), await onV1(app, id)]) {
      expect((body as AgentRecord | RegistryRecord).agent_card?.description).toBe('Knows everything about lamps.');
      expect((body as AgentRecord).last_seen).toBe(app.clock.now() / 1000);
    }
    expect(await one(app, 'consultant')).toMatchObject({
      hub: { online: true, token_age_seconds: 0 },
      v1: { online: true, token_age_seconds: 0 },
    });
  });

  it('is kept once by heartbeats that come while one is under way', async () => {
    const app = await testApp();
    const settle = vi.spyOn(SelfRegistration.prototype, 'settle');
    onTestFinished(() => settle.mockRestore());
    app.clock.advance(100 * SELF_HEARTBEAT_MS);
    expect(settle).toHaveBeenCalledTimes(1);
    await nextHeartbeat(app);
    settle.mockClear();
    app.clock.advance(SELF_HEARTBEAT_MS);
    expect(settle).toHaveBeenCalledTimes(1);
    expect(await one(app, 'consultant')).toMatchObject({ hub: { online: true }, v1: { online: true } });
  });

  it('keeps its ids and keys over a restart, and its endpoint follows the port', async () => {
    const app = await testApp();
    const before = listKeys(app);
    expect(statSync(join(app.root, KEYS)).mode & 0o777).toBe(0o600);
    await app.stop();
    const next = await testApp({ root: app.root, clock: app.clock });
    expect(next.address).not.toBe(app.address);
    expect(listKeys(next)).toEqual(before);
    const id = getId(app, 'consultant');
    expect(await one(next, 'consultant')).toMatchObject({
      hub: { agent_id: id, online: true },
      v1: { agent_id: id, online: true },
    });
    expect((await onHub(next, id)).body).toMatchObject({ agent_card: { endpoint: `${next.address}/team/consultant` } });
    expect((await onV1(next, id)).body).toMatchObject({ endpoint: `${next.address}/team/consultant` });
  });

  it('is deregistered by the next daemon when it was hidden while none ran', async () => {
    const app = await testApp();
    await expose(app, 'developer', 'external');
    await app.stop();
    const path = join(app.root, '.mesh/team/developer.md');
    putFiles(app.root, {
      '.mesh/team/developer.md': readFileSync(path, 'utf8').replace('exposure: external', 'exposure: internal'),
    });
    const next = await testApp({ root: app.root, clock: app.clock });
    const id = getId(app, 'developer');
    expect([(await onHub(next, id)).status, (await onV1(next, id)).status]).toEqual([404, 404]);
    expect(Object.keys(listKeys(next))).toEqual(['consultant']);
  });

  it('gets a numbered id when its id is taken on a surface, and the operator is notified', async () => {
    const app = await testApp();
    const id = getId(app, 'developer');
    const other = await registered(app, id.toUpperCase());
    await expose(app, 'developer', 'external');
    expect(await one(app, 'developer')).toMatchObject({
      hub: { agent_id: id, registered: true, problem: null },
      v1: { agent_id: `${id}-2`, registered: true, problem: expect.stringContaining(id) },
    });
    expect(app.log.filter((line) => line.includes(`${id}-2`))).toHaveLength(1);
    await expose(app, 'developer', 'internal');
    expect((await onV1(app, id)).body).toMatchObject({ agent_id: other.agent_id, registered: true });
  });

  it('is registered again with the next heartbeat after it was deregistered', async () => {
    const app = await testApp();
    const agent_id = getId(app, 'consultant');
    const api_key = listKeys(app)['consultant']?.['v1']?.api_key;
    const { token } = (await app.call('POST', '/v1/agents/token', { agent_id, api_key })).body as { token: string };
    await app.call('DELETE', '/v1/agents/me', undefined, bearer(token));
    expect(await one(app, 'consultant')).toMatchObject({
      hub: { registered: true },
      v1: { registered: false, online: false },
    });
    await nextHeartbeat(app);
    expect(await one(app, 'consultant')).toMatchObject({ v1: { agent_id, registered: true, online: true } });
    expect(listKeys(app)['consultant']?.['v1']?.api_key).not.toBe(api_key);
  });

  it('shows why no surface accepts it until one does', async () => {
    const app = await testApp();
    const wanted = getId(app, 'developer');
    const ids = Array.from({ length: 50 }, (_, index) => (index === 0 ? wanted : `${wanted}-${index + 1}`));
    const tokens: string[] = [];
    for (const agent_id of ids) {
      const [hub, v1] = await Promise.all([
        app.call('POST', '/agents/register', { agent_id, capabilities: [] }),
        app.call('POST', '/v1/agents/register', { agent_id }),
      ]);
      tokens.push(...[hub, v1].map(({ body }) => (body as { token: string }).token));
    }
    await expose(app, 'developer', 'external');
    const registration = {
      agent_id: null,
      registered: false,
      online: false,
      problem: expect.stringContaining('somebody else'),
    };
    expect(await one(app, 'developer')).toMatchObject({ hub: registration, v1: registration });
    await app.call('DELETE', '/agents/me', undefined, { authorization: `Bearer ${tokens[0]}` });
    await app.call('DELETE', '/v1/agents/me', undefined, { authorization: `Bearer ${tokens[1]}` });
    await nextHeartbeat(app);
    expect(await one(app, 'developer')).toMatchObject({
      hub: { registered: true, problem: null },
      v1: { registered: true, problem: null },
    });
  });
});

describe('Keys of self-registrations', () => {
  it('are not written while secrets must not be, and their registrations are removed on stop to free the ids', async () => {
    const root = temporaryRepository({ 'README.md': '# Lamp\n', '.mesh/credentials/old.token': 'x' });
    git(root, 'add', '-f', '.mesh/credentials/old.token');
    const app = await testApp({ root });
    expect(await one(app, 'consultant')).toMatchObject({ hub: { registered: true }, v1: { registered: true } });
    expect(() => statSync(join(root, KEYS))).toThrow('ENOENT');
    await app.stop();
    const next = await testApp({ root, clock: app.clock });
    const id = getId(next, 'consultant');
    expect(await one(next, 'consultant')).toMatchObject({
      hub: { agent_id: id, problem: null },
      v1: { agent_id: id, problem: null },
    });
  });

  it.each([
    ['lost', (root: string) => rmSync(join(root, KEYS))],
    ['replaced by an empty file', (root: string) => putFiles(root, { [KEYS]: '{}' })],
  ])('leave no stale registrations when they are %s: the next run reclaims the same ids', async (_how, lose) => {
    const app = await testApp();
    const other = await registered(app, 'somebody-else');
    await app.stop();
    lose(app.root);
    const next = await testApp({ root: app.root, clock: app.clock });
    const id = getId(next, 'consultant');
    expect(await one(next, 'consultant')).toMatchObject({
      hub: { agent_id: id, online: true, problem: null },
      v1: { agent_id: id, online: true, problem: null },
    });
    expect(listKeys(next)['consultant']?.['hub']?.api_key).toMatch(/^[0-9a-f]{32}$/);
    expect((await onV1(next, other.agent_id)).status).toBe(200);
  });

  it('are not required to withdraw the registrations of a killed daemon', async () => {
    const root = temporaryRepository({ 'README.md': '# Lamp\n' });
    const app = await testApp({ root });
    const id = getId(app, 'consultant');
    await app.stop();
    // The state that such a daemon leaves: registrations and their marks, but no key.
    rmSync(join(root, KEYS));
    putFiles(root, { '.mesh/credentials/old.token': 'x' });
    git(root, 'add', '-f', '.mesh/credentials/old.token');
    const next = await testApp({ root, clock: app.clock });
    expect(await one(next, 'consultant')).toMatchObject({ hub: { agent_id: id }, v1: { agent_id: id } });
    expect(() => statSync(join(root, KEYS))).toThrow('ENOENT');
  });

  it('prevent only the registrations when their file is damaged, which is never overwritten', async () => {
    const root = temporaryRepository({ 'README.md': '# Lamp\n' });
    putFiles(root, { [KEYS]: '{"consultant": {"hub": 7}}' });
    const app = await testApp({ root });
    const registration = { registered: false, problem: expect.stringContaining('house-agents.json is damaged') };
    expect(await one(app, 'consultant')).toMatchObject({ hub: registration, v1: registration });
    await expose(app, 'developer', 'external');
    expect(readFileSync(join(root, KEYS), 'utf8')).toBe('{"consultant": {"hub": 7}}');
  });

  it('appear in no response, log line or event', async () => {
    const app = await testApp();
    const secrets = Object.values(listKeys(app)).flatMap((surfaces) =>
      Object.values(surfaces).map(({ api_key }) => api_key),
    );
    expect(secrets).toHaveLength(2);
    const told = JSON.stringify([await list(app), app.daemon.bus.since(app.clock.now()), app.log]);
    for (const secret of secrets) expect(told).not.toContain(secret);
  });
});
