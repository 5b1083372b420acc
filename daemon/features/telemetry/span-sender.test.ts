import { describe, expect, it } from 'vitest';
import { TELEMETRY_QUEUE_MAX } from '../../contract/telemetry.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { SpanSender } from './span-sender.js';
import type { TurnRecord } from './turn-record.js';

type Answer = Awaited<ReturnType<ConstructorParameters<typeof SpanSender>[0]['collector']['send']>>;

const TAKEN: Answer = { state: 'taken', status: 200, message: 'Taken.', rejected: 0 };
const AWAY: Answer = { state: 'away', status: null, message: 'Away.', rejected: 0 };
const REFUSED: Answer = { state: 'refused', status: 400, message: 'Refused.', rejected: 0 };

/** A record of as many spans: its turn and tool calls. */
const aRecord = (turn: string, spans = 1) =>
  ({ turn, startedMs: spans === 0 ? null : 1, tools: Array(Math.max(0, spans - 1)).fill({}) }) as unknown as TurnRecord;

function aSender() {
  const clock = new FakeClock();
  const requests: { path: string; body: string; signal: AbortSignal }[] = [];
  const told: string[] = [];
  const stage = {
    answer: TAKEN,
    write: (body: string): string | undefined => body,
    meanwhile: async () => undefined as unknown,
  };
  const sender = new SpanSender({
    collector: {
      send: async (path, body, signal) => {
        requests.push({ path, body, signal });
        await stage.meanwhile();
        return stage.answer;
      },
    },
    write: (records) => stage.write(records.map(({ turn }) => turn).join(' ')),
    clock,
    onSuccess: () => void told.push('taken'),
    onFailure: (message) => void told.push(message),
  });
  /** Lets `ms` pass and what then is sent arrive. */
  const pass = async (ms: number) => {
    clock.advance(ms);
    await new Promise((resume) => setImmediate(resume));
  };
  const bodies = () => requests.map(({ body }) => body);
  const counts = () => [sender.sent, sender.queued, sender.dropped];
  return { sender, clock, requests, told, stage, pass, bodies, counts };
}

describe('the spans of turns', () => {
  it('are sent together after five seconds', async () => {
    const { sender, pass, requests, told, counts, clock } = aSender();
    sender.add(aRecord('one'));
    await pass(3_000);
    sender.add(aRecord('two', 3));
    await pass(1_999);
    expect([requests, counts(), clock.pending]).toEqual([[], [0, 4, 0], 1]);
    await pass(1);
    expect(requests.map(({ path, body }) => [path, body])).toEqual([['/v1/traces', 'one two']]);
    expect([told, counts(), clock.pending]).toEqual([['taken'], [4, 0, 0], 0]);
  });

  it('are sent at once when 64 wait for the next timer, 64 in one request', async () => {
    const { sender, pass, bodies, counts } = aSender();
    sender.add(aRecord('one', 64));
    await pass(0);
    expect(bodies()).toEqual(['one']);
    sender.add(aRecord('two', 63));
    await pass(0);
    expect(bodies()).toEqual(['one']);
    sender.add(aRecord('three', 1));
    sender.add(aRecord('four', 1));
    await pass(5_000);
    expect(bodies()).toEqual(['one', 'two three']);
    expect(counts()).toEqual([128, 1, 0]);
    await pass(5_000);
    expect(bodies()).toEqual(['one', 'two three', 'four']);
  });

  it('of one turn are in one request however many there are', async () => {
    const { sender, pass, bodies } = aSender();
    sender.add(aRecord('one', 100));
    sender.add(aRecord('two', 100));
    await pass(0);
    await pass(0);
    expect(bodies()).toEqual(['one', 'two']);
  });

  it('wait up to a number, beyond which they are dropped', async () => {
    const { sender, counts } = aSender();
    sender.add(aRecord('one', TELEMETRY_QUEUE_MAX - 1));
    sender.add(aRecord('two', 2));
    expect(counts()).toEqual([0, TELEMETRY_QUEUE_MAX - 1, 2]);
    sender.add(aRecord('three', 1));
    expect(counts()).toEqual([0, TELEMETRY_QUEUE_MAX, 2]);
    sender.add(aRecord('four', 1));
    expect(counts()).toEqual([0, TELEMETRY_QUEUE_MAX, 3]);
  });

  it('that come while others are sent are sent after them', async () => {
    const { sender, pass, bodies, stage, clock } = aSender();
    let arrive: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    stage.meanwhile = () => arrived;
    sender.add(aRecord('one'));
    await pass(5_000);
    sender.add(aRecord('two'));
    expect(clock.pending).toBe(0);
    arrive();
    stage.meanwhile = async () => undefined;
    await pass(0);
    expect(clock.pending).toBe(1);
    await pass(5_000);
    expect(bodies()).toEqual(['one', 'two']);
  });

  it('of a record without any are not waited for', () => {
    const { sender, clock, counts } = aSender();
    sender.add(aRecord('one', 0));
    expect([clock.pending, counts()]).toEqual([0, [0, 0, 0]]);
  });

  it('of which nothing is written are done with, without a request', async () => {
    const { sender, pass, requests, told, counts, stage } = aSender();
    stage.write = () => undefined;
    sender.add(aRecord('one', 3));
    await pass(5_000);
    expect([requests, told, counts()]).toEqual([[], [], [0, 0, 0]]);
  });
});

describe('a collector', () => {
  it('that is away is asked again after ever longer pauses, up to five minutes', async () => {
    const { sender, pass, requests, stage, told, counts } = aSender();
    stage.answer = AWAY;
    sender.add(aRecord('one', 70));
    await pass(0);
    const pauses = [10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000];
    for (const [at, pause] of pauses.entries()) {
      await pass(pause - 1);
      expect(requests).toHaveLength(at + 1);
      await pass(1);
      expect(requests).toHaveLength(at + 2);
    }
    expect([told.length, told[0], counts()]).toEqual([8, 'Away.', [0, 70, 0]]);
    for (let more = 0; more < 8; more += 1) await pass(300_000);
    expect(requests).toHaveLength(16);
    stage.answer = TAKEN;
    await pass(300_000);
    expect(counts()).toEqual([70, 0, 0]);
    sender.add(aRecord('two', 64));
    await pass(0);
    expect(counts()).toEqual([134, 0, 0]);
  });

  it('that refuses spans makes them count as dropped', async () => {
    const { sender, pass, stage, told, counts } = aSender();
    stage.answer = REFUSED;
    sender.add(aRecord('one', 3));
    await pass(5_000);
    expect([told, counts()]).toEqual([['Refused.'], [0, 0, 3]]);
    stage.answer = { ...TAKEN, rejected: 2 };
    sender.add(aRecord('two', 3));
    await pass(5_000);
    expect([told, counts()]).toEqual([
      ['Refused.', 'Taken.'],
      [1, 0, 5],
    ]);
    stage.answer = { ...TAKEN, rejected: 9 };
    sender.add(aRecord('three', 3));
    await pass(5_000);
    expect(counts()).toEqual([1, 0, 8]);
  });
});

describe('when the daemon stops', () => {
  it('what waits is sent, and nothing that comes later', async () => {
    const { sender, bodies, clock, counts } = aSender();
    sender.add(aRecord('one', 60));
    sender.add(aRecord('two', 60));
    await sender.stop(new AbortController().signal);
    expect([bodies(), clock.pending, counts()]).toEqual([['one', 'two'], 0, [120, 0, 0]]);
    sender.add(aRecord('three'));
    expect([clock.pending, counts()]).toEqual([0, [120, 0, 0]]);
  });

  it('a collector that fails is not asked again', async () => {
    const { sender, bodies, stage } = aSender();
    stage.answer = AWAY;
    sender.add(aRecord('one', 64));
    sender.add(aRecord('two', 64));
    await sender.stop(new AbortController().signal);
    expect(bodies()).toEqual(['one']);
  });

  it('nothing is sent after the time for it', async () => {
    const { sender, requests } = aSender();
    sender.add(aRecord('one'));
    await sender.stop(AbortSignal.abort());
    expect(requests).toEqual([]);
  });

  it('a request under way is called off with the time for it, and no other is begun', async () => {
    const { sender, requests, stage, pass, clock } = aSender();
    const deadline = new AbortController();
    stage.meanwhile = () =>
      new Promise<void>((resolve) => requests[0]?.signal.addEventListener('abort', () => resolve(), { once: true }));
    sender.add(aRecord('one', 64));
    sender.add(aRecord('two', 64));
    await pass(0);
    const stopped = sender.stop(deadline.signal);
    expect(requests[0]?.signal.aborted).toBe(false);
    deadline.abort();
    await stopped;
    expect([requests.length, requests[0]?.signal.aborted, clock.pending]).toEqual([1, true, 0]);
  });
});
