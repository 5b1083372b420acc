import { describe, expect, it } from 'vitest';
import { MeshError } from '../../lib/errors.js';
import { CronTimes, checkTimes, toNextRun } from './cron-times.js';

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
