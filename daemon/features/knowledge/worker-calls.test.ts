import { EventEmitter, once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { KnowledgeStatus } from '../../contract/system.js';
import { MeshError } from '../../lib/errors.js';
import { IDLE_STATUS } from './idle-status.js';
import type { Knowledge } from './knowledge.js';
import { serveCalls } from './worker-calls.js';
import type { CallMessage, WorkerMessage } from './worker-protocol.js';

/** Serves a knowledge that returns what it was asked, and notes it; `fails` makes it throw. */
function serve(fails?: unknown) {
  const events = new EventEmitter();
  const sent: WorkerMessage[] = [];
  const called: unknown[][] = [];
  let notify: (status: KnowledgeStatus) => void = () => undefined;
  let isClosed = false;
  const knowledge = new Proxy({} as Knowledge, {
    get: (_, name) => {
      if (name === 'onStatus')
        return (listener: typeof notify) => {
          notify = listener;
        };
      return (...given: unknown[]) => {
        called.push([name, ...given]);
        if (fails !== undefined) throw fails;
        return Promise.resolve(`${String(name)} done`);
      };
    },
  });
  serveCalls(
    {
      postMessage: (message) => {
        sent.push(message);
        events.emit('sent');
      },
      on: (event, listener) => events.on(event, listener),
      close: () => {
        isClosed = true;
        events.emit('closed');
      },
    },
    knowledge,
  );
  const call = async (message: CallMessage) => {
    const replied = once(events, message.call === 'close' ? 'closed' : 'sent');
    events.emit('message', message);
    await replied;
    return sent.at(-1);
  };
  return { call, called, sent, notify: (status: KnowledgeStatus) => notify(status), isClosed: () => isClosed };
}

describe('a call to the worker', () => {
  it.each<[CallMessage, unknown[], unknown]>([
    [{ id: 1, call: 'start', give: null }, [], null],
    [{ id: 2, call: 'answer', give: { text: 'x' } }, [{ text: 'x' }], 'answer done'],
    [{ id: 3, call: 'check', give: { citations: [], profile: 'outside' } }, [[], 'outside'], 'check done'],
    [{ id: 4, call: 'recheck', give: { citations: [], profile: 'outside' } }, [[], 'outside'], 'recheck done'],
    [{ id: 5, call: 'rescan', give: null }, [], null],
    [
      { id: 6, call: 'readLines', give: { path: 'a', start: 2, end: 3, profile: 'outside' } },
      ['a', 2, 3, 'outside'],
      'readLines done',
    ],
    [
      { id: 7, call: 'findCode', give: { query: 'refs', name: 'x', profile: 'outside' } },
      ['refs', 'x', 'outside'],
      'findCode done',
    ],
    [
      { id: 8, call: 'findPaths', give: { words: 'x', limit: 2, profile: 'outside' } },
      ['x', 2, 'outside'],
      'findPaths done',
    ],
    [
      { id: 9, call: 'findNames', give: { text: 'x', limit: 2, profile: 'outside' } },
      ['x', 2, 'outside'],
      'findNames done',
    ],
    [{ id: 10, call: 'close', give: null }, [], null],
  ])('%j is passed on, and its result returned', async (message, given, take) => {
    const { call, called, isClosed } = serve();
    expect(await call(message)).toEqual({ type: 'done', id: message.id, take });
    expect(called).toEqual([[message.call, ...given]]);
    expect(isClosed()).toBe(message.call === 'close');
  });

  it('that fails returns the error with its code and details', async () => {
    const error = new MeshError('not_found', 'There is no such file.', { details: { path: 'a' } });
    expect(await serve(error).call({ id: 7, call: 'rescan', give: null })).toEqual({
      ...{ type: 'failed', id: 7 },
      error: { code: 'not_found', message: 'There is no such file.', details: { path: 'a' } },
    });
  });

  it.each<[string, (cause: Error) => MeshError, object]>([
    [
      'the log alone learns of',
      (cause) => new MeshError('overloaded', 'Later.', { cause }),
      { message: 'x is no function' },
    ],
    ['is none without', () => new MeshError('overloaded', 'Later.'), {}],
  ])('that is refused: %s the error behind it', async (_, refuse, fault) => {
    const { call } = serve(refuse(new TypeError('x is no function')));
    const answer = await call({ id: 7, call: 'rescan', give: null });
    expect(answer).toMatchObject({ error: { code: 'overloaded', message: 'Later.', details: {} } });
    expect({ ...(answer as { fault?: object }).fault }).toMatchObject(fault);
  });

  it('that fails with any other error tells it to the log alone, and closes all the same', async () => {
    const { call, isClosed } = serve(new Error('/secret/path'));
    expect(await call({ id: 7, call: 'close', give: null })).toEqual({
      ...{ type: 'failed', id: 7 },
      error: {
        ...{ code: 'internal', details: {} },
        message: 'The project could not be searched: the index met a fault of its own.',
      },
      fault: { name: 'Error', message: '/secret/path', stack: expect.stringContaining('worker-calls.test.ts') },
    });
    expect(isClosed()).toBe(true);
  });
});

it('every status change is reported', () => {
  const { notify, sent } = serve();
  notify({ ...IDLE_STATUS, state: 'ready' });
  expect(sent).toEqual([{ type: 'status', status: { ...IDLE_STATUS, state: 'ready' } }]);
});
