import type { ConsumerMessages, JetStreamManager, JsMsg } from '@nats-io/jetstream';
import { expect, it, onTestFinished } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import { StreamReader } from './stream-reader.js';

/** One fetch of a consumer whose server says only what the test lets it say. */
class FakeFetch implements AsyncIterable<JsMsg> {
  private readonly arrived: JsMsg[] = [];
  private failure: Error | undefined;
  private isOver = false;
  private wake: () => void = () => undefined;

  say(seq: number): void {
    const message = { seq, subject: 'm', data: new Uint8Array(), timestampNanos: 0n, ack: () => undefined };
    this.arrived.push(message as unknown as JsMsg);
    this.wake();
  }

  stop(error?: Error): void {
    this.failure = error;
    this.isOver = true;
    this.wake();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<JsMsg> {
    for (;;) {
      const message = this.arrived.shift();
      if (message) yield message;
      else if (this.failure) throw this.failure;
      else if (this.isOver) return;
      else await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}

function reading({ pause = async (): Promise<void> => undefined } = {}) {
  const clock = new FakeClock();
  const fetches: FakeFetch[] = [];
  const failures: unknown[] = [];
  const applied: number[] = [];
  const fetch = async () => {
    fetches.push(new FakeFetch());
    return fetches.at(-1) as unknown as ConsumerMessages;
  };
  const consumers = { delete: async () => true, add: async () => undefined, get: async () => ({ fetch }) };
  const reader = new StreamReader({
    manager: { consumers, jetstream: () => ({ consumers }) } as unknown as JetStreamManager,
    ...{ stream: 'quay', durable: 'one', clock, pause },
    begin: async () => applied.at(-1) ?? 0,
    apply: async ({ sequence }) => void applied.push(sequence),
    onFailure: (error) => failures.push(error) > 0,
  });
  reader.start();
  onTestFinished(() => reader.stop());
  const untilFetch = (count: number) => expect.poll(() => fetches.length).toBe(count);
  const untilApplied = (last: number) => expect.poll(() => applied.at(-1)).toBe(last);
  return { clock, fetches, failures, applied, untilFetch, untilApplied };
}

it('begins again when a fetch is silent for nine seconds', async () => {
  const { clock, fetches, failures, untilFetch, untilApplied } = reading();
  await untilFetch(1);
  clock.advance(8_000);
  clock.advance(999);
  fetches[0]?.say(1);
  await untilApplied(1);
  clock.advance(8_000);
  clock.advance(1_000);
  await expect.poll(() => failures).toHaveLength(1);
  expect(failures).toMatchObject([{ message: 'the servers did not answer a request for changes' }]);
  clock.advance(500);
  await untilFetch(2);
  fetches[1]?.say(2);
  await untilApplied(2);
});

it('does not take a pause of its own for silence of the servers', async () => {
  let resume = (): void => undefined;
  const paused = new Promise<void>((resolve) => {
    resume = resolve;
  });
  const { clock, fetches, failures, applied, untilFetch, untilApplied } = reading({ pause: () => paused });
  await untilFetch(1);
  fetches[0]?.say(1);
  await new Promise(setImmediate);
  clock.advance(8_000);
  clock.advance(60_000);
  expect(applied).toEqual([]);
  resume();
  await untilApplied(1);
  expect([fetches.length, failures]).toEqual([1, []]);
});

it('begins again from what is applied when a message is missing', async () => {
  const { clock, fetches, failures, untilFetch, untilApplied } = reading();
  await untilFetch(1);
  fetches[0]?.say(1);
  await untilApplied(1);
  fetches[0]?.say(3);
  await new Promise(setImmediate);
  clock.advance(500);
  await untilFetch(2);
  fetches[1]?.say(2);
  await untilApplied(2);
  expect(failures).toEqual([]);
});
