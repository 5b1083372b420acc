import { LAST_RUNS_MAX, NEXT_RUNS_MAX, type Schedule, type ScheduleRun } from '../../contract/work/schedules.js';
import { isoTime } from '../../lib/time/clock.js';
import { findTimes, toNextRun } from './cron-times.js';
import type { RunRow, ScheduleRunsStore } from './schedule-runs-store.js';
import type { ScheduleRow } from './schedules-store.js';

export function runView({ run, cause, due_ms, times, state, at_ms, ...row }: RunRow): ScheduleRun {
  const { conv, outcome, code, reason, denied } = row;
  return {
    ...{ run, cause, due_at: isoTime(due_ms), times, state },
    at: at_ms === null ? null : isoTime(at_ms),
    ...{ conv, outcome, code, reason, denied },
  };
}

/** Builds the API representation of a schedule as of `nowMs`. */
export function scheduleView(row: ScheduleRow, runs: ScheduleRunsStore, nowMs: number): Schedule {
  const { id, title, member, text, cron, zone, after_task, missed, permission_minutes, paused, paused_reason } = row;
  const told = runs.findNotified(id, row.seen_told);
  return {
    ...{ id, title, member, text, cron, zone, after_task, missed, permission_minutes },
    paused: paused === 1,
    paused_reason,
    next_runs: paused === 1 ? [] : listNextRuns(row, nowMs),
    last_runs: runs.list(id, LAST_RUNS_MAX).map(runView),
    needs_you: told ? runView(told) : null,
    created_at: isoTime(row.created_ms),
    updated_at: isoTime(row.updated_ms),
  };
}

function listNextRuns({ cron, zone, due_ms }: ScheduleRow, nowMs: number): Schedule['next_runs'] {
  if (cron === null || zone === null || due_ms === null) return [];
  const times = findTimes({ cron, zone })?.listNext(Math.max(due_ms - 1, nowMs), NEXT_RUNS_MAX) ?? [];
  return times.map((ms) => toNextRun(ms, zone));
}
