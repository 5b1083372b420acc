import { setImmediate as waitForTick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { NetworkName } from '../../contract/payments.js';
import { MeshError } from '../../lib/errors.js';
import { newCallId } from '../../lib/ids.js';
import type { JsonObject } from '../../storage/files/json-file.js';
import { databaseOfFile } from '../../testing/database-of-file.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { aPrice } from '../../testing/price-row.js';
import type { Chain } from '../chains/chain.js';
import type { CallRow } from './calls-store.js';
import { composePayer } from './compose-spending.js';
import type { Watcher } from './journal.js';
import type { DepositKey } from './paying-ports.js';

const NETWORK = 'solana:devnet';
const ENDPOINT = 'http://painter.example';
const BUREAU = 'http://bureau.example';
const PAYEE = 'wallet-of-the-agent';
const PRICE = 5_000;
const NOON = Date.UTC(2026, 10, 21, 12);
const KEY = `tk_${'k'.repeat(43)}`;
const NONCE = 'nonce-12345678';
const CREDIT = { modes: ['x402'], wallet: PAYEE, postpay_min_reputation: 0.5 };
const DONE = { status: 200, json: { painted: true } };

type Said = { status: number; json?: unknown; headers?: Record<string, string | number> };
type Seen = { method: string; path: string; headers: Readonly<Record<string, string>>; body: unknown };

const challenge = (more: object = {}, reason?: string): Said => {
  const row = { scheme: 'exact', network: NETWORK, address: PAYEE, amount: PRICE, currency: 'lamports', nonce: NONCE };
  const accepts = [{ ...row, expiresAt: NOON / 1000 + 600, ...more }];
  const about = { error: 'payment_required', message: 'Pay.', x402Version: 1, chainPayUrl: '', nonce: NONCE };
  return { status: 402, json: { ...about, accepts, ...(reason === undefined ? {} : { reason }) } };
};
/** Something to wait for until it is opened. */
function latch() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
const isPaid = ({ headers }: Seen) => headers['x-payment-proof'] !== undefined;
const isDrawn = ({ headers }: Seen) => headers['x-api-key'] !== undefined;
/** An agent that is paid with proofs. */
const sells = (seen: Seen): Said => (isPaid(seen) ? DONE : challenge());
const aKey = (lamports = PRICE, more: Partial<DepositKey> = {}): DepositKey => ({
  ...{ agent: 'painter', endpoint: ENDPOINT, api_key: KEY, network: NETWORK, address: PAYEE, lamports, updated_ms: 1 },
  ...more,
});

const database = databaseOfFile();

interface Market {
  /** What the agent answers. A thrown error is no answer. */
  say?: (request: Seen, count: number) => Said | Promise<Said>;
  payment?: object | undefined;
  pricing?: unknown;
  keys?: readonly DepositKey[];
  caps?: number;
  chain?: Partial<Chain>;
  /** The networks that the caller knows, the preferred one first. */
  networks?: readonly NetworkName[];
  isRegistered?: boolean;
  outcome?: Watcher['outcome'];
  bureau?: (() => string) | undefined;
  /** How precisely pauses are seen. */
  stepMs?: number;
}

/** A caller with a store of its own, and an agent that sells `paint` for 5,000 lamports. */
async function aMarket(market: Market = {}) {
  const { say = sells, pricing = aPrice(PRICE, { network: NETWORK }), keys = [], caps = 1_000_000 } = market;
  const payment = 'payment' in market ? market.payment : { modes: ['x402'], wallet: PAYEE };
  const clock = new FakeClock();
  await database.write(() => {
    for (const table of ['calls', 'spent_payments']) database.sql(`DELETE FROM ${table}`).run();
  });
  const [seen, reports, sent] = [[] as Seen[], [] as Seen[], [] as string[]];
  const limits = new Map<string, [totalMs: number, maxBytes: number]>();
  const stopping = new AbortController();
  const signed: unknown[][] = [];
  const chain = {
    ...{ network: NETWORK, real: true },
    async sign(...transfer: unknown[]) {
      const count = signed.push(transfer);
      return { signature: `sig-${count}`, wire: `wire-${count}` };
    },
    send: async ({ wire }: { wire: string }) => void sent.push(wire),
    find: async () => undefined,
    ...market.chain,
  } as unknown as Chain;
  const file = {
    content: { deposits: [...keys] } as unknown as JsonObject,
    read: async () => file.content,
    write: async (content: JsonObject) => {
      file.content = content;
    },
  };
  const card = {
    ...{ name: 'Painter', url: ENDPOINT, version: '1', description: 'Paints.', pricing },
    ...{ defaultInputModes: [], defaultOutputModes: [], protocols: ['http'], availability: { now: true } },
    skills: [{ id: 'paint', name: 'Paint', description: 'Paints.' }],
    ...(payment === undefined ? {} : { payment }),
  };
  const payer = composePayer({
    ...{ clock, database, depositsFile: file, mayWriteSecrets: async () => true },
    exchange: {
      async send({ method, url, headers, body, totalMs, maxBytes }) {
        const { pathname: path, origin } = new URL(url);
        limits.set(path, [totalMs, maxBytes]);
        const request = { method, path, headers, body: body === undefined ? undefined : JSON.parse(String(body)) };
        if (origin === BUREAU) reports.push(request);
        else seen.push(request);
        const {
          status,
          json,
          headers: answered = {},
        }: Said = origin === BUREAU ? { status: 200, json: { ok: true, score: 1 } } : await say(request, seen.length);
        return { status, json, header: (name) => answered[name]?.toString() };
      },
    },
    readCard: async () => card,
    directory: {
      find: async () => undefined,
      findByEndpoint: async (endpoint) => (market.isRegistered ? { agent_id: 'painter', endpoint } : undefined),
    },
    chains: { get: async () => chain, list: () => market.networks ?? [NETWORK] },
    wallet: async () => ({ address: 'wallet-of-the-caller', seed: new Uint8Array(32) }),
    signer: { pubkey: 'key', sign: (method) => `signed ${method}` },
    bureau: 'bureau' in market ? market.bureau : () => BUREAU,
    watcher: {
      ...{ call: () => undefined, payment: () => undefined, balance: () => undefined },
      ...(market.outcome ? { outcome: market.outcome } : {}),
    },
  });
  await database.write(() => payer.spent.putCaps({ per_call_lamports: caps, per_day_lamports: caps }));
  await payer.deposits.load();

  async function begin(more: Partial<CallRow> = {}): Promise<string> {
    const call_id = newCallId();
    const { asked_mode = 'auto', max_lamports = null, topup_lamports = null, wants_report = true, ...changes } = more;
    const asked = { asked_mode, max_lamports, topup_lamports, wants_report };
    await database.write(() => {
      payer.calls.insert({
        call_id,
        agent: ENDPOINT,
        skill: 'paint',
        input: { x: 1 },
        created_ms: clock.now(),
        ...asked,
      });
      if (Object.keys(changes).length > 0) payer.calls.put(call_id, changes);
    });
    return call_id;
  }

  /** Runs a call until it has ended or waits, while the pauses pass. */
  async function run(call_id: string) {
    let end: { outcome: unknown } | undefined;
    void payer.client
      .resumeCall(call_id, stopping.signal)
      .catch((error: unknown) => error)
      .then((outcome) => {
        end = { outcome };
      });
    while (!end) {
      await waitForTick();
      if (clock.pending > 0) clock.advance(market.stepMs ?? 1_000);
    }
    return { ...end, call: payer.calls.find(call_id) as CallRow, payments: payer.spent.listOfCall(call_id) };
  }

  return {
    ...{ ...payer, clock, seen, reports, sent, signed, limits, stopping, begin, run },
    /** Makes a call. */
    pay: async (more: Partial<CallRow> = {}) => run(await begin(more)),
    owedTo: () => payer.spent.owedTo(ENDPOINT),
    skillCalls: () => seen.filter(({ path }) => path === '/v1/paint'),
  };
}

const failed = (error_code: string, error_message: unknown = expect.any(String)) => ({
  outcome: 'failed',
  call: { state: 'failed', error_code, error_message },
});

describe('a call that is answered without a payment', () => {
  it.each(['auto', 'free', 'deposit', 'postpay', 'x402'] as const)(
    'is signed and has no payment when the skill costs nothing: %s',
    async (asked_mode) => {
      const { pay, seen } = await aMarket({ pricing: [], payment: CREDIT, say: () => DONE, keys: [aKey()], caps: 0 });
      expect(await pay({ asked_mode })).toMatchObject({
        ...{ outcome: 'done', payments: [] },
        call: { state: 'done', mode: null, amount_lamports: 0, payment_id: null, result: DONE.json },
      });
      expect(seen).toMatchObject([{ method: 'POST', path: '/v1/paint', headers: { 'mesh-sig': 'signed POST' } }]);
      expect(seen[0]?.body).toEqual({ x: 1 });
    },
  );

  it('is a free one of a skill that has a price, on the network that comes first', async () => {
    const pricing = [aPrice(7_000, { network: 'solana:mainnet' }), aPrice(PRICE, { network: NETWORK })];
    const { pay, seen } = await aMarket({ say: () => DONE, pricing, caps: 0 });
    const { call, payments } = await pay();
    expect(call).toMatchObject({ state: 'done', mode: 'free', amount_lamports: 0, network: NETWORK, is_real: true });
    expect(payments).toMatchObject([
      {
        ...{ payment_id: call.payment_id, kind: 'call', state: 'settled', mode: 'free', amount_lamports: 0 },
        ...{ address: PAYEE, network: NETWORK, is_real: true, api_key_last4: null, is_counted: false },
      },
    ]);
    expect(seen[0]?.headers).toHaveProperty('mesh-sig');
  });

  it('has no address when the card names none', async () => {
    const { pay } = await aMarket({ say: () => DONE, payment: undefined });
    expect((await pay()).payments).toMatchObject([{ mode: 'free', address: null }]);
  });

  it('is one to itself as well', async () => {
    const payment = { modes: ['x402'], wallet: 'wallet-of-the-caller' };
    const { pay } = await aMarket({ say: () => DONE, payment });
    expect(await pay()).toMatchObject({ call: { state: 'done', mode: 'free' } });
  });

  it.each<[string, Said, string, string]>([
    ['an error', { status: 500, json: { error: 'internal', message: 'It broke.' } }, 'agent_failed', 'x'],
    ['the highest status of a refusal', { status: 499, json: { error: 'no' } }, 'refused_by_agent', 'status 499, no.'],
    ['the least status of an error', { status: 400, json: { error: 'no' } }, 'refused_by_agent', 'status 400, no.'],
    ['a redirect with JSON', { status: 300, json: {} }, 'bad_answer', 'with no JSON.'],
    ['a status below all results', { status: 199, json: {} }, 'bad_answer', 'with no JSON.'],
    ['no JSON', { status: 200 }, 'bad_answer', 'with no JSON.'],
    [
      ...(['no token', { status: 401, json: { error: 'unauthorized' } }, 'refused_by_agent'] as const),
      'status 401, unauthorized. Its owner gives out the token; a call from here sends none.',
    ],
  ])('fails with %s', async (_, said, code, text) => {
    const { pay } = await aMarket({ say: () => said });
    const message = `It answered ${text === 'x' ? 'status 500, internal: It broke.' : text}`;
    expect(await pay()).toMatchObject({ ...failed(code, message), payments: [] });
  });

  it.each([200, 299])('succeeds with the status %i', async (status) => {
    const { pay } = await aMarket({ say: () => ({ status, json: [] }) });
    expect(await pay()).toMatchObject({ call: { state: 'done', result: [] } });
  });
});

describe('a call that is paid with a proof', () => {
  it('is recorded with the challenge, the transfer and the latency', async () => {
    const { pay, seen, signed, sent } = await aMarket();
    const { call, payments } = await pay();
    expect(call).toMatchObject({
      ...{ state: 'done', mode: 'x402', amount_lamports: PRICE, network: NETWORK, is_real: true, signature: 'sig-1' },
      ...{ payment_id: payments[0]?.payment_id, latency_ms: 0, result: DONE.json, input: null },
    });
    expect(payments).toMatchObject([
      {
        ...{ kind: 'call', state: 'settled', mode: 'x402', agent_url: ENDPOINT, address: PAYEE, nonce: NONCE },
        ...{ amount_lamports: PRICE, expires_at: NOON / 1000 + 600, is_counted: true, signature: 'sig-1', wire: null },
      },
    ]);
    expect([signed.map(([, ...transfer]) => transfer), sent]).toEqual([[[PAYEE, 5_000n, NONCE]], ['wire-1']]);
    expect(seen.map(({ headers }) => headers)).toEqual([
      { 'mesh-sig': 'signed POST' },
      { 'mesh-sig': 'signed POST', 'x-payment-proof': 'sig-1', 'x-payment-nonce': NONCE },
    ]);
  });

  it.each<[string, Partial<CallRow>, object]>([
    [
      'only a free one is asked for',
      { asked_mode: 'free' },
      failed('no_free_call', 'No free call is left: status 402, payment_required: Pay.'),
    ],
    ['only credit is asked for', { asked_mode: 'postpay' }, failed('no_credit', 'Its card does not sell on credit.')],
    [
      'it costs more than the call allows',
      { max_lamports: PRICE - 1 },
      failed('budget_exceeded', 'It costs 5000 lamports; the call allows 4999.'),
    ],
  ])('is none when %s', async (_, asked, end) => {
    const { pay, signed } = await aMarket();
    expect(await pay(asked)).toMatchObject({ ...end, payments: [] });
    expect(signed).toEqual([]);
  });

  it('may cost what the call allows', async () => {
    const { pay } = await aMarket();
    expect(await pay({ max_lamports: PRICE })).toMatchObject({ call: { state: 'done', mode: 'x402' } });
  });

  it('waits for the operator over the caps, and goes on with the same payment', async () => {
    const { pay, run, journal, seen } = await aMarket({ caps: PRICE - 1 });
    const { outcome, call, payments } = await pay();
    expect([outcome, call.state, payments.map(({ state }) => state)]).toEqual(['waiting', 'waiting', ['waiting']]);
    await journal.decided(call.call_id, true);
    const end = await run(call.call_id);
    expect(end).toMatchObject({ outcome: 'done', payments: [{ state: 'settled', nonce: NONCE }] });
    expect(end.payments[0]?.payment_id).toBe(payments[0]?.payment_id);
    expect(seen).toHaveLength(3);
  });

  it('is not paid again for a challenge that was taken up', async () => {
    const { pay, signed } = await aMarket();
    await pay();
    expect(await pay()).toMatchObject({
      ...failed('challenge_replayed', 'It shows a challenge that was taken up before: nothing is paid for it twice.'),
      payments: [],
    });
    expect(signed).toHaveLength(1);
  });

  it('is not made when the network refuses the transfer, and counts nothing', async () => {
    const refuse = async () => {
      throw new MeshError('bad_request', `Too little: ${'x'.repeat(200)}`, { details: { reason: 'refused' } });
    };
    const { pay, spent } = await aMarket({ chain: { send: refuse } });
    const message = `Too little: ${'x'.repeat(200)}`;
    expect(await pay()).toMatchObject({
      ...failed('insufficient_funds', `Nothing was paid: ${message}`),
      payments: [{ state: 'failed', reason: message.slice(0, 200), is_counted: false, signature: null }],
    });
    expect(spent.left()).toBe(0);
  });

  it.each([
    [
      { reason: 'expired' },
      'network_unavailable',
      `${NETWORK} did not confirm the transfer in time: it can be made anew.`,
    ],
    [{ reason: 'refused', isRecipientBelowRent: true }, 'wrong_wallet', 'It would hold too little.'],
  ])('is not one that the wallet held too little for when it ends with %j', async (details, code, why) => {
    const send = async () => {
      throw new MeshError('bad_request', 'It would hold too little.', { details });
    };
    const { pay, spent } = await aMarket({ chain: { send } });
    expect(await pay()).toMatchObject({
      ...failed(code, `Nothing was paid: ${why}`),
      payments: [{ state: 'failed', reason: why, is_counted: false, signature: null }],
    });
    expect(spent.left()).toBe(0);
  });

  it('is not begun when the wallet holds too little', async () => {
    const asked: unknown[] = [];
    const requireFunds = async (wallet: { address: string }, lamports: bigint) => {
      asked.push(wallet.address, lamports);
      throw new MeshError('insufficient_funds', 'Fill the wallet.');
    };
    const { pay } = await aMarket({ chain: { requireFunds } });
    expect(await pay()).toMatchObject({
      ...failed('insufficient_funds', 'Nothing was paid: Fill the wallet.'),
      payments: [],
    });
    expect(asked).toEqual(['wallet-of-the-caller', 5_000n]);
  });

  it('is none to the wallet that pays', async () => {
    const wallet = 'wallet-of-the-caller';
    const { pay, signed } = await aMarket({
      payment: { modes: ['x402'], wallet },
      say: () => challenge({ address: wallet }),
    });
    const message =
      'The agent is paid into the very wallet that pays: a transfer to itself pays nothing. Give it a wallet of its ' +
      'own: `meshd wallet new earnings` prints the address for `wallet` in `payment` of its file.';
    expect(await pay()).toMatchObject({ ...failed('wrong_wallet', message), payments: [] });
    expect(signed).toEqual([]);
  });

  it('that fails with its price given back leaves a balance with the agent', async () => {
    const refund = { api_key: KEY, lamports: PRICE - 1 };
    const { pay, deposits } = await aMarket({
      isRegistered: true,
      say(seen) {
        if (seen.path === '/v1/balance') return { status: 200, json: { lamports: 7 } };
        return isPaid(seen)
          ? { status: 500, json: { error: 'internal', message: 'Out of paint.', refund } }
          : challenge();
      },
    });
    expect(await pay()).toMatchObject({
      ...failed(
        'agent_failed',
        'It could not carry the call out and keeps the price as a balance: status 500, internal: Out of paint.',
      ),
      payments: [{ state: 'refunded', reason: 'given back as a balance with the agent', is_counted: true }],
    });
    expect(deposits.list()).toEqual([aKey(7, { updated_ms: NOON })]);
  });
});

describe('a call that is paid from a balance', () => {
  const DEBITED: Said = { ...DONE, headers: { 'x-debited-lamports': PRICE, 'x-balance-remaining': 3 } };
  const draws = (seen: Seen): Said => (isDrawn(seen) ? DEBITED : sells(seen));

  it('is recorded with what was debited, and the balance with what is left', async () => {
    const { pay, seen, signed, deposits } = await aMarket({ keys: [aKey()], say: draws });
    const { call, payments } = await pay();
    expect(call).toMatchObject({ state: 'done', mode: 'deposit', amount_lamports: PRICE, network: NETWORK });
    expect(payments).toMatchObject([
      {
        ...{ payment_id: call.payment_id, kind: 'call', state: 'settled', mode: 'deposit', amount_lamports: PRICE },
        ...{ address: PAYEE, network: NETWORK, is_real: true, api_key_last4: 'kkkk', is_counted: false },
      },
    ]);
    expect(seen.map(({ headers }) => headers)).toEqual([{ 'mesh-sig': 'signed POST', 'x-api-key': KEY }]);
    expect([signed, deposits.list()]).toEqual([[], [aKey(3, { updated_ms: NOON })]]);
  });

  it('may have been free, which changes nothing of the balance', async () => {
    const { pay, deposits } = await aMarket({ keys: [aKey()], say: () => DONE });
    expect(await pay()).toMatchObject({
      call: { state: 'done', mode: 'free', amount_lamports: 0 },
      payments: [{ mode: 'free', amount_lamports: 0, api_key_last4: 'kkkk', state: 'settled' }],
    });
    expect(deposits.list()).toEqual([aKey()]);
  });

  it.each<[string, Market, Partial<CallRow>, string]>([
    ['auto and the balance covers the price', {}, {}, 'deposit'],
    ['auto and it does not', { keys: [aKey(PRICE - 1)] }, {}, 'x402'],
    ['auto and it is one with another wallet', { keys: [aKey(PRICE, { address: 'other' })] }, {}, 'x402'],
    ['auto and it is one with another agent', { keys: [aKey(PRICE, { endpoint: 'http://b.example' })] }, {}, 'x402'],
    ['x402', {}, { asked_mode: 'x402' }, 'x402'],
    ['deposit', {}, { asked_mode: 'deposit' }, 'deposit'],
    ['auto on credit and the balance covers the price', { payment: CREDIT }, {}, 'deposit'],
  ])('is made when the mode is %s', async (_, more, asked, mode) => {
    const { pay } = await aMarket({ keys: [aKey()], say: draws, ...more });
    expect(await pay(asked)).toMatchObject({ call: { state: 'done', mode } });
  });

  it.each(['auto', 'deposit'] as const)('covers the price on the network that it is on: %s', async (asked_mode) => {
    const networks = [NETWORK, 'solana:mainnet'] as const;
    const pricing = [aPrice(PRICE, { network: 'solana:mainnet' }), aPrice(PRICE + 2_000, { network: NETWORK })];
    const keys = [aKey(PRICE, { network: 'solana:mainnet' })];
    const { pay } = await aMarket({ keys, pricing, networks, say: draws });
    expect(await pay({ asked_mode, max_lamports: PRICE })).toMatchObject({
      call: { state: 'done', mode: 'deposit', amount_lamports: PRICE, network: 'solana:mainnet' },
      payments: [{ network: 'solana:mainnet', api_key_last4: 'kkkk' }],
    });
  });

  it('is not made when only a free one is asked for', async () => {
    const { pay } = await aMarket({ keys: [aKey()], say: draws });
    expect(await pay({ asked_mode: 'free' })).toMatchObject(failed('no_free_call'));
  });

  it('is unsigned where a signature could make a debt', async () => {
    const { pay, seen } = await aMarket({ keys: [aKey()], say: draws, payment: CREDIT });
    await pay();
    expect(seen.map(({ headers }) => headers)).toEqual([{ 'x-api-key': KEY }]);
  });

  it('may still be free when the balance may not be used', async () => {
    const { pay, seen } = await aMarket({ keys: [aKey()], say: (one) => (isDrawn(one) ? DEBITED : DONE) });
    expect(await pay({ max_lamports: PRICE - 1 })).toMatchObject({ call: { state: 'done', mode: 'free' } });
    expect(seen.some(isDrawn)).toBe(false);
    expect(await pay({ max_lamports: PRICE })).toMatchObject({ call: { state: 'done', mode: 'deposit' } });
  });

  it('costs no more than the call allows', async () => {
    const { pay, seen } = await aMarket({ keys: [aKey()], say: draws });
    expect(await pay({ asked_mode: 'deposit', max_lamports: PRICE - 1 })).toMatchObject(
      failed('budget_exceeded', 'It costs 5000 lamports; the call allows 4999.'),
    );
    expect(seen).toEqual([]);
  });

  it('that was refused is recorded with what was debited for it, and with nothing when that was nothing', async () => {
    const no = { status: 422, json: { error: 'no' } };
    const first = await aMarket({
      keys: [aKey()],
      say: () => ({ ...no, headers: { 'x-debited-lamports': 40, 'x-balance-remaining': 60 } }),
    });
    expect(await first.pay()).toMatchObject({
      ...failed('refused_by_agent', 'It answered status 422, no.'),
      payments: [{ kind: 'call', state: 'settled', mode: 'deposit', amount_lamports: 40, api_key_last4: 'kkkk' }],
    });
    for (const headers of [{}, { 'x-debited-lamports': 0 }] as Record<string, number>[]) {
      const { pay } = await aMarket({ keys: [aKey()], say: () => ({ ...no, headers }) });
      expect(await pay()).toMatchObject({ ...failed('refused_by_agent'), payments: [] });
    }
  });

  it.each([401, 402])(
    'is begun again with a balance that is asked for after %i, at most eight times',
    async (status) => {
      const { pay, skillCalls, seen } = await aMarket({
        keys: [aKey()],
        say: ({ path }) =>
          path === '/v1/balance'
            ? { status: 200, json: { lamports: PRICE } }
            : { status, json: { error: 'payment_required', reason: 'balance_too_small' } },
      });
      expect(await pay({ asked_mode: 'deposit' })).toMatchObject({
        ...failed('no_deposit', 'The balance does not do: balance_too_small.'),
        ...{ call: { is_committed: false }, payments: [] },
      });
      expect([skillCalls().length, seen.length]).toEqual([9, 17]);
    },
  );

  it('is paid in another way when a refund is used up and no deposits are taken', async () => {
    const say = (seen: Seen): Said => {
      if (seen.path === '/v1/balance') return { status: 200, json: { lamports: 1 } };
      return isDrawn(seen) ? challenge({}, 'balance_too_small') : sells(seen);
    };
    const { pay } = await aMarket({ keys: [aKey()], say });
    expect(await pay()).toMatchObject({ call: { state: 'done', mode: 'x402' } });
    expect(await (await aMarket({ keys: [aKey()], say })).pay({ asked_mode: 'deposit' })).toMatchObject(
      failed('no_deposit', 'Its card does not take deposits.'),
    );
  });

  it('is not paid in another way when the agent takes deposits, or gives no answer', async () => {
    const payment = { modes: ['deposit'], wallet: PAYEE, deposit: { min_lamports: 1, credit_unit: 'lamports' } };
    const poor = ({ path }: Seen): Said =>
      path === '/v1/balance' ? { status: 200, json: { lamports: 1 } } : challenge({}, 'balance_too_small');
    const taken = await aMarket({ keys: [aKey()], payment, say: poor });
    expect(await taken.pay({ topup_lamports: 1 })).toMatchObject(failed('no_deposit'));
    const silent = await aMarket({
      keys: [aKey()],
      say() {
        throw new Error('hung up');
      },
    });
    expect(await silent.pay()).toMatchObject(failed('unreachable'));
    expect(silent.seen).toHaveLength(1);
  });

  it('is not topped up over the caps without the operator, who is asked once', async () => {
    const payment = { modes: ['deposit'], wallet: PAYEE };
    const { pay, run, calls, seen } = await aMarket({ caps: PRICE - 1, payment });
    const { outcome, call, payments } = await pay({ asked_mode: 'deposit' });
    expect([outcome, call.wanted]).toEqual([
      ...['waiting', { amount: PRICE, network: NETWORK, address: PAYEE, is_real: true }],
    ]);
    expect(payments).toMatchObject([{ kind: 'topup', state: 'waiting', mode: 'deposit', skill: null }]);
    await database.write(() => calls.put(call.call_id, { state: 'running' }));
    const again = await run(call.call_id);
    expect([again.outcome, again.payments.length]).toEqual(['waiting', 1]);
    expect(again.payments[0]?.payment_id).toBe(payments[0]?.payment_id);
    expect(seen).toEqual([]);
  });
});

describe('a top-up', () => {
  const PREPAID = { modes: ['deposit'], wallet: PAYEE, deposit: { min_lamports: 3_000, credit_unit: 'lamports' } };
  const OPENED = { api_key: KEY, chainPayUrl: null, network: NETWORK, address: PAYEE, memo: KEY, min_lamports: 3_000 };
  const opens = (more: object = {}): Said => ({ status: 200, json: { ...OPENED, ...more } });
  const holds = (lamports: number): Said => ({ status: 200, json: { lamports } });
  const debits = { ...DONE, headers: { 'x-debited-lamports': PRICE, 'x-balance-remaining': 0 } };

  /** An agent that opens `KEY`, whose balance is `balance` or what it returns. */
  const takes =
    (balance: Said | ((seen: Seen) => Said) = holds(PRICE), topup = opens()) =>
    (seen: Seen): Said => {
      if (seen.path === '/v1/topup') return topup;
      if (seen.path !== '/v1/balance') return debits;
      return typeof balance === 'function' ? balance(seen) : balance;
    };
  const prepaid = (more: Market = {}) => aMarket({ payment: PREPAID, say: takes(), ...more });
  const asks = { asked_mode: 'deposit' } as const;

  it('opens a key, which is kept before it is paid, and is filled with the price', async () => {
    const kept: DepositKey[] = [];
    const sign = async () => {
      kept.push(...scene.deposits.list());
      return { signature: 'sig-1', wire: 'wire-1' };
    };
    const scene = await prepaid({ chain: { sign } as Partial<Chain>, isRegistered: true });
    const { call, payments } = await scene.pay(asks);
    expect(call).toMatchObject({ state: 'done', mode: 'deposit', amount_lamports: PRICE });
    expect(kept).toEqual([aKey(0, { updated_ms: NOON })]);
    expect(payments).toMatchObject([
      {
        ...{ kind: 'topup', state: 'settled', mode: 'deposit', skill: null, amount_lamports: PRICE, address: PAYEE },
        ...{ api_key_last4: 'kkkk', signature: 'sig-1', is_counted: true },
      },
      { kind: 'call', state: 'settled', amount_lamports: PRICE, is_counted: false, signature: null },
    ]);
    expect(scene.seen).toEqual([
      { method: 'POST', path: '/v1/topup', headers: {}, body: { amount_lamports: PRICE } },
      { method: 'GET', path: '/v1/balance', headers: { 'x-api-key': KEY }, body: undefined },
      expect.objectContaining({ path: '/v1/paint', headers: { 'mesh-sig': 'signed POST', 'x-api-key': KEY } }),
    ]);
    expect([scene.limits.get('/v1/topup'), scene.limits.get('/v1/balance')]).toEqual([
      [10_000, 16_384],
      [10_000, 16_384],
    ]);
  });

  it.each([[{}], [{ postpay_min_reputation: 0.5 }]])(
    'pays for a call to an agent that takes nothing else: %j',
    async (more) => {
      const [gives, none] = [takes(), challenge()];
      const say = (seen: Seen) =>
        seen.path === '/v1/paint' && !isDrawn(seen)
          ? { ...none, json: { ...Object(none.json), accepts: [] } }
          : gives(seen);
      const { pay, signed } = await prepaid({ payment: { ...PREPAID, ...more }, say });
      expect((await pay()).call).toMatchObject({ state: 'done', mode: 'deposit', amount_lamports: PRICE });
      expect(signed.map(([, ...transfer]) => transfer)).toEqual([[PAYEE, BigInt(PRICE), KEY]]);
    },
  );

  it('is not paid to a key of another network, whose agent would not find it', async () => {
    const other = aKey(2_000, { network: 'solana:mainnet', api_key: `tk_${'o'.repeat(43)}` });
    const { pay, signed, deposits } = await prepaid({ keys: [other] });
    expect(await pay(asks)).toMatchObject({ call: { state: 'done', mode: 'deposit', network: NETWORK } });
    expect(signed.map(([, ...transfer]) => transfer)).toEqual([[PAYEE, BigInt(PRICE), KEY]]);
    expect(deposits.list()[0]).toEqual(other);
  });

  it('is paid with the key as its memo', async () => {
    const { pay, signed } = await prepaid();
    await pay(asks);
    expect(signed.map(([, ...transfer]) => transfer)).toEqual([[PAYEE, BigInt(PRICE), KEY]]);
  });

  it.each<[string, number, number | null, number]>([
    ['the price', PRICE - 1, null, PRICE],
    ['the least that is taken, when that is more', PRICE + 1, null, PRICE + 1],
    ['what is asked for', PRICE, PRICE + 7, PRICE + 7],
    ['what is asked for, down to the least that is taken', PRICE + 1, PRICE + 1, PRICE + 1],
  ])('is of %s', async (_, min_lamports, topup_lamports, amount) => {
    const deposit = { min_lamports, credit_unit: 'lamports' };
    const { pay, seen } = await prepaid({ payment: { ...PREPAID, deposit } });
    expect(await pay({ ...asks, topup_lamports })).toMatchObject({ payments: [{ amount_lamports: amount }, {}] });
    expect(seen[0]?.body).toEqual({ amount_lamports: amount });
  });

  it.each<[string, number, number | null, number, string]>([
    ['below the price', 1, null, PRICE - 1, 'the price is 5000, 0 are there, and 1 are the least that is taken.'],
    ['below the least', 6_000, null, 5_999, 'the price is 5000, 0 are there, and 6000 are the least that is taken.'],
    ['below the rest', 1, 1_000, 3_999, 'the price is 5000, 1000 are there, and 1 are the least that is taken.'],
  ])('is not paid when it is %s', async (_, min_lamports, held, topup_lamports, why) => {
    const { pay, signed } = await prepaid({
      ...{ payment: { ...PREPAID, deposit: { min_lamports, credit_unit: 'lamports' } } },
      ...(held === null ? {} : { keys: [aKey(held)], say: takes(holds(held)) }),
    });
    const message = `A top-up of ${topup_lamports} lamports does not do: ${why}`;
    expect(await pay({ ...asks, topup_lamports })).toMatchObject({ ...failed('no_deposit', message), payments: [] });
    expect(signed).toEqual([]);
  });

  it('of a known key fills it up, which may be less than a new one needs', async () => {
    const looks = [holds(1_000), holds(PRICE)];
    const { pay, seen, signed } = await prepaid({
      ...{ payment: { ...PREPAID, deposit: { min_lamports: 6_000, credit_unit: 'lamports' } } },
      ...{ keys: [aKey(2_000)], say: takes(() => looks.shift() ?? holds(PRICE)) },
    });
    expect(await pay({ ...asks, topup_lamports: 4_000 })).toMatchObject({ call: { state: 'done', mode: 'deposit' } });
    expect(seen.map(({ path }) => path)).toEqual(['/v1/balance', '/v1/balance', '/v1/paint']);
    expect(signed).toHaveLength(1);
  });

  it('is not needed when the agent says that there is more than was known', async () => {
    const { pay, signed, seen } = await prepaid({ keys: [aKey(1)] });
    expect(await pay(asks)).toMatchObject({ call: { state: 'done' }, payments: [{ kind: 'call' }] });
    expect([signed, seen.length]).toEqual([[], 2]);
  });

  it.each<[string, Said, string, string]>([
    [
      'is refused',
      { status: 403, json: { error: 'no' } },
      ...(['no_deposit', 'It opened no deposit: status 403, no.'] as const),
    ],
    ['is none', { status: 200, json: { api_key: KEY } }, 'no_deposit', 'It opened no deposit: status 200.'],
    ['is null', opens({ api_key: null }), 'no_deposit', 'It opened no deposit: status 200.'],
    ['is another status', { ...opens(), status: 201 }, 'no_deposit', 'It opened no deposit: status 201.'],
    ...[
      { memo: null },
      { memo: `${KEY}0` },
      ...[`tk_${'k'.repeat(15)}`, `tk_${'k'.repeat(129)}`, `x${KEY}`, `${KEY}!`, `tk_${'k!'.repeat(20)}`].map(
        (api_key) => ({ api_key, memo: api_key }),
      ),
    ].map((more): [string, Said, string, string] => [
      'has no key that can be its memo',
      opens(more),
      ...(['bad_challenge', 'Its deposit key is none, or is not the memo.'] as const),
    ]),
    [
      'is for another wallet',
      opens({ address: 'other' }),
      ...(['wrong_wallet', 'It wants its deposit paid to another address than the wallet in its card.'] as const),
    ],
    [
      'is on another network',
      opens({ network: 'solana:mainnet' }),
      ...(['unknown_network', 'It wants its deposit paid on solana:mainnet, not on solana:devnet.'] as const),
    ],
  ])('is not paid when its key %s: %#', async (_, topup, code, message) => {
    const { pay, signed, deposits } = await prepaid({ say: takes(holds(0), topup) });
    expect(await pay(asks)).toMatchObject({
      ...failed(code, message),
      payments: [{ kind: 'topup', state: 'failed', is_counted: false }],
    });
    expect([signed, deposits.list()]).toEqual([[], []]);
  });

  it.each([`tk_${'-_Z9'.repeat(4)}`, `tk_${'k'.repeat(128)}`])('is paid for a key such as %#', async (api_key) => {
    const { pay, deposits } = await prepaid({ say: takes(holds(PRICE), opens({ api_key, memo: api_key })) });
    expect(await pay(asks)).toMatchObject({ call: { state: 'done' } });
    expect(deposits.list()).toMatchObject([{ api_key, agent: ENDPOINT }]);
  });

  it.each<[string, Said | undefined, string, string]>([
    [
      'no balance',
      { status: 500, json: { error: 'internal' } },
      ...(['bad_answer', 'It does not say what the balance is: status 500, internal.'] as const),
    ],
    [
      'one with another status',
      { status: 201, json: { lamports: 5 } },
      ...(['bad_answer', 'It does not say what the balance is: status 201.'] as const),
    ],
    [
      'one that is no amount',
      { status: 200, json: { lamports: -1 } },
      ...(['bad_answer', 'It does not say what the balance is: status 200.'] as const),
    ],
    [
      'no answer',
      undefined,
      ...(['unreachable', `The agent at ${ENDPOINT}/v1/balance did not answer: hung up`] as const),
    ],
  ])('is not paid when the agent gives %s for a key that is known', async (_, balance, code, message) => {
    const hangUp = (): Said => {
      throw new Error('hung up');
    };
    const { pay, signed, deposits } = await prepaid({ keys: [aKey(1)], say: takes(balance ?? hangUp) });
    expect(await pay(asks)).toMatchObject({ ...failed(code, message), payments: [] });
    expect([signed, deposits.list()]).toEqual([[], [aKey(1)]]);
  });

  it('opens another key when the agent does not know the one that is kept', async () => {
    const other = `tk_${'o'.repeat(43)}`;
    const say = takes(({ headers }) => (headers['x-api-key'] === KEY ? holds(PRICE) : { status: 401 }));
    const { pay, deposits } = await prepaid({ keys: [aKey(100, { api_key: other })], say });
    expect(await pay(asks)).toMatchObject({ call: { state: 'done' }, payments: [{ api_key_last4: 'kkkk' }, {}] });
    expect(deposits.list()).toMatchObject([
      { api_key: other, lamports: 0, updated_ms: NOON },
      { api_key: KEY, lamports: 0 },
    ]);
  });

  it('is looked for in the balance for a minute, whatever the agent answers meanwhile', async () => {
    const looksMs: number[] = [];
    const answers = [holds(0), { status: 500, json: {} }, { status: 401 }];
    const scene: Awaited<ReturnType<typeof aMarket>> = await prepaid({
      stepMs: 100,
      say: takes(() => {
        looksMs.push(scene.clock.elapsed());
        return answers.shift() ?? holds(0);
      }),
    });
    expect(await scene.pay(asks)).toMatchObject({
      ...failed('not_delivered', 'The deposit was paid and does not appear in the balance.'),
      payments: [{ kind: 'topup', state: 'paid', is_counted: true }],
    });
    const pauses = looksMs.map((ms, at) => ms - (looksMs[at - 1] ?? 0));
    expect(pauses).toEqual([0, 100, 200, 400, 800, 1_600, 3_200, ...Array(14).fill(4_000)]);
    expect(scene.skillCalls()).toEqual([]);
  });

  it('is seen in any balance above the one before', async () => {
    const looks = [holds(100), holds(100), holds(101)];
    const { pay } = await prepaid({ keys: [aKey(200)], say: takes(() => looks.shift() ?? holds(101)) });
    expect(await pay(asks)).toMatchObject({
      ...{ call: { state: 'done', mode: 'deposit' } },
      payments: [{ kind: 'topup', state: 'settled' }, { kind: 'call' }],
    });
  });

  it('is left to the next process when the daemon stops', async () => {
    const { pay, stopping } = await prepaid({
      say() {
        stopping.abort();
        throw new Error('aborted');
      },
    });
    expect(await pay(asks)).toMatchObject({ outcome: { name: 'StoppedError' }, call: { state: 'running' } });
  });

  it('is not made when the network refuses it, and the key stays', async () => {
    const send = async () => {
      throw new MeshError('bad_request', 'Too little.', { details: { reason: 'refused' } });
    };
    const { pay, deposits } = await prepaid({ chain: { send } });
    expect(await pay(asks)).toMatchObject({
      ...{ outcome: 'failed', call: { error_code: 'insufficient_funds', payment_id: null } },
      payments: [{ kind: 'topup', state: 'failed', reason: 'Too little.', is_counted: false }],
    });
    expect(deposits.list()).toMatchObject([{ api_key: KEY, lamports: 0 }]);
  });

  it('needs the funds in the wallet', async () => {
    const asked: bigint[] = [];
    const requireFunds = async (_: unknown, lamports: bigint) => {
      asked.push(lamports);
      throw new MeshError('insufficient_funds', 'Fill the wallet.');
    };
    const { pay } = await prepaid({ chain: { requireFunds } });
    expect(await pay(asks)).toMatchObject({ ...failed('insufficient_funds'), payments: [] });
    expect(asked).toEqual([BigInt(PRICE)]);
  });
});

describe('calls that use a balance at the same time', () => {
  /** An agent whose answers to calls are released one by one; each debits the price. */
  async function aHeldMarket(lamports: number, isMute = false) {
    const held: (() => void)[] = [];
    let balance = lamports;
    const scene = await aMarket({
      keys: [aKey(lamports)],
      async say({ path }) {
        if (path === '/v1/balance' && isMute) throw new Error('hung up');
        if (path === '/v1/balance') return { status: 200, json: { lamports: balance } };
        balance -= PRICE;
        const headers = { 'x-debited-lamports': PRICE, 'x-balance-remaining': balance };
        await new Promise<void>((resolve) => held.push(resolve));
        return { ...DONE, headers };
      },
    });
    const looks = () => scene.seen.filter(({ path }) => path === '/v1/balance').length;
    /** Begins a call. Resolves when the agent holds its answer. */
    const hold = async () => {
      const { length } = held;
      const paid = scene.pay();
      await expect.poll(() => held.length, { interval: 1 }).toBe(length + 1);
      return { paid, release: () => held[length]?.() };
    };
    return { ...scene, hold, looks, left: () => scene.deposits.list()[0]?.lamports };
  }

  it('ask for it after the last of them, because their answers may come in any order', async () => {
    const { hold, looks, left } = await aHeldMarket(4 * PRICE);
    const [first, second] = [await hold(), await hold()];
    second.release();
    await second.paid;
    expect([looks(), left()]).toEqual([0, 2 * PRICE]);
    first.release();
    await first.paid;
    expect([looks(), left()]).toEqual([1, 2 * PRICE]);
    const third = await hold();
    third.release();
    await third.paid;
    expect([looks(), left()]).toEqual([1, PRICE]);
  });

  it('are recorded although the balance cannot be asked for afterwards', async () => {
    const { hold, looks, left } = await aHeldMarket(4 * PRICE, true);
    for (const { paid, release } of [await hold(), await hold()]) {
      release();
      expect((await paid).call.state).toBe('done');
    }
    expect([looks(), left()]).toEqual([1, 2 * PRICE]);
  });
});

describe('a call on credit', () => {
  const owes = (lamports: number, memo?: string): Said => ({
    ...DONE,
    headers: { 'x-owed-lamports': lamports, ...(memo === undefined ? {} : { 'x-settle-memo': memo }) },
  });

  it.each(['auto', 'postpay'] as const)('is a debt that counts, with the memo to settle it with: %s', async (mode) => {
    const { pay, seen, signed } = await aMarket({ payment: CREDIT, say: () => owes(PRICE, 'memo-1') });
    const { call, payments } = await pay({ asked_mode: mode });
    expect(call).toMatchObject({ state: 'done', mode: 'postpay', amount_lamports: PRICE, result: DONE.json });
    expect(payments).toMatchObject([
      {
        ...{ payment_id: call.payment_id, kind: 'call', state: 'owed', mode: 'postpay', amount_lamports: PRICE },
        ...{ address: PAYEE, network: NETWORK, settle_memo: 'memo-1', reason: null, is_counted: true, latency_ms: 0 },
      },
    ]);
    expect(seen.map(({ headers }) => headers)).toEqual([{ 'mesh-sig': 'signed POST' }]);
    expect(signed).toEqual([]);
  });

  it.each<[string | undefined, string | null]>([
    ['!~', '!~'],
    ['m', 'm'],
    ['m'.repeat(128), 'm'.repeat(128)],
    ['m'.repeat(129), null],
    ['', null],
    ['a memo', null],
    [' memo', null],
    ['memo ', null],
    ['mémo', null],
    [undefined, null],
  ])('is settled with the memo of the agent, if that can be one: %#', async (memo, settle_memo) => {
    const { pay } = await aMarket({ payment: CREDIT, say: () => owes(PRICE, memo) });
    expect((await pay()).payments).toMatchObject([{ state: 'owed', settle_memo }]);
  });

  it('is free when the agent says that nothing is owed, or no more than before', async () => {
    const { pay } = await aMarket({
      payment: CREDIT,
      say: (_, count) => [DONE, owes(PRICE), owes(PRICE), owes(PRICE + 1)][count - 1] as Said,
    });
    const free = {
      call: { state: 'done', mode: 'free', amount_lamports: 0 },
      payments: [{ state: 'settled', mode: 'free', amount_lamports: 0, is_counted: false, latency_ms: 0 }],
    };
    expect(await pay()).toMatchObject(free);
    expect((await pay()).payments).toMatchObject([{ state: 'owed' }]);
    expect(await pay()).toMatchObject(free);
    expect((await pay()).payments).toMatchObject([{ state: 'owed', reason: null }]);
  });

  it.each([
    ['the one that began first ends first', [0, 1]],
    ['the one that began last ends first', [1, 0]],
  ])('is a debt when another one runs at the same time: %s', async (_, order) => {
    const held = [latch(), latch()];
    const { begin, run, seen, owedTo } = await aMarket({
      payment: CREDIT,
      say: async (_seen, count) => {
        await held[count - 1]?.opened;
        return owes(count * PRICE);
      },
    });
    const running: ReturnType<typeof run>[] = [];
    for (const id of [await begin(), await begin()]) {
      running.push(run(id));
      while (seen.length < running.length) await waitForTick();
    }
    for (const index of order) {
      held[index]?.open();
      expect((await running[index])?.payments).toMatchObject([{ state: 'owed', mode: 'postpay', is_counted: true }]);
    }
    expect(owedTo()).toBe(2 * PRICE);
  });

  it('that fails is no debt when the agent tells only of the one that runs at the same time', async () => {
    const held = latch();
    const { begin, run, pay, seen, owedTo } = await aMarket({
      payment: CREDIT,
      say: async (_seen, count) => {
        if (count === 2) return { ...owes(PRICE), status: 500 };
        await held.opened;
        return owes(PRICE);
      },
    });
    const first = run(await begin());
    while (seen.length < 1) await waitForTick();
    expect((await pay()).payments).toMatchObject([{ state: 'failed', mode: 'free', amount_lamports: 0 }]);
    held.open();
    expect((await first).payments).toMatchObject([{ state: 'owed' }]);
    expect(owedTo()).toBe(PRICE);
  });

  it('is owed at the price of the card when the agent says more', async () => {
    const { pay } = await aMarket({ payment: CREDIT, say: (_, count) => owes(count === 1 ? PRICE : 2 * PRICE + 1) });
    expect((await pay()).payments).toMatchObject([{ reason: null, amount_lamports: PRICE }]);
    expect((await pay()).payments).toMatchObject([
      { reason: 'debt_above_card', amount_lamports: PRICE, state: 'owed' },
    ]);
  });

  it.each<[string, Said, object]>([
    ['is over without a debt', { status: 400, json: { error: 'no' } }, { state: 'failed', amount_lamports: 0 }],
    ['and no JSON is over without a debt', { status: 200 }, { state: 'settled', amount_lamports: 0 }],
    [
      'and a debt is owed',
      { status: 500, json: { error: 'no' }, headers: { 'x-owed-lamports': PRICE } },
      { state: 'owed', amount_lamports: PRICE, is_counted: true },
    ],
  ])('that fails %s', async (_, said, payment) => {
    const { pay } = await aMarket({ payment: CREDIT, say: () => said });
    expect(await pay()).toMatchObject({ outcome: 'failed', payments: [payment] });
  });

  it('that is refused is paid with a proof by the same payment', async () => {
    const { pay, seen } = await aMarket({ payment: CREDIT });
    const { call, payments } = await pay();
    expect(call).toMatchObject({ state: 'done', mode: 'x402', amount_lamports: PRICE, signature: 'sig-1' });
    expect(payments).toMatchObject([{ state: 'settled', mode: 'x402', payment_id: call.payment_id }]);
    expect(seen).toHaveLength(2);
  });

  it.each<[Partial<CallRow>, object]>([
    [{ asked_mode: 'postpay' }, failed('no_credit', 'It does not take this call on credit: reputation_too_low.')],
    [{ asked_mode: 'free' }, failed('no_free_call', 'No free call is left: status 402, payment_required: Pay.')],
  ])('that is refused is not paid when %j', async (asked, end) => {
    const { pay, signed } = await aMarket({ payment: CREDIT, say: () => challenge({}, 'reputation_too_low') });
    expect(await pay(asked)).toMatchObject({
      ...end,
      payments: [{ state: 'failed', reason: 'reputation_too_low', is_counted: false, nonce: null }],
    });
    expect(signed).toEqual([]);
  });

  it('is none when a proof is asked for: the call is unsigned', async () => {
    const { pay, seen } = await aMarket({ payment: CREDIT });
    expect(await pay({ asked_mode: 'x402' })).toMatchObject({ call: { state: 'done', mode: 'x402' } });
    expect(seen[0]?.headers).toEqual({});
  });

  it('over the caps waits for the operator when only credit is asked for', async () => {
    const { pay, run, journal, seen } = await aMarket({ payment: CREDIT, caps: PRICE - 1, say: () => owes(PRICE) });
    const { outcome, call, payments } = await pay({ asked_mode: 'postpay' });
    expect([outcome, call.state, seen]).toEqual(['waiting', 'waiting', []]);
    await journal.decided(call.call_id, true);
    const end = await run(call.call_id);
    expect(end).toMatchObject({ outcome: 'done', payments: [{ state: 'owed' }] });
    expect(end.payments[0]?.payment_id).toBe(payments[0]?.payment_id);
  });

  it.each<[string, Market, Partial<CallRow>]>([
    ['over the caps', { caps: PRICE - 1 }, {}],
    ['over what the call allows', {}, { max_lamports: PRICE - 1 }],
    ['to the wallet that pays', { payment: { ...CREDIT, wallet: 'wallet-of-the-caller' } }, {}],
  ])('%s may still be free, without a signature', async (_, more, asked) => {
    const { pay, seen } = await aMarket({ payment: CREDIT, say: () => DONE, ...more });
    expect(await pay(asked)).toMatchObject({
      ...{ call: { state: 'done', mode: 'free' }, payments: [{ mode: 'free', amount_lamports: 0 }] },
    });
    expect(seen.map(({ headers }) => headers)).toEqual([{}]);
  });

  it.each<[string, Market, Partial<CallRow>, string]>([
    ['over what the call allows', {}, { max_lamports: PRICE - 1 }, 'budget_exceeded'],
    ['to the wallet that pays', { payment: { ...CREDIT, wallet: 'wallet-of-the-caller' } }, {}, 'wrong_wallet'],
  ])('%s is none when nothing else is asked for', async (_, more, asked, code) => {
    const { pay, seen } = await aMarket({ payment: CREDIT, ...more });
    expect(await pay({ asked_mode: 'postpay', ...asked })).toMatchObject(failed(code));
    expect(seen).toEqual([]);
  });

  it('may cost what the call allows, at the price of the network that comes first', async () => {
    const pricing = [aPrice(9_000, { network: 'solana:mainnet' }), aPrice(PRICE, { network: NETWORK })];
    const { pay } = await aMarket({ payment: CREDIT, pricing, say: () => owes(PRICE) });
    expect(await pay({ max_lamports: PRICE })).toMatchObject({
      ...{ call: { mode: 'postpay', amount_lamports: PRICE }, payments: [{ state: 'owed', network: NETWORK }] },
    });
  });

  it('needs no funds', async () => {
    const requireFunds = async () => {
      throw new MeshError('insufficient_funds', 'Fill the wallet.');
    };
    const { pay } = await aMarket({ payment: CREDIT, chain: { requireFunds }, say: () => owes(PRICE) });
    expect(await pay()).toMatchObject({ call: { state: 'done', mode: 'postpay' } });
  });
});

describe('a call that an earlier process began', () => {
  const SIGNED = { signature: 'sig-0', wire: 'wire-0' };

  /** A call whose payment is reserved, and `signed` or not, as the earlier process left it. */
  async function leftOver(market: Market, isSigned: boolean, kind: 'call' | 'topup' = 'call') {
    const scene = await aMarket(market);
    const { journal, begin } = scene;
    const id = await begin({ asked_mode: kind === 'call' ? 'auto' : 'deposit' });
    const call = await journal.found(journal.find(id) as CallRow, null, ENDPOINT);
    const mode = kind === 'call' ? 'x402' : 'deposit';
    const terms = { address: PAYEE, amount: PRICE, network: NETWORK, is_real: true, nonce: 'nonce-of-before' };
    const reserved = await journal.reserve(call, { kind, mode, expires_at: NOON / 1000 + 600, ...terms });
    if (!('row' in reserved)) throw new Error('not reserved');
    const row = isSigned ? await journal.signed(reserved.row, SIGNED, kind === 'topup' ? 'kkkk' : null) : reserved.row;
    return { ...scene, id, row };
  }

  it.each([
    ['failed', 'failed'],
    ['done', 'done'],
  ] as const)('and ended is %s', async (state, outcome) => {
    const { pay, seen } = await aMarket();
    expect(await pay({ state })).toMatchObject({ outcome, call: { state } });
    expect(seen).toEqual([]);
  });

  it('and is unknown has failed', async () => {
    const { run } = await aMarket();
    expect((await run('call-9')).outcome).toBe('failed');
  });

  it('and had answered is only reported', async () => {
    const { pay, seen, reports } = await aMarket();
    const answered = { answered_ms: 1, result: 7, agent_id: 'painter' };
    expect(await pay(answered)).toMatchObject({
      ...{ outcome: 'done', call: { state: 'done', result: 7, reputation_filed: { ok: true, score: 1 } } },
    });
    expect([seen.length, reports.length]).toEqual([0, 1]);
  });

  it('and waited for the agent is interrupted, with the balances as the agent says', async () => {
    const keys = [
      aKey(5),
      aKey(0, { api_key: `${KEY}0` }),
      aKey(6, { api_key: `${KEY}6` }),
      aKey(7, { endpoint: 'http://carver.example', api_key: `${KEY}7` }),
    ];
    const { pay, seen, deposits } = await aMarket({ keys, say: () => ({ status: 200, json: { lamports: 2 } }) });
    const message =
      'The program ended while the agent was answering. Whether it carried the call out, and took a price, is not known.';
    expect(await pay({ is_committed: true, agent_url: ENDPOINT })).toMatchObject(failed('interrupted', message));
    expect(seen).toMatchObject([KEY, `${KEY}6`].map((key) => ({ path: '/v1/balance', headers: { 'x-api-key': key } })));
    expect(deposits.list().map(({ lamports }) => lamports)).toEqual([2, 0, 2, 7]);
    const early = await aMarket({ keys });
    expect(await early.pay({ is_committed: true })).toMatchObject(failed('interrupted', message));
    expect(early.seen).toEqual([]);
  });

  it('and had not signed for is paid anew, with another payment', async () => {
    const { run, id, row, sent } = await leftOver({}, false);
    const { outcome, payments } = await run(id);
    expect(outcome).toBe('done');
    expect(payments).toMatchObject([
      { payment_id: row.payment_id, state: 'expired', reason: 'cut off before it was signed', is_counted: false },
      { state: 'settled', nonce: NONCE, signature: 'sig-1' },
    ]);
    expect(sent).toEqual(['wire-1']);
  });

  it('and had signed for is paid by that transfer, whose proof is presented', async () => {
    const { run, id, seen, sent, signed } = await leftOver({}, true);
    expect(await run(id)).toMatchObject({
      call: { state: 'done', mode: 'x402', signature: 'sig-0', amount_lamports: PRICE },
      payments: [{ state: 'settled', signature: 'sig-0', nonce: 'nonce-of-before' }],
    });
    expect([sent, signed]).toEqual([['wire-0'], []]);
    expect(seen).toMatchObject([
      { path: '/v1/paint', headers: { 'x-payment-proof': 'sig-0', 'x-payment-nonce': 'nonce-of-before' } },
    ]);
  });

  it('and had paid for is not paid again: its proof is presented', async () => {
    const { run, id, row, journal, sent } = await leftOver({}, true);
    await journal.sent(row);
    expect(await run(id)).toMatchObject({ call: { state: 'done', signature: 'sig-0' } });
    expect(sent).toEqual([]);
  });

  it('and whose transfer can no longer be made is paid anew', async () => {
    const sent: string[] = [];
    const send = async ({ wire }: { wire: string }) => {
      sent.push(wire);
      if (wire === 'wire-0') throw new MeshError('bad_request', 'Gone.', { details: { reason: 'expired' } });
    };
    const { run, id } = await leftOver({ chain: { send } as Partial<Chain> }, true);
    const { call, payments } = await run(id);
    expect(call).toMatchObject({ state: 'done', signature: 'sig-1' });
    expect(payments).toMatchObject([
      { state: 'expired', reason: 'cut off before it was sent', signature: null, is_counted: false },
      { state: 'settled', signature: 'sig-1' },
    ]);
    expect(sent).toEqual(['wire-0', 'wire-1']);
  });

  it('and whose transfer may have been made is not paid anew', async () => {
    const send = async () => {
      throw new MeshError('network_unavailable', 'Away.');
    };
    const { run, id, signed } = await leftOver({ chain: { send } as Partial<Chain> }, true);
    const message = 'Whether sig-0 was carried out on solana:devnet is not known: Away.';
    expect(await run(id)).toMatchObject({
      ...failed('network_unavailable', message),
      payments: [{ state: 'failed', reason: 'network_unavailable', is_counted: true, signature: 'sig-0' }],
    });
    expect(signed).toEqual([]);
  });

  it('and had topped up for is paid from that balance', async () => {
    const say = ({ path }: Seen): Said =>
      path === '/v1/balance'
        ? { status: 200, json: { lamports: PRICE } }
        : { ...DONE, headers: { 'x-debited-lamports': PRICE, 'x-balance-remaining': 0 } };
    const payment = { modes: ['deposit'], wallet: PAYEE };
    const { run, id, sent, signed, deposits } = await leftOver({ keys: [aKey(0)], say, payment }, true, 'topup');
    const { call, payments } = await run(id);
    expect(call).toMatchObject({ state: 'done', mode: 'deposit', amount_lamports: PRICE });
    expect(payments).toMatchObject([
      { kind: 'topup', state: 'settled', signature: 'sig-0' },
      { kind: 'call', state: 'settled', mode: 'deposit' },
    ]);
    expect([sent, signed, deposits.list()[0]?.lamports]).toEqual([['wire-0'], [], 0]);
  });
});

describe('a call with an earlier payment', () => {
  const TOPUP = {
    kind: 'topup',
    mode: 'deposit',
    address: PAYEE,
    amount: PRICE,
    network: NETWORK,
    is_real: true,
  } as const;
  const owed = { ...DONE, headers: { 'x-owed-lamports': PRICE } };

  /** A call whose payment over the caps waits, and which the caps allow by now. */
  async function waiting(market: Market, kind: 'call' | 'topup') {
    const scene = await aMarket({ ...market, caps: 0 });
    const { journal, calls, spent, begin } = scene;
    const id = await begin();
    const call = await journal.found(journal.find(id) as CallRow, null, ENDPOINT);
    const draft = kind === 'topup' ? TOPUP : ({ ...TOPUP, kind, mode: 'x402' } as const);
    expect(await journal.reserve(call, draft)).toHaveProperty('over');
    await database.write(() => {
      calls.put(id, { state: 'running' });
      spent.putCaps({ per_call_lamports: 1_000_000, per_day_lamports: 1_000_000 });
    });
    return { ...scene, id };
  }

  it.each<[string, Market, string]>([
    ['a proof', {}, 'x402'],
    ['credit', { payment: CREDIT, say: () => owed }, 'postpay'],
  ])('is paid with %s by another one than a top-up that waits, which expires', async (_, market, mode) => {
    const { id, run } = await waiting(market, 'topup');
    const { outcome, payments } = await run(id);
    expect([outcome, payments.map((row) => [row.kind, row.mode, row.state])]).toEqual([
      'done',
      [
        ['topup', 'deposit', 'expired'],
        ['call', mode, mode === 'x402' ? 'settled' : 'owed'],
      ],
    ]);
  });

  it('tops a balance up by another one than its own that waits', async () => {
    const looks = [1, 1];
    const { id, run } = await waiting(
      {
        payment: { modes: ['deposit'], wallet: PAYEE },
        keys: [aKey()],
        say(request) {
          if (request.path === '/v1/balance') return { status: 200, json: { lamports: looks.shift() ?? PRICE + 1 } };
          const headers = { 'x-debited-lamports': PRICE, 'x-balance-remaining': 1 };
          return looks.length === 2 ? challenge({}, 'balance_too_small') : { ...DONE, headers };
        },
      },
      'call',
    );
    const { outcome, payments } = await run(id);
    expect([outcome, payments.map((row) => [row.kind, row.mode, row.state])]).toEqual([
      'done',
      [
        ['call', 'x402', 'expired'],
        ['topup', 'deposit', 'settled'],
        ['call', 'deposit', 'settled'],
      ],
    ]);
  });

  it('that was cut off is on credit by another one', async () => {
    const { begin, journal, run } = await aMarket({ payment: CREDIT, say: () => owed });
    const id = await begin();
    const call = await journal.found(journal.find(id) as CallRow, null, ENDPOINT);
    await journal.reserve(call, { ...TOPUP, kind: 'call', mode: 'x402' });
    expect(await run(id)).toMatchObject({ outcome: 'done', payments: [{ state: 'expired' }, { state: 'owed' }] });
  });
});

describe('a top-up of a key that is lost', () => {
  it('is over once it is final, and the call is paid from another one', async () => {
    const about = { chainPayUrl: null, network: NETWORK, address: PAYEE, min_lamports: 1 };
    const { journal, begin, run, sent } = await aMarket({
      payment: { modes: ['deposit'], wallet: PAYEE },
      say({ path }) {
        if (path === '/v1/topup') return { status: 200, json: { ...about, api_key: KEY, memo: KEY } };
        if (path === '/v1/balance') return { status: 200, json: { lamports: PRICE } };
        return { ...DONE, headers: { 'x-debited-lamports': PRICE, 'x-balance-remaining': 0 } };
      },
    });
    const id = await begin({ asked_mode: 'deposit' });
    const call = await journal.found(journal.find(id) as CallRow, null, ENDPOINT);
    const terms = { address: PAYEE, amount: PRICE, network: NETWORK, is_real: true };
    const reserved = await journal.reserve(call, { kind: 'topup', mode: 'deposit', ...terms });
    if (!('row' in reserved)) throw new Error('not reserved');
    await journal.signed(reserved.row, { signature: 'sig-0', wire: 'wire-0' }, 'lost');
    expect(await run(id)).toMatchObject({
      outcome: 'done',
      payments: [
        { kind: 'topup', state: 'settled', signature: 'sig-0', api_key_last4: 'lost' },
        { kind: 'topup', state: 'settled', signature: 'sig-1', api_key_last4: 'kkkk' },
        { kind: 'call', state: 'settled', mode: 'deposit' },
      ],
    });
    expect(sent).toEqual(['wire-0', 'wire-1']);
  });
});

describe('a call that cannot be carried on', () => {
  it.each<[string, unknown, string, string]>([
    ['a network', new MeshError('network_unavailable', 'Away.'), 'network_unavailable', 'Away.'],
    ['funds', new MeshError('insufficient_funds', 'Fill it.'), 'insufficient_funds', 'Nothing was paid: Fill it.'],
    ['a permission', new MeshError('forbidden', 'Git tracks it.'), 'interrupted', 'Git tracks it.'],
    ['a store', new MeshError('store_readonly', 'Damaged.'), 'interrupted', 'Damaged.'],
    ['room', new MeshError('no_space', 'Full.'), 'interrupted', 'Full.'],
    ['what is not known', new TypeError('a fault'), 'interrupted', 'The call could not be carried on: a fault'],
    [
      ...(['what is bad', new MeshError('bad_request', 'Unknown.'), 'interrupted'] as const),
      'The call could not be carried on: Unknown.',
    ],
  ])('for want of %s says so', async (_, error, code, message) => {
    const requireFunds = async () => {
      throw error;
    };
    const { pay } = await aMarket({ chain: { requireFunds } });
    expect(await pay()).toMatchObject({ ...failed(code, message), payments: [] });
  });

  it('because the daemon stops goes on at the next start, and is reported to nobody', async () => {
    const { pay, stopping, reports } = await aMarket({
      isRegistered: true,
      say() {
        stopping.abort();
        throw new Error('aborted');
      },
    });
    const { outcome, call } = await pay();
    expect(outcome).toMatchObject({ name: 'StoppedError', message: 'Stopped.' });
    expect([call.state, reports]).toEqual(['running', []]);
  });

  it('and fails for another reason while the daemon stops goes on as well', async () => {
    const { pay, stopping } = await aMarket({
      chain: {
        async requireFunds() {
          stopping.abort();
          throw new TypeError('a fault');
        },
      },
    });
    expect(await pay()).toMatchObject({ outcome: { name: 'StoppedError' }, call: { state: 'running' } });
  });
});

describe('the report of a call', () => {
  const PAID = { success: true, latency_ms: 0, paid: true, capability: 'paint' };

  it.each<[string, Market, Partial<CallRow>, object]>([
    ['paid with a proof', {}, {}, { ...PAID, payment: { network: NETWORK, signature: 'sig-1' } }],
    [
      'paid from a balance',
      { keys: [aKey()], say: () => ({ ...DONE, headers: { 'x-debited-lamports': 5 } }) },
      {},
      PAID,
    ],
    ['free of charge', { say: () => DONE }, {}, { success: true, latency_ms: 0, capability: 'paint' }],
    [
      'failed',
      { say: () => ({ status: 500, json: { error: 'internal' } }) },
      {},
      { success: false, capability: 'paint' },
    ],
    [
      'failed and charged to a balance',
      { keys: [aKey()], say: () => ({ status: 500, json: {}, headers: { 'x-debited-lamports': 5 } }) },
      {},
      { success: false, paid: true, disputed: true, capability: 'paint' },
    ],
    ['without an answer', { say: () => ({ status: 200 }) }, {}, { success: false, capability: 'paint' }],
    [
      'paid and not delivered',
      { say: (seen) => (isPaid(seen) ? { status: 410, json: { error: 'gone' } } : challenge()) },
      {},
      {
        success: false,
        paid: true,
        disputed: true,
        capability: 'paint',
        payment: { network: NETWORK, signature: 'sig-1' },
      },
    ],
  ])('%s has its outcome, signed, once', async (_, more, asked, report) => {
    const { pay, reports } = await aMarket({ isRegistered: true, ...more });
    const { call } = await pay(asked);
    expect(reports).toEqual([
      {
        ...{ method: 'POST', path: '/v1/agents/painter/feedback', body: report },
        headers: { 'mesh-sig': 'signed POST', 'idempotency-key': call.call_id },
      },
    ]);
    expect(call.reputation_filed).toEqual({ ok: true, score: 1 });
  });

  it.each<[string, Market, Partial<CallRow>]>([
    ['of an agent that is not registered', { isRegistered: false }, {}],
    ['that nobody wants', {}, { wants_report: false }],
    ['without a bureau', { bureau: undefined }, {}],
    ['of a failure on this side', {}, { max_lamports: 1 }],
    ['of a call that the agent refused', { say: () => ({ status: 403, json: { error: 'no' } }) }, {}],
  ])('%s is not filed', async (_, more, asked) => {
    const { pay, reports } = await aMarket({ isRegistered: true, ...more });
    expect((await pay(asked)).call.reputation_filed).toBeNull();
    expect(reports).toEqual([]);
  });
});

it('whether a registered agent answered is told when its call has ended', async () => {
  const outcomes: unknown[] = [];
  const outcome = (...one: unknown[]) => void outcomes.push(one);
  await (await aMarket({ isRegistered: true, outcome })).pay();
  await (await aMarket({ isRegistered: true, outcome, say: () => ({ status: 200 }) })).pay();
  expect(outcomes).toEqual([
    ['painter', true],
    ['painter', false],
  ]);
});
