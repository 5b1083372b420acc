import { join } from 'node:path';
import { setImmediate as waitForTick } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { OutboundRequest } from '../../http/outbound/outbound-exchange.js';
import { MeshError } from '../../lib/errors.js';
import { newCallId } from '../../lib/ids.js';
import { Database } from '../../storage/database/database.js';
import { SecretFile } from '../../storage/files/secret-file.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import type { Chain, SignedTransfer } from '../chains/chain.js';
import type { CallRow } from './calls-store.js';
import { composePayer } from './compose-spending.js';
import { Deposits, listDepositTerms } from './deposits.js';
import { DepositsFile } from './deposits-file.js';
import type { DepositKey, ExchangeAnswer } from './paying-ports.js';
import type { TimedAnswer } from './skill-request.js';
import type { SpentRow } from './spent-store.js';
import type { SkillOffer } from './terms/skill-offer.js';

const NETWORK = 'solana:devnet';
const WALLET = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';
const ENDPOINT = 'http://agent.example';
const PRICES: Record<string, number> = { paint: 5000, sketch: 2000 };
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const never = Number.POSITIVE_INFINITY;

const CARD = {
  name: 'Painter',
  url: ENDPOINT,
  version: '1',
  description: 'Paints.',
  defaultInputModes: ['application/json'],
  defaultOutputModes: ['application/json'],
  protocols: ['http'],
  pricing: Object.entries(PRICES).map(([skill, amount]) => ({
    unit: 'request',
    amount,
    currency: 'lamports',
    network: NETWORK,
    skill,
  })),
  payment: {
    modes: ['deposit'],
    network: NETWORK,
    wallet: WALLET,
    deposit: { min_lamports: 1, credit_unit: 'lamports' },
  },
  availability: { now: true },
  skills: Object.keys(PRICES).map((id) => ({ id, name: id, description: id })),
};

/** An agent that takes deposits, and whose balances show a transfer `delayMs` after it was executed. */
class StaleAgent {
  delayMs = 0;
  /** The keys that it has issued and recognizes, with what was debited from each; negative for what it held before. */
  readonly debited = new Map<string, number>();
  /** The transfers that the network has executed. */
  readonly transfers: { signature: string; memo: string; lamports: number; atMs: number }[] = [];

  constructor(private readonly clock: FakeClock) {}

  getBalance(key: string): number {
    const seen = this.transfers.filter(({ memo, atMs }) => memo === key && atMs + this.delayMs <= this.clock.elapsed());
    return seen.reduce((sum, { lamports }) => sum + lamports, 0) - (this.debited.get(key) ?? 0);
  }

  answer(path: string, key: string | undefined): ExchangeAnswer {
    const say = (status: number, json: unknown, headers: Record<string, number> = {}) => ({
      status,
      json,
      header: (name: string) => headers[name]?.toString(),
    });
    if (path === '/v1/topup') {
      const api_key = `tk_${String(this.debited.size).padStart(43, '0')}`;
      this.debited.set(api_key, 0);
      // As the specification has it: no address, network and memo of their own.
      return say(200, { api_key, chainPayUrl: `solana:${WALLET}?amount=0.000005&memo=${api_key}` });
    }
    if (key === undefined || !this.debited.has(key)) return say(401, { error: 'unauthorized' });
    const balance = this.getBalance(key);
    if (path === '/v1/balance') return say(200, { lamports: balance });
    const price = PRICES[path.slice('/v1/'.length)] as number;
    if (balance < price) return say(402, { error: 'payment_required', reason: 'balance_too_small' });
    this.debited.set(key, (this.debited.get(key) as number) + price);
    return say(200, { painted: true }, { 'x-debited-lamports': price, 'x-balance-remaining': balance - price });
  }
}

/** A caller with a real store, and the agent that it prepays. */
function aScene() {
  const clock = new FakeClock();
  const agent = new StaleAgent(clock);
  const folder = temporaryFolder();
  const database = new Database(putTemplateDatabase(join(folder, 'mesh.db')));
  onTestFinished(() => database.close());
  let signatures = 0;
  let stopping = new AbortController();
  /** Called when the network has executed a transfer. Throws when its answer does not arrive. */
  let onSent: () => void = () => undefined;
  const loseAnswer = () => {
    throw new MeshError('network_unavailable', 'The answer is lost.');
  };
  const chain = {
    network: NETWORK,
    real: false,
    sign: async (_from: unknown, _to: string, lamports: bigint, memo: string) => ({
      signature: `signature-${++signatures}`,
      wire: JSON.stringify({ memo, lamports: Number(lamports) }),
    }),
    async send({ signature, wire }: SignedTransfer) {
      if (!agent.transfers.some((one) => one.signature === signature))
        agent.transfers.push({ signature, ...JSON.parse(wire), atMs: clock.elapsed() });
      onSent();
    },
  } as unknown as Chain;
  const compose = () =>
    composePayer({
      clock,
      database,
      exchange: { send: async ({ url, headers }) => agent.answer(new URL(url).pathname, headers?.['x-api-key']) },
      readCard: async () => CARD,
      directory: { find: async () => undefined, findByEndpoint: async () => undefined },
      chains: { get: async () => chain, list: () => [NETWORK] },
      wallet: async () => ({ address: 'wallet-of-the-caller', seed: new Uint8Array(32) }),
      signer: { pubkey: '', sign: () => '' },
      depositsFile: new SecretFile(join(folder, 'credentials', 'deposits.json')),
      mayWriteSecrets: async () => true,
      bureau: undefined,
      watcher: { call: () => undefined, payment: () => undefined, balance: () => undefined },
    });
  let payer = compose();

  /**
   * Runs a call until it has ended, or stops the process at `isToStop`. Returns the call with the seconds that it took.
   */
  async function run(call_id: string, isToStop: () => boolean = () => false) {
    const startMs = clock.elapsed();
    let isOver = false;
    const over = payer.client.resumeCall(call_id, stopping.signal).then(
      () => undefined,
      (error: Error) => error,
    );
    void over.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await waitForTick();
      if (isToStop()) stopping.abort();
      // Without a timer the call waits for the disk, and no time passes.
      if (clock.pending > 0) clock.advance(100);
    }
    const call = payer.calls.find(call_id);
    return { state: call?.state, code: call?.error_code, seconds: (clock.elapsed() - startMs) / 1000 };
  }

  async function begin(skill: string, topup_lamports: number | null = null) {
    const call_id = newCallId();
    const more = { asked_mode: 'deposit', max_lamports: null, topup_lamports, wants_report: false } as const;
    await database.write(() =>
      payer.calls.insert({ call_id, agent: ENDPOINT, skill, input: {}, created_ms: clock.now(), ...more }),
    );
    return call_id;
  }

  const topups = () =>
    payer.spent
      .list({ limit: 100 })
      .filter(({ kind }) => kind === 'topup')
      .reverse();

  return {
    clock,
    agent,
    database,
    payer: () => payer,
    call: async (skill = 'paint') => run(await begin(skill)),

    /**
     * Begins a call, stops the process while the answer of the network to its top-up, or the balance, is waited for,
     * and starts the next one. Returns the id of the call.
     */
    async stopWhileItWaitsFor(what: 'the network' | 'the balance', topup: number | null = null) {
      const id = await begin('paint', topup);
      if (what === 'the network') onSent = loseAnswer;
      await run(id, () => agent.transfers.length > 0 && (what === 'the network' || topups()[0]?.state === 'paid'));
      onSent = () => undefined;
      stopping = new AbortController();
      payer = compose();
      await payer.deposits.load();
      return id;
    },
    /** Has the network give no answer for that time. */
    loseAnswersFor(ms: number): void {
      const untilMs = clock.elapsed() + ms;
      onSent = () => {
        if (clock.elapsed() < untilMs) loseAnswer();
      };
    },
    resume: run,
    topups,
    allow: (per_day_lamports: number) =>
      database.write(() => payer.spent.putCaps({ per_call_lamports: per_day_lamports, per_day_lamports })),
    /** Stores a key with the balance that the agent reported last. */
    async hold(api_key: string, lamports: number): Promise<DepositKey> {
      agent.debited.set(api_key, -lamports);
      const about = { agent: ENDPOINT, endpoint: ENDPOINT, network: NETWORK, address: WALLET };
      const key = { ...about, api_key, lamports, updated_ms: clock.now() };
      await payer.deposits.put(key);
      return key;
    },
  };
}

async function aFundedScene() {
  const scene = aScene();
  await scene.allow(1_000_000);
  return scene;
}

const KEY = `tk_${'k'.repeat(43)}`;
const states = (rows: readonly SpentRow[]) => rows.map(({ state }) => state);

describe('A top-up that was paid and does not appear in the balance', () => {
  it('is waited for by the next call, which pays no other one', async () => {
    const scene = await aFundedScene();
    // The last look of the first call is after 62.3 s.
    scene.agent.delayMs = 63_000;
    expect(await scene.call()).toMatchObject({ state: 'failed', code: 'not_delivered' });
    expect(states(scene.topups())).toEqual(['paid']);
    expect(await scene.call()).toMatchObject({ state: 'done' });
    expect(scene.agent.transfers).toHaveLength(1);
    expect(states(scene.topups())).toEqual(['settled']);
  });

  it('is waited for by each call that follows, and settled by the first that sees it', async () => {
    const scene = await aFundedScene();
    scene.agent.delayMs = never;
    for (let i = 0; i < 3; i += 1) expect(await scene.call()).toMatchObject({ code: 'not_delivered' });
    scene.agent.delayMs = 0;
    expect(await scene.call()).toMatchObject({ state: 'done', seconds: 0 });
    expect(scene.agent.transfers).toHaveLength(1);
    expect(states(scene.topups())).toEqual(['settled']);
  });

  it('is not waited for once it appeared and was spent', async () => {
    const scene = await aFundedScene();
    scene.agent.delayMs = never;
    await scene.call();
    scene.agent.delayMs = 0;
    expect(await scene.call()).toMatchObject({ state: 'done', seconds: 0 });
    expect(await scene.call()).toMatchObject({ state: 'done', seconds: 0 });
    expect(scene.agent.transfers).toHaveLength(2);
    expect(states(scene.topups())).toEqual(['settled', 'settled']);
  });

  it('is seen in the answer of a call that an old balance paid for, and not waited for afterwards', async () => {
    const scene = await aFundedScene();
    await scene.hold(KEY, 3000);
    scene.agent.delayMs = never;
    expect(await scene.call('paint')).toMatchObject({ code: 'not_delivered' });
    scene.agent.delayMs = 0;
    expect(await scene.call('sketch')).toMatchObject({ state: 'done' });
    expect(states(scene.topups())).toEqual(['settled']);
    expect(await scene.call('paint')).toMatchObject({ state: 'done' });
    expect(scene.agent.getBalance(KEY)).toBe(1000);
    expect(await scene.call('paint')).toMatchObject({ state: 'done', seconds: 0 });
    expect(scene.agent.transfers).toHaveLength(2);
  });

  it('is not taken for seen while calls use up an old balance', async () => {
    const scene = await aFundedScene();
    await scene.hold(KEY, 3000);
    scene.agent.delayMs = never;
    await scene.call('paint');
    expect(await scene.call('sketch')).toMatchObject({ state: 'done' });
    expect(states(scene.topups())).toEqual(['paid']);
    expect(await scene.call('paint')).toMatchObject({ code: 'not_delivered' });
    expect(scene.agent.transfers).toHaveLength(1);
  });

  it('is filled up when it appears and does not cover the price', async () => {
    const scene = await aFundedScene();
    scene.agent.delayMs = 65_000;
    expect(await scene.call('sketch')).toMatchObject({ code: 'not_delivered' });
    expect(await scene.call('paint')).toMatchObject({ code: 'not_delivered' });
    expect(scene.agent.transfers.map(({ lamports }) => lamports)).toEqual([2000, 5000]);
    expect(states(scene.topups())).toEqual(['settled', 'paid']);
    expect(await scene.call('paint')).toMatchObject({ state: 'done' });
    expect(scene.agent.transfers).toHaveLength(2);
  });

  it('is waited for with its own key when another key has more', async () => {
    const scene = await aFundedScene();
    scene.agent.delayMs = never;
    await scene.call();
    await scene.hold(KEY, 1000);
    expect(await scene.call()).toMatchObject({ code: 'not_delivered' });
    scene.agent.delayMs = 0;
    expect(await scene.call()).toMatchObject({ state: 'done' });
    expect(scene.agent.transfers).toHaveLength(1);
    expect(scene.agent.getBalance(KEY)).toBe(1000);
  });

  it('is seen although another call used some of it', async () => {
    const scene = await aFundedScene();
    await scene.hold(KEY, 3000);
    scene.agent.delayMs = never;
    expect(await scene.call('paint')).toMatchObject({ code: 'not_delivered' });
    scene.agent.delayMs = 0;
    scene.agent.debited.set(KEY, (scene.agent.debited.get(KEY) ?? 0) + 1000);
    expect(await scene.call('sketch')).toMatchObject({ state: 'done' });
    expect(states(scene.topups())).toEqual(['settled']);
  });

  it('is seen in the answer of a call that costs as much as it brought', async () => {
    const scene = await aFundedScene();
    scene.agent.delayMs = never;
    await scene.hold(KEY, 3000);
    expect(await scene.call('paint')).toMatchObject({ code: 'not_delivered' });
    await scene.hold(KEY, 5000);
    scene.agent.delayMs = 0;
    expect(await scene.call('paint')).toMatchObject({ state: 'done' });
    expect(states(scene.topups())).toEqual(['settled']);
  });

  it.each([
    [DAY_MS, { state: 'done' }, 1],
    [DAY_MS - 1, { code: 'not_delivered' }, 0],
  ])('is not waited for %i ms after it was signed, or is', async (ms, end, transfers) => {
    const scene = await aFundedScene();
    const key = await scene.hold(KEY, 0);
    const row = { ...topupRow(key, 5000, scene.clock.now() - ms), payment_id: 'pay-0', signature: 'sig-0' };
    await scene.database.write(() => scene.payer().spent.insert(row));
    expect(await scene.call()).toMatchObject(end);
    expect(scene.agent.transfers).toHaveLength(transfers);
  });

  it('to an earlier wallet of the agent is not waited for', async () => {
    const scene = await aFundedScene();
    const key = { ...(await scene.hold(KEY, 0)), address: 'wallet-of-before' };
    await scene.payer().deposits.put(key);
    const earlier = topupRow(key, 5000, scene.clock.now() - 1);
    const row = { ...earlier, payment_id: 'pay-0', signature: 'sig-0' };
    await scene.database.write(() => scene.payer().spent.insert(row));
    expect(await scene.call()).toMatchObject({ state: 'done', seconds: 0 });
    expect(states(scene.topups())).toEqual(['paid', 'settled']);
  });

  it('on another network is not waited for', async () => {
    const scene = await aFundedScene();
    const key = { ...(await scene.hold(KEY, 0)), network: 'solana:mainnet' };
    await scene.payer().deposits.put(key);
    const earlier = topupRow(key, 5000, scene.clock.now() - 1);
    const row = { ...earlier, payment_id: 'pay-0', signature: 'sig-0' };
    await scene.database.write(() => scene.payer().spent.insert(row));
    expect(await scene.call()).toMatchObject({ state: 'done', seconds: 0 });
    expect(states(scene.topups())).toEqual(['paid', 'settled']);
  });

  it('is not waited for with a key that the agent no longer recognizes', async () => {
    const scene = await aFundedScene();
    scene.agent.delayMs = never;
    await scene.call();
    scene.agent.debited.delete(scene.agent.transfers[0]?.memo as string);
    scene.agent.debited.set('tk_of-somebody-else-entirely', 0);
    scene.agent.debited.set('tk_of-a-third-party-entirely', 0);
    scene.agent.delayMs = 0;
    expect(await scene.call()).toMatchObject({ state: 'done', seconds: 0 });
    expect(scene.agent.transfers).toHaveLength(2);
  });

  it('is not waited for after a day', async () => {
    const scene = await aFundedScene();
    scene.agent.delayMs = never;
    await scene.call();
    scene.clock.step(DAY_MS - 2 * MINUTE_MS);
    await scene.call();
    expect(scene.agent.transfers).toHaveLength(1);
    scene.clock.step(2 * MINUTE_MS);
    await scene.call();
    expect(scene.agent.transfers).toHaveLength(2);
  });

  it.each([
    ['at once', [7000, 6000], ['settled', 'settled']],
    ['in part', [6000], ['paid', 'settled']],
    ['in the order in which they were paid', [7000], ['settled', 'paid']],
  ])('is one of several, which are settled as far as they appear: %s', async (_, appeared, expected) => {
    const scene = await aFundedScene();
    const key = await scene.hold(KEY, 4000);
    // An earlier version paid several.
    for (const [index, amount] of [7000, 6000].entries()) {
      const row = {
        ...topupRow(key, amount, scene.clock.now()),
        payment_id: `pay-${index}`,
        signature: `sig-${index}`,
      };
      await scene.database.write(() => scene.payer().spent.insert(row));
    }
    for (const lamports of appeared) scene.agent.transfers.push({ signature: '', memo: KEY, lamports, atMs: 0 });
    const transfers = scene.agent.transfers.length;
    expect(await scene.call()).toMatchObject({ state: 'done', seconds: 0 });
    expect(scene.agent.transfers).toHaveLength(transfers);
    expect(states(scene.topups())).toEqual(expected);
  });
});

describe('A top-up that was sent before a restart', () => {
  it.each([
    ['the network', 'challenged'],
    ['the balance', 'paid'],
  ] as const)('while %s was waited for is waited for although a small old balance is there', async (what, state) => {
    const scene = await aFundedScene();
    await scene.hold(KEY, 1000);
    scene.agent.delayMs = 8000;
    const id = await scene.stopWhileItWaitsFor(what);
    expect(states(scene.topups())).toEqual([state]);
    expect(await scene.resume(id)).toMatchObject({ state: 'done' });
    expect(scene.agent.transfers).toHaveLength(1);
    expect(states(scene.topups())).toEqual(['settled']);
    expect(scene.agent.getBalance(KEY)).toBe(1000);
  });

  it('is waited for with its own key when another key has more', async () => {
    const scene = await aFundedScene();
    scene.agent.delayMs = 8000;
    const id = await scene.stopWhileItWaitsFor('the network');
    await scene.hold(KEY, 1000);
    expect(await scene.resume(id)).toMatchObject({ state: 'done' });
    expect(scene.agent.transfers).toHaveLength(1);
  });

  it('is waited for by other calls of the same agent, which pay no other one', async () => {
    const scene = await aFundedScene();
    await scene.hold(KEY, 1000);
    scene.agent.delayMs = 8000;
    const id = await scene.stopWhileItWaitsFor('the network', 10_000);
    scene.loseAnswersFor(2000);
    const calls = await Promise.all([scene.resume(id), scene.call()]);
    expect(calls).toMatchObject([{ state: 'done' }, { state: 'done' }]);
    expect(scene.agent.transfers).toHaveLength(1);
    expect(scene.agent.getBalance(KEY)).toBe(1000);
  });
});

describe('a balance that is reported while a top-up is under way', () => {
  const TERMS = {
    ...{ endpoint: ENDPOINT, address: WALLET, network: NETWORK, localNetwork: NETWORK, price: 5000, minimum: 1 },
    isTopupTaken: true,
  };
  const { signal } = new AbortController();

  /** Balances of `KEY`, which the agent reports as `said.lamports`, with a transfer that does what `transfer` does. */
  async function balances(lamports: number, transfer: () => Promise<void>) {
    const clock = new FakeClock();
    const said = { lamports, keys: [] as unknown[] };
    const paid: SpentRow[] = [];
    const about = { agent: ENDPOINT, endpoint: ENDPOINT, network: NETWORK, address: WALLET };
    const key: DepositKey = { ...about, api_key: KEY, lamports, updated_ms: 1 };
    const keys = new DepositsFile({ read: async () => null, write: async () => undefined }, async () => true);
    // Of the key of a top-up only the last four characters are known.
    const like = { ...key, lamports: 0, api_key: `tk_${'x'.repeat(39)}kkkk` };
    await keys.put({ ...like, endpoint: 'http://other.example' });
    await keys.put({ ...like, api_key: `tk_${'y'.repeat(39)}kkkk`, address: 'wallet-of-before' });
    await keys.put({ ...like, api_key: `tk_${'z'.repeat(39)}kkkk`, network: 'solana:mainnet' });
    await keys.put(key);
    const send = async (row: SpentRow) => {
      await transfer();
      paid.push(row);
      return row;
    };
    const journal = {
      paidTopups: () => paid,
      settle: async () => void paid.splice(0),
    };
    const exchange = {
      async send({ headers }: OutboundRequest) {
        said.keys.push(headers['x-api-key']);
        return { status: 200, json: { lamports: said.lamports }, header: () => undefined };
      },
    };
    const parts = { clock, deposits: keys, journal, exchange };
    const deposits = new Deposits(parts as never, { make: send, finish: send } as never);
    const row = { ...topupRow(key, 5000, clock.now()), payment_id: 'pay-1' };
    return { clock, deposits, key, keys, paid, row, said };
  }

  it('by a call from before it does not hide it', async () => {
    const scene = await balances(0, async () => {
      scene.said.lamports = 5000;
    });
    const { deposits, key, keys, row, said } = scene;
    let answer: (answer: TimedAnswer) => void = () => undefined;
    const held = new Promise<TimedAnswer>((resolve) => {
      answer = resolve;
    });
    const drawn = deposits.draw(key, () => held, signal);
    const call = { topup_lamports: null } as CallRow;
    const filled = { call, terms: TERMS, reserve: async () => ({ row }), isDoubted: false };
    expect(await deposits.filled(filled, signal)).toMatchObject({ api_key: KEY, lamports: 5000 });
    const { length } = said.keys;
    const header = (name: string) => (name === 'x-balance-remaining' ? '0' : undefined);
    answer({ status: 200, json: {}, latencyMs: 1, header });
    await drawn;
    expect([said.keys.length, keys.list().at(-1)?.lamports]).toEqual([length + 1, 5000]);
  });

  it('before the network has answered is the top-up of an earlier process all the same', async () => {
    const scene = await balances(1, async () => {
      scene.said.lamports = 5001;
      await scene.deposits.refresh(ENDPOINT, signal);
    });
    await scene.deposits.finish(scene.row, signal);
    expect([scene.paid, scene.clock.pending, new Set(scene.said.keys)]).toEqual([[], 0, new Set([KEY])]);
  });
});

describe('the terms of a balance', () => {
  const payment = {
    ...{ modes: ['x402', 'deposit'], wallet: WALLET },
    deposit: { min_lamports: 7, credit_unit: 'lamports' },
  } as SkillOffer['payment'];
  const offer: SkillOffer = {
    ...{ skill: 'paint', url: `${ENDPOINT}/v1/paint`, payment, mayOwe: false, localNetwork: 'solana:local-1' },
    prices: [
      { amount: 5, network: 'solana:mainnet', tier: null },
      { amount: 6, network: NETWORK, tier: null },
      { amount: 8, network: NETWORK, tier: null },
    ],
  };
  const terms = (more: Partial<SkillOffer> = {}, networks = [NETWORK, 'solana:mainnet']) =>
    listDepositTerms({ ...offer, ...more }, ENDPOINT, networks);

  it('are those of each known network in order, and of the declaration of the card', () => {
    expect(terms({}, ['solana:local-2', NETWORK])).toEqual([
      {
        ...{ endpoint: ENDPOINT, address: WALLET, network: NETWORK, localNetwork: 'solana:local-1', price: 6 },
        ...{ minimum: 7, isTopupTaken: true },
      },
    ]);
    const both = [
      { network: 'solana:mainnet', price: 5 },
      { network: NETWORK, price: 6 },
    ];
    expect(terms({}, ['solana:mainnet', NETWORK])).toMatchObject(both);
    expect(terms()).toMatchObject(both.reverse());
  });

  it('allow no top-up where the card takes no deposits, and ask for none', () => {
    for (const one of terms({ payment: { modes: ['x402'], wallet: WALLET } }))
      expect(one).toMatchObject({ minimum: 0, isTopupTaken: false });
  });

  it.each<[Partial<SkillOffer>, string, string]>([
    [{ payment: undefined }, 'no_deposit', 'Its card does not take deposits.'],
    [{ prices: [] }, 'unknown_network', 'Its card has no price on a network that this side knows.'],
    [{ payment: { modes: ['deposit'] } }, 'wrong_wallet', 'Its card names no wallet to pay a deposit to.'],
  ])('are none for a card without them: %#', (more, code, message) => {
    expect(() => terms(more)).toThrow(expect.objectContaining({ code, message }));
  });
});

function topupRow(key: DepositKey, amount_lamports: number, now: number): SpentRow {
  return {
    payment_id: '',
    call_id: null,
    kind: 'topup',
    state: 'paid',
    mode: 'deposit',
    agent: key.agent,
    agent_url: key.endpoint,
    skill: null,
    address: key.address,
    amount_lamports,
    network: key.network,
    is_real: false,
    nonce: null,
    expires_at: null,
    settle_memo: null,
    settled_by: null,
    signature: null,
    wire: null,
    signed_ms: now,
    api_key_last4: key.api_key.slice(-4),
    reason: null,
    latency_ms: null,
    is_counted: true,
    counted_ms: now,
    created_ms: now,
    updated_ms: now,
  };
}
