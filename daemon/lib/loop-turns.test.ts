import { setImmediate as nextRound } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { countRounds, keepBusy } from '../testing/event-loop.js';
import { LoopTurns, SlicedWork } from './loop-turns.js';

describe('turns of the event loop', () => {
  it('are given one in a round, in the order in which they were wanted', async () => {
    const turns = new LoopTurns();
    const had: number[] = [];
    for (let number = 0; number < 3; number += 1) void turns.next().then(() => had.push(number));
    const seen: number[][] = [];
    for (let round = 0; round < 3; round += 1) {
      await nextRound();
      seen.push([...had]);
    }
    expect(seen).toEqual([[0], [0, 1], [0, 1, 2]]);
  });

  it('are given to work and to commits by turns', async () => {
    const turns = new LoopTurns();
    const had: string[] = [];
    for (const name of ['a', 'b', 'c']) void turns.next().then(() => had.push(name));
    for (const name of ['A', 'B']) void turns.next('commit').then(() => had.push(name));
    for (let round = 0; round < 6; round += 1) await nextRound();
    expect(had).toEqual(['A', 'a', 'B', 'b', 'c']);
  });

  it('go on after none was wanted', async () => {
    const turns = new LoopTurns();
    await turns.next();
    await nextRound();
    await turns.next();
  });

  it('end work of many steps before it has kept the loop for long', async () => {
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
    // Twenty steps of three milliseconds, of which a turn of five has two.
    expect(loop.rounds).toBeGreaterThanOrEqual(10);
  });
});
