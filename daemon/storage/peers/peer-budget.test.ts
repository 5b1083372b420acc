import { describe, expect, it } from 'vitest';
import {
  PEER_STORE_BYTES,
  PEER_STORE_REFILL_DAYS,
  PEER_WRITES_BURST,
  PEER_WRITES_PER_SECOND,
  PEERS_DISK_RESERVE_BYTES,
  PEERS_STORE_BYTES,
  PEERS_STORE_CEILING_BYTES,
} from '../../contract/limits.js';
import { MeshError } from '../../lib/errors.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { PeerBudget } from './peer-budget.js';
import { ALL_PEERS } from './peer-usage.js';

function budget() {
  const clock = new FakeClock();
  const bytes = new Map<number, number>();
  const usage = { bytesOf: (uid: number) => bytes.get(uid) ?? 0, storeBytes: 0, diskFreeBytes: 1e12 };
  return { clock, bytes, usage, budget: new PeerBudget(usage, clock) };
}

function refusal(attempt: () => unknown): MeshError | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    if (error instanceof MeshError) return error;
    throw error;
  }
}

describe('the request rate of another user', () => {
  it('is a burst and then a number per second, for each user separately', () => {
    const { budget: own, clock } = budget();
    const admitted = (uid: number) => {
      let count = 0;
      while (count < 1_000 && !refusal(() => own.count(uid))) count += 1;
      return count;
    };
    expect(admitted(1000)).toBe(PEER_WRITES_BURST);
    expect(admitted(1001)).toBe(PEER_WRITES_BURST);
    clock.advance(1_000);
    expect(admitted(1000)).toBe(PEER_WRITES_PER_SECOND);
    clock.advance(3_600_000);
    expect(admitted(1000)).toBe(PEER_WRITES_BURST);
  });

  it('is reported in the error with the limit and the time to retry', () => {
    const { budget: own, clock } = budget();
    for (let count = 0; count < PEER_WRITES_BURST; count += 1) own.count(1000);
    const error = refusal(() => own.count(1000));
    expect(error).toMatchObject({ code: 'too_many_requests', details: { retry_after: 0.1 } });
    expect(error?.message).toContain(`${PEER_WRITES_PER_SECOND} requests a second`);
    clock.advance(100);
    expect(refusal(() => own.count(1000))).toBeUndefined();
  });

  it('is kept for the most recent callers, however many users there are', () => {
    const { budget: own } = budget();
    for (let count = 0; count < PEER_WRITES_BURST; count += 1) own.count(1);
    for (let uid = 2; uid < 900; uid += 1) own.count(uid);
    expect(refusal(() => own.count(1))?.code).toBe('too_many_requests');
    // A rejected call counts as a call too, but the number of remembered users is limited.
    for (let uid = 1_000; uid < 3_000; uid += 1) own.count(uid);
    expect(refusal(() => own.count(1))).toBeUndefined();
  });
});

describe('the bytes of another user', () => {
  it('are what it has stored plus what is in progress, up to its budget', () => {
    const { budget: own, bytes } = budget();
    bytes.set(1000, PEER_STORE_BYTES - 1_000);
    const release = own.reserve(1000, 600);
    const error = refusal(() => own.reserve(1000, 600));
    expect(error).toMatchObject({ code: 'no_space', details: { limit_bytes: PEER_STORE_BYTES } });
    expect(error?.message).toMatch(/32\.0 MiB of the store, and 32\.0 MiB are taken: delete/);
    expect(refusal(() => own.reserve(1001, 600))).toBeUndefined();
    release();
    expect(refusal(() => own.reserve(1000, 600))).toBeUndefined();
  });

  it('are bounded for all users together', () => {
    const { budget: own, bytes } = budget();
    bytes.set(ALL_PEERS, PEERS_STORE_BYTES - 1_000);
    own.reserve(1000, 600);
    expect(refusal(() => own.reserve(1001, 600))?.message).toContain('128.0 MiB');
  });

  it.each([
    ['the store is larger than its ceiling', { storeBytes: PEERS_STORE_CEILING_BYTES }],
    ['the disk is nearly full', { diskFreeBytes: PEERS_DISK_RESERVE_BYTES }],
  ])('are refused while %s', (_when, is) => {
    const { budget: own, usage } = budget();
    Object.assign(usage, is);
    expect(refusal(() => own.reserve(1000, 1))?.code).toBe('no_space');
  });
});

describe('the limits of other users', () => {
  it('are told with the request that comes too soon', () => {
    const { budget: own } = budget();
    for (let count = 0; count < PEER_WRITES_BURST; count += 1) own.count(1000);
    expect(refusal(() => own.count(1000))?.message).toBe(
      `Programs of another user than the daemon's send at most ${PEER_WRITES_PER_SECOND} requests a second ` +
        `that may store something (${PEER_WRITES_BURST} at once), all of them together: send this one later.`,
    );
  });

  it('of requests are kept for a thousand users, the one that has been idle the longest going first', () => {
    const { budget: own } = budget();
    for (let count = 0; count < PEER_WRITES_BURST; count += 1) own.count(1);
    for (let count = 0; count < PEER_WRITES_BURST; count += 1) own.count(2);
    for (let uid = 3; uid <= 1_001; uid += 1) own.count(uid);
    expect([refusal(() => own.count(2))?.code, refusal(() => own.count(1))]).toEqual(['too_many_requests', undefined]);
  });

  it('of bytes are reached, not exceeded, by what fits exactly', () => {
    const { budget: own, usage, bytes } = budget();
    bytes.set(1000, PEER_STORE_BYTES - 10);
    expect(refusal(() => own.reserve(1000, 11))?.code).toBe('no_space');
    own.reserve(1000, 10)();
    Object.assign(usage, { storeBytes: PEERS_STORE_CEILING_BYTES - 10, diskFreeBytes: PEERS_DISK_RESERVE_BYTES + 10 });
    own.reserve(1001, 10)();
    expect(refusal(() => own.reserve(1001, 11))?.code).toBe('no_space');
    Object.assign(usage, { storeBytes: 0 });
    expect(refusal(() => own.reserve(1001, 11))?.code).toBe('no_space');
    Object.assign(usage, { storeBytes: PEERS_STORE_CEILING_BYTES - 10, diskFreeBytes: 1e12 });
    expect(refusal(() => own.reserve(1001, 11))?.message).toBe(
      'Other users store nothing more while the store is larger than 2048.0 MiB or the disk has less than 512.0 MiB ' +
        "left: delete what is not needed any more, or ask the daemon's user for room.",
    );
  });

  it('of bytes are told with whose they are and when they are free again', () => {
    const { budget: own, bytes } = budget();
    bytes.set(1000, PEER_STORE_BYTES);
    const wait = `any more, or wait; a full budget is whole again after ${PEER_STORE_REFILL_DAYS} days.`;
    expect(refusal(() => own.reserve(1000, PEER_STORE_BYTES / 2))).toMatchObject({
      message:
        'Programs of one user but the daemon’s may take up 32.0 MiB of the store, and 32.0 MiB are taken: delete what ' +
        `is not needed ${wait}`,
      details: { limit_bytes: PEER_STORE_BYTES, retry_after: (PEER_STORE_REFILL_DAYS * 86_400) / 2 },
    });
    bytes.set(ALL_PEERS, PEERS_STORE_BYTES);
    expect(refusal(() => own.reserve(1001, 1))).toMatchObject({
      message:
        'All users but the daemon’s together may take up 128.0 MiB of the store, and 128.0 MiB are taken: delete what ' +
        `is not needed ${wait}`,
      details: { limit_bytes: PEERS_STORE_BYTES },
    });
  });

  it('of bytes count each request in progress until it ends', () => {
    const { budget: own } = budget();
    const half = PEER_STORE_BYTES / 2;
    const [first, second] = [own.reserve(1000, half), own.reserve(1000, half)];
    expect(refusal(() => own.reserve(1000, 1))?.code).toBe('no_space');
    first();
    own.reserve(1000, half);
    expect(refusal(() => own.reserve(1000, 1))?.code).toBe('no_space');
    second();
    expect(refusal(() => own.reserve(1000, half))).toBeUndefined();
  });
});
