import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { recomputeReputation } from '../../../scripts/recompute-reputation.js';
import type { ReportLog, Reputation } from '../../contract/network/reputation.js';
import type { SelfRegistrationList } from '../../contract/network/self-registration.js';
import { SigningKey } from '../../lib/crypto/ed25519.js';
import { signMeshSig } from '../../lib/crypto/mesh-sig.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { newKey } from '../../testing/network-samples.js';
import { describedOperations } from '../../testing/parts/described-operations.js';

const GOOD = { success: true, latency_ms: 1000, quality: 5, paid: true };
const script = fileURLToPath(new URL('../../../scripts/recompute-reputation.ts', import.meta.url));

/** Registers an agent on the unified API and binds `key` to it, if given. */
async function registered(app: TestApp, agent_id: string, key?: SigningKey): Promise<void> {
  const reply = await app.call('POST', '/v1/agents/register', { agent_id });
  expect(reply.status).toBe(200);
  if (!key) return;
  const body = JSON.stringify({ pubkey: key.pubkey });
  const headers = {
    authorization: `Bearer ${(reply.body as { token: string }).token}`,
    'mesh-sig': signMeshSig(key, { method: 'PUT', path: '/v1/agents/me/key', body }, app.clock.now()),
  };
  expect((await app.call('PUT', '/v1/agents/me/key', body, headers)).status).toBe(200);
}

/** The agent id of the self-registration of a member. */
async function houseAgent(app: TestApp, member: string): Promise<string> {
  const { registrations } = (await app.call('GET', '/registrations')).body as SelfRegistrationList;
  return registrations.find((one) => one.member === member)?.surfaces.v1.agent_id ?? '';
}

function file(app: TestApp, key: SigningKey, agent: string, report: object, headers: Record<string, string> = {}) {
  const path = `/v1/agents/${agent}/feedback`;
  const body = JSON.stringify(report);
  const signed = signMeshSig(key, { method: 'POST', path, body }, app.clock.now());
  return app.call('POST', path, body, { 'mesh-sig': signed, ...headers });
}

/** A bureau that forwards the real responses with each occurrence of `word` replaced by `lie`. */
async function lyingBureau(app: TestApp, word: string, lie: string): Promise<string> {
  const server = createServer(async (request, response) => {
    const honest = await app.call('GET', request.url ?? '');
    response.writeHead(honest.status, { 'content-type': 'application/json' }).end(honest.text.replaceAll(word, lie));
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

/** Runs the program as a process of its own. */
const recomputedAlone = (address: string, agent: string) =>
  promisify(execFile)(process.execPath, ['--import', 'tsx', script, address, agent]).then(
    ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );

/** Runs the program in this process. */
async function recomputed(...args: string[]) {
  const lines = { log: [] as string[], error: [] as string[] };
  const code = await recomputeReputation(args, {
    log: (line) => void lines.log.push(line),
    error: (line) => void lines.error.push(line),
  });
  return { code, stdout: lines.log.join('\n'), stderr: lines.error.join('\n') };
}

it('The description of the API tells what each route returns, and that anyone may call it', async () => {
  const paths = /^\/v1\/(agents\/\{agent_id\}\/feedback|reputation\/.*)$/;
  expect(await describedOperations(await testApp(), paths)).toEqual({
    'POST /v1/agents/{agent_id}/feedback':
      'reputation, public, 200 ReportFiled, File a signed report about a supplier: Signed with Mesh-Sig. Either dims, ' +
      'or outcomes from which they are computed; a receipt or a settled payment makes it weigh more.',
    'GET /v1/reputation/{agent_id}': 'reputation, public, 200 Reputation, An agent’s reputation',
    'GET /v1/reputation/{agent_id}/reports':
      'reputation, public, 200 ReportLog, The signed reports about an agent, oldest first, with ' +
      'the rule that makes the score of them',
  });
});

describe('POST /v1/agents/:agent_id/feedback', () => {
  it('takes no query, which the signature would cover', async () => {
    const app = await testApp();
    await registered(app, 'printer');
    const path = '/v1/agents/printer/feedback?about=horn';
    const body = JSON.stringify(GOOD);
    const headers = { 'mesh-sig': signMeshSig(newKey(), { method: 'POST', path, body }, app.clock.now()) };
    expect(await app.call('POST', path, body, headers)).toMatchObject({ status: 400 });
  });

  it('returns ok, score and all four dims for a signed report, null for those without a report', async () => {
    const app = await testApp();
    await registered(app, 'printer');
    const reply = await file(app, newKey(), 'printer', GOOD);
    expect(reply).toMatchObject({
      status: 200,
      body: { ok: true, score: 1, dims: { reliability: 1, quality: 1, speed: 1, settlement: 1 } },
    });
    const partly = await file(app, newKey(), 'Printer', { dims: { reliability: 0 } });
    expect(partly).toMatchObject({ status: 200, body: { ok: true } });
    await registered(app, 'horn');
    expect((await file(app, newKey(), 'horn', { dims: { quality: 0.75 } })).body).toEqual({
      ok: true,
      score: 0.75,
      dims: { reliability: null, speed: null, quality: 0.75, settlement: null },
    });
    expect((await app.call('GET', '/v1/reputation/PRINTER')).body).toMatchObject({
      agent_id: 'printer',
      reports: 2,
      status: 'rated',
    });
  });

  it('responds bad_signature, before it validates the body, to a missing, wrong or repeated signature', async () => {
    const app = await testApp();
    await registered(app, 'printer');
    const path = '/v1/agents/printer/feedback';
    const refused = { status: 401, body: { error: 'bad_signature' } };
    expect(await app.call('POST', path, GOOD)).toMatchObject(refused);
    expect(await app.call('POST', path, { nonsense: 1 })).toMatchObject(refused);
    expect(await app.call('POST', path, GOOD, { 'mesh-sig': 'v1 a 1 b c' })).toMatchObject(refused);
    const body = JSON.stringify(GOOD);
    const header = { 'mesh-sig': signMeshSig(newKey(), { method: 'POST', path, body }, app.clock.now()) };
    expect((await app.call('POST', path, body, header)).status).toBe(200);
    expect(await app.call('POST', path, body, header)).toMatchObject(refused);
    expect((await app.call('GET', '/v1/reputation/printer')).body).toMatchObject({ reports: 1 });
  });

  it('responds bad_request or unknown_key to an invalid report', async () => {
    const app = await testApp();
    await registered(app, 'printer');
    const path = '/v1/agents/printer/feedback';
    const wrong: [object | string, string][] = [
      [{ dims: { quality: 1.01 } }, 'bad_request'],
      [{ dims: { quality: -0.01 } }, 'bad_request'],
      [{ dims: { quality: '1' } }, 'bad_request'],
      [{ dims: { quality: null } }, 'bad_request'],
      [{ dims: { beauty: 1 } }, 'unknown_key'],
      [{ dims: { quality: 1 }, agent_id: 'me' }, 'unknown_key'],
      [{ dims: {} }, 'bad_request'],
      [{}, 'bad_request'],
      [{ success: 1 }, 'bad_request'],
      [{ success: true, quality: 6 }, 'bad_request'],
      [{ success: true, latency_ms: -1 }, 'bad_request'],
      [{ success: true, dims: { quality: 1 } }, 'bad_request'],
      ['{"dims":{"quality":1e999}}', 'bad_request'],
      ['{"dims":{"quality":NaN}}', 'bad_request'],
      ['[]', 'bad_request'],
    ];
    for (const [report, error] of wrong) {
      const body = typeof report === 'string' ? report : JSON.stringify(report);
      const headers = { 'mesh-sig': signMeshSig(newKey(), { method: 'POST', path, body }, app.clock.now()) };
      const reply = await app.call('POST', path, body, headers);
      expect([body, reply.status, (reply.body as { error: string }).error]).toEqual([body, 400, error]);
    }
    expect((await app.call('GET', '/v1/reputation/printer')).body).toMatchObject({
      reports: 0,
      status: 'not_yet_rated',
      score: null,
    });
  });

  it("responds self_report to the supplier's own key, and to the daemon about its own members", async () => {
    const app = await testApp();
    const own = newKey();
    await registered(app, 'printer', own);
    expect(await file(app, own, 'printer', GOOD)).toMatchObject({ status: 400, body: { error: 'self_report' } });
    const seed = readFileSync(join(app.root, '.mesh/credentials/identity.key'), 'utf8');
    const daemonKey = new SigningKey(Buffer.from(seed.trim(), 'base64'));
    const house = await houseAgent(app, 'consultant');
    for (const written of [house, house.toUpperCase()])
      expect(await file(app, daemonKey, written, GOOD)).toMatchObject({ status: 400, body: { error: 'self_report' } });
    expect((await file(app, daemonKey, 'printer', GOOD)).status).toBe(200);
  });

  it('responds not_found to an unknown agent', async () => {
    const app = await testApp();
    expect(await file(app, newKey(), 'nobody', GOOD)).toMatchObject({ status: 404, body: { error: 'not_found' } });
    expect((await app.call('GET', '/v1/reputation/nobody')).status).toBe(404);
    expect((await app.call('GET', '/v1/reputation/nobody/reports')).status).toBe(404);
  });

  it('honours an Idempotency-Key although each repeat is signed anew', async () => {
    const app = await testApp();
    await registered(app, 'printer');
    const key = newKey();
    const once = { 'idempotency-key': 'report-1' };
    const first = await file(app, key, 'printer', GOOD, once);
    expect((await file(app, key, 'printer', GOOD, once)).body).toEqual(first.body);
    expect(await file(app, key, 'printer', { success: false }, once)).toMatchObject({
      status: 422,
      body: { error: 'idempotency_mismatch' },
    });
    expect((await app.call('GET', '/v1/reputation/printer')).body).toMatchObject({ reports: 1 });
  });
});

describe('Report with the receipt of an ask', () => {
  it('weighs 1 about the exposed member that answered, once, and proves nothing about another agent', async () => {
    const app = await testApp();
    await app.untilIndexed();
    const { request_id } = await app.ask('consultant', { text: 'Which port does it listen on?' });
    const { receipt } = await app.poll('consultant', request_id, 30);
    const agent = await houseAgent(app, 'consultant');
    const served = newKey();
    await registered(app, 'earner', served);
    await registered(app, 'printer');
    await file(app, served, 'printer', { ...GOOD, receipt });
    await file(app, served, agent, { ...GOOD, receipt });
    await file(app, newKey(), agent, { success: false, receipt });
    const log = (await app.call('GET', `/v1/reputation/${agent}/reports`)).body as ReportLog;
    expect(log.reports.map(({ proof, reporter_agent_id }) => [proof, reporter_agent_id])).toEqual([
      ['receipt', 'earner'],
      ['unbound', null],
    ]);
    expect(((await app.call('GET', '/v1/reputation/printer/reports')).body as ReportLog).reports[0]?.proof).toBe(
      'bound',
    );
    expect(await recomputed(app.address, agent)).toMatchObject({ code: 0 });
  });
});

describe('Recomputing a score from the public log', () => {
  it("yields the bureau's score over many pages and at any time, and detects a modified log", async () => {
    const app = await testApp();
    const bound = newKey();
    await registered(app, 'printer');
    await registered(app, 'plotter', bound);
    await registered(app, 'unrated');
    for (let month = 0; month < 5; month += 1) {
      const reports = Array.from({ length: 45 }, (_, i) =>
        file(app, i % 3 === 0 ? bound : newKey(), 'printer', {
          success: i % 4 > 0,
          latency_ms: i * 500,
          quality: 1 + ((i + month) % 5),
        }),
      );
      expect((await Promise.all(reports)).filter(({ status }) => status !== 200)).toEqual([]);
      app.clock.step(20 * 86_400_000);
    }
    app.clock.step(33 * 86_400_000);
    const { score, reports } = (await app.call('GET', '/v1/reputation/printer')).body as Reputation;
    const same = await recomputedAlone(app.address, 'printer');
    expect([same.code, JSON.parse(same.stdout)]).toMatchObject([
      0,
      { agent_id: 'printer', reports, score, told: score, same: true },
    ]);
    expect(await recomputed(app.address, 'unrated')).toMatchObject({ code: 0 });
    expect(await recomputed(app.address, 'nobody')).toMatchObject({ code: 1 });
    const told = await recomputed(await lyingBureau(app, '"score":0.', '"score":0.0'), 'printer');
    expect([told.code, told.stderr]).toMatchObject([1, expect.stringMatching(/The bureau says .*; the log comes to /)]);
    const forged = await recomputed(await lyingBureau(app, '"filed_at":', '"filed_at":1'), 'printer');
    expect([forged.code, forged.stderr]).toMatchObject([
      1,
      expect.stringMatching(/Report 1: it was not filed when it was signed/),
    ]);
  });
});
