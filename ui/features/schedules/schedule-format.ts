import type { Schedule, ScheduleRun } from '../../../daemon/contract/work/schedules.js';
import type { StatusWord } from '../../components/status-mark.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const count = (n: number, unit: string) => `in ${n} ${unit}${n === 1 ? '' : 's'}`;

/** Formats a coming time: `now`, `in 1 minute`, `in 5 hours`, `in 3 days`. */
export function formatUntil(then: number, now: number): string {
  const left = then - now;
  if (left < MINUTE / 2) return 'now';
  if (left < HOUR - MINUTE / 2) return count(Math.round(left / MINUTE), 'minute');
  if (left < DAY - HOUR / 2) return count(Math.round(left / HOUR), 'hour');
  return count(Math.round(left / DAY), 'day');
}

/** What is wrong with a field, below the field: the daemon's sentence without the name of the field. */
export function formatFieldError(message: string): string {
  const words = message.replace(/^"\w+": /, '');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** When a schedule runs: its expression with its zone, or its task. */
export const formatWhen = ({ cron, zone, after_task }: Pick<Schedule, 'cron' | 'zone' | 'after_task'>): string =>
  cron === null ? `After task ${after_task}` : `${cron} · ${zone}`;

/** The status of a run as it is drawn; undefined for one that was skipped, which is drawn as a badge. */
export function getRunStatus({ state, outcome }: ScheduleRun): StatusWord | undefined {
  if (state === 'skipped') return undefined;
  if (state === 'waiting') return 'queued';
  if (state === 'running') return 'working';
  if (state === 'refused') return 'failed';
  return outcome === 'answered' ? 'answered' : outcome === 'cancelled' ? 'stopped' : 'failed';
}

const CAUSES = { time: '', missed: 'missed', task: 'task done', operator: 'started by you' } as const;

/** Why there was a run, or none, and what did not go well. */
export function formatRunFacts({ cause, times, state, code, reason, denied }: ScheduleRun): string {
  const missed = times > 1 ? `${CAUSES.missed} ${times} times` : CAUSES[cause];
  const why = code === 'overlap' ? 'the run before it had not ended' : state === 'running' ? null : reason;
  const refused = denied > 0 && `${denied} ${denied === 1 ? 'permission' : 'permissions'} denied, as nobody answered`;
  return [missed, refused, why].filter(Boolean).join(' · ');
}

/** What the operator should know of a run, as a sentence. */
export function describeNeed(run: ScheduleRun): string {
  if (run.state === 'refused') return `A run was refused: ${run.reason ?? run.code}`;
  if (run.state === 'skipped') return 'A run was skipped: the run before it had not ended.';
  if (run.denied > 0 && run.outcome === 'answered')
    return `A run went on without ${run.denied === 1 ? 'a permission' : `${run.denied} permissions`} that nobody answered.`;
  return `A run failed${run.reason === null ? '.' : `: ${run.reason}`}`;
}
