import { describe, expect, it } from 'vitest';
import type { Caller } from '../../contract/asks.js';
import { Database } from '../../storage/database/database.js';
import { Transactions } from '../../storage/database/transaction.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import type { TurnChange } from '../conversations/turn-change.js';
import { RefusedCallCounter } from './refused-calls.js';
import { RefusedStore } from './refused-store.js';
import { Usage } from './usage.js';
import { type TurnUsage, UsageStore } from './usage-store.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const aTurn = (over: Partial<TurnUsage> = {}): TurnUsage => ({
  ...{ at_ms: 1, turn: 1, member: 'consultant', caller: 'curl', kind: 'found', latency_ms: 100 },
  ...{ input_tokens: null, output_tokens: null, cost_usd: null, client: 'builtin' },
  ...over,
});

function staged() {
  const clock = new FakeClock();
  const database = new Database(putTemplateDatabase(`${temporaryFolder()}/mesh.db`));
  const transactions = new Transactions(database);
  const [store, refusedStore] = [new UsageStore(database), new RefusedStore(database)];
  const refused = new RefusedCallCounter({ transactions, store: refusedStore, clock, isMember: () => true });
  const stage = { caller: undefined as Caller | undefined, member: undefined as string | undefined };
  const usage = new Usage({
    ...{ transactions, store, refusedStore, refused, clock },
    findCaller: () => stage.caller,
    findMember: () => stage.member,
  });
  const put = (...rows: readonly Partial<TurnUsage>[]) =>
    transactions.run((transaction) => {
      for (const [turn, row] of rows.entries()) store.put(transaction, aTurn({ at_ms: clock.now(), turn, ...row }));
    });
  const refuse = (caller: string, member = 'consultant') =>
    refused.count({
      request: { headers: { 'user-agent': caller }, ip: '', method: 'GET', params: { id: member }, query: {} },
      status: 401,
      route: '/team/:id',
    } as Parameters<typeof refused.count>[0]);
  const rows = () => store.page({ fromMs: 0, toMs: clock.now() + DAY_MS }, undefined, 500);
  return { clock, usage, put, store, stage, transactions, refuse, rows, refusedStore };
}

/** A turn that ended, as the conversations report it. */
const ended = (over: { turn?: object; ending?: object; answer?: object | null; runnable?: object } = {}) =>
  ({
    kind: 'ended',
    turn: { turn: 't-1', seq: 7, conv: 'c-1', created_ms: 1_000, client: 'acp', ...over.turn },
    ending: { outcome: 'answered', usage: null, finished_ms: 1_250, ...over.ending },
    answer: over.answer ?? null,
    runnable: over.runnable,
  }) as unknown as TurnChange;

describe('a turn that ended', () => {
  const record = async (change: TurnChange, stage: { caller?: Caller; member?: string } = {}) => {
    const made = staged();
    Object.assign(made.stage, stage);
    await made.transactions.run((transaction) => made.usage.follow(change, transaction));
    return made.rows();
  };

  it('is kept with when it was asked, by whom and how long it took', async () => {
    const usage = { input_tokens: 5, output_tokens: 7, cost_usd: 0.25 };
    const caller = { user_agent: 'curl/8 x' } as Caller;
    expect(await record(ended({ ending: { usage } }), { caller, member: 'consultant' })).toEqual([
      {
        ...{ at_ms: 1_000, turn: 7, member: 'consultant', caller: 'curl/8', kind: 'answered', latency_ms: 250 },
        ...{ ...usage, client: 'acp' },
      },
    ]);
  });

  it('of nobody else is of the operator, without what is not known', async () => {
    expect(await record(ended())).toMatchObject([
      { member: '', caller: 'you', input_tokens: null, output_tokens: null, cost_usd: null },
    ]);
  });

  it.each([
    ['answered', null, 'answered', 250],
    ['answered', { search: { confidence: 'likely' } }, 'likely', 250],
    ['answered', { search: null }, 'answered', 250],
    ['cancelled', null, 'stopped', null],
    ['failed', null, 'failed', null],
    ['interrupted', null, 'failed', null],
  ])('as %s with %j is counted as %s', async (outcome, answer, kind, latency_ms) => {
    expect(await record(ended({ ending: { outcome }, answer }))).toMatchObject([{ kind, latency_ms }]);
  });

  it('never took less than no time, and is of what ran it', async () => {
    expect(
      await record(ended({ ending: { finished_ms: 900 }, runnable: { client_resolved: 'builtin' } })),
    ).toMatchObject([{ latency_ms: 0, client: 'builtin' }]);
  });

  it('is told to those that listen, once it is kept; one that has not ended is not', async () => {
    const { usage, transactions, rows } = staged();
    const told: unknown[] = [];
    usage.onRecorded(({ turn, kind }, outcome) => void told.push([turn, kind, outcome, rows().length]));
    await transactions.run((transaction) => {
      usage.follow({ kind: 'waiting' } as TurnChange, transaction);
      usage.follow(ended({ ending: { outcome: 'failed' } }), transaction);
      expect(told).toEqual([]);
    });
    expect(told).toEqual([[7, 'failed', 'failed', 1]]);
  });
});

describe('a report', () => {
  it('sums up the turns of its period by hour, member, caller and client', async () => {
    const { usage, put, clock } = staged();
    await put(
      { at_ms: clock.now() - 2 * HOUR_MS, caller: 'wget', client: 'acp' },
      { at_ms: clock.now() - HOUR_MS, member: 'developer', kind: 'failed', latency_ms: null },
      { kind: 'none', cost_usd: 0.5 },
      { at_ms: clock.now() - 4 * HOUR_MS },
    );
    const report = await usage.report({ from: new Date(clock.now() - 2 * HOUR_MS).toISOString() });
    expect([report.from, report.to, report.bucket]).toEqual([
      '2026-11-21T10:00:00.000Z',
      '2026-11-21T12:00:00.001Z',
      'hour',
    ]);
    expect(report.total).toMatchObject({ asks: 3, found: 1, failed: 1, none: 1, refused: 0, cost_usd: 0.5 });
    expect(report.buckets.map(({ at, asks }) => [at.slice(11, 13), asks])).toEqual([
      ['10', 1],
      ['11', 1],
      ['12', 1],
    ]);
    const names = (groups: readonly { name: string; asks: number }[]) => groups.map(({ name, asks }) => [name, asks]);
    expect(names(report.members)).toEqual([
      ['consultant', 2],
      ['developer', 1],
    ]);
    expect(names(report.callers)).toEqual([
      ['curl', 2],
      ['wget', 1],
    ]);
    expect(names(report.clients)).toEqual([
      ['builtin', 2],
      ['acp', 1],
    ]);
  });

  it('has the refused calls of its hours, also those that are not written yet, by member and caller', async () => {
    const { usage, put, clock, refuse } = staged();
    refuse('curl');
    clock.advance(90 * 60_000);
    await put({});
    refuse('curl');
    refuse('wget', 'developer');
    const from = new Date(clock.now() - 10 * 60_000).toISOString();
    const report = await usage.report({ from, bucket: 'hour' });
    expect([report.total.refused, report.buckets.map(({ refused }) => refused)]).toEqual([2, [2]]);
    expect(report.members.map(({ name, refused }) => [name, refused])).toEqual([
      ['consultant', 1],
      ['developer', 1],
    ]);
    expect((await usage.report({})).total).toMatchObject({ refused: 3, asks: 1 });
    expect((await usage.report({ caller: 'wget' })).total).toMatchObject({ refused: 1, asks: 0 });
    expect((await usage.report({ member: 'consultant' })).total).toMatchObject({ refused: 2, asks: 1 });
    const earlier = { from: '2026-11-21T11:00:00Z', to: '2026-11-21T12:00:00Z' };
    expect((await usage.report(earlier)).total.refused).toBe(0);
    expect((await usage.report({ ...earlier, to: '2026-11-21T12:00:01Z' })).total.refused).toBe(1);
  });
});

describe('the stored turns', () => {
  it('are read in the order of their time, from one to before another, page by page', async () => {
    const { put, store } = staged();
    await put({ at_ms: 5, turn: 2 }, { at_ms: 5, turn: 1 }, { at_ms: 4, turn: 9 }, { at_ms: 6, turn: 0 });
    const turns = (fromMs: number, toMs: number, limit: number, after?: TurnUsage) =>
      store.page({ fromMs, toMs }, after, limit).map(({ turn }) => turn);
    expect([turns(4, 7, 9), turns(5, 6, 9), turns(4, 6, 2)]).toEqual([
      [9, 1, 2, 0],
      [1, 2],
      [9, 1],
    ]);
    expect(turns(4, 7, 9, aTurn({ at_ms: 5, turn: 1 }))).toEqual([2, 0]);
    expect(turns(4, 6, 9, aTurn({ at_ms: 5, turn: 1 }))).toEqual([2]);
  });

  it('are those of a member and a caller', async () => {
    const { put, store } = staged();
    await put({ member: 'one' }, { caller: 'wget' }, { member: 'one', caller: 'wget' });
    const turns = (filter: object) =>
      store.page({ fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, ...filter }, undefined, 9).map(({ turn }) => turn);
    expect(turns({ member: 'one' })).toEqual([0, 2]);
    expect(turns({ caller: 'wget' })).toEqual([1, 2]);
    expect(turns({ member: 'one', caller: 'wget' })).toEqual([2]);
  });

  it('are replaced by a later record of the same turn', async () => {
    const { put, rows } = staged();
    await put({ turn: 3, kind: 'failed' });
    await put({ turn: 3, kind: 'found' });
    expect(rows()).toMatchObject([{ turn: 3, kind: 'found' }]);
  });

  it('are deleted before a time, and the oldest beyond a number', async () => {
    const { put, store, transactions, rows } = staged();
    await put(...[1, 2, 3, 3, 4].map((at_ms, turn) => ({ at_ms, turn })));
    const prune = async (beforeMs: number, rowsMax: number) => {
      await transactions.run((transaction) => store.prune(transaction, beforeMs, rowsMax));
      return rows().map(({ at_ms }) => at_ms);
    };
    expect(await prune(2, 9)).toEqual([2, 3, 3, 4]);
    expect(await prune(0, 4)).toEqual([2, 3, 3, 4]);
    expect(await prune(0, 3)).toEqual([3, 3, 4]);
    expect(await prune(0, 2)).toEqual([4]);
  });

  it('are kept for ninety days, looked at when the daemon starts and every hour', async () => {
    const { usage, put, clock, rows } = staged();
    const aged = (days: number, ms = 0) => ({ at_ms: clock.now() - days * DAY_MS - ms });
    await put({ ...aged(90, 1), turn: 0 }, { ...aged(90), turn: 1 }, { ...aged(89), turn: 2 });
    await usage.start();
    expect(rows().map(({ turn }) => turn)).toEqual([1, 2]);
    clock.advance(HOUR_MS - 1);
    await usage.report({});
    expect(rows().map(({ turn }) => turn)).toEqual([1, 2]);
    clock.advance(1);
    await put();
    await usage.stop();
    expect([rows().map(({ turn }) => turn), clock.pending]).toEqual([[2], 0]);
  });

  it('and refused calls are written before the daemon stops', async () => {
    const { usage, clock, refuse, refusedStore } = staged();
    refuse('curl');
    await usage.stop();
    expect(refusedStore.listKeys(Math.floor(clock.now() / HOUR_MS))).toHaveLength(1);
  });
});
