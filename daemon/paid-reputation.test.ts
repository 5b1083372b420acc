import { expect, it, onTestFinished } from 'vitest';
import { registerAgent } from './agent-library.js';
import type { ReportLog } from './contract/network/reputation.js';
import type { SelfRegistrationList } from './contract/network/self-registration.js';
import { type Challenge, LOCAL_NETWORK, type TransferDone } from './contract/payments.js';
import type { SigningKey } from './lib/crypto/ed25519.js';
import { signMeshSig } from './lib/crypto/mesh-sig.js';
import { aPayer, aSeller } from './testing/apps/a-market.js';
import { type TestApp, testApp } from './testing/apps/test-app.js';
import { newKey } from './testing/network-samples.js';
import { answers, ScriptedAgent } from './testing/processes/scripted-agent.js';

const PRICE = 5000;
const SKILL = '/team/consultant/v1/ask';

/** Starts a daemon whose consultant sells answers, with a funded wallet that pays. */
async function aShop(payment: object): Promise<TestApp> {
  const app = await testApp({ clients: [new ScriptedAgent('acp', () => answers('Because.'))] });
  const pricing = { unit: 'request', amount: PRICE, currency: 'lamports', network: LOCAL_NETWORK };
  await app.call('PATCH', '/team/consultant', { pricing, payment });
  await app.call('POST', '/wallets', { name: 'payer' });
  await app.call('POST', '/wallets/payer/fund', { lamports: 1_000_000_000 });
  return app;
}

const pay = async (app: TestApp, to: string, memo: string): Promise<string> =>
  ((await app.call('POST', '/wallets/payer/pay', { to, lamports: PRICE, memo })).body as TransferDone).signature;

const getWallet = async (app: TestApp, name: string): Promise<string> =>
  ((await app.call('POST', '/wallets', { name })).body as { address: string }).address;

async function houseAgent(app: TestApp): Promise<string> {
  const { registrations } = (await app.call('GET', '/registrations')).body as SelfRegistrationList;
  return registrations.find(({ member }) => member === 'consultant')?.surfaces.v1.agent_id ?? '';
}

function signed(
  app: TestApp,
  key: SigningKey,
  method: string,
  path: string,
  body: object,
  headers: Record<string, string> = {},
) {
  const text = JSON.stringify(body);
  return app.call(method, path, text, {
    ...headers,
    'mesh-sig': signMeshSig(key, { method, path, body: text }, app.clock.now()),
  });
}

it('a report has the weight of a payment if its reporter paid for a call that has settled, once for each payment', async () => {
  const app = await aShop({ modes: ['x402'] });
  const { accepts, nonce } = (await app.call('POST', SKILL, { text: 'Why?' })).body as Challenge;
  const signature = await pay(app, accepts[0]?.address ?? '', nonce);
  const agent = await houseAgent(app);
  const report = { success: true, paid: true, payment: { network: LOCAL_NETWORK, signature } };
  const [buyer, stranger] = [newKey(), newKey()];
  const file = (key: SigningKey) => signed(app, key, 'POST', `/v1/agents/${agent}/feedback`, report);

  expect((await file(buyer)).status).toBe(200);
  const proof = { 'x-payment-proof': signature, 'x-payment-nonce': nonce };
  expect((await signed(app, buyer, 'POST', SKILL, { text: 'Why?' }, proof)).status).toBe(200);
  for (const key of [stranger, buyer, buyer]) expect((await file(key)).status).toBe(200);
  const { reports } = (await app.call('GET', `/v1/reputation/${agent}/reports`)).body as ReportLog;
  expect(reports.map((one) => one.proof)).toEqual(['unbound', 'unbound', 'payment', 'unbound']);
});

it('keys that only rate each other get no credit', async () => {
  const app = await aShop({ modes: ['x402'], postpay_min_reputation: 0.8 });
  const ring = [newKey(), newKey(), newKey()];
  for (const [number, key] of ring.entries()) {
    const { token } = (await app.call('POST', '/v1/agents/register', { agent_id: `ring-${number}` })).body as {
      token: string;
    };
    await signed(app, key, 'PUT', '/v1/agents/me/key', { pubkey: key.pubkey }, { authorization: `Bearer ${token}` });
  }
  // They also pay each other: lamports of the local network are free.
  const payment = { network: LOCAL_NETWORK, signature: await pay(app, await getWallet(app, 'payer'), 'gift') };
  const report = { success: true, paid: true, payment };
  for (const key of [...ring, ...ring])
    for (let number = 0; number < ring.length; number += 1)
      await signed(app, key, 'POST', `/v1/agents/ring-${number}/feedback`, report);
  expect((await app.call('GET', '/v1/reputation/ring-0')).body).toMatchObject({ score: 1, status: 'rated' });
  for (const key of ring) {
    const { status, body } = await signed(app, key, 'POST', SKILL, { text: 'Why?' });
    expect([status, (body as Challenge).reason]).toEqual([402, 'reputation_too_low']);
  }
});

it('a reliable supplier of this daemon may owe for calls, and settles with the memo it was given', async () => {
  const payer = await aPayer();
  const { app } = payer;
  const pricing = { unit: 'request', amount: PRICE, currency: 'lamports', network: LOCAL_NETWORK };
  const payment = { modes: ['x402'], postpay_min_reputation: 0.8 };
  await app.call('PATCH', '/team/consultant', { pricing, payment });
  await app.call('POST', '/wallets', { name: 'payer' });
  await app.call('POST', '/wallets/payer/fund', { lamports: 1_000_000_000 });
  const { agent } = await aSeller(payer);
  const registration = await registerAgent({
    hub: app.address,
    agentId: 'painter',
    card: () => agent.card(),
    identity: agent.identity,
  });
  onTestFinished(() => registration.close());
  const body = JSON.stringify({ text: 'Why?' });
  const ask = () => app.call('POST', SKILL, body, { 'mesh-sig': agent.identity.sign('POST', SKILL, body) });
  for (let bought = 0; bought < 3; bought += 1) {
    expect(((await ask()).body as Challenge).reason).toBe('reputation_too_low');
    expect((await payer.pay({ agent: 'painter' })).state).toBe('done');
  }
  const owing = await ask();
  expect([owing.status, owing.headers.get('x-owed-lamports')]).toEqual([200, String(PRICE)]);

  await pay(app, payer.wallet, owing.headers.get('x-settle-memo') ?? '');
  const states = async () =>
    ((await app.call('GET', '/ledger?side=earned&mode=postpay')).body as { entries: { kind: string; state: string }[] })
      .entries;
  await expect
    .poll(async () => (await states()).map(({ kind, state }) => `${kind} ${state}`).sort())
    .toEqual(['call settled', 'transfer settled']);
  expect((await app.call('GET', '/ledger')).body).toMatchObject({
    tills: [{ earned_lamports: PRICE, owed_lamports: 0 }],
  });
});
