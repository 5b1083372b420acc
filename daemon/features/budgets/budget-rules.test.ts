import { describe, expect, it } from 'vitest';
import { nextLocalMidnight } from '../../lib/time/local-day.js';
import { aBudget } from '../../testing/apps/a-budget.js';

type TestBudget = Awaited<ReturnType<typeof aBudget>>;
const DAY_MS = 86_400_000;
const messageOf = (check: unknown) => (check as { message?: string } | undefined)?.message;

/** Lets the next midnight come. Resolves when the budgets have begun the new day. */
async function passMidnight({ clock, pumped }: TestBudget) {
  const { times } = pumped;
  clock.advance(nextLocalMidnight(clock.now()) - clock.now());
  await expect.poll(() => pumped.times).toBe(times + 1);
}

/** A turn of `conv` that has run and reported `input_tokens`. */
async function spend(app: TestBudget, turn: string, input_tokens: number, conv = 'c1', member = 'guide') {
  const row = await app.queue(turn, { conv, member });
  await app.start(row);
  await app.end(row, { input_tokens, cost_usd: 0 });
}

describe('a turn that is about to start', () => {
  it('waits while a budget of its conversation, its member or the day is used up, which is told once', async () => {
    for (const scope of ['conversation:c1', 'member:guide', 'day']) {
      const app = await aBudget();
      await app.budgets.set(scope, { tokens: 10 });
      const [next, other] = [await app.queue('t2'), await app.queue('t3', { conv: 'c3', member: 'porter' })];
      expect(app.meter.check(next)).toBeUndefined();
      await spend(app, 't1', 10);
      app.news();
      expect([app.meter.check(next), app.meter.check(next)]).toEqual(['wait', 'wait']);
      expect(app.news()).toEqual([`budget.changed ${scope}`]);
      expect(app.meter.check(other)).toBe(scope === 'day' ? 'wait' : undefined);
      expect((await app.budgets.get(scope)).waiting).toBe(scope === 'day' ? 2 : 1);
      app.news();
      await app.end(next, null, 'cancelled');
      expect(app.news()).toEqual([`budget.changed ${scope}`]);
    }
  });

  it('is refused when its member is asked by another one that waits for it, with the figures', async () => {
    const app = await aBudget();
    await app.budgets.set('member:guide', { tokens: 10 });
    await spend(app, 't1', 12);
    const asked = async (turn: string, waits: boolean) => {
      const row = await app.queue(turn);
      await app.ask(row, { parent: { turn: 't1', conv: 'c1' }, asked_by: 'porter', waits });
      return app.meter.check(row);
    };
    expect(messageOf(await asked('t2', true))).toBe(
      'The budget of this member is used up: 12 tokens of 10 tokens. Raise it to go on.',
    );
    expect(await asked('t3', false)).toBe('wait');
  });

  it('counts towards the limit of turns as soon as it starts, and not for itself', async () => {
    const app = await aBudget();
    await app.budgets.set('member:guide', { turns: 1 });
    const [one, other] = [await app.queue('t1'), await app.queue('t2', { conv: 'c2' })];
    const third = await app.queue('t3', { conv: 'c3', member: 'porter' });
    app.meter.starting(one);
    app.meter.starting(third);
    expect([app.meter.check(one), app.meter.check(other)]).toEqual([undefined, 'wait']);
    await app.end(one, null, 'cancelled');
    expect(app.meter.check(other)).toBeUndefined();
  });

  it('waits for nothing any more once it starts', async () => {
    const app = await aBudget();
    await app.budgets.set('day', { tokens: 10 });
    await spend(app, 't1', 10);
    const row = await app.queue('t2');
    expect(app.meter.check(row)).toBe('wait');
    await app.budgets.clear('day');
    app.news();
    await app.start(row);
    await app.end(row, null);
    expect(app.news()).toEqual([]);
  });
});

describe('a running turn', () => {
  it.each([
    ['conversation:c1', 'The budget of the conversation is used up: 12 tokens of 10 tokens. Raise it to go on.'],
    ['member:guide', 'The budget of this member is used up: 12 tokens of 10 tokens. Raise it to go on.'],
    ['day', 'The budget of all turns of a day is used up: 12 tokens of 10 tokens. Raise it to go on.'],
  ])('ends at the limit of %s, which it is told', async (scope, message) => {
    const app = await aBudget();
    await app.budgets.set(scope, { tokens: 10 });
    const [row, other] = [await app.queue('t1'), await app.queue('t2', { conv: 'c2', member: 'porter' })];
    await app.start(other);
    await app.start(row);
    app.report(row, { input_tokens: 8, output_tokens: 4 });
    await expect.poll(() => app.interrupted.length).toBeGreaterThan(0);
    expect(app.interrupted.filter(({ turn }) => turn === 't1').map(({ reason }) => reason.message)).toContain(message);
    expect(app.interrupted.some(({ turn }) => turn === 't2')).toBe(scope === 'day');
  });

  it('of another program is told no figures', async () => {
    const app = await aBudget();
    await app.budgets.set('day', { tokens: 10 });
    const [row, next] = [await app.queue('t1', { profile: 'outside' }), await app.queue('t2', { profile: 'outside' })];
    await app.start(row);
    app.report(row, { input_tokens: 10 });
    await expect.poll(() => app.interrupted.length).toBeGreaterThan(0);
    const told = 'The operator’s budget for this is used up: ask again later.';
    expect([app.interrupted[0]?.reason.message, messageOf(app.meter.check(next))]).toEqual([told, told]);
  });

  it('is not ended by the limit of turns', async () => {
    const app = await aBudget();
    await app.budgets.set('day', { turns: 1 });
    const row = await app.queue('t1');
    await app.start(row);
    app.report(row, { input_tokens: 5 });
    await expect.poll(async () => (await app.budgets.get('day')).spent.tokens).toBe(5);
    expect(app.interrupted).toEqual([]);
    expect((await app.budgets.get('day')).state).toBe('reached');
  });

  it('is counted by its highest report, and nothing that was never reported is counted', async () => {
    const app = await aBudget();
    const row = await app.queue('t1');
    await app.start(row);
    const spent = () => app.budgets.get('day').spent;
    expect(spent()).toEqual({ tokens: null, cost_usd: null, minutes: 0, turns: 1 });
    const reports = [
      [{ output_tokens: 4 }, { tokens: 4, cost_usd: null }],
      [{ cost_usd: 0.5 }, { tokens: 4, cost_usd: 0.5 }],
      [
        { input_tokens: 9, output_tokens: 4, cost_usd: 0.75 },
        { tokens: 13, cost_usd: 0.75 },
      ],
      [
        { input_tokens: 2, cost_usd: 0.25 },
        { tokens: 13, cost_usd: 0.75 },
      ],
      [{}, { tokens: 13, cost_usd: 0.75 }],
      [null, { tokens: 13, cost_usd: 0.75 }],
    ] as const;
    for (const [at, [usage, counted]] of reports.entries()) {
      app.report(row, usage, (at + 1) * 60_000);
      await expect.poll(() => spent().minutes).toBe(at + 1);
      expect(spent()).toMatchObject(counted);
    }
    await app.end(row, { input_tokens: 20, cost_usd: 1 });
    await spend(app, 't2', 1);
    expect(spent()).toEqual({ tokens: 21, cost_usd: 1, minutes: 6, turns: 2 });
  });

  it('is counted every ten seconds, and sooner where a limit of minutes is near; not while it is paused', async () => {
    const app = await aBudget();
    const row = await app.queue('t1');
    await app.start(row);
    const [running] = app.running;
    const minutes = () => app.budgets.get('day').spent.minutes;
    const run = (ms: number) => {
      if (running) running.ranMs += ms;
      app.clock.advance(ms);
    };
    run(9_999);
    run(1);
    await expect.poll(minutes).toBe(1 / 6);
    await app.budgets.set('day', { minutes: 0.2 });
    run(1_999);
    expect(minutes()).toBe(1 / 6);
    run(1);
    await expect.poll(() => app.interrupted.length).toBeGreaterThan(0);
    expect(minutes()).toBe(0.2);
    if (running) running.isPaused = true;
    app.meter.settle();
    const { length } = app.interrupted;
    app.clock.advance(60_000);
    await app.write(() => undefined);
    expect(app.interrupted).toHaveLength(length);
  });

  it('is counted no sooner for limits of other kinds, or of turns that do not run', async () => {
    const app = await aBudget();
    await app.budgets.set('day', { tokens: 1_000 });
    await app.budgets.set('member:porter', { minutes: 0.01 });
    const other = await app.queue('t0', { conv: 'c0', member: 'porter' });
    await app.start(other);
    app.report(other, null, 1_000);
    await expect.poll(() => app.budgets.get('member:porter').state).toBe('reached');
    await app.end(other, null);
    const row = await app.queue('t1');
    await app.start(row);
    Object.assign(app.running[0] ?? {}, { ranMs: 5_000 });
    app.clock.advance(9_999);
    await app.write(() => undefined);
    expect(app.budgets.get('member:guide').spent.minutes).toBe(0);
    app.clock.advance(1);
    await expect.poll(() => app.budgets.get('member:guide').spent.minutes).toBe(1 / 12);
  });

  it('is counted at most four times a second, however near its limit of minutes is', async () => {
    const app = await aBudget();
    const row = await app.queue('t1');
    await app.start(row);
    app.report(row, null, 60_000 - 10);
    await expect.poll(() => app.budgets.get('day').spent.minutes).toBeGreaterThan(0.9);
    await app.budgets.set('day', { minutes: 1 });
    Object.assign(app.running[0] ?? {}, { ranMs: 60_000 });
    app.clock.advance(249);
    await app.write(() => undefined);
    expect(app.interrupted).toEqual([]);
    app.clock.advance(1);
    await expect.poll(() => app.interrupted.length).toBeGreaterThan(0);
  });

  it('is looked at by no timer once none runs', async () => {
    const app = await aBudget();
    const { pending } = app.clock;
    const row = await app.queue('t1');
    await app.start(row);
    expect(app.clock.pending).toBe(pending + 1);
    await app.end(row, null);
    app.meter.settle();
    expect(app.clock.pending).toBe(pending);
  });

  it('has run for whole milliseconds', async () => {
    const app = await aBudget();
    const row = await app.queue('t1');
    await app.start(row);
    app.report(row, { input_tokens: 1 }, 1_499.6);
    await expect.poll(() => app.budgets.get('day').spent.minutes).toBe(0.025);
  });

  it('is counted again when it reports while it is counted', async () => {
    const app = await aBudget();
    const row = await app.queue('t1');
    await app.start(row);
    let reads = 0;
    // The next report arrives while this one is read.
    const get = () => {
      reads += 1;
      if (reads === 1) app.meter.reported();
      return { input_tokens: reads === 1 ? 5 : 9 };
    };
    Object.defineProperty(app.running[0], 'usage', { get });
    app.meter.reported();
    await expect.poll(() => app.budgets.get('day').spent.tokens).toBe(9);
  });

  it('leaves nothing behind but what it has spent', async () => {
    const app = await aBudget();
    const row = await app.queue('t1');
    await app.start(row);
    const counted = () => app.write((transaction) => transaction.sql('SELECT turn FROM budget_turns').pluck().all());
    expect(await counted()).toEqual(['t1']);
    await app.end(row, { input_tokens: 5 });
    app.report(row, { input_tokens: 9 });
    expect(await counted()).toEqual([]);
    expect(app.budgets.get('day').spent.tokens).toBe(5);
  });

  it('shares what is left of the minutes with the others', async () => {
    const app = await aBudget();
    await app.budgets.set('member:guide', { minutes: 0.1 });
    const rows = [await app.queue('t1'), await app.queue('t2', { conv: 'c2' })];
    for (const row of [...rows, await app.queue('t3', { conv: 'c3', member: 'porter' })]) await app.start(row);
    app.clock.advance(2_999);
    for (const one of app.running) one.ranMs = 3_000;
    app.clock.advance(1);
    await expect.poll(() => app.interrupted.map(({ turn }) => turn)).toEqual(['t1', 't2']);
    expect(app.budgets.get('member:guide').spent.minutes).toBe(0.1);
  });

  it('is neither counted nor ended once the daemon stops', async () => {
    const app = await aBudget();
    await spend(app, 't0', 10);
    const row = await app.queue('t1');
    await app.start(row);
    app.budgets.stop();
    expect(app.clock.pending).toBe(0);
    await app.budgets.set('day', { tokens: 10 });
    app.report(row, { input_tokens: 10 });
    app.clock.advance(60_000);
    await app.write(() => undefined);
    app.meter.settle();
    expect(app.interrupted).toEqual([]);
    expect(app.budgets.get('day').spent.tokens).toBe(10);
  });
});

describe('a client that does not report', () => {
  it('is named once for what it left out, when it has answered', async () => {
    const app = await aBudget();
    const run = async (turn: string, client: string, usage: Parameters<TestBudget['end']>[1], outcome?: 'failed') => {
      const row = await app.queue(turn);
      await app.start(row, client);
      await app.end(row, usage, outcome);
    };
    await run('t1', 'acp', { input_tokens: 1 });
    await run('t2', 'acp', { output_tokens: 1 });
    await run('t3', 'api', { cost_usd: 1 });
    await run('t4', 'builtin', null);
    await run('t5', 'lost', null, 'failed');
    await run('t6', 'good', { input_tokens: 1, output_tokens: 1, cost_usd: 1 });
    for (const scope of ['day', 'member:guide', 'conversation:c1'])
      expect(app.budgets.get(scope).not_reported).toEqual({
        tokens: ['api', 'builtin'],
        cost_usd: ['acp', 'builtin'],
      });
    expect(app.budgets.get('member:porter').not_reported).toEqual({ tokens: [], cost_usd: [] });
  });
});

describe('a turn that others asked for', () => {
  it('counts for all conversations up to the first, and once for its member', async () => {
    const app = await aBudget();
    const [first, second] = [await app.queue('t1'), await app.queue('t2', { conv: 'c2', member: 'porter' })];
    const third = await app.queue('t3', { conv: 'c3', member: null });
    await app.ask(second, { parent: { turn: first.turn, conv: 'c1' }, asked_by: 'guide', waits: true });
    await app.ask(third, { parent: { turn: second.turn, conv: 'c2' }, asked_by: 'porter', waits: true });
    await app.start(third);
    await app.end(third, { input_tokens: 7 });
    const tokens = (scope: string) => app.budgets.get(scope).spent.tokens;
    for (const scope of ['conversation:c1', 'conversation:c2', 'conversation:c3', 'day']) expect(tokens(scope)).toBe(7);
    for (const scope of ['member:guide', 'member:porter']) expect(tokens(scope)).toBeNull();
    await app.start(second);
    await app.end(second, { input_tokens: 1 });
    expect(['conversation:c1', 'conversation:c3', 'member:porter', 'member:guide'].map(tokens)).toEqual([
      8,
      7,
      1,
      null,
    ]);
  });
});

describe('a turn of which the asking conversation is gone', () => {
  it('counts for its own alone', async () => {
    const app = await aBudget();
    const [first, second] = [await app.queue('t1'), await app.queue('t2', { conv: 'c2', member: 'porter' })];
    await app.ask(second, { parent: { turn: first.turn, conv: 'c1' }, asked_by: 'guide', waits: false });
    await app.write((transaction) => transaction.sql("DELETE FROM conversations WHERE conv = 'c1'").run());
    await app.start(second);
    await app.end(second, { input_tokens: 7 });
    const tokens = (scope: string) => app.budgets.get(scope).spent.tokens;
    expect(['conversation:c1', 'conversation:c2', 'member:porter', 'day'].map(tokens)).toEqual([null, 7, 7, 7]);
  });
});

describe('the operator', () => {
  it('is told nothing while nothing changes, and sees budgets without a limit last', async () => {
    const app = await aBudget();
    expect([app.news(), app.pumped.times]).toEqual([[], 0]);
    await app.budgets.set('member:guide', { tokens: 5 });
    expect(app.budgets.list().budgets.map(({ scope, share, waiting }) => [scope, share, waiting])).toEqual([
      ['member:guide', 0, 0],
      ['day', null, 0],
    ]);
    await app.budgets.raise('member:guide', { limits: { tokens: null } });
    expect(app.budgets.list().budgets.map(({ scope, share }) => [scope, share])).toEqual([
      ['day', null],
      ['member:guide', null],
    ]);
  });

  it('sees how many turns wait for each budget, of which those that run are none', async () => {
    const app = await aBudget();
    await app.budgets.set('day', { turns: 1 });
    await app.budgets.set('member:guide', { turns: 1 });
    await app.budgets.set('member:porter', { turns: 1 });
    await app.start(await app.queue('t1'));
    await app.queue('t2');
    await app.queue('t3', { conv: 'c3', member: 'porter' });
    expect(Object.fromEntries(app.budgets.list().budgets.map(({ scope, waiting }) => [scope, waiting]))).toEqual({
      ...{ day: 2, 'member:guide': 1, 'member:porter': 0 },
    });
    expect(['day', 'member:guide', 'conversation:c1'].map((scope) => app.budgets.get(scope).waiting)).toEqual([
      2, 1, 0,
    ]);
  });

  it('sees the budgets in the order of need, and what was spent today', async () => {
    const app = await aBudget();
    expect(app.budgets.list()).toMatchObject({
      budgets: [{ scope: 'day', name: 'name of day', limits: { tokens: null }, state: 'ok', share: null, since: null }],
      day: '2026-11-21',
      ends_at: new Date(2026, 10, 22).toISOString(),
      time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    });
    await spend(app, 't1', 100);
    await spend(app, 't2', 100, 'c2', 'porter');
    for (const [scope, tokens] of [
      ['member:guide', 1000],
      ['member:porter', 1000],
      ['conversation:c1', 110],
      ['conversation:c2', 100],
    ] as const)
      await app.budgets.set(scope, { tokens });
    await app.budgets.set('day', { cost_usd: 5 });
    expect(app.budgets.list().budgets.map(({ scope, state }) => `${scope} ${state}`)).toEqual([
      'conversation:c2 reached',
      'conversation:c1 warned',
      'member:guide ok',
      'member:porter ok',
      'day ok',
    ]);
  });

  it('sets limits in place of all earlier ones, which ends what runs over them and looks at what waits', async () => {
    const app = await aBudget();
    await app.budgets.set('day', { tokens: 100, turns: 10 });
    const row = await app.queue('t1');
    await app.start(row);
    app.report(row, { input_tokens: 50 });
    await expect.poll(() => app.budgets.get('day').spent.tokens).toBe(50);
    await app.budgets.raise('day', { limits: { tokens: 200 }, today: true });
    await app.budgets.leave('day');
    app.news();
    const { times } = app.pumped;
    expect(await app.budgets.set('day', { tokens: 50 })).toMatchObject({
      limits: { tokens: 50, turns: null },
      lasting: { tokens: 50, turns: null },
      is_left: false,
      state: 'reached',
      since: '2026-11-21T12:00:00.000Z',
    });
    expect(app.news()).toEqual(['budget.reached day', 'budget.changed day']);
    expect(app.interrupted.map(({ turn }) => turn)).toContain('t1');
    expect(app.pumped.times).toBe(times + 1);
  });

  it.each([
    [
      'no scope',
      'member:nobody',
      'There is no "member:nobody" to budget: give "day", "member:<id>" or "conversation:<id>".',
    ],
    ['a long one', `${'x'.repeat(90)}nobody`, `There is no "${'x'.repeat(80)}" to budget: give "day",`],
  ])('is told of %s', async (_, scope, message) => {
    const { budgets } = await aBudget();
    const refusal = { code: 'not_found', message: expect.stringContaining(message) };
    expect(() => budgets.get(scope)).toThrow(expect.objectContaining(refusal));
    await expect(budgets.set(scope, { turns: 1 })).rejects.toMatchObject(refusal);
  });

  it('is told of what is no limit, no raise and no budget', async () => {
    const { budgets } = await aBudget();
    const told = 'Give at least one limit, or remove the budget.';
    for (const edit of [{}, { tokens: null }])
      await expect(budgets.set('day', edit)).rejects.toMatchObject({ code: 'bad_request', message: told });
    const none = { code: 'not_found', message: 'There is no budget for "day".' };
    await expect(budgets.clear('day')).rejects.toMatchObject(none);
    await expect(budgets.leave('day')).rejects.toMatchObject(none);
    await expect(budgets.raise('day', { percent: 50 })).rejects.toMatchObject(none);
    const long = { message: `There is no budget for "${'y'.repeat(80)}".` };
    await expect(budgets.clear('y'.repeat(81))).rejects.toMatchObject(long);
    for (const raise of [{}, { percent: 50, limits: { turns: 2 } }])
      await expect(budgets.raise('day', raise)).rejects.toMatchObject({
        ...{ code: 'bad_request', message: 'Give either "percent" or "limits".', details: { path: 'percent' } },
      });
  });

  it('raises limits above what was spent, for good or for today', async () => {
    const app = await aBudget();
    await app.budgets.set('day', { tokens: 100, turns: 1 });
    await spend(app, 't1', 100);
    await expect(app.budgets.raise('day', { limits: { tokens: 100 } })).rejects.toMatchObject({
      ...{ code: 'bad_request', message: 'Give a higher limit: 100 tokens of 100 tokens are spent already.' },
      ...{ details: { path: 'limits.tokens' } },
    });
    // Only what is given must leave room.
    expect(await app.budgets.raise('day', { limits: { tokens: 101 }, today: true })).toMatchObject({
      limits: { tokens: 101, turns: 1 },
      lasting: { tokens: 100, turns: 1 },
      state: 'reached',
    });
    expect(await app.budgets.raise('day', { limits: { turns: null, cost_usd: 0.5 } })).toMatchObject({
      limits: { tokens: 101, turns: null, cost_usd: 0.5 },
      lasting: { tokens: 101, turns: null, cost_usd: 0.5 },
      state: 'warned',
    });
    await app.budgets.leave('day');
    app.news();
    expect(await app.budgets.raise('day', { percent: 50 })).toMatchObject({
      limits: { tokens: 152, cost_usd: 0.5 },
      ...{ state: 'ok', is_left: false, since: null },
    });
    expect(app.news()).toEqual(['budget.changed day', 'budget.changed day']);
  });

  it('removes a budget, and what was spent stays', async () => {
    const app = await aBudget();
    await app.budgets.set('day', { tokens: 100 });
    await spend(app, 't1', 100);
    const { times } = app.pumped;
    app.news();
    await app.budgets.clear('day');
    expect([app.news(), app.pumped.times]).toEqual([['budget.changed day'], times + 1]);
    expect(app.budgets.get('day')).toMatchObject({ spent: { tokens: 100 }, state: 'ok', limits: { tokens: null } });
  });

  it('of a member that is gone is not listed, and applies again when the member comes back', async () => {
    const { budgets, gone } = await aBudget();
    for (const scope of ['member:guide', 'member:porter', 'day']) await budgets.set(scope, { turns: 5 });
    gone.add('member:guide');
    expect(budgets.list().budgets.map(({ scope }) => scope)).toEqual(['day', 'member:porter']);
    gone.clear();
    expect(budgets.get('member:guide').limits).toMatchObject({ turns: 5 });
  });
});

describe('a budget of a conversation', () => {
  it('goes with it, with all that was spent', async () => {
    const app = await aBudget();
    await app.budgets.set('conversation:c1', { tokens: 50 });
    await spend(app, 't1', 7);
    await app.write((transaction) => transaction.sql("DELETE FROM conversations WHERE conv = 'c1'").run());
    expect(app.budgets.list().budgets.map(({ scope }) => scope)).toEqual(['day']);
    expect(app.budgets.get('conversation:c1').spent.tokens).toBeNull();
    expect(app.budgets.get('member:guide').spent.tokens).toBe(7);
  });
});

describe('what the operator is told of a budget', () => {
  it('is the warning once a day, the limit, and that there is room again', async () => {
    const app = await aBudget();
    await app.budgets.set('day', { tokens: 100 });
    app.news();
    await spend(app, 't1', 79);
    expect(app.news()).toEqual([]);
    await spend(app, 't2', 1);
    expect(app.news()).toEqual(['budget.warned day']);
    await spend(app, 't3', 1);
    expect(app.news()).toEqual([]);
    await app.budgets.set('day', { tokens: 500 });
    await app.budgets.set('day', { tokens: 100 });
    // The change of the state comes first, then the change of the limits.
    expect(app.news()).toEqual(Array.from({ length: 4 }, () => 'budget.changed day'));
    await spend(app, 't4', 50);
    expect(app.news()).toEqual(['budget.reached day']);
    await app.budgets.set('day', { tokens: 150 });
    expect(app.news()).toEqual(['budget.changed day', 'budget.changed day']);
    expect(app.budgets.get('day').state).toBe('warned');
    await passMidnight(app);
    app.news();
    await spend(app, 't5', 120);
    expect(app.news()).toEqual(['budget.warned day']);
  });

  it('is the warning again on another day, although there was room meanwhile', async () => {
    const app = await aBudget();
    await app.budgets.set('conversation:c1', { tokens: 100 });
    await spend(app, 't1', 80);
    await passMidnight(app);
    await app.budgets.set('conversation:c1', { tokens: 200 });
    app.news();
    await spend(app, 't2', 80);
    expect(app.news()).toEqual(['budget.warned conversation:c1']);
  });

  it('has the time since when, which a turn in the same state does not move', async () => {
    const app = await aBudget();
    await app.budgets.set('conversation:c1', { tokens: 100 });
    await spend(app, 't1', 100);
    const since = '2026-11-21T12:00:00.000Z';
    await app.budgets.leave('conversation:c1');
    app.news();
    await passMidnight(app);
    await spend(app, 't2', 1);
    expect(app.budgets.get('conversation:c1')).toMatchObject({ since, is_left: true, state: 'reached' });
    expect(app.news()).toEqual(['budget.changed day']);
  });
});

describe('at midnight', () => {
  it('daily budgets begin anew, and what waits is looked at', async () => {
    const app = await aBudget();
    await app.budgets.set('member:guide', { tokens: 100 });
    await app.budgets.set('conversation:c1', { tokens: 100 });
    await spend(app, 't1', 100);
    await app.budgets.raise('member:guide', { percent: 10, today: true });
    expect(app.budgets.get('member:guide')).toMatchObject({ state: 'warned', limits: { tokens: 110 } });
    const [{ times }, midnight] = [{ ...app.pumped }, new Date(2026, 10, 22).getTime()];
    app.news();
    app.clock.advance(midnight - app.clock.now() - 1);
    await app.write(() => undefined);
    expect([app.news(), app.pumped.times]).toEqual([[], times]);
    app.clock.advance(1);
    // Not yet looked at, and the view is of the new day all the same.
    expect(app.budgets.get('member:guide')).toMatchObject({
      ...{ state: 'ok', limits: { tokens: 100 }, since: null },
      spent: { tokens: null, turns: 0 },
    });
    await expect.poll(() => app.news()).toEqual(['budget.changed day']);
    expect(app.pumped.times).toBe(times + 1);
    expect(app.budgets.get('conversation:c1').spent.tokens).toBe(100);
    app.clock.advance(60_000);
    await app.write(() => undefined);
    expect(app.pumped.times).toBe(times + 1);
  });

  it('the day before is kept, for a clock that is set back, and no other', async () => {
    const app = await aBudget();
    await spend(app, 't1', 100);
    const tokens = () => app.budgets.get('day').spent.tokens;
    await passMidnight(app);
    app.clock.step(-DAY_MS);
    expect(tokens()).toBe(100);
    app.clock.step(DAY_MS);
    await passMidnight(app);
    app.clock.step(-2 * DAY_MS);
    expect(tokens()).toBeNull();
  });
});
