import { setImmediate as waitForTick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { SharedLog } from '../../shared-log/shared-log.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { ExpiredPosts } from './expired-posts.js';
import type { PostsStore } from './posts-store.js';

const HOUR_MS = 3_600_000;

/** Deletion of expired posts over a log that says of each run in turn whether there is more, or fails. */
function deletion() {
  const clock = new FakeClock();
  const answers: (boolean | Error)[] = [];
  const runs: unknown[][] = [];
  const store = { next: Number.POSITIVE_INFINITY, ran: (): void => undefined };
  const log = {
    isShared: false,
    async submit(...command: unknown[]) {
      runs.push(command);
      store.ran();
      const isMore = answers.shift() ?? false;
      if (isMore instanceof Error) throw isMore;
      return { items: [], isMore };
    },
  };
  const posts = { findNextExpiry: () => store.next };
  const expired = new ExpiredPosts({
    log: log as unknown as SharedLog,
    posts: posts as unknown as PostsStore,
    clock,
  });
  /** The number of runs once `ms` have passed. */
  const runsAfter = async (ms: number) => {
    clock.advance(ms);
    await waitForTick();
    return runs.length;
  };
  const inMs = (ms: number) => (clock.now() + ms) / 1000;
  return { clock, answers, runs, store, expired, runsAfter, inMs };
}

describe('The deletion of expired posts', () => {
  it('runs at the start, and again when the next post expires', async () => {
    const { runs, store, expired, runsAfter, inMs } = deletion();
    store.next = inMs(60_000);
    await expired.start();
    expect(runs).toEqual([['post.expire', 'expired', {}]]);
    expect(await runsAfter(59_999)).toBe(1);
    store.next = inMs(5_001);
    expect(await runsAfter(1)).toBe(2);
    expect(await runsAfter(4_999)).toBe(2);
    store.next = Number.POSITIVE_INFINITY;
    expect(await runsAfter(1)).toBe(3);
  });

  it.each([
    ['no post expires', Number.POSITIVE_INFINITY],
    ['the next one expires later', 2 * HOUR_MS],
  ])('looks after an hour when %s', async (_when, ms) => {
    const { store, expired, runsAfter, inMs } = deletion();
    store.next = inMs(ms);
    await expired.start();
    expect(await runsAfter(HOUR_MS - 1)).toBe(1);
    expect(await runsAfter(1)).toBe(2);
  });

  it('goes on while there is more to delete', async () => {
    const { answers, runs, expired } = deletion();
    answers.push(true, true, false);
    await expired.start();
    expect(runs).toHaveLength(3);
  });

  it('goes on while a post expired since the command was made, in the second of its expiry too', async () => {
    const { runs, store, expired, inMs } = deletion();
    store.next = inMs(0);
    store.ran = () => {
      if (runs.length === 3) store.next = inMs(1);
    };
    await expired.start();
    expect(runs).toHaveLength(3);
  });

  it('comes earlier for a new post that expires sooner, and no later for one that expires later', async () => {
    const { clock, store, expired, runsAfter, inMs } = deletion();
    store.next = inMs(60_000);
    await expired.start();
    expired.expect(inMs(90_000));
    expired.expect(inMs(30_000));
    expired.expect(inMs(40_000));
    expect(clock.pending).toBe(1);
    expect(await runsAfter(29_999)).toBe(1);
    expect(await runsAfter(1)).toBe(2);
    expect(await runsAfter(29_999)).toBe(2);
    store.next = Number.POSITIVE_INFINITY;
    expect(await runsAfter(1)).toBe(3);
  });

  it('is at once for a post that has expired already', async () => {
    const { expired, runsAfter, inMs } = deletion();
    await expired.start();
    expired.expect(inMs(-60_000));
    expect(await runsAfter(0)).toBe(2);
  });

  it('that fails is tried again after an hour', async () => {
    const { answers, store, expired, runsAfter, inMs } = deletion();
    store.next = inMs(-1);
    answers.push(new Error('The disk is full.'));
    await expired.start();
    expect(await runsAfter(HOUR_MS - 1)).toBe(1);
    store.next = Number.POSITIVE_INFINITY;
    expect(await runsAfter(1)).toBe(2);
  });

  it('ends with the daemon, whether it waits or runs', async () => {
    const { clock, store, expired, runsAfter, inMs } = deletion();
    store.next = inMs(60_000);
    await expired.start();
    expired.stop();
    expired.expect(inMs(1_000));
    expect([clock.pending, await runsAfter(2 * HOUR_MS)]).toEqual([0, 1]);

    const other = deletion();
    other.store.ran = () => other.expired.stop();
    await other.expired.start();
    expect(other.clock.pending).toBe(0);
  });
});
