import { describe, expect, it } from 'vitest';
import { LOCAL_NETWORK } from '../../contract/payments.js';
import { type ATill, aTill, PAYMENT, PRICE } from '../../testing/a-till.js';

const balance = async (till: ATill, apiKey: string) => (await till.till.balance('painter', PAYMENT, apiKey)).lamports;
const came = (till: ATill) => Number(till.till.journal.cameIn(LOCAL_NETWORK, till.wallet.address));
const entries = (till: ATill) =>
  till.database.sql("SELECT kind, amount, reason FROM till_payments WHERE kind <> 'call' ORDER BY seq").all();

describe('a balance of 60 prices and 100 parallel calls', () => {
  it('give 60 results and 40 challenges, a final balance of 0, and headers that agree with it', async () => {
    const till = await aTill();
    const apiKey = await till.deposited(60 * PRICE);
    const settled = await Promise.allSettled(Array.from({ length: 100 }, () => till.call({ apiKey })));
    const answered = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect([answered.length, refused.length, till.runs]).toEqual([60, 40, 60]);
    for (const reason of refused)
      expect(reason).toMatchObject({ code: 'payment_required', details: { reason: 'balance_too_small' } });
    expect(answered.every(({ headers }) => headers['X-Debited-Lamports'] === String(PRICE))).toBe(true);
    const remaining = answered.map(({ headers }) => Number(headers['X-Balance-Remaining'])).sort((a, b) => a - b);
    expect(remaining).toEqual(Array.from({ length: 60 }, (_, left) => left * PRICE));
    expect(await balance(till, apiKey)).toBe(0);
    expect(till.till.journal.audit()).toEqual([]);
  });
});

describe('a top-up', () => {
  it('creates a tk_ key that is also the memo, with a balance of 0', async () => {
    const till = await aTill();
    const opened = await till.till.topup('painter', PAYMENT, 250_000_000);
    expect(opened).toEqual({
      api_key: expect.stringMatching(/^tk_[A-Za-z0-9_-]{43}$/),
      chainPayUrl: `solana:${till.wallet.address}?amount=0.25&memo=${opened.api_key}`,
      network: LOCAL_NETWORK,
      address: till.wallet.address,
      memo: opened.api_key,
      min_lamports: 1000,
    });
    expect(await balance(till, opened.api_key as string)).toBe(0);
  });

  it('with a repeated Idempotency-Key returns no secret and opens no key', async () => {
    const till = await aTill();
    const key = { scope: 'topup painter', key: 'once', body_sha256: 'x' };
    const first = await till.till.topup('painter', PAYMENT, 5000, key);
    expect(await till.till.topup('painter', PAYMENT, 5000, key)).toEqual({
      ...first,
      api_key: null,
      memo: null,
      chainPayUrl: null,
    });
    await expect(till.till.topup('painter', PAYMENT, 5000, { ...key, body_sha256: 'y' })).rejects.toMatchObject({
      code: 'idempotency_mismatch',
    });
  });

  it('is refused below the minimum deposit, without the deposit mode, and on an unknown network', async () => {
    const till = await aTill();
    const topup = (payment: object, lamports = 5000) =>
      till.till.topup('painter', { ...PAYMENT, ...payment }, lamports);
    await expect(topup({}, 999)).rejects.toMatchObject({ code: 'bad_request' });
    await expect(topup({ deposit: { min_lamports: 9000, credit_unit: 'call' } })).rejects.toMatchObject({
      code: 'bad_request',
    });
    await expect(topup({ modes: ['x402'] })).rejects.toMatchObject({ code: 'not_found' });
    await expect(topup({ network: 'solana:mainnet' })).rejects.toMatchObject({ code: 'bad_request' });
    await expect(topup({ wallet: 'nowhere' })).rejects.toMatchObject({ code: 'overloaded' });
  });

  it('is available to the next call without a balance request in between', async () => {
    const till = await aTill();
    const apiKey = await till.deposited(PRICE);
    expect((await till.call({ apiKey })).headers).toEqual({
      'X-Debited-Lamports': String(PRICE),
      'X-Balance-Remaining': '0',
    });
  });
});

describe('a deposit key', () => {
  it('that the agent did not issue is refused with unauthorized by every route', async () => {
    const till = await aTill();
    const apiKey = await till.deposited(PRICE);
    for (const wrong of ['tk_unknown', '', 'mk_x', `${apiKey}x`]) {
      await expect(balance(till, wrong)).rejects.toMatchObject({ code: 'unauthorized' });
      await expect(till.call({ apiKey: wrong })).rejects.toMatchObject({ code: 'unauthorized' });
    }
    await expect(till.call({ apiKey }, { agent: 'sculptor' })).rejects.toMatchObject({ code: 'unauthorized' });
    expect(till.runs).toBe(0);
  });
});

describe('transfers', () => {
  it('are credited once each, however many scans run at the same time', async () => {
    const till = await aTill();
    const apiKey = await till.deposited(3000);
    await till.pay(till.wallet.address, 4000, apiKey);
    const looks = await Promise.all(Array.from({ length: 40 }, () => balance(till, apiKey)));
    expect(new Set(looks)).toEqual(new Set([7000]));
    expect(entries(till)).toEqual([
      { kind: 'topup', amount: 3000, reason: null },
      { kind: 'topup', amount: 4000, reason: null },
    ]);
  });

  it('below the minimum deposit are credited and marked as below the minimum', async () => {
    const till = await aTill();
    const apiKey = await till.deposited(3000);
    await till.pay(till.wallet.address, 1, apiKey);
    expect(await balance(till, apiKey)).toBe(3001);
    expect(entries(till).at(-1)).toEqual({ kind: 'topup', amount: 1, reason: 'below_minimum' });
  });

  it('with an unknown memo or none are recorded as unmatched, so that the journal agrees with the chain', async () => {
    const till = await aTill();
    const apiKey = await till.deposited(3000);
    await till.pay(till.wallet.address, 77, 'who is this');
    await till.pay(till.wallet.address, 78);
    expect(await balance(till, apiKey)).toBe(3000);
    expect(entries(till).slice(1)).toEqual([
      { kind: 'transfer', amount: 77, reason: 'unmatched' },
      { kind: 'transfer', amount: 78, reason: 'memo_missing' },
    ]);
    expect(came(till)).toBe(3155);
    expect(BigInt(came(till))).toBe(await till.chain.balanceOf(till.wallet.address));
  });

  it('to the wallet of another agent with the key of this agent are not credited', async () => {
    const till = await aTill();
    const other = await till.aWallet();
    const sculptor = { ...PAYMENT, wallet: other.address };
    const { api_key } = await till.till.topup('sculptor', sculptor, 5000);
    const apiKey = await till.deposited(3000);
    await till.pay(other.address, 500, apiKey);
    await till.pay(till.wallet.address, 600, api_key as string);
    expect(await balance(till, apiKey)).toBe(3000);
    expect(await till.till.balance('sculptor', sculptor, api_key as string)).toEqual({ lamports: 0 });
    expect(came(till)).toBe(3600);
    expect(till.till.journal.cameIn(LOCAL_NETWORK, other.address)).toBe(500n);
  });

  it('are also found by the periodic scan, and after a restart from the last scan position', async () => {
    const till = await aTill();
    const apiKey = await till.deposited(3000);
    till.clock.advance(30_000);
    await expect.poll(() => came(till)).toBe(3000);
    await till.till.stop();
    await till.pay(till.wallet.address, 500, apiKey);
    const again = await aTill({ local: till });
    again.clock.advance(30_000);
    await expect.poll(() => Number(again.till.journal.cameIn(LOCAL_NETWORK, till.wallet.address))).toBe(3500);
    expect(again.faults).toEqual([]);
  });

  it('that arrived before the address was watched are not recorded', async () => {
    const till = await aTill();
    await till.pay(till.wallet.address, 123_456);
    const apiKey = await till.deposited(3000);
    expect(await balance(till, apiKey)).toBe(3000);
    expect(came(till)).toBe(3000);
  });
});

describe('the journal', () => {
  it('is append-only and rejects negative balances', async () => {
    const till = await aTill();
    const apiKey = await till.deposited(3000);
    await balance(till, apiKey);
    const run = (sql: string) => () => till.database.sql(sql).run();
    expect(run('DELETE FROM till_journal')).toThrow('only added to');
    expect(run('UPDATE till_journal SET lamports = 1')).toThrow('only added to');
    expect(run('UPDATE till_accounts SET lamports = 9')).toThrow('moves by the journal');
    expect(run('DELETE FROM till_accounts')).toThrow('stays');
    const overdraw = `INSERT INTO till_journal (why, from_account, to_account, lamports, created_ms)
      SELECT 'debit', b.id, c.id, 3001, 0 FROM till_accounts b, till_accounts c WHERE b.kind = 'balance' AND c.kind = 'chain'`;
    expect(run(overdraw)).toThrow('CHECK constraint failed');
    expect(await balance(till, apiKey)).toBe(3000);
  });
});
