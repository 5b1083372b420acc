import { describe, expect, it } from 'vitest';
import { LOCAL_NETWORK } from '../../contract/payments.js';
import { encodeBase58 } from '../../lib/base58.js';
import { sha256Hex } from '../../lib/digests.js';
import { isMeshError } from '../../lib/errors.js';
import { type ATill, aTill, challengeOf, PAYMENT, PRICE, ROWS } from '../../testing/a-till.js';
import { InMemoryChain } from '../../testing/stand-ins/in-memory-chain.js';
import { SettledPayments } from './settled-payments.js';
import type { PricedCall } from './till-port.js';

/** Returns why a proof is refused, after checking that the skill was not run and that the 402 includes a challenge. */
async function refusal(till: ATill, offered: { proof: string; nonce: string }, more: Partial<PricedCall> = {}) {
  const runs = till.runs;
  const { error, reason, accepts, nonce } = await till.refused(offered, more);
  expect(till.runs).toBe(runs);
  expect(accepts.length).toBeGreaterThan(0);
  return { error, reason, isFresh: nonce !== offered.nonce };
}

const refused = (reason: string, error = 'payment_required', isFresh = true) => ({ error, reason, isFresh });
const FORGED = encodeBase58(Buffer.alloc(64, 5));

/** A payment processor whose price is in lamports of an in-memory stand-in for a public network. */
async function onDevnet() {
  const devnet = new InMemoryChain('solana:devnet');
  const till = await aTill({ others: [devnet] });
  const more = {
    prices: ROWS.map((row) => ({ ...row, network: 'solana:devnet' })),
    payment: { ...PAYMENT, network: 'solana:devnet' },
  };
  return { till, devnet, more };
}

describe('50 parallel retries with one nonce and one signature', () => {
  it('run the skill once; the others get the first result', async () => {
    const till = await aTill();
    const offered = await till.payFor(await till.refused());
    const results = await Promise.all(Array.from({ length: 50 }, () => till.call(offered)));
    expect(till.runs).toBe(1);
    expect(results.filter(({ replayed }) => !replayed)).toHaveLength(1);
    for (const result of results) expect(result).toMatchObject({ status: 200, body: { run: 1 }, mode: 'x402' });
  });

  it('wait for the running call and do not block other calls', async () => {
    const till = await aTill();
    const offered = await till.payFor(await till.refused());
    let finish: (() => void) | undefined;
    let started: (() => void) | undefined;
    const running = new Promise<void>((resolve) => {
      started = resolve;
    });
    const first = till.call(offered, {}, async () => {
      started?.();
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return { status: 200, body: 'slow' };
    });
    await running;
    const second = till.call(offered);
    const other = await till.payFor(await till.refused());
    expect((await till.call(other)).body).toEqual({ run: 1 });
    finish?.();
    expect([(await first).body, (await second).body]).toEqual(['slow', 'slow']);
    expect((await second).replayed).toBe(true);
  });
});

describe('a replay of the same proof', () => {
  it('returns the first result with its status and body, free of charge, also after a restart', async () => {
    const till = await aTill();
    const offered = await till.payFor(await till.refused());
    await till.call(offered, {}, async () => ({ status: 422, body: { error: 'too_blue' } }));
    const { till: again } = await aTill({ local: till });
    const replayed = await again.serve(till.priced(offered), () => Promise.reject(new Error('never')));
    expect(replayed).toEqual({ status: 422, body: { error: 'too_blue' }, mode: 'x402', replayed: true, headers: {} });
    expect(again.journal.earnedInAll()).toBe(PRICE);
  });

  it('is refused with another request body, and after the result has been removed', async () => {
    const till = await aTill();
    const offered = await till.payFor(await till.refused());
    await till.call(offered);
    const other = { requestSha256: sha256Hex('another body') };
    expect(await refusal(till, offered, other)).toEqual(refused('nonce_spent'));
    till.clock.advance(30 * 86_400_000 + 60_000);
    await till.till.store.write(() => till.till.store.prune(till.clock.now(), 0, 0));
    expect(await refusal(till, offered)).toEqual(refused('nonce_spent'));
  });
});

describe('a proof is refused with 402 and a fresh challenge, and the skill is not run,', () => {
  it('for a nonce that was never issued', async () => {
    const till = await aTill();
    const proof = await till.pay(till.wallet.address, PRICE, 'never-issued');
    expect(await refusal(till, { proof, nonce: 'never-issued' })).toEqual(refused('unknown_nonce'));
  });

  it('for a nonce of another skill or agent', async () => {
    const till = await aTill();
    const offered = await till.payFor(await till.refused({}, { skill: 'sketch' }));
    expect(await refusal(till, offered)).toEqual(refused('nonce_of_other_skill'));
    const others = await till.payFor(await till.refused({}, { agent: 'sculptor' }));
    expect(await refusal(till, others)).toEqual(refused('nonce_of_other_skill'));
  });

  it('for a nonce of another price', async () => {
    const till = await aTill();
    const offered = await till.payFor(await till.refused());
    const dearer = { prices: ROWS.map((row) => ({ ...row, amount: PRICE + 1 })) };
    expect(await refusal(till, offered, dearer)).toEqual(refused('price_changed'));
    expect((await till.call(offered)).status).toBe(200);
  });

  it('for the nonce of a cheaper tier than the tier of the call', async () => {
    const till = await aTill();
    const prices = [
      { ...ROWS[0], tier: 'mini', amount: 100 },
      { ...ROWS[0], tier: 'max', amount: 900 },
    ] as typeof ROWS;
    const offered = await till.payFor(await till.refused({}, { prices, tier: 'mini' }));
    expect(await refusal(till, offered, { prices, tier: 'max' })).toEqual(refused('amount_too_small'));
    expect((await till.call(offered, { prices, tier: 'mini' })).status).toBe(200);
  });

  it('for an expired nonce', async () => {
    const till = await aTill();
    const offered = await till.payFor(await till.refused());
    till.clock.advance(600_000);
    expect(await refusal(till, offered)).toEqual(refused('nonce_expired'));
  });

  it('for another transaction with a spent nonce (nonce_spent)', async () => {
    const till = await aTill();
    const challenge = await till.refused();
    await till.call(await till.payFor(challenge));
    const second = await till.payFor(challenge);
    expect(await refusal(till, second)).toEqual(refused('nonce_spent', 'nonce_spent'));
  });

  it('for a spent transaction with a new nonce', async () => {
    const till = await aTill();
    const { proof } = await till.payFor(await till.refused());
    const { nonce } = await till.refused();
    expect(await refusal(till, { proof, nonce })).toEqual(refused('memo_of_other_nonce'));
    const spent = await till.payFor(await till.refused());
    await till.call(spent);
    expect(await refusal(till, { proof: spent.proof, nonce })).toEqual(refused('signature_spent'));
  });

  it('for a transaction that paid into a deposit', async () => {
    const till = await aTill();
    const { api_key, address } = await till.till.topup('painter', PAYMENT, PRICE);
    const proof = await till.pay(address, PRICE, api_key as string);
    expect(await till.till.balance('painter', PAYMENT, api_key as string)).toEqual({ lamports: PRICE });
    const { nonce } = await till.refused();
    expect(await refusal(till, { proof, nonce })).toEqual(refused('signature_spent'));
  });

  it.each([
    ['amount_too_small', async (till: ATill, nonce: string) => till.pay(till.wallet.address, PRICE - 1, nonce)],
    ['memo_missing', async (till: ATill) => till.pay(till.wallet.address, PRICE)],
    ['memo_of_other_nonce', async (till: ATill) => till.pay(till.wallet.address, PRICE, 'another')],
    ['wrong_wallet', async (till: ATill, nonce: string) => till.pay((await till.aWallet()).address, PRICE, nonce)],
  ])('for an incorrect payment: %s', async (reason, pay) => {
    const till = await aTill();
    const { nonce } = await till.refused();
    expect(await refusal(till, { proof: await pay(till, nonce), nonce })).toEqual(refused(reason));
  });

  it.each([
    ['transaction_failed', { failed: true }],
    ['memo_twice', { memos: ['one', 'two'] }],
    ['older_than_challenge', { blockTime: 1 }],
  ])('for a transaction that the chain reports as invalid payment: %s', async (reason, more) => {
    const { till, devnet, more: priced } = await onDevnet();
    const { nonce } = await till.refused({}, priced);
    const proof = devnet.put(till.wallet.address, BigInt(PRICE), [nonce], more);
    expect(await refusal(till, { proof, nonce }, priced)).toEqual(refused(reason));
  });

  it('for a transaction on another network', async () => {
    const { till, devnet } = await onDevnet();
    const { nonce } = await till.refused();
    const proof = devnet.put(till.wallet.address, BigInt(PRICE), [nonce]);
    expect(await refusal(till, { proof, nonce })).toEqual(refused('wrong_network'));
  });

  it('with a new nonce for each of 100 calls', async () => {
    const till = await aTill();
    const { nonce } = await till.refused();
    const proof = await till.pay(till.wallet.address, PRICE);
    const refusals = await Promise.all(Array.from({ length: 100 }, () => challengeOf(till.call({ proof, nonce }))));
    expect(new Set(refusals.map((one) => one.nonce)).size).toBe(100);
    expect(till.runs).toBe(0);
  });
});

describe('a transaction that is not visible yet', () => {
  it('is awaited, and the call runs once it is confirmed', async () => {
    const { till, devnet, more } = await onDevnet();
    const { nonce } = await till.refused({}, more);
    const calls = Promise.all([till.call({ proof: FORGED, nonce }, more), till.call({ proof: FORGED, nonce }, more)]);
    const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
    await turn();
    const looked = devnet.looks;
    devnet.put(till.wallet.address, BigInt(PRICE), [nonce], { signature: FORGED });
    till.clock.advance(400);
    expect((await calls).map(({ body }) => body)).toEqual([{ run: 1 }, { run: 1 }]);
    // Both calls share their lookups.
    expect([looked, devnet.looks]).toEqual([1, 2]);
  });

  it('is refused with not_yet_visible after the timeout, and its nonce stays valid', async () => {
    const { till, devnet, more } = await onDevnet();
    const { nonce } = await till.refused({}, more);
    const call = challengeOf(till.call({ proof: FORGED, nonce }, more));
    for (let passed = 0; passed <= 8_000; passed += 400) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      till.clock.advance(400);
    }
    expect(await call).toMatchObject({ error: 'payment_required', reason: 'not_yet_visible', nonce });
    devnet.put(till.wallet.address, BigInt(PRICE), [nonce], { signature: FORGED });
    expect((await till.call({ proof: FORGED, nonce }, more)).status).toBe(200);
  });

  it('is refused with network_unreachable while the network cannot be reached, and its nonce stays valid', async () => {
    const { till, devnet, more } = await onDevnet();
    const { nonce } = await till.refused({}, more);
    const proof = devnet.put(till.wallet.address, BigInt(PRICE), [nonce]);
    devnet.isReachable = false;
    const call = challengeOf(till.call({ proof, nonce }, more));
    for (let passed = 0; passed <= 8_000; passed += 400) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      till.clock.advance(400);
    }
    expect(await call).toMatchObject({ reason: 'network_unreachable', nonce });
    devnet.isReachable = true;
    expect((await till.call({ proof, nonce }, more)).status).toBe(200);
  });
});

describe('a proof of another dialect', () => {
  it.each([[{ proof: 'eyJ4NDAyVmVyc2lvbiI6Mn0=', nonce: 'abc' }], [{ proof: FORGED }], [{ nonce: 'abc' }]])(
    'is refused with proof_format: %j',
    async (offered) => {
      const till = await aTill();
      const refusedWith = await till.call(offered).catch((error: unknown) => error);
      expect(isMeshError(refusedWith, 'proof_format') && refusedWith.details['reason']).toEqual(expect.any(String));
      expect(till.runs).toBe(0);
    },
  );
});

describe('a payment', () => {
  it('that was recorded before its proof arrived is claimed by the proof', async () => {
    const till = await aTill();
    const offered = await till.payFor(await till.refused());
    till.clock.advance(30_000);
    const unclaimed = () =>
      till.till.journal.find({ network: LOCAL_NETWORK, address: till.wallet.address, kind: 'unmatched' })?.lamports;
    await expect.poll(unclaimed).toBe(BigInt(PRICE));
    expect(till.till.store.findByNonce(offered.nonce)).toMatchObject({
      state: 'challenged',
      reason: 'unclaimed',
      signature: offered.proof,
    });
    expect((await till.call(offered)).status).toBe(200);
    expect([unclaimed(), till.till.journal.earnedInAll()]).toEqual([0n, PRICE]);
    expect(till.till.store.findByNonce(offered.nonce)).toMatchObject({ state: 'settled', reason: null });
    expect(till.till.journal.cameIn(LOCAL_NETWORK, till.wallet.address)).toBe(BigInt(PRICE));
    expect(till.till.journal.audit()).toEqual([]);
  });

  it('made twice for one challenge is claimed once; the rest stays unmatched', async () => {
    const till = await aTill();
    const challenge = await till.refused();
    const small = await till.pay(till.wallet.address, 1, challenge.nonce);
    const [first, second] = [await till.payFor(challenge), await till.payFor(challenge)];
    till.till.noteChanged(LOCAL_NETWORK, [till.wallet.address]);
    const entries = () =>
      till.database.sql('SELECT state, signature, amount, reason FROM till_payments ORDER BY amount, seq').all();
    const transfer = (signature: string, amount: number, reason: string) => ({
      state: 'settled',
      signature,
      amount,
      reason,
    });
    await expect.poll(() => entries().length).toBe(3);
    expect((await till.call(second)).status).toBe(200);
    expect(entries()).toEqual([
      transfer(small, 1, 'unmatched'),
      { state: 'settled', signature: second.proof, amount: PRICE, reason: null },
      transfer(second.proof, PRICE, 'claimed'),
    ]);
    expect(await refusal(till, first)).toEqual(refused('nonce_spent', 'nonce_spent'));
    const unmatched = till.till.journal.find({
      network: LOCAL_NETWORK,
      address: till.wallet.address,
      kind: 'unmatched',
    })?.lamports;
    expect([unmatched, till.till.journal.earnedInAll(), till.till.journal.audit()]).toEqual([
      BigInt(PRICE + 1),
      PRICE,
      [],
    ]);
  });

  it('counts as score evidence once it has settled, and only for this agent', async () => {
    const till = await aTill();
    const settled = new SettledPayments(till.database);
    const offered = await till.payFor(await till.refused());
    expect(settled.isSettled('painter', LOCAL_NETWORK, offered.proof)).toBe(false);
    await till.call(offered);
    expect(settled.isSettled('painter', LOCAL_NETWORK, offered.proof)).toBe(true);
    expect(settled.isSettled('sculptor', LOCAL_NETWORK, offered.proof)).toBe(false);
    expect(settled.isSettled('painter', 'solana:mainnet', offered.proof)).toBe(false);
    const failed = await till.payFor(await till.refused());
    await till.call(failed, {}, async () => ({ status: 500, body: {} }));
    expect(settled.isSettled('painter', LOCAL_NETWORK, failed.proof)).toBe(false);
  });
});
