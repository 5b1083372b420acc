import { type ConnectionOptions, checkServerIdentity } from 'node:tls';
import type { NatsConnection, TlsOptions } from '@nats-io/transport-node';
import { getErrorMessage, MeshError, systemCode } from '../../lib/errors.js';
import { endSilentSockets, guardSockets } from './guard-sockets.js';
import type { NatsAddress } from './nats-address.js';

const CONNECT_TIMEOUT_MS = 5_000;
const RECONNECT_WAIT_MS = 500;
/** A connection that is silent for two of these is broken. */
const PING_MS = 5_000;

/** The seed of a user's nkey, and the two blocks of a `.creds` file. */
const NKEY = /^SU[A-Z2-7]{56}$/;
const CREDS = /BEGIN NATS USER JWT-+[\s\S]+BEGIN USER NKEY SEED-+\s+SU[A-Z2-7]{56}\s/;

/** Throws `bad_request` for a text that no NATS server takes. The message does not quote it. */
export function checkCredentials(text: string): void {
  if (NKEY.test(text.trim()) || CREDS.test(text)) return;
  throw new MeshError('bad_request', 'The credentials are no .creds file of NATS and no seed of a user’s nkey (SU…).', {
    details: { path: 'credentials' },
  });
}

/** Node.js's codes for a certificate of an authority that it does not know. */
const UNTRUSTED = /^(UNABLE_TO_(VERIFY|GET)|SELF_SIGNED|DEPTH_ZERO)/;

interface NatsParts {
  address: NatsAddress;
  /** The text of a `.creds` file (a JWT and its key) or the seed of an nkey, if the servers ask for one. */
  credentials: string | undefined;
  /** Those of now, which are taken whenever the connection is dialled again; `credentials` by default. */
  findCredentials?: () => string | undefined;
  /** How the servers name this connection to their operator. */
  name: string;
  /** Whether the servers return what this connection itself publishes; true by default. */
  echo?: boolean;
}

/**
 * The client gives TLS no name for a server that was dialled by its IP address, and Node.js would then expect a
 * certificate for `localhost`. A certificate is right when it is for one of the servers that the operator named, or for
 * the name that was dialled. The client hands its `tls` to Node.js as it is, which its type does not say.
 */
const tlsFor = ({ servers }: NatsAddress): TlsOptions & Pick<ConnectionOptions, 'checkServerIdentity'> => ({
  checkServerIdentity: (dialled, certificate) => {
    const hosts = servers.map((server) => server.replace(/:\d+$/, '').replace(/^\[|\]$/g, ''));
    return hosts.some((host) => !checkServerIdentity(host, certificate))
      ? undefined
      : checkServerIdentity(dialled, certificate);
  },
});

/** Opens connections to NATS servers, always outwards. The client is loaded by the first call. */
export type OpenNats = (parts: NatsParts) => Promise<NatsConnection>;

/**
 * Connects, and reconnects by itself whenever the connection breaks. Beyond this machine the connection is encrypted
 * before anything is sent, and the server's certificate is checked. Rejects with `network_unavailable` when no server
 * answers, and with `forbidden` when they refuse the credentials.
 */
export const openNats: OpenNats = async ({ address, credentials, findCredentials, name, echo = true }) => {
  const { connect, credsAuthenticator, errors, nkeyAuthenticator } = await import('@nats-io/transport-node');
  const authenticate = (trimmed: string) =>
    NKEY.test(trimmed)
      ? nkeyAuthenticator(Buffer.from(trimmed))
      : // The client takes a block only with the end of its last line.
        credsAuthenticator(Buffer.from(`${trimmed}\n`));
  try {
    const connection = await connect({
      servers: [...address.servers],
      name,
      noEcho: !echo,
      timeout: CONNECT_TIMEOUT_MS,
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_WAIT_MS,
      // Servers that are busy refuse for a moment whom they take later. Without this, the second refusal in the life of
      // a connection would close it for good.
      ignoreAuthErrorAbort: true,
      pingInterval: PING_MS,
      // Servers on this machine may announce addresses of its other interfaces, which nothing would encrypt.
      ...(address.isLoopback ? { ignoreClusterUpdates: true } : { tls: tlsFor(address) }),
      ...(credentials === undefined
        ? {}
        : { authenticator: (nonce) => authenticate((findCredentials?.() ?? credentials).trim())(nonce) }),
    });
    guardSockets(connection);
    void endSilentSockets(connection);
    return connection;
  } catch (error) {
    const servers = address.servers.join(', ');
    if (error instanceof errors.AuthorizationError)
      throw new MeshError('forbidden', `${servers} refused the credentials: give a valid file with --creds.`, {
        cause: error,
      });
    const hint = UNTRUSTED.test(systemCode(error) ?? '')
      ? ' If the certificate is of an authority of your own, start the daemon with NODE_EXTRA_CA_CERTS=<its file>.'
      : '';
    throw new MeshError('network_unavailable', `No connection to ${servers}: ${getErrorMessage(error)}.${hint}`, {
      cause: error,
    });
  }
};
