import { describe, expect, it } from 'vitest';
import type { CallMode, PaymentDeclaration } from '../../contract/payments.js';
import { MeshError } from '../../lib/errors.js';
import { createTestPaymentProcessor, PAYMENT, PRICE, ROWS } from '../../testing/processes/test-payment-processor.js';
import { InMemoryChain } from '../../testing/stand-ins/in-memory-chain.js';
import type { PricedCall } from './payment-port.js';
import { PaymentProcessor } from './payment-processor.js';

/** Lets the clock run in steps of a second, so that scans of a remote network that wait for it are made. */
async function pass(payments: { clock: { advance(ms: number): void } }) {
  for (let at = 0; at < 5; at += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    payments.clock.advance(1000);
  }
}

describe('a call without payment', () => {
  it('returns a 402 with the body of the specification, and the skill is not run', async () => {
    const payments = await createTestPaymentProcessor();
    const challenge = await payments.refused();
    const expiresAt = Math.floor(payments.clock.now() / 1000) + 600;
    expect(challenge).toEqual({
      error: 'payment_required',
      message: expect.any(String),
      x402Version: 1,
      accepts: [
        {
          scheme: 'exact',
          network: 'solana:local',
          address: payments.wallet.address,
          amount: PRICE,
          currency: 'lamports',
          nonce: challenge.nonce,
          expiresAt,
        },
      ],
      chainPayUrl: `solana:${payments.wallet.address}?amount=0.000005&memo=${challenge.nonce}`,
      nonce: challenge.nonce,
    });
    expect(payments.runs).toBe(0);
  });

  it('runs once it is paid, and is stored in the ledger with its proof', async () => {
    const payments = await createTestPaymentProcessor();
    const proof = await payments.payFor(await payments.refused());
    expect(await payments.call(proof)).toEqual({
      status: 200,
      body: { run: 1 },
      mode: 'x402',
      replayed: false,
      headers: {},
    });
    expect(payments.processor.store.findByNonce(proof.nonce)).toMatchObject({
      state: 'settled',
      mode: 'x402',
      amount: PRICE,
      signature: proof.proof,
    });
    expect(payments.processor.journal.audit()).toEqual([]);
  });

  it('offers each payable row of the card, the tier of the call first', async () => {
    const payments = await createTestPaymentProcessor();
    const prices = [
      { ...ROWS[0], tier: 'mini', amount: 100 },
      { ...ROWS[0], tier: 'max', amount: 900 },
      { unit: 'request', amount: 5, currency: 'USD', tier: 'max' },
      { unit: 'request', amount: 100, currency: 'lamports', network: 'solana:mainnet', tier: 'mini' },
    ] as typeof ROWS;
    const { accepts, chainPayUrl } = await payments.refused({}, { prices, tier: 'max' });
    expect(accepts.map(({ tier, amount, network }) => [tier, amount, network])).toEqual([
      ['max', 900, 'solana:local'],
      ['mini', 100, 'solana:local'],
    ]);
    expect(chainPayUrl).toContain('amount=0.0000009&');
  });
});

describe('a challenge', () => {
  it('names nothing to pay for a tier not payable here: another tier’s price would not pay for it', async () => {
    const payments = await createTestPaymentProcessor();
    const prices = [
      { ...ROWS[0], tier: 'mini', amount: 100 },
      { unit: 'request', amount: 5, currency: 'USD', tier: 'max' },
    ] as typeof ROWS;
    const { accepts, nonce, message } = await payments.refused({}, { prices, tier: 'max' });
    expect([accepts, nonce, message]).toEqual([[], '', expect.stringContaining('cannot be paid here')]);
    expect((await payments.refused({}, { prices, tier: 'mini' })).accepts).toHaveLength(1);
  });

  const DEPOSIT_ONLY = 'This call is paid from a deposit: open one at /v1/topup and send its key as X-Api-Key.';

  it.each([
    ['of an agent that takes deposits only', { modes: ['deposit'] as const }, DEPOSIT_ONLY],
    [
      'of an agent without an address',
      { wallet: 'nowhere' },
      'This agent cannot be paid now: its operator must fix its wallet.',
    ],
  ])('%s names nothing to pay, and is not stored', async (_, card, message) => {
    const payments = await createTestPaymentProcessor();
    const payment = { ...PAYMENT, ...card } as typeof PAYMENT;
    expect(await payments.refused({}, { payment })).toMatchObject({ message, accepts: [], nonce: '', chainPayUrl: '' });
    expect(payments.database.sql('SELECT count(*) AS n FROM till_payments').get()).toEqual({ n: 0 });
  });

  it('of a card that names no way to pay is paid by call', async () => {
    const payments = await createTestPaymentProcessor();
    expect((await payments.refused({}, { payment: { modes: [] } })).accepts).toHaveLength(1);
    const { message } = await payments.refused({}, { prices: [{ unit: 'request', amount: 3, currency: 'USD' }] });
    expect(message).toBe(
      'This call has a price that cannot be paid here: its card names no network and currency that this daemon takes.',
    );
  });

  it('is stored with its terms, its caller and its end', async () => {
    const payments = await createTestPaymentProcessor();
    const { nonce } = await payments.refused({ pubkey: 'ann' });
    const { store } = payments.processor;
    const stored = store.findByNonce(nonce);
    const nowMs = payments.clock.now();
    expect(stored).toMatchObject({
      kind: 'call',
      state: 'challenged',
      mode: null,
      skill: 'paint',
      amount: PRICE,
      network: 'solana:local',
      counterparty: 'ann',
      expires_ms: nowMs + 600_000,
      created_ms: nowMs,
    });
    expect(store.listTerms(stored?.id ?? '')).toEqual([
      { network: 'solana:local', amount: PRICE, address: payments.wallet.address },
    ]);
  });

  it('says which limit is reached and when to ask again', async () => {
    const payments = await createTestPaymentProcessor();
    for (let number = 0; number < 100; number += 1) await payments.refused({ pubkey: 'ann' });
    await expect(payments.refused({ pubkey: 'ann' })).rejects.toMatchObject({
      code: 'too_many_requests',
      message:
        '100 payment challenges of this key wait to be paid: pay one, or send the call again when they have run out, ' +
        'after 10 minutes.',
      details: { retry_after: 600 },
    });
  });
});

describe('an agent that cannot be paid', () => {
  it('tells the caller so, and the operator why', async () => {
    const payments = await createTestPaymentProcessor();
    const payment = { ...PAYMENT, wallet: 'nowhere' };
    await expect(payments.processor.topup('painter', payment, 5000)).rejects.toMatchObject({
      code: 'overloaded',
      message: 'This agent cannot be paid now: its operator must fix its wallet.',
      cause: expect.objectContaining({ code: 'bad_request' }),
    });
    expect(payments.faults).toEqual(['An agent cannot be paid. The wallet in an agent’s card is no address.']);
  });

  /** A processor whose main address cannot be read. */
  async function without(failure: Error) {
    const payments = await createTestPaymentProcessor();
    const { database, chains, clock, bus, faults } = payments;
    const processor = new PaymentProcessor({
      database,
      chains,
      clock,
      bus,
      secretKey: Buffer.alloc(32, 7),
      mainAddress: () => Promise.reject(failure),
      getCredit: () => null,
      onFault: (error) => void faults.push(error),
      warn: (message) => void faults.push(message),
    });
    const asked = processor.serve(payments.priced(), () => Promise.reject(new Error('never')));
    return { asked, faults };
  }

  it('because its main wallet cannot be opened names nothing to pay, and the operator is told why', async () => {
    const { asked, faults } = await without(new MeshError('bad_request', 'The wallet file is damaged.'));
    await expect(asked).rejects.toMatchObject({ code: 'payment_required', details: { accepts: [] } });
    expect(faults).toEqual(['An agent cannot be paid. The wallet file is damaged.']);
  });

  it('because of an error that is unknown fails with that error', async () => {
    const { asked, faults } = await without(new TypeError('undefined is no wallet'));
    await expect(asked).rejects.toThrow('undefined is no wallet');
    expect(faults).toEqual([]);
  });

  it('gives no credit, without a reason', async () => {
    const payments = await createTestPaymentProcessor();
    payments.reputations.set('ann', 1);
    const payment = { ...PAYMENT, wallet: 'nowhere', postpay_min_reputation: 0.5 };
    const { reason, accepts } = await payments.refused({ pubkey: 'ann' }, { payment });
    expect([reason, accepts]).toEqual([undefined, []]);
  });
});

describe('post-pay on a network that gives no answer', () => {
  it('is refused with network_unavailable, and given again when it does', async () => {
    const devnet = new InMemoryChain('solana:devnet');
    const payments = await createTestPaymentProcessor({ others: [devnet] });
    payments.reputations.set('ann', 1);
    const prices = ROWS.map((row) => ({ ...row, network: 'solana:devnet' }));
    const priced = { prices, payment: { ...PAYMENT, network: 'solana:devnet', postpay_min_reputation: 0.5 } };
    devnet.isReachable = false;
    const refused = payments.refused({ pubkey: 'ann' }, priced);
    await pass(payments);
    expect((await refused).reason).toBe('network_unavailable');
    devnet.isReachable = true;
    payments.clock.advance(1000);
    expect((await payments.call({ pubkey: 'ann' }, priced)).mode).toBe('postpay');
  });

  it('fails with an error of the network that is unknown', async () => {
    const devnet = new InMemoryChain('solana:devnet');
    const payments = await createTestPaymentProcessor({ others: [devnet] });
    devnet.listTransactions = () => Promise.reject(new TypeError('undefined is no block'));
    const prices = ROWS.map((row) => ({ ...row, network: 'solana:devnet' }));
    await expect(payments.refused({}, { prices })).rejects.toThrow('undefined is no block');
  });

  /** A caller that owes an agent on a remote network as much as it may. */
  async function owing() {
    const devnet = new InMemoryChain('solana:devnet');
    const payments = await createTestPaymentProcessor({ others: [devnet] });
    payments.reputations.set('ann', 1);
    const prices = ROWS.map((row) => ({ ...row, network: 'solana:devnet' }));
    const priced = { prices, payment: { ...PAYMENT, network: 'solana:devnet', postpay_min_reputation: 0.5 } };
    for (let at = 0; at < 10; at += 1) await payments.call({ pubkey: 'ann' }, priced);
    return { devnet, payments, ask: () => payments.refused({ pubkey: 'ann' }, priced) };
  }

  it('is refused for what is unpaid as far as is known, when it cannot be seen what has come', async () => {
    const { devnet, payments, ask } = await owing();
    devnet.isReachable = false;
    const refused = ask();
    await pass(payments);
    expect((await refused).reason).toBe('too_many_unpaid');
  });

  it('fails with an error that is unknown when what has come is looked for', async () => {
    const { devnet, payments, ask } = await owing();
    devnet.listTransactions = () => Promise.reject(new TypeError('undefined is no block'));
    const refused = ask().catch((error: Error) => error.message);
    await pass(payments);
    expect(await refused).toBe('undefined is no block');
  });
});

describe('credit', () => {
  const wanted = (least: number, more: Partial<PricedCall> = {}) => ({
    ...more,
    payment: { ...PAYMENT, postpay_min_reputation: least },
  });

  it('is not given without a score, even where every score is enough', async () => {
    const payments = await createTestPaymentProcessor();
    expect((await payments.refused({ pubkey: 'ann' }, wanted(0))).reason).toBe('reputation_too_low');
    payments.reputations.set('ann', 0);
    expect((await payments.call({ pubkey: 'ann' }, wanted(0))).mode).toBe('postpay');
  });

  it('is no matter of a price that cannot be paid here, whatever the reputation', async () => {
    const payments = await createTestPaymentProcessor();
    payments.reputations.set('good', 1).set('bad', 0);
    const prices = [{ unit: 'request', amount: 3, currency: 'USD' }];
    for (const pubkey of ['good', 'bad']) {
      const { reason, message } = await payments.refused({ pubkey }, wanted(0.5, { prices }));
      expect([reason, message]).toEqual([undefined, expect.stringContaining('cannot be paid here')]);
    }
  });
});

it('a skill is told how its call is paid', async () => {
  const payments = await createTestPaymentProcessor();
  payments.reputations.set('ann', 1);
  const told: CallMode[] = [];
  const ask = async (payer: Partial<PricedCall['payer']>, more: Partial<PricedCall> = {}) => {
    const { mode } = await payments.processor.serve(payments.priced(payer, more), async (by) => {
      told.push(by);
      return { status: 200, body: {} };
    });
    expect(told.at(-1)).toBe(mode);
  };
  const free_tier: PaymentDeclaration['free_tier'] = { calls_per_day: 1, by: 'ip' };
  await ask({}, { prices: [{ unit: 'request', amount: 0, currency: 'free' }] });
  await ask({}, { payment: { ...PAYMENT, free_tier } });
  await ask({ apiKey: await payments.deposited(PRICE) });
  await ask({ pubkey: 'ann' }, { payment: { ...PAYMENT, postpay_min_reputation: 0.5 } });
  await ask(await payments.payFor(await payments.refused()));
  expect(told).toEqual(['free', 'free', 'deposit', 'postpay', 'x402']);
});

it('an error of the database is not taken for a balance that is too small', async () => {
  const payments = await createTestPaymentProcessor();
  const apiKey = await payments.deposited(PRICE);
  await payments.processor.balance('painter', PAYMENT, apiKey);
  const { store } = payments.processor;
  const write = store.write.bind(store);
  store.write = () => {
    store.write = write;
    return Promise.reject(new MeshError('overloaded', 'The disk is full.'));
  };
  await expect(payments.call({ apiKey })).rejects.toThrow('The disk is full.');
  expect(payments.runs).toBe(0);
});

it('the end leaves no timer behind, and no start after it sets one', async () => {
  const payments = await createTestPaymentProcessor();
  const apiKey = await payments.deposited(2 * PRICE);
  for (const _ of [1, 2]) await payments.call({ apiKey });
  // The next scan, and the balance that is published later.
  expect(payments.clock.pending).toBe(2);
  await payments.processor.stop();
  expect(payments.clock.pending).toBe(0);
  await payments.processor.start();
  expect(payments.clock.pending).toBe(0);
});

describe('an agent whose wallet also pays', () => {
  it('accepts a payment from its wallet to itself, so that the operator can call it', async () => {
    const payments = await createTestPaymentProcessor();
    await payments.network.fund(payments.wallet.address, 1_000_000n);
    const { nonce } = await payments.refused();
    const signed = await payments.chain.sign(payments.wallet, payments.wallet.address, BigInt(PRICE), nonce);
    await payments.chain.send(signed);
    expect((await payments.call({ proof: signed.signature, nonce })).mode).toBe('x402');
    expect(payments.processor.journal.audit()).toEqual([]);
  });
});

describe('watchers', () => {
  it('get an event for each state of a payment, and at most one balance event per second', async () => {
    const payments = await createTestPaymentProcessor();
    const received: string[] = [];
    payments.bus.watch((event) => {
      if (event.type === 'payment.changed') received.push(`${event.side} ${event.state} ${event.agent}`);
      if (event.type === 'payment.balance') received.push(`balance ${event.agent}`);
    });
    const offered = await payments.payFor(await payments.refused());
    await payments.call(offered);
    expect(received.splice(0)).toEqual([
      'earned challenged painter',
      'earned paid painter',
      'earned settled painter',
      'balance painter',
    ]);
    await payments.call(offered);
    expect(received).toEqual([]);
    const apiKey = await payments.deposited(10 * PRICE);
    for (let i = 0; i < 10; i += 1) await payments.call({ apiKey });
    expect(received.filter((word) => word.startsWith('balance'))).toEqual([]);
    payments.clock.advance(1000);
    expect(received.filter((word) => word.startsWith('balance'))).toEqual(['balance painter']);
    expect(received.filter((word) => word === 'earned settled painter')).toHaveLength(11);
  });

  it('get no secret', async () => {
    const payments = await createTestPaymentProcessor();
    const received: unknown[] = [];
    payments.bus.watch((event) => void received.push(event));
    const apiKey = await payments.deposited(PRICE);
    await payments.call({ apiKey });
    const { body } = await payments.call(await payments.payFor(await payments.refused()), {}, async () => ({
      status: 500,
      body: {},
    }));
    const { api_key } = (body as { refund: { api_key: string } }).refund;
    expect(received.length).toBeGreaterThan(5);
    for (const secret of [apiKey, api_key]) expect(JSON.stringify(received)).not.toContain(secret);
  });
});
