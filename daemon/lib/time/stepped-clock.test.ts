import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import { SteppedClock } from './stepped-clock.js';

describe('a clock that can be advanced', () => {
  it('follows its base clock from the time it was advanced to', () => {
    const base = new FakeClock();
    const [wall, monotonic] = [base.now(), base.elapsed()];
    const clock = new SteppedClock(base);
    clock.step(300_000);
    base.advance(1_000);
    expect([clock.now() - wall, clock.elapsed() - monotonic]).toEqual([301_000, 301_000]);
  });

  it('runs timers that a step makes due, in order and once, and leaves the rest for their time', () => {
    const base = new FakeClock();
    const clock = new SteppedClock(base);
    const run: string[] = [];
    clock.after(200, () => run.push('second'));
    clock.after(100, () => run.push('first'));
    clock.after(1_000, () => run.push('later'));
    clock.step(500);
    base.advance(0);
    expect(run).toEqual(['first', 'second']);
    base.advance(499);
    expect(run).toHaveLength(2);
    base.advance(1);
    expect(run).toEqual(['first', 'second', 'later']);
    base.advance(10_000);
    expect(run).toHaveLength(3);
  });

  it('never runs a cancelled timer, advanced or not', () => {
    const base = new FakeClock();
    const clock = new SteppedClock(base);
    const run: string[] = [];
    const cancel = clock.after(100, () => run.push('called off'));
    clock.step(50);
    cancel();
    clock.step(500);
    base.advance(1_000);
    expect(run).toEqual([]);
  });

  it('runs no timer again that has run', () => {
    const base = new FakeClock();
    const clock = new SteppedClock(base);
    let runs = 0;
    clock.after(100, () => {
      runs += 1;
    });
    base.advance(100);
    clock.step(1_000);
    base.advance(1_000);
    expect([runs, base.pending]).toEqual([1, 0]);
  });

  it('leaves no timer of its base behind when one is cancelled', () => {
    const base = new FakeClock();
    new SteppedClock(base).after(100, () => undefined)();
    expect(base.pending).toBe(0);
  });
});
