import { setImmediate as nextRound } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { countRounds, keepBusy } from '../../testing/processes/event-loop.js';
import { SlicedWork, TickQueue } from './loop-ticks.js';

describe('event loop ticks', () => {
  it('are granted one per iteration of the loop, in order of request', async () => {
    const ticks = new TickQueue();
    const had: number[] = [];
    for (let number = 0; number < 3; number += 1) void ticks.next().then(() => had.push(number));
    const seen: number[][] = [];
    for (let round = 0; round < 3; round += 1) {
      await nextRound();
      seen.push([...had]);
    }
    expect(seen).toEqual([[0], [0, 1], [0, 1, 2]]);
  });

  it('alternate between work and commits', async () => {
    const ticks = new TickQueue();
    const had: string[] = [];
    for (const name of ['a', 'b', 'c']) void ticks.next().then(() => had.push(name));
    for (const name of ['A', 'B']) void ticks.next('commit').then(() => had.push(name));
    for (let round = 0; round < 6; round += 1) await nextRound();
    expect(had).toEqual(['A', 'a', 'B', 'b', 'c']);
  });

  it('are granted in each iteration, however many wait for each purpose', async () => {
    for (const kinds of [
      ['work', 'commit', 'commit'],
      ['commit', 'commit'],
      ['work', 'work'],
    ] as const) {
      const ticks = new TickQueue();
      let count = 0;
      for (const kind of kinds) void ticks.next(kind).then(() => (count += 1));
      for (let round = 1; round <= kinds.length; round += 1) {
        await nextRound();
        expect([kinds, count]).toEqual([kinds, round]);
      }
    }
  });

  it('leave the loop idle when none waits', async () => {
    const countWaiting = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Immediate').length;
    const before = countWaiting();
    const ticks = new TickQueue();
    await ticks.next();
    await Promise.resolve();
    expect(countWaiting()).toBe(before);
  });

  it('are granted again after an idle period', async () => {
    const ticks = new TickQueue();
    await ticks.next();
    await nextRound();
    await ticks.next();
  });

  it('interrupt work of many steps before it occupies the loop for long', async () => {
    const [one, other] = [new SlicedWork(), new SlicedWork()];
    const loop = countRounds();
    const steps = async (of: SlicedWork) => {
      for (let step = 0; step < 10; step += 1) {
        await of.step();
        keepBusy(3);
      }
    };
    await Promise.all([steps(one), steps(other)]);
    loop.stop();
    // Twenty steps of three milliseconds; a slice of five milliseconds holds two of them.
    expect(loop.rounds).toBeGreaterThanOrEqual(10);
  });
});

describe('work in slices', () => {
  afterEach(() => void vi.useRealTimers());

  it('waits for a tick before its first step, and again once five milliseconds of it are used up', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const work = new SlicedWork();
    const waits = async () => {
      let isOver = false;
      const step = work.step().then(() => {
        isOver = true;
      });
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
      const isWaiting = !isOver;
      await step;
      return isWaiting;
    };
    const waited = [await waits(), await waits()];
    vi.advanceTimersByTime(4);
    waited.push(await waits());
    vi.advanceTimersByTime(1);
    waited.push(await waits(), await waits());
    expect(waited).toEqual([true, false, false, true, false]);
  });
});
