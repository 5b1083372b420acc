import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { setImmediate as nextRound } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { readInSlices } from './read-in-slices.js';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A masked frame of a client. The mask is zero, so the payload is unchanged. */
const frame = (opcode: number, body: string) =>
  Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | body.length, 0, 0, 0, 0]), Buffer.from(body)]);
const texts = (count: number) =>
  Buffer.concat(Array.from({ length: count }, (_, number) => frame(1, String(number % 10))));

/** Returns an open WebSocket whose connection is read in slices, and the raw connection of its peer. */
async function pair(getSliceBytes: () => number) {
  const limit = {
    framesRead: 0,
    isOverFrames: false,
    get sliceBytes() {
      return getSliceBytes();
    },
  };
  const server = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  const accepted = new Promise<WebSocket>((resolve) => {
    server.on('upgrade', (request, connection, head) =>
      sockets.handleUpgrade(request, connection, head, (socket) => {
        readInSlices(connection as Socket, limit);
        resolve(socket);
      }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const peer = connect((server.address() as AddressInfo).port, '127.0.0.1');
  ends.push(() => {
    peer.destroy();
    server.close();
  });
  peer.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n');
  peer.write('Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n');
  const socket = await accepted;
  await once(peer, 'data');
  const received: string[] = [];
  socket.on('message', (data) => {
    limit.framesRead += 1;
    received.push(String(data));
  });
  return { peer, socket, heard: received };
}

/** A connection whose reader counts each slice as a frame, and the slices that it was given. */
function readSlices(sliceBytes: number, onSlice: (connection: Socket) => void = () => undefined) {
  const connection = new PassThrough() as unknown as Socket;
  const limit = { framesRead: 0, isOverFrames: false, sliceBytes };
  const slices: string[] = [];
  connection.on('data', (slice) => {
    limit.framesRead += 1;
    slices.push(String(slice));
    onSlice(connection);
  });
  readInSlices(connection, limit);
  return { connection, slices, limit };
}

describe('a chunk', () => {
  it.each([
    ['abcdefg', 3, ['abc', 'def', 'g']],
    ['abcdef', 3, ['abc', 'def']],
    ['ab', 3, ['ab']],
    ['ab', 0, []],
  ])('%j is read in slices of %i bytes', (chunk, bytes, expected) => {
    const { connection, slices } = readSlices(bytes);
    connection.emit('data', Buffer.from(chunk));
    expect(slices).toEqual(expected);
  });

  it('waits for the next turn of the event loop after exactly a hundred frames', async () => {
    const { connection, slices } = readSlices(1);
    const pauses: number[] = [];
    connection.on('pause', () => pauses.push(slices.length));
    connection.write('x'.repeat(250));
    for (let round = 0; round < 10; round += 1) await nextRound();
    expect([pauses, slices.length]).toEqual([[100, 200], 250]);
  });

  it('waits while its reader has paused the connection', async () => {
    const { connection, slices } = readSlices(100, (paused) => paused.pause());
    connection.write('x'.repeat(250));
    for (const read of [1, 2, 3]) {
      for (let round = 0; round < 3; round += 1) await nextRound();
      expect(slices).toHaveLength(read);
      connection.resume();
    }
  });

  it('is dropped and not kept when its connection is ended for its frames', async () => {
    const { connection, slices, limit } = readSlices(100, (ended) => {
      Object.assign(limit, { isOverFrames: true, sliceBytes: 0 });
      ended.pause();
    });
    connection.write('x'.repeat(250));
    await nextRound();
    expect([slices.length, connection.readableLength]).toEqual([1, 0]);
  });
});

describe('a connection that is read in slices', () => {
  it('delivers every byte once, wherever a slice ends', async () => {
    for (const bytes of [1, 3, 7, 1_000, 100_000]) {
      const { peer, socket, heard: received } = await pair(() => bytes);
      peer.end(Buffer.concat([texts(500), frame(8, '')]));
      await once(socket, 'close');
      expect(received).toEqual(Array.from({ length: 500 }, (_, number) => String(number % 10)));
    }
  });

  it('delivers nothing more of a chunk once the slice size is 0', async () => {
    let isHeard = true;
    const { peer, socket, heard: received } = await pair(() => (isHeard ? 70 : 0));
    socket.on('message', () => {
      if (received.length < 15) return;
      isHeard = false;
      setImmediate(() => socket.terminate());
    });
    peer.on('error', () => undefined);
    peer.write(texts(5_000));
    await once(socket, 'close');
    // Each frame has seven bytes: the current slice is read to its end.
    expect(received).toHaveLength(20);
  });

  it('serves the event loop between a hundred frames and the next', async () => {
    const { peer, socket, heard: received } = await pair(() => 70);
    const turns: number[] = [];
    const look = () => {
      turns.push(received.length);
      if (received.length < 1_000) setImmediate(look);
    };
    socket.once('message', () => setImmediate(look));
    peer.write(texts(1_000));
    peer.write(frame(8, ''));
    await once(socket, 'close');
    expect(received).toEqual(Array.from({ length: 1_000 }, (_, number) => String(number % 10)));
    const steps = turns.map((count, at) => count - (turns[at - 1] ?? 0));
    expect(turns.length).toBeGreaterThanOrEqual(8);
    // The current slice of ten frames is read to its end.
    expect(Math.max(...steps.slice(1))).toBeLessThanOrEqual(110);
  });

  it('allows its reader to detach in the middle of a chunk: a protocol error is reported once', async () => {
    const { peer, socket, heard: received } = await pair(() => 10);
    const errors: string[] = [];
    socket.on('error', (error) => errors.push(error.message));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    peer.write(Buffer.concat([texts(3), frame(3, ''), texts(100)]));
    expect([await closed, received, errors]).toEqual([
      1006,
      ['0', '1', '2'],
      ['Invalid WebSocket frame: invalid opcode 3'],
    ]);
  });
});
