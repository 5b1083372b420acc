import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import { every, fileStamp, isoTime, sleep, systemClock } from './clock.js';

/** Runs what is due once `work` has had its turn, and returns whether it has settled. */
async function isSettled(work: Promise<void>): Promise<boolean> {
  let isOver = false;
  void work.then(() => {
    isOver = true;
  });
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  return isOver;
}

describe('the clock of the system', () => {
  afterEach(() => void vi.useRealTimers());

  it('has the wall time and a monotonic time in milliseconds', () => {
    vi.useFakeTimers({ now: 1_764_000_000_123, toFake: ['Date', 'performance'] });
    const began = systemClock.elapsed();
    vi.advanceTimersByTime(250);
    expect([systemClock.now(), systemClock.elapsed() - began]).toEqual([1_764_000_000_373, 250]);
  });

  it('runs a callback once at its time, and never when it is cancelled', () => {
    vi.useFakeTimers();
    const run: string[] = [];
    systemClock.after(100, () => run.push('due'));
    const cancel = systemClock.after(100, () => run.push('cancelled'));
    vi.advanceTimersByTime(99);
    expect(run).toEqual([]);
    cancel();
    vi.advanceTimersByTime(1_000);
    expect(run).toEqual(['due']);
  });

  it('does not keep the process alive', () => {
    const countTimers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = countTimers();
    const cancel = systemClock.after(60_000, () => undefined);
    expect(countTimers()).toBe(before);
    cancel();
  });
});

describe('an interval', () => {
  it('runs first after one interval, and from then on until it is cancelled', () => {
    const clock = new FakeClock();
    const began = clock.now();
    const times: number[] = [];
    const cancel = every(clock, 100, () => times.push(clock.now() - began));
    clock.advance(350);
    expect(times).toEqual([100, 200, 300]);
    cancel();
    clock.advance(1_000);
    expect([times.length, clock.pending]).toEqual([3, 0]);
  });

  it('can be cancelled before it has run', () => {
    const clock = new FakeClock();
    every(clock, 100, () => expect.fail('it was cancelled'))();
    clock.advance(1_000);
    expect(clock.pending).toBe(0);
  });

  it('is not ended by an exception', () => {
    const clock = new FakeClock();
    let runs = 0;
    every(clock, 100, () => {
      runs += 1;
      throw new Error('one round failed');
    });
    for (let round = 0; round < 3; round += 1) expect(() => clock.advance(100)).toThrow('one round failed');
    expect(runs).toBe(3);
  });
});

describe('a pause', () => {
  it('ends after its time', async () => {
    const clock = new FakeClock();
    const pause = sleep(clock, 100);
    clock.advance(99);
    expect(await isSettled(pause)).toBe(false);
    clock.advance(1);
    expect(await isSettled(pause)).toBe(true);
  });

  it('ends at once when the signal aborts, and leaves neither a timer nor a listener', async () => {
    const clock = new FakeClock();
    const control = new AbortController();
    const pause = sleep(clock, 100, control.signal);
    expect(await isSettled(pause)).toBe(false);
    control.abort();
    expect([await isSettled(pause), clock.pending]).toEqual([true, 0]);
    expect(getEventListeners(control.signal, 'abort')).toEqual([]);
  });

  it('leaves no listener when its time is over', async () => {
    const clock = new FakeClock();
    const control = new AbortController();
    const pause = sleep(clock, 100, control.signal);
    clock.advance(100);
    expect([await isSettled(pause), getEventListeners(control.signal, 'abort')]).toEqual([true, []]);
  });

  it('does not begin when the signal has aborted', async () => {
    const clock = new FakeClock();
    expect([await isSettled(sleep(clock, 100, AbortSignal.abort())), clock.pending]).toEqual([true, 0]);
  });
});

it('formats a time as ISO 8601 and as a part of a file name', () => {
  const ms = Date.UTC(2026, 10, 2, 1, 36, 0, 123);
  expect([isoTime(ms), fileStamp(ms)]).toEqual(['2026-11-02T01:36:00.123Z', '20261102T013600Z']);
});
