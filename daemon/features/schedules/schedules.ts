import {
  NEXT_RUNS_MAX,
  type NewSchedule,
  SCHEDULE_TITLE_MAX_CHARS,
  SCHEDULED_PERMISSION_MINUTES,
  SCHEDULES_MAX,
  type Schedule,
  type ScheduleList,
  type SchedulePatch,
  type SchedulePreview,
  type SchedulePreviewQuery,
  type SchedulesQuery,
} from '../../contract/work/schedules.js';
import type { Bus } from '../../events/bus.js';
import { MeshError, unknownId } from '../../lib/errors.js';
import { newScheduleId } from '../../lib/ids.js';
import type { Clock } from '../../lib/time/clock.js';
import type { Transaction, Transactions } from '../../storage/database/transaction.js';
import type { Team } from '../team/team.js';
import { CronTimes, checkTimes, getOwnZone, toNextRun } from './cron-times.js';
import type { ScheduleRunsStore } from './schedule-runs-store.js';
import { scheduleView } from './schedule-view.js';
import type { ScheduleChange, ScheduleRow, SchedulesStore } from './schedules-store.js';

const TITLE_CHARS = 60;

/** A task of the roadmap. */
export interface Task {
  id: string;
  state: string;
}

interface SchedulesParts {
  transactions: Pick<Transactions, 'run'>;
  store: SchedulesStore;
  runs: ScheduleRunsStore;
  team: Pick<Team, 'serving'>;
  bus: Bus;
  clock: Clock;
  /** The tasks of the roadmap as they are in its file. */
  readTasks(): Promise<readonly Task[]>;
  /** Called after a schedule changed: its next time may be another one. */
  onChanged(): void;
}

/** When a schedule runs, as its columns. */
type When = Pick<ScheduleRow, 'cron' | 'zone' | 'after_task' | 'due_ms' | 'task_done'>;

/** The operator's schedules. `ScheduleRunner` runs them. */
export class Schedules {
  constructor(private readonly parts: SchedulesParts) {}

  list({ needs_you = false }: SchedulesQuery = {}): ScheduleList {
    const { store, runs } = this.parts;
    const rows = store.list().filter((row) => !needs_you || runs.findNotified(row.id, row.seen_told) !== undefined);
    const schedules = rows.map((row) => this.view(row));
    return { schedules, count: schedules.length };
  }

  /** Throws `not_found`. */
  get(id: string): Schedule {
    return this.view(this.row(id));
  }

  /** The next times of an expression. Throws `bad_request` with `path`. */
  preview({ cron, zone = getOwnZone() }: SchedulePreviewQuery): SchedulePreview {
    checkTimes(cron, zone);
    const times = new CronTimes(cron, zone).listNext(this.parts.clock.now(), NEXT_RUNS_MAX);
    return { cron: cron.trim(), zone, next_runs: times.map((ms) => toNextRun(ms, zone)) };
  }

  /**
   * Throws `bad_request` with `path` for an unknown member or task, a task that is done, a cron expression or zone that
   * cannot be read, and when not exactly one of `cron` and `after_task` is given; `limit_reached` beyond 100. Publishes
   * `schedules.updated`.
   */
  async create(given: NewSchedule): Promise<Schedule> {
    const { transactions, store, clock } = this.parts;
    const { member, title, missed = 'once', permission_minutes = SCHEDULED_PERMISSION_MINUTES } = given;
    this.requireMember(member);
    const text = requireText(given.text);
    const when = await this.readWhen(given);
    const id = newScheduleId();
    await transactions.run((transaction) => {
      if (store.count() >= SCHEDULES_MAX)
        throw new MeshError('limit_reached', `There are ${SCHEDULES_MAX} schedules already: delete one.`);
      const now = clock.now();
      store.put(transaction, {
        ...{ id, title: toTitle(title ?? '', text), member, text, missed, permission_minutes, ...when },
        ...{ paused: given.paused === true ? 1 : 0, paused_reason: null, created_ms: now, updated_ms: now },
      });
      this.publish(transaction);
    });
    return this.get(id);
  }

  /**
   * Changes the given fields. Times that passed while it was paused are not made up for. Throws as `create` does, and
   * `not_found`. Publishes `schedules.updated`.
   */
  async patch(id: string, patch: SchedulePatch): Promise<Schedule> {
    const { transactions, store, clock } = this.parts;
    const row = this.row(id);
    const change = { ...(await this.toChange(row, patch)), updated_ms: clock.now() };
    await transactions.run((transaction) => {
      this.row(id);
      store.putChange(transaction, id, change);
      if (change.paused === 1) this.parts.runs.dropWaiting(transaction, id);
      this.publish(transaction);
    });
    return this.get(id);
  }

  /** Removes a schedule. A run that has begun goes on in its conversation. Throws `not_found`. */
  async remove(id: string): Promise<void> {
    await this.parts.transactions.run((transaction) => {
      this.row(id);
      this.parts.store.drop(transaction, id);
      this.publish(transaction);
    });
  }

  /** Pauses the schedules of a member that was removed. */
  async memberGone(member: string): Promise<void> {
    await this.parts.transactions.run((transaction) => {
      for (const row of this.parts.store.list())
        if (row.member === member && row.paused === 0) this.putPaused(transaction, row.id, describeGone(member));
    });
  }

  /** Pauses a schedule that cannot go on. */
  putPaused(transaction: Transaction, id: string, reason: string): void {
    const { store, runs, clock } = this.parts;
    store.putChange(transaction, id, { paused: 1, paused_reason: reason, updated_ms: clock.now() });
    runs.dropWaiting(transaction, id);
    this.publish(transaction);
  }

  /** Throws `not_found`. */
  row(id: string): ScheduleRow {
    const row = this.parts.store.find(id);
    if (!row) throw unknownId('schedule', id);
    return row;
  }

  private view(row: ScheduleRow): Schedule {
    return scheduleView(row, this.parts.runs, this.parts.clock.now());
  }

  private publish(transaction: Transaction): void {
    transaction.afterCommit(() => {
      this.parts.bus.publish('schedules.updated', {});
      this.parts.onChanged();
    });
  }

  private async toChange(row: ScheduleRow, patch: SchedulePatch): Promise<ScheduleChange> {
    const { member, text, title, missed, permission_minutes, paused, seen } = patch;
    const isResumed = paused === false && row.paused === 1;
    // A schedule that is named by the start of its text follows the text.
    const newTitle = title ?? (text !== undefined && row.title === toTitle('', row.text) ? '' : undefined);
    if (member !== undefined || isResumed) this.requireMember(member ?? row.member);
    const seenRun = seen === undefined ? undefined : this.parts.runs.find(row.id, seen);
    if (seen !== undefined && !seenRun) throw wrong('seen', `There is no run \`${seen}\` of this schedule.`);
    const isRetimed = patch.cron !== undefined || patch.zone !== undefined || patch.after_task !== undefined;
    const when = isRetimed || isResumed ? await this.readWhen(mergeWhen(row, patch)) : {};
    return {
      ...(member === undefined ? {} : { member }),
      ...(text === undefined ? {} : { text: requireText(text) }),
      ...(newTitle === undefined ? {} : { title: toTitle(newTitle, text ?? row.text) }),
      ...(missed === undefined ? {} : { missed }),
      ...(permission_minutes === undefined ? {} : { permission_minutes }),
      ...(paused === undefined ? {} : { paused: paused ? 1 : 0, paused_reason: null }),
      ...(seenRun === undefined ? {} : { seen_told: Math.max(row.seen_told, seenRun.told) }),
      ...when,
      ...(isRetimed || isResumed ? { handled_ms: null } : {}),
    };
  }

  private requireMember(member: string): void {
    if (!this.parts.team.serving(member)) throw wrong('member', `There is no member \`${member}\`.`);
  }

  private async readWhen({ cron, zone, after_task }: Pick<NewSchedule, 'cron' | 'zone' | 'after_task'>): Promise<When> {
    if ((cron === undefined) === (after_task === undefined))
      throw wrong('cron', '"cron": give either times, or a task to run after.');
    if (after_task !== undefined) {
      const task = (await this.parts.readTasks()).find(({ id }) => id === after_task);
      if (!task) throw wrong('after_task', `There is no task "${after_task}" in the roadmap.`);
      if (task.state === 'done')
        throw wrong(
          'after_task',
          `The task "${after_task}" is done already: a schedule runs when its task becomes done.`,
        );
      return { cron: null, zone: null, after_task, due_ms: null, task_done: 0 };
    }
    const [expression, place] = [(cron ?? '').trim(), zone ?? getOwnZone()];
    checkTimes(expression, place);
    const due = new CronTimes(expression, place).next(this.parts.clock.now()) ?? null;
    return { cron: expression, zone: place, after_task: null, due_ms: due, task_done: 0 };
  }
}

/** What a patch makes of when a schedule runs. */
function mergeWhen(row: ScheduleRow, patch: SchedulePatch): Pick<NewSchedule, 'cron' | 'zone' | 'after_task'> {
  if (patch.after_task !== undefined)
    return { after_task: patch.after_task, ...(patch.cron === undefined ? {} : { cron: patch.cron }) };
  const [cron, zone] = [patch.cron ?? row.cron, patch.zone ?? row.zone];
  if (cron !== null) return { cron, ...(zone === null ? {} : { zone }) };
  return row.after_task === null ? {} : { after_task: row.after_task };
}

/** The first line of the text, shortened, unless a title is given. */
function toTitle(title: string, text: string): string {
  if (title.trim() !== '') return title.trim().slice(0, SCHEDULE_TITLE_MAX_CHARS);
  const line = [
    ...(text
      .trim()
      .slice(0, 2 * TITLE_CHARS + 2)
      .split('\n')[0] ?? ''),
  ];
  return line.length > TITLE_CHARS ? `${line.slice(0, TITLE_CHARS - 1).join('')}…` : line.join('');
}

function requireText(text: string): string {
  if (text.trim() === '') throw wrong('text', 'Give a text: what the member is to do.');
  return text;
}

export const describeGone = (member: string) => `There is no member \`${member}\` any more.`;

const wrong = (path: string, message: string) => new MeshError('bad_request', message, { details: { path } });
