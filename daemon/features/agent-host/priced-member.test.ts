import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PublicCard } from '../../contract/network/card.js';
import type { HostedTask } from '../../contract/network/hosted-agents.js';
import type { SelfRegistrationList } from '../../contract/network/self-registration.js';
import type { Challenge, Topup, TransferDone } from '../../contract/payments.js';
import { encodeBase58 } from '../../lib/crypto/base58.js';
import { SigningKey } from '../../lib/crypto/ed25519.js';
import { signMeshSig } from '../../lib/crypto/mesh-sig.js';
import { passDeadline } from '../../testing/apps/past-deadline.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { MCP_REVISIONS, mcpClient } from '../../testing/processes/mcp-client.js';
import { answers, heldAnswer, ScriptedAgent } from '../../testing/processes/scripted-agent.js';

const CARD = '/team/consultant/.well-known/agent.json';
const ASK = '/team/consultant/v1/ask';
const PRICE = { unit: 'request', amount: 5000, currency: 'lamports', network: 'solana:local' };
const QUESTION = { text: 'On which port does it listen?' };

/** A daemon whose consultant member has the prices and payment declaration in `keys`. */
async function pricedApp(
  keys: object = { pricing: PRICE },
  agent = new ScriptedAgent('acp', () => answers('Port 8123.')),
): Promise<TestApp> {
  const app = await testApp({ clients: [agent] });
  const patched = await app.call('PATCH', '/team/consultant', keys);
  expect([patched.status, patched.text]).toEqual([200, expect.any(String)]);
  return app;
}

async function pay(app: TestApp, to: string, lamports: number, memo: string): Promise<string> {
  await app.call('POST', '/wallets', { name: 'payer' });
  await app.call('POST', '/wallets/payer/fund', { lamports: 1_000_000_000 });
  const paid = await app.call('POST', '/wallets/payer/pay', { to, lamports, memo, network: 'solana:local' });
  expect([paid.status, paid.text]).toEqual([200, expect.stringContaining('signature')]);
  return (paid.body as TransferDone).signature;
}

async function challenge(app: TestApp, body: object = QUESTION, path = ASK): Promise<Challenge> {
  const reply = await app.call('POST', path, body);
  expect([reply.status, reply.text]).toEqual([402, expect.stringContaining('x402Version')]);
  return reply.body as Challenge;
}

async function proofFor(app: TestApp, body: object = QUESTION, path = ASK): Promise<Record<string, string>> {
  const { accepts, nonce } = await challenge(app, body, path);
  const row = accepts[0] as Challenge['accepts'][number];
  return { 'x-payment-proof': await pay(app, row.address, row.amount, nonce), 'x-payment-nonce': nonce };
}

const bearer = async (app: TestApp) => ({ authorization: `Bearer ${await app.getToken('consultant')}` });

describe('Skill with a price', () => {
  it("is shown on the card with this daemon's own wallet when the file names none", async () => {
    const app = await pricedApp();
    const card = (await app.call('GET', CARD)).body as PublicCard;
    const { wallets } = (await app.call('GET', '/wallets')).body as { wallets: { name: string; address: string }[] };
    const main = wallets.find(({ name }) => name === 'main');
    expect(card).toMatchObject({
      pricing: PRICE,
      payment: { modes: ['x402'], network: 'solana:local', wallet: main?.address },
      protocols: ['http', 'a2a', 'mcp', 'x402'],
      skills: [
        {
          description: expect.stringMatching(
            / Price: 5000 lamports per request\. No free calls\. Usual latency: at most \d+ minutes\.$/,
          ),
        },
      ],
    });
    const { registrations } = (await app.call('GET', '/registrations')).body as SelfRegistrationList;
    const id = registrations.find(({ member }) => member === 'consultant')?.surfaces.hub.agent_id;
    expect((await app.call('GET', `/agent/${id}/.well-known/agent.json`)).body).toEqual(card);
  });

  it('is sold to a caller whose limit is used up by the call that was challenged', async () => {
    const app = await pricedApp({ pricing: PRICE, rate_limits: { per_ip_per_hour: 1 } });
    const proof = await proofFor(app);
    expect((await app.call('POST', ASK, QUESTION, { ...proof, 'x-payment-nonce': 'made-up' })).status).toBe(429);
    expect((await app.call('POST', ASK, QUESTION, proof)).status).toBe(200);
    expect((await app.call('POST', ASK, QUESTION)).status).toBe(429);
  });

  it('names the measured latency once it has answered five times, without a new version of its contract', async () => {
    const app = await pricedApp({
      pricing: PRICE,
      payment: { modes: ['x402'], free_tier: { calls_per_day: 9, by: 'ip' } },
    });
    const card = async () => (await app.call('GET', CARD)).body as PublicCard;
    const { version } = await card();
    for (let count = 0; count < 5; count += 1) {
      expect((await card()).skills[0]?.description).toContain('Usual latency: at most ');
      expect((await app.call('POST', ASK, QUESTION)).status).toBe(200);
    }
    const after = await card();
    expect(after.skills[0]?.description).toContain('Usual latency: under 0.1 s, the median of 5 answers.');
    expect(after.version).toBe(version);
  });

  it('leaves rows of networks that are not configured out of card and challenge', async () => {
    const devnet = { ...PRICE, network: 'solana:devnet' };
    const app = await pricedApp({ pricing: [devnet, PRICE] });
    expect((await app.call('GET', CARD)).body).toMatchObject({ pricing: [PRICE] });
    expect((await challenge(app)).accepts.map(({ network }) => network)).toEqual(['solana:local']);
  });

  it('is a problem of the member and never served free when a file names a price that cannot be charged', async () => {
    const app = await pricedApp({ exposure: 'external' });
    const path = join(app.root, '.mesh/team/consultant.md');
    const row = '\npricing: {unit: request, amount: 5, currency: USD}\n---';
    writeFileSync(path, readFileSync(path, 'utf8').replace(/\n---/, row));
    await expect
      .poll(async () => (await app.call('GET', '/team/consultant')).body)
      .toMatchObject({
        warnings: [{ path: 'pricing.currency', reason: expect.stringContaining('cannot be charged') }],
      });
    expect((await app.call('GET', CARD)).body).toMatchObject({ pricing: { currency: 'USD' } });
    expect(await app.call('POST', ASK, QUESTION)).toMatchObject({ status: 401 });
    expect(await app.call('POST', ASK, QUESTION, await bearer(app))).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining('cannot be charged') },
    });
  });

  it.each([
    ['US dollars', 'currency: USD'],
    ['lamports on a network that is not configured', 'currency: lamports, network: "solana:devnet"'],
  ])('in %s alone runs nothing for the holder of its token: by ask and poll, A2A or MCP', async (_price, terms) => {
    const agent = new ScriptedAgent('acp', () => answers('Port 8123.'));
    const app = await pricedApp({ exposure: 'external' }, agent);
    const path = join(app.root, '.mesh/team/consultant.md');
    const row = `\npricing: {unit: request, amount: 5, ${terms}}\n---`;
    writeFileSync(path, readFileSync(path, 'utf8').replace(/\n---/, row));
    await expect
      .poll(async () => ((await app.call('GET', '/team/consultant')).body as { pricing?: object }).pricing)
      .toBeDefined();
    const as = await bearer(app);
    const why = expect.stringContaining('cannot be charged');
    expect(await app.call('POST', '/team/consultant/ask', QUESTION, as)).toMatchObject({
      status: 503,
      body: { error: 'overloaded', message: why },
    });
    const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: QUESTION.text }] };
    const rpc = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } };
    expect(await app.call('POST', '/team/consultant/a2a', rpc, { ...as, 'a2a-version': '1.0' })).toMatchObject({
      body: { error: { message: why } },
    });
    const client = await mcpClient(app, MCP_REVISIONS[0]);
    const { isError, content } = await client.callTool({ name: 'ask_consultant', arguments: QUESTION });
    expect([isError, content]).toEqual([true, [expect.objectContaining({ text: why })]]);
    expect(((await app.call('GET', '/requests')).body as { count: number }).count).toBe(0);
  });

  it('names price, free allowance and usual latency in its description', async () => {
    const payment = { modes: ['x402'], free_tier: { calls_per_day: 3, by: 'pubkey' } };
    const app = await pricedApp({ pricing: PRICE, payment, availability: { sla: '4 seconds' } });
    const terms =
      'Price: 5000 lamports per request. Free: 3 calls a day for each signing key. Usual latency: 4 seconds.';
    for (const path of [
      CARD,
      CARD.replace('agent.json', 'agent-card.json'),
      CARD.replace('.well-known/agent.json', 'openapi.yaml'),
    ])
      expect((await app.call('GET', path)).text.replace(/\s+/g, ' ')).toContain(terms);
  });

  it('is paid into the wallet that the file names', async () => {
    const wallet = encodeBase58(Buffer.alloc(32, 5));
    const app = await pricedApp({ pricing: PRICE, payment: { modes: ['x402'], wallet } });
    expect((await app.call('GET', CARD)).body).toMatchObject({ payment: { modes: ['x402'], wallet } });
    expect((await challenge(app)).accepts[0]?.address).toBe(wallet);
  });

  it('responds 402 with the challenge without payment, with or without a bearer token', async () => {
    const app = await pricedApp();
    for (const headers of [{}, await bearer(app), { authorization: 'Bearer mk_wrong' }]) {
      const reply = await app.call('POST', ASK, QUESTION, headers);
      expect(reply.status).toBe(402);
      expect(Object.keys(reply.body).sort()).toEqual([
        'accepts',
        'chainPayUrl',
        'error',
        'message',
        'nonce',
        'x402Version',
      ]);
      expect(reply.body as Challenge).toMatchObject({
        x402Version: 1,
        accepts: [
          {
            scheme: 'exact',
            network: 'solana:local',
            amount: 5000,
            currency: 'lamports',
            expiresAt: Math.floor(app.clock.now() / 1000) + 600,
          },
        ],
      });
    }
  });

  it('reports an invalid input before any payment', async () => {
    const app = await pricedApp();
    expect(await app.call('POST', ASK, { text: 7 })).toMatchObject({
      status: 400,
      body: { error: 'bad_request', path: 'text' },
    });
    expect(await app.call('POST', ASK, { text: 'x', more: 1 })).toMatchObject({
      status: 400,
      body: { error: 'unknown_key', path: 'more' },
    });
    expect(await app.call('POST', ASK, [])).toMatchObject({ status: 400, body: { error: 'bad_request' } });
  });

  it('responds 200 to a paid retry and replays the result for the same proof', async () => {
    const agent = new ScriptedAgent('acp', () => answers('Port 8123.'));
    const app = await pricedApp({ pricing: PRICE }, agent);
    const proof = await proofFor(app);
    const first = await app.call('POST', ASK, QUESTION, proof);
    expect([first.status, first.body]).toEqual([
      200,
      expect.objectContaining({ result_text: 'Port 8123.', request_id: expect.stringMatching(/^req-/) }),
    ]);
    expect((await app.call('POST', ASK, QUESTION, proof)).body).toEqual(first.body);
    expect(agent.turns).toHaveLength(1);
    const other = await app.call('POST', ASK, { text: 'Something else?' }, proof);
    expect(other.status).toBeGreaterThanOrEqual(400);
    expect(agent.turns).toHaveLength(1);
  });

  it('continues when the paying caller disconnects and returns the result for the same proof', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await pricedApp({ pricing: PRICE }, agent);
    const proof = await proofFor(app);
    const hangUp = new AbortController();
    const first = fetch(`${app.address}${ASK}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...proof },
      body: JSON.stringify(QUESTION),
      signal: hangUp.signal,
    });
    await agent.untilHeld(1);
    hangUp.abort();
    await expect(first).rejects.toThrow();
    const again = Array.from({ length: 5 }, () => app.call('POST', ASK, QUESTION, proof));
    agent.finishAll();
    const replies = await Promise.all(again);
    for (const reply of replies)
      expect([reply.status, reply.body]).toEqual([200, expect.objectContaining({ result_text: 'Thinking. Done.' })]);
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(agent.turns).toHaveLength(1);
  });

  it('is debited from a deposit, with the debit and the balance in the headers', async () => {
    const app = await pricedApp({
      pricing: PRICE,
      payment: { modes: ['x402', 'deposit'], deposit: { min_lamports: 1000, credit_unit: 'lamports' } },
    });
    const opened = (await app.call('POST', '/team/consultant/v1/topup', { amount_lamports: 12_000 })).body as Topup;
    await pay(app, opened.address, 12_000, opened.memo as string);
    const key = { 'x-api-key': opened.api_key as string };
    const reply = await app.call('POST', ASK, QUESTION, key);
    expect([reply.status, reply.headers.get('x-debited-lamports'), reply.headers.get('x-balance-remaining')]).toEqual([
      200,
      '5000',
      '7000',
    ]);
    expect((await app.call('GET', '/team/consultant/v1/balance', undefined, key)).body).toEqual({ lamports: 7000 });
    expect((await app.call('POST', ASK, QUESTION, { 'x-api-key': 'tk_unknown' })).status).toBe(401);
  });

  it('has no deposit routes when its agent has no deposit mode', async () => {
    const app = await pricedApp();
    expect((await app.call('POST', '/team/consultant/v1/topup', { amount_lamports: 12_000 })).status).toBe(404);
    expect((await app.call('GET', '/team/consultant/v1/balance', undefined, { 'x-api-key': 'tk_x' })).status).toBe(404);
  });

  it('identifies its caller by a valid signature and responds 401 to a wrong one', async () => {
    const app = await pricedApp({
      pricing: PRICE,
      payment: { modes: ['x402'], free_tier: { calls_per_day: 1, by: 'pubkey' } },
    });
    const key = new SigningKey(SigningKey.newSeed());
    const body = JSON.stringify(QUESTION);
    const signed = (what = body) => ({
      'mesh-sig': signMeshSig(key, { method: 'POST', path: ASK, body: what }, app.clock.now()),
    });
    expect((await app.call('POST', ASK, body, signed(`${body} `))).body).toMatchObject({ error: 'bad_signature' });
    expect((await app.call('POST', ASK, body, { 'mesh-sig': 'v1 nonsense' })).status).toBe(401);
    const free = signed();
    expect((await app.call('POST', ASK, body, free)).status).toBe(200);
    expect((await app.call('POST', ASK, body, free)).status).toBe(401);
    expect((await app.call('POST', ASK, body, signed())).status).toBe(402);
  });

  it('charges the tier that the input names, or the first tier', async () => {
    const pricing = [
      { ...PRICE, tier: 'mini', amount: 100 },
      { ...PRICE, tier: 'max', amount: 900 },
    ];
    const app = await pricedApp({ pricing });
    const getAmount = async (body: object) =>
      (await challenge(app, body)).accepts.map(({ amount, tier }) => [amount, tier])[0];
    expect(await getAmount({ ...QUESTION, tier: 'max' })).toEqual([900, 'max']);
    expect(await getAmount({ ...QUESTION, tier: 'mini' })).toEqual([100, 'mini']);
    expect(await getAmount(QUESTION)).toEqual([100, 'mini']);
    expect(await app.call('POST', ASK, { ...QUESTION, tier: 'huge' })).toMatchObject({
      status: 400,
      body: { path: 'tier' },
    });
  });

  it('requires the bearer token for a free tier', async () => {
    const app = await pricedApp({
      pricing: [
        { ...PRICE, tier: 'max' },
        { unit: 'request', amount: 0, currency: 'free', tier: 'mini' },
      ],
    });
    const body = { ...QUESTION, tier: 'mini' };
    expect((await app.call('POST', ASK, body)).status).toBe(401);
    expect((await app.call('POST', ASK, body, await bearer(app))).status).toBe(200);
    expect((await app.call('POST', ASK, { ...QUESTION, tier: 'max' }, await bearer(app))).status).toBe(402);
  });

  it('is refunded in the same journal when it fails after the debit', async () => {
    const failing = new ScriptedAgent('acp', async function* () {
      yield { type: 'text', text: 'half' } as const;
      throw new Error('broken pipe');
    });
    const app = await pricedApp({ pricing: PRICE, payment: { modes: ['deposit'] } }, failing);
    const opened = (await app.call('POST', '/team/consultant/v1/topup', { amount_lamports: 6000 })).body as Topup;
    await pay(app, opened.address, 6000, opened.memo as string);
    const key = { 'x-api-key': opened.api_key as string };
    expect((await app.call('POST', ASK, QUESTION, key)).status).toBe(503);
    expect((await app.call('GET', '/team/consultant/v1/balance', undefined, key)).body).toEqual({ lamports: 6000 });
  });

  it('is cancelled and refunded after 120 s', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await pricedApp({ pricing: PRICE, payment: { modes: ['deposit'] } }, agent);
    const opened = (await app.call('POST', '/team/consultant/v1/topup', { amount_lamports: 6000 })).body as Topup;
    await pay(app, opened.address, 6000, opened.memo as string);
    const key = { 'x-api-key': opened.api_key as string };
    const calling = app.call('POST', ASK, QUESTION, key);
    const id = await passDeadline(app, agent, calling);
    expect((await app.poll('consultant', id)).error?.code).toBe('cancelled');
    expect((await app.call('GET', '/team/consultant/v1/balance', undefined, key)).body).toEqual({ lamports: 6000 });
  });

  it("gives no paying caller access to another caller's session", async () => {
    const agent = new ScriptedAgent('acp', () => answers('Yes.'));
    const app = await pricedApp(
      { pricing: PRICE, payment: { modes: ['x402'], free_tier: { calls_per_day: 9, by: 'pubkey+ip' } } },
      agent,
    );
    await app.ask('consultant', { text: 'The secret is blue.', session: 'mine' });
    const key = new SigningKey(SigningKey.newSeed());
    const body = JSON.stringify({ text: 'What is the secret?', session: 'mine' });
    const signed = () => ({ 'mesh-sig': signMeshSig(key, { method: 'POST', path: ASK, body }, app.clock.now()) });
    for (const headers of [{}, signed(), {}, signed()])
      expect((await app.call('POST', ASK, body, headers)).status).toBe(200);
    const convs = agent.turns.map(({ conv }) => conv);
    expect(convs[2]).toBe(convs[4]);
    expect(new Set(convs).size).toBe(4);
  });

  it('is callable as a task, which returns the paid result and replays it for the same proof', async () => {
    const app = await pricedApp();
    const path = '/team/consultant/tasks/send';
    const body = { message: { role: 'user', parts: [{ type: 'text', text: QUESTION.text }] } };
    const proof = await proofFor(app, body, path);
    const task = (await app.call('POST', path, body, proof)).body as HostedTask;
    expect(task).toMatchObject({
      id: expect.stringMatching(/^req-/),
      status: { state: 'completed' },
      artifacts: [{ parts: [{ text: 'Port 8123.' }, {}] }],
    });
    expect((await app.call('POST', path, body, proof)).body).toEqual(task);
    expect((await app.call('GET', `/team/consultant/tasks/${task.id}`)).status).toBe(401);
    expect(
      (await app.call('GET', `/team/consultant/tasks/${task.id}`, undefined, await bearer(app))).body,
    ).toMatchObject({
      id: task.id,
      status: { state: 'completed' },
    });
  });
});
