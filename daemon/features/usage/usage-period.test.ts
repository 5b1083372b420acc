import { describe, expect, it } from 'vitest';
import type { UsageQuery } from '../../contract/usage.js';
import { UsagePeriod } from './usage-period.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.UTC(2026, 10, 21, 12, 30);
const ago = (ms: number) => new Date(NOW - ms).toISOString();
const period = (query: UsageQuery) => new UsagePeriod(query, NOW);

describe('a period', () => {
  it('is the last thirty days up to now, unless it is told', () => {
    expect(period({})).toMatchObject({ fromMs: NOW + 1 - 30 * DAY_MS, toMs: NOW + 1, bucket: 'day' });
    expect(period({ to: ago(DAY_MS) })).toMatchObject({ fromMs: NOW - 31 * DAY_MS, toMs: NOW - DAY_MS });
    expect(period({ from: ago(HOUR_MS) })).toMatchObject({ fromMs: NOW - HOUR_MS, toMs: NOW + 1 });
  });

  it('ends now at the latest, and begins ninety days ago at the earliest', () => {
    expect(period({ to: ago(-DAY_MS) }).toMs).toBe(NOW + 1);
    expect(period({ from: ago(91 * DAY_MS) }).fromMs).toBe(NOW - 90 * DAY_MS);
    expect(period({ from: ago(89 * DAY_MS) }).fromMs).toBe(NOW - 89 * DAY_MS);
  });

  it.each<[UsageQuery, string, string]>([
    [{ from: ago(5), to: ago(5) }, 'from', '"from" must be before "to", and not in the future.'],
    [{ from: ago(-1) }, 'from', '"from" must be before "to", and not in the future.'],
    [
      { from: ago(92 * DAY_MS), to: ago(90 * DAY_MS) },
      'to',
      '"to" must be within the last 90 days: older usage is not kept.',
    ],
    [{ from: 'lately' }, 'from', '"from" must be an ISO 8601 time, such as 2026-11-27T08:00:00Z.'],
    [{ to: 'lately' }, 'to', '"to" must be an ISO 8601 time, such as 2026-11-27T08:00:00Z.'],
    [
      { from: ago(7 * DAY_MS + 1), bucket: 'hour' },
      'bucket',
      '"bucket" can be hour for at most 7 days: ask for less, or for day.',
    ],
  ])('%j is refused because of "%s"', (query, path, message) => {
    expect(() => period(query)).toThrow(expect.objectContaining({ code: 'bad_request', message, details: { path } }));
  });

  it('of a millisecond is none too short', () => {
    expect(period({ from: ago(0) }).toMs - period({ from: ago(0) }).fromMs).toBe(1);
    expect(period({ from: ago(92 * DAY_MS), to: ago(90 * DAY_MS - 1) }).fromMs).toBe(NOW - 90 * DAY_MS);
  });

  it.each([
    [2 * DAY_MS, 'hour'],
    [2 * DAY_MS + 1, 'day'],
    [HOUR_MS, 'hour'],
  ])('of %i ms up to now is divided by the %s', (ms, bucket) => {
    expect(period({ from: ago(ms) }).bucket).toBe(bucket);
  });

  it('is divided as it is told, by the hour for seven days at most', () => {
    expect(period({ from: ago(7 * DAY_MS), bucket: 'hour' }).bucket).toBe('hour');
    expect(period({ from: ago(HOUR_MS), bucket: 'day' }).bucket).toBe('day');
    expect(period({ bucket: 'day' }).bucket).toBe('day');
  });
});

describe('the parts of a period', () => {
  it('begin at the full hour', () => {
    const hours = period({ from: ago(2 * HOUR_MS) });
    expect(hours.listStarts()).toEqual([10, 11, 12].map((hour) => Date.UTC(2026, 10, 21, hour)));
    expect(hours.getStart(NOW)).toBe(Date.UTC(2026, 10, 21, 12));
    expect(hours.getStart(Date.UTC(2026, 10, 21, 11))).toBe(Date.UTC(2026, 10, 21, 11));
  });

  it('begin at the midnight of the place', () => {
    const at = (utc_offset: number) => period({ from: ago(DAY_MS), bucket: 'day', utc_offset });
    expect(at(0).listStarts()).toEqual([Date.UTC(2026, 10, 20), Date.UTC(2026, 10, 21)]);
    expect(at(-330).listStarts()).toEqual([Date.UTC(2026, 10, 20, 5, 30), Date.UTC(2026, 10, 21, 5, 30)]);
    expect(at(720).listStarts()).toEqual([19, 20, 21].map((day) => Date.UTC(2026, 10, day, 12)).slice(1));
    expect(at(60).getStart(Date.UTC(2026, 10, 20, 22, 59))).toBe(Date.UTC(2026, 10, 19, 23));
    expect(at(60).getStart(Date.UTC(2026, 10, 20, 23))).toBe(Date.UTC(2026, 10, 20, 23));
  });

  it('end before the end of the period', () => {
    const starts = period({ from: ago(HOUR_MS), to: new Date(Date.UTC(2026, 10, 21, 12)).toISOString() }).listStarts();
    expect(starts).toEqual([Date.UTC(2026, 10, 21, 11)]);
  });
});
