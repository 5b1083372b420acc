import { describe, expect, it } from 'vitest';
import { createTestPaymentProcessor, PAYMENT } from '../../testing/processes/test-payment-processor.js';
import { InMemoryChain } from '../../testing/stand-ins/in-memory-chain.js';

const DAY_MS = 86_400_000;
type Payments = Awaited<ReturnType<typeof createTestPaymentProcessor>>;
const count = (payments: Payments, of: string) =>
  (payments.database.sql(`SELECT count(*) AS n FROM ${of}`).get() as { n: number }).n;

/** Inserts an unpaid challenge that expired more than a day ago. */
const addOld = ({ clock, processor: { store } }: Payments) =>
  store.write(() =>
    store.insert({
      id: `pay-${clock.now()}`,
      kind: 'call',
      state: 'challenged',
      agent: 'painter',
      network: 'solana:local',
      amount: 1,
      expires_ms: clock.now() - DAY_MS - 1,
      created_ms: 0,
    }),
  );

describe('the retention of payment data', () => {
  it.each([
    ['a free call', "till_payments WHERE mode = 'free'", 30 * DAY_MS],
    ['the day’s counters of free calls', 'till_free_calls', 2 * DAY_MS - DAY_MS / 2],
    ['a challenge that expired', "till_payments WHERE state = 'challenged'", DAY_MS + 600_000],
    ['a deposit key', "till_accounts WHERE kind = 'balance'", 90 * DAY_MS],
  ])('of %s ends no sooner and no later', async (_, rows, keptMs) => {
    const payments = await createTestPaymentProcessor();
    await payments.call({}, { payment: { ...PAYMENT, free_tier: { calls_per_day: 1, by: 'ip' } } });
    await payments.refused();
    await payments.processor.topup('painter', PAYMENT, 5000);
    const startMs = payments.clock.now();
    /** Removes old data at a time after the start. */
    const pruneAt = async (afterMs: number) => {
      await payments.processor.stop();
      payments.clock.advance(startMs + afterMs - 30_000 - payments.clock.now());
      const again = await createTestPaymentProcessor({ local: payments });
      payments.clock.advance(30_000);
      for (let at = 0; at < 20; at += 1) await new Promise<void>((resolve) => setImmediate(resolve));
      await again.processor.stop();
    };
    const stored = count(payments, rows);
    expect(stored).toBeGreaterThan(0);
    await pruneAt(keptMs - 300_000);
    expect(count(payments, rows)).toBe(stored);
    await pruneAt(keptMs + 1);
    expect(count(payments, rows)).toBe(0);
  });

  it('keeps at most 20,000 expired, unpaid challenges', async () => {
    const payments = await createTestPaymentProcessor();
    await payments.refused();
    await payments.processor.store.write(() => {
      payments.database.sql('DELETE FROM till_payments').run();
      payments.database
        .sql(
          `INSERT INTO till_payments (id, kind, state, agent, network, amount, nonce, expires_ms, created_ms, updated_ms)
           WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 22500)
           SELECT 'pay-' || i, 'call', 'challenged', 'painter', 'solana:local', 1, 'nonce-' || i, i, i, i FROM n`,
        )
        .run();
      payments.database
        .sql("UPDATE till_payments SET expires_ms = ? WHERE id = 'pay-1'")
        .run(payments.clock.now() + 600_000);
      payments.database.sql("UPDATE till_payments SET signature = 'paid' WHERE id = 'pay-2'").run();
    });
    const prune = () =>
      payments.processor.store.write(() => payments.processor.store.prune(payments.clock.now(), 0, 0));
    while (await prune());
    // Neither the open challenge nor the one whose money has arrived counts towards the limit.
    expect(count(payments, 'till_payments')).toBe(20_002);
    expect(count(payments, "till_payments WHERE id IN ('pay-1', 'pay-2', 'pay-22500')")).toBe(3);
  });

  it('keeps free calls for 30 days and unused deposit keys for 90 days', async () => {
    const payments = await createTestPaymentProcessor();
    const used = await payments.deposited(5000);
    await payments.processor.balance('painter', PAYMENT, used);
    await payments.processor.topup('painter', PAYMENT, 5000);
    await payments.call({}, { payment: { ...PAYMENT, free_tier: { calls_per_day: 1, by: 'ip' } } });
    const kept = () => {
      payments.clock.advance(30_000);
      return [
        count(payments, "till_payments WHERE mode = 'free'"),
        count(payments, 'till_free_calls'),
        count(payments, "till_accounts WHERE kind = 'balance'"),
      ];
    };
    payments.clock.advance(DAY_MS);
    // The counter of the caller and the counter of all callers.
    expect(kept()).toEqual([1, 2, 2]);
    payments.clock.advance(30 * DAY_MS);
    await expect.poll(kept).toEqual([0, 0, 2]);
    payments.clock.advance(60 * DAY_MS);
    await expect.poll(kept).toEqual([0, 0, 1]);
    expect(payments.processor.journal.audit()).toEqual([]);
  });
});

describe('the scan for incoming payments', () => {
  it('covers addresses at which money is expected, and skips a network that cannot be reached', async () => {
    const devnet = new InMemoryChain('solana:devnet');
    const payments = await createTestPaymentProcessor({ others: [devnet] });
    const there = { ...PAYMENT, network: 'solana:devnet' };
    const { api_key, address } = await payments.processor.topup('painter', there, 5000);
    devnet.put(address, 700n, [api_key as string]);
    devnet.isReachable = false;
    const here = await payments.deposited(5000);
    const came = (network: string) => {
      payments.clock.advance(30_000);
      return Number(payments.processor.journal.getReceived(network, payments.wallet.address));
    };
    await expect.poll(() => came('solana:local')).toBe(5000);
    expect([came('solana:devnet'), here]).toEqual([0, expect.any(String)]);
    expect(await payments.processor.balance('painter', there, api_key as string)).toEqual({ lamports: 0 });
    await expect(
      payments.processor.topup('sculptor', { ...there, wallet: payments.payer.address }, 5000),
    ).rejects.toMatchObject({
      code: 'network_unavailable',
    });
    devnet.isReachable = true;
    await expect.poll(() => came('solana:devnet')).toBe(700);
    expect(payments.faults).toEqual([]);
  });

  /** A processor with an address on an in-memory network, and the turns of its background work. */
  async function scanned() {
    const devnet = new InMemoryChain('solana:devnet');
    const payments = await createTestPaymentProcessor({ others: [devnet] });
    const there = { ...PAYMENT, network: 'solana:devnet' };
    const { api_key, address } = await payments.processor.topup('painter', there, 5000);
    const pass = async (ms: number) => {
      payments.clock.advance(ms);
      for (let at = 0; at < 20; at += 1) await new Promise<void>((resolve) => setImmediate(resolve));
    };
    const came = () => Number(payments.processor.journal.getReceived('solana:devnet', address));
    return { payments, devnet, address, apiKey: api_key as string, pass, came };
  }

  it('starts every 30 seconds until two days after an address was last needed', async () => {
    const { devnet, address, apiKey, pass, came } = await scanned();
    devnet.put(address, 5n, [apiKey]);
    await pass(29_999);
    expect(came()).toBe(0);
    await pass(1);
    expect(came()).toBe(5);
    await pass(2 * DAY_MS - 60_000);
    devnet.put(address, 6n, [apiKey]);
    await pass(30_000);
    expect(came()).toBe(11);
    await pass(30_001);
    devnet.put(address, 7n, [apiKey]);
    await pass(60_000);
    expect(came()).toBe(11);
  });

  it('goes on after an error, which it reports', async () => {
    const { payments, devnet, address, apiKey, pass, came } = await scanned();
    const list = devnet.listTransactions.bind(devnet);
    devnet.listTransactions = () => Promise.reject(new TypeError('undefined is no block'));
    await pass(30_000);
    expect(payments.faults).toEqual(['Incoming payments could not be checked: undefined is no block']);
    devnet.listTransactions = list;
    devnet.put(address, 5n, [apiKey]);
    await pass(30_000);
    expect(came()).toBe(5);
  });

  it('skips a network that is not configured any more', async () => {
    const { payments, devnet, address, apiKey, pass, came } = await scanned();
    const { list } = payments.chains;
    payments.chains.list = () => ['solana:local'];
    devnet.put(address, 5n, [apiKey]);
    await pass(30_000);
    expect([came(), payments.faults]).toEqual([0, []]);
    payments.chains.list = list;
    await pass(30_000);
    expect(came()).toBe(5);
  });

  it('is made at once for a watched address that is said to have changed, and for no other', async () => {
    const { payments, devnet, address, apiKey, pass, came } = await scanned();
    devnet.put(address, 5n, [apiKey]);
    devnet.put('other', 6n, []);
    await pass(1000);
    payments.processor.noteChanged('solana:local', [address]);
    await pass(0);
    expect(came()).toBe(0);
    payments.processor.noteChanged('solana:devnet', ['other', address]);
    await pass(0);
    expect([came(), count(payments, 'till_addresses')]).toEqual([5, 1]);
    devnet.listTransactions = () => Promise.reject(new TypeError('undefined is no block'));
    payments.processor.noteChanged('solana:devnet', [address]);
    await pass(1000);
    expect(payments.faults).toEqual(['Incoming payments could not be read: undefined is no block']);
  });

  it('is made no more after the end, whatever is noted', async () => {
    const { payments, devnet, address, apiKey, pass, came } = await scanned();
    await payments.processor.stop();
    devnet.put(address, 5n, [apiKey]);
    payments.processor.noteChanged('solana:devnet', [address]);
    await pass(60_000);
    await payments.processor.start();
    await pass(60_000);
    expect(came()).toBe(0);
  });

  it('that runs at the end is waited for', async () => {
    const { payments, devnet, address, pass } = await scanned();
    let answer: (() => void) | undefined;
    devnet.listTransactions = () => new Promise((resolve) => (answer = () => resolve([])));
    await pass(1000);
    payments.processor.noteChanged('solana:devnet', [address]);
    await pass(0);
    let isStopped = false;
    const stopped = payments.processor.stop().then(() => {
      isStopped = true;
    });
    await pass(0);
    expect(isStopped).toBe(false);
    answer?.();
    await stopped;
  });

  it('that runs at the end looks at no further address, and removes nothing', async () => {
    const { payments, devnet, pass } = await scanned();
    const wallet = payments.payer.address;
    await payments.processor.topup('sculptor', { ...PAYMENT, network: 'solana:devnet', wallet }, 5000);
    await addOld(payments);
    const looked: string[] = [];
    const answers: (() => void)[] = [];
    devnet.listTransactions = (address) => {
      looked.push(address);
      return new Promise((resolve) => void answers.push(() => resolve([])));
    };
    await pass(30_000);
    expect(looked).toHaveLength(1);
    const stopped = payments.processor.stop();
    answers[0]?.();
    await stopped;
    await pass(60_000);
    expect([looked.length, count(payments, 'till_payments'), payments.clock.pending]).toEqual([1, 1, 0]);
  });

  it('that runs at the end, of the last address, is waited for and removes nothing', async () => {
    const { payments, devnet, pass } = await scanned();
    await addOld(payments);
    payments.database.sql("INSERT INTO till_free_calls VALUES ('2026-01-01', 'painter', 'all', 1)").run();
    let answer: (() => void) | undefined;
    devnet.listTransactions = () => new Promise((resolve) => (answer = () => resolve([])));
    await pass(30_000);
    const stopped = payments.processor.stop();
    answer?.();
    await stopped;
    await pass(0);
    expect([count(payments, 'till_payments'), count(payments, 'till_free_calls')]).toEqual([1, 1]);
  });

  it('removes old data every five minutes', async () => {
    const { payments, pass } = await scanned();
    await addOld(payments);
    await pass(30_000);
    expect(count(payments, 'till_payments')).toBe(0);
    await addOld(payments);
    for (let at = 0; at < 9; at += 1) await pass(30_000);
    expect(count(payments, 'till_payments')).toBe(1);
    await pass(30_000);
    expect(count(payments, 'till_payments')).toBe(0);
  });

  it('reads everything that arrived since the last scan, page by page', async () => {
    const devnet = new InMemoryChain('solana:devnet');
    const payments = await createTestPaymentProcessor({ others: [devnet] });
    const there = { ...PAYMENT, network: 'solana:devnet' };
    const { api_key, address } = await payments.processor.topup('painter', there, 5000);
    for (let i = 0; i < 2300; i += 1) devnet.put(address, 2n, i % 1000 === 0 ? [api_key as string] : []);
    const came = () => {
      payments.clock.advance(30_000);
      return payments.processor.journal.getReceived('solana:devnet', payments.wallet.address);
    };
    await expect.poll(came, { timeout: 20_000 }).toBe(4600n);
    expect(payments.processor.journal.findByMemo(api_key as string)?.lamports).toBe(6n);
    expect(payments.processor.journal.audit()).toEqual([]);
  });

  it('queries a remote network at most once a second per address, regardless of the number of callers', async () => {
    const devnet = new InMemoryChain('solana:devnet');
    let lists = 0;
    const toList = devnet.listTransactions.bind(devnet);
    devnet.listTransactions = (address, until) => {
      lists += 1;
      return toList(address, until);
    };
    const payments = await createTestPaymentProcessor({ others: [devnet] });
    const there = { ...PAYMENT, network: 'solana:devnet' };
    const { api_key, address } = await payments.processor.topup('painter', there, 5000);
    const balances = () =>
      Promise.all(
        Array.from(
          { length: 20 },
          async () => (await payments.processor.balance('painter', there, api_key as string)).lamports,
        ),
      );
    payments.clock.advance(1000);
    lists = 0;
    devnet.put(address, 700n, [api_key as string]);
    expect(new Set(await balances())).toEqual(new Set([700]));
    expect(lists).toBe(1);
    devnet.put(address, 800n, [api_key as string]);
    const asked = balances();
    let isAnswered = false;
    void asked.then(() => {
      isAnswered = true;
    });
    await expect
      .poll(() => {
        payments.clock.advance(400);
        return isAnswered;
      })
      .toBe(true);
    // A waiting caller gets what arrived before its request.
    expect(new Set(await asked)).toEqual(new Set([1500]));
    expect(lists).toBe(2);
  });
});
