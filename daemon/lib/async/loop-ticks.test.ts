import { setImmediate as nextRound } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
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
