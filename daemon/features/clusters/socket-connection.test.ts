import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { CLOSE } from '../../contract/events.js';
import { QUEUE_MAX_BYTES } from '../../contract/wall.js';
import { SlowReaders } from '../../http/slow-readers.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { SocketConnection } from './socket-connection.js';

/** A socket and its connection at once, that record what is done with them. */
class KeptSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  writableLength = 0;
  bytesWritten = 0;
  readonly done: unknown[] = [];

  get bufferedAmount(): number {
    return this.writableLength;
  }

  write(bytes: Buffer): void {
    this.done.push(['write', bytes.toString()]);
  }

  ping(): void {
    this.done.push('ping');
  }

  close(code: number, reason: string): void {
    this.readyState = 2;
    this.done.push(['close', code, reason]);
  }

  terminate(): void {
    this.done.push('terminate');
  }
}

function aConnection() {
  const clock = new FakeClock();
  const socket = new KeptSocket();
  socket.on('error', () => socket.done.push('error of the upgrade'));
  const member = { handle: 'ada', did: null, vis: 'public', isOwner: false } as const;
  const both = [socket as unknown as WebSocket, socket as unknown as Socket] as const;
  const gone = () => socket.done.push('gone');
  const connection = new SocketConnection(member, ...both, clock, new SlowReaders(clock), gone);
  return { clock, socket, connection };
}

describe('What a connection can take', () => {
  it('is as much as fits into its queue while it is open, and a larger frame once nothing waits', () => {
    const { socket, connection } = aConnection();
    socket.writableLength = 100;
    expect(connection.queuedBytes).toBe(100);
    expect(connection.canTake(QUEUE_MAX_BYTES - 100)).toBe(true);
    expect(connection.canTake(QUEUE_MAX_BYTES - 99)).toBe(false);
    socket.writableLength = 0;
    expect(connection.canTake(QUEUE_MAX_BYTES + 1)).toBe(true);
    socket.readyState = 2;
    expect(connection.canTake(0)).toBe(false);
    connection.write(Buffer.from('whole frames'));
    expect(socket.done).toEqual([['write', 'whole frames']]);
  });
});

describe('Pings', () => {
  it('find a peer silent that answers two in a row not, the second within eight seconds', async () => {
    const { clock, connection } = aConnection();
    connection.ping();
    await clock.advance(25_000);
    expect(connection.isSilent).toBe(false);
    connection.ping();
    await clock.advance(7_999);
    expect(connection.isSilent).toBe(false);
    await clock.advance(1);
    expect(connection.isSilent).toBe(true);
  });

  it('find no peer silent that answers, or that says something', async () => {
    const { clock, socket, connection } = aConnection();
    for (let round = 0; round < 3; round += 1) {
      connection.ping();
      await clock.advance(20_000);
      if (round % 2 === 0) socket.emit('pong');
      else connection.lives();
      expect(connection.isSilent).toBe(false);
    }
    expect(socket.done).toEqual(['ping', 'ping', 'ping']);
  });

  it('count from the last answer anew', async () => {
    const { clock, socket, connection } = aConnection();
    connection.ping();
    socket.emit('pong');
    await clock.advance(25_000);
    connection.ping();
    await clock.advance(24_999);
    expect(connection.isSilent).toBe(false);
    await clock.advance(1);
    connection.ping();
    await clock.advance(8_000);
    expect(connection.isSilent).toBe(true);
  });

  it('are not sent to a socket that is closing, which is not called silent for it', async () => {
    const { clock, socket, connection } = aConnection();
    socket.readyState = 2;
    for (let round = 0; round < 3; round += 1) connection.ping();
    await clock.advance(60_000);
    expect([connection.isSilent, socket.done]).toEqual([false, []]);
  });
});

describe('A reader', () => {
  it('has stalled when it has taken nothing of its queue for ten seconds', async () => {
    const { clock, socket, connection } = aConnection();
    socket.writableLength = socket.bytesWritten = 1_000;
    expect(connection.isStalled()).toBe(false);
    await clock.advance(9_999);
    socket.writableLength = socket.bytesWritten = 1_500;
    expect(connection.isStalled()).toBe(false);
    await clock.advance(1);
    expect(connection.isStalled()).toBe(true);
    socket.writableLength = 1_499;
    expect(connection.isStalled()).toBe(false);
    await clock.advance(9_999);
    expect(connection.isStalled()).toBe(false);
    await clock.advance(1);
    expect(connection.isStalled()).toBe(true);
  });

  it('that has taken some has not, although its queue grows', async () => {
    const { clock, socket, connection } = aConnection();
    for (let second = 0; second < 30; second += 1) {
      socket.writableLength += 5_000;
      socket.bytesWritten += 25_000;
      expect(connection.isStalled()).toBe(false);
      await clock.advance(1_000);
    }
  });

  it('that has read all begins anew', async () => {
    const { clock, socket, connection } = aConnection();
    for (const bytes of [10, 0, 10]) {
      socket.writableLength = bytes;
      expect(connection.isStalled()).toBe(false);
      await clock.advance(9_000);
    }
    expect(connection.isStalled()).toBe(false);
  });
});

describe('The end of a socket', () => {
  it.each([
    [4001, 200],
    [CLOSE.deleted, 2_000],
  ])('with %i gives its peer %i ms to answer the close frame', async (code, lingerMs) => {
    const { clock, socket, connection } = aConnection();
    connection.end(code, 'why');
    await clock.advance(lingerMs - 1);
    expect(socket.done).toEqual([['close', code, 'why']]);
    await clock.advance(1);
    expect(socket.done.slice(1)).toEqual(['terminate']);
  });

  it('that is closing already sends no second close frame', async () => {
    const { clock, socket, connection } = aConnection();
    socket.readyState = 2;
    connection.end(4001, 'why');
    await clock.advance(200);
    expect(socket.done).toEqual(['terminate']);
  });

  it('of a slow reader waits until it has read what is queued, thirty seconds at most', async () => {
    const { clock, socket, connection } = aConnection();
    connection.end(CLOSE.tooSlow, 'too slow');
    await clock.advance(29_999);
    expect(socket.done).toEqual([['close', 4408, 'too slow']]);
    await clock.advance(1);
    expect(socket.done.slice(1)).toEqual(['terminate']);
  });

  it('by an error of the protocol leaves the peer a moment for the close frame, and is told once to the cluster', async () => {
    const { clock, socket } = aConnection();
    socket.emit('error', new Error('a frame with a reserved bit'));
    expect(socket.done).toEqual(['gone']);
    await clock.advance(200);
    expect(socket.done).toEqual(['gone', 'terminate']);
  });

  it('by its peer is told to the cluster, and a cut ends it at once', () => {
    const { socket, connection } = aConnection();
    socket.emit('close');
    connection.cut();
    expect(socket.done).toEqual(['gone', 'terminate']);
  });
});
