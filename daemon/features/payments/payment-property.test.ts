import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Challenge, LOCAL_NETWORK } from '../../contract/payments.js';
import { aLocalNetwork } from '../../testing/apps/a-local-network.js';
import {
  createTestPaymentProcessor,
  PAYMENT,
  PRICE,
  type TestPaymentProcessor,
} from '../../testing/processes/test-payment-processor.js';

const CALLERS = ['ann', 'ben'];
const POSTPAY = { payment: { ...PAYMENT, postpay_min_reputation: 0.5 } };

/** The expected books, kept by a simple model. */
interface Books {
  /** By deposit key. */
  balances: Map<string, number>;
  /** By caller; a prepaid amount is negative. */
  owed: Map<string, number>;
  earned: number;
  came: number;
  /** Transfers that match no account, and payments of challenges that are not claimed yet. */
  unmatched: number;
}

interface World {
  processor: TestPaymentProcessor;
  books: Books;
  keys: string[];
  challenges: Challenge[];
  /** Proofs that pay for their challenge, and whether they are spent. */
  proofs: { proof: string; nonce: string; lamports: number; isSpent: boolean }[];
  memos: Map<string, string>;
}

type Step = (world: World) => Promise<void>;
const add = (map: Map<string, number>, key: string, amount: number) => void map.set(key, (map.get(key) ?? 0) + amount);
const at = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(1, list.length)];

/** A skill that succeeds if `isGood`, and otherwise fails, which refunds the call. */
const skill = (isGood: boolean) => async () => ({ status: isGood ? 200 : 503, body: { isGood } });

const topup =
  (): Step =>
  async ({ processor: payments, keys, books }) => {
    const { api_key } = await payments.processor.topup('painter', PAYMENT, 1000);
    keys.push(api_key as string);
    books.balances.set(api_key as string, 0);
  };

const deposit =
  (which: number, lamports: number): Step =>
  async ({ processor: payments, keys, books }) => {
    const key = at(keys, which);
    if (key === undefined) return;
    await payments.pay(payments.wallet.address, lamports, key);
    add(books.balances, key, lamports);
    books.came += lamports;
  };

const draw =
  (which: number, isGood: boolean, atOnce: number): Step =>
  async ({ processor: payments, keys, books }) => {
    const key = at(keys, which);
    if (key === undefined) return;
    const held = books.balances.get(key) ?? 0;
    const calls = await Promise.allSettled(
      Array.from({ length: atOnce }, () => payments.call({ apiKey: key }, {}, skill(isGood))),
    );
    const answered = calls.filter(({ status }) => status === 'fulfilled').length;
    // Failed calls refund their price while others wait for it, so more calls may succeed.
    if (isGood) {
      expect(answered).toBe(Math.min(atOnce, Math.floor(held / PRICE)));
      add(books.balances, key, -answered * PRICE);
      books.earned += answered * PRICE;
    }
  };

const challenge =
  (): Step =>
  async ({ processor: payments, challenges }) =>
    void challenges.push(await payments.refused());

const pay =
  (which: number, surplus: number, memo: string | undefined): Step =>
  async ({ processor: payments, challenges, proofs, books }) => {
    const of = at(challenges, which);
    if (!of) return;
    const lamports = Math.max(1, PRICE + surplus);
    const proof = await payments.pay(payments.wallet.address, lamports, memo ?? of.nonce);
    books.came += lamports;
    books.unmatched += lamports;
    if (memo === undefined && lamports >= PRICE) proofs.push({ proof, nonce: of.nonce, lamports, isSpent: false });
  };

const prove =
  (which: number, isGood: boolean, atOnce: number): Step =>
  async ({ processor: payments, proofs, books }) => {
    const offered = at(proofs, which);
    if (!offered) return;
    const isTaken = proofs.some((one) => one !== offered && one.nonce === offered.nonce && one.isSpent);
    const calls = await Promise.allSettled(
      Array.from({ length: atOnce }, () =>
        payments.call({ proof: offered.proof, nonce: offered.nonce }, {}, skill(isGood)),
      ),
    );
    const results = calls.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(results).toHaveLength(isTaken ? 0 : atOnce);
    expect(results.filter(({ replayed }) => !replayed)).toHaveLength(isTaken || offered.isSpent ? 0 : 1);
    if (isTaken || offered.isSpent) return;
    offered.isSpent = true;
    books.unmatched -= offered.lamports;
    if (isGood) {
      books.earned += offered.lamports;
      return;
    }
    for (const { body, replayed } of results) {
      const { refund } = body as { refund: { api_key: string; lamports: number } };
      if (!replayed) books.balances.set(refund.api_key, refund.lamports);
    }
  };

const owe =
  (which: number, isGood: boolean): Step =>
  async ({ processor: payments, books, memos }) => {
    const pubkey = at(CALLERS, which) as string;
    const unpaid = payments.processor.store.countUnpaid('painter', pubkey);
    if (unpaid >= 10) return;
    const { headers } = await payments.call({ pubkey }, POSTPAY, skill(isGood));
    memos.set(pubkey, headers['X-Settle-Memo'] as string);
    if (!isGood) return;
    add(books.owed, pubkey, PRICE);
    books.earned += PRICE;
  };

const settle =
  (which: number, lamports: number): Step =>
  async ({ processor: payments, books, memos }) => {
    const pubkey = at(CALLERS, which) as string;
    const memo = memos.get(pubkey);
    if (memo === undefined) return;
    await payments.pay(payments.wallet.address, lamports, memo);
    add(books.owed, pubkey, -lamports);
    books.came += lamports;
  };

const stray =
  (lamports: number, memo: string | undefined): Step =>
  async ({ processor: payments, books }) => {
    await payments.pay(payments.wallet.address, lamports, memo);
    books.came += lamports;
    books.unmatched += lamports;
  };

const look =
  (): Step =>
  async ({ processor: payments, keys }) =>
    void (await payments.processor.balance('painter', PAYMENT, keys[0] as string));

const restart = (): Step => async (world) => {
  await world.processor.processor.stop();
  const { wallet, payer } = world.processor;
  const again = await createTestPaymentProcessor({ local: world.processor, wallet, payer });
  for (const caller of CALLERS) again.reputations.set(caller, 1);
  world.processor = again;
};

const index = fc.nat(7);
const isGood = fc.boolean();
const lamports = fc.integer({ min: 1, max: 4 * PRICE });
const steps = fc.oneof(
  fc.constant(topup()),
  fc.tuple(index, lamports).map((given) => deposit(...given)),
  fc.tuple(index, isGood, fc.integer({ min: 1, max: 5 })).map((given) => draw(...given)),
  fc.constant(challenge()),
  fc
    .tuple(index, fc.constantFrom(0, 0, 250, -1), fc.constantFrom(undefined, undefined, 'another'))
    .map((given) => pay(...given)),
  fc.tuple(index, isGood, fc.integer({ min: 1, max: 4 })).map((given) => prove(...given)),
  fc.tuple(index, isGood).map((given) => owe(...given)),
  fc.tuple(index, lamports).map((given) => settle(...given)),
  fc.tuple(lamports, fc.constantFrom(undefined, 'hello')).map((given) => stray(...given)),
  fc.constant(look()),
  fc.constant(restart()),
);

it('the journal always adds up to the balances and agrees with what arrived on the chain', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 12, maxLength: 30 }), async (run) => {
      const local = aLocalNetwork();
      const world: World = {
        processor: await createTestPaymentProcessor({ local }),
        books: { balances: new Map(), owed: new Map(), earned: 0, came: 0, unmatched: 0 },
        keys: [],
        challenges: [],
        proofs: [],
        memos: new Map(),
      };
      for (const caller of CALLERS) world.processor.reputations.set(caller, 1);
      await topup()(world);
      for (const step of run) await step(world);

      const { processor: payments, books } = world;
      const { journal } = payments.processor;
      for (const [key, held] of books.balances)
        expect(await payments.processor.balance('painter', PAYMENT, key)).toEqual({ lamports: held });
      const place = { network: LOCAL_NETWORK, address: payments.wallet.address };
      const open = (kind: 'owed' | 'unmatched', agent = '', holder = '') =>
        journal.find({ ...place, kind, agent, holder })?.lamports ?? 0n;
      for (const [caller, owed] of books.owed) expect(open('owed', 'painter', caller)).toBe(BigInt(-owed));
      expect(open('unmatched')).toBe(BigInt(books.unmatched));
      expect(journal.earnedInAll()).toBe(books.earned);
      expect(journal.getReceived(LOCAL_NETWORK, payments.wallet.address)).toBe(BigInt(books.came));
      expect(await payments.chain.getBalance(payments.wallet.address)).toBe(BigInt(books.came));
      expect(journal.audit()).toEqual([]);
      expect(payments.faults).toEqual([]);
      await payments.processor.stop();
      local.close();
    }),
    { numRuns: 25, seed: 20_261_121 },
  );
});
