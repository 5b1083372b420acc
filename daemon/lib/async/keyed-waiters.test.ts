import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import { KeyedWaiters } from './keyed-waiters.js';

const settle = async () => {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
};

/** Waiters of a fake clock, and the names of those that have returned. */
function setUp() {
  const clock = new FakeClock();
  const waiters = new KeyedWaiters(clock);
  const control = new AbortController();
  const returned: string[] = [];
  const wait = (name: string, id: string, seconds: number, signal = control.signal) =>
    void waiters.until(id, seconds, signal).then(() => returned.push(name));
  return { clock, waiters, control, returned, wait };
}

describe('a long poll', () => {
  it('returns when its entity is woken, with all others of the entity, and with no other', async () => {
    const { clock, waiters, control, returned, wait } = setUp();
    wait('one', 'ask-1', 10);
    wait('two', 'ask-1', 10);
    wait('other', 'ask-2', 10);
    waiters.wake('ask-3');
    await settle();
    expect(returned).toEqual([]);
    waiters.wake('ask-1');
    await settle();
    expect([returned, clock.pending, waiters.size]).toEqual([['one', 'two'], 1, 1]);
    waiters.wakeAll();
    await settle();
    expect([returned.slice(2), clock.pending, waiters.size]).toEqual([['other'], 0, 0]);
    expect(getEventListeners(control.signal, 'abort')).toEqual([]);
  });

  it('returns after its seconds, and leaves the others of its entity waiting', async () => {
    const { clock, waiters, returned, wait } = setUp();
    wait('short', 'ask', 1);
    wait('long', 'ask', 10);
    clock.advance(999);
    await settle();
    expect(returned).toEqual([]);
    clock.advance(1);
    await settle();
    expect(returned).toEqual(['short']);
    waiters.wake('ask');
    await settle();
    expect(returned).toEqual(['short', 'long']);
  });

  it('returns when its signal aborts, and leaves no timer', async () => {
    const { clock, control, returned, wait } = setUp();
    wait('gone', 'ask', 10);
    wait('still there', 'ask', 10, new AbortController().signal);
    control.abort();
    await settle();
    expect([returned, clock.pending]).toEqual([['gone'], 1]);
  });

  it('returns at once without seconds or with an aborted signal', async () => {
    const { clock, returned, wait } = setUp();
    wait('now', 'ask', 0);
    wait('never', 'ask', -1);
    wait('aborted', 'ask', 10, AbortSignal.abort());
    await settle();
    expect([returned, clock.pending]).toEqual([['now', 'never', 'aborted'], 0]);
  });
});
