import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openMachineClients } from '../../../app/machine-clients.js';
import { readConfig } from '../../../config.js';
import { AGENT_PROGRAMS, type ClientList, type ClientSetup, type ClientTest } from '../../../contract/clients.js';
import type { MemberDetail } from '../../../contract/team.js';
import { systemClock } from '../../../lib/time/clock.js';
import type { MeshFolder } from '../../../storage/mesh-folder.js';
import { type TestApp, testApp } from '../../../testing/apps/test-app.js';
import { heldAnswer, ScriptedAgent } from '../../../testing/processes/scripted-agent.js';
import { ModelEndpoint } from '../../../testing/stand-ins/model-endpoint.js';
import { temporaryRepository } from '../../../testing/temporary-folder.js';
import { ACP_PROGRAMS } from '../acp/acp-programs.js';

const KEY = 'stand-in-key-7Yq2';

/** A daemon with the real clients of a machine that has no agent program. */
async function machineApp(root = temporaryRepository({ 'README.md': '# Lamp\n' })): Promise<TestApp> {
  const environment = { PATH: '/nowhere' };
  const config = { ...readConfig(['--root', root], environment, root, undefined), environment };
  const folder = { state: join(root, '.mesh/state'), credentials: join(root, '.mesh/credentials') } as MeshFolder;
  const machine = await openMachineClients(config, folder, systemClock);
  return testApp({ root, machine });
}

const setup = async (app: TestApp) => (await app.call('GET', '/clients/setup')).body as ClientSetup;
const list = async (app: TestApp) => (await app.call('GET', '/clients')).body as ClientList;
const member = async (app: TestApp, id: string) => (await app.call('GET', `/team/${id}`)).body as MemberDetail;

async function untilEnded(app: TestApp, { test }: ClientTest): Promise<ClientTest> {
  for (;;) {
    const seen = (await app.call('GET', `/clients/tests/${test}`)).body as ClientTest;
    if (seen.state !== 'running') return seen;
    await new Promise(setImmediate);
  }
}

const tryChoice = async (app: TestApp, choice: object) =>
  untilEnded(app, (await app.call('POST', '/clients/tests', choice)).body as ClientTest);

describe('the programs that may be chosen', () => {
  it('are claude and the built-in table of the Agent Client Protocol', () => {
    expect([...AGENT_PROGRAMS].sort()).toEqual(['claude', ...ACP_PROGRAMS.map(({ command }) => command[0])].sort());
  });

  it('are refused by name when they are not on the PATH, and nothing is saved', async () => {
    const app = await machineApp();
    for (const [method, path] of [
      ['POST', '/clients/tests'],
      ['PUT', '/clients/setup'],
    ] as const) {
      const { status, body } = await app.call(method, path, { way: 'program', program: 'opencode' });
      expect([status, (body as { path: string }).path]).toEqual([400, 'program']);
    }
    expect((await app.call('POST', '/clients/tests', { way: 'program', program: '/bin/sh' })).status).toBe(400);
    expect((await setup(app)).programs.every(({ found, chosen }) => !found && !chosen)).toBe(true);
  });
});

describe('an endpoint', () => {
  const choice = (endpoint: ModelEndpoint, more: object = {}) => ({
    way: 'endpoint',
    provider: 'openai-compatible',
    base_url: `${endpoint.origin}/v1`,
    model: 'stand-in-1',
    ...more,
  });

  it('is tested with one turn without tools, and saved only by its use', async () => {
    const endpoint = await ModelEndpoint.start(() => ({ text: ['ready'] }));
    const app = await machineApp();
    expect(await list(app)).toMatchObject({ auto: 'builtin', model_connected: false });
    expect(await tryChoice(app, choice(endpoint, { api_key: KEY }))).toMatchObject({
      state: 'passed',
      answer: 'ready',
      reason: null,
    });
    expect(endpoint.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect((await setup(app)).endpoint).toBeNull();
  });

  it('serves all members on auto, is not in the response or the log, and outlives a restart', async () => {
    const endpoint = await ModelEndpoint.start(() => ({ text: ['ready'] }));
    const app = await machineApp();
    const used = await app.call('PUT', '/clients/setup', choice(endpoint, { api_key: KEY }));
    expect(used.body).toMatchObject({ auto: 'api', model_connected: true, endpoint: { has_key: true } });
    expect(JSON.stringify([used.body, await list(app)]) + app.log.join('')).not.toContain(KEY);
    expect(await member(app, 'developer')).toMatchObject({ client: 'auto', client_resolved: 'api' });
    const file = join(app.root, '.mesh/credentials/clients.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain(KEY);
    await app.stop();
    expect(await list(await machineApp(app.root))).toMatchObject({ auto: 'api' });
  });

  it('for one member is written into its file, and no other member runs on it', async () => {
    const endpoint = await ModelEndpoint.start(() => ({ text: ['ready'] }));
    const app = await machineApp();
    await app.call('PUT', '/clients/setup', choice(endpoint, { member: 'developer' }));
    expect(await member(app, 'developer')).toMatchObject({ client: 'api', client_resolved: 'api' });
    expect(await member(app, 'deployer')).toMatchObject({ client: 'auto', client_resolved: 'builtin' });
    expect(await list(app)).toMatchObject({ auto: 'builtin', model_connected: true });
    expect((await app.call('PUT', '/clients/setup', choice(endpoint, { member: 'nobody' }))).status).toBe(404);
  });

  it('of another server never gets the kept key', async () => {
    const [first, second] = [
      await ModelEndpoint.start(() => ({ text: ['ready'] })),
      await ModelEndpoint.start(() => ({ text: ['ready'] })),
    ];
    const app = await machineApp();
    await app.call('PUT', '/clients/setup', choice(first, { api_key: KEY }));
    await tryChoice(app, choice(first));
    await tryChoice(app, choice(second));
    expect(first.requests.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(second.requests.at(-1)?.headers.authorization).toBeUndefined();
    await app.call('DELETE', '/clients/setup');
    expect(readFileSync(join(app.root, '.mesh/credentials/clients.json'), 'utf8')).not.toContain(KEY);
    expect(await list(app)).toMatchObject({ auto: 'builtin', model_connected: false });
  });

  it.each([
    ['base_url', { base_url: 'http://models.example/v1' }],
    ['base_url', { base_url: `https://me:${KEY}@models.example/v1` }],
    ['model', { model: ' ' }],
    ['api_key', { api_key: 'two words' }],
  ])('with a wrong %s is refused, and the error names the field and no key', async (path, wrong) => {
    const endpoint = await ModelEndpoint.start([]);
    const app = await machineApp();
    const { status, body } = await app.call('POST', '/clients/tests', choice(endpoint, wrong));
    expect(body).toMatchObject({ error: 'bad_request', path });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).not.toContain(KEY);
  });

  it('that does not answer fails with the way on', async () => {
    const app = await machineApp();
    const gone = await ModelEndpoint.start([]);
    const lost = choice(gone);
    await gone.stop();
    expect(await tryChoice(app, lost)).toMatchObject({
      state: 'failed',
      reason: expect.stringMatching(/^Nothing answers at .*`meshd clients`/),
    });
  });

  it('is not read from a damaged file, and the daemon starts', async () => {
    const app = await machineApp();
    await app.stop();
    writeFileSync(join(app.root, '.mesh/credentials/clients.json'), '{"endpoint":1}', { mode: 0o600 });
    const again = await machineApp(app.root);
    expect(await list(again)).toMatchObject({ model_connected: false });
    expect(again.log.join('')).toContain('clients.json is damaged');
  });
});

describe('a test', () => {
  it('is stopped by the operator, and ends after a minute by itself', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await testApp({
      machine: { create: () => [agent], findProgram: async () => ({ isFound: true, problem: null }) },
    });
    const start = async () =>
      (await app.call('POST', '/clients/tests', { way: 'program', program: 'gemini' })).body as ClientTest;
    const first = await start();
    await agent.untilHeld(1);
    expect((await app.call('GET', `/clients/tests/${first.test}`)).body).toMatchObject({
      state: 'running',
      stage: 'answering',
    });
    expect((await app.call('DELETE', `/clients/tests/${first.test}`)).body).toMatchObject({ state: 'cancelled' });
    const second = await start();
    await agent.untilHeld(2);
    app.clock.advance(60_000);
    expect(await untilEnded(app, second)).toMatchObject({ state: 'failed', reason: expect.stringContaining('60 s') });
    expect(agent.turns.every(({ member: { tools } }) => tools.length === 0)).toBe(true);
    expect((await app.call('GET', '/clients/tests/test-unknown')).status).toBe(404);
  });

  it.each([
    [300, { way: 'ollama', model: 'llama3.2' }],
    [300, { way: 'endpoint', provider: 'openai-compatible', base_url: 'http://127.0.0.1:1234/v1', model: 'large' }],
    [60, { way: 'endpoint', provider: 'openai-compatible', base_url: 'https://models.example/v1', model: 'large' }],
  ])('has %i s, in which a model on this machine can be loaded, for %j', async (seconds, choice) => {
    const agent = new ScriptedAgent('api', heldAnswer);
    const app = await testApp({ machine: { create: () => [agent] } });
    const started = (await app.call('POST', '/clients/tests', choice)).body as ClientTest;
    await agent.untilHeld(1);
    app.clock.advance(seconds * 1000 - 1);
    expect((await app.call('GET', `/clients/tests/${started.test}`)).body).toMatchObject({
      state: 'running',
      limit_seconds: seconds,
    });
    app.clock.advance(1);
    const reason = expect.stringContaining(`within ${seconds} s`);
    expect(await untilEnded(app, started)).toMatchObject({ state: 'failed', reason });
  });
});
