import { expect, it } from 'vitest';
import type { HouseAgentList } from './contract/house-agents.js';
import { type Challenge, LOCAL_NETWORK, type TransferDone } from './contract/payments.js';
import type { ReportLog } from './contract/reputation.js';
import { SigningKey } from './lib/ed25519.js';
import { signMeshSig } from './lib/mesh-sig.js';
import { answers, ScriptedAgent } from './testing/scripted-agent.js';
import { type TestApp, testApp } from './testing/test-app.js';

const PRICE = 5000;
const SKILL = '/team/consultant/v1/ask';
const newKey = () => new SigningKey(SigningKey.newSeed());

/** A daemon whose consultant sells answers, and a wallet that pays. */
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

async function houseAgent(app: TestApp): Promise<string> {
  const { registrations } = (await app.call('GET', '/registrations')).body as HouseAgentList;
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

it('a report weighs by the payment that it names once that has settled, and each payment once', async () => {
  const app = await aShop({ modes: ['x402'] });
  const { accepts, nonce } = (await app.call('POST', SKILL, { text: 'Why?' })).body as Challenge;
  const signature = await pay(app, accepts[0]?.address ?? '', nonce);
  const agent = await houseAgent(app);
  const report = { success: true, paid: true, payment: { network: LOCAL_NETWORK, signature } };
  const file = () => signed(app, newKey(), 'POST', `/v1/agents/${agent}/feedback`, report);

  expect((await file()).status).toBe(200);
  const proof = { 'x-payment-proof': signature, 'x-payment-nonce': nonce };
  expect((await app.call('POST', SKILL, { text: 'Why?' }, proof)).status).toBe(200);
  for (let i = 0; i < 2; i += 1) expect((await file()).status).toBe(200);
  const { reports } = (await app.call('GET', `/v1/reputation/${agent}/reports`)).body as ReportLog;
  expect(reports.map((one) => one.proof)).toEqual(['unbound', 'payment', 'unbound']);
});

it('a caller of good reputation may owe, and settles with the memo that it was told', async () => {
  const app = await aShop({ modes: ['x402'], postpay_min_reputation: 0.8 });
  const key = newKey();
  const ask = () => signed(app, key, 'POST', SKILL, { text: 'Why?' });
  expect([(await ask()).status, ((await ask()).body as Challenge).reason]).toEqual([402, 'reputation_too_low']);

  const { token } = (await app.call('POST', '/v1/agents/register', { agent_id: 'buyer' })).body as { token: string };
  await signed(app, key, 'PUT', '/v1/agents/me/key', { pubkey: key.pubkey }, { authorization: `Bearer ${token}` });
  await signed(app, newKey(), 'POST', '/v1/agents/buyer/feedback', { success: true });
  const owing = await ask();
  expect([owing.status, owing.headers.get('x-owed-lamports')]).toEqual([200, String(PRICE)]);

  const { address } = (await app.call('POST', '/wallets', { name: 'main' })).body as { address: string };
  await pay(app, address, owing.headers.get('x-settle-memo') ?? '');
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
