import type { JetStreamManager, StreamConfig } from '@nats-io/jetstream';
import { expect, it } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import { createStream } from './command-stream.js';

/** Servers that refuse three replicas with `code`, so many times. Returns how many replicas each attempt asked for. */
function createWith(code: number, refusals: number) {
  const clock = new FakeClock();
  const attempts: (number | undefined)[] = [];
  const add = async ({ num_replicas }: Partial<StreamConfig>) => {
    attempts.push(num_replicas);
    if (num_replicas === 3 && attempts.length <= refusals) throw Object.assign(new Error('refused'), { code });
    return { config: { num_replicas } };
  };
  const created = createStream({ streams: { add } } as unknown as JetStreamManager, 'team', 'one', clock);
  const settle = async () => {
    for (let turn = 0; turn < 100; turn += 1) {
      await new Promise(setImmediate);
      clock.advance(250);
    }
    return [(await created).config.num_replicas, attempts.length];
  };
  return settle();
}

it('gives a network three replicas once the servers of a cluster have met, one where they are too few', async () => {
  expect(await createWith(10_005, 2)).toEqual([3, 3]);
  expect(await createWith(10_074, 99)).toEqual([1, 2]);
  expect(await createWith(10_005, 99)).toEqual([1, 22]);
});
