import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { MeshError } from '../../lib/errors.js';
import { Database } from '../../storage/database/database.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import type { Chain, SignedTransfer } from '../chains/chain.js';
import { CallsStore } from './calls-store.js';
import { Debts } from './debts.js';
import { Journal } from './journal.js';
import { type SpentRow, SpentStore } from './spent-store.js';
import { Transfers } from './transfers.js';

const PRICE = 1_000;
const refused = () => new MeshError('bad_request', 'The wallet is empty.', { details: { reason: 'refused' } });
const away = () => new MeshError('network_unavailable', 'The network cannot be reached.');

/** A call on credit that was answered. */
const aDebt = (payment_id: string, changes: Partial<SpentRow> = {}): SpentRow => ({
  ...{ payment_id, call_id: null, kind: 'call', state: 'owed', mode: 'postpay', agent: 'Painter', skill: 'paint' },
  ...{ agent_url: 'http://painter.example', address: 'payee', amount_lamports: PRICE, network: 'solana:devnet' },
  ...{ is_real: false, nonce: null, expires_at: null, settle_memo: 'memo-1', settled_by: null, signature: null },
  ...{ wire: null, signed_ms: null, api_key_last4: null, reason: null, latency_ms: 5, is_counted: true },
  ...{ counted_ms: 1, created_ms: 1, updated_ms: 1 },
  ...changes,
});

/** A wallet with debts, on a network that does with a transfer what `onSend` does. */
async function owing(debts: readonly SpentRow[]) {
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const [clock, spent] = [new FakeClock(), new SpentStore(database)];
  const told: string[] = [];
  const watcher = {
    call: () => undefined,
    balance: () => undefined,
    payment: ({ state }: { state: string }) => void told.push(state),
  };
  const journal = new Journal({ database, calls: new CallsStore(database), spent, clock, watcher });
  const signed: [address: string, lamports: bigint, memo: string][] = [];
  const sent: string[] = [];
  const network = { onSign: () => {}, onSend: () => {}, signed, sent };
  const chain = {
    network: 'solana:devnet',
    sign: async (_wallet: unknown, ...transfer: [string, bigint, string]) => {
      network.onSign();
      const count = network.signed.push(transfer);
      return { signature: `sig-${count}`, wire: `wire-${count}` };
    },
    async send({ wire }: SignedTransfer) {
      network.sent.push(wire);
      network.onSend();
    },
    find: async () => undefined,
  } as unknown as Chain;
  const chains = { get: async () => chain };
  const transfers = new Transfers({ chains, wallet: async () => ({}), journal, clock } as never);
  const make = () => new Debts({ database, spent, transfers, clock, watcher });
  await database.write(() => {
    for (const debt of debts) spent.insert(debt);
  });
  const stop = new AbortController();
  const list = () =>
    database.sql('SELECT kind, state, settled_by FROM spent_payments ORDER BY seq').raw().all() as string[][];
  return { debts: make(), again: make, network, stop, spent, list, told, clock };
}

it('with the same memo are paid by one transfer, which names what it settles; others by their own', async () => {
  const other = aDebt('c', { settle_memo: 'memo-2', amount_lamports: 5 });
  const { debts, network, stop, list, told } = await owing([aDebt('a'), aDebt('b'), other]);
  const { paid, failed } = await debts.settle(undefined, stop.signal);
  expect(network.signed).toEqual([
    ['payee', BigInt(2 * PRICE), 'memo-1'],
    ['payee', 5n, 'memo-2'],
  ]);
  expect(paid).toMatchObject([
    { state: 'settled', amount_lamports: 2 * PRICE, reason: 'settles 2 calls', is_counted: false, skill: null },
    { state: 'settled', amount_lamports: 5, reason: 'settles 1 call' },
  ]);
  expect(failed).toEqual([]);
  const [first, second] = paid.map(({ payment_id }) => payment_id) as [string, string];
  expect(list()).toEqual([
    ...[first, first, second].map((by) => ['call', 'settled', by]),
    ...['settled', 'settled'].map((state) => ['transfer', state, null]),
  ]);
  expect(told).toEqual(expect.arrayContaining(Array(5).fill('settled')));
  expect(await debts.settle(undefined, stop.signal)).toEqual({ paid: [], failed: [] });
});

it('are owed as before when the transfer was refused, and paid once by the next settlement', async () => {
  const { debts, network, stop, list } = await owing([aDebt('a'), aDebt('b')]);
  network.onSend = () => {
    throw refused();
  };
  const { paid, failed } = await debts.settle(undefined, stop.signal);
  expect([paid, failed]).toMatchObject([[], [{ message: 'The wallet is empty.' }]]);
  expect(list()).toEqual([
    ['call', 'owed', null],
    ['call', 'owed', null],
    ['transfer', 'failed', null],
  ]);
  network.onSend = () => {};
  expect((await debts.settle(undefined, stop.signal)).paid).toMatchObject([{ amount_lamports: 2 * PRICE }]);
  expect(network.sent).toEqual(['wire-1', 'wire-2']);
  expect(list().filter(([, state]) => state === 'owed')).toEqual([]);
});

it('whose transfer may have gone out are paid by that one alone, also by a later process', async () => {
  const { debts, again, network, stop, list } = await owing([aDebt('a')]);
  network.onSend = () => {
    stop.abort();
    throw away();
  };
  expect((await debts.settle(undefined, stop.signal)).failed).toMatchObject([{ message: 'Stopped.' }]);
  const [[, , by] = []] = list();
  expect(list()).toEqual([
    ['call', 'owed', by],
    ['transfer', 'challenged', null],
  ]);
  network.onSend = () => {};
  await again().resume(new AbortController().signal);
  expect(network.sent).toEqual(['wire-1', 'wire-1']);
  expect(network.signed).toHaveLength(1);
  expect(list().map(([, state]) => state)).toEqual(['settled', 'settled']);
});

it('are settled for one agent alone, by its id in any case or by its address', async () => {
  const carver = { agent: 'carver', agent_url: 'http://carver.example', settle_memo: 'memo-2' };
  const { debts, stop, spent } = await owing([aDebt('a'), aDebt('b', carver), aDebt('c', { settle_memo: 'memo-3' })]);
  expect((await debts.settle('CARVER', stop.signal)).paid).toMatchObject([{ agent: 'carver' }]);
  expect(spent.listOwed().map(({ payment_id }) => payment_id)).toEqual(['a', 'c']);
  expect((await debts.settle('http://painter.example/', stop.signal)).paid).toEqual([]);
  expect((await debts.settle('http://painter.example', stop.signal)).paid).toHaveLength(2);
});

it.each([{ settle_memo: null }, { address: null }])(
  'without a way to pay them are named, not paid: %j',
  async (gap) => {
    const { debts, network, stop, spent } = await owing([aDebt('a', gap), aDebt('b')]);
    const { paid, failed } = await debts.settle(undefined, stop.signal);
    expect(failed).toEqual([{ id: 'a', message: 'The agent did not say where or with which memo this debt is paid.' }]);
    expect(paid).toMatchObject([{ amount_lamports: PRICE }]);
    expect(network.signed).toHaveLength(1);
    expect(spent.listOwed()).toMatchObject([{ payment_id: 'a', settled_by: null }]);
  },
);

it('are paid by an entry of its own, which counts against no cap and names no skill', async () => {
  const { debts, stop, spent, clock, told } = await owing([aDebt('a'), aDebt('b', { amount_lamports: 7 })]);
  clock.step(60_000);
  const { paid } = await debts.settle(undefined, stop.signal);
  const now = clock.now();
  const [row] = paid;
  expect(row).toEqual({
    ...aDebt(''),
    ...{ payment_id: expect.stringMatching(/^pay-/), kind: 'transfer', state: 'settled', skill: null },
    ...{ amount_lamports: PRICE + 7, reason: 'settles 2 calls', latency_ms: null, is_counted: false },
    ...{ counted_ms: null, created_ms: now, updated_ms: now, signature: 'sig-1', signed_ms: now },
  });
  expect(spent.find(row?.payment_id ?? '')).toEqual(row);
  expect(spent.find('a')).toEqual({ ...aDebt('a'), state: 'settled', settled_by: row?.payment_id, updated_ms: now });
  expect(told).toEqual(['challenged', 'challenged', 'paid', 'settled', 'settled', 'settled']);
});

it('of other networks and addresses are paid on their own, although the memo is the same', async () => {
  const [elsewhere, other] = [aDebt('b', { network: 'solana:mainnet' }), aDebt('c', { address: 'another payee' })];
  const { debts, network, stop } = await owing([aDebt('a'), elsewhere, other]);
  expect((await debts.settle(undefined, stop.signal)).paid).toMatchObject([
    { network: 'solana:devnet', address: 'payee' },
    { network: 'solana:mainnet', address: 'payee' },
    { network: 'solana:devnet', address: 'another payee' },
  ]);
  expect(network.signed.map(([address, lamports]) => [address, lamports])).toEqual([
    ['payee', BigInt(PRICE)],
    ['payee', BigInt(PRICE)],
    ['another payee', BigInt(PRICE)],
  ]);
});

it('are paid once when they are settled twice at the same time', async () => {
  const { debts, network, stop } = await owing([aDebt('a')]);
  const settled = await Promise.all([debts.settle(undefined, stop.signal), debts.settle('painter', stop.signal)]);
  expect(settled.map(({ paid }) => paid.length)).toEqual([1, 0]);
  expect(network.signed).toHaveLength(1);
});

it.each([
  ['solana:local-0123abcd', { is_away: true }],
  ['solana:devnet', {}],
])(
  'on %s, which cannot be reached, stay owed, and those of a project that does not run are told apart',
  async (name, more) => {
    const { debts, network, stop } = await owing([aDebt('a', { network: name })]);
    network.onSign = () => {
      throw away();
    };
    const { paid, failed } = await debts.settle(undefined, stop.signal);
    const because = { id: expect.stringMatching(/^pay-/), message: 'The network cannot be reached.' };
    expect([paid, failed]).toEqual([[], [{ ...because, ...more }]]);
    network.onSign = () => {};
    expect((await debts.settle(undefined, stop.signal)).paid).toMatchObject([{ payment_id: failed[0]?.id }]);
  },
);

it('keep why a transfer was not made, in at most 200 characters, and nothing of the transfer', async () => {
  const { debts, network, stop, spent, told } = await owing([aDebt('a')]);
  network.onSend = () => {
    throw new MeshError('bad_request', 'x'.repeat(201), { details: { reason: 'refused' } });
  };
  const { failed } = await debts.settle(undefined, stop.signal);
  expect(failed).toEqual([{ id: expect.stringMatching(/^pay-/), message: 'x'.repeat(201) }]);
  expect(spent.find(failed[0]?.id ?? '')).toMatchObject({
    ...{ state: 'failed', reason: 'x'.repeat(200), signature: null, wire: null },
  });
  expect(spent.find('a')).toEqual({ ...aDebt('a'), state: 'owed', settled_by: null });
  expect(told).toEqual(['challenged', 'challenged', 'owed', 'failed']);
});

it('whose transfer is under way are settled with it, if their agent is meant', async () => {
  const { debts, network, stop, list } = await owing([aDebt('a')]);
  network.onSend = () => {
    stop.abort();
    throw away();
  };
  await debts.settle(undefined, stop.signal);
  network.onSend = () => {};
  const { signal } = new AbortController();
  expect(await debts.settle('carver', signal)).toEqual({ paid: [], failed: [] });
  expect(list().map(([, state]) => state)).toEqual(['owed', 'challenged']);
  expect((await debts.settle('Painter', signal)).paid).toMatchObject([{ signature: 'sig-1', state: 'settled' }]);
  expect(network.sent).toEqual(['wire-1', 'wire-1']);
  expect(list().map(([, state]) => state)).toEqual(['settled', 'settled']);
});

it('of a previous process are paid one after another, also when one of them cannot be', async () => {
  const rows = [aDebt('a', { settled_by: 't1' }), aDebt('b', { settled_by: 't2', settle_memo: 'memo-2' })];
  const transfer = { kind: 'transfer', state: 'challenged', is_counted: false } as const;
  const [first, second] = [aDebt('t1', transfer), aDebt('t2', { ...transfer, settle_memo: 'memo-2' })];
  const { debts, network, stop, spent } = await owing([...rows, first, second]);
  network.onSend = () => {
    if (network.sent.length === 1) throw refused();
  };
  await debts.resume(stop.signal);
  expect(network.signed).toEqual([
    ['payee', BigInt(PRICE), 'memo-1'],
    ['payee', BigInt(PRICE), 'memo-2'],
  ]);
  expect(['a', 't1', 'b', 't2'].map((id) => spent.find(id)?.state)).toEqual(['owed', 'failed', 'settled', 'settled']);
});
