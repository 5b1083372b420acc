import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openMachineClients } from '../../../app/machine-clients.js';
import { readConfig } from '../../../config.js';
import { AGENT_PROGRAMS, type ClientList, type ClientSetup, type ClientTest } from '../../../contract/clients.js';
import type { MemberDetail } from '../../../contract/team.js';
import { systemClock } from '../../../lib/time/clock.js';
import { JsonStore } from '../../../storage/files/json-store.js';
import type { MeshFolder } from '../../../storage/mesh-folder.js';
import { type TestApp, testApp } from '../../../testing/apps/test-app.js';
import { describedOperations } from '../../../testing/parts/described-operations.js';
import { answers, heldAnswer, ScriptedAgent } from '../../../testing/processes/scripted-agent.js';
import { ModelEndpoint } from '../../../testing/stand-ins/model-endpoint.js';
import { temporaryRepository } from '../../../testing/temporary-folder.js';
import { ACP_PROGRAMS } from '../acp/acp-programs.js';
import type { Client } from '../client.js';
import { Clients } from '../clients.js';
import { type ClientSettings, parseSettings } from './client-settings.js';
import { ClientSetup as Setup } from './client-setup.js';
import { ClientTests } from './client-tests.js';

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
    expect(again.log.join('')).toContain('The chosen model is not used: .mesh/credentials/clients.json is damaged');
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

it('the operations are described, with who may call them and what they return', async () => {
  expect(await describedOperations(await testApp(), /^\/clients/)).toEqual({
    'GET /clients': 'system, operator, 200 ClientList, Clients on this machine',
    'GET /clients/setup':
      'system, operator, 200 ClientSetup, Ways to connect a model on this machine, and what was chosen',
    'PUT /clients/setup': 'system, operator, 200 ClientSetup, Use a model for all members or for one',
    'DELETE /clients/setup': 'system, operator, 200 ClientSetup, Forget the chosen model and its key',
    'GET /clients/ollama': 'system, operator, 200 OllamaModels, Models of Ollama on this machine',
    'POST /clients/tests':
      'system, operator, 202 ClientTest, Test a model with one short turn, without saving the choice',
    'GET /clients/tests/{test}': 'system, operator, 200 ClientTest, Progress of a test',
    'DELETE /clients/tests/{test}': 'system, operator, 200 ClientTest, Stop a test',
  });
});

describe('the choice of what runs the members', () => {
  interface Machine {
    settings?: ClientSettings;
    ready?: readonly string[];
    programs?: Record<string, { isFound: boolean; problem: string | null }>;
    models?: readonly string[];
    without?: string;
  }

  const NOT_FOUND = { isFound: false, problem: null };

  /** The setup on a machine whose clients of the names `ready` are. */
  async function aSetup({ settings, ready = ['api'], programs = {}, models = ['m'], without }: Machine = {}) {
    const seen = {
      saved: undefined as object | undefined,
      created: [] as [ClientSettings, number | undefined][],
      members: [] as string[],
    };
    const builtin: Client = { ...aClient('builtin'), models: () => ['builtin'] };
    function aClient(name: string): Client {
      return {
        name,
        probe: async () => ({ ready: ready.includes(name), reason: ready.includes(name) ? null : `no ${name}` }),
        models: () => models,
        efforts: () => [],
        run: () => answers('ready'),
      };
    }
    const clients = new Clients({ builtin });
    const file = {
      read: async () => (settings ? { ...settings } : null),
      write: async (content: object) => {
        seen.saved = content;
      },
    };
    const store = new JsonStore<ClientSettings>(file, { parse: parseSettings, stringify: (data) => ({ ...data }) });
    const tests = new ClientTests(systemClock, () => undefined);
    const setup = new Setup({
      clients,
      settings: store,
      tests,
      create: (chosen, retries) => {
        seen.created.push([chosen, retries]);
        return ['claude-code', 'acp', 'api'].filter((name) => name !== without).map(aClient);
      },
      findProgram: async (name) => programs[name] ?? NOT_FOUND,
      setMember: async (id, client) => {
        if (id === 'nobody') throw new Error('There is no such member.');
        seen.members.push(`${id} on ${client}`);
      },
    });
    await setup.load();
    return { setup, seen, clients, tests };
  }

  const endpoint = { provider: 'openai-compatible', base_url: 'https://a.example/v1', model: 'm' } as const;
  const entered = { way: 'endpoint', ...endpoint } as const;

  it('is read at the start, and the clients are made with it', async () => {
    const settings: ClientSettings = { named_only: ['acp'], auto: 'api', endpoint };
    const { setup, seen } = await aSetup({ settings, ready: ['api', 'acp', 'claude-code'] });
    expect(seen.created).toEqual([[settings, undefined]]);
    expect(await setup.view()).toMatchObject({ auto: 'api', named_only: ['acp'], model_connected: true });
  });

  it('is shown with every program, and the endpoint without its key', async () => {
    const settings: ClientSettings = { named_only: [], auto: 'acp', acp_program: 'gemini' };
    const programs = { gemini: { isFound: true, problem: null }, opencode: { isFound: false, problem: 'It obeys.' } };
    const { setup: shown } = await aSetup({ settings, programs });
    const row = (program: string, more: object = {}) => ({
      ...{ program, client: 'acp', found: false, problem: null, chosen: false },
      ...more,
    });
    expect(await shown.view()).toEqual({
      model_connected: true,
      auto: 'api',
      named_only: [],
      programs: [
        row('claude', { client: 'claude-code' }),
        row('gemini', { found: true, chosen: true }),
        row('opencode', { problem: 'It obeys.' }),
        row('claude-agent-acp'),
        row('codex-acp'),
      ],
      endpoint: null,
    });
    const keyed = await aSetup({
      settings: { named_only: [], auto: 'claude-code', endpoint: { ...endpoint, api_key: KEY } },
    });
    const view = await keyed.setup.view();
    expect(view.endpoint).toEqual({ ...endpoint, has_key: true });
    expect(view.programs.filter(({ chosen }) => chosen).map(({ program }) => program)).toEqual(['claude']);
    const keyless = await aSetup({ settings: { named_only: [], endpoint } });
    expect((await keyless.setup.view()).endpoint).toEqual({ ...endpoint, has_key: false });
  });

  it('is tested without being saved, and a request that fails is not repeated', async () => {
    const { setup, seen, tests } = await aSetup();
    const { test, client, limit_seconds } = await setup.test(entered);
    await tests.stop();
    expect([client, limit_seconds, tests.get(test).client, seen.saved]).toEqual(['api', 60, 'api', undefined]);
    expect(seen.created[1]).toEqual([{ named_only: [], endpoint }, 0]);
    await expect((await aSetup({ without: 'api' })).setup.test(entered)).rejects.toMatchObject({
      code: 'bad_request',
      message: 'Client `api` does not exist on this machine.',
    });
  });

  it('of a program has the usual time, also beside an endpoint on this machine', async () => {
    const settings: ClientSettings = { named_only: [], endpoint: { ...endpoint, base_url: 'http://127.0.0.1:1/v1' } };
    const { setup, tests } = await aSetup({ settings, programs: { gemini: { isFound: true, problem: null } } });
    expect((await setup.test({ way: 'program', program: 'gemini' })).limit_seconds).toBe(60);
    await tests.stop();
  });

  it.each([
    [{}, "The program `gemini` is not on this machine's PATH: install it, then look again."],
    [{ gemini: { isFound: false, problem: 'It obeys.' } }, 'It obeys.'],
  ])('of a program that cannot be used is refused: %j', async (programs, message) => {
    const { setup, seen } = await aSetup({ programs });
    const choice = { way: 'program', program: 'gemini' } as const;
    const refusal = { code: 'bad_request', message, details: { path: 'program' } };
    await expect(setup.test(choice)).rejects.toMatchObject(refusal);
    await expect(setup.use(choice)).rejects.toMatchObject(refusal);
    expect(seen.saved).toBeUndefined();
  });

  it('of an endpoint does not look for a program, and a program must be named', async () => {
    const { setup } = await aSetup();
    expect(await setup.use({ ...entered, program: 'gemini' })).toMatchObject({ auto: 'api' });
    await expect(setup.use({ way: 'program' })).rejects.toMatchObject({ details: { path: 'program' } });
  });

  it('for all members is saved and holds at once', async () => {
    const { setup, seen } = await aSetup({ ready: ['api', 'claude-code'] });
    expect(await setup.view()).toMatchObject({ auto: 'claude-code' });
    expect(await setup.use(entered)).toMatchObject({ auto: 'api', endpoint: { base_url: endpoint.base_url } });
    expect(seen.saved).toEqual({ named_only: [], auto: 'api', endpoint });
    expect([seen.members, seen.created.at(-1)?.[0]]).toEqual([[], seen.saved]);
  });

  it('for all members is saved also where it serves them already', async () => {
    const { setup, seen } = await aSetup({ ready: ['api'] });
    await setup.use(entered);
    expect(seen.saved).toEqual({ named_only: [], auto: 'api', endpoint });
  });

  it.each([
    [['claude-code', 'api'], { named_only: ['api'], endpoint }, 'claude-code'],
    // It serves the others already, and goes on to.
    [['api'], { named_only: [], endpoint }, 'api'],
  ])('for one member names the client in its file: of %j', async (ready, saved, auto) => {
    const { setup, seen } = await aSetup({ ready });
    expect(await setup.use({ ...entered, member: 'developer' })).toMatchObject({ auto });
    expect([seen.saved, seen.members]).toEqual([saved, ['developer on api']]);
  });

  it('for a member that does not exist is not saved', async () => {
    const { setup, seen } = await aSetup();
    await expect(setup.use({ ...entered, member: 'nobody' })).rejects.toThrow('There is no such member.');
    expect(seen.saved).toBeUndefined();
  });

  it('can be forgotten, and the environment decides again', async () => {
    const { setup, seen } = await aSetup({
      settings: { named_only: ['claude-code'], auto: 'api', endpoint },
      ready: ['api', 'claude-code'],
    });
    expect(await setup.forget()).toMatchObject({ auto: 'claude-code', named_only: [], endpoint: null });
    expect([seen.saved, seen.created.at(-1)?.[0]]).toEqual([{ named_only: [] }, { named_only: [] }]);
  });

  it.each<[Machine, object]>([
    [{ models: ['', 'llama3.2', 'qwen3'] }, { models: ['llama3.2', 'qwen3'], reason: null }],
    [{ models: [''] }, { models: [], reason: 'It has no model yet: `ollama pull llama3.2`.' }],
    [{ ready: [] }, { models: [], reason: 'no api' }],
    [{ without: 'api' }, { models: [], reason: 'This machine has no such client.' }],
  ])('of Ollama is among its models: %j', async (machine, found) => {
    const { setup, seen } = await aSetup(machine);
    expect(await setup.listOllama(1234)).toEqual({ base_url: 'http://127.0.0.1:1234/v1', ...found });
    const asked = { provider: 'openai-compatible', base_url: 'http://127.0.0.1:1234/v1', model: '' };
    expect(seen.created.at(-1)?.[0]).toEqual({ named_only: [], endpoint: asked });
    expect((await setup.listOllama(undefined)).base_url).toBe('http://127.0.0.1:11434/v1');
  });
});

it('a change of the tests and of the choice is told to those who watch', async () => {
  const agent = new ScriptedAgent('api', () => answers('ready'));
  const app = await testApp({ machine: { create: () => [agent] } });
  let changes = 0;
  app.daemon.bus.watch(({ type }) => {
    if (type === 'clients.updated') changes += 1;
  });
  const choice = { way: 'ollama', model: 'llama3.2' };
  const started = await app.call('POST', '/clients/tests', choice);
  expect([started.status, (await untilEnded(app, started.body as ClientTest)).state]).toEqual([202, 'passed']);
  expect(changes).toBe(3);
  expect((await app.call('GET', '/clients/ollama?port=1234')).body).toMatchObject({
    base_url: 'http://127.0.0.1:1234/v1',
    models: ['scripted-1', 'scripted-0'],
  });
});

it('a test ends with the daemon', async () => {
  let reason: unknown;
  const agent = new ScriptedAgent('api', async function* (_turn, signal, one) {
    yield { type: 'text', text: 'Thinking.' };
    await one.held(signal).catch((error: unknown) => {
      reason = error;
    });
  });
  const app = await testApp({ machine: { create: () => [agent] } });
  await app.call('POST', '/clients/tests', { way: 'ollama', model: 'llama3.2' });
  await agent.untilHeld(1);
  await app.stop();
  expect(reason).toMatchObject({ message: 'You stopped the test.' });
});
