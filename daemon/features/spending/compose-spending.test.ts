import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { MeshEvent } from '../../contract/events.js';
import { Bus } from '../../events/bus.js';
import type { OutboundRequest } from '../../http/outbound/outbound-exchange.js';
import { Database } from '../../storage/database/database.js';
import type { JsonObject } from '../../storage/files/json-file.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { composeSpending } from './compose-spending.js';
import { spendingRoutes } from './spending-routes.js';

type Parts = Parameters<typeof composeSpending>[0];

const CARD = {
  ...{ name: 'Painter', url: 'http://painter.example', version: '1', description: 'Paints.', pricing: [] },
  ...{ defaultInputModes: [], defaultOutputModes: [], protocols: ['http'], availability: { now: true } },
  skills: [{ id: 'paint', name: 'Paint', description: 'Paints.' }],
};

/** The paying side of a daemon that knows the agent `painter`, whose skill is free. */
async function anArea({ deposits, ...more }: Partial<Parts> & { deposits?: JsonObject } = {}) {
  const clock = new FakeClock();
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const [bus, events, sent] = [new Bus(clock), [] as MeshEvent[], [] as OutboundRequest[]];
  bus.watch((event) => events.push(event));
  const [logged, registered, outcomes] = [[] as unknown[][], [] as unknown[][], [] as unknown[][]];
  const file = {
    content: deposits ?? null,
    read: async () => file.content,
    write: async (content: JsonObject) => {
      file.content = content;
    },
  };
  const area = await composeSpending({
    ...{ clock, database, bus },
    app: {
      log: {
        warn: (...line: unknown[]) => logged.push(['warn', ...line]),
        error: (...line: unknown[]) => logged.push(['error', ...line]),
      },
      register: async (...one: unknown[]) => void registered.push(one),
    } as unknown as Parts['app'],
    exchange: {
      async send(request) {
        sent.push(request);
        return { status: 200, json: { ok: true, score: 1, dims: {} }, header: () => undefined };
      },
    },
    readCard: async () => CARD,
    directory: {
      find: async (agent_id) => (agent_id === 'painter' ? { agent_id, endpoint: CARD.url } : undefined),
      findByEndpoint: async () => undefined,
    },
    chains: {
      get: async () => ({ network: 'solana:local', real: false }),
      list: () => [],
    } as unknown as Parts['chains'],
    wallet: async () => ({ address: 'payer', seed: new Uint8Array(32) }),
    signer: { pubkey: 'key', sign: () => 'signature' },
    depositsFile: file,
    mayWriteSecrets: async () => true,
    bureau: () => 'http://127.0.0.1:7',
    outcome: (...outcome) => void outcomes.push(outcome),
    ...more,
  });
  onTestFinished(() => area.stop());
  const signal = new AbortController().signal;
  return {
    ...{ ...area, database, logged, registered, outcomes, sent },
    /** Calls an agent. Resolves with the call when it has ended. */
    async pay(agent = 'painter') {
      const { call_id } = await area.spending.submit({ agent, skill: 'paint' });
      await area.spending.wait(call_id, 30, signal);
      return area.spending.get(call_id);
    },
    news: () => events.splice(0).map(({ seq: _, ts: __, ...event }) => event),
  };
}

it('the routes of the paying side are those of its calls', async () => {
  const { registered, spending } = await anArea();
  expect(registered).toEqual([[spendingRoutes, { spending }]]);
});

it('each change of a call is told once it is stored, and whether its agent answered', async () => {
  const { pay, news, outcomes } = await anArea();
  const { call_id, state } = await pay();
  expect(state).toBe('done');
  expect(news()).toEqual([{ type: 'call.changed', call_id }]);
  expect(outcomes).toEqual([['painter', true]]);
});

it('each change of a payment is told with its agent', async () => {
  const price = { unit: 'request', amount: 5, currency: 'lamports', network: 'solana:local' };
  const chain = { network: 'solana:local', real: false };
  const { pay, news, database, ledger } = await anArea({
    readCard: async () => ({ ...CARD, pricing: price, payment: { modes: ['x402'], wallet: 'payee' } }),
    chains: { get: async () => chain, list: () => ['solana:local'] } as unknown as Parts['chains'],
  });
  const { call_id, payment_id } = await pay();
  expect(news()).toEqual([
    { type: 'payment.changed', id: payment_id, side: 'spent', state: 'settled', agent: 'painter' },
    { type: 'call.changed', call_id },
  ]);
  await ledger.setCaps({ per_call_lamports: 1 });
  expect(news()).toEqual([{ type: 'payment.balance', agent: null }]);
  expect(database.sql('SELECT count(*) AS n FROM spent_payments').get()).toEqual({ n: 1 });
});

it('a call is reported to the bureau of this daemon, or to that of an agent elsewhere', async () => {
  const { pay, sent } = await anArea();
  expect(await pay()).toMatchObject({ reputation_filed: { ok: true, score: 1, dims: {} } });
  const urls = () => sent.splice(0).map(({ url }) => url);
  expect(urls()).toEqual(['http://painter.example/v1/paint', 'http://127.0.0.1:7/v1/agents/painter/feedback']);
  const other = { address: 'http://127.0.0.1:9', agentId: 'p-7' };
  const elsewhere = await anArea({ findBureau: async () => other });
  await elsewhere.pay();
  expect(elsewhere.sent.map(({ url }) => url).slice(1)).toEqual(['http://127.0.0.1:9/v1/agents/p-7/feedback']);
  const alone = await anArea({ bureau: undefined });
  expect(await alone.pay()).not.toHaveProperty('reputation_filed');
  expect(alone.sent).toHaveLength(1);
});

it('the balances are known from the start, and a change of one is told', async () => {
  const key = { agent: 'painter', endpoint: CARD.url, api_key: 'tk_1', network: 'solana:local', address: 'payee' };
  const { start, ledger, logged } = await anArea({ deposits: { deposits: [{ ...key, lamports: 5, updated_ms: 1 }] } });
  expect(ledger.deposits()).toEqual([]);
  await start();
  expect(ledger.deposits()).toMatchObject([{ agent: 'painter', lamports: 5 }]);
  expect(logged).toEqual([]);
});

it('a damaged file of keys is only logged, and the calls of the process before go on', async () => {
  const { start, spending, logged, database } = await anArea({ deposits: { deposits: 7 } });
  await database.write(() =>
    database
      .sql(
        `INSERT INTO calls (call_id, state, agent, skill, input, asked_mode, wants_report, created_ms)
         VALUES ('call-1', 'running', 'nobody', 'paint', '{}', 'auto', 0, 1)`,
      )
      .run(),
  );
  await start();
  expect(logged).toEqual([
    [
      'warn',
      { area: 'payments', err: expect.objectContaining({ code: 'store_readonly' }) },
      'the keys of deposits cannot be read',
    ],
  ]);
  await spending.wait('call-1', 30, new AbortController().signal);
  expect(spending.get('call-1')).toMatchObject({ state: 'failed', error: { code: 'agent_not_found' } });
});

it('a call whose end cannot be recorded is logged', async () => {
  const { spending, database, logged } = await anArea({
    readCard: async () => {
      // From here on nothing can be written about the call.
      database.sql('DROP TABLE spent_payments').run();
      return CARD;
    },
  });
  const { call_id } = await spending.submit({ agent: 'painter', skill: 'sing' });
  await spending.wait(call_id, 30, new AbortController().signal);
  expect(logged).toEqual([
    ['error', { area: 'payments', err: expect.any(Error), call: call_id }, 'the end of a call could not be recorded'],
  ]);
});

it('a refund is told as the balance with its agent', async () => {
  const api_key = `tk_${'k'.repeat(43)}`;
  const price = { unit: 'request', amount: 5, currency: 'lamports', network: 'solana:local' };
  const { news, pay, ledger } = await anArea({
    readCard: async () => ({ ...CARD, pricing: price, payment: { modes: ['deposit'], wallet: 'payee' } }),
    chains: {
      get: async () => ({
        ...{ network: 'solana:local', real: false },
        sign: async () => ({ signature: 'sig', wire: 'wire' }),
        send: async () => undefined,
      }),
      list: () => ['solana:local'],
    } as unknown as Parts['chains'],
    exchange: {
      async send({ url, headers }) {
        const header = () => undefined;
        if (url.endsWith('/v1/balance')) return { status: 200, json: { lamports: 5 }, header };
        const isPaid = headers?.['x-payment-proof'] !== undefined;
        const accepts = [
          {
            ...{ scheme: 'exact', network: 'solana:local', address: 'payee', amount: 5, currency: 'lamports' },
            ...{ nonce: 'nonce-1234', expiresAt: 4_000_000_000 },
          },
        ];
        const json = isPaid
          ? { error: 'internal', refund: { api_key, lamports: 5 } }
          : { error: 'pay', message: 'Pay.', x402Version: 1, accepts, chainPayUrl: '', nonce: 'nonce-1234' };
        return { status: isPaid ? 500 : 402, json, header };
      },
    },
    bureau: undefined,
  });
  await ledger.setCaps({ per_call_lamports: 5, per_day_lamports: 5 });
  news();
  expect(await pay()).toMatchObject({ state: 'failed', error: { code: 'agent_failed' } });
  const told = news().flatMap((event) => (event.type === 'payment.balance' ? [event.agent] : []));
  expect(told).toEqual([null, 'painter', 'painter']);
  expect(ledger.deposits()).toMatchObject([{ agent: 'painter', lamports: 5, api_key_last4: 'kkkk' }]);
});
