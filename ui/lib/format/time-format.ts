const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const dayYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long', hourCycle: 'h23' });

/** Formats the full date and time with its zone, for tooltips. */
export const formatExactTime = (ms: number) => exact.format(ms);

/** Formats a past time: `just now`, `40 s ago`, `3 min ago`, `5 h ago`, `yesterday`, `12 Nov`, `12 Nov 2025`. */
export function formatRelativeTime(then: number, now: number): string {
  const past = now - then;
  if (past < 5_000) return 'just now';
  if (past < MINUTE) return `${Math.floor(past / 1_000)} s ago`;
  if (past < HOUR) return `${Math.floor(past / MINUTE)} min ago`;
  if (past < 12 * HOUR || sameDay(then, now)) return `${Math.floor(past / HOUR)} h ago`;
  if (sameDay(then, now - DAY)) return 'yesterday';
  return new Date(then).getFullYear() === new Date(now).getFullYear() ? day.format(then) : dayYear.format(then);
}

/** Formats a duration: `480 ms`, `4.2 s`, `42 s`, `3 min 10 s`, `2 h 5 min`, `3 d 4 h`. */
export function formatDuration(ms: number): string {
  const length = Math.max(0, ms);
  if (length < 1_000) return `${Math.round(length)} ms`;
  if (length < 9_950) return `${(length / 1_000).toFixed(1)} s`;
  if (length < MINUTE - 500) return `${Math.round(length / 1_000)} s`;
  if (length < HOUR) return pair(length, MINUTE, 'min', 1_000, 's');
  if (length < DAY) return pair(length, HOUR, 'h', MINUTE, 'min');
  return pair(length, DAY, 'd', HOUR, 'h');
}

/** Formats a duration as `formatDuration` does, but in whole seconds, for running clocks. */
export function formatElapsed(ms: number): string {
  return ms < MINUTE ? `${Math.max(0, Math.floor(ms / 1_000))} s` : formatDuration(Math.floor(ms / 1_000) * 1_000);
}

function pair(length: number, big: number, bigUnit: string, small: number, smallUnit: string): string {
  const whole = Math.floor(length / big);
  const rest = Math.floor((length - whole * big) / small);
  return rest === 0 ? `${whole} ${bigUnit}` : `${whole} ${bigUnit} ${rest} ${smallUnit}`;
}

function sameDay(a: number, b: number): boolean {
  return new Date(a).toDateString() === new Date(b).toDateString();
}
