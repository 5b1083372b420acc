import { describe, expect, it } from 'vitest';
import type { UsageReport } from '../../contract/usage.js';
import { Database } from '../../storage/database/database.js';
import { MIGRATIONS } from '../../storage/database/migrations/index.js';
import { openSqlite } from '../../storage/database/sqlite.js';
import { Transactions } from '../../storage/database/transaction.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { answers, ScriptedAgent } from '../../testing/processes/scripted-agent.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { RefusedCallCounter } from './refused-calls.js';
import { RefusedStore } from './refused-store.js';
import { Usage } from './usage.js';
import { type TurnUsage, UsageStore } from './usage-store.js';

const DAY_MS = 86_400_000;
type Plan = { detail: string }[];

/** Usage over a store of its own. */
function aStore() {
  const clock = new FakeClock();
  const database = new Database(putTemplateDatabase(`${temporaryFolder()}/mesh.db`));
  const transactions = new Transactions(database);
  const [store, refusedStore] = [new UsageStore(database), new RefusedStore(database)];
  const refused = new RefusedCallCounter({ transactions, store: refusedStore, clock, isMember: () => true });
  const usage = new Usage({
    ...{ transactions, store, refusedStore, refused, clock },
    findCaller: () => undefined,
    findMember: () => undefined,
  });
  const put = (rows: readonly Partial<TurnUsage>[]) =>
    transactions.run((transaction) => {
      for (const [turn, row] of rows.entries())
        store.put(transaction, {
          ...{ at_ms: clock.now(), turn, member: 'consultant', caller: 'curl', kind: 'found', latency_ms: 100 },
          ...{ input_tokens: null, output_tokens: null, cost_usd: null, client: 'builtin' },
          ...row,
        });
    });
  return { clock, database, usage, put };
}

/** The shortest of three runs, in milliseconds: a busy machine delays some, but not all. */
async function fastest(run: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const startedMs = performance.now();
    await run();
    times.push(performance.now() - startedMs);
  }
  return Math.min(...times);
}

const get = async (app: TestApp, query = '') =>
  (await app.call('GET', `/usage${query}`)).body as unknown as UsageReport;

describe('usage over time', () => {
  it('counts each ask by member and caller, and how it was answered', async () => {
    const app = await testApp();
    const curl = { 'user-agent': 'curl/8.5.0 (mk_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG)' };
    const kinds: Record<string, number> = {};
    for (const text of ['On which port does it listen?', 'Which Kubernetes ingress terminates the webhook?']) {
      const { request_id } = await app.ask('consultant', { text }, curl);
      const { confidence = '' } = await app.poll('consultant', request_id, 30);
      kinds[confidence] = (kinds[confidence] ?? 0) + 1;
    }
    expect(kinds).toMatchObject({ none: 1 });
    const report = await get(app);
    expect(report.total).toMatchObject({ asks: 2, ...kinds, failed: 0, input_tokens: null, cost_usd: null });
    expect(report.members).toMatchObject([{ name: 'consultant', asks: 2 }]);
    expect(report.callers).toMatchObject([{ name: 'curl/8.5.0', asks: 2 }]);
    expect(report.buckets).toHaveLength(31);
    expect(report.buckets.at(-1)).toMatchObject({ at: '2026-11-21T00:00:00.000Z', asks: 2 });
    expect((await get(app, '?member=deployer')).total.asks).toBe(0);
    expect((await get(app, '?caller=curl/8.5.0')).total.asks).toBe(2);
  });

  it('has the tokens and cost that a client reports, and the operator apart from programs', async () => {
    const agent = new ScriptedAgent('acp', async function* () {
      yield { type: 'usage', usage: { input_tokens: 1_200, output_tokens: 34, cost_usd: 0.5 } };
      yield* answers('Done.');
    });
    const app = await testApp({ clients: [agent] });
    const { conv } = (await app.call('POST', '/conversations', { member: 'consultant' })).body as { conv: string };
    await app.call('POST', `/conversations/${conv}/messages`, { text: 'Go on.' });
    const { request_id } = await app.ask('consultant', { text: 'What is it?' }, { 'user-agent': 'you' });
    await app.poll('consultant', request_id, 30);
    const own = await app.ask('consultant', { text: 'What is it?' }, { 'sec-fetch-site': 'same-origin' });
    await app.poll('consultant', own.request_id, 30);
    await expect.poll(async () => (await get(app)).total.asks).toBe(3);
    const report = await get(app);
    expect(report.total).toMatchObject({ answered: 3, input_tokens: 3_600, output_tokens: 102, cost_usd: 1.5 });
    expect(report.clients).toMatchObject([{ name: 'acp', asks: 3, cost_usd: 1.5 }]);
    expect(report.callers.map(({ name, asks }) => [name, asks])).toEqual([
      ['you', 2],
      ['"you"', 1],
    ]);
  });

  it('refuses a period that is empty, too old or too long for hours, and names the parameter', async () => {
    const app = await testApp();
    const refusals = [
      ['?from=yesterday', 'from'],
      ['?from=2026-11-22T00:00:00Z', 'from'],
      ['?from=2025-01-01T00:00:00Z&to=2025-02-01T00:00:00Z', 'to'],
      ['?bucket=hour', 'bucket'],
    ];
    for (const [query, path] of refusals)
      expect(await app.call('GET', `/usage${query}`), query).toMatchObject({ status: 400, body: { path } });
  });

  it('begins a day at the midnight of the place', async () => {
    const { usage, put } = aStore();
    await put([{ at_ms: Date.UTC(2026, 10, 20, 23, 30) }]);
    const days = async (utc_offset: number) =>
      (await usage.report({ utc_offset })).buckets.filter(({ asks }) => asks > 0).map(({ at }) => at);
    expect(await days(0)).toEqual(['2026-11-20T00:00:00.000Z']);
    expect(await days(60)).toEqual(['2026-11-20T23:00:00.000Z']);
  });

  it('reports percentiles to within 3 %, and sums up the callers beyond the limit', async () => {
    const { usage, put } = aStore();
    await put(Array.from({ length: 200 }, (_, at) => ({ latency_ms: (at + 1) * 10, caller: `caller-${at % 60}` })));
    const { total, callers } = await usage.report({});
    expect(Math.abs((total.p50_ms ?? 0) - 1_000)).toBeLessThan(30);
    expect(Math.abs((total.p95_ms ?? 0) - 1_900)).toBeLessThan(57);
    expect(callers).toHaveLength(51);
    expect(callers.reduce((sum, { asks }) => sum + asks, 0)).toBe(200);
    expect(callers.at(-1)).toMatchObject({ name: 'others', asks: 30 });
  });

  it('has the turns of an older store, by who asked and how they ended', () => {
    const path = `${temporaryFolder()}/mesh.db`;
    const older = openSqlite(path);
    const before = MIGRATIONS.findIndex((migration) => migration.includes('CREATE TABLE turn_usage'));
    for (const migration of MIGRATIONS.slice(0, before)) older.exec(migration);
    older.pragma(`user_version = ${before}`);
    older.exec(`INSERT INTO conversations (conv, member, agent_type, title, created_ms, updated_ms)
      VALUES ('c', 'developer', 'custom', '', 1, 1)`);
    const put = (turn: string, outcome: string, usage: string | null) =>
      older
        .prepare(`INSERT INTO turns (turn, conv, state, profile, text, outcome, usage, client, created_ms, finished_ms)
          VALUES (?, 'c', 'ended', 'operator', '', ?, ?, 'api', 100, 350)`)
        .run(turn, outcome, usage);
    put('t1', 'answered', '{"input_tokens":5,"cost_usd":0.25}');
    put('t2', 'cancelled', null);
    put('t3', 'answered', null);
    older
      .prepare(`INSERT INTO asks (request_id, member, conv, status, text, caller, client, model, created_ms, turn, search)
        VALUES ('r', 'consultant', 'c', 'done', '', ?, '', '', 100, 't3', '{"confidence":"none"}')`)
      .run(JSON.stringify({ user_agent: 'curl/8.5.0 linux', idempotency_key: null }));
    older.close();
    const database = new Database(path);
    const rows = new UsageStore(database).page({ fromMs: 0, toMs: 1_000 }, undefined, 10);
    expect(rows.map(({ member, caller, kind, latency_ms }) => [member, caller, kind, latency_ms])).toEqual([
      ['developer', 'you', 'answered', 250],
      ['developer', 'you', 'stopped', null],
      ['consultant', 'curl/8.5.0', 'none', 250],
    ]);
    expect(rows.map(({ client }) => client)).toEqual(['api', 'api', 'api']);
    expect(rows[0]).toMatchObject({ input_tokens: 5, output_tokens: null, cost_usd: 0.25 });
    database.close();
  });

  it('reads 100,000 turns by the index, in three plain reads at most, and keeps no more than it may', async () => {
    const { clock, database, usage, put } = aStore();
    const row = (at: number) => ({ at_ms: clock.now() - Math.floor((at * 30 * DAY_MS) / 100_000), turn: at });
    for (let from = 0; from < 100_000; from += 10_000)
      await put(Array.from({ length: 10_000 }, (_, at) => ({ ...row(from + at), caller: `caller-${at % 9}` })));
    const asked: string[] = [];
    const { sql } = database;
    database.sql = (text) => {
      asked.push(text);
      return sql.call(database, text);
    };
    const { total, buckets } = await usage.report({ utc_offset: 60 });
    expect([total.asks, buckets.length]).toEqual([100_000, 31]);
    database.sql = sql;
    // A page of 1,000 rows at a time, the empty page that ends the list, and the refused calls.
    expect(asked).toHaveLength(100 + 1 + 1);
    const read = () => database.sql('SELECT * FROM turn_usage ORDER BY at_ms, turn').all();
    const reportMs = await fastest(() => usage.report({ utc_offset: 60 }));
    const readMs = await fastest(read);
    expect(reportMs / readMs).toBeLessThan(3);
    const plans = [...new Set(asked)].map((text) =>
      (database.sql(`EXPLAIN QUERY PLAN ${text}`).all(...Array(text.split('?').length - 1).fill(1)) as Plan).map(
        ({ detail }) => detail,
      ),
    );
    // Nothing is scanned, and nothing but the few rows of refused calls is sorted.
    expect(plans).toEqual([
      [expect.stringMatching(/^SEARCH turn_usage USING PRIMARY KEY \(.*at_ms/)],
      [expect.stringMatching(/^SEARCH refused_calls USING PRIMARY KEY \(hour>/), 'USE TEMP B-TREE FOR GROUP BY'],
    ]);

    clock.advance(80 * DAY_MS);
    await usage.start();
    expect((await usage.report({ from: new Date(clock.now() - 90 * DAY_MS).toISOString() })).total.asks).toBe(33_334);
  });
});
