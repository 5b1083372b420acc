import { Mutex } from 'async-mutex';
import { MISSED_RUNS_MAX, type ScheduleRun } from '../../contract/work/schedules.js';
import type { Bus } from '../../events/bus.js';
import { MeshError } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';
import type { Transaction, Transactions } from '../../storage/database/transaction.js';
import type { TurnChange } from '../conversations/turn-change.js';
import type { TurnRuns } from '../conversations/turn-runs.js';
import type { MemberVersion } from '../team/member-file.js';
import type { Team } from '../team/team.js';
import { type CronTimes, findTimes } from './cron-times.js';
import type { RunStarts } from './run-starts.js';
import type { ScheduleRunsStore } from './schedule-runs-store.js';
import { runView } from './schedule-view.js';
import { describeGone, type Schedules, type Task } from './schedules.js';
import type { ScheduleRow, SchedulesStore } from './schedules-store.js';

/** The wall clock is compared at least this often, since timers stand still while the machine sleeps. */
const LOOK_EVERY_MS = 30_000;
/** How often the roadmap's file, which any program may edit, is read for schedules that wait for a task. */
const LOOK_AT_TASKS_EVERY_MS = 10_000;
const TIMER_MIN_MS = 100;
/** A run that begins this late is still on time. */
const ON_TIME_MS = 60_000;
/** A handled time this far ahead of the clock means that the clock was wrong then and has been set back. */
const CLOCK_SET_BACK_MS = 3_600_000;

/** The tasks that the roadmap shows, and whether each is done. */
type TasksDone = ReadonlyMap<string, boolean>;

interface ScheduleRunnerParts {
  transactions: Pick<Transactions, 'run'>;
  store: SchedulesStore;
  runs: ScheduleRunsStore;
  schedules: Pick<Schedules, 'row' | 'putPaused'>;
  starts: RunStarts;
  team: Pick<Team, 'serving'>;
  turns: Pick<TurnRuns, 'follow'>;
  bus: Bus;
  clock: Clock;
  readTasks(): Promise<readonly Task[]>;
  /** Why the member cannot do anything at present; undefined when it can. Checks its client. */
  findProblem(member: MemberVersion): Promise<string | undefined>;
  onError(error: unknown): void;
}

/**
 * Runs schedules at their times. A time is recorded as a run in the transaction that moves the schedule on to its next
 * time, and a run begins in the transaction that stores its message: a crash at any point neither loses nor doubles one.
 * Runs of one schedule never overlap and begin at least a minute apart.
 */
export class ScheduleRunner {
  private readonly mutex = new Mutex();
  private cancelTimer: () => void = () => undefined;
  private isRunning = false;
  private isRoadmapBroken = false;
  /** A check that was asked for and has not begun yet. */
  private asked: Promise<void> | undefined;

  constructor(private readonly parts: ScheduleRunnerParts) {
    parts.turns.follow((change, transaction) => this.followTurn(change, transaction));
  }

  /** Begins to run schedules. What was missed meanwhile is treated as each schedule says. */
  start(): void {
    this.isRunning = true;
    void this.wake();
  }

  /** Begins no more runs. Resolves once no check runs. */
  async stop(): Promise<void> {
    this.isRunning = false;
    this.cancelTimer();
    await this.mutex.runExclusive(() => undefined);
  }

  /** Starts the runs that are due, after a check in progress. Resolves when that is done; never rejects. */
  wake(): Promise<void> {
    if (!this.isRunning) return Promise.resolve();
    this.asked ??= this.mutex.runExclusive(async () => {
      this.asked = undefined;
      if (this.isRunning) await this.check();
    });
    return this.asked;
  }

  /**
   * Begins a run now, also of a paused schedule. Throws `not_found`, `member_gone`, `no_working_client`, `in_flight`
   * with `conv` while a run is not over, and `too_many_requests` within a minute of the last.
   */
  async runNow(id: string): Promise<ScheduleRun> {
    const { transactions, schedules, runs, starts, team, clock } = this.parts;
    const { member } = schedules.row(id);
    const serving = team.serving(member);
    if (!serving) throw new MeshError('member_gone', describeGone(member));
    const problem = await this.parts.findProblem(serving);
    if (problem !== undefined) throw new MeshError('no_working_client', problem);
    return transactions.run((transaction) => {
      const row = schedules.row(id);
      const now = clock.now();
      const open = runs.findRunning(id) ?? runs.findWaiting(id);
      if (open)
        throw new MeshError('in_flight', 'A run of this schedule has not ended yet.', { details: { conv: open.conv } });
      const waitMs = starts.getWaitMs(id, now);
      if (waitMs > 0)
        throw new MeshError('too_many_requests', 'The last run of this schedule began less than a minute ago.', {
          details: { retry_after: Math.ceil(waitMs / 1000) },
        });
      const waiting = starts.putWaiting(transaction, row, { cause: 'operator', due_ms: now, times: 1 });
      starts.begin(transaction, row, waiting, now);
      this.publish(transaction);
      return runView(runs.find(id, waiting.run) ?? waiting);
    });
  }

  private async check(): Promise<void> {
    this.cancelTimer();
    let hasFailed = false;
    try {
      const rows = this.parts.store.list().filter(({ paused }) => paused === 0);
      const tasks = await this.readTasks(rows);
      for (const row of rows) if (this.isRunning) await this.step(row, tasks);
    } catch (error) {
      hasFailed = true;
      this.parts.onError(error);
    }
    this.arm(hasFailed);
  }

  /** Returns which tasks of the roadmap are done; none while it cannot be read, which is told once. */
  private async readTasks(rows: readonly ScheduleRow[]): Promise<TasksDone> {
    const done = new Map<string, boolean>();
    if (rows.every(({ after_task }) => after_task === null)) return done;
    try {
      const tasks = await this.parts.readTasks();
      this.isRoadmapBroken = false;
      // A line that a merge has doubled is done where one of both is.
      for (const { id, state } of tasks) done.set(id, done.get(id) === true || state === 'done');
    } catch (error) {
      if (!this.isRoadmapBroken) this.parts.onError(error);
      this.isRoadmapBroken = true;
    }
    return done;
  }

  /** Records what is due of a schedule, and begins the run whose turn it is. */
  private async step(found: ScheduleRow, tasks: TasksDone): Promise<void> {
    const { transactions, schedules, starts, team, clock } = this.parts;
    const { id, member } = found;
    const serving = team.serving(member);
    if (!serving) {
      // The file may be back before a run is due.
      if (!this.isDue(found, tasks, clock.now())) return;
      return transactions.run((transaction) => schedules.putPaused(transaction, id, describeGone(member)));
    }
    if (found.cron !== null && !findTimes(found)) {
      const reason = `This machine does not know the time zone ${found.zone}.`;
      return transactions.run((transaction) => schedules.putPaused(transaction, id, reason));
    }
    if (!this.isDue(found, tasks, clock.now())) return;
    const problem = await this.parts.findProblem(serving);
    if (!this.isRunning) return;
    await transactions.run((transaction) => {
      const row = this.parts.store.find(id);
      if (!row || row.paused === 1 || row.member !== member) return;
      const now = clock.now();
      this.recordTimes(transaction, row, now);
      this.recordTask(transaction, row, tasks, now);
      starts.beginNext(transaction, row, now, problem);
      this.publish(transaction);
    });
  }

  private isDue(row: ScheduleRow, tasks: TasksDone, now: number): boolean {
    const { id, due_ms, handled_ms } = row;
    if (hasTaskChanged(row, tasks)) return true;
    if (due_ms !== null && due_ms <= now) return true;
    if (handled_ms !== null && handled_ms > now + CLOCK_SET_BACK_MS) return true;
    return this.parts.starts.canBegin(id, now);
  }

  /** Records the times up to now as runs, and moves the schedule on to its next time. */
  private recordTimes(transaction: Transaction, row: ScheduleRow, now: number): void {
    const times = findTimes(row);
    if (!times) return;
    const { store } = this.parts;
    const { id, due_ms, handled_ms } = row;
    if (handled_ms !== null && handled_ms > now + CLOCK_SET_BACK_MS) {
      store.putChange(transaction, id, { due_ms: times.next(now) ?? null, handled_ms: null });
      return;
    }
    if (due_ms === null || due_ms > now) return;
    const past = listPast(times, due_ms, now);
    this.putTimes(transaction, row, past, now);
    store.putChange(transaction, id, { due_ms: times.next(now) ?? null, handled_ms: past.at(-1) ?? due_ms });
  }

  private putTimes(transaction: Transaction, row: ScheduleRow, past: readonly number[], now: number): void {
    const { starts } = this.parts;
    const newest = past.at(-1) ?? now;
    const onTime = now - newest <= ON_TIME_MS;
    const missed = (onTime ? past.slice(0, -1) : past).slice(-MISSED_RUNS_MAX);
    const isFree = starts.isFree(row.id);
    const newestMissed = missed.at(-1);
    if (newestMissed !== undefined) {
      if (row.missed === 'skip') starts.putMissed(transaction, row, newestMissed, missed.length);
      else if (row.missed === 'all')
        for (const due_ms of missed) starts.putWaiting(transaction, row, { cause: 'missed', due_ms, times: 1 });
      else if (!onTime)
        starts.putOrSkip(transaction, row, { cause: 'missed', due_ms: newest, times: missed.length }, isFree, now);
    }
    if (!onTime) return;
    const times = row.missed === 'once' ? missed.length + 1 : 1;
    // One run makes up for what was missed and is that of its time, too.
    starts.putOrSkip(
      transaction,
      row,
      { cause: 'time', due_ms: newest, times },
      isFree || (row.missed === 'all' && newestMissed !== undefined),
      now,
    );
  }

  /** Records a run when the task of a schedule becomes done; one that is open again is waited for again. */
  private recordTask(transaction: Transaction, row: ScheduleRow, tasks: TasksDone, now: number): void {
    const { store, starts } = this.parts;
    const { id, task_done } = row;
    if (!hasTaskChanged(row, tasks)) return;
    store.putChange(transaction, id, { task_done: task_done === 1 ? 0 : 1 });
    if (task_done === 1) return;
    starts.putOrSkip(transaction, row, { cause: 'task', due_ms: now, times: 1 }, starts.isFree(id), now);
  }

  /** Records the end of a run in the transaction that ends its turn. */
  private followTurn(change: TurnChange, transaction: Transaction): void {
    if (change.kind !== 'ended') return;
    const { runs, clock } = this.parts;
    const run = runs.findByTurn(change.turn.turn);
    if (!run) return;
    const { outcome, code, reason } = change.ending;
    const denied = runs.countDenied(change.turn.turn, clock.now());
    runs.putChange(transaction, run.run, { state: 'ended', outcome, code, reason, denied });
    if (outcome !== 'cancelled' && (outcome !== 'answered' || denied > 0)) runs.putTold(transaction, run.run);
    this.publish(transaction);
    transaction.afterCommit(() => void this.wake());
  }

  private publish(transaction: Transaction): void {
    transaction.afterCommit(() => this.parts.bus.publish('schedules.updated', {}));
  }

  private arm(hasFailed: boolean): void {
    if (!this.isRunning) return;
    const { store, starts, clock } = this.parts;
    const now = clock.now();
    const waits = store
      .list()
      .filter(({ paused }) => paused === 0)
      .flatMap(({ id, due_ms, after_task }) => [
        ...(due_ms === null ? [] : [due_ms - now]),
        ...(after_task === null ? [] : [LOOK_AT_TASKS_EVERY_MS]),
        ...(starts.isThrottled(id) ? [starts.getWaitMs(id, now)] : []),
      ]);
    if (waits.length === 0 && !hasFailed) return;
    const ms = hasFailed ? LOOK_EVERY_MS : Math.max(TIMER_MIN_MS, Math.min(LOOK_EVERY_MS, ...waits));
    this.cancelTimer = clock.after(ms, () => void this.wake());
  }
}

/**
 * Whether the roadmap shows the task of a schedule in another state than the last one. A task that is not in it has
 * none: its file may be away for a moment, or a part of it unreadable.
 */
function hasTaskChanged({ after_task, task_done }: ScheduleRow, tasks: TasksDone): boolean {
  const isDone = after_task === null ? undefined : tasks.get(after_task);
  return isDone !== undefined && isDone !== (task_done === 1);
}

/** The newest times from `dueMs` to `now`, one more than are made up for. */
function listPast(times: CronTimes, dueMs: number, now: number): number[] {
  const past = times.listPast(dueMs, now, MISSED_RUNS_MAX + 1);
  // Without any, the zone's rules have changed since the time was calculated.
  return past.length > 0 ? past : [dueMs];
}
