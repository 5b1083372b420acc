import { expect, it } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import { LoopDelay } from './loop-delay.js';

const MS = 1_000_000;

/** The delay of an event loop whose measurements, in nanoseconds, are those of `now`. */
function measured() {
  const calls: string[] = [];
  const now = { count: 1, max: 90 * MS, percentiles: { 50: 20 * MS, 99: 45 * MS } as Record<number, number> };
  const clock = new FakeClock();
  const delay = new LoopDelay(clock, ({ resolution }) => {
    calls.push(`monitor ${resolution}`);
    return {
      get count() {
        return now.count;
      },
      get max() {
        return now.max;
      },
      percentile: (wanted: number) => now.percentiles[wanted] ?? Number.NaN,
      reset: () => void calls.push('reset'),
      enable: () => calls.push('enable') > 0,
      disable: () => calls.push('disable') > 0,
    };
  });
  return { delay, now, calls, clock };
}

it('The delay is told in seconds without the time between two measurements, and each reading begins anew', () => {
  const { delay, now, calls } = measured();
  expect(delay.read()).toBeUndefined();
  expect(calls.splice(0)).toEqual(['monitor 20', 'enable']);
  expect(delay.read()).toEqual({ p50: 0, p99: expect.closeTo(0.025, 9), max: expect.closeTo(0.07, 9) });
  expect(calls.splice(0)).toEqual(['reset']);
  now.max = 19 * MS;
  expect(delay.read()?.max).toBe(0);
});

it('Without a measurement since the last reading there is no delay to tell', () => {
  const { delay, now, calls } = measured();
  delay.read();
  now.count = 0;
  expect(delay.read()).toBeUndefined();
  now.count = 1;
  expect(delay.read()).toBeDefined();
  expect(calls).toEqual(['monitor 20', 'enable', 'reset', 'reset']);
});

it('Measuring ends when nobody reads for ten minutes, or at the stop, and begins anew with the next reading', () => {
  const { delay, calls, clock } = measured();
  delay.read();
  clock.advance(599_999);
  expect(calls).not.toContain('disable');
  clock.advance(1);
  expect(calls.splice(0)).toEqual(['monitor 20', 'enable', 'disable']);
  expect(delay.read()).toBeUndefined();
  delay.stop();
  delay.stop();
  expect(calls).toEqual(['monitor 20', 'enable', 'disable']);
  expect(clock.pending).toBe(0);
});
