import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { MeshError } from '../../lib/errors.js';
import { CronTimes, checkTimes, findTimes, getOwnZone, toNextRun } from './cron-times.js';

const BERLIN = 'Europe/Berlin';
const next = (cron: string, from: string, count: number, zone = BERLIN) =>
  new CronTimes(cron, zone).listNext(Date.parse(from), count).map((ms) => toNextRun(ms, zone));
const at = (cron: string, from: string, count: number) => next(cron, from, count).map((run) => run.at.slice(5, 16));

function getRefusal(cron: string, zone = 'UTC'): [unknown, string] {
  try {
    checkTimes(cron, zone);
  } catch (error) {
    if (error instanceof MeshError && error.code === 'bad_request') return [error.details['path'], error.message];
    throw error;
  }
  return ['', ''];
}

describe('the times of a cron expression', () => {
  it('are those of its zone, and say what clocks show there', () => {
    expect(next('0 9 * * 1-5', '2026-11-27T07:59:00Z', 2)).toEqual([
      { at: '2026-11-27T08:00:00.000Z', local: 'Fri 2026-11-27 09:00', offset: '+01:00' },
      { at: '2026-11-30T08:00:00.000Z', local: 'Mon 2026-11-30 09:00', offset: '+01:00' },
    ]);
    expect(next('0 9 * * *', '2026-06-01T00:00:00Z', 1, 'UTC')[0]).toMatchObject({ offset: '+00:00' });
    expect(next('@daily', '2026-06-01T00:00:00Z', 1, 'Asia/Kolkata')[0]).toMatchObject({ offset: '+05:30' });
  });

  it('come once when clocks are put forward: a time of day that is skipped, when they have been', () => {
    // On 29 March 2026 the clocks go from 02:00 to 03:00, at 01:00 UTC.
    expect(at('30 2 * * *', '2026-03-28T12:00:00Z', 2)).toEqual(['03-29T01:00', '03-30T00:30']);
    expect(at('0 2 * * *', '2026-03-28T12:00:00Z', 2)).toEqual(['03-29T01:00', '03-30T00:00']);
    expect(at('*/30 * * * *', '2026-03-29T00:10:00Z', 3)).toEqual(['03-29T00:30', '03-29T01:00', '03-29T01:30']);
  });

  it('come once when clocks are put back: a time of day that comes twice, the first time', () => {
    // On 25 October 2026 the clocks go from 03:00 to 02:00, at 01:00 UTC.
    expect(at('30 2 * * *', '2026-10-24T12:00:00Z', 2)).toEqual(['10-25T00:30', '10-26T01:30']);
    // From within the hour that comes twice.
    expect(at('30 2 * * *', '2026-10-25T00:30:00Z', 1)).toEqual(['10-26T01:30']);
    expect(at('0 3 * * *', '2026-10-24T12:00:00Z', 2)).toEqual(['10-25T02:00', '10-26T02:00']);
    expect(at('30 * * * *', '2026-10-24T23:40:00Z', 3)).toEqual(['10-25T00:30', '10-25T01:30', '10-25T02:30']);
  });

  it('come once each, also when they are a list or a range of hours or minutes', () => {
    const forward = '2026-03-28T20:00:00Z';
    expect(at('15 2,14 * * *', forward, 2)).toEqual(['03-29T01:00', '03-29T12:15']);
    expect(at('0,30 2 * * *', forward, 2)).toEqual(['03-29T01:00', '03-30T00:00']);
    expect(at('15 1-3 * * *', forward, 4)).toEqual(['03-29T00:15', '03-29T01:00', '03-29T01:15', '03-29T23:15']);
    const back = '2026-10-24T20:00:00Z';
    expect(at('15 2,14 * * *', back, 2)).toEqual(['10-25T00:15', '10-25T13:15']);
    expect(at('0,30 2 * * *', back, 3)).toEqual(['10-25T00:00', '10-25T00:30', '10-26T01:00']);
    // The minutes that pass.
    expect(at('*/30 2 * * *', forward, 1)).toEqual(['03-30T00:00']);
    expect(at('*/30 2 * * *', back, 4)).toEqual(['10-25T00:00', '10-25T00:30', '10-25T01:00', '10-25T01:30']);
  });

  it.each(['30 2 * * *', '15 2,14 * * *', '0,30 2 * * *', '*/30 * * * *', '15 1,2,3 * * *', '0 3 * * 0'])(
    'are the same read backwards, also where clocks change: %s',
    (cron) => {
      const times = new CronTimes(cron, BERLIN);
      for (const from of ['2026-03-27T00:00:00Z', '2026-10-23T00:00:00Z']) {
        const forwards = times.listNext(Date.parse(from), 20);
        const last = forwards.at(-1) ?? 0;
        expect(times.listPast(Date.parse(from) + 1, last, 20)).toEqual(forwards);
        expect(times.listPast(forwards[5] ?? 0, last, 3)).toEqual(forwards.slice(-3));
      }
    },
  );

  it.each([
    ['* * * *', 'cron', '4 fields, and five are needed: minute, hour, day of month, month, day of week'],
    ['0 0 9 * * *', 'cron', '6 fields, and five'],
    ['61 * * * *', 'cron', '"cron": the minute "61" cannot be read: it takes 0 to 59'],
    ['0 25 * * *', 'cron', '"cron": the hour "25" cannot be read: it takes 0 to 23'],
    ['0 9 * * 8', 'cron', '"cron": the day of week "8" cannot be read: it takes 0 to 7'],
    ['0 9 * foo *', 'cron', '"cron": the month "foo" cannot be read: it takes 1 to 12, or JAN to DEC'],
    ['*/0 * * * *', 'cron', '"cron": the minute "*/0" cannot be read'],
    ['0 0 30 2 *', 'cron', 'never comes'],
    ['@reboot', 'cron', '"@reboot" is not known: there are @hourly'],
    ['2026-12-24T09:00:00', 'cron', '1 fields, and five'],
    ['  ', 'cron', '0 fields'],
  ])('refuses %j and says what would be right', (cron, path, message) => {
    expect(getRefusal(cron)).toEqual([path, expect.stringContaining(message)]);
  });

  it('refuses what is no time zone', () => {
    for (const zone of ['Mars/City', '+02:00', '', 'Europe/Berlin '])
      expect(getRefusal('0 9 * * *', zone)[0]).toBe('zone');
    expect(getRefusal('0 9 * * *', 'Etc/GMT+2')).toEqual(['', '']);
  });
});

describe('what is no expression', () => {
  const FIELDS = 'minute, hour, day of month, month, day of week';
  const TAKES = '`*` for any, and lists (1,15), ranges (1-5) and steps (*/2) of these.';

  it.each([
    ...['@hourly', '@daily', '@midnight', '@weekly', '@monthly', '@yearly', '@annually', '@DAILY', ' @weekly '],
    ...['0 9 L * *', '0 9 * JAN-DEC SUN,SAT', '0 0 29 2 *', '59 23 31 12 7', ' 0  9 * * *\t'],
  ])('%j is one', (cron) => {
    expect(getRefusal(cron)).toEqual(['', '']);
  });

  it.each([
    ['@reboot', '"@reboot" is not known: there are @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually.'],
    [
      ' 0 9  * ',
      `"0 9  *" has 3 fields, and five are needed: ${FIELDS}. For example \`0 9 * * 1-5\`: at 9:00 from Monday to Friday.`,
    ],
    [
      '',
      `"" has 0 fields, and five are needed: ${FIELDS}. For example \`0 9 * * 1-5\`: at 9:00 from Monday to Friday.`,
    ],
    ['60 * * * *', `the minute "60" cannot be read: it takes 0 to 59, ${TAKES}`],
    ['* 24 * * *', `the hour "24" cannot be read: it takes 0 to 23, ${TAKES}`],
    ['* * 32 * *', `the day of month "32" cannot be read: it takes 1 to 31, or L for the last, ${TAKES}`],
    ['* * * 13 *', `the month "13" cannot be read: it takes 1 to 12, or JAN to DEC, ${TAKES}`],
    ['* * * * 8', `the day of week "8" cannot be read: it takes 0 to 7 (0 and 7 are Sunday), or SUN to SAT, ${TAKES}`],
    ['60 25 * * *', `the minute "60" cannot be read: it takes 0 to 59, ${TAKES}`],
    ['0 0 31 2 *', '"0 0 31 2 *" never comes: no date is like that.'],
    [`@${'x'.repeat(250)}`, `"@${'x'.repeat(199)}" is not known: there are @hourly, @daily, @midnight, @weekly, `],
  ])('%# is told with what would be right', (cron, message) => {
    const [path, told] = getRefusal(cron);
    expect([path, told.slice(0, message.length + 8)]).toEqual(['cron', `"cron": ${message}`]);
  });

  it('is told after a zone that is none', () => {
    expect(getRefusal('x', 'Mars/City')).toEqual([
      'zone',
      '"zone": "Mars/City" is no time zone: give an IANA name, such as Europe/Berlin or UTC.',
    ]);
    for (const zone of ['UTC', 'Etc/GMT-2', 'America/Argentina/Buenos_Aires', 'GMT+0'])
      expect(getRefusal('@daily', zone)).toEqual(['', '']);
    for (const zone of ['-02:00', '+02', '0', '/UTC', 'UTC/', 'Europe//Berlin', ' UTC'])
      expect(getRefusal('@daily', zone)[0]).toBe('zone');
  });
});

describe('the times', () => {
  const times = new CronTimes('0 9 * * *', 'UTC');
  const ms = (day: number, time = '09:00:00') => Date.parse(`2026-06-0${day}T${time}Z`);

  it('that come next are after the given moment', () => {
    expect([times.next(ms(1) - 1), times.next(ms(1))]).toEqual([ms(1), ms(2)]);
    expect(times.listNext(ms(1), 2)).toEqual([ms(2), ms(3)]);
    expect(new CronTimes(' 0 9 * * * ', 'UTC').next(ms(1))).toBe(ms(2));
    expect(new CronTimes('0 0 31 2 *', 'UTC').next(ms(1))).toBeUndefined();
    expect(times.zone).toBe('UTC');
  });

  it('that have passed are between two moments, both of them included', () => {
    expect(times.listPast(ms(1), ms(3), 9)).toEqual([ms(1), ms(2), ms(3)]);
    expect(times.listPast(ms(1) + 1, ms(3) - 1, 9)).toEqual([ms(2)]);
    expect(times.listPast(ms(1), ms(3), 2)).toEqual([ms(2), ms(3)]);
    expect(times.listPast(ms(1, '09:00:01'), ms(1, '10:00:00'), 9)).toEqual([]);
  });

  it('are shown as clocks there show them', () => {
    const midnight = Date.parse('2026-01-05T00:07:00Z');
    expect(toNextRun(midnight, 'UTC')).toEqual({
      ...{ at: '2026-01-05T00:07:00.000Z', local: 'Mon 2026-01-05 00:07', offset: '+00:00' },
    });
    expect(toNextRun(midnight, 'America/New_York')).toMatchObject({ local: 'Sun 2026-01-04 19:07', offset: '-05:00' });
  });

  it('of a stored schedule are none without an expression and in a zone that is not known', () => {
    expect(findTimes({ cron: '0 9 * * *', zone: 'UTC' })?.next(ms(1))).toBe(ms(2));
    for (const stored of [
      { cron: null, zone: 'UTC' },
      { cron: '0 9 * * *', zone: null },
      { cron: '0 9 * * *', zone: 'Mars/City' },
      { cron: 'x', zone: 'UTC' },
    ])
      expect(findTimes(stored)).toBeUndefined();
    expect(getOwnZone()).toBe(new Intl.DateTimeFormat().resolvedOptions().timeZone);
  });

  it.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['Mars/City', 'UTC'],
    [':/etc/localtime', 'UTC'],
    ['', 'UTC'],
  ])('are those of the machine, whose TZ is %j: %s', (tz, zone) => {
    vi.stubEnv('TZ', tz);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(getOwnZone()).toBe(zone);
    expect(() => checkTimes('0 9 * * *', getOwnZone())).not.toThrow();
  });
});
