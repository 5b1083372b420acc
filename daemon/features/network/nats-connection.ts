import type { NatsConnection } from '@nats-io/transport-node';
import { getErrorMessage, MeshError } from '../../lib/errors.js';
import type { NatsAddress } from './nats-address.js';

const CONNECT_TIMEOUT_MS = 5_000;
const RECONNECT_WAIT_MS = 500;
/** A connection that is silent for two of these is broken. */
const PING_MS = 5_000;

interface NatsParts {
  address: NatsAddress;
  /** The text of a `.creds` file (a JWT and its key), if the servers ask for one. */
  credentials: string | undefined;
  /** How the servers name this connection to their operator. */
  name: string;
}

/** Opens connections to NATS servers, always outwards. The client is loaded by the first call. */
export type OpenNats = (parts: NatsParts) => Promise<NatsConnection>;

/**
 * Connects, and reconnects by itself whenever the connection breaks. Beyond this machine the connection is encrypted
 * before anything is sent, and the server's certificate is checked. Rejects with `network_unavailable` when no server
 * answers, and with `forbidden` when they refuse the credentials.
 */
export const openNats: OpenNats = async ({ address, credentials, name }) => {
  const { connect, credsAuthenticator, errors } = await import('@nats-io/transport-node');
  try {
    return await connect({
      servers: [...address.servers],
      name,
      timeout: CONNECT_TIMEOUT_MS,
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_WAIT_MS,
      pingInterval: PING_MS,
      // Servers on this machine may announce addresses of its other interfaces, which nothing would encrypt.
      ...(address.isLoopback ? { ignoreClusterUpdates: true } : { tls: {} }),
      ...(credentials === undefined ? {} : { authenticator: credsAuthenticator(Buffer.from(credentials)) }),
    });
  } catch (error) {
    const servers = address.servers.join(', ');
    if (error instanceof errors.AuthorizationError)
      throw new MeshError('forbidden', `${servers} refused the credentials: give a valid file with --creds.`, {
        cause: error,
      });
    throw new MeshError('network_unavailable', `No connection to ${servers}: ${getErrorMessage(error)}.`, {
      cause: error,
    });
  }
};
