import { RUN_EVERY_SECONDS } from '../../contract/work/schedules.js';
import { isMeshError } from '../../lib/errors.js';
import { newScheduleRunId } from '../../lib/ids.js';
import type { Transaction } from '../../storage/database/transaction.js';
import type { Conversations } from '../conversations/conversations.js';
import type { Messages } from '../conversations/messages.js';
import { getOwnZone, toNextRun } from './cron-times.js';
import type { NewRunRow, RunRow, ScheduleRunsStore } from './schedule-runs-store.js';
import type { ScheduleRow } from './schedules-store.js';

const RUN_EVERY_MS = RUN_EVERY_SECONDS * 1000;

interface RunStartsParts {
  runs: ScheduleRunsStore;
  conversations: Pick<Conversations, 'findForAsk' | 'putNew'>;
  messages: Pick<Messages, 'putMessage' | 'requireRoom'>;
}

type DueRun = Pick<NewRunRow, 'cause' | 'due_ms' | 'times'>;

/**
 * Records runs and begins them, each within the transaction of its caller. A run is an ordinary conversation, a new one
 * each time; that of a singleton goes on in its conversation while it has one.
 */
export class RunStarts {
  constructor(private readonly parts: RunStartsParts) {}

  /** Whether no run of the schedule runs or waits. */
  isFree(id: string): boolean {
    const { runs } = this.parts;
    return runs.findRunning(id) === undefined && runs.findWaiting(id) === undefined;
  }

  /** Whether a run waits only for the minute after the last one. */
  isThrottled(id: string): boolean {
    const { runs } = this.parts;
    return runs.findRunning(id) === undefined && runs.findWaiting(id) !== undefined;
  }

  canBegin(id: string, now: number): boolean {
    return this.isThrottled(id) && this.getWaitMs(id, now) === 0;
  }

  /** How long it is until a run may begin. */
  getWaitMs(id: string, now: number): number {
    const last = this.parts.runs.findLastStart(id);
    // A start in the future was recorded by a clock that has been set back.
    return last === undefined || last > now ? 0 : Math.max(0, last + RUN_EVERY_MS - now);
  }

  putWaiting(transaction: Transaction, { id }: ScheduleRow, due: DueRun): RunRow {
    return this.parts.runs.putWaiting(transaction, { run: newScheduleRunId(), schedule: id, ...due });
  }

  /** Records a run that waits to begin, or that there is none because the one before it is not over. */
  putOrSkip(transaction: Transaction, row: ScheduleRow, due: DueRun, isFree: boolean, now: number): void {
    const run = this.putWaiting(transaction, row, due);
    if (isFree) return;
    this.putWithout(transaction, run, now, {
      state: 'skipped',
      code: 'overlap',
      reason: 'The run before it had not ended.',
      isTold: true,
    });
  }

  /** Records that times were missed and are not made up for. */
  putMissed(transaction: Transaction, row: ScheduleRow, due_ms: number, times: number): void {
    const run = this.putWaiting(transaction, row, { cause: 'missed', due_ms, times });
    this.putWithout(transaction, run, due_ms, {
      state: 'skipped',
      code: 'missed',
      reason: 'The daemon did not run then, or the machine slept.',
      isTold: false,
    });
  }

  /** Begins the oldest run that waits, if it may; with a `problem`, all that wait are refused. */
  beginNext(transaction: Transaction, row: ScheduleRow, now: number, problem: string | undefined): void {
    const { runs } = this.parts;
    for (;;) {
      const waiting = runs.findWaiting(row.id);
      if (!waiting || !this.canBegin(row.id, now)) return;
      if (problem === undefined) this.begin(transaction, row, waiting, now);
      else this.putRefused(transaction, waiting, now, 'no_working_client', problem);
    }
  }

  /** Begins a run: its conversation, message and record are stored together. */
  begin(transaction: Transaction, row: ScheduleRow, waiting: RunRow, now: number): void {
    const { runs, conversations, messages } = this.parts;
    const { id, member, title, text } = row;
    const home = conversations.findForAsk(member, undefined);
    try {
      if (home) messages.requireRoom(home);
    } catch (error) {
      if (!isMeshError(error)) throw error;
      this.putRefused(transaction, waiting, now, error.code, error.message);
      return;
    }
    const shown = toNextRun(waiting.due_ms, row.zone ?? getOwnZone()).local.replace(/^\S+ /, '');
    const given = { member, title: `${shown} ${title}` };
    const conv = home ?? conversations.putNew(transaction, given, { schedule: { id, title } });
    const turn = messages.putMessage(transaction, conv, { text }, 'operator');
    runs.putChange(transaction, waiting.run, { state: 'running', at_ms: now, turn });
  }

  private putRefused(transaction: Transaction, run: RunRow, now: number, code: string, reason: string): void {
    this.putWithout(transaction, run, now, { state: 'refused', code, reason, isTold: true });
  }

  /** Several in a row that ended for the same reason notify the operator once. */
  private putWithout(
    transaction: Transaction,
    { run, schedule, seq }: RunRow,
    at_ms: number,
    { state, code, reason, isTold }: { state: 'refused' | 'skipped'; code: string; reason: string; isTold: boolean },
  ): void {
    const { runs } = this.parts;
    const before = runs.findBefore(schedule, seq);
    const isSame = before?.state === state && before.code === code;
    runs.putChange(transaction, run, { state, at_ms, code, reason });
    if (isTold && !isSame) runs.putTold(transaction, run);
  }
}
