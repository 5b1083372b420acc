import { describe, expect, it } from 'vitest';
import { LOCAL_NETWORK, type PaymentDeclaration } from '../../contract/payments.js';
import {
  createTestPaymentProcessor,
  PAYMENT,
  PRICE,
  ROWS,
  type TestPaymentProcessor,
} from '../../testing/processes/test-payment-processor.js';
import { InMemoryChain } from '../../testing/stand-ins/in-memory-chain.js';

const freeTier = (calls_per_day: number, by: 'pubkey' | 'ip' | 'pubkey+ip'): { payment: PaymentDeclaration } => ({
  payment: { ...PAYMENT, free_tier: { calls_per_day, by } },
});
const postpay = { payment: { ...PAYMENT, postpay_min_reputation: 0.7 } };
const HERE = '127.0.0.1';
const THERE = '10.0.0.9';

describe('the free tier', () => {
  it('is used first and allows a fixed number of calls per UTC day', async () => {
    const payments = await createTestPaymentProcessor();
    const apiKey = await payments.deposited(PRICE);
    const two = freeTier(2, 'ip');
    expect([(await payments.call({ apiKey }, two)).mode, (await payments.call({ apiKey }, two)).mode]).toEqual([
      'free',
      'free',
    ]);
    expect((await payments.call({ apiKey }, two)).mode).toBe('deposit');
    expect((await payments.refused({}, two)).reason).toBeUndefined();
    payments.clock.advance(11 * 3_600_000);
    expect((await payments.refused({}, two)).reason).toBeUndefined();
    payments.clock.advance(3_600_000);
    expect((await payments.call({}, two)).mode).toBe('free');
  });

  it.each([
    [
      'ip',
      [
        ['a', HERE, true],
        ['b', HERE, false],
        ['a', THERE, true],
        [undefined, THERE, false],
      ],
    ],
    [
      'pubkey',
      [
        ['a', HERE, true],
        ['b', HERE, true],
        ['a', THERE, false],
        [undefined, HERE, false],
      ],
    ],
    [
      'pubkey+ip',
      [
        ['a', HERE, true],
        ['b', HERE, false],
        ['a', THERE, false],
        ['b', THERE, true],
        [undefined, THERE, false],
      ],
    ],
  ] as const)('by %s counts the verified key, the host or both', async (by, calls) => {
    const payments = await createTestPaymentProcessor();
    for (const [pubkey, address, isFree] of calls) {
      const offered = { address, ...(pubkey === undefined ? {} : { pubkey }) };
      const call = payments.call(offered, freeTier(1, by));
      if (isFree) expect((await call).mode).toBe('free');
      else await expect(call).rejects.toMatchObject({ code: 'payment_required' });
    }
  });

  it.each(['ip', 'pubkey+ip'] as const)('by %s counts all loopback addresses as one caller', async (by) => {
    const payments = await createTestPaymentProcessor();
    const free = freeTier(1, by);
    expect((await payments.call({ address: HERE }, free)).mode).toBe('free');
    for (const address of ['127.0.0.2', '127.255.0.1', '::1', '::ffff:127.0.0.1'])
      await expect(payments.call({ address, pubkey: `key ${address}` }, free)).rejects.toMatchObject({
        code: 'payment_required',
      });
  });

  it('by pubkey refuses unsigned callers and returns the reason', async () => {
    const payments = await createTestPaymentProcessor();
    const refused = await payments.refused({}, freeTier(5, 'pubkey'));
    expect([refused.reason, refused.message]).toEqual([
      'free_calls_are_signed',
      expect.stringContaining('Mesh-Sig: v1 <pubkey>'),
    ]);
    expect(payments.runs).toBe(0);
  });

  it('limits all keys together to ten times the allowance of one, also for parallel calls, each day', async () => {
    const payments = await createTestPaymentProcessor();
    const asked = (from: number) =>
      Promise.allSettled(
        Array.from({ length: 15 }, (_, number) =>
          payments.call({ pubkey: `key ${from + number}` }, freeTier(1, 'pubkey')),
        ),
      );
    const free = (settled: PromiseSettledResult<unknown>[]) => settled.filter(({ status }) => status === 'fulfilled');
    expect(free(await asked(0))).toHaveLength(10);
    expect(payments.database.sql("SELECT calls FROM till_free_calls WHERE caller = 'all'").get()).toEqual({
      calls: 10,
    });
    payments.clock.advance(86_400_000);
    expect(free(await asked(100))).toHaveLength(10);
  });

  it('does not exceed the allowance with 30 parallel calls', async () => {
    const payments = await createTestPaymentProcessor();
    const settled = await Promise.allSettled(Array.from({ length: 30 }, () => payments.call({}, freeTier(7, 'ip'))));
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(7);
    expect(payments.runs).toBe(7);
  });

  it.each([
    [{ modes: [] }, LOCAL_NETWORK],
    [{ modes: [], network: 'solana:devnet' }, 'solana:devnet'],
  ])(
    'also serves a call whose price cannot be paid here; it is listed on the network of the card: %j',
    async (card, network) => {
      const payments = await createTestPaymentProcessor();
      const prices = [{ unit: 'request', amount: 3, currency: 'USD' }];
      const payment: PaymentDeclaration = {
        ...(card as PaymentDeclaration),
        free_tier: { calls_per_day: 1, by: 'ip' },
      };
      expect(await payments.call({ pubkey: 'ann' }, { prices, payment })).toMatchObject({ mode: 'free', headers: {} });
      const stored = payments.database.sql('SELECT state, network, amount, counterparty FROM till_payments').all();
      expect(stored).toEqual([{ state: 'settled', network, amount: 0, counterparty: 'ann' }]);
    },
  );

  it('by pubkey gives no reason to a signed caller who has used it up', async () => {
    const payments = await createTestPaymentProcessor();
    await payments.call({ pubkey: 'ann' }, freeTier(1, 'pubkey'));
    expect((await payments.refused({ pubkey: 'ann' }, freeTier(1, 'pubkey'))).reason).toBeUndefined();
  });

  it.each(['pubkey', 'ip'] as const)('of no calls by %s is none, and no reason to sign', async (by) => {
    const payments = await createTestPaymentProcessor();
    expect((await payments.refused({}, freeTier(0, by))).reason).toBeUndefined();
  });

  it('gives a failed call back', async () => {
    const payments = await createTestPaymentProcessor();
    await payments.call({}, freeTier(1, 'ip'), async () => ({ status: 500, body: {} }));
    expect((await payments.call({}, freeTier(1, 'ip'))).mode).toBe('free');
  });
});

describe('a call with a proof', () => {
  it('uses neither the free tier, the balance nor post-pay', async () => {
    const payments = await createTestPaymentProcessor();
    payments.reputations.set('key', 1);
    const apiKey = await payments.deposited(PRICE);
    const payment: PaymentDeclaration = { ...postpay.payment, free_tier: { calls_per_day: 1, by: 'ip' } };
    const offered = await payments.payFor(await payments.refused());
    expect((await payments.call({ ...offered, apiKey, pubkey: 'key' }, { payment })).mode).toBe('x402');
    expect(await payments.processor.balance('painter', PAYMENT, apiKey)).toEqual({ lamports: PRICE });
    expect((await payments.call({ apiKey, pubkey: 'key' }, { payment })).mode).toBe('free');
    expect((await payments.call({ apiKey, pubkey: 'key' }, { payment })).mode).toBe('deposit');
    expect((await payments.call({ apiKey, pubkey: 'key' }, { payment })).mode).toBe('postpay');
  });
});

describe('a deposit key', () => {
  it('pays the price of its own network, and nothing where there is none', async () => {
    const devnet = new InMemoryChain('solana:devnet');
    const payments = await createTestPaymentProcessor({ others: [devnet] });
    const there = { ...PAYMENT, network: 'solana:devnet' };
    const { api_key, address } = await payments.processor.topup('painter', there, 9000);
    const apiKey = api_key as string;
    devnet.put(address, 9000n, [apiKey]);
    payments.clock.advance(1000);
    const prices = [...ROWS, { unit: 'request', amount: 7000, currency: 'lamports', network: 'solana:devnet' }];
    expect((await payments.call({ apiKey }, { prices })).headers).toEqual({
      'X-Debited-Lamports': '7000',
      'X-Balance-Remaining': '2000',
    });
    payments.clock.advance(1000);
    const looked = payments.refused({ apiKey });
    for (let at = 0; at < 5; at += 1) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      payments.clock.advance(1000);
    }
    expect((await looked).reason).toBe('balance_too_small');
  });
});

describe('a skill without a price', () => {
  it('runs and stores no payment', async () => {
    const payments = await createTestPaymentProcessor();
    const free = { prices: [{ unit: 'request', amount: 0, currency: 'free' }] };
    expect(await payments.call({}, free)).toEqual({
      status: 200,
      body: { run: 1 },
      mode: 'free',
      replayed: false,
      headers: {},
    });
    expect(payments.database.sql('SELECT count(*) AS n FROM till_payments').get()).toEqual({ n: 0 });
  });

  it('that can be paid here is refused with a 402 that states this', async () => {
    const payments = await createTestPaymentProcessor();
    const challenge = await payments.refused({}, { prices: [{ unit: 'request', amount: 3, currency: 'USD' }] });
    expect(challenge).toMatchObject({ accepts: [], message: expect.stringContaining('cannot be paid here') });
  });
});

describe('post-pay', () => {
  const settle = async (payments: TestPaymentProcessor, headers: Readonly<Record<string, string>>, lamports: number) =>
    payments.pay(payments.wallet.address, lamports, headers['X-Settle-Memo']);

  it('requires a verified key with at least the reputation that the card demands', async () => {
    const payments = await createTestPaymentProcessor();
    payments.reputations.set('good', 0.7).set('bad', 0.69);
    expect(await payments.call({ pubkey: 'good' }, postpay)).toMatchObject({
      mode: 'postpay',
      headers: {
        'X-Owed-Lamports': String(PRICE),
        'X-Settle-Memo': expect.stringMatching(/^settle_[A-Za-z0-9_-]{32}$/),
      },
    });
    const booked = payments.database.sql(
      'SELECT why, payment, counterparty FROM till_journal j JOIN till_payments p ON p.id = j.payment',
    );
    expect(booked.all()).toEqual([{ why: 'debt', payment: expect.any(String), counterparty: 'good' }]);
    expect((await payments.refused({ pubkey: 'bad' }, postpay)).reason).toBe('reputation_too_low');
    expect((await payments.refused({ pubkey: 'unknown' }, postpay)).reason).toBe('reputation_too_low');
    expect((await payments.refused({}, postpay)).reason).toBeUndefined();
    const prepaid = { payment: { ...PAYMENT, postpay_min_reputation: null } };
    expect((await payments.refused({ pubkey: 'good' }, prepaid)).reason).toBeUndefined();
  });

  it('is refused above 20 unpaid calls of all keys together, until some are settled', async () => {
    const payments = await createTestPaymentProcessor();
    const keys = ['a', 'b', 'c'];
    for (const key of keys) payments.reputations.set(key, 1);
    const calls = keys.flatMap((pubkey) => Array.from({ length: 10 }, () => payments.call({ pubkey }, postpay)));
    const served = (await Promise.allSettled(calls)).flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(served).toHaveLength(20);
    expect((await payments.refused({ pubkey: 'c' }, postpay)).reason).toBe('too_many_unpaid');
    await settle(payments, served[0]?.headers ?? {}, PRICE);
    expect((await payments.call({ pubkey: 'c' }, postpay)).mode).toBe('postpay');
    expect(payments.processor.journal.audit()).toEqual([]);
  });

  it('is refused above 10 unpaid calls of one key, also for parallel calls, until they are settled', async () => {
    const payments = await createTestPaymentProcessor();
    payments.reputations.set('key', 1);
    const settled = await Promise.allSettled(
      Array.from({ length: 30 }, () => payments.call({ pubkey: 'key' }, postpay)),
    );
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    const refusal = await payments.refused({ pubkey: 'key' }, postpay);
    expect(refusal.reason).toBe('too_many_unpaid');
    expect(payments.processor.journal.earnings()).toMatchObject([
      { earned_lamports: 10 * PRICE, owed_lamports: 10 * PRICE },
    ]);

    const memo = payments.database.sql("SELECT count(*) AS n FROM till_payments WHERE state = 'owed'");
    const [first] = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value.headers] : []));
    await settle(payments, first ?? {}, 3 * PRICE + 1);
    expect((await payments.call({ pubkey: 'key' }, postpay)).headers['X-Owed-Lamports']).toBe(String(8 * PRICE - 1));
    expect(memo.get()).toEqual({ n: 8 });
    await settle(payments, first ?? {}, 8 * PRICE);
    payments.clock.advance(30_000);
    await expect.poll(() => memo.get()).toEqual({ n: 0 });
    // One lamport was prepaid.
    expect((await payments.call({ pubkey: 'key' }, postpay)).headers['X-Owed-Lamports']).toBe(String(PRICE - 1));
    expect(payments.processor.journal.audit()).toEqual([]);
    expect(payments.processor.journal.getReceived(LOCAL_NETWORK, payments.wallet.address)).toBe(BigInt(11 * PRICE + 1));
  });

  it('cancels the debt of a failed call', async () => {
    const payments = await createTestPaymentProcessor();
    payments.reputations.set('key', 1);
    const answer = await payments.call({ pubkey: 'key' }, postpay, async () => ({ status: 500, body: {} }));
    expect(answer.headers['X-Owed-Lamports']).toBe('0');
    expect(payments.processor.journal.earnings()[0]).toMatchObject({ earned_lamports: 0, owed_lamports: 0 });
  });

  it('settles each call as soon as it has ended, in any order, when it was paid for meanwhile', async () => {
    const payments = await createTestPaymentProcessor();
    payments.reputations.set('key', 1);
    const finish: (() => void)[] = [];
    const run = async (status: number) => {
      await new Promise<void>((resolve) => void finish.push(resolve));
      return { status, body: {} };
    };
    const { headers } = await payments.call({ pubkey: 'key' }, postpay);
    const calls = [500, 200, 200].map((status) => payments.call({ pubkey: 'key' }, postpay, () => run(status)));
    await expect.poll(() => finish.length).toBe(3);
    await settle(payments, headers, 2 * PRICE);
    payments.processor.noteChanged(LOCAL_NETWORK, [payments.wallet.address]);
    const states = () =>
      (
        payments.database
          .sql("SELECT state FROM till_payments WHERE mode = 'postpay' AND kind = 'call' ORDER BY seq")
          .all() as {
          state: string;
        }[]
      )
        .map(({ state }) => state)
        .join(' ');
    await expect.poll(states).toBe('settled paid paid paid');
    for (const [index, after] of ['refunded paid paid', 'refunded settled paid', 'refunded settled owed'].entries()) {
      finish[index]?.();
      await calls[index];
      expect(states()).toBe(`settled ${after}`);
    }
    await settle(payments, headers, PRICE);
    payments.processor.noteChanged(LOCAL_NETWORK, [payments.wallet.address]);
    await expect.poll(states).toBe('settled refunded settled settled');
    expect(payments.processor.journal.earnings()[0]).toMatchObject({
      earned_lamports: 3 * PRICE,
      owed_lamports: 0,
      balances_lamports: 0,
    });
  });

  it('settles debts oldest first and each in full: a younger one is never paid past an older one', async () => {
    const payments = await createTestPaymentProcessor();
    payments.reputations.set('key', 1);
    let headers: Readonly<Record<string, string>> = {};
    for (const times of [3, 1, 2]) {
      const prices = ROWS.map((row) => ({ ...row, amount: times * PRICE }));
      ({ headers } = await payments.call({ pubkey: 'key' }, { ...postpay, prices }));
    }
    const states = () =>
      payments.database
        .sql("SELECT state FROM till_payments WHERE mode = 'postpay' AND kind = 'call' ORDER BY seq")
        .all()
        .map((row) => (row as { state: string }).state);
    for (const [paid, after] of [
      [2, ['owed', 'owed', 'owed']],
      [1, ['settled', 'owed', 'owed']],
      [1, ['settled', 'settled', 'owed']],
      [2, ['settled', 'settled', 'settled']],
    ] as const) {
      await settle(payments, headers, paid * PRICE);
      // Reads what has arrived.
      await payments.processor.balance('painter', PAYMENT, await payments.deposited(1000));
      expect(states()).toEqual(after);
    }
  });

  it('settles a call whose debt was paid while it ran, and publishes only that', async () => {
    const payments = await createTestPaymentProcessor();
    payments.reputations.set('key', 1);
    const { headers } = await payments.call({ pubkey: 'key' }, postpay);
    await settle(payments, headers, 2 * PRICE);
    const published: string[] = [];
    await payments.call({ pubkey: 'key' }, postpay, async () => {
      await payments.processor.balance('painter', PAYMENT, await payments.deposited(1000));
      payments.bus.watch((event) => {
        if (event.type === 'payment.changed') published.push(event.state);
      });
      return { status: 200, body: {} };
    });
    expect(published).toEqual(['settled']);
    const states = payments.database
      .sql("SELECT state FROM till_payments WHERE mode = 'postpay' AND kind = 'call'")
      .all();
    expect(states).toEqual([{ state: 'settled' }, { state: 'settled' }]);
  });
});
