import type { ConsumerMessages, JetStreamManager, JsMsg } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';
import { expect, it, onTestFinished, vi } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import type { StreamMessage } from './command-envelope.js';
import { StreamReader } from './stream-reader.js';

/** One fetch of a consumer whose server says only what the test lets it say. */
class FakeFetch implements AsyncIterable<JsMsg> {
  readonly acks: number[] = [];
  private readonly arrived: JsMsg[] = [];
  private failure: Error | undefined;
  private isOver = false;
  private wake: () => void = () => undefined;

  say(seq: number, timestampNanos = 0n): void {
    const message = { seq, subject: 'm', data: new Uint8Array(), timestampNanos, ack: () => this.acks.push(seq) };
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

interface Reading {
  pause?: () => Promise<void>;
  info?: () => Promise<number>;
  begin?: () => Promise<number>;
  apply?: (message: StreamMessage) => Promise<unknown>;
  /** Whether reading goes on after a failure. */
  goesOn?: boolean;
}

const settle = async () => {
  for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
};

function reading({ pause = async () => undefined, info = async () => 0, begin, apply, goesOn = true }: Reading = {}) {
  const clock = new FakeClock();
  const fetches: FakeFetch[] = [];
  const failures: unknown[] = [];
  const applied: number[] = [];
  const messages: StreamMessage[] = [];
  const fetch = vi.fn(async (_options: object) => {
    fetches.push(new FakeFetch());
    return fetches.at(-1) as unknown as ConsumerMessages;
  });
  const consumer = { fetch, info: async () => ({ delivered: { stream_seq: await info() } }) };
  const add = vi.fn(async (_stream: string, _config: object) => undefined);
  const remove = vi.fn(async (_stream: string, _durable: string) => true);
  const get = vi.fn(async (_stream: string, _durable: string) => consumer);
  const consumers = { delete: remove, add, get };
  const reader = new StreamReader({
    manager: { consumers, jetstream: () => ({ consumers }) } as unknown as JetStreamManager,
    ...{ stream: 'quay', durable: 'one', clock, pause },
    begin: begin ?? (async () => applied.at(-1) ?? 0),
    apply: async (message) => {
      messages.push(message);
      await apply?.(message);
      applied.push(message.sequence);
    },
    onFailure: (error) => failures.push(error) > 0 && goesOn,
  });
  reader.start();
  onTestFinished(() => reader.stop());
  const untilFetch = (count: number) => expect.poll(() => fetches.length).toBe(count);
  const untilApplied = (last: number) => expect.poll(() => applied.at(-1)).toBe(last);
  return { reader, clock, add, remove, get, fetch, fetches, failures, applied, messages, untilFetch, untilApplied };
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

it('reads through a consumer that begins after what is applied, in batches', async () => {
  const { add, remove, get, fetch, untilFetch } = reading({ begin: async () => 41 });
  await untilFetch(1);
  expect(remove.mock.calls).toEqual([['quay', 'one']]);
  expect(add.mock.calls).toEqual([
    [
      'quay',
      {
        ...{ durable_name: 'one', ack_policy: 'all', deliver_policy: 'by_start_sequence', opt_start_seq: 42 },
        ...{ inactive_threshold: 3_600_000_000_000, max_ack_pending: 1_024 },
      },
    ],
  ]);
  expect(get.mock.calls).toEqual([['quay', 'one']]);
  expect(fetch.mock.calls).toEqual([[{ max_messages: 256, expires: 5_000 }]]);
});

it('gives on each message as it was stored, with the time in milliseconds', async () => {
  const { fetches, messages, untilFetch, untilApplied } = reading();
  await untilFetch(1);
  fetches[0]?.say(1, 1_800_000_000_123_999_999n);
  await untilApplied(1);
  expect(messages).toEqual([{ sequence: 1, subject: 'm', data: new Uint8Array(), timeMs: 1_800_000_000_123 }]);
});

it('confirms the newest message of a fetch once all of them are applied, and fetches on', async () => {
  const { clock, add, fetches, applied, untilFetch } = reading();
  await untilFetch(1);
  const [first] = fetches;
  first?.say(1);
  first?.say(2);
  // Sent again by the servers: whoever applies it knows.
  first?.say(2);
  await settle();
  expect([applied, first?.acks]).toEqual([[1, 2, 2], []]);
  first?.stop();
  await untilFetch(2);
  expect(first?.acks).toEqual([2]);
  fetches[1]?.stop();
  await untilFetch(3);
  expect(fetches[1]?.acks).toEqual([]);
  expect(add).toHaveBeenCalledOnce();
  // Only the timer of the fetch under way.
  expect(clock.pending).toBe(1);
});

it('does not wait for one message before it gives on the next, and begins again when one fails', async () => {
  const failure = new Error('disk full');
  let fail: (error: Error) => void = () => undefined;
  const apply = ({ sequence }: StreamMessage) =>
    sequence === 1 && messages.length <= 2
      ? new Promise((_, reject) => {
          fail = reject;
        })
      : Promise.resolve();
  const { clock, add, fetches, failures, messages, untilFetch } = reading({ apply, begin: async () => 0 });
  await untilFetch(1);
  fetches[0]?.say(1);
  fetches[0]?.say(2);
  await settle();
  expect(messages.map(({ sequence }) => sequence)).toEqual([1, 2]);
  fail(failure);
  await settle();
  expect([failures, fetches[0]?.acks]).toEqual([[failure], []]);
  clock.advance(499);
  await settle();
  expect(fetches).toHaveLength(1);
  clock.advance(1);
  await untilFetch(2);
  expect(add).toHaveBeenCalledTimes(2);
});

it('ends with a failure after which nothing helps', async () => {
  const { clock, failures, fetches } = reading({ begin: () => Promise.reject(new Error('too old')), goesOn: false });
  await expect.poll(() => failures).toMatchObject([{ message: 'too old' }]);
  clock.advance(60_000);
  await settle();
  expect([failures.length, fetches.length, clock.pending]).toEqual([1, 0, 0]);
});

it('creates a consumer where there is none to delete', async () => {
  const { remove, reader, clock, untilFetch } = reading();
  await untilFetch(1);
  remove.mockRejectedValue(new Error('consumer not found'));
  reader.restart();
  await settle();
  clock.advance(500);
  await untilFetch(2);
});

it('begins again when the connection was replaced, which is no failure', async () => {
  const { reader, clock, add, failures, untilFetch } = reading();
  await untilFetch(1);
  reader.restart();
  await settle();
  // Between two fetches there is nothing to end.
  reader.restart();
  clock.advance(500);
  await untilFetch(2);
  expect([add.mock.calls.length, failures]).toEqual([2, []]);
});

it('reads once, however often it is started, until it is stopped', async () => {
  const { reader, clock, add, fetches, failures, untilFetch } = reading();
  reader.start();
  await untilFetch(1);
  await reader.stop();
  clock.advance(60_000);
  await settle();
  expect([add.mock.calls.length, fetches.length, failures.length, clock.pending]).toEqual([1, 1, 0, 0]);
});

it('is stopped while it waits to begin again, and in the middle of a request', async () => {
  const { reader, clock, failures } = reading({ begin: () => Promise.reject(new Error('no answer')) });
  await expect.poll(() => failures.length).toBe(1);
  await reader.stop();
  expect([failures.length, clock.pending]).toEqual([1, 0]);

  let answer: (error: Error) => void = () => undefined;
  const asking = reading({
    begin: () =>
      new Promise((_, reject) => {
        answer = reject;
      }),
  });
  const stopped = asking.reader.stop();
  answer(new Error('closed'));
  await stopped;
  expect(asking.failures).toEqual([]);
});

it('ends a fetch that begins after it was stopped', async () => {
  const { reader, fetch, fetches } = reading();
  let give: (messages: ConsumerMessages) => void = () => undefined;
  fetch.mockImplementationOnce(
    () =>
      new Promise((resolve) => {
        give = resolve;
      }),
  );
  await settle();
  const stopped = reader.stop();
  give(new FakeFetch() as unknown as ConsumerMessages);
  await stopped;
  expect(fetches).toEqual([]);
});
