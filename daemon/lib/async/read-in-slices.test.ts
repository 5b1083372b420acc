import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
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
