import { beforeAll, expect, it, vi } from 'vitest';

type Format = typeof import('./usage-format.js');
let format: Format;

beforeAll(async () => {
  vi.stubEnv('TZ', 'Europe/Berlin');
  vi.resetModules();
  format = await import('./usage-format.js');
});

it.each([
  // Cut by the offset of summer: before the clocks went forward on 28 March such a day begins at 23:00 of the day before.
  ['2027-03-25T22:00:00Z', '26 Mar'],
  ['2027-03-26T22:00:00Z', '27 Mar'],
  ['2027-03-27T22:00:00Z', '28 Mar'],
  ['2027-03-28T22:00:00Z', '29 Mar'],
  // Cut by the offset of winter: before the clocks went back on 31 October it begins at 01:00.
  ['2027-10-29T23:00:00Z', '30 Oct'],
  ['2027-10-30T23:00:00Z', '31 Oct'],
  ['2027-10-31T23:00:00Z', '1 Nov'],
])('names the day that begins at %s %s', (at, text) => {
  expect(format.formatBucket({ at }, 'day')).toBe(text);
});

it('names an hour by its weekday and time', () => {
  expect(format.formatBucket({ at: '2027-03-28T01:00:00Z' }, 'hour')).toBe('Sun 03:00');
});

it('has something to show once a call was asked or refused', () => {
  expect(
    [
      [0, 0],
      [1, 0],
      [0, 1],
    ].map(([asks = 0, refused = 0]) => format.isNothing({ asks, refused })),
  ).toEqual([...[true, false, false]]);
});

it('writes counts, durations and costs, and a dash for what nobody reported', () => {
  expect([format.formatCount(1234.5), format.formatOptionalCount(0), format.formatOptionalCount(null)]).toEqual([
    ...['1,235', '0', '–'],
  ]);
  expect([0, 0.001, 0.01, 12.345, null].map(format.formatCost)).toEqual(['$0.00', '$0.0010', '$0.01', '$12.35', '–']);
  expect([format.formatLatency(1_500), format.formatLatency(null)]).toEqual([expect.stringContaining('1.5'), '–']);
});
