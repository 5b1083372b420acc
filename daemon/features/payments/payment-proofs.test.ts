import { describe, expect, it, onTestFinished } from 'vitest';
import { LOCAL_NETWORK } from '../../contract/payments.js';
import { encodeBase58 } from '../../lib/crypto/base58.js';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { isMeshError, MeshError } from '../../lib/errors.js';
import {
  catchChallenge,
  createTestPaymentProcessor,
  PAYMENT,
  PRICE,
  ROWS,
  type TestPaymentProcessor,
} from '../../testing/processes/test-payment-processor.js';
import { InMemoryChain } from '../../testing/stand-ins/in-memory-chain.js';
import { SeenStore } from './ledger/seen-store.js';
import { SettledPayments } from './ledger/settled-payments.js';
import type { PricedCall } from './payment-port.js';

/** Returns why a proof is refused, after checking that the skill was not run and that the 402 includes a challenge. */
async function refusal(
  payments: TestPaymentProcessor,
  offered: { proof: string; nonce: string },
  more: Partial<PricedCall> = {},
) {
  const runs = payments.runs;
  const { error, reason, accepts, nonce } = await payments.refused(offered, more);
  expect(payments.runs).toBe(runs);
  expect(accepts.length).toBeGreaterThan(0);
  return { error, reason, isFresh: nonce !== offered.nonce };
}

const refused = (reason: string, error = 'payment_required', isFresh = true) => ({ error, reason, isFresh });
const FORGED = encodeBase58(Buffer.alloc(64, 5));

/** A payment processor whose price is in lamports of an in-memory stand-in for a public network. */
async function onDevnet() {
  const devnet = new InMemoryChain('solana:devnet');
  const payments = await createTestPaymentProcessor({ others: [devnet] });
  const more = {
    prices: ROWS.map((row) => ({ ...row, network: 'solana:devnet' })),
    payment: { ...PAYMENT, network: 'solana:devnet' },
  };
  return { processor: payments, devnet, more };
}

describe('50 parallel retries with one nonce and one signature', () => {
  it('run the skill once; the others get the first result', async () => {
    const payments = await createTestPaymentProcessor();
    const offered = await payments.payFor(await payments.refused());
    const results = await Promise.all(Array.from({ length: 50 }, () => payments.call(offered)));
    expect(payments.runs).toBe(1);
    expect(results.filter(({ replayed }) => !replayed)).toHaveLength(1);
    for (const result of results) expect(result).toMatchObject({ status: 200, body: { run: 1 }, mode: 'x402' });
  });

  it('wait for the running call and do not block other calls', async () => {
    const payments = await createTestPaymentProcessor();
    const offered = await payments.payFor(await payments.refused());
    let finish: (() => void) | undefined;
    let started: (() => void) | undefined;
    const running = new Promise<void>((resolve) => {
      started = resolve;
    });
    const first = payments.call(offered, {}, async () => {
      started?.();
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return { status: 200, body: 'slow' };
    });
    await running;
    const second = payments.call(offered);
    const other = await payments.payFor(await payments.refused());
    expect((await payments.call(other)).body).toEqual({ run: 1 });
    finish?.();
    expect([(await first).body, (await second).body]).toEqual(['slow', 'slow']);
    expect((await second).replayed).toBe(true);
  });
});

describe('a replay of the same proof', () => {
  it('returns the first result with its status and body, free of charge, also after a restart', async () => {
    const payments = await createTestPaymentProcessor();
    const offered = await payments.payFor(await payments.refused());
    await payments.call(offered, {}, async () => ({ status: 422, body: { error: 'too_blue' } }));
    const { processor: again } = await createTestPaymentProcessor({ local: payments });
    const replayed = await again.serve(payments.priced(offered), () => Promise.reject(new Error('never')));
    expect(replayed).toEqual({ status: 422, body: { error: 'too_blue' }, mode: 'x402', replayed: true, headers: {} });
    expect(again.journal.earnedInAll()).toBe(PRICE);
  });

  it('is refused with another request body, and after the result has been removed', async () => {
    const payments = await createTestPaymentProcessor();
    const offered = await payments.payFor(await payments.refused());
    await payments.call(offered);
    const other = { requestSha256: sha256Hex('another body') };
    expect(await refusal(payments, offered, other)).toEqual(refused('nonce_spent'));
    payments.clock.advance(30 * 86_400_000 + 60_000);
    await payments.processor.store.write(() => payments.processor.store.prune(payments.clock.now(), 0, 0));
    expect(await refusal(payments, offered)).toEqual(refused('nonce_spent'));
  });
});

describe('a proof is refused with 402 and a fresh challenge, and the skill is not run,', () => {
  it('for a nonce that was never issued', async () => {
    const payments = await createTestPaymentProcessor();
    const proof = await payments.pay(payments.wallet.address, PRICE, 'never-issued');
    expect(await refusal(payments, { proof, nonce: 'never-issued' })).toEqual(refused('unknown_nonce'));
  });

  it('for a nonce of another skill or agent', async () => {
    const payments = await createTestPaymentProcessor();
    const offered = await payments.payFor(await payments.refused({}, { skill: 'sketch' }));
    expect(await refusal(payments, offered)).toEqual(refused('nonce_of_other_skill'));
    const others = await payments.payFor(await payments.refused({}, { agent: 'sculptor' }));
    expect(await refusal(payments, others)).toEqual(refused('nonce_of_other_skill'));
  });

  it('for the nonce of a cheaper tier than the tier of the call', async () => {
    const payments = await createTestPaymentProcessor();
    const prices = [
      { ...ROWS[0], tier: 'mini', amount: 100 },
      { ...ROWS[0], tier: 'max', amount: 900 },
    ] as typeof ROWS;
    const offered = await payments.payFor(await payments.refused({}, { prices, tier: 'mini' }));
    expect(await refusal(payments, offered, { prices, tier: 'max' })).toEqual(refused('amount_too_small'));
    expect((await payments.call(offered, { prices, tier: 'mini' })).status).toBe(200);
  });

  it('for a payment that came when the nonce had expired, or never did', async () => {
    const { processor: payments, devnet, more } = await onDevnet();
    const { nonce } = await payments.refused({}, more);
    payments.clock.advance(600_000);
    for (const blockTime of [null, payments.clock.now() / 1000]) {
      const proof = devnet.put(payments.wallet.address, BigInt(PRICE), [nonce], { blockTime });
      expect(await refusal(payments, { proof, nonce }, more)).toEqual(refused('nonce_expired'));
    }
    const unseen = refusal(payments, { proof: FORGED, nonce }, more);
    for (let passed = 0; passed <= 8_000; passed += 400) {
      await turn();
      payments.clock.advance(400);
    }
    expect(await unseen).toEqual(refused('nonce_expired'));
  });

  it('for another transaction with a spent nonce (nonce_spent)', async () => {
    const payments = await createTestPaymentProcessor();
    const challenge = await payments.refused();
    await payments.call(await payments.payFor(challenge));
    const second = await payments.payFor(challenge);
    expect(await refusal(payments, second)).toEqual(refused('nonce_spent', 'nonce_spent'));
  });

  it('for a spent transaction with a new nonce', async () => {
    const payments = await createTestPaymentProcessor();
    const { proof } = await payments.payFor(await payments.refused());
    const { nonce } = await payments.refused();
    expect(await refusal(payments, { proof, nonce })).toEqual(refused('memo_of_other_nonce'));
    const spent = await payments.payFor(await payments.refused());
    await payments.call(spent);
    expect(await refusal(payments, { proof: spent.proof, nonce })).toEqual(refused('signature_spent'));
  });

  it('for a spent transaction with a nonce that can be paid on several networks', async () => {
    const { processor: payments, more } = await onDevnet();
    const spent = await payments.payFor(await payments.refused());
    await payments.call(spent);
    const prices = [...more.prices, ...ROWS];
    const { nonce } = await payments.refused({}, { prices });
    expect(await refusal(payments, { proof: spent.proof, nonce }, { prices })).toEqual(refused('signature_spent'));
  });

  it('for the price of one of its networks that is paid on a dearer one', async () => {
    const { processor: payments, devnet, more } = await onDevnet();
    const prices = [...ROWS, ...more.prices.map((row) => ({ ...row, amount: PRICE + 1 }))];
    const { nonce } = await payments.refused({}, { prices });
    const proof = devnet.put(payments.wallet.address, BigInt(PRICE), [nonce]);
    expect(await refusal(payments, { proof, nonce }, { prices })).toEqual(refused('amount_too_small'));
  });

  it('for a transaction that is spent on something else while it is looked up', async () => {
    const { processor: payments, devnet, more } = await onDevnet();
    const { nonce } = await payments.refused({}, more);
    const proof = devnet.put(payments.wallet.address, BigInt(PRICE), [nonce]);
    const { database, wallet } = payments;
    const find = devnet.find.bind(devnet);
    devnet.find = async (signature) => {
      await database.write(() =>
        new SeenStore(database).spend('solana:devnet', signature, wallet.address, 'deposit', 'pay-other'),
      );
      return find(signature);
    };
    expect(await refusal(payments, { proof, nonce }, more)).toEqual(refused('signature_spent'));
  });

  it('for a nonce whose challenge is removed while its transaction is looked up', async () => {
    const { processor: payments, devnet, more } = await onDevnet();
    const { nonce } = await payments.refused({}, more);
    const proof = devnet.put(payments.wallet.address, BigInt(PRICE), [nonce]);
    const find = devnet.find.bind(devnet);
    devnet.find = (signature) => {
      payments.database.sql('DELETE FROM till_payments').run();
      return find(signature);
    };
    expect(await refusal(payments, { proof, nonce }, more)).toEqual(refused('unknown_nonce'));
  });

  it('for a transaction that paid into a deposit', async () => {
    const payments = await createTestPaymentProcessor();
    const { api_key, address } = await payments.processor.topup('painter', PAYMENT, PRICE);
    const proof = await payments.pay(address, PRICE, api_key as string);
    expect(await payments.processor.balance('painter', PAYMENT, api_key as string)).toEqual({ lamports: PRICE });
    const { nonce } = await payments.refused();
    expect(await refusal(payments, { proof, nonce })).toEqual(refused('signature_spent'));
  });

  it.each([
    [
      'amount_too_small',
      async (payments: TestPaymentProcessor, nonce: string) => payments.pay(payments.wallet.address, PRICE - 1, nonce),
    ],
    ['memo_missing', async (payments: TestPaymentProcessor) => payments.pay(payments.wallet.address, PRICE)],
    [
      'memo_of_other_nonce',
      async (payments: TestPaymentProcessor) => payments.pay(payments.wallet.address, PRICE, 'another'),
    ],
    [
      'wrong_wallet',
      async (payments: TestPaymentProcessor, nonce: string) =>
        payments.pay((await payments.aWallet()).address, PRICE, nonce),
    ],
  ])('for an incorrect payment: %s', async (reason, pay) => {
    const payments = await createTestPaymentProcessor();
    const { nonce } = await payments.refused();
    expect(await refusal(payments, { proof: await pay(payments, nonce), nonce })).toEqual(refused(reason));
  });

  it.each([
    ['transaction_failed', { failed: true }],
    ['memo_twice', { memos: ['one', 'two'] }],
    ['older_than_challenge', { blockTime: 1 }],
  ])('for a transaction that the chain reports as invalid payment: %s', async (reason, more) => {
    const { processor: payments, devnet, more: priced } = await onDevnet();
    const { nonce } = await payments.refused({}, priced);
    const proof = devnet.put(payments.wallet.address, BigInt(PRICE), [nonce], more);
    expect(await refusal(payments, { proof, nonce }, priced)).toEqual(refused(reason));
  });

  it('for a transaction on another network', async () => {
    const { processor: payments, devnet } = await onDevnet();
    const { nonce } = await payments.refused();
    const proof = devnet.put(payments.wallet.address, BigInt(PRICE), [nonce]);
    expect(await refusal(payments, { proof, nonce })).toEqual(refused('wrong_network'));
  });

  it('with a new nonce for each of 100 calls', async () => {
    const payments = await createTestPaymentProcessor();
    const { nonce } = await payments.refused();
    const proof = await payments.pay(payments.wallet.address, PRICE);
    const refusals = await Promise.all(
      Array.from({ length: 100 }, () => catchChallenge(payments.call({ proof, nonce }))),
    );
    expect(new Set(refusals.map((one) => one.nonce)).size).toBe(100);
    expect(payments.runs).toBe(0);
  });
});

describe('a transaction that is not visible yet', () => {
  it('is awaited, and the call runs once it is confirmed', async () => {
    const { processor: payments, devnet, more } = await onDevnet();
    const { nonce } = await payments.refused({}, more);
    const calls = Promise.all([
      payments.call({ proof: FORGED, nonce }, more),
      payments.call({ proof: FORGED, nonce }, more),
    ]);
    await turn();
    const looked = devnet.looks;
    devnet.put(payments.wallet.address, BigInt(PRICE), [nonce], { signature: FORGED });
    payments.clock.advance(400);
    expect((await calls).map(({ body }) => body)).toEqual([{ run: 1 }, { run: 1 }]);
    // Both calls share their lookups.
    expect([looked, devnet.looks]).toEqual([1, 2]);
  });

  it('is refused with not_yet_visible after the timeout, and its nonce stays valid', async () => {
    const { processor: payments, devnet, more } = await onDevnet();
    const { nonce } = await payments.refused({}, more);
    const call = catchChallenge(payments.call({ proof: FORGED, nonce }, more));
    for (let passed = 0; passed <= 8_000; passed += 400) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      payments.clock.advance(400);
    }
    expect(await call).toMatchObject({ error: 'payment_required', reason: 'not_yet_visible', nonce });
    devnet.put(payments.wallet.address, BigInt(PRICE), [nonce], { signature: FORGED });
    expect((await payments.call({ proof: FORGED, nonce }, more)).status).toBe(200);
  });

  it('is awaited for exactly eight seconds, on other networks not at all', async () => {
    const { processor: payments, devnet } = await onDevnet();
    const { nonce } = await payments.refused();
    let looks = 0;
    payments.chain.find = async () => {
      looks += 1;
      return undefined;
    };
    let isEnded = false;
    const call = catchChallenge(payments.call({ proof: FORGED, nonce })).finally(() => {
      isEnded = true;
    });
    const wait = async (ms: number) => {
      payments.clock.advance(ms);
      for (let at = 0; at < 5; at += 1) await turn();
      return isEnded;
    };
    await wait(0);
    for (let passed = 400; passed < 8_000; passed += 400) expect(await wait(400)).toBe(false);
    expect([looks, devnet.looks, await wait(400)]).toEqual([20, 1, true]);
    expect((await call).reason).toBe('not_yet_visible');
  });

  it('is network_unavailable, no price to pay, while the network gives no answer; its nonce stays valid', async () => {
    const { processor: payments, devnet, more } = await onDevnet();
    const { nonce } = await payments.refused({}, more);
    const proof = devnet.put(payments.wallet.address, BigInt(PRICE), [nonce]);
    devnet.isReachable = false;
    const call = payments.call({ proof, nonce }, more).catch((error: unknown) => error);
    for (let passed = 0; passed <= 8_000; passed += 400) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      payments.clock.advance(400);
    }
    expect(await call).toMatchObject({ code: 'network_unavailable', details: { nonce, retry_after: 5 } });
    devnet.isReachable = true;
    expect((await payments.call({ proof, nonce }, more)).status).toBe(200);
  });
});

/** Lets what has been asked of the chain be answered. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('proofs that cannot be seen', () => {
  it('wait up to 64 at once; further ones are looked up once', async () => {
    const { processor: payments, more } = await onDevnet();
    const nonces: string[] = [];
    while (nonces.length < 70) nonces.push((await payments.refused({}, more)).nonce);
    let ended = 0;
    const ask = async (nonce: string) => {
      const { reason } = await catchChallenge(payments.call({ proof: FORGED, nonce }, more));
      ended += 1;
      return reason;
    };
    const waiting = nonces.slice(0, 64).map(ask);
    for (let at = 0; at < 5; at += 1) await turn();
    expect(ended).toBe(0);
    const calls = [...waiting, ...nonces.slice(64).map(ask)];
    for (let at = 0; at < 5; at += 1) await turn();
    expect(ended).toBe(6);
    for (let passed = 0; passed <= 8_000; passed += 400) {
      await turn();
      payments.clock.advance(400);
    }
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['not_yet_visible']));
  });

  it('are not_yet_visible when only another network than that of the price gives no answer', async () => {
    const { processor: payments, devnet } = await onDevnet();
    const { nonce } = await payments.refused();
    devnet.isReachable = false;
    const call = catchChallenge(payments.call({ proof: FORGED, nonce }));
    for (let passed = 0; passed <= 8_000; passed += 400) {
      for (let at = 0; at < 5; at += 1) await turn();
      payments.clock.advance(400);
    }
    expect((await call).reason).toBe('not_yet_visible');
  });

  it('name the networks that give no answer', async () => {
    const { processor: payments, devnet, more } = await onDevnet();
    const prices = [...more.prices, ...more.prices.map((row) => ({ ...row, network: LOCAL_NETWORK }))];
    const { nonce } = await payments.refused({}, { ...more, prices });
    devnet.isReachable = false;
    const call = payments.call({ proof: FORGED, nonce }, { ...more, prices }).catch((error: Error) => error.message);
    for (let passed = 0; passed <= 8_000; passed += 400) {
      for (let at = 0; at < 5; at += 1) await turn();
      payments.clock.advance(400);
    }
    expect(await call).toBe(
      'solana:devnet or solana:local cannot be reached now, so the payment cannot be seen: send the same proof again ' +
        'in a moment; the nonce stays valid.',
    );
  });

  it('fail with an error of the network that is unknown', async () => {
    const { processor: payments, devnet, more } = await onDevnet();
    const { nonce } = await payments.refused({}, more);
    devnet.find = () => Promise.reject(new TypeError('undefined is no block'));
    await expect(payments.call({ proof: FORGED, nonce }, more)).rejects.toThrow('undefined is no block');
  });
});

describe('a paid challenge', () => {
  it('is booked to the agent, with what came besides as unmatched, and names its payer', async () => {
    const { processor: payments, devnet, more } = await onDevnet();
    const { nonce } = await payments.refused({}, more);
    const transfers = [
      { from: 'other', to: 'elsewhere', lamports: 1n },
      { from: 'payer', to: payments.wallet.address, lamports: BigInt(PRICE) + 1n },
    ];
    const balanceChanges = new Map([[payments.wallet.address, BigInt(PRICE) + 31n]]);
    const proof = devnet.put(payments.wallet.address, 0n, [nonce], { transfers, balanceChanges });
    payments.clock.advance(5);
    await payments.call({ proof, nonce }, more);
    expect(payments.processor.store.findByNonce(nonce)).toMatchObject({
      amount: PRICE + 1,
      network: 'solana:devnet',
      counterparty: 'payer',
      updated_ms: payments.clock.now(),
    });
    const moves = payments.database.sql('SELECT why, lamports, created_ms FROM till_journal ORDER BY seq').all();
    expect(moves).toEqual([
      { why: 'unmatched', lamports: 30, created_ms: payments.clock.now() },
      { why: 'proof', lamports: PRICE + 1, created_ms: payments.clock.now() },
    ]);
    expect([payments.processor.journal.earnedInAll(), payments.processor.journal.audit()]).toEqual([PRICE + 1, []]);
  });

  it('names the key of a signed caller in place of the payer', async () => {
    const { processor: payments, devnet, more } = await onDevnet();
    const { nonce } = await payments.refused({}, more);
    const proof = devnet.put(payments.wallet.address, BigInt(PRICE), [nonce]);
    await payments.call({ proof, nonce, pubkey: 'ann' }, more);
    expect(payments.processor.store.findByNonce(nonce)?.counterparty).toBe('ann');
  });

  it('is spent by one of two transactions that are offered at the same time', async () => {
    const { processor: payments, devnet, more } = await onDevnet();
    const { nonce } = await payments.refused({}, more);
    const proofs = [1, 2].map(() => devnet.put(payments.wallet.address, BigInt(PRICE), [nonce]));
    const [first, second] = await Promise.allSettled(proofs.map((proof) => payments.call({ proof, nonce }, more)));
    expect(first).toMatchObject({ status: 'fulfilled', value: { body: { run: 1 } } });
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'nonce_spent' } });
    expect(payments.runs).toBe(1);
    expect(await payments.call({ proof: proofs[0] as string, nonce }, more)).toMatchObject({ replayed: true });
  });

  it('that another transaction is offered for meanwhile is still waited for by its repeats', async () => {
    const { processor: payments, devnet, more } = await onDevnet();
    const { nonce } = await payments.refused({}, more);
    const [first, second] = [1, 2].map(() => devnet.put(payments.wallet.address, BigInt(PRICE), [nonce]));
    let finish: (() => void) | undefined;
    const calls = [first, second].map((proof) =>
      payments.call({ proof: proof as string, nonce }, more, async () => {
        await new Promise<void>((resolve) => (finish = resolve));
        return { status: 200, body: 'slow' };
      }),
    );
    await expect(calls[1]).rejects.toMatchObject({ code: 'nonce_spent' });
    const repeat = payments.call({ proof: first as string, nonce }, more);
    await expect.poll(() => finish).toBeDefined();
    finish?.();
    expect([(await calls[0])?.body, await repeat]).toEqual(['slow', expect.objectContaining({ replayed: true })]);
  });

  it('that cannot be carried out fails for its call alone, and nothing is left unhandled', async () => {
    const { processor: payments, devnet, more } = await onDevnet();
    const { nonce } = await payments.refused({}, more);
    const proof = devnet.put(payments.wallet.address, BigInt(PRICE), [nonce]);
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    const { store } = payments.processor;
    const write = store.write.bind(store);
    const failed = payments.call({ proof, nonce }, more, async () => {
      store.write = () => Promise.reject(new MeshError('overloaded', 'The disk is full.'));
      return { status: 200, body: {} };
    });
    await expect(failed).rejects.toThrow('The disk is full.');
    for (let at = 0; at < 5; at += 1) await turn();
    expect(unhandled).toEqual([]);
    store.write = write;
    // What was paid is safe: the next start ends the call and gives it back.
    await expect(payments.call({ proof, nonce }, more)).rejects.toMatchObject({ code: 'in_flight' });
  });

  it('opens an account for unmatched money only when there is some', async () => {
    const { processor: payments, devnet, more } = await onDevnet();
    const { nonce } = await payments.refused({}, more);
    const proof = devnet.put(payments.wallet.address, BigInt(PRICE), [nonce]);
    await payments.call({ proof, nonce }, more);
    expect(payments.database.sql("SELECT 1 FROM till_accounts WHERE kind = 'unmatched'").all()).toEqual([]);
  });

  it('that another process carries out is in_flight', async () => {
    const { processor: payments, devnet, more } = await onDevnet();
    const { nonce } = await payments.refused({}, more);
    const proof = devnet.put(payments.wallet.address, BigInt(PRICE), [nonce]);
    void payments.call({ proof, nonce }, more, () => new Promise(() => undefined));
    await expect.poll(() => payments.processor.store.findByNonce(nonce)?.state).toBe('paid');
    const { processor: other } = await createTestPaymentProcessor({ local: payments, others: [devnet], start: false });
    other.store.listRunning = () => [];
    await expect(
      other.serve(payments.priced({ proof, nonce }, more), () => Promise.reject(new Error('never'))),
    ).rejects.toMatchObject({
      code: 'in_flight',
      message: 'That call is being carried out: send it again in a moment.',
    });
  });

  it('is served at its price when its proof comes after it has run out and the price has changed', async () => {
    const payments = await createTestPaymentProcessor();
    const offered = await payments.payFor(await payments.refused());
    payments.clock.advance(600_000);
    const dearer = { prices: ROWS.map((row) => ({ ...row, amount: PRICE + 1 })) };
    expect((await payments.call(offered, dearer)).status).toBe(200);
    expect([payments.processor.journal.earnedInAll(), payments.processor.journal.audit()]).toEqual([PRICE, []]);
    expect((await payments.refused({}, dearer)).accepts[0]?.amount).toBe(PRICE + 1);
  });

  it('is paid at one of its networks, at its price there, and not at another tier', async () => {
    const { processor: payments, devnet, more } = await onDevnet();
    const prices = [...ROWS, ...more.prices];
    const { nonce, accepts } = await payments.refused({}, { ...more, prices });
    expect(accepts.map(({ network }) => network)).toEqual([LOCAL_NETWORK, 'solana:devnet']);
    const proof = devnet.put(payments.wallet.address, BigInt(PRICE), [nonce]);
    const tiered = prices.map((row) => ({ ...row, tier: 'max' }));
    expect(await refusal(payments, { proof, nonce }, { ...more, prices: tiered })).toEqual(refused('price_changed'));
    const changed = [...ROWS, ...more.prices.map((row) => ({ ...row, amount: PRICE + 1 }))];
    expect((await payments.call({ proof, nonce }, { ...more, prices: changed })).status).toBe(200);
    expect(payments.processor.store.findByNonce(nonce)?.network).toBe('solana:devnet');
  });
});

describe('a proof of another dialect', () => {
  it.each([[{ proof: 'eyJ4NDAyVmVyc2lvbiI6Mn0=', nonce: 'abc' }], [{ proof: FORGED }], [{ nonce: 'abc' }]])(
    'is refused with proof_format: %j',
    async (offered) => {
      const payments = await createTestPaymentProcessor();
      const refusedWith = await payments.call(offered).catch((error: unknown) => error);
      expect(isMeshError(refusedWith, 'proof_format') && refusedWith.details['reason']).toEqual(expect.any(String));
      expect(payments.runs).toBe(0);
    },
  );
});

describe('a payment', () => {
  it('that was recorded before its proof arrived is claimed by the proof', async () => {
    const payments = await createTestPaymentProcessor();
    const offered = await payments.payFor(await payments.refused());
    payments.clock.advance(30_000);
    const unclaimed = () =>
      payments.processor.journal.find({ network: LOCAL_NETWORK, address: payments.wallet.address, kind: 'unmatched' })
        ?.lamports;
    await expect.poll(unclaimed).toBe(BigInt(PRICE));
    expect(payments.processor.store.findByNonce(offered.nonce)).toMatchObject({
      state: 'challenged',
      reason: 'unclaimed',
      signature: offered.proof,
    });
    expect((await payments.call(offered)).status).toBe(200);
    expect([unclaimed(), payments.processor.journal.earnedInAll()]).toEqual([0n, PRICE]);
    expect(payments.processor.store.findByNonce(offered.nonce)).toMatchObject({ state: 'settled', reason: null });
    expect(payments.processor.journal.getReceived(LOCAL_NETWORK, payments.wallet.address)).toBe(BigInt(PRICE));
    expect(payments.processor.journal.audit()).toEqual([]);
  });

  it('that was recorded in time is booked with what came besides once, and claimed later while it runs', async () => {
    const { processor: payments, devnet, more } = await onDevnet();
    const { address } = payments.wallet;
    const { nonce } = await payments.refused({}, more);
    const balanceChanges = new Map([[address, BigInt(PRICE) + 30n]]);
    const proof = devnet.put(address, BigInt(PRICE), [nonce], { balanceChanges });
    payments.clock.advance(1000);
    payments.processor.noteChanged('solana:devnet', [address]);
    const challenge = () => payments.processor.store.findByNonce(nonce);
    await expect.poll(() => challenge()?.reason).toBe('unclaimed');
    payments.clock.advance(600_000);
    let running: unknown;
    await payments.call({ proof, nonce }, more, async () => {
      running = challenge();
      return { status: 200, body: {} };
    });
    expect(running).toMatchObject({ state: 'paid', reason: null });
    const { journal } = payments.processor;
    const place = { network: 'solana:devnet', address };
    expect([journal.find({ ...place, kind: 'unmatched' })?.lamports, journal.earnedInAll()]).toEqual([30n, PRICE]);
    expect([journal.getReceived(place.network, address), journal.audit()]).toEqual([BigInt(PRICE) + 30n, []]);
  });

  it('made twice for one challenge is claimed once; the rest stays unmatched', async () => {
    const payments = await createTestPaymentProcessor();
    const challenge = await payments.refused();
    const small = await payments.pay(payments.wallet.address, 1, challenge.nonce);
    const [first, second] = [await payments.payFor(challenge), await payments.payFor(challenge)];
    payments.processor.noteChanged(LOCAL_NETWORK, [payments.wallet.address]);
    const entries = () =>
      payments.database.sql('SELECT state, signature, amount, reason FROM till_payments ORDER BY amount, seq').all();
    const transfer = (signature: string, amount: number, reason: string) => ({
      state: 'settled',
      signature,
      amount,
      reason,
    });
    await expect.poll(() => entries().length).toBe(3);
    expect((await payments.call(second)).status).toBe(200);
    expect(entries()).toEqual([
      transfer(small, 1, 'unmatched'),
      { state: 'settled', signature: second.proof, amount: PRICE, reason: null },
      transfer(second.proof, PRICE, 'claimed'),
    ]);
    expect(await refusal(payments, first)).toEqual(refused('nonce_spent', 'nonce_spent'));
    const unmatched = payments.processor.journal.find({
      network: LOCAL_NETWORK,
      address: payments.wallet.address,
      kind: 'unmatched',
    })?.lamports;
    expect([unmatched, payments.processor.journal.earnedInAll(), payments.processor.journal.audit()]).toEqual([
      BigInt(PRICE + 1),
      PRICE,
      [],
    ]);
  });

  it('counts as score evidence once it has settled, and only for this agent and for whose call it was', async () => {
    const payments = await createTestPaymentProcessor();
    const settled = new SettledPayments(payments.database);
    const offered = await payments.payFor(await payments.refused());
    expect(settled.isSettled('painter', LOCAL_NETWORK, offered.proof, 'ann')).toBe(false);
    await payments.call({ ...offered, pubkey: 'ann' });
    expect(settled.isSettled('painter', LOCAL_NETWORK, offered.proof, 'ann')).toBe(true);
    expect(settled.isSettled('painter', LOCAL_NETWORK, offered.proof, 'ben')).toBe(false);
    expect(settled.isSettled('sculptor', LOCAL_NETWORK, offered.proof, 'ann')).toBe(false);
    expect(settled.isSettled('painter', 'solana:mainnet', offered.proof, 'ann')).toBe(false);
    const failed = await payments.payFor(await payments.refused());
    await payments.call({ ...failed, pubkey: 'ann' }, {}, async () => ({ status: 500, body: {} }));
    expect(settled.isSettled('painter', LOCAL_NETWORK, failed.proof, 'ann')).toBe(false);
  });
});
