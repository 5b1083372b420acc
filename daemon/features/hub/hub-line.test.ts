import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { WebSocket } from 'ws';
import { SlowReaders } from '../../http/slow-readers.js';
import { FakeClock } from '../../testing/fake-clock.js';
import type { HubDirectory } from './hub-directory.js';
import { createErrorFrame } from './hub-frame.js';
import { HubLine } from './hub-line.js';
import { HubLines } from './hub-lines.js';

/** How often the readers are looked at, and for how long one may take nothing. */
const LOOK_MS = 5_000;
const STILL_MS = 10_000;
const QUEUE_BYTES = 1_048_576;
const AGENT = { agent_id: 'lamp-agent', rid: 'rid', seq: 1, lastSeenMs: 0, isAway: false };

/** The connection of a socket, whose queue is that of the socket. */
class WaitingConnection extends EventEmitter {
  bytesWritten = 0;

  constructor(private readonly socket: WaitingSocket) {
    super();
  }

  get writableLength(): number {
    return this.socket.bufferedAmount;
  }
}

/** A socket with bytes that wait for its peer. */
class WaitingSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  isTerminated = false;
  isPaused = false;
  /** The peer is alive: it answers pings, and reads nothing. */
  isAnswering = true;
  pings = 0;
  readonly sent: string[] = [];
  readonly closes: [code: number, reason: string][] = [];

  get closedWith(): number | undefined {
    return this.closes[0]?.[0];
  }

  terminate(): void {
    this.isTerminated = true;
  }

  ping(): void {
    this.pings += 1;
    if (this.isAnswering) this.emit('pong', Buffer.alloc(0));
  }

  pause(): void {
    this.isPaused = true;
  }

  close(code: number, reason: string): void {
    this.closes.push([code, reason]);
  }

  send(text: string): void {
    this.sent.push(text);
  }

  /** Receives a frame from the peer. */
  take(text: string, isBinary = false): void {
    this.emit('message', Buffer.from(text), isBinary);
  }
}

function aReader() {
  const clock = new FakeClock();
  const directory = { onPresence: () => undefined, find: () => AGENT } as unknown as HubDirectory;
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
  const connection = new WaitingConnection(socket);
  lines.add(socket as unknown as WebSocket, connection as unknown as Socket, { ...AGENT, jti: 'jti', exp });
  return { clock, socket, connection };
}

/** A socket of an agent whose token expires in ten seconds, and what was received on it. */
function aLine() {
  const clock = new FakeClock();
  const socket = new WaitingSocket();
  const received: string[] = [];
  const line = new HubLine(
    AGENT,
    clock.now() / 1000 + 10,
    socket as unknown as WebSocket,
    new WaitingConnection(socket) as unknown as Socket,
    clock,
    new SlowReaders(clock),
    (text) => void received.push(text),
    () => void received.push('gone'),
  );
  return { clock, socket, line, received };
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

  it('is kept while it takes some of them, although more of them wait each time', () => {
    const { clock, socket, connection } = aReader();
    for (let i = 0; i < 20; i += 1) {
      socket.bufferedAmount += 5_000;
      connection.bytesWritten += 25_000;
      clock.advance(LOOK_MS);
    }
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

  it('has ten seconds from the time at which they began to wait', () => {
    const { clock, socket } = aReader();
    clock.advance(LOOK_MS);
    for (const bytes of [1_000, 0, 1_000]) {
      socket.bufferedAmount = bytes;
      clock.advance(LOOK_MS);
    }
    clock.advance(STILL_MS - 1);
    expect(socket.closedWith).toBeUndefined();
    clock.advance(1);
    expect(socket.closes).toEqual([[4408, 'too slow']]);
  });
});

describe('A live socket of the hub', () => {
  it('queues frames up to a megabyte in bytes and is closed with 4408 by the frame beyond it', () => {
    const { socket, line } = aLine();
    const frame = createErrorFrame('bad_request', 'Größe');
    const text = JSON.stringify(frame);
    socket.bufferedAmount = QUEUE_BYTES - Buffer.byteLength(text);
    expect([line.send(frame), line.queuedBytes, socket.sent]).toEqual([true, socket.bufferedAmount, [text]]);
    socket.bufferedAmount += 1;
    expect([line.send(frame), socket.sent, socket.closes]).toEqual([false, [text], [[4408, 'too slow']]]);
    socket.bufferedAmount = 0;
    expect([line.isEnding, line.send(frame), socket.sent]).toEqual([true, false, [text]]);
  });

  it('sends nothing before it is open, while it closes, and after its close frame', () => {
    const { socket, line } = aLine();
    const frame = createErrorFrame('internal', 'x');
    for (socket.readyState of [0, 2, 3]) expect(line.send(frame)).toBe(false);
    socket.readyState = socket.OPEN;
    line.end(1001, 'the daemon stops');
    expect([line.send(frame), socket.sent]).toEqual([false, []]);
  });

  it('is closed once, with the first reason, and terminated 200 ms later', () => {
    const { clock, socket, line } = aLine();
    line.end(4401, 'this registration is over');
    line.end(1001, 'the daemon stops');
    clock.advance(199);
    expect([socket.closes, socket.isTerminated]).toEqual([[[4401, 'this registration is over']], false]);
    clock.advance(1);
    expect(socket.isTerminated).toBe(true);
  });

  it('is not closed again as a slow reader while it is being closed', () => {
    const { clock, socket, line } = aLine();
    line.end(1001, 'the daemon stops');
    socket.bufferedAmount = 1_000;
    line.checkReader();
    clock.advance(STILL_MS);
    line.checkReader();
    expect(socket.closes).toEqual([[1001, 'the daemon stops']]);
  });

  it('is closed with 4401 in the very second in which its token expires', () => {
    const { clock, socket, line } = aLine();
    clock.advance(9_999);
    line.checkToken();
    expect(socket.closes).toEqual([]);
    clock.advance(1);
    line.checkToken();
    expect(socket.closes).toEqual([[4401, 'the token is over']]);
  });

  it('is terminated in place of a third ping when two were not answered, and none is sent to it any more', () => {
    const { socket, line } = aLine();
    socket.isAnswering = false;
    for (let look = 0; look < 2; look += 1) line.ping();
    expect([socket.pings, socket.isTerminated, line.isEnding]).toEqual([2, false, false]);
    for (let look = 0; look < 2; look += 1) line.ping();
    expect([socket.pings, socket.isTerminated, line.isEnding]).toEqual([2, true, true]);
  });

  it('may miss two pings anew after each answer', () => {
    const { socket, line } = aLine();
    for (let round = 0; round < 3; round += 1) {
      socket.isAnswering = false;
      line.ping();
      line.ping();
      socket.emit('pong', Buffer.alloc(0));
    }
    expect([socket.pings, socket.isTerminated]).toEqual([6, false]);
  });

  it('gets no ping while it is not open, which counts as none missed, nor while it is being closed', () => {
    const { socket, line } = aLine();
    socket.isAnswering = false;
    socket.readyState = 0;
    for (let look = 0; look < 4; look += 1) line.ping();
    socket.readyState = socket.OPEN;
    line.ping();
    line.end(1001, 'the daemon stops');
    for (let look = 0; look < 4; look += 1) line.ping();
    expect([socket.pings, socket.isTerminated]).toEqual([1, false]);
  });

  it('passes on text frames as UTF-8, and reports once that it is gone', () => {
    const { socket, received } = aLine();
    socket.take('{"é": 1}');
    socket.emit('close');
    expect(received).toEqual(['{"é": 1}', 'gone']);
  });

  it('is closed with 1003 by a binary frame, after which no frame is read', () => {
    const { socket, received } = aLine();
    socket.take('{}', true);
    socket.take('{}');
    expect([socket.closes, received]).toEqual([[[1003, 'text frames only']], []]);
  });

  it('takes 400 frames at once, and is told why the next one closes it with 1008', () => {
    const { clock, socket, received } = aLine();
    for (let frame = 0; frame < 402; frame += 1) socket.take('x');
    expect(received).toHaveLength(400);
    expect(socket.sent.map((text) => JSON.parse(text))).toEqual([
      createErrorFrame('too_many_requests', 'At most 200 frames and 1 MiB a second.'),
    ]);
    expect([socket.closes, socket.isPaused]).toEqual([[[1008, 'too many frames']], true]);
    clock.advance(1_000);
    socket.take('x');
    expect(received).toHaveLength(400);
  });

  it.each(['ping', 'pong'])('counts each %s of its peer as a frame', (kind) => {
    const { socket } = aLine();
    for (let frame = 0; frame < 400; frame += 1) socket.emit(kind, Buffer.alloc(0));
    expect(socket.closes).toEqual([]);
    socket.emit(kind, Buffer.alloc(0));
    expect(socket.closes).toEqual([[1008, 'too many frames']]);
  });
});
