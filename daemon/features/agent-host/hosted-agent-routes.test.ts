import { describe, expect, it } from 'vitest';
import type { Topup } from '../../contract/payments.js';
import { testApp } from '../../testing/apps/test-app.js';
import { describedOperations } from '../../testing/parts/described-operations.js';
import { answers, ScriptedAgent } from '../../testing/processes/scripted-agent.js';

const AT = '/team/consultant';
const PRICE = { unit: 'request', amount: 5000, currency: 'lamports', network: 'solana:local' };
const task = (text: string) => ({ message: { parts: [{ type: 'text', text }] } });

/** A daemon whose consultant has the keys of `file`. */
async function hosted(file: object = {}) {
  const app = await testApp({ clients: [new ScriptedAgent('acp', () => answers('So.'))] });
  expect((await app.call('PATCH', AT, { description: 'Knows the lamps.', ...file })).status).toBe(200);
  const post = (path: string, body: unknown, headers?: Record<string, string>) =>
    app.call('POST', `${AT}${path}`, body, headers);
  const bearer = { authorization: `Bearer ${await app.getToken('consultant')}` };
  return { app, post, bearer };
}

it('the description of the API tells what every hosted agent serves', async () => {
  const app = await testApp();
  const paths = /^\/team\/\{id\}\/(\.well-known\/.*|health|about|openapi\.yaml|v1\/.*|tasks\/.*)$/;
  const at = (path: string) => `/team/{id}${path}`;
  expect(await describedOperations(app, paths)).toEqual({
    [`GET ${at('/.well-known/agent.json')}`]: 'agent, card, 200 PublicCard, Full card of an agent hosted here',
    [`GET ${at('/.well-known/agent-card.json')}`]:
      'agent, card, 200 AgentCard PublicCard, Full card of an agent hosted here, which is one of A2A 0.3; with the ' +
      'header A2A-Version: 1.0 the one of 1.0',
    [`GET ${at('/health')}`]: 'agent, public, 200 AgentHealth, Health record of an agent hosted here',
    [`GET ${at('/about')}`]:
      'agent, public, 200 AgentBanner, Endpoints, providers, rate limits and defaults of an agent',
    [`GET ${at('/openapi.yaml')}`]: 'agent, public, 200, What an agent serves, as OpenAPI 3.1',
    [`POST ${at('/v1/{skill}')}`]:
      'agent, public, 200 or 402 Challenge, Call a skill; answers when it is done. With a price it wants payment, ' +
      'else the bearer of the agent',
    [`POST ${at('/tasks/send')}`]:
      'agent, public, 200 HostedTask or 402 Challenge, Send a task: a skill in the older A2A shape',
    [`GET ${at('/tasks/{task}')}`]: 'agent, bearer, 200 HostedTask, A task by its request id, in the older A2A shape',
    [`POST ${at('/v1/topup')}`]:
      'agent, public, 200 Topup, Open a deposit key; the balance appears when the transfer with its memo is confirmed',
    [`GET ${at('/v1/balance')}`]: 'agent, public, 200 Balance, What is left on a deposit key, which comes as X-Api-Key',
  });
});

it.each([
  [' 0.3 ', true],
  ['0.10.12', true],
  ['0.', false],
  ['0.3.', false],
  ['0.3.0.1', false],
  ['x0.3', false],
  ['0.3x', false],
  ['1.0', false],
])('the card for the A2A version `%s` is one of 0.3: %s', async (version, isLegacy) => {
  const { app } = await hosted();
  const { body } = await app.call('GET', `${AT}/.well-known/agent-card.json`, undefined, { 'a2a-version': version });
  expect('protocolVersion' in (body as object)).toBe(isLegacy);
});

describe('a call without the bearer', () => {
  it('of a skill or a task without a price is refused before its body is read', async () => {
    const { post, bearer } = await hosted();
    for (const path of ['/v1/ask', '/tasks/send']) {
      expect((await post(path, '{"text": ')).status).toBe(401);
      expect((await post(path, '{"text": ', bearer)).status).toBe(400);
    }
  });

  it('of a priced skill or task is told what it costs, and reads its body first', async () => {
    const { post } = await hosted({ pricing: PRICE });
    for (const path of ['/v1/ask', '/tasks/send']) {
      expect((await post(path, '{"text": ')).status).toBe(400);
      const { status, headers } = await post(path, path === '/v1/ask' ? { text: 'x' } : task('x'));
      expect([status, headers.get('content-type')]).toEqual([402, 'application/json; charset=utf-8']);
    }
  });

  it('of a tier that is free is refused, as a skill and as a task', async () => {
    const free = { unit: 'request', amount: 0, currency: 'free', tier: 'mini' };
    const { post, bearer } = await hosted({ pricing: [{ ...PRICE, tier: 'max' }, free] });
    const input = { text: 'x', tier: 'mini' };
    const body = { message: { parts: [{ type: 'data', data: input }] } };
    expect([(await post('/v1/ask', input)).status, (await post('/tasks/send', body)).status]).toEqual([401, 401]);
    const sent = await post('/tasks/send', body, bearer);
    expect([sent.status, sent.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect((await post('/v1/ask', { text: 'x', tier: 'max' })).status).toBe(402);
  });
});

it.each([
  ['/v1/ask', { text: 'x' }],
  ['/tasks/send', task('x')],
  ['/v1/topup', { amount_lamports: 10_000 }],
])('calls of %s count towards the limits of the agent', async (path, body) => {
  const keys = { pricing: PRICE, payment: { modes: ['deposit'] }, rate_limits: { per_ip_per_hour: 1 } };
  const { post } = await hosted(keys);
  const statuses = [(await post(path, body)).status, (await post(path, body)).status];
  expect(statuses).toEqual([path === '/v1/topup' ? 200 : 402, 429]);
});

describe('deposit keys', () => {
  const DEPOSIT = { pricing: PRICE, payment: { modes: ['deposit'] } };

  it('are opened once for an idempotency key of an agent, and shown once', async () => {
    const { app, post } = await hosted(DEPOSIT);
    await app.call('PATCH', '/team/developer', { exposure: 'external', ...DEPOSIT });
    const key = { 'idempotency-key': 'once' };
    const body = { amount_lamports: 10_000 };
    const first = (await post('/v1/topup', body, key)).body as Topup;
    const again = (await post('/v1/topup', body, key)).body as Topup;
    expect([first.api_key, again.api_key, again.address]).toEqual([expect.stringMatching(/^tk_/), null, first.address]);
    const other = (await app.call('POST', '/team/developer/v1/topup', body, key)).body as Topup;
    expect(other.api_key).toMatch(/^tk_/);
  });

  it('that are unknown are counted by agent, apart from its bearer, and a missing one is not', async () => {
    const { app, post, bearer } = await hosted(DEPOSIT);
    const wrong = { 'x-api-key': 'tk_x' };
    const balance = (headers?: Record<string, string>) => app.call('GET', `${AT}/v1/balance`, undefined, headers);
    for (let count = 0; count < 18; count += 1) expect((await balance(wrong)).status).toBe(401);
    expect((await post('/v1/ask', { text: 'x' }, wrong)).status).toBe(401);
    expect((await post('/tasks/send', task('x'), wrong)).status).toBe(401);
    expect((await balance()).status).toBe(401);
    expect(await balance(wrong)).toMatchObject({ status: 429, body: { error: 'too_many_requests' } });
    expect(await balance()).toMatchObject({ status: 401, body: { error: 'unauthorized' } });
    expect((await app.call('GET', `${AT}/tasks/req-x`, undefined, bearer)).status).toBe(404);
    expect((await app.call('GET', `${AT}/tasks/req-x`, undefined, { authorization: 'Bearer x' })).status).toBe(401);
  });
});
