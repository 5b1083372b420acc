import type { Socket } from 'node:net';
import type { NatsConnection } from '@nats-io/transport-node';

interface NodeTransport {
  socket: Socket | undefined;
  setupHandlers(): void;
}

const findTransport = (connection: NatsConnection) =>
  (connection as unknown as { protocol?: { transport?: NodeTransport } }).protocol?.transport;

const guarded = new WeakSet<object>();

/** Keeps a listener for errors on the socket whenever its listeners are removed. */
function guardSocket(socket: Socket | undefined): void {
  if (!socket || guarded.has(socket)) return;
  guarded.add(socket);
  const remove = socket.removeAllListeners;
  socket.removeAllListeners = (...args) => {
    remove.apply(socket, args);
    return socket.on('error', () => undefined);
  };
}

/**
 * Guards the process against errors of the connection's sockets, also of those that it opens later. The client removes
 * the listeners of a socket before the error of its last write is emitted; without a listener, the error of a server
 * that dies in that moment would end the process. Throws when the client has other parts than the pinned version.
 */
export function guardSockets(connection: NatsConnection): void {
  const transport = findTransport(connection);
  if (typeof transport?.setupHandlers !== 'function') throw new Error('The NATS client has no transport to guard.');
  const prototype = Object.getPrototypeOf(transport) as NodeTransport;
  guardSocket(transport.socket);
  if (guarded.has(prototype)) return;
  guarded.add(prototype);
  const { setupHandlers } = prototype;
  prototype.setupHandlers = function setUp(this: NodeTransport) {
    setupHandlers.call(this);
    guardSocket(this.socket);
  };
}

/**
 * Ends the socket of a server that no longer answers, for as long as the connection lasts. The client first waits for
 * what it has not written yet, which the system of a link that is cut gives up after a quarter of an hour.
 */
export async function endSilentSockets(connection: NatsConnection): Promise<void> {
  for await (const { type } of connection.status())
    if (type === 'staleConnection') findTransport(connection)?.socket?.destroy();
}
