import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../testing/fake-clock.js';
import { RunLimit } from './run-limit.js';

describe('a limit on running time', () => {
  it('tells how long the run has run, without its pauses and after its end', () => {
    const clock = new FakeClock();
    let isOver = false;
    const limit = new RunLimit(clock, 10_000, () => {
      isOver = true;
    });
    clock.advance(3_000);
    limit.pause();
    limit.pause();
    clock.advance(60_000);
    expect([limit.ranMs, limit.isPaused]).toEqual([3_000, true]);
    limit.resume();
    clock.advance(60_000);
    limit.resume();
    clock.advance(2_000);
    expect([limit.ranMs, limit.isPaused, isOver]).toEqual([5_000, false, false]);
    limit.end();
    clock.advance(60_000);
    expect([limit.ranMs, isOver]).toEqual([5_000, false]);
  });

  it('does not count the sleep of a machine whose timers go on meanwhile', () => {
    const timers: (() => void)[] = [];
    let nowMs = 0;
    const clock = {
      now: () => nowMs,
      elapsed: () => nowMs,
      after: (_ms: number, run: () => void) => {
        timers.push(run);
        return () => undefined;
      },
    };
    let isOver = false;
    const limit = new RunLimit(clock, 20_000, () => {
      isOver = true;
    });
    nowMs = 3_600_000;
    timers.shift()?.();
    expect([limit.ranMs, isOver]).toEqual([10_000, false]);
    nowMs += 3_600_000;
    limit.pause();
    expect(limit.ranMs).toBe(20_000);
  });
});
