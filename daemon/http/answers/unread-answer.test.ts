import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { closeUnreadAnswers } from './unread-answer.js';

const AFTER_MS = 50;
const LARGE = Buffer.alloc(32 * 1024 * 1024, 'x');

async function getServer(answer: RequestListener, afterMs = AFTER_MS, keepAliveTimeout = AFTER_MS): Promise<Server> {
  const server = createServer({ keepAliveTimeout }, answer);
  closeUnreadAnswers(server, afterMs);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return server;
}

/** Opens a connection that sends one request. It reads nothing until the test starts reading. */
function asking(server: Server): Socket {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  onTestFinished(() => void socket.destroy());
  return socket;
}

it('cuts a client that reads nothing of its response', async () => {
  const server = await getServer((_, reply) => void reply.end(LARGE));
  const connected = once(server, 'connection') as Promise<[Socket]>;
  asking(server).pause();
  const [held] = await connected;
  await once(held, 'close');
  expect(held.bytesWritten).toBeGreaterThan(0);
});

it('waits for a response that is not sent yet', async () => {
  const server = await getServer((_, reply) => void server.once('timeout', () => reply.end('late')));
  const [said] = await once(asking(server), 'data');
  expect(String(said)).toMatch(/late$/);
});

it('sends a large response completely to a client that reads it', async () => {
  // Longer than a busy machine may pause during the transfer.
  const server = await getServer((_, reply) => void reply.setHeader('connection', 'close').end(LARGE), 30_000);
  let bytes = 0;
  const socket = asking(server);
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  await once(socket, 'close');
  expect(bytes).toBeGreaterThan(LARGE.length);
});

it('closes an idle connection between two requests', async () => {
  const server = await getServer((_, reply) => void reply.end('whole'));
  const socket = asking(server).resume();
  await once(socket, 'close');
});

it('leaves a connection between two requests the time that the server keeps it, and looks at the next one', async () => {
  const server = await getServer((_, reply) => void reply.end('whole'), 30_000, 90_000);
  const connected = once(server, 'connection') as Promise<[Socket]>;
  const socket = asking(server);
  const [held] = await connected;
  await once(socket, 'data');
  // Later versions of Node.js add a second.
  await expect.poll(() => held.timeout).toBeGreaterThanOrEqual(90_000);
  const seen = new Promise<number | undefined>((resolve) => server.once('request', () => resolve(held.timeout)));
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(await seen).toBe(30_000);
});

it('leaves a connection that has sent no request to the header timeout', async () => {
  const server = await getServer((_, reply) => void reply.end('whole'));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(server, 'timeout');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const [said] = await once(socket, 'data');
  expect(String(said)).toMatch(/whole$/);
});

it('cuts a connection that was ended before its response was sent', async () => {
  const server = await getServer((request) => void request.socket.end('over'));
  const connected = once(server, 'connection') as Promise<[Socket]>;
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void client.destroy());
  client.resume().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const [held] = await connected;
  await once(held, 'close');
  expect(client.writable).toBe(true);
});

/** Lets a connection be without activity for as long as the server allows, and returns whether it is cut. */
function isCut(state: object): boolean {
  let cut = false;
  const socket = { bytesWritten: 0, writableLength: 0, writable: true, destroy: () => (cut = true), ...state };
  const server = { setTimeout: (_ms: number, act: (silent: object) => void) => act(socket) };
  closeUnreadAnswers(server as unknown as Server);
  return cut;
}

const answering = { _httpMessage: { headersSent: true } };

it.each([
  ['while it has sent no request', {}, false],
  ['while its first response is not sent', answering, false],
  ['between two requests', { bytesWritten: 9 }, true],
  ['between two requests, when a response was there', { bytesWritten: 9, _httpMessage: null }, true],
  ['while a later response is not sent', { bytesWritten: 9, ...answering }, false],
  ['while a byte of its response is unread', { bytesWritten: 9, ...answering, writableLength: 1 }, true],
  ['while its response can no longer be sent', { bytesWritten: 9, ...answering, writable: false }, true],
])('decides whether a silent connection is cut %s', (_when, state, expected) => {
  expect(isCut(state)).toBe(expected);
});

it('lets a connection be silent for four seconds', () => {
  const allowed: number[] = [];
  closeUnreadAnswers({ setTimeout: (ms: number) => allowed.push(ms) } as unknown as Server);
  expect(allowed).toEqual([4_000]);
});
