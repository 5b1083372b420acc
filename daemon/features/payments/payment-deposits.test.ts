import { describe, expect, it } from 'vitest';
import { LOCAL_NETWORK } from '../../contract/payments.js';
import { MeshError } from '../../lib/errors.js';
import {
  createTestPaymentProcessor,
  PAYMENT,
  PRICE,
  type TestPaymentProcessor,
} from '../../testing/processes/test-payment-processor.js';
import { InMemoryChain } from '../../testing/stand-ins/in-memory-chain.js';

const balance = async (payments: TestPaymentProcessor, apiKey: string) =>
  (await payments.processor.balance('painter', PAYMENT, apiKey)).lamports;
const came = (payments: TestPaymentProcessor) =>
  Number(payments.processor.journal.getReceived(LOCAL_NETWORK, payments.wallet.address));
const entries = (payments: TestPaymentProcessor) =>
  payments.database.sql("SELECT kind, amount, reason FROM till_payments WHERE kind <> 'call' ORDER BY seq").all();

describe('a balance of 60 prices and 100 parallel calls', () => {
  it('give 60 results and 40 challenges, a final balance of 0, and headers that agree with it', async () => {
    const payments = await createTestPaymentProcessor();
    const apiKey = await payments.deposited(60 * PRICE);
    const settled = await Promise.allSettled(Array.from({ length: 100 }, () => payments.call({ apiKey })));
    const answered = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect([answered.length, refused.length, payments.runs]).toEqual([60, 40, 60]);
    for (const reason of refused)
      expect(reason).toMatchObject({ code: 'payment_required', details: { reason: 'balance_too_small' } });
    expect(answered.every(({ headers }) => headers['X-Debited-Lamports'] === String(PRICE))).toBe(true);
    const remaining = answered.map(({ headers }) => Number(headers['X-Balance-Remaining'])).sort((a, b) => a - b);
    expect(remaining).toEqual(Array.from({ length: 60 }, (_, left) => left * PRICE));
    expect(await balance(payments, apiKey)).toBe(0);
    expect(payments.processor.journal.audit()).toEqual([]);
  });
});

describe('a top-up', () => {
  it('creates a tk_ key that is also the memo, with a balance of 0', async () => {
    const payments = await createTestPaymentProcessor();
    const opened = await payments.processor.topup('painter', PAYMENT, 250_000_000);
    expect(opened).toEqual({
      api_key: expect.stringMatching(/^tk_[A-Za-z0-9_-]{43}$/),
      chainPayUrl: `solana:${payments.wallet.address}?amount=0.25&memo=${opened.api_key}`,
      network: LOCAL_NETWORK,
      address: payments.wallet.address,
      memo: opened.api_key,
      min_lamports: 1000,
    });
    expect(await balance(payments, opened.api_key as string)).toBe(0);
  });

  it('with a repeated Idempotency-Key returns no secret and opens no key', async () => {
    const payments = await createTestPaymentProcessor();
    const key = { scope: 'topup painter', key: 'once', body_sha256: 'x' };
    const first = await payments.processor.topup('painter', PAYMENT, 5000, key);
    expect(await payments.processor.topup('painter', PAYMENT, 5000, key)).toEqual({
      ...first,
      api_key: null,
      memo: null,
      chainPayUrl: null,
    });
    await expect(
      payments.processor.topup('painter', PAYMENT, 5000, { ...key, body_sha256: 'y' }),
    ).rejects.toMatchObject({
      code: 'idempotency_mismatch',
    });
  });

  it('is refused below the minimum deposit, without the deposit mode, and on an unknown network', async () => {
    const payments = await createTestPaymentProcessor();
    const topup = (payment: object, lamports = 5000) =>
      payments.processor.topup('painter', { ...PAYMENT, ...payment }, lamports);
    const least = { deposit: { min_lamports: 9000, credit_unit: 'call' } };
    for (const [card, lamports, min] of [
      [{}, 999, 1000],
      [{}, 1000.5, 1000],
      [{}, 2 ** 53, 1000],
      [least, 8999, 9000],
    ] as const)
      await expect(topup(card, lamports)).rejects.toMatchObject({
        code: 'bad_request',
        message: `A deposit is at least ${min} lamports.`,
        details: { path: 'amount_lamports' },
      });
    expect((await topup({ modes: [] }, 1000)).min_lamports).toBe(1000);
    expect((await topup(least, 9000)).min_lamports).toBe(9000);
    await expect(topup({ modes: ['x402'] })).rejects.toMatchObject({
      code: 'not_found',
      message: 'This agent takes no deposits: its card says how it is paid.',
    });
    expect((await payments.processor.topup('painter', { modes: [] }, 1000)).network).toBe(LOCAL_NETWORK);
    await expect(topup({ network: 'solana:mainnet' })).rejects.toMatchObject({ code: 'bad_request' });
    await expect(topup({ wallet: 'nowhere' })).rejects.toMatchObject({ code: 'overloaded' });
  });

  it('is available to the next call without a balance request in between', async () => {
    const payments = await createTestPaymentProcessor();
    const apiKey = await payments.deposited(PRICE);
    expect((await payments.call({ apiKey })).headers).toEqual({
      'X-Debited-Lamports': String(PRICE),
      'X-Balance-Remaining': '0',
    });
  });
});

describe('a deposit key', () => {
  it('that the agent did not issue is refused with unauthorized by every route', async () => {
    const payments = await createTestPaymentProcessor();
    const apiKey = await payments.deposited(PRICE);
    for (const wrong of ['tk_unknown', '', 'mk_x', `${apiKey}x`]) {
      await expect(balance(payments, wrong)).rejects.toMatchObject({
        code: 'unauthorized',
        message: 'Send "X-Api-Key: tk_..." with a key that this agent has given at /v1/topup.',
      });
      await expect(payments.call({ apiKey: wrong })).rejects.toMatchObject({ code: 'unauthorized' });
    }
    await expect(payments.call({ apiKey }, { agent: 'sculptor' })).rejects.toMatchObject({ code: 'unauthorized' });
    expect(payments.runs).toBe(0);
  });
});

describe('a deposit key that waits for its money', () => {
  it('for longer than a day stays, as long as there is room for further ones', async () => {
    const payments = await createTestPaymentProcessor();
    const { api_key } = await payments.processor.topup('painter', PAYMENT, 5000);
    payments.clock.advance(2 * 86_400_000);
    await payments.processor.topup('painter', PAYMENT, 5000);
    expect(await balance(payments, api_key as string)).toBe(0);
  });
});

describe('the memo of a debt', () => {
  it('is no deposit key', async () => {
    const payments = await createTestPaymentProcessor();
    const place = { network: LOCAL_NETWORK, address: payments.wallet.address, agent: 'painter' };
    await payments.processor.store.write(() =>
      payments.processor.journal.open({ ...place, kind: 'owed', holder: 'ann' }, 0, { text: 'tk_settle' }),
    );
    await expect(balance(payments, 'tk_settle')).rejects.toMatchObject({ code: 'unauthorized' });
  });
});

describe('the balance of a key whose network', () => {
  it.each([
    ['gives no answer', 'network_unavailable', 700],
    ['is not configured any more', 'bad_request', 700],
    ['fails with another error', 'overloaded', undefined],
  ] as const)('%s is what was known, unless the error is unknown', async (_, code, known) => {
    const devnet = new InMemoryChain('solana:devnet');
    const payments = await createTestPaymentProcessor({ others: [devnet] });
    const there = { ...PAYMENT, network: 'solana:devnet' };
    const { api_key, address } = await payments.processor.topup('painter', there, 5000);
    devnet.put(address, 700n, [api_key as string]);
    payments.clock.advance(1000);
    expect(await balance(payments, api_key as string)).toBe(700);
    payments.chains.get = () => Promise.reject(new MeshError(code, 'No.'));
    payments.clock.advance(1000);
    const asked = balance(payments, api_key as string);
    if (known === undefined) await expect(asked).rejects.toMatchObject({ code });
    else expect(await asked).toBe(known);
  });
});

describe('transfers', () => {
  it('are credited once each, however many scans run at the same time', async () => {
    const payments = await createTestPaymentProcessor();
    const apiKey = await payments.deposited(3000);
    await payments.pay(payments.wallet.address, 4000, apiKey);
    const looks = await Promise.all(Array.from({ length: 40 }, () => balance(payments, apiKey)));
    expect(new Set(looks)).toEqual(new Set([7000]));
    expect(entries(payments)).toEqual([
      { kind: 'topup', amount: 3000, reason: null },
      { kind: 'topup', amount: 4000, reason: null },
    ]);
  });

  it('below the minimum deposit are credited and marked as below the minimum', async () => {
    const payments = await createTestPaymentProcessor();
    const apiKey = await payments.deposited(3000);
    await payments.pay(payments.wallet.address, 1, apiKey);
    expect(await balance(payments, apiKey)).toBe(3001);
    expect(entries(payments).at(-1)).toEqual({ kind: 'topup', amount: 1, reason: 'below_minimum' });
  });

  it('with an unknown memo or none are recorded as unmatched, so that the journal agrees with the chain', async () => {
    const payments = await createTestPaymentProcessor();
    const apiKey = await payments.deposited(3000);
    await payments.pay(payments.wallet.address, 77, 'who is this');
    await payments.pay(payments.wallet.address, 78);
    expect(await balance(payments, apiKey)).toBe(3000);
    expect(entries(payments).slice(1)).toEqual([
      { kind: 'transfer', amount: 77, reason: 'unmatched' },
      { kind: 'transfer', amount: 78, reason: 'memo_missing' },
    ]);
    expect(came(payments)).toBe(3155);
    expect(BigInt(came(payments))).toBe(await payments.chain.getBalance(payments.wallet.address));
  });

  it('to the wallet of another agent with the key of this agent are not credited', async () => {
    const payments = await createTestPaymentProcessor();
    const other = await payments.aWallet();
    const sculptor = { ...PAYMENT, wallet: other.address };
    const { api_key } = await payments.processor.topup('sculptor', sculptor, 5000);
    const apiKey = await payments.deposited(3000);
    await payments.pay(other.address, 500, apiKey);
    await payments.pay(payments.wallet.address, 600, api_key as string);
    expect(await balance(payments, apiKey)).toBe(3000);
    expect(await payments.processor.balance('sculptor', sculptor, api_key as string)).toEqual({ lamports: 0 });
    expect(came(payments)).toBe(3600);
    expect(payments.processor.journal.getReceived(LOCAL_NETWORK, other.address)).toBe(500n);
  });

  it('are also found by the periodic scan, and after a restart from the last scan position', async () => {
    const payments = await createTestPaymentProcessor();
    const apiKey = await payments.deposited(3000);
    payments.clock.advance(30_000);
    await expect.poll(() => came(payments)).toBe(3000);
    await payments.processor.stop();
    await payments.pay(payments.wallet.address, 500, apiKey);
    const again = await createTestPaymentProcessor({ local: payments });
    again.clock.advance(30_000);
    await expect
      .poll(() => Number(again.processor.journal.getReceived(LOCAL_NETWORK, payments.wallet.address)))
      .toBe(3500);
    expect(again.faults).toEqual([]);
  });

  it('that arrived before the address was watched are not recorded', async () => {
    const payments = await createTestPaymentProcessor();
    await payments.pay(payments.wallet.address, 123_456);
    const apiKey = await payments.deposited(3000);
    expect(await balance(payments, apiKey)).toBe(3000);
    expect(came(payments)).toBe(3000);
  });
});

describe('the journal', () => {
  it('is append-only and rejects negative balances', async () => {
    const payments = await createTestPaymentProcessor();
    const apiKey = await payments.deposited(3000);
    await balance(payments, apiKey);
    const run = (sql: string) => () => payments.database.sql(sql).run();
    expect(run('DELETE FROM till_journal')).toThrow('only added to');
    expect(run('UPDATE till_journal SET lamports = 1')).toThrow('only added to');
    expect(run('UPDATE till_accounts SET lamports = 9')).toThrow('moves by the journal');
    expect(run('DELETE FROM till_accounts')).toThrow('stays');
    const overdraw = `INSERT INTO till_journal (why, from_account, to_account, lamports, created_ms)
      SELECT 'debit', b.id, c.id, 3001, 0 FROM till_accounts b, till_accounts c WHERE b.kind = 'balance' AND c.kind = 'chain'`;
    expect(run(overdraw)).toThrow('CHECK constraint failed');
    expect(await balance(payments, apiKey)).toBe(3000);
  });
});
