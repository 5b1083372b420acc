import { once } from 'node:events';
import { expect, it } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import { eventStream } from './event-stream.js';

it('sends keep-alive comments while idle and closes its events when the reader disconnects', async () => {
  const clock = new FakeClock();
  let next: () => void = () => undefined;
  let letGo: () => void = () => undefined;
  const over = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const events = async function* (): AsyncGenerator<string, void, undefined> {
    try {
      yield '{"first":1}';
      await new Promise<void>((resolve) => {
        next = resolve;
      });
    } finally {
      letGo();
    }
  };
  const stream = eventStream(events(), clock);
  const read = async () => String((await once(stream, 'data'))[0]);
  expect(await read()).toBe('data: {"first":1}\n\n');
  const later = read();
  clock.advance(4_000);
  expect(await later).toBe(': still here\n\n');
  stream.destroy();
  await once(stream, 'close');
  next();
  await over;
});
