import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import type { AgentRecord, Registration } from '../../contract/network/hub.js';
import type { RegistryRecord, RegistryRegistration } from '../../contract/network/registry.js';
import type { ReportLog, Reputation } from '../../contract/network/reputation.js';
import type { NetworkStatus } from '../../contract/shared/network.js';
import type { SigningKey } from '../../lib/crypto/ed25519.js';
import { parseMeshSig, signMeshSig } from '../../lib/crypto/mesh-sig.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { idOf, newKey } from '../../testing/network-samples.js';
import { hasNatsServer, NATS_NEEDED, NatsServers } from '../../testing/processes/nats-server.js';
import { commandSubject, signCommand } from './command-envelope.js';
import { parseNatsAddress } from './nats-address.js';
import { openNats } from './nats-connection.js';

const NETWORK = 'team';
const TICK_MS = 50;
const PAINTER = '/v1/agents/painter/feedback';

/** A daemon whose clock is that of the servers, which compare it. */
async function aDaemon(): Promise<TestApp> {
  const app = await testApp();
  app.clock.step(Date.now() - app.clock.now());
  return app;
}

async function register(app: TestApp, agent_id: string) {
  const reply = await app.call('POST', '/v1/agents/register', { agent_id });
  expect(reply.status).toBe(200);
  const { token, api_key } = reply.body as RegistryRegistration;
  return { api_key, as: { authorization: `Bearer ${token}` } };
}

const sign = (app: TestApp, key: SigningKey, method: string, path: string, said: object) => {
  const body = JSON.stringify(said);
  const header = signMeshSig(key, { method, path, body }, app.clock.now());
  return { body, header, send: (to: TestApp, as = {}) => to.call(method, path, body, { ...as, 'mesh-sig': header }) };
};
const report = (app: TestApp, key: SigningKey, said: object = { success: true }) =>
  sign(app, key, 'POST', PAINTER, said);

const listReports = async (app: TestApp) =>
  ((await app.call('GET', '/v1/reputation/painter/reports')).body as ReportLog).reports ?? [];
const readScore = async (app: TestApp) => {
  const { reports, score, dims } = (await app.call('GET', '/v1/reputation/painter')).body as Reputation;
  return { reports, score, dims };
};

/** Signs commands as a daemon of the network that has none of its rules. */
async function aHostileDaemon(servers: NatsServers) {
  const key = newKey();
  const connection = await openNats({
    address: parseNatsAddress(servers.url),
    credentials: undefined,
    name: 'hostile',
  });
  onTestFinished(() => connection.close());
  return (kind: string, entity: string, body: Record<string, unknown>) => {
    const command = { schema: 1 as const, id: randomUUID(), kind, entity, at: Date.now(), daemon: idOf(key), body };
    connection.publish(commandSubject(NETWORK, command), signCommand(key, NETWORK, command));
  };
}

it.skipIf(!hasNatsServer)(
  `reports and signs of life are the same on two daemons, and of their own agents alone${NATS_NEEDED}`,
  async () => {
    const servers = await NatsServers.start(1);
    onTestFinished(() => servers.stop());
    const [one, other] = [await aDaemon(), await aDaemon()];
    const painter = await register(one, 'painter');
    await report(one, newKey(), { dims: { quality: 0 } }).send(one);
    expect((await one.call('POST', '/network', { url: servers.url, network: NETWORK })).status).toBe(200);
    expect((await other.call('PUT', '/network', { url: servers.url })).status).toBe(200);
    await expect.poll(() => readScore(other)).toMatchObject({ reports: 1, score: 0 });

    const printer = await register(other, 'printer');
    const key = newKey();
    const bound = sign(other, key, 'PUT', '/v1/agents/me/key', { pubkey: key.pubkey });
    expect((await bound.send(other, printer.as)).status).toBe(200);
    const first = report(other, key);
    const filed = await first.send(other);
    expect([filed.status, filed.body]).toMatchObject([200, { ok: true, dims: { reliability: 1, quality: 0 } }]);
    await expect.poll(() => listReports(one)).toMatchObject([{ proof: 'unbound' }, { proof: 'bound', weight: 0.25 }]);
    expect(await report(one, key).send(one)).toMatchObject({
      status: 403,
      body: { message: '"printer" belongs to another daemon of the network.' },
    });
    const unbound = report(one, newKey());
    expect((await unbound.send(one)).status).toBe(200);
    await expect.poll(async () => (await listReports(other)).length).toBe(3);
    expect(await unbound.send(other)).toMatchObject({ body: { error: 'bad_signature' } });

    const send = await aHostileDaemon(servers);
    const taken = report(one, key);
    const signature = parseMeshSig(taken.header);
    const request = { method: 'POST', path: PAINTER, body: taken.body };
    send('reputation.file', 'painter', { request, signature, proofs: [], key: null });
    const praise = report(one, newKey(), { success: true, payment: { network: 'solana:local', signature: 'none' } });
    send('reputation.file', 'painter', {
      request: { ...request, body: praise.body },
      ...{ signature: parseMeshSig(praise.header), proofs: ['payment'], key: null },
    });
    await expect.poll(() => listReports(one)).toMatchObject([{}, {}, {}, { proof: 'unbound', weight: 0.05 }]);
    for (const app of [one, other]) {
      const { refusals } = (await app.call('GET', '/network')).body as NetworkStatus;
      expect(refusals).toContainEqual(expect.objectContaining({ reason: 'owner' }));
    }
    expect(await listReports(other)).toEqual(await listReports(one));
    expect(await readScore(other)).toEqual(await readScore(one));

    // The timers of the readers and of the signs of life, which a minute is let pass for.
    const running = setInterval(() => one.clock.advance(TICK_MS), TICK_MS);
    onTestFinished(() => clearInterval(running));
    const join = async (app: TestApp, agent_id: string) =>
      (await app.call('POST', '/agents/register', { agent_id, capabilities: ['light'] })).body as Registration;
    const [buoy, lamp] = [await join(one, 'buoy'), await join(other, 'lamp')];
    // A token for an agent of another daemon spoils nothing of what this one says of its own.
    const asLamp = { agent_id: 'lamp', api_key: lamp.api_key };
    await expect.poll(async () => (await one.call('POST', '/agents/token', asLamp)).status).toBe(200);
    const asPainter = { agent_id: 'painter', api_key: painter.api_key };
    expect((await other.call('POST', '/v1/agents/token', asPainter)).status).toBe(403);
    one.clock.step(2_000);
    await one.call('PATCH', '/agents/me', {}, { authorization: `Bearer ${buoy.token}` });
    expect((await one.call('POST', '/v1/agents/me/heartbeat', undefined, painter.as)).status).toBe(200);
    const readSeen = async (app: TestApp) =>
      Promise.all(
        ['/agents/buoy', '/v1/agents/painter'].map(
          async (path) => ((await app.call('GET', path)).body as AgentRecord | RegistryRecord).last_seen,
        ),
      );
    const seen = await readSeen(one);
    one.clock.advance(60_000);
    await expect.poll(() => readSeen(other)).toEqual(seen);

    expect((await one.call('DELETE', '/v1/agents/me', undefined, painter.as)).status).toBe(200);
    await expect.poll(async () => (await other.call('GET', '/v1/agents/painter')).status).toBe(404);
    await register(other, 'painter');
    await expect.poll(() => readScore(one)).toEqual({ reports: 0, score: null, dims: {} });
    expect(await readScore(other)).toEqual({ reports: 0, score: null, dims: {} });
  },
);
