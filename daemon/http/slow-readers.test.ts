import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import type { WebSocket } from 'ws';
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

  close(): void {
    this.readyState = 2;
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
