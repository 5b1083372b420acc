import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { registerAgent } from '../../agent-library.js';
import type { ReportLog } from '../../contract/network/reputation.js';
import {
  type ApprovalList,
  type Call,
  type Ledger,
  LOCAL_NETWORK,
  type Settled,
  type Wallet,
} from '../../contract/payments.js';
import { type APayer, aCrookedAgent, aPayer, aSeller, FEE, PRICE } from '../../testing/apps/a-market.js';
import { testApp } from '../../testing/apps/test-app.js';

const TWO_ROWS = { calls_per_day: 1, by: 'pubkey+ip' } as const;
const listEntries = async (payer: APayer) => (await payer.ledger()).entries;
const approvals = async (payer: APayer) => ((await payer.app.call('GET', '/approvals')).body as ApprovalList).approvals;
const decide = async (payer: APayer, call: string, decision: string) =>
  await payer.app.call('POST', `/ledger/approvals/${call}`, { decision });
const ended = async (payer: APayer, id: string) => (await payer.app.call('GET', `/calls/${id}?wait=30`)).body as Call;

describe('a call to an agent with a price', () => {
  it('is paid by a transfer with the nonce as memo, and its entry names the transaction', async () => {
    const payer = await aPayer();
    const { agent, runs } = await aSeller(payer);
    const before = await payer.getLamports(payer.wallet);
    const call = await payer.pay({ agent: agent.url });
    expect(call).toMatchObject({
      state: 'done',
      mode: 'x402',
      amount_lamports: PRICE,
      network: LOCAL_NETWORK,
      result: { painted: 1 },
    });
    expect(runs).toMatchObject([{ input: { prompt: 'a lamp' }, mode: 'x402', pubkey: expect.any(String) }]);
    expect(await payer.getLamports(agent.wallet)).toBe(PRICE);
    expect(await payer.getLamports(payer.wallet)).toBe(before - PRICE - FEE);
    const { entries, spent_lamports, spent_today_lamports } = await payer.ledger();
    expect(entries).toMatchObject([
      {
        id: call.payment_id,
        side: 'spent',
        state: 'settled',
        mode: 'x402',
        signature: call.signature,
        counterparty: agent.wallet,
      },
    ]);
    expect([spent_lamports, spent_today_lamports]).toEqual([PRICE, PRICE]);
  });

  it('uses a free call first, then pays', async () => {
    const payer = await aPayer();
    const { agent } = await aSeller(payer, { payment: { modes: ['x402'], free_tier: TWO_ROWS } });
    const calls = [await payer.pay({ agent: agent.url }), await payer.pay({ agent: agent.url })];
    expect(calls.map(({ mode, amount_lamports }) => [mode, amount_lamports])).toEqual([
      ['free', 0],
      ['x402', PRICE],
    ]);
    expect(await payer.pay({ agent: agent.url, mode: 'free' })).toMatchObject({
      state: 'failed',
      error: { code: 'no_free_call' },
    });
    expect(await payer.getLamports(agent.wallet)).toBe(PRICE);
  });

  it('uses a free call of an agent that also sells on credit when the caller allows no price at all', async () => {
    const payer = await aPayer();
    const { agent } = await aSeller(payer, {
      payment: { modes: ['x402'], postpay_min_reputation: 0.5, free_tier: { calls_per_day: 1, by: 'ip' } },
      reputationOf: () => 0.9,
    });
    const body = { agent: agent.url, max_lamports: 0 };
    expect(await payer.pay(body)).toMatchObject({ state: 'done', mode: 'free', amount_lamports: 0 });
    expect(await payer.pay(body)).toMatchObject({ state: 'failed', error: { code: 'budget_exceeded' } });
    expect((await payer.ledger()).spent_lamports).toBe(0);
  });

  it('is debited from a deposit that is opened, used up and topped up with the same key', async () => {
    const payer = await aPayer();
    const { agent, runs } = await aSeller(payer);
    const calls: Call[] = [];
    for (let i = 0; i < 5; i += 1)
      calls.push(await payer.pay({ agent: agent.url, mode: 'deposit', topup_lamports: 2 * PRICE }));
    expect(calls.map(({ state, mode, amount_lamports }) => [state, mode, amount_lamports])).toEqual(
      Array(5).fill(['done', 'deposit', PRICE]),
    );
    expect(runs.map(({ mode }) => mode)).toEqual(Array(5).fill('deposit'));
    const { entries, deposits, spent_lamports } = await payer.ledger();
    const topups = entries.filter(({ kind }) => kind === 'topup');
    expect(topups).toHaveLength(3);
    expect(new Set(topups.map(({ api_key_last4 }) => api_key_last4)).size).toBe(1);
    expect(deposits).toMatchObject([
      { lamports: PRICE, network: LOCAL_NETWORK, api_key_last4: topups[0]?.api_key_last4 },
    ]);
    expect(spent_lamports).toBe(6 * PRICE);
    expect(await payer.getLamports(agent.wallet)).toBe(6 * PRICE);
    expect(await payer.pay({ agent: agent.url })).toMatchObject({ mode: 'deposit' });
  });

  it('is debited from one deposit once per call when several calls run concurrently', async () => {
    const payer = await aPayer();
    const { agent, runs } = await aSeller(payer);
    const body = { agent: agent.url, mode: 'deposit', topup_lamports: 3 * PRICE } as const;
    const calls = await Promise.all(Array.from({ length: 6 }, () => payer.pay(body)));
    expect(calls.map(({ state, mode }) => `${state} ${mode}`)).toEqual(Array(6).fill('done deposit'));
    expect(runs).toHaveLength(6);
    const { entries, deposits, spent_lamports } = await payer.ledger();
    expect(new Set(entries.map(({ api_key_last4 }) => api_key_last4)).size).toBe(1);
    expect(spent_lamports - (deposits[0]?.lamports ?? 0)).toBe(6 * PRICE);
    expect(agent.books().tills).toMatchObject([
      { earned_lamports: 6 * PRICE, balances_lamports: deposits[0]?.lamports },
    ]);
  });

  it('shows and logs only the last four characters of its deposit key', async () => {
    const payer = await aPayer();
    const { agent } = await aSeller(payer);
    const call = await payer.pay({ agent: agent.url, mode: 'deposit' });
    const shown = [call, await payer.ledger(), (await payer.app.call('GET', '/calls')).body, payer.app.log];
    expect(JSON.stringify(shown)).not.toMatch(/tk_[A-Za-z0-9_-]{8}/);
    const kept = join(payer.app.root, '.mesh/credentials/deposits.json');
    expect(readFileSync(kept, 'utf8')).toMatch(/tk_[A-Za-z0-9_-]{8}/);
    expect(statSync(kept).mode & 0o777).toBe(0o600);
  });

  it('incurs a debt if the agent offers post-pay, which one transfer settles on request', async () => {
    const payer = await aPayer();
    const { agent, runs } = await aSeller(payer, {
      payment: { modes: ['x402'], postpay_min_reputation: 0.5 },
      reputationOf: () => 0.9,
    });
    const calls = [await payer.pay({ agent: agent.url, mode: 'postpay' }), await payer.pay({ agent: agent.url })];
    expect(calls.map(({ mode, amount_lamports }) => [mode, amount_lamports])).toEqual(
      Array(2).fill(['postpay', PRICE]),
    );
    expect(await payer.getLamports(agent.wallet)).toBe(0);
    expect((await listEntries(payer)).map(({ state }) => state)).toEqual(['owed', 'owed']);
    const settled = (await payer.app.call('POST', '/ledger/settle', {})).body as Settled;
    expect(settled).toMatchObject({
      paid_lamports: 2 * PRICE,
      failed: [],
      settled: [{ kind: 'transfer', state: 'settled' }],
    });
    expect(await payer.getLamports(agent.wallet)).toBe(2 * PRICE);
    expect((await listEntries(payer)).map(({ kind, state }) => `${kind} ${state}`).sort()).toEqual([
      'call settled',
      'call settled',
      'transfer settled',
    ]);
    expect((await payer.app.call('POST', '/ledger/settle', {})).body).toMatchObject({ paid_lamports: 0 });
    expect((await payer.ledger()).spent_lamports).toBe(2 * PRICE);
    expect(runs).toHaveLength(2);
  });

  it('is paid by proof when post-pay is refused, and fails when only post-pay was requested', async () => {
    const payer = await aPayer();
    const { agent, runs } = await aSeller(payer, {
      payment: { modes: ['x402'], postpay_min_reputation: 0.5 },
      reputationOf: () => 0.1,
    });
    expect(await payer.pay({ agent: agent.url, mode: 'postpay' })).toMatchObject({
      state: 'failed',
      error: { code: 'no_credit' },
    });
    expect(await payer.pay({ agent: agent.url })).toMatchObject({ state: 'done', mode: 'x402' });
    expect(runs).toHaveLength(1);
    expect((await payer.ledger()).spent_today_lamports).toBe(PRICE);
  });

  it('keeps the payment of a failed skill as a balance with the agent, and uses it for the next call', async () => {
    const payer = await aPayer();
    let isBroken = true;
    const { agent } = await aSeller(payer, {
      run: () => {
        if (isBroken) throw new Error('out of paint');
        return { painted: true };
      },
    });
    expect(await payer.pay({ agent: agent.url })).toMatchObject({
      state: 'failed',
      error: { code: 'agent_failed' },
    });
    expect((await payer.ledger()).deposits).toMatchObject([{ lamports: PRICE }]);
    expect(await listEntries(payer)).toMatchObject([{ state: 'refunded', amount_lamports: PRICE }]);
    isBroken = false;
    expect(await payer.pay({ agent: agent.url })).toMatchObject({ state: 'done', mode: 'deposit' });
    expect(await payer.getLamports(agent.wallet)).toBe(PRICE);
  });

  it('owes at most the price of the card, whatever the agent claims', async () => {
    const payer = await aPayer();
    const { wallet } = await payer.app
      .call('POST', '/wallets', { name: 'crook' })
      .then(({ body }) => ({ wallet: (body as Wallet).address }));
    const card = {
      name: 'Crook',
      url: 'http://crook.example',
      version: '1',
      description: 'Sells on credit.',
      defaultInputModes: ['application/json'],
      defaultOutputModes: ['application/json'],
      protocols: ['http'],
      pricing: { unit: 'request', amount: PRICE, currency: 'lamports', network: LOCAL_NETWORK },
      payment: { modes: ['x402'], wallet, postpay_min_reputation: 0 },
      availability: { now: true },
      skills: [{ id: 'paint', name: 'Paint', description: 'Paints.' }],
    };
    const { url } = await aCrookedAgent(payer.ports[0] as number, ({ method }) =>
      method === 'GET'
        ? { status: 200, body: card }
        : { status: 200, body: {}, headers: { 'x-owed-lamports': String(100 * PRICE), 'x-settle-memo': 'settle-me' } },
    );
    expect(await payer.pay({ agent: url, mode: 'postpay' })).toMatchObject({ state: 'done', amount_lamports: PRICE });
    expect(await listEntries(payer)).toMatchObject([
      { state: 'owed', amount_lamports: PRICE, reason: 'debt_above_card' },
    ]);
    expect((await payer.app.call('POST', '/ledger/settle', {})).body).toMatchObject({ paid_lamports: PRICE });
    expect(await payer.getLamports(wallet)).toBe(PRICE);
  });

  it('finds the agent by its id and files a signed report of the outcome, unless that is disabled', async () => {
    const payer = await aPayer();
    const { agent } = await aSeller(payer);
    const { address } = payer.app;
    const registration = await registerAgent({
      hub: address,
      agentId: 'painter',
      card: () => agent.card(),
      identity: agent.identity,
    });
    onTestFinished(() => registration.close());
    const call = await payer.pay({ agent: 'Painter' });
    expect(call).toMatchObject({
      agent: 'painter',
      agent_url: agent.url,
      reputation_filed: { ok: true, dims: { reliability: 1, settlement: 1 } },
    });
    const log = async () => ((await payer.app.call('GET', '/v1/reputation/painter/reports')).body as ReportLog).reports;
    const [report] = await log();
    expect(JSON.parse(report?.body ?? '')).toMatchObject({
      success: true,
      paid: true,
      capability: 'paint',
      payment: { network: LOCAL_NETWORK, signature: call.signature },
    });
    await payer.pay({ agent: 'painter', report: false });
    expect(await log()).toHaveLength(1);
  });

  it('costs nothing and adds no entry when the skill has no price', async () => {
    const payer = await aPayer({ caps: { per_call_lamports: 0, per_day_lamports: 0 } });
    const { agent } = await aSeller(payer, { pricing: { unit: 'request', amount: 0, currency: 'free' } });
    expect(await payer.pay({ agent: agent.url })).toMatchObject({
      state: 'done',
      mode: null,
      amount_lamports: 0,
      payment_id: null,
    });
    expect(await listEntries(payer)).toEqual([]);
  });

  it('costs the price of its tier', async () => {
    const payer = await aPayer();
    const rows = [
      { unit: 'request', amount: 1000, currency: 'lamports', network: LOCAL_NETWORK, tier: 'mini' },
      { unit: 'request', amount: 3000, currency: 'lamports', network: LOCAL_NETWORK, tier: 'max' },
    ];
    const { agent } = await aSeller(payer, { pricing: rows, payment: { modes: ['x402'] } });
    const amounts: unknown[] = [];
    for (const tier of ['max', 'mini', undefined])
      amounts.push((await payer.pay({ agent: agent.url, input: { prompt: 'x', tier } })).amount_lamports);
    expect(amounts).toEqual([3000, 1000, 1000]);
    expect(await payer.pay({ agent: agent.url, input: { tier: 'huge' } })).toMatchObject({
      error: { code: 'skill_not_found' },
    });
  });

  it('fails above the caller’s own limit, for an unknown agent and for an unknown skill', async () => {
    const payer = await aPayer();
    const { agent, runs } = await aSeller(payer);
    const codes: unknown[] = [];
    for (const body of [
      { agent: agent.url, max_lamports: PRICE - 1 },
      { agent: agent.url, mode: 'deposit' as const, max_lamports: PRICE - 1 },
      { agent: 'nobody-here' },
      { agent: agent.url, skill: 'sing' },
      { agent: `http://127.0.0.1:${payer.ports[1]}` },
      { agent: 'http://169.254.169.254/agent' },
    ])
      codes.push((await payer.pay(body)).error?.code);
    expect(codes).toEqual([
      'budget_exceeded',
      'budget_exceeded',
      'agent_not_found',
      'skill_not_found',
      'unreachable',
      'unreachable',
    ]);
    expect(runs).toEqual([]);
    expect((await payer.ledger()).spent_today_lamports).toBe(0);
  });
});

describe('the caps', () => {
  const nothing = { per_call_lamports: 0, per_day_lamports: 0 };

  it('require approval for every payment until the operator changes them', async () => {
    const payer = await aPayer({ caps: nothing });
    const { agent, runs } = await aSeller(payer);
    const reply = await payer.app.call('POST', '/calls', { agent: agent.url, skill: 'paint', input: {} });
    const call = reply.body as Call;
    expect([reply.status, call.state, call.amount_lamports]).toEqual([202, 'waiting', PRICE]);
    expect(await approvals(payer)).toMatchObject([
      { call_id: call.call_id, amount_lamports: PRICE, address: agent.wallet, real: false },
    ]);
    expect(await listEntries(payer)).toMatchObject([{ state: 'waiting', signature: null }]);
    expect(runs).toEqual([]);
    expect((await decide(payer, call.call_id, 'allow')).status).toBe(200);
    expect(await ended(payer, call.call_id)).toMatchObject({
      state: 'done',
      mode: 'x402',
      payment_id: call.payment_id,
    });
    expect(await approvals(payer)).toEqual([]);
    expect((await decide(payer, call.call_id, 'allow')).status).toBe(409);
    expect(await payer.getLamports(agent.wallet)).toBe(PRICE);
  });

  it('end a call that is denied or not approved within a day', async () => {
    const payer = await aPayer({ caps: nothing });
    const { agent, runs } = await aSeller(payer);
    const denied = await payer.pay({ agent: agent.url });
    expect((await decide(payer, denied.call_id, 'deny')).body).toMatchObject({
      state: 'failed',
      error: { code: 'denied' },
    });
    const late = await payer.pay({ agent: agent.url });
    payer.app.clock.step(24 * 3600 * 1000 + 1000);
    expect(await approvals(payer)).toEqual([]);
    expect((await decide(payer, late.call_id, 'allow')).status).toBe(409);
    expect(runs).toEqual([]);
    expect((await listEntries(payer)).map(({ state }) => state).sort()).toEqual(['refused', 'waiting']);
  });

  it('apply to top-ups as to any payment', async () => {
    const payer = await aPayer({ caps: nothing });
    const { agent } = await aSeller(payer);
    const call = await payer.pay({ agent: agent.url, mode: 'deposit', topup_lamports: 4 * PRICE });
    expect(call).toMatchObject({ state: 'waiting', amount_lamports: 4 * PRICE });
    await decide(payer, call.call_id, 'allow');
    expect(await ended(payer, call.call_id)).toMatchObject({ state: 'done', mode: 'deposit', amount_lamports: PRICE });
    expect(await payer.getLamports(agent.wallet)).toBe(4 * PRICE);
    expect(await payer.pay({ agent: agent.url, mode: 'deposit' })).toMatchObject({ state: 'done' });
  });

  it('are never exceeded by concurrent calls', async () => {
    const payer = await aPayer({ caps: { per_call_lamports: PRICE, per_day_lamports: 4 * PRICE } });
    const { agent, runs } = await aSeller(payer);
    const calls = await Promise.all(Array.from({ length: 10 }, () => payer.pay({ agent: agent.url })));
    const states = calls.map(({ state }) => state);
    expect([
      states.filter((state) => state === 'done').length,
      states.filter((state) => state === 'waiting').length,
    ]).toEqual([4, 6]);
    expect(runs).toHaveLength(4);
    expect(await payer.getLamports(agent.wallet)).toBe(4 * PRICE);
    expect((await payer.ledger()).spent_today_lamports).toBe(4 * PRICE);
    payer.app.clock.step(24 * 3600 * 1000);
    expect((await payer.ledger()).spent_today_lamports).toBe(0);
  });

  it('are kept across a restart', async () => {
    const payer = await aPayer({ caps: { per_call_lamports: 7, per_day_lamports: 70 } });
    const { root } = payer.app;
    await payer.app.stop();
    const again = await testApp({ root });
    expect(((await again.call('GET', '/ledger')).body as Ledger).caps).toEqual({
      per_call_lamports: 7,
      per_day_lamports: 70,
    });
  });
});

describe('the routes of calls', () => {
  it('return the same call for a repeated key, refuse another body, and list calls without results', async () => {
    const payer = await aPayer();
    const { agent, runs } = await aSeller(payer);
    const key = { 'idempotency-key': 'one' };
    const body = { agent: agent.url, skill: 'paint', input: {} };
    const [first, second] = [
      await payer.app.call('POST', '/calls', body, key),
      await payer.app.call('POST', '/calls', body, key),
    ];
    expect((second.body as Call).call_id).toBe((first.body as Call).call_id);
    expect(runs).toHaveLength(1);
    expect((await payer.app.call('POST', '/calls', { ...body, max_lamports: 1 }, key)).status).toBe(422);
    await payer.pay({ agent: agent.url });
    const page = (await payer.app.call('GET', '/calls?limit=1')).body as { calls: Call[]; next_cursor: string };
    expect(page.calls).toHaveLength(1);
    expect(page.calls[0]).not.toHaveProperty('result');
    const rest = (await payer.app.call('GET', `/calls?cursor=${page.next_cursor}`)).body as {
      calls: Call[];
      next_cursor: null;
    };
    expect([rest.calls.length, rest.next_cursor]).toEqual([1, null]);
    expect((await payer.app.call('GET', '/calls?cursor=x')).status).toBe(400);
    expect((await payer.app.call('GET', '/calls/call-none')).status).toBe(404);
  });

  it('publish an event for every change', async () => {
    const payer = await aPayer();
    const { agent } = await aSeller(payer);
    const received: string[] = [];
    payer.app.daemon.bus.watch((event) => {
      if (event.type === 'payment.changed') received.push(`${event.side} ${event.state}`);
      if (event.type === 'call.changed') received.push('call');
    });
    await payer.pay({ agent: agent.url });
    expect(received.filter((one) => one !== 'call')).toEqual([
      'spent challenged',
      'spent challenged',
      'spent paid',
      'spent settled',
    ]);
    expect(received.at(-1)).toBe('call');
  });
});
