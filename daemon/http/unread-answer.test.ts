import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { cutUnread } from './unread-answer.js';

const AFTER_MS = 50;
const LARGE = Buffer.alloc(32 * 1024 * 1024, 'x');

async function serverOf(answer: RequestListener, afterMs = AFTER_MS): Promise<Server> {
  const server = createServer({ keepAliveTimeout: AFTER_MS }, answer);
  cutUnread(server, afterMs);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return server;
}

/** A connection that has sent one request and reads nothing until it is told to. */
function asking(server: Server): Socket {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  onTestFinished(() => void socket.destroy());
  return socket;
}

it('a client that takes nothing of its answer is cut', async () => {
  const server = await serverOf((_, reply) => void reply.end(LARGE));
  const connected = once(server, 'connection') as Promise<[Socket]>;
  asking(server).pause();
  const [held] = await connected;
  await once(held, 'close');
  expect(held.bytesWritten).toBeGreaterThan(0);
});

it('an answer that is still to come is waited for', async () => {
  const server = await serverOf((_, reply) => void server.once('timeout', () => reply.end('late')));
  const [said] = await once(asking(server), 'data');
  expect(String(said)).toMatch(/late$/);
});

it('a client that takes a large answer has all of it', async () => {
  // As long as a busy machine may stop in the middle of it.
  const server = await serverOf((_, reply) => void reply.setHeader('connection', 'close').end(LARGE), 30_000);
  let bytes = 0;
  const socket = asking(server);
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  await once(socket, 'close');
  expect(bytes).toBeGreaterThan(LARGE.length);
});

it('a connection between two requests is closed', async () => {
  const server = await serverOf((_, reply) => void reply.end('whole'));
  const socket = asking(server).resume();
  await once(socket, 'close');
});

it('a connection that has not asked yet is left to the time of its head', async () => {
  const server = await serverOf((_, reply) => void reply.end('whole'));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(server, 'timeout');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const [said] = await once(socket, 'data');
  expect(String(said)).toMatch(/whole$/);
});

it('a connection that is over while an answer is still to come is cut: nobody can be sent it', async () => {
  const server = await serverOf((request) => void request.socket.end('over'));
  const connected = once(server, 'connection') as Promise<[Socket]>;
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void client.destroy());
  client.resume().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const [held] = await connected;
  await once(held, 'close');
  expect(client.writable).toBe(true);
});
