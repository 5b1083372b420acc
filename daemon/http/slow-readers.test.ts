import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { CLOSE } from '../contract/events.js';
import { FakeClock } from '../testing/fake-clock.js';
import { SlowReaders } from './slow-readers.js';

const MIB = 1024 * 1024;

/** A socket whose reader has not read `bufferedAmount` bytes. */
class BehindSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  isTerminated = false;

  constructor(readonly bufferedAmount: number) {
    super();
  }

  readonly closes: [code: number, reason: string][] = [];

  close(code: number, reason: string): void {
    this.readyState = 2;
    this.closes.push([code, reason]);
  }

  terminate(): void {
    this.isTerminated = true;
    this.emit('close');
  }
}

it('keeps slow readers for at most 30 seconds and 32 MiB, and terminates the oldest first', () => {
  const clock = new FakeClock();
  const slow = new SlowReaders(clock);
  const close = (mib: number) => {
    const socket = new BehindSocket(mib * MIB);
    slow.close(socket as unknown as WebSocket, 'too slow');
    return socket;
  };
  const [first, second] = [close(20), close(12)];
  expect(first.isTerminated).toBe(false);
  const third = close(1);
  expect([first, second, third].map(({ isTerminated }) => isTerminated)).toEqual([true, false, false]);
  clock.advance(29_999);
  expect(second.isTerminated).toBe(false);
  clock.advance(1);
  expect([second, third].map(({ isTerminated }) => isTerminated)).toEqual([true, true]);
});

it('tells a slow reader why it is closed, once', () => {
  const slow = new SlowReaders(new FakeClock());
  const socket = new BehindSocket(1);
  for (const reason of ['too slow', 'again']) slow.close(socket as unknown as WebSocket, reason);
  expect(socket.closes).toEqual([[CLOSE.tooSlow, 'too slow']]);
});

it('forgets a slow reader that has read everything', () => {
  const clock = new FakeClock();
  const slow = new SlowReaders(clock);
  const close = (mib: number) => {
    const socket = new BehindSocket(mib * MIB);
    slow.close(socket as unknown as WebSocket, 'too slow');
    return socket;
  };
  const first = close(32);
  first.emit('close');
  expect(clock.pending).toBe(0);
  expect(close(32).isTerminated).toBe(false);
  expect(first.isTerminated).toBe(false);
});

it('terminates only as many as are above the limit, and all when the daemon stops', () => {
  const slow = new SlowReaders(new FakeClock());
  const sockets = [10, 10, 12, 15].map((mib) => new BehindSocket(mib * MIB));
  for (const socket of sockets) slow.close(socket as unknown as WebSocket, 'too slow');
  expect(sockets.map(({ isTerminated }) => isTerminated)).toEqual([true, true, false, false]);
  slow.stop();
  expect(sockets.every(({ isTerminated }) => isTerminated)).toBe(true);
});
