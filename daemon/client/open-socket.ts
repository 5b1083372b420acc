import { type Daemon, resolveAddress } from './daemon.js';
import { type QueryValues, query } from './query.js';
import { LateSocket, type Socket, type SocketConstructor } from './socket.js';

const CONNECT_LIMIT_MS = 10_000;

/** Returns the WebSocket constructor of `daemon`. Throws TypeError when there is none. */
function getConstructor({ WebSocket: given }: Daemon): SocketConstructor {
  const found = given ?? (globalThis as { WebSocket?: unknown }).WebSocket;
  if (typeof found !== 'function') {
    throw new TypeError(
      'This program has no WebSocket: give one as `WebSocket` beside the address, that of the package ws for example.',
    );
  }
  return found as SocketConstructor;
}

/**
 * Opens a connection to `daemon` at `path`. `token` is sent as a header where the constructor supports headers, else in
 * the URL. Throws TypeError without a WebSocket and for an invalid address.
 */
export function openSocket(daemon: Daemon, path: string, values: QueryValues, token?: string): Socket {
  const Constructor = getConstructor(daemon);
  const canSendHeaders = Constructor !== (globalThis as { WebSocket?: unknown }).WebSocket;
  const search = query(canSendHeaders ? values : { ...values, token });
  const { address } = daemon;
  const getUrl = (origin: string) =>
    new URL(`${(origin || location.origin).replace(/^http/, 'ws')}${path}${search}`).href;
  // A fixed address that is invalid throws at once. One that a function returns is only known later.
  if (typeof address === 'string') getUrl(address);
  const connect = (origin: string) => {
    const url = getUrl(origin);
    // Read last: a function for the address may have renewed them.
    const headers = { ...daemon.headers, ...(token && { 'x-cluster-token': token }) };
    const socket = new Constructor(url, [], { headers, handshakeTimeout: CONNECT_LIMIT_MS, perMessageDeflate: false });
    // The close event that follows carries all that is needed.
    socket.onerror = () => undefined;
    return socket;
  };
  return new LateSocket(Promise.resolve(daemon).then(resolveAddress).then(connect));
}
