import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { WebSocket } from 'ws';
import { FakeClock } from '../../testing/fake-clock.js';
import type { HubDirectory } from './hub-directory.js';
import { HubLines } from './hub-lines.js';

/** How often the readers are looked at, and for how long one may take nothing. */
const LOOK_MS = 5_000;
const STILL_MS = 10_000;

/** A socket with bytes that wait for its peer. */
class WaitingSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  isTerminated = false;
  closedWith: number | undefined;

  terminate(): void {
    this.isTerminated = true;
  }

  ping(): void {
    // The peer is alive: it answers pings, and reads nothing.
    this.emit('pong', Buffer.alloc(0));
  }

  close(code: number): void {
    this.closedWith = code;
  }
  send(): void {}
}

function aReader(): { clock: FakeClock; socket: WaitingSocket } {
  const clock = new FakeClock();
  const agent = { agent_id: 'lamp-agent', rid: 'rid', seq: 1, lastSeenMs: 0, isAway: false };
  const directory = { onPresence: () => undefined, find: () => agent } as unknown as HubDirectory;
  const lines = new HubLines(directory, clock, {
    carry: async (_connection, _bytes, work) => work(),
    send: async () => undefined,
    listOwners: () => [],
    failed: () => undefined,
  });
  lines.start();
  onTestFinished(() => lines.stop());
  const socket = new WaitingSocket();
  const exp = clock.now() / 1000 + 86_400;
  lines.add(socket as unknown as WebSocket, new EventEmitter() as unknown as Socket, { ...agent, jti: 'jti', exp });
  return { clock, socket };
}

describe('A reader of the hub whose bytes wait', () => {
  it('is closed with 4408 once it has taken nothing for ten seconds, although it answers pings', () => {
    const { clock, socket } = aReader();
    socket.bufferedAmount = 1_000;
    clock.advance(LOOK_MS + STILL_MS - 1);
    expect(socket.closedWith).toBeUndefined();
    clock.advance(1);
    expect([socket.closedWith, socket.isTerminated]).toEqual([4408, false]);
    clock.advance(30_000);
    expect(socket.isTerminated).toBe(true);
  });

  it('is kept while it takes some of them within ten seconds, however slowly', () => {
    const { clock, socket } = aReader();
    for (socket.bufferedAmount = 1_000; socket.bufferedAmount > 0; socket.bufferedAmount -= 50)
      clock.advance(STILL_MS - 1);
    expect(socket.closedWith).toBeUndefined();
  });

  it('is kept when it has taken all of them before others wait', () => {
    const { clock, socket } = aReader();
    for (let i = 0; i < 10; i += 1) {
      socket.bufferedAmount = 1_000;
      clock.advance(LOOK_MS);
      socket.bufferedAmount = 0;
      clock.advance(LOOK_MS);
    }
    expect(socket.closedWith).toBeUndefined();
  });
});
