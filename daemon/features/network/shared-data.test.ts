import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ClusterCreated } from '../../contract/clusters.js';
import type { AgentRecord, HubServerFrame, Inbox, Registration } from '../../contract/network/hub.js';
import type { SearchResult } from '../../contract/network/oracle.js';
import type { SelfRegistrationList } from '../../contract/network/self-registration.js';
import type { NetworkCopies, NetworkStatus } from '../../contract/shared/network.js';
import { Database } from '../../storage/database/database.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { hasNatsServer, NATS_NEEDED, NatsServers } from '../../testing/processes/nats-server.js';
import { SocketClient } from '../../testing/processes/socket-client.js';

/** A daemon whose clock is that of the servers, which compare it. */
async function aDaemon(): Promise<TestApp> {
  const app = await testApp();
  app.clock.step(Date.now() - app.clock.now());
  return app;
}

async function registerAgent(app: TestApp, agent_id: string): Promise<{ authorization: string }> {
  const reply = await app.call('POST', '/agents/register', { agent_id, capabilities: ['test'] });
  expect(reply.status).toBe(200);
  const { token }: Registration = reply.body;
  return { authorization: `Bearer ${token}` };
}

/** The ids of all agents; those of exposed members without the names of their projects. */
async function listAgents(app: TestApp): Promise<string[]> {
  const agents: AgentRecord[] = (await app.call('GET', '/agents?all=true')).body;
  return agents.map(({ agent_id }) => agent_id.replace(/^meshd_test-\w+-/, '')).sort();
}

/** The agents of these tests that the Oracle finds, by name. */
async function findAgents(app: TestApp): Promise<string[]> {
  const { agents }: SearchResult = (
    await app.call('POST', '/v1/search', { query: 'test', filters: { online_only: false } })
  ).body;
  return agents
    .map(({ agent_id }) => agent_id)
    .filter((id) => !id.endsWith('-consultant'))
    .sort();
}

/** What is wrong with the registrations of the exposed members. */
async function listOwnProblems(app: TestApp): Promise<(string | null)[]> {
  const { registrations }: SelfRegistrationList = (await app.call('GET', '/registrations')).body;
  return registrations.flatMap(({ surfaces: { hub, v1 } }) =>
    [hub, v1].map(({ registered, problem }) => (registered ? problem : 'not registered')),
  );
}

describe.skipIf(!hasNatsServer)(`the shared data of two daemons in a network${NATS_NEEDED}`, () => {
  let servers: NatsServers;
  beforeAll(async () => {
    servers = await NatsServers.start(1);
  });
  afterAll(() => servers.stop());

  it('begin with those of the creator, follow every change, and stay after leaving', async () => {
    const [one, other] = [await aDaemon(), await aDaemon()];
    const before = await registerAgent(one, 'from-before');
    await registerAgent(other, 'set-aside');
    for (const [app, agent_id] of [
      [one, 'from-before-v1'],
      [other, 'aside-v1'],
    ] as const) {
      const registered = await app.call('POST', '/v1/agents/register', { agent_id, description: 'test' });
      expect(registered.status).toBe(200);
    }
    expect((await one.call('POST', '/network', { url: servers.url, network: 'team' })).status).toBe(200);
    expect((await other.call('PUT', '/network', { url: servers.url, network: 'team' })).status).toBe(200);
    await expect.poll(() => listAgents(other)).toEqual(['consultant', 'consultant', 'from-before']);
    await expect.poll(() => findAgents(other)).toEqual(['from-before', 'from-before-v1']);
    expect(readdirSync(join(other.root, '.mesh/state/before-networks'))).toHaveLength(1);

    const mine = await registerAgent(other, 'from-other');
    await expect.poll(() => listAgents(one)).toEqual(['consultant', 'consultant', 'from-before', 'from-other']);
    expect(await one.call('POST', '/agents/register', { agent_id: 'From-Other', capabilities: [] })).toMatchObject({
      status: 409,
      body: { error: 'agent_id_claimed', path: 'agent_id' },
    });
    const message = { to: 'from-before', payload: { hello: 1 } };
    expect(await other.call('POST', '/agents/messages', message, mine)).toMatchObject({ status: 200 });
    const inbox = async () => (await one.call('GET', '/agents/messages', undefined, before)).body as Inbox;
    await expect.poll(async () => (await inbox()).messages.map(({ from }) => from)).toContain('from-other');

    const live = new SocketClient<HubServerFrame>(`${one.address.replace('http', 'ws')}/agents/ws`, before);
    await new Promise((resolve) => live.socket.once('open', resolve));
    await other.call('POST', '/agents/messages', { ...message, payload: 'live' }, mine);
    await expect
      .poll(() => live.frames)
      .toContainEqual(
        expect.objectContaining({ type: 'message', from: 'from-other', to: 'from-before', payload: 'live' }),
      );

    const copies: NetworkCopies = (await other.call('GET', '/network/copies')).body;
    const [copy] = copies.copies;
    expect(copy).toMatchObject({ before: 'team', made_at: expect.stringMatching(/Z$/) });
    expect(await other.call('POST', '/network/restore', { copy: copy?.name })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('leave it first') },
    });
    expect((await other.call('DELETE', '/network')).status).toBe(200);
    await registerAgent(other, 'after-leaving');
    expect(await listAgents(other)).toEqual(['after-leaving', 'consultant', 'consultant', 'from-before', 'from-other']);
    expect(await listAgents(one)).toEqual(['consultant', 'consultant', 'from-before', 'from-other']);

    other.clock.step(1);
    const restored: NetworkCopies = (await other.call('POST', '/network/restore', { copy: copy?.name })).body;
    expect(restored.copies).toMatchObject([{ before: 'restore' }, { name: copy?.name }]);
    await expect.poll(() => listAgents(other)).toEqual(['consultant', 'set-aside']);
    await expect.poll(() => findAgents(other)).toEqual(['aside-v1', 'set-aside']);
    await expect.poll(() => listOwnProblems(other)).toEqual([null, null]);
    await registerAgent(other, 'after-restoring');
    other.clock.step(1);
    expect((await other.call('POST', '/network/restore', { copy: restored.copies[0]?.name })).status).toBe(200);
    await expect
      .poll(() => listAgents(other))
      .toEqual(['after-leaving', 'consultant', 'consultant', 'from-before', 'from-other']);
    await expect.poll(() => listOwnProblems(other)).toEqual([null, null]);

    const folder = join(other.root, '.mesh/state/before-networks');
    writeFileSync(join(folder, '1-before-team.jsonl.gz'), gzipSync('{"network":"'));
    for (const [name, status, message] of [
      ['1-before-team', 400, 'The copy "1-before-team" cannot be restored: it is cut off.'],
      ['2-before-team', 404, 'There is no copy "2-before-team": meshd network copies lists them.'],
    ])
      expect(await other.call('POST', '/network/restore', { copy: name })).toMatchObject({ status, body: { message } });
    expect(await listAgents(other)).toHaveLength(5);

    // As a kill in the middle of a restore leaves it.
    await other.daemon.stop();
    const store = new Database(join(other.root, '.mesh/state/mesh.db'));
    store.sql('DELETE FROM hub_agents').run();
    store
      .sql("INSERT INTO network_state (one, network, stream_created, sequence, loading) VALUES (1, '', '', 0, ?)")
      .run(copy?.name);
    store.close();
    const again = await testApp({ root: other.root });
    expect(await listAgents(again)).toContain('set-aside');
    expect(await listAgents(again)).not.toContain('after-leaving');
    await registerAgent(again, 'goes-on');
  });

  it('are refused to change while no server answers, and still read; another daemon cannot change what is not its own', async () => {
    const lone = await NatsServers.start(1);
    onTestFinished(() => lone.stop());
    const [one, other] = [await aDaemon(), await aDaemon()];
    await one.call('POST', '/network', { url: lone.url, network: 'team' });
    await other.call('PUT', '/network', { url: lone.url });
    const mine = await registerAgent(one, 'mine');
    const { cluster_id, admin_token }: ClusterCreated = (
      await one.call('POST', '/v1/clusters', { name: 'Quay', visibility: 'public' })
    ).body;
    await expect.poll(() => listAgents(other)).toEqual(['consultant', 'consultant', 'mine']);
    await expect.poll(async () => (await other.call('GET', `/v1/clusters/${cluster_id}`)).status).toBe(200);
    const asAdmin = { authorization: `Bearer ${admin_token}` };
    expect(await other.call('DELETE', `/v1/clusters/${cluster_id}`, undefined, asAdmin)).toMatchObject({
      status: 403,
      body: { message: `"${cluster_id}" belongs to another daemon of the network.` },
    });
    await lone.kill('n1');
    await expect.poll(async () => ((await one.call('GET', '/network')).body as NetworkStatus).state).toBe('connecting');
    expect(await one.call('DELETE', '/agents/me', undefined, mine)).toMatchObject({
      status: 503,
      body: { error: 'network_unavailable', message: expect.stringContaining('Nothing was changed') },
    });
    expect(await listAgents(one)).toEqual(['consultant', 'consultant', 'mine']);
  });
});
