import { describe, expect, it } from 'vitest';
import { type Ledger as LedgerPage, LOCAL_NETWORK } from '../../../contract/payments.js';
import { testApp } from '../../../testing/apps/test-app.js';
import {
  createTestPaymentProcessor,
  PAYMENT,
  PRICE,
  type TestPaymentProcessor,
} from '../../../testing/processes/test-payment-processor.js';
import { EarningsLedger } from './earnings-ledger.js';
import { Ledger } from './ledger.js';
import type { LedgerPick, PlacedEntry, SpentSide } from './ledger-port.js';

const ENTRY = {
  side: 'spent',
  kind: 'call',
  state: 'settled',
  mode: 'x402',
  agent: 'supplier',
  skill: 'draw',
  counterparty: null,
  amount_lamports: 7,
  network: LOCAL_NETWORK,
  real: false,
  nonce: null,
  signature: null,
  api_key_last4: null,
  reason: null,
  latency_ms: null,
  created_at: 0,
  updated_at: 0,
} as const;

/** An in-memory spent side. */
class Spent implements SpentSide {
  readonly side = 'spent';
  readonly placed: PlacedEntry[] = [];

  add(id: string, createdMs: number): void {
    this.placed.push({ createdMs, entry: { ...ENTRY, id } });
    this.placed.sort((a, b) => b.createdMs - a.createdMs || (a.entry.id < b.entry.id ? 1 : -1));
  }

  list({ before, limit }: LedgerPick): PlacedEntry[] {
    const isAfter = ({ createdMs, entry }: PlacedEntry) =>
      !before || createdMs < before.createdMs || (createdMs === before.createdMs && entry.id < before.id);
    return this.placed.filter(isAfter).slice(0, limit);
  }

  totals = () => ({ spent_lamports: 7, spent_today_lamports: 7 });
  sums = () => [];
  deposits = () => [];
  caps = () => ({ per_call_lamports: 1, per_day_lamports: 2 });
  setCaps = async () => this.caps();
}

function getLedger(payments: TestPaymentProcessor) {
  const spent = new Spent();
  return {
    spent,
    ledger: new Ledger(new EarningsLedger(payments.database, payments.clock), spent, payments.processor.journal),
  };
}

describe('the ledger', () => {
  it('lists calls and incoming transfers, newest first, with balances and totals', async () => {
    const payments = await createTestPaymentProcessor();
    const apiKey = await payments.deposited(3 * PRICE);
    await payments.processor.balance('painter', PAYMENT, apiKey);
    payments.clock.advance(1000);
    await payments.call({ apiKey });
    payments.clock.advance(1000);
    const offered = await payments.payFor(await payments.refused({ pubkey: 'caller' }));
    await payments.call(offered, {}, async () => ({ status: 500, body: { error: 'broken' } }));
    payments.clock.advance(1000);
    await payments.refused();
    const {
      entries,
      tills: earnings,
      earned_lamports,
      sums,
      next_cursor,
    } = getLedger(payments).ledger.list({ side: 'earned' });
    expect(entries).toEqual([
      expect.objectContaining({
        state: 'challenged',
        mode: null,
        amount_lamports: PRICE,
        skill: 'paint',
        kind: 'call',
      }),
      expect.objectContaining({
        state: 'refunded',
        mode: 'x402',
        reason: 'broken',
        signature: offered.proof,
        nonce: offered.nonce,
        counterparty: payments.payer.address,
        latency_ms: 0,
        real: false,
      }),
      expect.objectContaining({
        state: 'settled',
        mode: 'deposit',
        api_key_last4: apiKey.slice(-4),
        amount_lamports: PRICE,
      }),
      expect.objectContaining({
        kind: 'topup',
        state: 'settled',
        counterparty: payments.payer.address,
        amount_lamports: 3 * PRICE,
      }),
    ]);
    expect(earnings).toEqual([
      {
        agent: 'painter',
        network: LOCAL_NETWORK,
        address: payments.wallet.address,
        earned_lamports: PRICE,
        balances_lamports: 3 * PRICE,
        owed_lamports: 0,
        keys: 2,
      },
    ]);
    expect([earned_lamports, next_cursor]).toEqual([PRICE, null]);
    expect(sums).toEqual([
      {
        side: 'earned',
        network: LOCAL_NETWORK,
        real: false,
        paid_lamports: 4 * PRICE,
        refunded_lamports: PRICE,
        balance_lamports: 3 * PRICE,
        owed_lamports: 0,
        net_lamports: PRICE,
      },
    ]);
  });

  it('reports an expired challenge as expired', async () => {
    const payments = await createTestPaymentProcessor();
    await payments.refused();
    const { ledger } = getLedger(payments);
    expect(ledger.list({ state: 'challenged' }).count).toBe(1);
    payments.clock.advance(600_000);
    expect(ledger.list({ state: 'challenged', side: 'earned' }).count).toBe(0);
    expect(ledger.list({ side: 'earned' }).entries[0]?.state).toBe('expired');
    expect(ledger.list({ state: 'expired', side: 'earned' }).count).toBe(1);
  });

  it('removes unpaid challenges a day after they expired, and keeps paid calls', async () => {
    const payments = await createTestPaymentProcessor();
    const offered = await payments.payFor(await payments.refused());
    await payments.call(offered);
    await payments.refused();
    payments.clock.advance(25 * 3_600_000);
    const { ledger } = getLedger(payments);
    const states = () => {
      payments.clock.advance(30_000);
      return ledger.list({ side: 'earned' }).entries.map(({ state }) => state);
    };
    await expect.poll(states).toEqual(['settled']);
    expect((await payments.call(offered)).replayed).toBe(true);
  });

  it('pages through both sides as one list, to its end and without a gap', async () => {
    const payments = await createTestPaymentProcessor();
    const { spent, ledger } = getLedger(payments);
    for (let i = 0; i < 7; i += 1) {
      await payments.refused();
      spent.add(`pay-${i}`, payments.clock.now());
      spent.add(`pay-other-${i}`, payments.clock.now() + 1);
      payments.clock.advance(2);
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = ledger.list({ limit: 4, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...page.entries.map(({ id }) => id));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(ledger.list({ limit: 200 }).entries.map(({ id }) => id));
    expect(new Set(seen).size).toBe(21);
    expect([...ledger.all({})].flat()).toHaveLength(21);
    expect(() => ledger.list({ cursor: 'nonsense' })).toThrow('next_cursor');
  });

  it('supports search and filters', async () => {
    const payments = await createTestPaymentProcessor();
    const apiKey = await payments.deposited(PRICE);
    await payments.processor.balance('painter', PAYMENT, apiKey);
    payments.clock.advance(5000);
    await payments.call({ apiKey, pubkey: 'key%of_caller' });
    const { ledger } = getLedger(payments);
    const found = (query: object) => ledger.list({ side: 'earned', ...query }).entries.map(({ kind }) => kind);
    expect(found({ q: '%of_' })).toEqual(['call']);
    expect(found({ q: 'painter' })).toEqual(['call', 'topup']);
    expect(found({ q: '100%' })).toEqual([]);
    expect(found({ mode: 'deposit' })).toEqual(['call', 'topup']);
    expect(found({ agent: 'sculptor' })).toEqual([]);
    expect(found({ since: Math.floor(payments.clock.now() / 1000) })).toEqual(['call']);
  });
});

describe('GET /ledger and GET /ledger/export.csv', () => {
  it('return the operator’s ledger; the CSV contains no formula', async () => {
    const app = await testApp();
    const page = await app.call('GET', '/ledger');
    expect([page.status, page.body]).toEqual([
      200,
      expect.objectContaining({ entries: [], caps: expect.any(Object), tills: [] }),
    ]);
    await app.call('POST', '/team', { id: 'painter', body: 'You paint.' });
    const pricing = { unit: 'request', amount: PRICE, currency: 'lamports', network: LOCAL_NETWORK };
    await app.call('PATCH', '/team/painter', { exposure: 'external', pricing, payment: PAYMENT });
    expect((await app.call('POST', '/team/painter/v1/ask', { text: 'Why?' })).status).toBe(402);
    const { entries } = (await app.call('GET', '/ledger?state=challenged')).body as LedgerPage;
    expect(entries).toEqual([
      expect.objectContaining({ agent: 'painter', skill: 'ask', side: 'earned', amount_lamports: PRICE }),
    ]);
    const csv = await app.call('GET', '/ledger/export.csv?side=earned');
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const [head, line, rest] = csv.text.split('\r\n');
    expect(head).toContain('id,created_at,updated_at,side,kind,state');
    expect(line).toContain(`,${PRICE},${LOCAL_NETWORK},false,`);
    expect(rest).toBe('');
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="ledger.csv"');
    expect((await app.call('GET', '/ledger?cursor=x')).status).toBe(400);
    for (const query of ['ledger?wrong=1', 'ledger/export.csv?wrong=1', 'ledger/export.csv?limit=5'])
      expect([query, (await app.call('GET', `/${query}`)).status]).toEqual([query, 400]);
  });

  it('are described in the API, as is PATCH /ledger/caps, which changes the caps that it names', async () => {
    const app = await testApp();
    const { caps } = (await app.call('GET', '/ledger')).body as LedgerPage;
    const changed = await app.call('PATCH', '/ledger/caps', { per_call_lamports: 7 });
    expect([changed.status, changed.body]).toEqual([200, { ...caps, per_call_lamports: 7 }]);
    expect((await app.call('GET', '/ledger')).body).toMatchObject({ caps: changed.body });
    expect((await app.call('PATCH', '/ledger/caps', { per_call_lamports: -1 })).status).toBe(400);
    const { paths } = (await app.call('GET', '/openapi.json')).body as {
      paths: Record<string, Record<string, { responses?: Record<string, { content?: unknown }> }>>;
    };
    const schema = (name: string) => ({
      '200': { content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } } },
    });
    expect(paths['/ledger']?.['get']).toMatchObject({
      summary: expect.stringContaining('Payments earned and spent'),
      tags: ['payments'],
      responses: schema('Ledger'),
    });
    expect(paths['/ledger/export.csv']?.['get']).toMatchObject({
      summary: 'The ledger as CSV',
      tags: ['payments'],
      parameters: expect.arrayContaining([expect.objectContaining({ name: 'agent', in: 'query' })]),
    });
    expect(paths['/ledger/caps']?.['patch']).toMatchObject({
      summary: 'Change the spending caps',
      tags: ['payments'],
      responses: schema('Caps'),
    });
  });
});
