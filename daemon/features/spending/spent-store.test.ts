import { describe, expect, it } from 'vitest';
import { databaseOfFile } from '../../testing/database-of-file.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { CallsStore } from './calls-store.js';
import { toLedgerEntry } from './spending-views.js';
import { SpentLedger } from './spent-ledger.js';
import { type SpentRow, SpentStore } from './spent-store.js';

const DAY_MS = 86_400_000;
const PAINTER = 'http://painter.example';

/** A call that was paid with a transfer. */
const aPayment = (payment_id: string, changes: Partial<SpentRow> = {}): SpentRow => ({
  ...{ payment_id, call_id: 'call-1', kind: 'call', state: 'settled', mode: 'x402', agent: 'painter', skill: 'paint' },
  ...{ agent_url: PAINTER, address: 'payee', amount_lamports: 100, network: 'solana:devnet', is_real: false },
  ...{
    nonce: `nonce-${payment_id}`,
    expires_at: 9,
    settle_memo: null,
    settled_by: null,
    signature: `sig-${payment_id}`,
  },
  ...{ wire: null, signed_ms: 2, api_key_last4: null, reason: null, latency_ms: 5, is_counted: true, counted_ms: 1 },
  ...{ created_ms: 1, updated_ms: 3 },
  ...changes,
});

const database = databaseOfFile();

async function aStore(...rows: readonly SpentRow[]) {
  await database.write(() => {
    for (const table of ['calls', 'spent_payments', 'spending_caps']) database.sql(`DELETE FROM ${table}`).run();
  });
  const spent = new SpentStore(database);
  await database.write(() => {
    for (const row of rows) spent.insert(row);
  });
  return { spent };
}

const ids = (rows: readonly SpentRow[]) => rows.map(({ payment_id }) => payment_id);

describe('a stored payment', () => {
  it('is found as it was given', async () => {
    const [plain, whole] = [
      aPayment('a', { nonce: null, signature: null, is_counted: false }),
      aPayment('b', { is_real: true, settle_memo: 'memo', settled_by: 'a', wire: 'wire', reason: 'why' }),
    ];
    const { spent } = await aStore(plain, whole);
    expect([spent.find('a'), spent.find('b'), spent.find('c')]).toEqual([plain, whole, undefined]);
  });

  it('is changed in what is named, and no other one is', async () => {
    const { spent } = await aStore(aPayment('a'), aPayment('b'));
    const changes = { state: 'failed', is_real: true, is_counted: false, nonce: null, amount_lamports: 7 } as const;
    await database.write(() => spent.put('a', changes));
    expect(spent.find('a')).toEqual(aPayment('a', changes));
    expect(spent.find('b')).toEqual(aPayment('b'));
  });

  it('is listed with its call, oldest first', async () => {
    const { spent } = await aStore(
      aPayment('b', { kind: 'topup' }),
      aPayment('c', { call_id: 'call-2' }),
      aPayment('a'),
    );
    expect(ids(spent.listOfCall('call-1'))).toEqual(['b', 'a']);
    expect(spent.listOfCall('call-3')).toEqual([]);
    expect(spent.listOfCall('call-2')).toEqual([aPayment('c', { call_id: 'call-2' })]);
  });
});

it('payments are open until they are settled, given back or failed', async () => {
  const states = ['waiting', 'challenged', 'paid', 'owed', 'settled', 'refunded', 'failed', 'expired'] as const;
  const { spent } = await aStore(...states.map((state) => aPayment(state, { state })));
  expect(ids(spent.listOpen())).toEqual(['waiting', 'challenged', 'paid', 'owed']);
});

describe('a nonce', () => {
  it.each<[string, string | null, string | undefined, string | undefined, boolean]>([
    ['by another payment', 'payee', 'nonce-a', 'b', true],
    ['by any payment', 'payee', 'nonce-a', undefined, true],
    ['by this payment', 'payee', 'nonce-a', 'a', false],
    ['of another address', 'other', 'nonce-a', 'b', false],
    ['and another one', 'payee', 'nonce-b', 'b', false],
    ['without an address', null, 'nonce-a', 'b', false],
    ['that is none', 'payee', undefined, 'b', false],
  ])('that was used %s', async (_, address, nonce, exceptId, isUsed) => {
    const { spent } = await aStore(aPayment('a'), aPayment('n', { nonce: null }));
    expect(spent.isNonceUsed(address, nonce, exceptId)).toBe(isUsed);
  });
});

describe('a transaction that is reported', () => {
  it.each<[string, Partial<SpentRow>, boolean]>([
    ['has paid once it is final', { state: 'paid' }, true],
    ['has paid a call that is settled', { state: 'settled' }, true],
    ...(['challenged', 'waiting', 'failed', 'refunded', 'expired', 'owed'] as const).map(
      (state): [string, Partial<SpentRow>, boolean] => [`has not paid a call that is ${state}`, { state }, false],
    ),
    ['has not paid on another network', { network: 'solana:mainnet' }, false],
    ['has not paid with another signature', { signature: 'sig-b' }, false],
    ['has not paid for another call', { call_id: 'call-2' }, false],
  ])('%s', async (_, changes, hasPaid) => {
    const { spent } = await aStore(aPayment('a', changes));
    const calls = new CallsStore(database);
    const more = { skill: 'paint', input: {}, asked_mode: 'auto', max_lamports: null, topup_lamports: null } as const;
    await database.write(() => {
      for (const call_id of ['call-1', 'call-2'])
        calls.insert({ call_id, agent: PAINTER, ...more, wants_report: true, created_ms: 1 });
      calls.put('call-1', { agent_id: 'Painter' });
      calls.put('call-2', { agent_id: 'carver' });
    });
    expect(spent.hasPaid('paintER', 'solana:devnet', 'sig-a')).toBe(hasPaid);
  });
});

describe('what counts', () => {
  it('against a day is what was reserved since it began, without the payment that is looked at', async () => {
    const { spent } = await aStore(
      aPayment('a', { counted_ms: DAY_MS, amount_lamports: 1 }),
      aPayment('b', { counted_ms: DAY_MS + 1, amount_lamports: 2 }),
      aPayment('c', { counted_ms: DAY_MS - 1, amount_lamports: 4 }),
      aPayment('d', { counted_ms: DAY_MS, amount_lamports: 8, is_counted: false }),
    );
    expect(spent.counted(DAY_MS, undefined)).toBe(3);
    expect(spent.counted(DAY_MS, 'a')).toBe(2);
    expect(spent.counted(0, undefined)).toBe(7);
    expect(spent.counted(2 * DAY_MS, undefined)).toBe(0);
  });

  it('as spent is what left the wallets, or may have', async () => {
    const states = ['challenged', 'waiting', 'paid', 'settled', 'failed', 'refunded', 'refused', 'expired'] as const;
    const rows = states.map((state, at) => aPayment(state, { state, amount_lamports: 2 ** at }));
    const { spent } = await aStore(...rows, aPayment('unsigned', { signature: null, amount_lamports: 1_000 }));
    expect(spent.left()).toBe(4 + 8 + 16 + 32);
    expect((await aStore()).spent.left()).toBe(0);
  });

  it('on each network is what was paid, given back and owed', async () => {
    const { spent } = await aStore(
      aPayment('a', { network: 'solana:mainnet', is_real: true, amount_lamports: 7 }),
      aPayment('b', { amount_lamports: 1 }),
      aPayment('c', { state: 'refunded', amount_lamports: 2 }),
      aPayment('d', { state: 'owed', signature: null, amount_lamports: 4 }),
      aPayment('e', { state: 'settled', signature: null, amount_lamports: 8 }),
      aPayment('f', { state: 'challenged', amount_lamports: 16 }),
      aPayment('g', { network: '', amount_lamports: 32 }),
    );
    expect(spent.sums()).toEqual([
      { network: 'solana:devnet', is_real: false, paid: 3, refunded: 2, owed: 4 },
      { network: 'solana:mainnet', is_real: true, paid: 7, refunded: 0, owed: 0 },
    ]);
  });
});

describe('what is open', () => {
  it('as a debt is listed from the oldest, and counted for its agent with the calls that are under way', async () => {
    const { spent } = await aStore(
      aPayment('b', { state: 'owed', mode: 'postpay', amount_lamports: 1 }),
      aPayment('a', { state: 'owed', mode: 'postpay', amount_lamports: 2 }),
      aPayment('c', { state: 'challenged', mode: 'postpay', amount_lamports: 4 }),
      aPayment('d', { state: 'challenged', mode: 'x402', amount_lamports: 8 }),
      aPayment('e', { state: 'settled', mode: 'postpay', amount_lamports: 16 }),
      aPayment('f', { state: 'owed', agent_url: 'http://carver.example', amount_lamports: 32 }),
    );
    expect(ids(spent.listOwed())).toEqual(['b', 'a', 'f']);
    expect(spent.owedTo(PAINTER)).toBe(7);
    expect(spent.owedTo('http://carver.example')).toBe(32);
    expect(spent.owedTo('http://nobody.example')).toBe(0);
  });

  it('as a settlement is a transfer that has not ended', async () => {
    const transfer = { kind: 'transfer', call_id: null } as const;
    const { spent } = await aStore(
      aPayment('b', { ...transfer, state: 'paid' }),
      aPayment('a', { ...transfer, state: 'challenged' }),
      aPayment('c', { ...transfer, state: 'settled' }),
      aPayment('d', { ...transfer, state: 'failed' }),
      aPayment('e', { state: 'challenged' }),
      aPayment('f', { kind: 'topup', state: 'paid' }),
    );
    expect(ids(spent.listSettling())).toEqual(['b', 'a']);
  });

  it('as a top-up is one that was paid to that agent and that no balance has shown', async () => {
    const { spent } = await aStore(
      aPayment('b', { kind: 'topup', state: 'paid' }),
      aPayment('a', { kind: 'topup', state: 'paid' }),
      aPayment('c', { kind: 'topup', state: 'settled' }),
      aPayment('d', { kind: 'call', state: 'paid' }),
      aPayment('e', { kind: 'topup', state: 'paid', agent_url: 'http://carver.example' }),
    );
    expect(ids(spent.listPaidTopups(PAINTER))).toEqual(['b', 'a']);
  });
});

describe('the list of payments', () => {
  const ROWS = [
    aPayment('a', { created_ms: 5_000 }),
    aPayment('c', { created_ms: 6_000, state: 'owed', mode: 'postpay', agent: 'Carver', skill: 'carve' }),
    aPayment('b', { created_ms: 6_000, address: 'elsewhere' }),
    aPayment('d', { created_ms: 7_000, reason: 'over 50% of it', signature: 'other', nonce: 'nothing' }),
  ];

  it.each<[string, object, string[]]>([
    ['newest first, and by id in a millisecond', {}, ['d', 'c', 'b', 'a']],
    ['as many as are asked for', { limit: 2 }, ['d', 'c']],
    ['of a state', { state: 'owed' }, ['c']],
    ['of a mode', { mode: 'x402' }, ['d', 'b', 'a']],
    ['of an agent, in any case', { agent: 'cARVER' }, ['c']],
    ['since a second', { since: 6 }, ['d', 'c', 'b']],
    ['after a place in time', { before: { createdMs: 7_000, id: 'd' } }, ['c', 'b', 'a']],
    ['after a place in a millisecond', { before: { createdMs: 6_000, id: 'c' } }, ['b', 'a']],
    ['after the last of a millisecond', { before: { createdMs: 6_000, id: 'a' } }, ['a']],
    ['with a text in the reason', { q: '50%' }, ['d']],
    ['with two conditions', { mode: 'x402', since: 6 }, ['d', 'b']],
  ])('is %s', async (_, pick, listed) => {
    const { spent } = await aStore(...ROWS);
    expect(ids(spent.list({ limit: 10, ...pick }))).toEqual(listed);
  });

  it.each(['agent', 'skill', 'address', 'signature', 'nonce', 'payment_id', 'reason'] as const)(
    'finds a text in %s',
    async (column) => {
      const { spent } = await aStore(aPayment('a', { [column]: 'a rare word' }), aPayment('z'));
      expect(spent.list({ limit: 10, q: 'rare' }).map((row) => row[column])).toEqual(['a rare word']);
    },
  );
});

it('the caps are nothing until they are set, and the last ones afterwards', async () => {
  const { spent } = await aStore();
  expect(spent.caps()).toEqual({ per_call_lamports: 0, per_day_lamports: 0 });
  for (const per_call_lamports of [5, 7])
    await database.write(() => spent.putCaps({ per_call_lamports, per_day_lamports: 10 * per_call_lamports }));
  expect(spent.caps()).toEqual({ per_call_lamports: 7, per_day_lamports: 70 });
});

describe('the spent side of the ledger', () => {
  async function aLedger(...rows: readonly SpentRow[]) {
    const stores = await aStore(...rows);
    const told: string[] = [];
    const key = { endpoint: PAINTER, address: 'payee', updated_ms: 1 };
    const keys = [
      { ...key, agent: 'painter', network: 'solana:devnet', api_key: 'tk_first-1234', lamports: 5 },
      { ...key, agent: 'carver', network: 'solana:devnet', api_key: 'tk_second-5678', lamports: 6 },
      { ...key, agent: 'baker', network: 'solana:mainnet', api_key: 'tk_third-9abc', lamports: 7 },
    ];
    const clock = new FakeClock();
    const ledger = new SpentLedger({
      ...stores,
      database,
      clock,
      deposits: { list: () => keys },
      changed: () => void told.push('changed'),
    });
    return { ...stores, clock, ledger, told };
  }

  it('lists entries with the time by which they are sorted', async () => {
    const rows = [aPayment('a', { created_ms: 1_500 }), aPayment('b', { created_ms: 2_500 })] as const;
    const { ledger } = await aLedger(...rows);
    expect(ledger.side).toBe('spent');
    expect(ledger.list({ limit: 10 })).toEqual([
      { createdMs: 2_500, entry: toLedgerEntry(rows[1]) },
      { createdMs: 1_500, entry: toLedgerEntry(rows[0]) },
    ]);
  });

  it('adds up what was spent in all, and what counts since midnight', async () => {
    const midnight = Date.UTC(2026, 10, 21);
    const { ledger } = await aLedger(
      aPayment('a', { counted_ms: midnight, amount_lamports: 1 }),
      aPayment('b', { counted_ms: midnight - 1, amount_lamports: 2 }),
    );
    expect(ledger.totals()).toEqual({ spent_lamports: 3, spent_today_lamports: 1 });
  });

  it('adds the balances of each network to what was paid there', async () => {
    const { ledger } = await aLedger(
      aPayment('a', { amount_lamports: 100 }),
      aPayment('b', { network: 'solana:local', amount_lamports: 30 }),
    );
    const none = { side: 'spent', real: false, refunded_lamports: 0, owed_lamports: 0 };
    expect(ledger.sums()).toEqual([
      { ...none, network: 'solana:devnet', paid_lamports: 100, balance_lamports: 11, net_lamports: 89 },
      { ...none, network: 'solana:local', paid_lamports: 30, balance_lamports: 0, net_lamports: 30 },
    ]);
  });

  it('shows of each balance the last four characters of its key', async () => {
    const { ledger } = await aLedger();
    expect(ledger.deposits()).toEqual([
      { agent: 'painter', network: 'solana:devnet', lamports: 5, api_key_last4: '1234' },
      { agent: 'carver', network: 'solana:devnet', lamports: 6, api_key_last4: '5678' },
      { agent: 'baker', network: 'solana:mainnet', lamports: 7, api_key_last4: '9abc' },
    ]);
  });

  it('changes one cap and keeps the other, which is told', async () => {
    const { ledger, told } = await aLedger();
    expect(await ledger.setCaps({ per_day_lamports: 50 })).toEqual({ per_call_lamports: 0, per_day_lamports: 50 });
    expect(await ledger.setCaps({ per_call_lamports: 5 })).toEqual({ per_call_lamports: 5, per_day_lamports: 50 });
    expect(ledger.caps()).toEqual({ per_call_lamports: 5, per_day_lamports: 50 });
    expect(told).toEqual(['changed', 'changed']);
  });
});
