import { type Daemon, resolveAddress } from './daemon.js';
import { type QueryValues, query } from './query.js';
import { LateSocket, NEVER_OPEN, type Socket, type SocketConstructor } from './socket.js';

const CONNECT_LIMIT_MS = 10_000;
/** The `readyState` of a socket that is not open yet. */
const CONNECTING = 0;

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
    // A close event follows, which carries all that is needed, unless the connection fails in Node.js 22: there the
    // socket remains in the state CONNECTING and never closes.
    socket.onerror = () => {
      if (socket.readyState === CONNECTING) late.onclose?.(NEVER_OPEN as never);
    };
    return socket;
  };
  const late = new LateSocket(Promise.resolve(daemon).then(resolveAddress).then(connect));
  return late;
}
