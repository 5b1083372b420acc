import type { ConsumerMessages, JetStreamManager, JsMsg } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';
import { expect, it, onTestFinished, vi } from 'vitest';
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

function reading({ pause = async (): Promise<void> => undefined, info = async () => 0 } = {}) {
  const clock = new FakeClock();
  const fetches: FakeFetch[] = [];
  const failures: unknown[] = [];
  const applied: number[] = [];
  const fetch = async () => {
    fetches.push(new FakeFetch());
    return fetches.at(-1) as unknown as ConsumerMessages;
  };
  const consumer = { fetch, info: async () => ({ delivered: { stream_seq: await info() } }) };
  const add = vi.fn(async () => undefined);
  const consumers = { delete: async () => true, add, get: async () => consumer };
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
  return { clock, add, fetches, failures, applied, untilFetch, untilApplied };
}

const pass = (clock: FakeClock) => {
  clock.advance(5_500);
  clock.advance(499);
};

it('fetches again where the servers do not say that a fetch has ended', async () => {
  const { clock, add, fetches, failures, untilFetch, untilApplied } = reading({ info: async () => 2 });
  await untilFetch(1);
  fetches[0]?.say(1);
  pass(clock);
  fetches[0]?.say(2);
  await untilApplied(2);
  expect(fetches).toHaveLength(1);
  clock.advance(1);
  await untilFetch(2);
  fetches[1]?.say(3);
  await untilApplied(3);
  expect(failures).toEqual([]);
  expect(add).toHaveBeenCalledOnce();
});

it('begins again where a message was sent to a fetch that was ended before it arrived', async () => {
  const { clock, add, fetches, failures, untilFetch, untilApplied } = reading({ info: async () => 2 });
  await untilFetch(1);
  fetches[0]?.say(1);
  await untilApplied(1);
  pass(clock);
  clock.advance(1);
  await new Promise(setImmediate);
  clock.advance(500);
  await untilFetch(2);
  fetches[1]?.say(2);
  await untilApplied(2);
  expect(failures).toEqual([]);
  expect(add).toHaveBeenCalledTimes(2);
});

it('says that the servers do not answer, and begins again', async () => {
  const info = async () => Promise.reject(new errors.TimeoutError());
  const { clock, add, failures, untilFetch } = reading({ info });
  await untilFetch(1);
  pass(clock);
  clock.advance(1);
  await expect.poll(() => failures).toMatchObject([{ message: 'the servers did not answer a request for changes' }]);
  clock.advance(500);
  await untilFetch(2);
  expect(add).toHaveBeenCalledTimes(2);
});

it('passes on why the servers know nothing of the consumer', async () => {
  const unknown = new Error('consumer not found');
  const { clock, failures, untilFetch } = reading({ info: async () => Promise.reject(unknown) });
  await untilFetch(1);
  pass(clock);
  clock.advance(1);
  await expect.poll(() => failures).toEqual([unknown]);
});

it('does not take a pause of its own for silence of the servers', async () => {
  let resume = (): void => undefined;
  const paused = new Promise<void>((resolve) => {
    resume = resolve;
  });
  const { clock, fetches, failures, applied, untilFetch, untilApplied } = reading({
    pause: () => paused,
    info: async () => 2,
  });
  await untilFetch(1);
  fetches[0]?.say(1);
  fetches[0]?.say(2);
  await new Promise(setImmediate);
  clock.advance(5_500);
  clock.advance(60_000);
  expect(applied).toEqual([]);
  resume();
  await untilApplied(2);
  await untilFetch(2);
  expect(failures).toEqual([]);
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
