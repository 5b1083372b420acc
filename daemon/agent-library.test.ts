import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import type { Agent, AgentCall, AgentOptions } from './agent-library/agent-types.js';
import { hostAgent, registerAgent } from './agent-library.js';
import type { PublicCard } from './contract/network/card.js';
import type { AgentRecord } from './contract/network/hub.js';
import type { RegistryRecord } from './contract/network/registry.js';
import type { Challenge, Topup, TransferDone } from './contract/payments.js';
import { type TestApp, testApp } from './testing/apps/test-app.js';
import { caller } from './testing/caller.js';
import { FakeClock } from './testing/fake-clock.js';
import { rawRequest } from './testing/processes/raw-request.js';
import { temporaryFolder } from './testing/temporary-folder.js';

const TWEET = {
  id: 'tweet',
  name: 'Tweet',
  description: 'Writes a tweet about a prompt.',
  tags: ['text'],
  examples: ['Tweet about lamps', '{"prompt": "lamps"}'],
  input_schema: {
    type: 'object',
    properties: { prompt: { type: 'string', minLength: 1 } },
    required: ['prompt'],
    additionalProperties: false,
  },
  output_schema: { type: 'object', properties: { tweet: { type: 'string' } }, required: ['tweet'] },
  run: ({ prompt }: Record<string, unknown>): unknown => ({ tweet: `About ${String(prompt)}.` }),
};
const PRICE = { unit: 'request', amount: 700, currency: 'lamports', network: 'solana:local' };
const FREE_OPTIONS = { agent_id: 'tweeter', name: 'Tweeter', description: 'Writes tweets.', skills: [TWEET] };

async function anAgent(
  options: Partial<AgentOptions> = {},
): Promise<{ agent: Agent; call: ReturnType<typeof caller>; folder: string }> {
  const folder = options.folder ?? join(temporaryFolder(), 'agent');
  const agent = await hostAgent({ ...FREE_OPTIONS, folder, ...options });
  onTestFinished(() => agent.close());
  return { agent, call: caller(agent.url), folder };
}

/**
 * A daemon whose clock is a minute ahead of its callers: a payment on its network is never older than the challenge.
 */
const aDaemon = () => testApp({ clock: new FakeClock(Date.now() + 60_000) });

async function pay(daemon: TestApp, to: string, lamports: number, memo: string): Promise<string> {
  await daemon.call('POST', '/wallets', { name: 'main' });
  await daemon.call('POST', '/wallets/main/fund', { lamports: 1_000_000_000 });
  const paid = await daemon.call('POST', '/wallets/main/pay', { to, lamports, memo, network: 'solana:local' });
  expect([paid.status, paid.text]).toEqual([200, expect.stringContaining('signature')]);
  return (paid.body as TransferDone).signature;
}

describe('a standalone agent', () => {
  it('serves its card, health, banner and description on the loopback interface and protects its keys', async () => {
    const { agent, call, folder } = await anAgent({ version: '2.1.0', isReady: () => false });
    const card = await call('GET', '/.well-known/agent.json', undefined, { origin: 'https://anywhere.example' });
    expect([card.status, card.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    expect(card.body).toMatchObject({
      name: 'Tweeter',
      url: agent.url,
      version: expect.stringMatching(/^2\.1\.0\+/),
      skills: [{ id: 'tweet' }],
      security: [],
    });
    expect(card.body).toEqual(agent.card());
    expect((await call('GET', '/health')).body).toEqual({ ok: true, agent_id: 'tweeter', upstream_ready: false });
    const banner = (await call('GET', '/')).body as { endpoints: { path: string }[] };
    expect(banner.endpoints.map(({ path }) => path)).toContain('/v1/tweet');
    const description = parse((await call('GET', '/openapi.yaml')).text) as { paths: object };
    expect(Object.keys(description.paths)).toContain('/v1/tweet');
    for (const file of ['identity.key', 'wallet.key', 'till.key'])
      expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const rebound = await rawRequest(Number(new URL(agent.url).port), ['GET /health HTTP/1.1', 'Host: evil.example']);
    expect(rebound.status).toBe(421);
  });

  it('is described the same to a reader of YAML 1.1, to which some words and times are no texts', async () => {
    const modes = ['on', 'off', 'yes', 'no', 'NO', 'y', '12:30', '2024-01-01', '0o17', '017', '1_000', '~', '<<'];
    const mode = { type: 'string', enum: modes, default: 'off' };
    const input_schema = { type: 'object', properties: { mode, no: { type: 'string' } }, required: ['mode', 'no'] };
    const { call } = await anAgent({ skills: [{ ...TWEET, input_schema }] });
    const { text } = await call('GET', '/openapi.yaml');
    expect(parse(text, { version: '1.1' })).toEqual(parse(text));
    expect(Object.values(parse(text).components.schemas)).toContainEqual(input_schema);
  });

  it('runs a skill and names the invalid field of an input', async () => {
    const { call } = await anAgent();
    expect(await call('POST', '/v1/tweet', { prompt: 'lamps' })).toMatchObject({
      status: 200,
      body: { tweet: 'About lamps.' },
    });
    expect(await call('POST', '/v1/tweet', {})).toMatchObject({
      status: 400,
      body: { error: 'bad_request', path: 'prompt' },
    });
    expect(await call('POST', '/v1/tweet', { prompt: 'x', more: 1 })).toMatchObject({
      status: 400,
      body: { error: 'unknown_key', path: 'more' },
    });
    expect((await call('POST', '/v1/fly', {})).status).toBe(404);
    const sent = await call('POST', '/tasks/send', {
      message: { role: 'user', parts: [{ type: 'text', text: 'lamps' }] },
    });
    expect(sent).toMatchObject({
      status: 200,
      body: { status: { state: 'completed' }, artifacts: [{ parts: [{ data: { tweet: 'About lamps.' } }] }] },
    });
    const { id } = sent.body as { id: string };
    expect((await call('GET', `/tasks/${id}`)).body).toEqual(sent.body);
    expect((await call('GET', '/tasks/req-none')).status).toBe(404);
  });

  it('returns 503 for a skill that fails or breaks its schema, and keeps the skill’s own refusals', async () => {
    const outcomes: Record<string, () => unknown> = {
      throws: () => {
        throw new Error('secret path');
      },
      wrong: () => ({ tweet: 7 }),
      nothing: () => undefined,
      ring: () => {
        const ring: Record<string, unknown> = {};
        ring['ring'] = ring;
        return ring;
      },
      refuses: () => {
        throw Object.assign(new Error('No tweets about that.'), { code: 'forbidden' });
      },
      pretends: () => {
        throw Object.assign(new Error('Pay me.'), { code: 'payment_required' });
      },
    };
    const { call } = await anAgent({ skills: [{ ...TWEET, run: ({ prompt }) => outcomes[String(prompt)]?.() }] });
    for (const prompt of ['throws', 'wrong', 'nothing', 'ring', 'pretends']) {
      const reply = await call('POST', '/v1/tweet', { prompt });
      expect([prompt, reply.status, (reply.body as { error: string }).error]).toEqual([prompt, 503, 'overloaded']);
      expect(reply.text).not.toContain('secret path');
    }
    expect(await call('POST', '/v1/tweet', { prompt: 'refuses' })).toMatchObject({
      status: 403,
      body: { message: 'No tweets about that.' },
    });
  });

  it('requires its bearer token, if it has one, and limits the rate of calls', async () => {
    const bearer = 'a-bearer-of-its-own-000';
    const { call } = await anAgent({ bearer, rateLimits: { per_ip_per_minute: 2 } });
    const authorization = `Bearer ${bearer}`;
    expect((await call('POST', '/v1/tweet', { prompt: 'x' })).status).toBe(401);
    expect((await call('POST', '/v1/tweet', { prompt: 'x' }, { authorization: `${authorization}1` })).status).toBe(401);
    for (let i = 0; i < 2; i += 1)
      expect((await call('POST', '/v1/tweet', { prompt: 'x' }, { authorization })).status).toBe(200);
    const refused = await call('POST', '/v1/tweet', { prompt: 'x' }, { authorization });
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect((await call('GET', '/.well-known/agent.json')).status).toBe(200);
  });

  it.each<[string, Partial<AgentOptions>, string]>([
    ['a price without a network', { pricing: PRICE }, 'chains'],
    [
      'half a lamport',
      { pricing: { ...PRICE, amount: 0.5 }, chains: { 'solana:local': 'http://127.0.0.1:1/chain' } },
      'pricing.amount',
    ],
    ['a price in US dollars alone', { pricing: { ...PRICE, currency: 'USD', network: undefined } }, 'pricing.currency'],
    [
      'a skill in US dollars alone',
      { skills: [{ ...TWEET, pricing: [{ unit: 'request', amount: 5, currency: 'USD' }] }] },
      'skills.0.pricing.0.currency',
    ],
    ['a network over plain http', { chains: { 'solana:devnet': 'http://rpc.example' } }, 'chains.solana:devnet'],
    ['a broken schema', { skills: [{ ...TWEET, input_schema: { type: 'strnig' } }] }, 'skills.0.input_schema'],
    ['a skill twice', { skills: [TWEET, TWEET] }, 'skills.1.id'],
    ['no skill', { skills: [] }, 'skills'],
    ['an id that is none', { agent_id: '../x' }, 'agent_id'],
  ])('is not started with %s, and the error names it', async (_name, options, path) => {
    await expect(anAgent(options)).rejects.toMatchObject({ code: 'bad_request', details: { path } });
  });

  it('finishes running calls before it closes, and keeps its keys over a restart', async () => {
    let release: () => void = () => undefined;
    let begun: () => void = () => undefined;
    const started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const slow = async () => {
      begun();
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return { tweet: 'late' };
    };
    const { agent, call, folder } = await anAgent({ skills: [{ ...TWEET, run: slow }] });
    const calling = call('POST', '/v1/tweet', { prompt: 'x' });
    await started;
    // A refused request was never counted, so its end must not make up for the running one.
    const refused = await rawRequest(Number(new URL(agent.url).port), ['GET /health HTTP/1.1', 'Host: evil.example']);
    expect(refused.status).toBe(421);
    const closing = agent.close();
    release();
    expect((await calling).body).toEqual({ tweet: 'late' });
    await closing;
    await agent.close();
    const again = await anAgent({ folder });
    expect([again.agent.wallet, again.agent.identity.pubkey]).toEqual([agent.wallet, agent.identity.pubkey]);
  });
});

describe('a standalone agent with a price', () => {
  it('issues a challenge, accepts the proof, and repeats the response to that proof without another run', async () => {
    const daemon = await aDaemon();
    let runs = 0;
    const run = () => {
      runs += 1;
      return { tweet: `number ${runs}` };
    };
    const { agent, call } = await anAgent({
      pricing: PRICE,
      chains: { 'solana:local': `${daemon.address}/chain` },
      skills: [{ ...TWEET, run }],
    });
    expect(agent.card()).toMatchObject({
      pricing: PRICE,
      payment: { modes: ['x402'], network: 'solana:local', wallet: agent.wallet },
      protocols: ['http', 'a2a', 'x402'],
    });
    expect((await call('POST', '/v1/tweet', {})).status).toBe(400);
    const asked = await call('POST', '/v1/tweet', { prompt: 'x' });
    expect(asked.status).toBe(402);
    const challenge = asked.body as Challenge;
    expect(challenge).toMatchObject({
      x402Version: 1,
      accepts: [{ scheme: 'exact', network: 'solana:local', address: agent.wallet, amount: 700, currency: 'lamports' }],
    });
    const signature = await pay(daemon, agent.wallet, 700, challenge.nonce);
    const proof = { 'x-payment-proof': signature, 'x-payment-nonce': challenge.nonce };
    const first = await call('POST', '/v1/tweet', { prompt: 'x' }, proof);
    expect([first.status, first.body]).toEqual([200, { tweet: 'number 1' }]);
    expect((await call('POST', '/v1/tweet', { prompt: 'x' }, proof)).body).toEqual({ tweet: 'number 1' });
    expect(runs).toBe(1);
    expect((await call('POST', '/v1/tweet', { prompt: 'x' }, { 'x-payment': 'eyJ4IjoxfQ==' })).body).toMatchObject({
      error: 'proof_format',
    });
    expect((await call('POST', '/v1/tweet', { prompt: 'x' }, { 'x-payment-proof': signature })).body).toMatchObject({
      error: 'proof_format',
    });
    expect(await agent.balance('solana:local')).toBe(700);
  });

  it('runs to its end when the caller has hung up, and its result is kept for the proof; a free call is aborted', async () => {
    const daemon = await aDaemon();
    const signals: Record<string, AbortSignal> = {};
    let finish: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const run = async ({ prompt }: Record<string, unknown>, { signal }: AgentCall) => {
      signals[String(prompt)] = signal;
      await held;
      return { tweet: `About ${String(prompt)}.` };
    };
    const { agent, call } = await anAgent({
      chains: { 'solana:local': `${daemon.address}/chain` },
      payment: { modes: ['x402'] },
      skills: [
        { ...TWEET, pricing: PRICE, run },
        { ...TWEET, id: 'draft', run },
      ],
    });
    const { nonce } = (await call('POST', '/v1/tweet', { prompt: 'paid' })).body as Challenge;
    const proof = {
      'x-payment-proof': await pay(daemon, agent.wallet, 700, nonce),
      'x-payment-nonce': nonce,
    };
    for (const [skill, prompt] of [
      ['tweet', 'paid'],
      ['draft', 'free'],
    ] as const) {
      const hangUp = new AbortController();
      const asked = fetch(`${agent.url}/v1/${skill}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(skill === 'tweet' ? proof : {}) },
        body: JSON.stringify({ prompt }),
        signal: hangUp.signal,
      });
      await expect.poll(() => signals[prompt]).toBeDefined();
      hangUp.abort();
      await expect(asked).rejects.toThrow();
    }
    // The free call hung up last: once that is noticed, the hang-up of the paid one has been, too.
    await expect.poll(() => signals['free']?.aborted).toBe(true);
    expect((await call('GET', '/health')).status).toBe(200);
    expect(signals['paid']?.aborted).toBe(false);
    finish();
    const repeated = await call('POST', '/v1/tweet', { prompt: 'paid' }, proof);
    expect([repeated.status, repeated.body]).toEqual([200, { tweet: 'About paid.' }]);
  });

  it('is paid from a deposit, which is restored after a failed call', async () => {
    const daemon = await aDaemon();
    const { agent, call } = await anAgent({
      pricing: PRICE,
      payment: { modes: ['x402', 'deposit'], deposit: { min_lamports: 1000, credit_unit: 'lamports' } },
      chains: { 'solana:local': `${daemon.address}/chain` },
      skills: [{ ...TWEET, run: ({ prompt }) => ({ tweet: prompt === 'fail' ? 7 : 'fine' }) }],
    });
    const opened = (await call('POST', '/v1/topup', { amount_lamports: 2000 }, { 'idempotency-key': 'once' }))
      .body as Topup;
    expect(opened.api_key).toMatch(/^tk_/);
    expect(
      (await call('POST', '/v1/topup', { amount_lamports: 2000 }, { 'idempotency-key': 'once' })).body,
    ).toMatchObject({
      api_key: null,
    });
    const key = { 'x-api-key': opened.api_key as string };
    expect((await call('GET', '/v1/balance', undefined, key)).body).toEqual({ lamports: 0 });
    await pay(daemon, agent.wallet, 2000, opened.memo as string);
    expect((await call('GET', '/v1/balance', undefined, key)).body).toEqual({ lamports: 2000 });
    const called = await call('POST', '/v1/tweet', { prompt: 'x' }, key);
    expect([
      called.status,
      called.headers.get('x-debited-lamports'),
      called.headers.get('x-balance-remaining'),
    ]).toEqual([200, '700', '1300']);
    expect((await call('POST', '/v1/tweet', { prompt: 'fail' }, key)).status).toBe(503);
    expect((await call('GET', '/v1/balance', undefined, key)).body).toEqual({ lamports: 1300 });
    expect((await call('GET', '/v1/balance', undefined, { 'x-api-key': 'tk_unknown' })).status).toBe(401);
    expect((await call('GET', '/v1/balance')).status).toBe(401);
  });

  it('pays another agent from its own wallet', async () => {
    const daemon = await aDaemon();
    const chains = { 'solana:local': `${daemon.address}/chain` };
    const { agent } = await anAgent({ chains });
    await pay(daemon, agent.wallet, 5_000_000, 'start');
    const { agent: supplier } = await anAgent({ chains, agent_id: 'supplier' });
    const signature = await agent.pay({
      network: 'solana:local',
      to: supplier.wallet,
      lamports: 1_000_000,
      memo: 'for you',
    });
    expect(signature.length).toBeGreaterThan(60);
    expect(await supplier.balance('solana:local')).toBe(1_000_000);
    await expect(agent.pay({ network: 'solana:local', to: supplier.wallet, lamports: 0.5 })).rejects.toThrow(
      'whole number',
    );
  });
});

describe('a registration', () => {
  it('is on both surfaces with the bound key until it is closed, and a later run resumes it', async () => {
    const daemon = await aDaemon();
    const { agent, folder } = await anAgent();
    const options = {
      hub: daemon.address,
      agentId: 'tweeter',
      card: () => agent.card(),
      identity: agent.identity,
      folder,
      category: 'media.text',
      tags: ['lamps'],
    };
    const earlier = { ...agent.card(), skills: [{ id: 'draw', name: 'Draw', description: 'Draws.' }] };
    const first = await registerAgent({ ...options, card: earlier });
    const again = await registerAgent(options);
    onTestFinished(() => again.close());
    await again.beat();
    const onHub = (await daemon.call('GET', '/agents/tweeter')).body as AgentRecord;
    expect(onHub).toMatchObject({
      online: true,
      capabilities: ['tweet'],
      agent_card: { endpoint: agent.url, tags: ['lamps', 'tweet', 'text'], category: 'media.text' },
    });
    expect((await daemon.call('GET', '/v1/agents/tweeter')).body as RegistryRecord).toMatchObject({
      live: true,
      verified: true,
      pubkey: agent.identity.pubkey,
      endpoint: agent.url,
      capabilities: ['tweet'],
    });
    await expect(registerAgent({ ...options, folder: temporaryFolder() })).rejects.toMatchObject({
      code: 'agent_id_claimed',
    });
    expect((await daemon.call('GET', '/agents/tweeter')).status).toBe(200);
    const card = (await daemon.call('GET', '/agent/tweeter/.well-known/agent.json', undefined, {})) as {
      status: number;
      headers: Headers;
    };
    expect([card.status, card.headers.get('location')]).toEqual([307, `${agent.url}/.well-known/agent.json`]);
    expect(((await (await fetch(card.headers.get('location') as string)).json()) as PublicCard).name).toBe('Tweeter');
    await again.close();
    await first.close();
    expect([
      (await daemon.call('GET', '/agents/tweeter')).status,
      (await daemon.call('GET', '/v1/agents/tweeter')).status,
    ]).toEqual([404, 404]);
    await expect(again.beat()).rejects.toThrow('closed');
  });

  it('is kept by an agent that starts while the hub is away, beside those of other agents of the folder', async () => {
    const daemon = await aDaemon();
    const { agent, folder } = await anAgent();
    const { identity } = agent;
    const options = { hub: daemon.address, agentId: 'tweeter', card: () => agent.card(), identity, folder };
    const first = await registerAgent(options);
    onTestFinished(() => first.close());
    const file = join(folder, 'registrations.json');
    const saved = readFileSync(file, 'utf8');
    const away = { ...options, hub: `http://127.0.0.1:1`, base: daemon.address };
    await expect(registerAgent(away)).rejects.toThrow('fetch failed');
    expect(readFileSync(file, 'utf8')).toBe(saved);
    expect((await daemon.call('GET', '/v1/agents/tweeter')).status).toBe(200);
    const again = await registerAgent(options);
    onTestFinished(() => again.close());
    const other = await registerAgent({ ...options, agentId: 'other' });
    await again.beat();
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')))).toHaveLength(4);
    await other.close();
    expect(readFileSync(file, 'utf8')).toBe(saved);
  });
});
