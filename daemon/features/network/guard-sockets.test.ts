import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { NatsConnection } from '@nats-io/transport-node';
import { expect, it } from 'vitest';
import { endSilentSockets, guardSockets } from './guard-sockets.js';

/**
 * A transport of the client as the pinned version has it: it removes all listeners of a socket that it is done with.
 */
function aTransport() {
  class Transport {
    readonly set: (Socket | undefined)[] = [];
    constructor(public socket: Socket | undefined) {}
    setupHandlers(): void {
      this.set.push(this.socket);
    }
  }
  return (socket: Socket | undefined) => {
    const transport = new Transport(socket);
    return { transport, connection: { protocol: { transport } } as unknown as NatsConnection };
  };
}

const aSocket = () => new EventEmitter() as Socket;
/** Whether the process would outlive an error of a socket that the client is done with. */
function outlives(socket: Socket): boolean {
  socket.removeAllListeners();
  try {
    return socket.emit('error', new Error('write after end'));
  } catch {
    return false;
  }
}

it('hears the error of a socket whose listeners the client has removed', () => {
  const open = aTransport();
  const [socket, other] = [aSocket(), aSocket()];
  expect(outlives(other)).toBe(false);
  guardSockets(open(socket).connection);
  socket.on('data', () => undefined);
  expect(socket.removeAllListeners()).toBe(socket);
  expect([socket.listenerCount('data'), socket.listenerCount('error')]).toEqual([0, 1]);
  expect(outlives(socket)).toBe(true);
  expect(socket.listenerCount('error')).toBe(1);
  socket.on('end', () => undefined);
  socket.on('data', () => undefined);
  socket.removeAllListeners('end');
  expect([socket.listenerCount('end'), socket.listenerCount('data')]).toEqual([0, 1]);
});

it('guards the sockets that the connection opens later, each once', () => {
  const open = aTransport();
  const { transport, connection } = open(undefined);
  guardSockets(connection);
  guardSockets(connection);
  const later = aSocket();
  transport.socket = later;
  transport.setupHandlers();
  transport.setupHandlers();
  expect(transport.set).toEqual([later, later]);
  expect(outlives(later)).toBe(true);
  expect(later.listenerCount('error')).toBe(1);
  // Another connection of the client has the same kind of transport.
  const [first, next] = [aSocket(), aSocket()];
  const other = open(first);
  guardSockets(other.connection);
  other.transport.socket = next;
  other.transport.setupHandlers();
  expect([outlives(first), outlives(next), other.transport.set]).toEqual([true, true, [next]]);
});

it.each<[string, object]>([
  ['no protocol', {}],
  ['no transport', { protocol: {} }],
  ['a transport of another form', { protocol: { transport: { socket: aSocket() } } }],
])('refuses a client with %s', (_, connection) => {
  expect(() => guardSockets(connection as NatsConnection)).toThrow('The NATS client has no transport to guard.');
});

it('ends the socket of a server that no longer answers, and no other', async () => {
  const destroyed: string[] = [];
  const status = async function* () {
    for (const type of ['disconnect', 'staleConnection', 'reconnect']) {
      yield { type };
      destroyed.push(type);
    }
  };
  const socket = { destroy: () => destroyed.push('destroyed') };
  await endSilentSockets({ status, protocol: { transport: { socket } } } as unknown as NatsConnection);
  expect(destroyed).toEqual(['disconnect', 'destroyed', 'staleConnection', 'reconnect']);
  for (const protocol of [undefined, {}, { transport: {} }])
    await endSilentSockets({ status, protocol } as unknown as NatsConnection);
  expect(destroyed.filter((one) => one === 'destroyed')).toHaveLength(1);
});
