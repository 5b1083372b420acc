import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Outcome } from '../../contract/conversations.js';
import type { MissedRule } from '../../contract/work/schedules.js';
import { Bus } from '../../events/bus.js';
import { MeshError } from '../../lib/errors.js';
import { Database } from '../../storage/database/database.js';
import { type Transaction, Transactions } from '../../storage/database/transaction.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { ConversationsStore } from '../conversations/conversations-store.js';
import type { TurnFollower } from '../conversations/turn-change.js';
import { TurnsStore } from '../conversations/turns-store.js';
import { RunStarts } from './run-starts.js';
import { ScheduleRunner } from './schedule-runner.js';
import { ScheduleRunsStore } from './schedule-runs-store.js';
import { Schedules } from './schedules.js';
import { SchedulesStore } from './schedules-store.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** What the daemon is, over a store that outlives it. */
class Machine {
  readonly clock = new FakeClock(Date.parse('2026-11-27T07:30:00Z'));
  readonly tasks: { id: string; state: string }[] = [];
  readonly members = new Set(['developer']);
  readonly database = new Database(join(temporaryFolder(), 'mesh.db'));
  problem: string | undefined;
  /** How many statements of this process are run before it is killed. */
  statementsLeft = Number.POSITIVE_INFINITY;

  constructor() {
    onTestFinished(() => this.database.close());
  }

  /** Starts a process. */
  boot() {
    const { clock, database } = this;
    const real = new Transactions(database);
    /** Nothing of a killed process runs any more, neither its statements nor what follows a commit. */
    const run = <T>(change: (transaction: Transaction) => T) =>
      real.run((transaction) =>
        change({
          sql: (text) => {
            this.statementsLeft -= 1;
            if (this.statementsLeft < 0) throw new Error('killed');
            return transaction.sql(text);
          },
          afterCommit: (callback) =>
            transaction.afterCommit(() => {
              if (this.statementsLeft > 0) callback();
            }),
        }),
      );
    const [store, runs] = [new SchedulesStore(database), new ScheduleRunsStore(database)];
    const [conversations, turnsStore] = [new ConversationsStore(database), new TurnsStore(database)];
    const followers: TurnFollower[] = [];
    let count = conversations.list({ archived: false, limit: 1_000 }).length;
    const bus = new Bus(clock);
    const readTasks = async () => this.tasks;
    const team = { serving: (id: string) => (this.members.has(id) ? ({ id } as never) : undefined) };
    const starts = new RunStarts({
      runs,
      conversations: {
        findForAsk: () => undefined,
        putNew: (transaction, { title = '' }, { schedule } = {}) => {
          count += 1;
          const conv = `conv-${count}`;
          const blank = { client: null, model: null, effort: null, isolation: null, place_of: null, from_outside: 0 };
          const row = { conv, member: 'developer', agent_type: 'custom', title, ...blank, created_ms: clock.now() };
          conversations.put(transaction, row);
          conversations.putChange(transaction, conv, { schedule_id: schedule?.id ?? null });
          return conversations.find(conv) as never;
        },
      },
      messages: {
        requireRoom: () => 0,
        putMessage: (transaction, { conv }, { text }, profile) => {
          const turn = conv.replace('conv', 'turn');
          turnsStore.put(transaction, { turn, conv, profile, text, created_ms: clock.now() });
          return turn;
        },
      },
    });
    const transactions = { run };
    const schedules = new Schedules({
      ...{ transactions, store, runs, team, bus, clock, readTasks },
      onChanged: () => void runner.wake(),
    });
    const errors: unknown[] = [];
    const runner = new ScheduleRunner({
      ...{ transactions, store, runs, schedules, starts, team, bus, clock, readTasks },
      turns: { follow: (follower) => void followers.push(follower) },
      findProblem: async () => this.problem,
      onError: (error) => void errors.push(error),
    });
    const kill = async () => {
      this.statementsLeft = 0;
      await runner.stop();
      this.statementsLeft = Number.POSITIVE_INFINITY;
    };
    const end = (turn: string, outcome: Outcome = 'answered', code: string | null = null) =>
      run((transaction) => {
        const ending = { outcome, code, reason: null, usage: null, finished_ms: clock.now() };
        turnsStore.putEnded(transaction, turn, ending);
        const ended = { kind: 'ended', turn: turnsStore.find(turn) as never, ending, answer: null } as const;
        for (const follow of followers) follow({ ...ended, runnable: undefined }, transaction);
      });
    runner.start();
    return { schedules, runner, end, kill, errors };
  }

  countTurns(): number {
    return (this.database.sql('SELECT count(*) AS n FROM turns').get() as { n: number }).n;
  }
}

type Process = ReturnType<Machine['boot']>;

/** A process with a schedule for 09:00 in Berlin, half an hour from now. */
async function daily(missed: MissedRule = 'once', cron = '0 9 * * *') {
  const machine = new Machine();
  const daemon = machine.boot();
  const { id } = await daemon.schedules.create({
    member: 'developer',
    text: 'Look',
    cron,
    zone: 'Europe/Berlin',
    missed,
  });
  await daemon.runner.wake();
  const pass = async (ms: number, of: Process = daemon) => {
    machine.clock.advance(ms);
    await of.runner.wake();
  };
  const list = (of: Process = daemon) =>
    of.schedules
      .get(id)
      .last_runs.map(({ cause, state, due_at, times, code }) =>
        [cause, state, due_at.slice(5, 16), ...(times > 1 ? [`x${times}`] : []), ...(code ? [code] : [])].join(' '),
      );
  return { machine, daemon, id, pass, list };
}

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

  it('is paused with the reason when its member is removed, also while no daemon runs', async () => {
    const { machine, daemon, id, pass } = await daily();
    await daemon.kill();
    machine.members.clear();
    const next = machine.boot();
    await pass(0, next);
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
