import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Database } from '../../storage/database/database.js';
import { type Transaction, Transactions } from '../../storage/database/transaction.js';
import { putTemplateDatabase } from '../../testing/template-database.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { type NewRunRow, type RunRow, ScheduleRunsStore } from './schedule-runs-store.js';
import { runView, scheduleView } from './schedule-view.js';
import { type ScheduleRow, SchedulesStore } from './schedules-store.js';

const SCHEDULE = {
  ...{ id: 'sched-a', title: 'Look', member: 'developer', text: 'Look around', cron: '0 9 * * *', zone: 'UTC' },
  ...{ after_task: null, missed: 'once' as const, permission_minutes: 7, paused: 0, paused_reason: null, due_ms: 5 },
  ...{ task_done: 0, created_ms: 1, updated_ms: 2 },
};

/** A database with the schedules `sched-a` and `sched-b`, and the turn `turn-1` of `conv-1`. */
async function stores() {
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const transactions = new Transactions(database);
  const [store, runs] = [new SchedulesStore(database), new ScheduleRunsStore(database)];
  const run = <T>(change: (transaction: Transaction) => T) => transactions.run(change);
  const addTurn = (turn: string, conv = 'conv-1') =>
    run((transaction) => {
      transaction
        .sql(
          `INSERT OR IGNORE INTO conversations (conv, agent_type, title, created_ms, updated_ms)
           VALUES (?, 'custom', '', 0, 0)`,
        )
        .run(conv);
      transaction
        .sql(
          "INSERT INTO turns (turn, conv, state, profile, text, created_ms) VALUES (?, ?, 'queued', 'operator', '', 0)",
        )
        .run(turn, conv);
    });
  await run((transaction) => {
    for (const id of ['sched-a', 'sched-b']) store.put(transaction, { ...SCHEDULE, id });
  });
  await addTurn('turn-1');
  return {
    ...{ database, store, runs, run, addTurn },
    add: (name: string, given: Partial<NewRunRow> = {}) =>
      run((transaction) =>
        runs.putWaiting(transaction, { run: name, schedule: 'sched-a', cause: 'time', due_ms: 3, times: 1, ...given }),
      ),
    change: (name: string, change: Partial<RunRow>) => run((transaction) => runs.putChange(transaction, name, change)),
    tell: (name: string) => run((transaction) => runs.putTold(transaction, name)),
  };
}

const WAITING = {
  ...{ seq: 1, run: 'run-1', schedule: 'sched-a', cause: 'time', due_ms: 3, times: 1, state: 'waiting', at_ms: null },
  ...{ turn: null, conv: null, outcome: null, code: null, reason: null, denied: 0, told: 0 },
};

describe('a schedule', () => {
  it('is stored whole, found by its id, and counted', async () => {
    const { store } = await stores();
    const row = { ...SCHEDULE, seq: 1, handled_ms: null, seen_told: 0 };
    expect([store.find('sched-a'), store.find('sched-c'), store.count()]).toEqual([row, undefined, 2]);
    expect(store.list()).toEqual([row, { ...row, id: 'sched-b', seq: 2 }]);
  });

  it('has only the given fields changed, and no other schedule', async () => {
    const { store, run } = await stores();
    await run((transaction) => store.putChange(transaction, 'sched-a', { title: 'New', paused: 1 }));
    await run((transaction) => store.putChange(transaction, 'sched-a', {}));
    expect(store.list().map(({ title, paused, text }) => [title, paused, text])).toEqual([
      ['New', 1, 'Look around'],
      ['Look', 0, 'Look around'],
    ]);
  });

  it('goes with its runs, and is said not to be there', async () => {
    const { store, runs, run, add } = await stores();
    await add('run-1');
    expect(await run((transaction) => store.drop(transaction, 'sched-a'))).toBe(true);
    expect(await run((transaction) => store.drop(transaction, 'sched-a'))).toBe(false);
    expect([runs.find('sched-a', 'run-1'), store.count()]).toEqual([undefined, 1]);
  });
});

describe('a run', () => {
  it('waits at first, and is that of its schedule', async () => {
    const { runs, add } = await stores();
    expect(await add('run-1')).toEqual(WAITING);
    expect([runs.find('sched-a', 'run-1'), runs.find('sched-b', 'run-1')]).toEqual([WAITING, undefined]);
    expect([runs.findWaiting('sched-a'), runs.findRunning('sched-a')]).toEqual([WAITING, undefined]);
  });

  it('has its conversation with its turn, until that is deleted', async () => {
    const { runs, add, change, database } = await stores();
    await add('run-1');
    await change('run-1', { state: 'running', at_ms: 9, turn: 'turn-1' });
    const row = { ...WAITING, state: 'running', at_ms: 9, turn: 'turn-1', conv: 'conv-1' };
    expect([runs.findByTurn('turn-1'), runs.findRunning('sched-a')]).toEqual([row, row]);
    expect([runs.findByTurn('turn-2'), runs.findWaiting('sched-a')]).toEqual([undefined, undefined]);
    database.sql('DELETE FROM conversations').run();
    expect(runs.find('sched-a', 'run-1')).toMatchObject({ state: 'running', turn: null, conv: null });
    expect(runs.findRunning('sched-a')).toBeUndefined();
  });

  it('is listed with the newest first, and the oldest waits first', async () => {
    const { runs, add } = await stores();
    for (const name of ['run-1', 'run-2', 'run-3']) await add(name);
    await add('run-4', { schedule: 'sched-b' });
    expect(runs.list('sched-a', 2).map(({ run }) => run)).toEqual(['run-3', 'run-2']);
    expect(runs.findWaiting('sched-a')?.run).toBe('run-1');
  });

  it('that began last counts, also once it has ended', async () => {
    const { runs, add, change } = await stores();
    expect(runs.findLastStart('sched-a')).toBeUndefined();
    for (const [name, state, at_ms] of [
      ['run-1', 'ended', 5],
      ['run-2', 'running', 4],
      ['run-3', 'refused', 9],
      ['run-4', 'skipped', 9],
    ] as const) {
      await add(name);
      await change(name, { state, at_ms });
    }
    expect([runs.findLastStart('sched-a'), runs.findLastStart('sched-b')]).toEqual([5, undefined]);
  });

  it('before another is the newest that does not wait', async () => {
    const { runs, add, change } = await stores();
    for (const name of ['run-1', 'run-2', 'run-3', 'run-4']) await add(name);
    for (const name of ['run-1', 'run-2', 'run-4']) await change(name, { state: 'ended' });
    await add('run-5', { schedule: 'sched-b' });
    expect([runs.findBefore('sched-a', 4)?.run, runs.findBefore('sched-a', 2)?.run]).toEqual(['run-2', 'run-1']);
    expect([runs.findBefore('sched-a', 1), runs.findBefore('sched-b', 9)]).toEqual([undefined, undefined]);
  });

  it('that waits is dropped, and no other', async () => {
    const { runs, run, add, change } = await stores();
    for (const name of ['run-1', 'run-2']) await add(name);
    await add('run-3', { schedule: 'sched-b' });
    await change('run-1', { state: 'ended' });
    await run((transaction) => runs.dropWaiting(transaction, 'sched-a'));
    expect([runs.list('sched-a', 9).map((one) => one.run), runs.findWaiting('sched-b')?.run]).toEqual([
      ...[['run-1'], 'run-3'],
    ]);
  });

  it('goes when a hundred newer ones are there, unless it has not ended', async () => {
    const { runs, add, change, run } = await stores();
    for (const name of ['run-a', 'run-b', 'run-c']) await add(name);
    await add('other', { schedule: 'sched-b' });
    await change('run-a', { state: 'ended' });
    await change('run-b', { state: 'running', turn: 'turn-1' });
    await change('other', { state: 'ended' });
    await run((transaction) => {
      const given = { schedule: 'sched-a', cause: 'time', due_ms: 3, times: 1 } as const;
      for (let at = 0; at < 97; at += 1) runs.putWaiting(transaction, { ...given, run: `run-${at}` });
    });
    expect(runs.find('sched-a', 'run-a')).toBeDefined();
    await add('last');
    expect(['run-a', 'run-b', 'run-c'].map((name) => runs.find('sched-a', name)?.run)).toEqual([
      ...[undefined, 'run-b', 'run-c'],
    ]);
    expect(runs.find('sched-b', 'other')).toBeDefined();
  });
});

describe('what the operator should know of', () => {
  it('is the newest that was told and not seen', async () => {
    const { runs, add, tell } = await stores();
    for (const name of ['run-1', 'run-2', 'run-3']) await add(name);
    expect(runs.findNotified('sched-a', 0)).toBeUndefined();
    await tell('run-2');
    await tell('run-1');
    expect(runs.findNotified('sched-a', 0)).toMatchObject({ run: 'run-1', told: 2 });
    expect([runs.findNotified('sched-a', 1)?.run, runs.findNotified('sched-a', 2)]).toEqual(['run-1', undefined]);
    expect([runs.findNotified('sched-b', 0), runs.find('sched-a', 'run-3')?.told]).toEqual([undefined, 0]);
  });

  it('comes after what was seen, also when that was removed', async () => {
    const { store, runs, run, add, tell } = await stores();
    await add('run-1');
    await run((transaction) => store.putChange(transaction, 'sched-a', { seen_told: 5 }));
    await tell('run-1');
    expect(runs.findNotified('sched-a', 5)).toMatchObject({ told: 6 });
  });
});

describe('a permission request', () => {
  const ask = async ({ run }: Awaited<ReturnType<typeof stores>>, turn: string, given: object = {}) =>
    run((transaction) =>
      transaction
        .sql(
          `INSERT INTO permissions (pid, conv, turn, tool, target, reason, created_ms, expires_ms, decision, decided_by)
           VALUES (@pid, 'conv-1', @turn, 'edit', '', '', 0, @expires_ms, @decision, @decided_by)`,
        )
        .run({
          pid: `${turn} ${JSON.stringify(given)}`,
          turn,
          expires_ms: 5,
          decision: 'deny',
          decided_by: 'deadline',
          ...given,
        }),
    );
  /** Turn 2 was asked for by turn 1, and turn 3 by turn 2; turn 4 by nobody. */
  async function asked() {
    const parts = await stores();
    for (const turn of ['turn-2', 'turn-3', 'turn-4']) await parts.addTurn(turn);
    await parts.run((transaction) => {
      for (const [turn, parent] of [
        ['turn-2', 'turn-1'],
        ['turn-3', 'turn-2'],
        ['turn-4', null],
      ])
        transaction.sql("INSERT INTO asked_turns VALUES (?, 'conv-1', 'developer', ?, 'conv-1', 0)").run(turn, parent);
    });
    return parts;
  }

  it('is counted when nobody answered it in time, also of turns that were asked for', async () => {
    const parts = await asked();
    for (const turn of ['turn-1', 'turn-2', 'turn-3', 'turn-4']) await ask(parts, turn);
    for (const given of [{ expires_ms: 6 }, { decision: 'allow' }, { decided_by: 'operator' }])
      await ask(parts, 'turn-1', given);
    expect(['turn-1', 'turn-2', 'turn-3', 'turn-4'].map((turn) => parts.runs.countDenied(turn, 5))).toEqual([
      3, 2, 1, 1,
    ]);
    expect([parts.runs.countDenied('turn-1', 4), parts.runs.countDenied('turn-1', 6)]).toEqual([0, 4]);
  });

  it('waits as long as the schedule says of which it is', async () => {
    const parts = await asked();
    await parts.add('run-1');
    await parts.change('run-1', { state: 'running', turn: 'turn-1' });
    const seconds = ['turn-1', 'turn-2', 'turn-3', 'turn-4'].map((turn) => parts.runs.findPermissionSeconds(turn));
    expect(seconds).toEqual([420, 420, 420, undefined]);
  });
});

describe('what is shown', () => {
  const row = (given: Partial<ScheduleRow> = {}): ScheduleRow => ({
    ...{ ...SCHEDULE, seq: 1, handled_ms: null, seen_told: 0, due_ms: Date.UTC(2026, 0, 2, 9) },
    ...given,
  });
  const now = Date.UTC(2026, 0, 2, 8);

  it('of a schedule are its times and its runs', async () => {
    const { runs, add, change, tell } = await stores();
    for (let at = 1; at <= 11; at += 1) await add(`run-${at}`);
    await change('run-11', { at_ms: 5, state: 'refused', code: 'c', reason: 'r', denied: 2 });
    await tell('run-11');
    const last = {
      ...{ run: 'run-11', cause: 'time', due_at: '1970-01-01T00:00:00.003Z', times: 1, state: 'refused' },
      ...{ at: '1970-01-01T00:00:00.005Z', conv: null, outcome: null, code: 'c', reason: 'r', denied: 2 },
    };
    const { last_runs, next_runs, ...shown } = scheduleView(row(), runs, now);
    expect(shown).toEqual({
      ...{ id: 'sched-a', title: 'Look', member: 'developer', text: 'Look around', cron: '0 9 * * *', zone: 'UTC' },
      ...{ after_task: null, missed: 'once', permission_minutes: 7, paused: false, paused_reason: null },
      ...{ needs_you: last, created_at: '1970-01-01T00:00:00.001Z', updated_at: '1970-01-01T00:00:00.002Z' },
    });
    expect([last_runs.length, last_runs[0], last_runs[9]?.run, last_runs[9]?.at]).toEqual([10, last, 'run-2', null]);
    expect(next_runs.map(({ local }) => local)).toEqual([
      ...['Fri 2026-01-02 09:00', 'Sat 2026-01-03 09:00', 'Sun 2026-01-04 09:00'],
    ]);
    expect(scheduleView(row({ seen_told: 1 }), runs, now).needs_you).toBeNull();
    expect(runView({ ...(runs.find('sched-a', 'run-1') as RunRow) }).at).toBeNull();
  });

  it.each<[title: string, given: Partial<ScheduleRow>, first: string | undefined]>([
    ['its next time', {}, 'Fri 2026-01-02 09:00'],
    ['none before the one that is due', { due_ms: Date.UTC(2026, 0, 5, 9) }, 'Mon 2026-01-05 09:00'],
    ['none that has passed', { due_ms: Date.UTC(2025, 0, 2, 9) }, 'Fri 2026-01-02 09:00'],
    ['none while it is paused', { paused: 1 }, undefined],
    ['none after a task', { cron: null, zone: null, due_ms: null, after_task: 't' }, undefined],
    ['none without a time', { due_ms: null }, undefined],
    ['none without a zone', { zone: null }, undefined],
    ['none in a zone that is not known', { zone: 'Mars/City' }, undefined],
  ])('of the times is %s', async (_title, given, first) => {
    const { runs } = await stores();
    expect(scheduleView(row(given), runs, now).next_runs[0]?.local).toBe(first);
  });
});
