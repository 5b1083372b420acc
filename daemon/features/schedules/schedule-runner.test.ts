import { describe, expect, it } from 'vitest';
import type { MissedRule } from '../../contract/work/schedules.js';
import { MeshError } from '../../lib/errors.js';
import { DAY_MS, daily, HOUR_MS, Machine, MINUTE_MS } from '../../testing/parts/scheduling.js';

describe('a schedule', () => {
  it('runs at its times, each in a conversation of its own with the date and its title', async () => {
    const { machine, daemon, id, pass, list } = await daily();
    expect(daemon.schedules.get(id).next_runs.map(({ local }) => local)).toEqual([
      'Fri 2026-11-27 09:00',
      'Sat 2026-11-28 09:00',
      'Sun 2026-11-29 09:00',
    ]);
    await pass(30 * MINUTE_MS - 1);
    expect(list()).toEqual([]);
    await pass(1);
    expect(list()).toEqual(['time running 11-27T08:00']);
    const title = machine.database.sql('SELECT title, schedule_id FROM conversations').get();
    expect(title).toEqual({ title: '2026-11-27 09:00 Look', schedule_id: id });
    await daemon.end('turn-1');
    await pass(DAY_MS);
    expect(list()).toEqual(['time running 11-28T08:00', 'time ended 11-27T08:00']);
    expect(machine.countTurns()).toBe(2);
    expect(daemon.errors).toEqual([]);
  });

  it('runs at the hour of its zone after clocks were put forward and back, once each day', async () => {
    const { machine, daemon, id } = await daily('skip', '30 2 * * *');
    for (const from of ['2026-03-28T12:00:00Z', '2026-10-24T12:00:00Z']) {
      machine.clock.step(Date.parse(from) - machine.clock.now());
      await daemon.schedules.patch(id, { cron: '30 2 * * *' });
      const before = machine.countTurns();
      for (let hour = 0; hour < 48; hour += 1) {
        for (let minute = 0; minute < 60; minute += 30) {
          machine.clock.advance(30 * MINUTE_MS);
          await daemon.runner.wake();
          const open = daemon.schedules.get(id).last_runs.find(({ state }) => state === 'running');
          if (open?.conv) await daemon.end(open.conv.replace('conv', 'turn'));
        }
      }
      expect(machine.countTurns() - before).toBe(2);
    }
    expect(daemon.schedules.get(id).last_runs.map(({ due_at }) => due_at.slice(5, 16))).toEqual([
      '10-26T01:30',
      '10-25T00:30',
      '03-30T00:30',
      '03-29T01:00',
    ]);
  });

  it('skips a run while the one before it has not ended, and tells of it once', async () => {
    const { daemon, id, pass, list } = await daily('once', '* * * * *');
    await pass(MINUTE_MS);
    await pass(MINUTE_MS);
    const first = daemon.schedules.get(id).needs_you;
    expect(first).toMatchObject({ state: 'skipped', code: 'overlap' });
    await pass(MINUTE_MS);
    expect(daemon.schedules.get(id).needs_you).toEqual(first);
    expect((await daemon.schedules.patch(id, { seen: first?.run ?? '' })).needs_you).toBeNull();
    await pass(MINUTE_MS);
    expect(daemon.schedules.get(id).needs_you).toBeNull();
    await daemon.end('turn-1', 'failed', 'client_failed');
    expect(daemon.schedules.get(id).needs_you).toMatchObject({ state: 'ended', code: 'client_failed' });
    await pass(MINUTE_MS);
    expect(list()[0]).toBe('time running 11-27T07:35');
  });

  it.each<[MissedRule, string[]]>([
    ['skip', ['time running 11-30T08:00', 'missed skipped 11-29T08:00 x3 missed']],
    ['once', ['missed running 11-29T08:00 x3']],
    ['all', ['missed waiting 11-29T08:00', 'missed waiting 11-28T08:00', 'missed running 11-27T08:00']],
  ])('that was missed three times is made up for by the rule %s', async (missed, expected) => {
    const { machine, daemon, pass, list } = await daily(missed);
    // The machine sleeps: wall time passes and no timer runs.
    machine.clock.step(3 * DAY_MS);
    await pass(0);
    if (missed === 'skip') await pass(30 * MINUTE_MS);
    expect(list()).toEqual(expected);
    if (missed !== 'all') return;
    await daemon.end('turn-1');
    await pass(0);
    expect(list()[1]).toBe('missed waiting 11-28T08:00');
    await pass(MINUTE_MS);
    expect(list()[1]).toBe('missed running 11-28T08:00');
    await daemon.end('turn-2');
    await pass(MINUTE_MS);
    expect(list()[0]).toBe('missed running 11-29T08:00');
  });

  it('makes up for twenty missed times at most, and notices them within half a minute of waking up', async () => {
    const { machine, daemon, list } = await daily('all', '0 * * * *');
    machine.clock.step(60 * HOUR_MS);
    machine.clock.advance(30_000);
    await daemon.runner.wake();
    expect(machine.database.sql('SELECT count(*) AS n FROM schedule_runs').get()).toEqual({ n: 20 });
    expect(list()[0]).toBe('missed waiting 11-29T19:00');
  });

  it('runs again at its next time after the clock was set back, and no time twice', async () => {
    const { machine, daemon, id, pass, list } = await daily();
    await pass(30 * MINUTE_MS);
    await daemon.end('turn-1');
    await pass(30 * MINUTE_MS);
    machine.clock.step(-50 * MINUTE_MS);
    await pass(30 * MINUTE_MS);
    expect(list()).toEqual(['time ended 11-27T08:00']);
    // A clock that was years ahead does not silence the schedule.
    machine.clock.step(400 * DAY_MS);
    await pass(0);
    await daemon.end('turn-2');
    machine.clock.step(-400 * DAY_MS);
    await pass(0);
    expect(daemon.schedules.get(id).next_runs[0]?.local).toBe('Sat 2026-11-28 09:00');
    await pass(DAY_MS);
    expect(list()[0]).toBe('missed running 11-28T08:00');
  });

  it('is refused without a model, told of once, and makes no conversation', async () => {
    const { machine, daemon, id, pass, list } = await daily();
    machine.problem = 'No model is connected.';
    await pass(30 * MINUTE_MS);
    const told = daemon.schedules.get(id).needs_you;
    expect(told).toMatchObject({ state: 'refused', code: 'no_working_client', reason: 'No model is connected.' });
    await pass(DAY_MS);
    expect(daemon.schedules.get(id).needs_you).toEqual(told);
    expect(list()).toHaveLength(2);
    expect(machine.countTurns()).toBe(0);
    await expect(daemon.runner.runNow(id)).rejects.toMatchObject({ code: 'no_working_client' });
  });

  it('runs when asked, also while it is paused, and not twice within a minute', async () => {
    const { daemon, id, pass, list } = await daily();
    await daemon.schedules.patch(id, { paused: true });
    expect(await daemon.runner.runNow(id)).toMatchObject({ cause: 'operator', state: 'running', conv: 'conv-1' });
    await expect(daemon.runner.runNow(id)).rejects.toMatchObject({ code: 'in_flight', details: { conv: 'conv-1' } });
    await daemon.end('turn-1');
    await pass(20_000);
    const early = { code: 'too_many_requests', details: { retry_after: 40 } };
    await expect(daemon.runner.runNow(id)).rejects.toMatchObject(early);
    await pass(3 * DAY_MS);
    expect(list()).toHaveLength(1);
    await daemon.schedules.patch(id, { paused: false });
    await pass(0);
    expect(list()).toHaveLength(1);
    expect(daemon.schedules.get(id).next_runs[0]?.local).toBe('Mon 2026-11-30 09:00');
  });

  it('after a task runs each time that the task becomes done', async () => {
    const machine = new Machine();
    const daemon = machine.boot();
    const wanted = { member: 'developer', text: 'Release', after_task: 'build' };
    await expect(daemon.schedules.create(wanted)).rejects.toMatchObject({ details: { path: 'after_task' } });
    const task = { id: 'build', state: 'done' };
    machine.tasks.push(task);
    await expect(daemon.schedules.create(wanted)).rejects.toThrow('done already');
    task.state = 'open';
    const { id } = await daemon.schedules.create(wanted);
    const pass = async () => {
      machine.clock.advance(10_000);
      await daemon.runner.wake();
    };
    const count = () => daemon.schedules.get(id).last_runs.length;
    await pass();
    expect(count()).toBe(0);
    task.state = 'done';
    await pass();
    await pass();
    expect(count()).toBe(1);
    await daemon.end('turn-1');
    task.state = 'open';
    await pass();
    task.state = 'done';
    await pass();
    expect(count()).toBe(2);
    expect(daemon.schedules.get(id).last_runs[0]).toMatchObject({ cause: 'task', state: 'waiting' });
  });

  it('after a task does not run again when the task was only out of sight', async () => {
    const machine = new Machine();
    const daemon = machine.boot();
    const task = { id: 'build', state: 'open' };
    machine.tasks.push(task);
    const { id } = await daemon.schedules.create({ member: 'developer', text: 'Release', after_task: 'build' });
    const pass = async () => {
      machine.clock.advance(10_000);
      await daemon.runner.wake();
    };
    const count = () => daemon.schedules.get(id).last_runs.length;
    task.state = 'done';
    await pass();
    await daemon.end('turn-1');
    machine.tasks.length = 0;
    machine.clock.advance(2 * MINUTE_MS);
    await pass();
    machine.tasks.push({ id: 'build', state: 'done' });
    await pass();
    expect(count()).toBe(1);
    // A conflict doubles the line.
    machine.tasks.push({ id: 'build', state: 'open' });
    await pass();
    machine.tasks.length = 1;
    await pass();
    expect(count()).toBe(1);
  });

  it('with times runs also while the roadmap of another cannot be read, which is told once', async () => {
    const { machine, daemon, pass, list } = await daily();
    machine.tasks.push({ id: 'build', state: 'open' });
    await daemon.schedules.create({ member: 'developer', text: 'Release', after_task: 'build' });
    const error = new Error('EISDIR');
    machine.tasksError = error;
    await pass(30 * MINUTE_MS);
    await pass(10_000);
    expect(list()).toEqual(['time running 11-27T08:00']);
    expect(daemon.errors).toEqual([error]);
  });

  it('is paused with the reason when its member is removed, also while no daemon runs', async () => {
    const { machine, daemon, id, pass } = await daily();
    await daemon.kill();
    machine.members.clear();
    const next = machine.boot();
    await pass(30 * MINUTE_MS - 1, next);
    expect(next.schedules.get(id)).toMatchObject({ paused: false });
    await pass(1, next);
    expect(next.schedules.get(id)).toMatchObject({
      paused: true,
      paused_reason: 'There is no member `developer` any more.',
      next_runs: [],
    });
    await expect(next.schedules.patch(id, { paused: false })).rejects.toMatchObject({ code: 'bad_request' });
    machine.members.add('developer');
    expect(await next.schedules.patch(id, { paused: false })).toMatchObject({ paused: false, paused_reason: null });
    await next.schedules.memberGone('developer');
    expect(next.schedules.get(id).paused_reason).toContain('developer');
  });

  it('keeps a hundred runs', async () => {
    const { machine, daemon, id } = await daily('skip', '* * * * *');
    for (let minute = 0; minute < 104; minute += 1) {
      machine.clock.advance(MINUTE_MS);
      await daemon.runner.wake();
    }
    expect(machine.database.sql('SELECT count(*) AS n FROM schedule_runs').get()).toEqual({ n: 101 });
    expect(daemon.schedules.get(id).last_runs).toHaveLength(10);
  });

  it('is refused beyond a hundred, and without exactly one of times and task', async () => {
    const { daemon } = await daily();
    const wanted = { member: 'developer', text: 'Look', cron: '0 9 * * *' };
    const expectPath = (given: object, path: string) =>
      expect(daemon.schedules.create({ ...wanted, ...given })).rejects.toMatchObject({ details: { path } });
    await expectPath({ after_task: 'build' }, 'cron');
    await expectPath({ member: 'nobody' }, 'member');
    await expectPath({ text: ' \n' }, 'text');
    await expectPath({ zone: 'Mars/City' }, 'zone');
    for (let count = 1; count < 100; count += 1) await daemon.schedules.create(wanted);
    await expect(daemon.schedules.create(wanted)).rejects.toEqual(
      new MeshError('limit_reached', 'There are 100 schedules already: delete one.'),
    );
    expect(daemon.schedules.list().count).toBe(100);
    expect(daemon.schedules.list({ needs_you: true }).count).toBe(0);
  });
});

describe('a daemon that is killed', () => {
  it('at any statement of a run neither loses nor doubles the run', async () => {
    let statements = 0;
    for (; statements < 100; statements += 1) {
      const { machine, daemon, pass, list } = await daily();
      machine.statementsLeft = statements;
      await pass(30 * MINUTE_MS);
      const hasCommitted = machine.statementsLeft >= 0;
      await daemon.kill();
      const next = machine.boot();
      await pass(20_000, next);
      expect(list(next), `killed after ${statements} statements`).toEqual(['time running 11-27T08:00']);
      expect(machine.countTurns()).toBe(1);
      await next.kill();
      const third = machine.boot();
      await pass(HOUR_MS, third);
      expect(machine.countTurns()).toBe(1);
      await third.kill();
      if (hasCommitted) break;
    }
    expect(statements).toBeGreaterThan(5);
    expect(statements).toBeLessThan(100);
  });

  it('treats what it missed as the schedule says, and goes on with runs that wait', async () => {
    const { machine, daemon, pass, list } = await daily('all');
    await daemon.kill();
    machine.clock.advance(2 * DAY_MS);
    const next = machine.boot();
    await pass(0, next);
    await next.kill();
    const third = machine.boot();
    await third.end('turn-1', 'failed', 'daemon_restarted');
    await pass(MINUTE_MS, third);
    expect(list(third)).toEqual(['missed running 11-28T08:00', 'missed ended 11-27T08:00 daemon_restarted']);
  });
});

describe('a run', () => {
  const START = Date.parse('2026-11-27T07:30:00Z');
  const lastRun = ({ daemon, id }: Awaited<ReturnType<typeof daily>>) => daemon.schedules.get(id).last_runs[0];

  it('is published, and nothing is while nothing is due', async () => {
    const { machine, pass } = await daily();
    machine.events.length = 0;
    await pass(30 * MINUTE_MS - 1);
    expect(machine.events).toEqual([]);
    await pass(1);
    expect(machine.events).toEqual(['schedules.updated']);
  });

  it.each([
    [MINUTE_MS, 'time'],
    [MINUTE_MS + 1, 'missed'],
  ])('that begins %d ms late is of the cause %s', async (late, cause) => {
    const parts = await daily();
    parts.machine.clock.step(30 * MINUTE_MS + late);
    await parts.pass(0);
    expect(lastRun(parts)).toMatchObject({ cause, state: 'running', times: 1, at: expect.any(String) });
  });

  it('is that of its time and makes up for those before, where it is on time', async () => {
    for (const [missed, expected] of [
      ['once', ['time running 11-27T07:33 x3']],
      ['skip', ['time running 11-27T07:33', 'missed skipped 11-27T07:32 x2 missed']],
      ['all', ['time waiting 11-27T07:33', 'missed waiting 11-27T07:32', 'missed running 11-27T07:31']],
    ] as const) {
      const { machine, pass, list } = await daily(missed, '* * * * *');
      machine.clock.step(3 * MINUTE_MS);
      await pass(0);
      expect(list()).toEqual(expected);
    }
  });

  it('waits behind one that has not ended, where all are made up for', async () => {
    const { machine, pass, list } = await daily('all', '* * * * *');
    await pass(MINUTE_MS);
    machine.clock.step(2 * MINUTE_MS);
    await pass(0);
    expect(list()).toEqual(['time waiting 11-27T07:33', 'missed waiting 11-27T07:32', 'time running 11-27T07:31']);
  });

  it('that is on time makes up for twenty others at most', async () => {
    const { machine, pass, list } = await daily('once', '* * * * *');
    machine.clock.step(25 * MINUTE_MS);
    await pass(0);
    expect(list()).toEqual(['time running 11-27T07:55 x21']);
  });

  it('is that of the stored time where the zone has other rules since', async () => {
    const { machine, pass, list } = await daily();
    machine.database.sql('UPDATE schedules SET due_ms = ?').run(START + 30_000);
    machine.clock.step(80_000);
    await pass(0);
    expect(list()).toEqual(['time running 11-27T07:30']);
  });

  it('that was missed while one had not ended is skipped', async () => {
    const { machine, pass, list, daemon, id } = await daily('once', '0 * * * *');
    await pass(30 * MINUTE_MS);
    machine.clock.step(2 * HOUR_MS + 30 * MINUTE_MS);
    await pass(0);
    expect(list()).toEqual(['missed skipped 11-27T10:00 x2 overlap', 'time running 11-27T08:00']);
    expect(daemon.schedules.get(id).needs_you).toMatchObject({
      ...{ code: 'overlap', reason: 'The run before it had not ended.', at: '2026-11-27T10:30:00.000Z' },
    });
  });

  it('that was missed and is not made up for says why, and tells nobody', async () => {
    const { machine, pass, daemon, id } = await daily('skip');
    machine.clock.step(2 * DAY_MS);
    await pass(0);
    const { last_runs, needs_you } = daemon.schedules.get(id);
    expect(last_runs).toMatchObject([
      {
        ...{ state: 'skipped', code: 'missed', reason: 'The daemon did not run then, or the machine slept.' },
        ...{ times: 2, at: '2026-11-28T08:00:00.000Z', due_at: '2026-11-28T08:00:00.000Z' },
      },
    ]);
    expect(needs_you).toBeNull();
  });

  it.each<[outcome: 'answered' | 'cancelled' | 'failed', code: string | null, isTold: boolean]>([
    ['answered', null, false],
    ['cancelled', 'cancelled', false],
    ['failed', 'client_failed', true],
  ])('that ended as %s is recorded', async (outcome, code, isTold) => {
    const parts = await daily();
    await parts.pass(30 * MINUTE_MS);
    parts.machine.events.length = 0;
    await parts.daemon.end('turn-1', outcome, code);
    expect(lastRun(parts)).toMatchObject({ state: 'ended', outcome, code, denied: 0 });
    expect(parts.daemon.schedules.get(parts.id).needs_you !== null).toBe(isTold);
    expect(parts.machine.events).toEqual(['schedules.updated']);
  });

  it('of a singleton goes on in its conversation', async () => {
    const { machine, pass, daemon, id } = await daily();
    await daemon.transactions.run((transaction) =>
      transaction
        .sql(
          "INSERT INTO conversations (conv, agent_type, title, created_ms, updated_ms) VALUES ('conv-9', 'custom', 'Home', 0, 0)",
        )
        .run(),
    );
    machine.home = 'conv-9';
    await pass(30 * MINUTE_MS);
    expect(daemon.schedules.get(id).last_runs[0]).toMatchObject({ state: 'running', conv: 'conv-9' });
    expect(machine.database.sql('SELECT title, schedule_id FROM conversations').all()).toEqual([
      { title: 'Home', schedule_id: null },
    ]);
  });

  it('is refused where its conversation has no room, and told', async () => {
    const parts = await daily();
    const { machine, pass, daemon, id } = parts;
    await pass(30 * MINUTE_MS);
    await daemon.end('turn-1');
    machine.home = 'conv-1';
    machine.full = new MeshError('too_many_requests', 'There are 20 messages already.');
    await pass(DAY_MS);
    const refused = {
      state: 'refused',
      code: 'too_many_requests',
      reason: 'There are 20 messages already.',
      conv: null,
    };
    expect([lastRun(parts), daemon.schedules.get(id).needs_you]).toMatchObject([refused, refused]);
    expect(daemon.errors).toEqual([]);
    expect(await daemon.runner.runNow(id)).toMatchObject(refused);
    const error = new TypeError('No space.');
    machine.full = error;
    await pass(DAY_MS);
    expect(daemon.errors).toEqual([error]);
  });

  it('that is refused for another reason than the one before is told again', async () => {
    const { machine, pass, daemon, id } = await daily();
    machine.problem = 'No model is connected.';
    await pass(30 * MINUTE_MS);
    const first = daemon.schedules.get(id).needs_you?.run;
    await pass(DAY_MS);
    expect(daemon.schedules.get(id).needs_you?.run).toBe(first);
    machine.problem = undefined;
    await pass(DAY_MS);
    machine.problem = 'No model is connected.';
    await pass(DAY_MS);
    expect(daemon.schedules.get(id).needs_you).toMatchObject({ code: 'overlap' });
    await daemon.end('turn-1');
    await pass(DAY_MS);
    expect(daemon.schedules.get(id).needs_you).toMatchObject({ code: 'no_working_client' });
  });

  it('has its schedule’s name and its own time in the zone', async () => {
    const { machine, daemon } = await daily();
    const { id } = await daemon.schedules.create({
      member: 'developer',
      text: 'Look',
      cron: '@daily',
      zone: 'Asia/Tokyo',
      title: 'T',
    });
    await daemon.runner.runNow(id);
    expect(machine.database.sql('SELECT title, schedule_id, schedule_title FROM conversations').all()).toEqual([
      { title: '2026-11-27 16:30 T', schedule_id: id, schedule_title: 'T' },
    ]);
  });

  it('begins a minute after the last one, or at once when that is in the future', async () => {
    const { daemon } = await daily();
    const { starts, runs, transactions, store } = daemon;
    const [row] = store.list();
    if (!row) throw new Error('There is no schedule.');
    await transactions.run((transaction) => {
      const { run } = starts.putWaiting(transaction, row, { cause: 'time', due_ms: 0, times: 1 });
      runs.putChange(transaction, run, { state: 'ended', at_ms: START });
      starts.putWaiting(transaction, row, { cause: 'time', due_ms: 0, times: 1 });
    });
    const waits = [-1, 0, 1, MINUTE_MS - 1, MINUTE_MS].map((ms) => starts.getWaitMs(row.id, START + ms));
    expect(waits).toEqual([0, MINUTE_MS, MINUTE_MS - 1, 1, 0]);
    expect([starts.canBegin(row.id, START + MINUTE_MS - 1), starts.canBegin(row.id, START + MINUTE_MS)]).toEqual([
      ...[false, true],
    ]);
    expect([starts.isFree(row.id), starts.isThrottled(row.id)]).toEqual([false, true]);
    expect([starts.isFree('sched-0'), starts.isThrottled('sched-0'), starts.getWaitMs('sched-0', 0)]).toEqual([
      ...[true, false, 0],
    ]);
  });
});

describe('a run that is asked for', () => {
  it('is shown as it runs, and published', async () => {
    const { machine, daemon, id } = await daily();
    machine.events.length = 0;
    expect(await daemon.runner.runNow(id)).toMatchObject({
      ...{ cause: 'operator', state: 'running', times: 1, conv: 'conv-1' },
      ...{ due_at: '2026-11-27T07:30:00.000Z', at: '2026-11-27T07:30:00.000Z' },
    });
    expect(machine.events).toEqual(['schedules.updated']);
  });

  it('is refused with the reason', async () => {
    const { machine, daemon, id, pass } = await daily('all');
    const run = (of = id) => daemon.runner.runNow(of);
    await expect(run('sched-0')).rejects.toMatchObject({ code: 'not_found' });
    machine.problem = 'No model is connected.';
    await expect(run()).rejects.toMatchObject({ code: 'no_working_client', message: 'No model is connected.' });
    machine.problem = undefined;
    await run();
    const open = { code: 'in_flight', message: 'A run of this schedule has not ended yet.' };
    await expect(run()).rejects.toMatchObject({ ...open, details: { conv: 'conv-1' } });
    await daemon.end('turn-1');
    await pass(59_999);
    await expect(run()).rejects.toMatchObject({
      ...{ code: 'too_many_requests', details: { retry_after: 1 } },
      message: 'The last run of this schedule began less than a minute ago.',
    });
    await pass(1);
    await run();
    machine.clock.step(2 * DAY_MS);
    await pass(0);
    await daemon.transactions.run((transaction) =>
      transaction.sql("UPDATE schedule_runs SET state = 'ended' WHERE turn IS NOT NULL").run(),
    );
    await expect(run()).rejects.toMatchObject({ ...open, details: { conv: null } });
    machine.members.clear();
    await expect(run()).rejects.toMatchObject({
      ...{ code: 'member_gone', message: 'There is no member `developer` any more.' },
    });
  });
});

describe('a check', () => {
  it('pauses a schedule whose zone is not known any more, and the others go on', async () => {
    const { machine, daemon, id, pass, list } = await daily();
    const { id: other } = await daemon.schedules.create({
      member: 'developer',
      text: 'Look',
      cron: '0 8 * * *',
      zone: 'UTC',
    });
    await daemon.schedules.patch(id, { title: 'First' });
    machine.database.sql("UPDATE schedules SET zone = 'Mars/City' WHERE id = ?").run(id);
    await pass(30 * MINUTE_MS);
    expect(daemon.schedules.get(id)).toMatchObject({
      ...{ paused: true, paused_reason: 'This machine does not know the time zone Mars/City.', next_runs: [] },
    });
    expect([list(), daemon.schedules.get(other).last_runs.length, daemon.errors]).toEqual([[], 1, []]);
  });

  it.each([
    ['paused', { paused: 1 }],
    ['given to another member', { member: 'other' }],
  ] as const)('begins no run of a schedule that was %s meanwhile', async (_title, change) => {
    const { machine, daemon, id, pass, list } = await daily();
    machine.members.add('other');
    machine.onProblem = () => {
      machine.onProblem = () => undefined;
      void daemon.transactions.run((transaction) => daemon.store.putChange(transaction, id, change));
    };
    machine.events.length = 0;
    machine.clock.step(30 * MINUTE_MS);
    await daemon.runner.wake();
    expect([list(), machine.events]).toEqual([[], []]);
    await pass(0);
    expect(list()).toHaveLength('member' in change ? 1 : 0);
  });

  it('begins no run of a schedule that was removed meanwhile', async () => {
    const { machine, daemon, id, pass } = await daily();
    machine.onProblem = () => void daemon.transactions.run((transaction) => daemon.store.drop(transaction, id));
    await pass(30 * MINUTE_MS);
    expect([daemon.store.count(), machine.countTurns(), daemon.errors]).toEqual([0, 0, []]);
  });

  it('begins no run once the daemon stops', async () => {
    const { machine, daemon, pass, list } = await daily();
    machine.onProblem = () => void daemon.runner.stop();
    await pass(30 * MINUTE_MS);
    expect([list(), machine.clock.pending]).toEqual([[], 0]);
    machine.onProblem = () => undefined;
    await pass(DAY_MS);
    expect(list()).toEqual([]);
  });

  it('reads the roadmap only for schedules that wait for a task', async () => {
    const { machine, daemon, pass } = await daily();
    await pass(30 * MINUTE_MS);
    expect(machine.tasksRead).toBe(0);
    machine.tasks.push({ id: 'build', state: 'open' });
    const { id } = await daemon.schedules.create({ member: 'developer', text: 'Look', after_task: 'build' });
    await pass(0);
    expect(machine.tasksRead).toBeGreaterThan(1);
    await daemon.schedules.patch(id, { paused: true });
    await pass(0);
    machine.tasksRead = 0;
    await pass(0);
    expect(machine.tasksRead).toBe(0);
  });

  it('that fails is told, and done again half a minute later', async () => {
    const { machine, daemon, list } = await daily();
    const error = new Error('No space.');
    machine.onProblem = () => {
      throw error;
    };
    machine.clock.advance(30 * MINUTE_MS);
    await daemon.runner.wake();
    machine.onProblem = () => undefined;
    const { length } = daemon.errors;
    expect(daemon.errors[0]).toBe(error);
    machine.clock.advance(29_999);
    expect([daemon.errors.length, list()]).toEqual([length, []]);
    machine.clock.advance(1);
    await daemon.runner.wake();
    expect(list()).toEqual(['time running 11-27T08:00']);
  });
});

describe('the next check', () => {
  /** How long after `given` schedules were made the next check comes. */
  async function findDelay(given: readonly object[], after: (machine: Machine) => void = () => undefined) {
    const machine = new Machine();
    machine.tasks.push({ id: 'build', state: 'open' });
    const { schedules, runner } = machine.boot();
    for (const one of given) await schedules.create({ member: 'developer', text: 'Look', ...one });
    after(machine);
    await runner.wake();
    await runner.wake();
    let delay: number | undefined;
    const { clock } = machine;
    const { pending } = clock;
    const begun = clock.elapsed();
    for (const ms of [99, 1, 4_899, 1, 4_999, 1, 19_999, 1]) {
      clock.advance(ms);
      if (clock.pending < pending) {
        delay = clock.elapsed() - begun;
        break;
      }
    }
    await runner.stop();
    return [pending, delay];
  }
  const daily9 = { cron: '0 9 * * *', zone: 'UTC' };

  it.each<[title: string, given: readonly object[], step: number, expected: [number, number | undefined]]>([
    ['never without a schedule', [], 0, [0, undefined]],
    ['never while all are paused', [{ ...daily9, paused: true }], 0, [0, undefined]],
    ['is half a minute away at most', [daily9], 0, [1, 30_000]],
    ['comes in time', [daily9], 90 * MINUTE_MS - 5_000, [1, 5_000]],
    ['is not at once', [daily9], 90 * MINUTE_MS - 50, [1, 100]],
    ['comes after ten seconds for a task', [{ after_task: 'build' }], 0, [1, 10_000]],
    ['comes for the first of several', [{ after_task: 'build' }, daily9], 90 * MINUTE_MS - 5_000, [1, 5_000]],
  ])('%s', async (_title, given, step, expected) => {
    expect(await findDelay(given, ({ clock }) => clock.step(step))).toEqual(expected);
  });

  it('comes when a run that waits may begin', async () => {
    const { machine, daemon, pass, list } = await daily('all', '0 9 * * *');
    machine.clock.step(2 * DAY_MS);
    await pass(0);
    await daemon.end('turn-1');
    await pass(0);
    await pass(55_000);
    expect(list()[0]).toBe('missed waiting 11-28T08:00');
    machine.clock.advance(5_000);
    await expect.poll(() => list()[0]).toBe('missed running 11-28T08:00');
  });
});

describe('a clock that is set back', () => {
  it('before times that were missed runs them when they come', async () => {
    const { machine, daemon, id, pass } = await daily();
    machine.clock.step(3 * DAY_MS);
    await pass(0);
    machine.clock.step(-2 * DAY_MS);
    await pass(0);
    expect(daemon.schedules.get(id).next_runs[0]?.local).toBe('Sat 2026-11-28 09:00');
  });

  it.each([
    [HOUR_MS, 'Sat 2026-11-28 09:00'],
    [HOUR_MS + 1, 'Fri 2026-11-27 09:00'],
  ])('by %d ms and no more does not repeat a time', async (back, next) => {
    const { machine, daemon, id, pass } = await daily();
    await pass(30 * MINUTE_MS);
    await daemon.end('turn-1');
    machine.clock.step(-back);
    await pass(0);
    expect(daemon.schedules.get(id).next_runs[0]?.local).toBe(next);
    expect(machine.countTurns()).toBe(1);
  });
});
