import { isMainThread } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { nextLocalMidnight, toLocalDay } from './local-day.js';

const zone = process.env['TZ'];

it('a day of this machine is named by its date, and ends at the next midnight', () => {
  const evening = new Date(2026, 0, 5, 23, 59).getTime();
  expect([toLocalDay(evening), new Date(nextLocalMidnight(evening))]).toEqual(['2026-01-05', new Date(2026, 0, 6)]);
  expect(new Date(nextLocalMidnight(new Date(2026, 11, 31).getTime()))).toEqual(new Date(2027, 0, 1));
});

// Only the main thread of a process can change its time zone.
describe.skipIf(!isMainThread)('a day of the machine’s time zone', () => {
  afterEach(() => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });

  it.each([
    ['Pacific/Auckland', '2026-11-22', '2026-11-22T11:00:00.000Z'],
    ['America/Los_Angeles', '2026-11-21', '2026-11-22T08:00:00.000Z'],
    ['UTC', '2026-11-21', '2026-11-22T00:00:00.000Z'],
  ])('begins at its midnight: %s', (name, day, midnight) => {
    process.env['TZ'] = name;
    const ms = Date.UTC(2026, 10, 21, 18, 0);
    expect([toLocalDay(ms), new Date(nextLocalMidnight(ms)).toISOString()]).toEqual([day, midnight]);
  });

  it('has 25 hours when the clocks go back', () => {
    process.env['TZ'] = 'Europe/Berlin';
    const begin = Date.UTC(2026, 9, 24, 22, 0);
    expect([toLocalDay(begin), (nextLocalMidnight(begin) - begin) / 3_600_000]).toEqual(['2026-10-25', 25]);
  });
});
