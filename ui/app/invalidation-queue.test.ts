import { describe, expect, it } from 'vitest';
import { InvalidationQueue } from './invalidation-queue.js';

/** A lane on a manual clock. `pass` advances it and returns what was read again. */
function getLane(betweenMs: number) {
  let now = 1_000_000;
  let timers: { at: number; run: () => void }[] = [];
  const read: string[] = [];
  const lane = new InvalidationQueue(betweenMs, (key) => read.push(key.join('/')), {
    now: () => now,
    setTimeout: (run, ms) => timers.push({ at: now + ms, run }),
  });
  const pass = (ms: number) => {
    now += ms;
    const due = timers.filter(({ at }) => at <= now);
    timers = timers.filter(({ at }) => at > now);
    for (const { run } of due) run();
    return read.splice(0);
  };
  return { lane, pass };
}

describe('InvalidationQueue', () => {
  it('reads a key again at once, and once for many changes', () => {
    const { lane, pass } = getLane(3_000);
    for (let i = 0; i < 5; i += 1) lane.add(['search']);
    expect(pass(50)).toEqual(['search']);
    expect(pass(10_000)).toEqual([]);
  });

  it('reads at most once per interval and loses no change', () => {
    const { lane, pass } = getLane(3_000);
    lane.add(['search']);
    pass(50);
    lane.add(['search']);
    expect(pass(2_900)).toEqual([]);
    lane.add(['search']);
    expect(pass(100)).toEqual(['search']);
    expect(pass(10_000)).toEqual([]);
  });

  it('waits no longer than the interval when the clock is set back', () => {
    const { lane, pass } = getLane(3_000);
    lane.add(['search']);
    pass(50);
    pass(-3_600_000);
    lane.add(['search']);
    expect(pass(3_000)).toEqual(['search']);
  });

  it('reads few keys one by one, and many keys of a kind as one', () => {
    const { lane, pass } = getLane(150);
    for (let i = 0; i < 3; i += 1) lane.add(['agent', `a-${i}`]);
    expect(pass(50)).toEqual(['agent/a-0', 'agent/a-1', 'agent/a-2']);
    for (let i = 0; i < 5_000; i += 1) lane.add(['agent', `a-${i}`]);
    lane.add(['team', 'list']);
    expect(pass(150)).toEqual(['agent', 'team/list']);
  });
});
