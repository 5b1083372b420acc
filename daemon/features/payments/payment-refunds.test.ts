import { describe, expect, it } from 'vitest';
import { LOCAL_NETWORK } from '../../contract/payments.js';
import { MeshError } from '../../lib/errors.js';
import {
  createTestPaymentProcessor,
  PAYMENT,
  PRICE,
  type TestPaymentProcessor,
} from '../../testing/processes/test-payment-processor.js';
import type { SkillResult } from './payment-port.js';

const overloaded = () =>
  Promise.reject(new MeshError('overloaded', 'The painter is asleep.', { details: { request_id: 'req-1' } }));
const broken = async (): Promise<SkillResult> => ({ status: 500, body: { error: 'broken' } });
const crash = () => Promise.reject(new TypeError('undefined is no brush'));
const declined = () => Promise.reject(new MeshError('bad_request', 'Name a colour.'));

/** The entries of the journal, in order. */
const moves = ({ database }: TestPaymentProcessor) =>
  (
    database.sql('SELECT why, lamports FROM till_journal ORDER BY seq').all() as { why: string; lamports: number }[]
  ).map(({ why, lamports }) => `${why} ${lamports}`);

describe('a skill that fails after a debit', () => {
  it.each([
    ['throws', overloaded],
    ['throws what is no meaning', crash],
    ['throws that the caller is wrong', declined],
  ])('%s: the error is rethrown, and an entry in the same journal restores the balance', async (_, run) => {
    const payments = await createTestPaymentProcessor();
    const apiKey = await payments.deposited(2 * PRICE);
    await expect(payments.call({ apiKey }, {}, run)).rejects.toThrow();
    expect(await payments.processor.balance('painter', PAYMENT, apiKey)).toEqual({ lamports: 2 * PRICE });
    expect(moves(payments)).toEqual([`deposit ${2 * PRICE}`, `debit ${PRICE}`, `refund ${PRICE}`]);
    expect(payments.processor.journal.audit()).toEqual([]);
  });

  it('returns 500: the call returns it too and costs nothing', async () => {
    const payments = await createTestPaymentProcessor();
    const apiKey = await payments.deposited(2 * PRICE);
    expect(await payments.call({ apiKey }, {}, broken)).toEqual({
      status: 500,
      body: { error: 'broken' },
      mode: 'deposit',
      replayed: false,
      headers: { 'X-Debited-Lamports': '0', 'X-Balance-Remaining': String(2 * PRICE) },
    });
  });

  it('returns 422: the call counts as answered and is paid', async () => {
    const payments = await createTestPaymentProcessor();
    const apiKey = await payments.deposited(PRICE);
    const answered = await payments.call({ apiKey }, {}, async () => ({ status: 422, body: {} }));
    expect(answered.headers).toEqual({ 'X-Debited-Lamports': String(PRICE), 'X-Balance-Remaining': '0' });
  });
});

describe('the ledger of a call', () => {
  const stored = ({ database }: TestPaymentProcessor) =>
    database
      .sql("SELECT state, reason, latency_ms FROM till_payments WHERE kind = 'call' ORDER BY seq DESC LIMIT 1")
      .get();

  it.each([
    ['what it threw', overloaded, 'overloaded'],
    ['an error that is unknown', crash, 'internal'],
    ['the error of its body', broken, 'broken'],
    ['its status, where its body names no error', async () => ({ status: 503, body: {} }), 'status_503'],
    ['its status, where it has no body', async () => ({ status: 500, body: null }), 'status_500'],
    [
      '100 characters of a longer error',
      async () => ({ status: 500, body: { error: 'x'.repeat(101) } }),
      'x'.repeat(100),
    ],
  ])('states why it failed: %s', async (_, run, reason) => {
    const payments = await createTestPaymentProcessor();
    const apiKey = await payments.deposited(PRICE);
    await payments.call({ apiKey }, {}, run).catch(() => undefined);
    expect(stored(payments)).toEqual({ state: 'refunded', reason, latency_ms: 0 });
  });

  it('states how long it took, and when it ended', async () => {
    const payments = await createTestPaymentProcessor();
    const apiKey = await payments.deposited(PRICE);
    const run = async () => {
      payments.clock.advance(12);
      return { status: 200, body: {} };
    };
    await payments.call({ apiKey }, {}, run);
    expect(stored(payments)).toEqual({ state: 'settled', reason: null, latency_ms: 12 });
    const { ended } = payments.database.sql('SELECT max(updated_ms) AS ended FROM till_payments').get() as {
      ended: number;
    };
    expect(ended).toBe(payments.clock.now());
  });

  it('has the state failed for a free call, which changes no balance', async () => {
    const payments = await createTestPaymentProcessor();
    const events: string[] = [];
    payments.bus.watch((event) => void events.push('state' in event ? `${event.state}` : event.type));
    const free = { payment: { ...PAYMENT, free_tier: { calls_per_day: 1, by: 'ip' as const } } };
    expect(await payments.call({}, free, broken)).toMatchObject({ mode: 'free', headers: {} });
    expect(stored(payments)).toMatchObject({ state: 'failed', reason: 'broken' });
    expect(events).toEqual(['paid', 'failed']);
  });
});

it('a failed post-paid call has the memo, and states the debt of the calls before it', async () => {
  const payments = await createTestPaymentProcessor();
  payments.reputations.set('key', 0.9);
  const owing = { payment: { ...PAYMENT, postpay_min_reputation: 0.5 } };
  const { headers } = await payments.call({ pubkey: 'key' }, owing);
  expect((await payments.call({ pubkey: 'key' }, owing, broken)).headers).toEqual({
    'X-Owed-Lamports': String(PRICE),
    'X-Settle-Memo': headers['X-Settle-Memo'],
  });
});

it('an error that is unknown is reported with its proof’s result, and otherwise rethrown alone', async () => {
  const payments = await createTestPaymentProcessor();
  await payments.call({ apiKey: await payments.deposited(PRICE) }, {}, crash).catch(() => undefined);
  expect(payments.faults).toEqual([]);
  await payments.call(await payments.payFor(await payments.refused()), {}, overloaded);
  expect(payments.faults).toEqual([]);
  await payments.call(await payments.payFor(await payments.refused()), {}, crash);
  expect(payments.faults).toEqual([expect.objectContaining({ message: 'undefined is no brush' })]);
});

describe('a skill that fails after a proof', () => {
  it.each([
    ['throws', overloaded, 503, { error: 'overloaded', message: 'The painter is asleep.', request_id: 'req-1' }],
    ['throws what is no meaning', crash, 500, { error: 'internal', id: expect.any(String) }],
    ['throws that the caller is wrong', declined, 400, { error: 'bad_request', message: 'Name a colour.' }],
    ['answers 500', broken, 500, { error: 'broken' }],
    ['answers 500 with a list', async () => ({ status: 500, body: [1] }), 500, { error: 'overloaded', result: [1] }],
  ])('%s: the nonce stays spent, and the amount is refunded to a new deposit key', async (_, run, status, body) => {
    const payments = await createTestPaymentProcessor();
    const offered = await payments.payFor(await payments.refused());
    const answer = await payments.call(offered, {}, run);
    const refund = { api_key: expect.stringMatching(/^tk_[A-Za-z0-9_-]{43}$/), lamports: PRICE };
    expect(answer).toEqual({ status, body: { ...body, refund }, mode: 'x402', replayed: false, headers: {} });
    const apiKey = (answer.body as { refund: { api_key: string } }).refund.api_key;
    expect(await payments.processor.balance('painter', PAYMENT, apiKey)).toEqual({ lamports: PRICE });

    // A repeat gets the same result and key. The skill is not run for it.
    expect(await payments.call(offered)).toEqual({ ...answer, replayed: true });
    expect(payments.runs).toBe(0);
    expect((await payments.call({ apiKey })).mode).toBe('deposit');
    expect(await payments.processor.balance('painter', PAYMENT, apiKey)).toEqual({ lamports: 0 });
    expect(payments.processor.journal.audit()).toEqual([]);
  });

  it('each time has a deposit key of its own, whose calls are listed by its last characters', async () => {
    const payments = await createTestPaymentProcessor();
    const keys: string[] = [];
    for (const _ of [1, 2]) {
      const { body } = await payments.call(await payments.payFor(await payments.refused()), {}, broken);
      keys.push((body as { refund: { api_key: string } }).refund.api_key);
    }
    for (const apiKey of keys) {
      expect(await payments.processor.balance('painter', PAYMENT, apiKey)).toEqual({ lamports: PRICE });
      await payments.call({ apiKey });
    }
    const listed = payments.database.sql("SELECT last4 FROM till_payments WHERE mode = 'deposit' ORDER BY seq").all();
    expect(listed).toEqual(keys.map((apiKey) => ({ last4: apiKey.slice(-4) })));
  });

  it('keeps its result for repeats, which a call that is paid otherwise has none of', async () => {
    const payments = await createTestPaymentProcessor();
    const results = () => payments.database.sql('SELECT count(*) AS n FROM till_results').get();
    const apiKey = await payments.deposited(2 * PRICE);
    await payments.call({ apiKey }, {}, broken);
    await payments.call({ apiKey });
    expect(results()).toEqual({ n: 0 });
    await payments.call(await payments.payFor(await payments.refused()), {}, broken);
    expect(results()).toEqual({ n: 1 });
  });

  it('names no key any more once the key is another’s', async () => {
    const payments = await createTestPaymentProcessor();
    const offered = await payments.payFor(await payments.refused());
    await payments.call(offered, {}, broken);
    await payments.database.write(() => payments.database.sql('UPDATE till_accounts SET memo_sha256 = NULL').run());
    expect((await payments.call(offered)).body).toEqual({ error: 'broken' });
  });

  it('stores no usable deposit key', async () => {
    const payments = await createTestPaymentProcessor();
    const offered = await payments.payFor(await payments.refused());
    const { body } = await payments.call(offered, {}, broken);
    const { api_key } = (body as { refund: { api_key: string } }).refund;
    const opened = await payments.deposited(PRICE);
    await payments.processor.balance('painter', PAYMENT, opened);
    const tables = ['till_accounts', 'till_payments', 'till_results', 'till_journal', 'till_signatures', 'idempotency'];
    const dump = JSON.stringify(tables.map((table) => payments.database.sql(`SELECT * FROM ${table}`).all()));
    expect(dump).not.toContain(api_key);
    expect(dump).not.toContain(opened);
  });
});

describe('a call that is interrupted by a crash', () => {
  /** Simulates a daemon that ends during a call: what it wrote is kept, and nothing more is written. */
  async function cutShort(
    payments: TestPaymentProcessor,
    offered: object,
    more: object = {},
  ): Promise<TestPaymentProcessor> {
    await new Promise<void>((resolve) => {
      void payments.call(offered, more, () => {
        resolve();
        return new Promise(() => undefined);
      });
    });
    return createTestPaymentProcessor({ local: payments });
  }

  it('with a proof ends as daemon_restarted, is refunded and never runs again', async () => {
    const payments = await createTestPaymentProcessor();
    const offered = await payments.payFor(await payments.refused());
    const again = await cutShort(payments, offered);
    const answer = await again.processor.serve(payments.priced(offered), () => Promise.reject(new Error('never')));
    expect(answer).toMatchObject({
      status: 503,
      body: {
        error: 'daemon_restarted',
        message: 'The daemon was restarted while the call ran. What was paid for it is given back.',
        refund: { lamports: PRICE },
      },
      replayed: true,
    });
    const { api_key } = (answer.body as { refund: { api_key: string } }).refund;
    expect(await again.processor.balance('painter', PAYMENT, api_key)).toEqual({ lamports: PRICE });
    expect(again.processor.store.findByNonce(offered.nonce)).toMatchObject({
      state: 'refunded',
      reason: 'daemon_restarted',
    });
    expect(again.processor.journal.audit()).toEqual([]);
  });

  it('from a balance, a debt or the free tier is refunded', async () => {
    const payments = await createTestPaymentProcessor();
    payments.reputations.set('key', 0.9);
    const apiKey = await payments.deposited(PRICE);
    await cutShort(payments, { apiKey });
    const owing = { payment: { ...PAYMENT, postpay_min_reputation: 0.5 } };
    await cutShort(payments, { pubkey: 'key' }, owing);
    const free = { payment: { ...PAYMENT, free_tier: { calls_per_day: 1, by: 'ip' as const } } };
    const again = await cutShort(payments, {}, free);

    expect(await again.processor.balance('painter', PAYMENT, apiKey)).toEqual({ lamports: PRICE });
    expect(again.processor.journal.earnings()[0]).toMatchObject({
      earned_lamports: 0,
      balances_lamports: PRICE,
      owed_lamports: 0,
    });
    expect((await again.processor.serve(payments.priced({}, free), broken)).mode).toBe('free');
    const reasons = again.database
      .sql("SELECT state, reason FROM till_payments WHERE kind = 'call' AND mode IS NOT NULL ORDER BY seq")
      .all();
    expect(reasons).toEqual([
      { state: 'refunded', reason: 'daemon_restarted' },
      { state: 'refunded', reason: 'daemon_restarted' },
      { state: 'failed', reason: 'daemon_restarted' },
      { state: 'failed', reason: 'broken' },
    ]);
    expect(again.processor.journal.audit()).toEqual([]);
  });

  it('is published as refunded, with the balance of its agent', async () => {
    const payments = await createTestPaymentProcessor();
    const apiKey = await payments.deposited(PRICE);
    void payments.call({ apiKey }, {}, () => new Promise(() => undefined));
    await expect.poll(() => payments.processor.store.listRunning().length).toBe(1);
    const again = await createTestPaymentProcessor({ local: payments, start: false });
    const published: string[] = [];
    again.bus.watch((event) => {
      if (event.type === 'payment.changed') published.push(`${event.state} ${event.agent}`);
      if (event.type === 'payment.balance') published.push(`balance ${event.agent}`);
    });
    await again.processor.start();
    expect(published).toEqual(['refunded painter', 'balance painter']);
  });

  it('does not keep other calls from their refund when its own cannot be given', async () => {
    const payments = await createTestPaymentProcessor();
    await payments.database.write(() => {
      // Its transaction was never recorded.
      payments.processor.store.insert({
        id: 'pay-odd',
        kind: 'call',
        state: 'paid',
        mode: 'x402',
        agent: 'painter',
        network: LOCAL_NETWORK,
        amount: PRICE,
        nonce: 'odd',
        signature: 'odd',
        created_ms: 0,
      });
    });
    const apiKey = await payments.deposited(PRICE);
    const again = await cutShort(payments, { apiKey });
    expect(again.faults).toEqual([expect.any(Error)]);
    expect(await again.processor.balance('painter', PAYMENT, apiKey)).toEqual({ lamports: PRICE });
  });

  it('keeps the processor from starting while nothing can be written, until it can', async () => {
    const payments = await createTestPaymentProcessor();
    const apiKey = await payments.deposited(PRICE);
    void payments.call({ apiKey }, {}, () => new Promise(() => undefined));
    await expect.poll(() => payments.processor.store.listRunning().length).toBe(1);
    const again = await createTestPaymentProcessor({ local: payments, start: false });
    const { store } = again.processor;
    const write = store.write.bind(store);
    store.write = () => Promise.reject(new MeshError('overloaded', 'The disk is full.'));
    await expect(again.processor.start()).rejects.toThrow('The disk is full.');
    store.write = write;
    await again.processor.start();
    expect([store.listRunning(), again.faults]).toEqual([[], []]);
  });

  it('does not affect calls that arrive during the start', async () => {
    const payments = await createTestPaymentProcessor({ start: false });
    const apiKey = await payments.deposited(PRICE);
    const [answer] = await Promise.all([payments.call({ apiKey }), payments.processor.start()]);
    expect(answer.status).toBe(200);
    expect(payments.processor.journal.getReceived(LOCAL_NETWORK, payments.wallet.address)).toBe(BigInt(PRICE));
    expect(payments.processor.journal.earnedInAll()).toBe(PRICE);
  });
});
