import { Cron } from 'croner';
import { CRON_MAX_CHARS, type NextRun } from '../../contract/work/schedules.js';
import { MeshError } from '../../lib/errors.js';
import { isoTime } from '../../lib/time/clock.js';

const FIELDS = [
  { name: 'minute', takes: '0 to 59' },
  { name: 'hour', takes: '0 to 23' },
  { name: 'day of month', takes: '1 to 31, or L for the last' },
  { name: 'month', takes: '1 to 12, or JAN to DEC' },
  { name: 'day of week', takes: '0 to 7 (0 and 7 are Sunday), or SUN to SAT' },
] as const;
const NICKNAMES = ['@hourly', '@daily', '@midnight', '@weekly', '@monthly', '@yearly', '@annually'];
const ZONE = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/;

/** The time zone of this machine; UTC where `TZ` is none that Node knows, which then counts in UTC itself. */
export function getOwnZone(): string {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone as string | undefined;
  return zone === undefined || zone === 'Etc/Unknown' ? 'UTC' : zone;
}

/**
 * The times of a cron expression of five fields in a time zone, so at most one a minute. A time of day that does not
 * exist on a day, because clocks are put forward, is taken when they have been; one that exists twice, because they are
 * put back, is taken the first time. Expressions with `*` in their minute or hour follow the minutes that pass.
 */
export class CronTimes {
  private readonly cron: Cron;

  /** Throws for an expression or zone that `checkTimes` refuses. */
  constructor(
    expression: string,
    readonly zone: string,
  ) {
    // An unknown zone would be refused no sooner than by the first question for a time.
    checkZone(zone);
    this.cron = create(expression, zone);
  }

  /** The first time after `ms`; undefined when there is none. */
  next(ms: number): number | undefined {
    return this.cron.nextRun(new Date(ms))?.getTime();
  }

  /** The first `count` times after `ms`, oldest first. */
  listNext(ms: number, count: number): number[] {
    return this.cron.nextRuns(count, new Date(ms)).map((date) => date.getTime());
  }

  /** The last `count` times from `fromMs` up to `toMs`, both included, oldest first. */
  listPast(fromMs: number, toMs: number, count: number): number[] {
    const found = this.cron.previousRuns(count, new Date(toMs + 1)).map((date) => date.getTime());
    return found.filter((ms) => ms >= fromMs && ms <= toMs).reverse();
  }
}

/** Throws `bad_request` with `path` (`cron` or `zone`) for an invalid expression or zone, and for one that never comes. */
export function checkTimes(expression: string, zone: string): void {
  checkZone(zone);
  checkExpression(expression);
}

function checkZone(zone: string): void {
  try {
    if (ZONE.test(zone)) {
      new Intl.DateTimeFormat('en', { timeZone: zone });
      return;
    }
  } catch {
    // Refused below.
  }
  throw wrong('zone', `${quote(zone)} is no time zone: give an IANA name, such as Europe/Berlin or UTC.`);
}

function checkExpression(expression: string): void {
  const text = expression.trim();
  if (text.startsWith('@')) {
    if (NICKNAMES.includes(text.toLowerCase())) return;
    throw wrong('cron', `${quote(text)} is not known: there are ${NICKNAMES.join(', ')}.`);
  }
  const parts = text.split(/\s+/);
  if (parts.length !== FIELDS.length)
    throw wrong(
      'cron',
      `${quote(text)} has ${text === '' ? 0 : parts.length} fields, and five are needed: ` +
        `${FIELDS.map(({ name }) => name).join(', ')}. For example \`0 9 * * 1-5\`: at 9:00 from Monday to Friday.`,
    );
  for (const [index, { name, takes }] of FIELDS.entries()) {
    const alone = FIELDS.map((_, other) => (other === index ? parts[index] : '*')).join(' ');
    if (!isReadable(alone))
      throw wrong(
        'cron',
        `the ${name} ${quote(parts[index] ?? '')} cannot be read: it takes ${takes}, \`*\` for any, and lists (1,15), ` +
          'ranges (1-5) and steps (*/2) of these.',
      );
  }
  if (create(text, 'UTC').nextRun(new Date(0)) === null)
    throw wrong('cron', `${quote(text)} never comes: no date is like that.`);
}

const isReadable = (expression: string) => {
  try {
    create(expression, 'UTC');
    return true;
  } catch {
    return false;
  }
};

/** Paused: the times are read from it, and it has no timer of its own. */
const create = (expression: string, timezone: string) =>
  new Cron(expression.trim(), { timezone, paused: true, mode: '5-part', fixedTimeRule: 'no-wildcard' });

const quote = (text: string) => JSON.stringify(text.slice(0, CRON_MAX_CHARS));
const wrong = (path: 'cron' | 'zone', message: string) =>
  new MeshError('bad_request', `"${path}": ${message}`, { details: { path } });

/** What clocks in `zone` show at a moment. */
export function toNextRun(ms: number, zone: string): NextRun {
  const parts = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone: zone, hourCycle: 'h23', weekday: 'short', timeZoneName: 'longOffset' },
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
  }).formatToParts(ms);
  const get = (type: Intl.DateTimeFormatPartTypes) => parts.find((part) => part.type === type)?.value ?? '';
  return {
    at: isoTime(ms),
    local: `${get('weekday')} ${get('year')}-${get('month')}-${get('day')} ${get('hour')}:${get('minute')}`,
    offset: get('timeZoneName').replace('GMT', '') || '+00:00',
  };
}

/** The times of a stored schedule; undefined without them, and when this machine no longer knows its zone. */
export function findTimes({ cron, zone }: { cron: string | null; zone: string | null }): CronTimes | undefined {
  try {
    return cron === null || zone === null ? undefined : new CronTimes(cron, zone);
  } catch {
    return undefined;
  }
}
