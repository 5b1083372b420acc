import { describe, expect, it } from 'vitest';
import { Database } from '../../storage/database/database.js';
import { Transactions } from '../../storage/database/transaction.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { HOUR_MS, RefusedCallCounter } from './refused-calls.js';
import { type RefusedKey, RefusedStore } from './refused-store.js';

type Refused = Parameters<RefusedCallCounter['count']>[0];
type Request = Partial<Refused['request']>;

function aCounter() {
  const clock = new FakeClock();
  const database = new Database(putTemplateDatabase(`${temporaryFolder()}/mesh.db`));
  const transactions = new Transactions(database);
  const store = new RefusedStore(database);
  const stage = { fault: undefined as Error | undefined, meanwhile: () => undefined as unknown };
  const parts = {
    transactions: {
      run: async (write: Parameters<Transactions['run']>[0]) => {
        stage.meanwhile();
        if (stage.fault) throw stage.fault;
        return transactions.run(write);
      },
    } as Transactions,
    store,
    clock,
    isMember: (id: string) => id === 'consultant',
  };
  const counter = new RefusedCallCounter(parts);
  const count = (request: Request = {}, over: Partial<Refused> = {}) =>
    counter.count({
      request: { headers: {}, ip: '127.0.0.1', method: 'GET', params: {}, query: {}, ...request } as Refused['request'],
      status: 401,
      route: '/team/:id/ask',
      ...over,
    });
  const counted = async () => (await counter.list({ limit: 200 })).refused;
  const put = (hour: number, key: Partial<RefusedKey> = {}, ms = hour * HOUR_MS, times = 1) =>
    transactions.run((transaction) =>
      store.add(transaction, {
        ...{ hour, reason: 'no_credential', member: '', caller: 'curl', address: '', route: '' },
        ...{ count: times, first_ms: ms, last_ms: ms },
        ...key,
      }),
    );
  const rows = () => database.sql('SELECT hour, count FROM refused_calls ORDER BY hour').raw().all();
  return {
    counter,
    count,
    counted,
    clock,
    store,
    stage,
    put,
    rows,
    transactions,
    again: () => new RefusedCallCounter(parts),
  };
}

describe('a refused call', () => {
  it.each<[Request, Partial<Refused>, string]>([
    [{}, {}, 'no_credential'],
    [{ query: undefined }, {}, 'no_credential'],
    [{ headers: { cookie: 'a' } }, {}, 'no_credential'],
    [{ headers: { authorization: 'Bearer x' } }, {}, 'wrong_credential'],
    [{ headers: { 'x-cluster-token': 'x' } }, {}, 'wrong_credential'],
    [{ headers: { 'x-api-key': 'x' } }, {}, 'wrong_credential'],
    [{ headers: { 'mesh-sig': 'x' } }, {}, 'wrong_credential'],
    [{ query: { token: 'x' } }, {}, 'wrong_credential'],
    [{}, { status: 402 }, 'payment_required'],
    [{ headers: { authorization: 'x' } }, { status: 429 }, 'too_many_requests'],
  ])('with %j, %j is counted as %s', async (request, over, reason) => {
    const { count, counted } = aCounter();
    count(request, over);
    expect(await counted()).toMatchObject([{ reason, count: 1 }]);
  });

  it.each([
    ['/team/:id/ask', { id: 'consultant' }, 'consultant'],
    ['/team/:id', { id: 'consultant' }, 'consultant'],
    ['/team/:id/ask', { id: 'nobody' }, ''],
    ['/team/:id/ask', {}, ''],
    ['/agents/:id', { id: 'consultant' }, ''],
    ['/x/team/:id', { id: 'consultant' }, ''],
    [undefined, { id: 'consultant' }, ''],
  ])('of %s with %j is of the member %j', async (route, params, member) => {
    const { count, counted } = aCounter();
    count({ params, method: 'PUT', ip: '10.0.0.1', headers: { 'user-agent': 'curl/8 secret' } }, { route });
    expect(await counted()).toMatchObject([
      { member, route: route === undefined ? '' : `PUT ${route}`, address: '10.0.0.1', caller: 'curl/8' },
    ]);
  });

  it('is written five seconds later, with the others that are alike', async () => {
    const { count, clock, store, counter } = aCounter();
    count();
    clock.advance(4_999);
    count();
    count({ ip: '10.0.0.1' });
    expect([clock.pending, store.listKeys(Math.floor(clock.now() / HOUR_MS))]).toEqual([1, []]);
    clock.advance(1);
    expect(clock.pending).toBe(0);
    const { refused, total } = await counter.list({});
    expect([refused.length, total]).toEqual([2, 3]);
    expect(refused.find(({ address }) => address === '127.0.0.1')).toMatchObject({
      ...{ count: 2, first_at: '2026-11-21T12:00:00.000Z', last_at: '2026-11-21T12:00:04.999Z' },
    });
  });

  it('is summed up over the hours, and counted by the hour', async () => {
    const { count, clock, counted, counter, store } = aCounter();
    count();
    clock.advance(HOUR_MS);
    count();
    count();
    expect(await counted()).toMatchObject([
      { count: 3, first_at: '2026-11-21T12:00:00.000Z', last_at: '2026-11-21T13:00:00.000Z' },
    ]);
    const hour = Math.floor(clock.now() / HOUR_MS);
    expect(store.sums(hour - 1, hour + 1).map((sum) => [sum.hour - hour, sum.count])).toEqual([
      [-1, 1],
      [0, 2],
    ]);
    expect((await counter.list({ since: '2026-11-21T13:00:00Z' })).total).toBe(2);
    expect((await counter.list({ since: '2026-11-21T12:59:59Z' })).total).toBe(3);
  });

  it('is in the list though it is being written', async () => {
    const { count, clock, counter } = aCounter();
    count();
    clock.advance(5_000);
    expect((await counter.list({})).total).toBe(1);
  });

  it('ends the wait when it is written before', async () => {
    const { count, clock, counter } = aCounter();
    count();
    await counter.flush();
    expect(clock.pending).toBe(0);
    count();
    expect(clock.pending).toBe(1);
  });
});

describe('of the calls of one hour', () => {
  const from = (at: number): Request => ({ ip: `10.0.0.${at}` });

  it('twenty kinds are told apart, also across a restart, and the rest by reason alone', async () => {
    const { count, counted, counter, again, clock } = aCounter();
    for (let at = 0; at < 19; at += 1) count(from(at));
    await counter.flush();
    const restarted = again();
    const request = { headers: {}, method: 'GET', params: {}, query: {} };
    const countAgain = (at: number, status: 401 | 429 = 401) =>
      restarted.count({ request: { ...request, ...from(at) } as Refused['request'], status, route: '/team/:id/ask' });
    for (const at of [18, 19, 20, 21]) countAgain(at);
    countAgain(22, 429);
    await restarted.flush();
    const rows = await counted();
    expect(rows).toHaveLength(22);
    const others = rows.filter(({ caller }) => caller === 'others');
    expect(
      others.map(({ reason, count: times, address, route, member }) => [reason, times, address, route, member]),
    ).toEqual(
      expect.arrayContaining([
        ['no_credential', 2, '', '', ''],
        ['too_many_requests', 1, '', '', ''],
      ]),
    );
    clock.advance(HOUR_MS);
    count(from(30));
    expect((await counted()).some(({ address }) => address === '10.0.0.30')).toBe(true);
  });
});

describe('while the store cannot be written', () => {
  it('the counts of this hour are kept, and those of hours before are given up', async () => {
    const { count, counted, counter, stage, clock } = aCounter();
    stage.fault = new Error('The disk is full.');
    count();
    await counter.flush();
    expect((await counted()).length).toBe(0);
    clock.advance(1_000);
    count();
    stage.fault = undefined;
    expect(await counted()).toMatchObject([
      { count: 2, first_at: '2026-11-21T12:00:00.000Z', last_at: '2026-11-21T12:00:01.000Z' },
    ]);
    stage.fault = new Error('The disk is full.');
    count();
    clock.advance(HOUR_MS);
    count({ ip: '10.0.0.1' });
    await counter.flush();
    stage.fault = undefined;
    expect((await counted()).map((row) => [row.address, row.count]).sort()).toEqual([
      ['10.0.0.1', 1],
      ['127.0.0.1', 2],
    ]);
  });

  it('what comes meanwhile is added', async () => {
    const { count, counted, counter, stage, clock } = aCounter();
    stage.fault = new Error('The disk is full.');
    count();
    stage.meanwhile = () => {
      clock.advance(1_000);
      count();
      count();
    };
    await counter.flush();
    stage.meanwhile = () => undefined;
    stage.fault = undefined;
    expect(await counted()).toMatchObject([
      { count: 3, first_at: '2026-11-21T12:00:00.000Z', last_at: '2026-11-21T12:00:01.000Z' },
    ]);
  });

  it('a caller is counted though the keys of the hour cannot be read', async () => {
    const { counter, count, store, counted } = aCounter();
    store.listKeys = () => {
      throw new Error('There is no such table.');
    };
    count();
    await counter.flush();
    expect(await counted()).toMatchObject([{ count: 1 }]);
  });
});

describe('the list', () => {
  it('has fifty kinds unless a limit is sent, last seen first, and the sum of all', async () => {
    const { put, counter, clock } = aCounter();
    const hour = Math.floor(clock.now() / HOUR_MS);
    for (let at = 0; at < 60; at += 1) await put(hour, { address: `10.0.0.${at}` }, hour * HOUR_MS + at, 2);
    const { refused, count, total } = await counter.list({});
    expect([refused.length, count, total]).toEqual([50, 50, 120]);
    expect(refused.map(({ address }) => address).slice(0, 2)).toEqual(['10.0.0.59', '10.0.0.58']);
    expect((await counter.list({ limit: 2 })).count).toBe(2);
  });

  it('has those of the last ninety days, by each filter', async () => {
    const { put, counter, clock } = aCounter();
    const hour = Math.floor(clock.now() / HOUR_MS);
    await put(hour - 90 * 24 - 1, { caller: 'too-old' });
    await put(hour - 90 * 24, { caller: 'old', member: 'consultant' });
    await put(hour, { caller: 'Curl/8', reason: 'payment_required' });
    const callers = async (query: Parameters<typeof counter.list>[0]) =>
      (await counter.list(query)).refused.map(({ caller }) => caller);
    expect(await callers({})).toEqual(['Curl/8', 'old']);
    expect(await callers({ member: 'consultant' })).toEqual(['old']);
    expect(await callers({ reason: 'payment_required' })).toEqual(['Curl/8']);
    expect(await callers({ caller: 'url' })).toEqual(['Curl/8']);
    expect(await callers({ since: '2000-01-01T00:00:00Z' })).toEqual(['Curl/8', 'old']);
  });
});

describe('the stored counts', () => {
  it('by hour, member and caller are those of the period', async () => {
    const { put, store } = aCounter();
    await put(5, { member: 'one', caller: 'curl', address: 'a' });
    await put(5, { member: 'one', caller: 'curl', address: 'b' }, 7, 3);
    await put(6, { member: 'two', caller: 'wget' });
    await put(7, { member: 'one', caller: 'curl' });
    const curl = { hour: 5, member: 'one', caller: 'curl', count: 4 };
    const wget = { hour: 6, member: 'two', caller: 'wget', count: 1 };
    expect(store.sums(5, 7)).toEqual([curl, wget]);
    expect(store.sums(6, 7)).toEqual([wget]);
    expect(store.sums(5, 7, 'one')).toEqual([curl]);
    expect(store.sums(5, 7, undefined, 'wget')).toEqual([wget]);
    expect(store.sums(5, 7, 'one', 'wget')).toEqual([]);
  });

  it('add up with the first and the last time', async () => {
    const { put, store } = aCounter();
    await put(5, {}, 300, 2);
    await put(5, {}, 200, 3);
    expect(store.list({ fromHour: 5 }, 9)).toEqual({
      refused: [
        {
          ...{ reason: 'no_credential', member: '', caller: 'curl', address: '', route: '', count: 5 },
          ...{ first_at: '1970-01-01T00:00:00.300Z', last_at: '1970-01-01T00:00:00.300Z' },
        },
      ],
      total: 5,
    });
    expect(store.list({ fromHour: 6 }, 9)).toEqual({ refused: [], total: 0 });
  });

  it('are deleted before an hour, and the oldest hours beyond a number of rows', async () => {
    const { put, store, rows, transactions } = aCounter();
    for (const [at, hour] of [1, 2, 3, 3, 4].entries()) await put(hour, { address: String(at) });
    const prune = (before: number, most: number) =>
      transactions.run((transaction) => store.prune(transaction, before, most));
    await prune(2, 10);
    expect(rows()).toEqual([
      [2, 1],
      [3, 1],
      [3, 1],
      [4, 1],
    ]);
    await prune(0, 4);
    expect(rows()).toHaveLength(4);
    await prune(0, 2);
    expect(rows()).toEqual([[4, 1]]);
  });

  it('are pruned whenever others are written', async () => {
    const { count, counter, clock, put, rows } = aCounter();
    const hour = Math.floor(clock.now() / HOUR_MS);
    await put(hour - 90 * 24 - 1);
    await put(hour - 90 * 24);
    count();
    await counter.flush();
    expect(rows()).toEqual([
      [hour - 90 * 24, 1],
      [hour, 1],
    ]);
  });
});
