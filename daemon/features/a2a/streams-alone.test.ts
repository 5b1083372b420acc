import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Bus } from '../../events/bus.js';
import { unknownId } from '../../lib/errors.js';
import { FakeClock } from '../../testing/fake-clock.js';
import type { Ask } from '../asks/ask-store.js';
import { eventStream } from './event-stream.js';
import { olderParams, stateName } from './older-params.js';
import { type TaskNewsParts, taskNews, untilSettled } from './task-news.js';

const settle = async () => {
  for (let count = 0; count < 5; count += 1) await new Promise(setImmediate);
};

/** News of the task `req-1`, whose turn has said `partial`. */
function telling(first: Ask['status'], partial?: { text: string; nextIndex: number }) {
  const bus = new Bus(new FakeClock());
  const state = { ask: { request_id: 'req-1', turn: 't', status: first } as Ask };
  const listeners = new Set<(one: { request_id: string }) => void>();
  const watchers = { count: 0 };
  const parts = {
    asks: {
      getOwn: (_member: string, id: string) => {
        if (id !== 'req-1') throw unknownId('request', id);
        return state.ask;
      },
      getPartialText: () => partial,
      onChanged: (listener: (one: { request_id: string }) => void) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    bus: {
      watch: (listener: Parameters<Bus['watch']>[0]) => {
        watchers.count += 1;
        const stop = bus.watch(listener);
        return () => {
          watchers.count -= 1;
          stop();
        };
      },
    },
  } as unknown as TaskNewsParts;
  const change = (status: Ask['status'], id = 'req-1') => {
    if (id === 'req-1') state.ask = { ...state.ask, status };
    for (const listener of listeners) listener({ request_id: id });
  };
  const say = (index: number, text: string, turn = 't') => bus.publish('turn.delta', { conv: 'c', turn, index, text });
  const gone = new AbortController();
  const told: string[] = [];
  const read = async () => {
    for await (const news of taskNews(parts, 'guide', 'req-1', gone.signal))
      told.push(news.kind === 'text' ? news.text : news.ask.status);
    told.push('over');
  };
  return { parts, bus, change, say, gone, told, read, listeners, watchers };
}

describe('the news of a task', () => {
  it('are its status, its text so far, and what follows, each once', async () => {
    const { change, say, told, read, bus, listeners, watchers } = telling('running', { text: 'So', nextIndex: 2 });
    const reading = read();
    await settle();
    say(1, 'old');
    say(2, ' it');
    say(2, 'twice');
    say(3, ' is.');
    say(4, 'other', 'another turn');
    bus.publish('conversation.updated', { conv: 'c' });
    change('running');
    change('done', 'req-2');
    await settle();
    change('needs_input');
    change('done');
    await reading;
    expect(told).toEqual(['running', 'So', ' it', ' is.', 'needs_input', 'done', 'over']);
    expect([listeners.size, watchers.count]).toEqual([0, 0]);
  });

  it('begin without a text where there is none', async () => {
    for (const partial of [undefined, { text: '', nextIndex: 0 }]) {
      const { change, say, told, read } = telling('queued', partial);
      const reading = read();
      await settle();
      say(0, 'So');
      change('error');
      await reading;
      expect(told).toEqual(['queued', 'So', 'error', 'over']);
    }
  });

  it.each(['done', 'error'] as const)('of a task that is %s are over at once', async (status) => {
    const { told, read } = telling(status);
    await read();
    expect(told).toEqual([status, 'over']);
  });

  it('end with their reader, also before they began', async () => {
    const { gone, told, read, listeners, watchers } = telling('running');
    const reading = read();
    await settle();
    gone.abort();
    await reading;
    expect([told, listeners.size, watchers.count]).toEqual([['running', 'over'], 0, 0]);
    const early = telling('running');
    early.gone.abort();
    await early.read();
    expect(early.told).toEqual(['running', 'over']);
  });

  it('settle with the end or with the reader, not with a question to a person', async () => {
    const { change, say, listeners, ...first } = telling('running');
    const ended = untilSettled(first.parts, 'guide', 'req-1', first.gone.signal);
    await settle();
    say(0, 'So');
    change('needs_input');
    await settle();
    expect(listeners.size).toBe(1);
    change('done');
    expect((await ended).status).toBe('done');
    expect(listeners.size).toBe(0);
    const { parts, gone } = telling('running');
    const settled = untilSettled(parts, 'guide', 'req-1', gone.signal);
    await settle();
    gone.abort();
    expect((await settled).status).toBe('running');
    await expect(untilSettled(parts, 'guide', 'req-9', gone.signal)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a stream of events', () => {
  const all = async (stream: AsyncIterable<unknown>) => {
    let text = '';
    for await (const piece of stream) text += String(piece);
    return text;
  };

  it('ends with its events, and its timer with it', async () => {
    const clock = new FakeClock();
    const events = (async function* () {
      yield* ['1', '2'];
    })();
    expect(await all(eventStream(events, clock))).toBe('data: 1\n\ndata: 2\n\n');
    await settle();
    expect(clock.pending).toBe(0);
  });

  it('tells nothing after their end, when the last of them is not read yet', async () => {
    const clock = new FakeClock();
    const stream = eventStream(
      (async function* () {
        yield '1';
      })(),
      clock,
    );
    await settle();
    clock.advance(60_000);
    expect(await all(stream)).toBe('data: 1\n\n');
  });

  it('breaks with them', async () => {
    const failing = (error: unknown) =>
      (async function* () {
        yield '1';
        throw error;
      })();
    await expect(all(eventStream(failing(new Error('No.')), new FakeClock()))).rejects.toThrow('No.');
    await expect(all(eventStream(failing('x'), new FakeClock()))).rejects.toThrow('The stream broke.');
  });

  it('tells that it lives every four seconds, and nothing before', async () => {
    const clock = new FakeClock();
    const events = (async function* (): AsyncGenerator<string, void, undefined> {
      yield '1';
      await new Promise(() => undefined);
    })();
    const stream = eventStream(events, clock);
    await once(stream, 'data');
    let beats = 0;
    stream.on('data', () => {
      beats += 1;
    });
    for (const [ms, count] of [
      [3_999, 0],
      [1, 1],
      [4_000, 2],
    ] as const) {
      clock.advance(ms);
      await settle();
      expect(beats).toBe(count);
    }
    stream.destroy();
    await settle();
    expect(clock.pending).toBe(0);
  });
});

describe('parameters of older clients', () => {
  it.each([
    ['completed', 'TASK_STATE_COMPLETED'],
    ['a-b-c', 'TASK_STATE_A_B_C'],
    ['TASK_STATE_COMPLETED', 'TASK_STATE_COMPLETED'],
    ['Completed', 'Completed'],
    ['completed1', 'completed1'],
    ['1completed', '1completed'],
    ['', ''],
  ])('have the state `%s` as `%s`', (given, name) => {
    expect(stateName(given)).toBe(name);
  });

  it('are left as they are where nothing is missing', () => {
    for (const params of [{ id: 'x', status: 'completed' }, { message: { parts: 'x' } }, { message: 7 }])
      expect(olderParams('tasks/get', params)).toEqual(params);
    for (const params of [{ message: { parts: 'x' } }, { message: 7 }, { status: 'completed' }])
      expect(olderParams('message/stream', params)).toEqual(params);
    expect(olderParams('ListTasks', { status: 7 })).toEqual({ status: 7 });
    expect(olderParams('xmessage/send', { configuration: {} })).toEqual({ configuration: {} });
    const parts = [{ kind: 'x', text: 'a' }, { text: 'a', file: {}, data: {} }, { data: {} }];
    expect(olderParams('message/stream', { message: { parts }, id: 1 })).toEqual({
      ...{ id: 1, message: { parts: [parts[0], { ...parts[1], kind: 'text' }, { ...parts[2], kind: 'data' }] } },
    });
  });
});
