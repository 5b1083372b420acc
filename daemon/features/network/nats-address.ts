import { MeshError } from '../../lib/errors.js';

const DEFAULT_PORT = 4222;
const LOOPBACK = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\]|localhost)$/;

/** Servers of one NATS cluster. */
export interface NatsAddress {
  /** `host:port` of each. */
  servers: readonly string[];
  /** Whether all of them are on this machine. Every other connection must be encrypted. */
  isLoopback: boolean;
}

const refused = (message: string) => new MeshError('bad_request', message, { details: { path: 'url' } });

function parseServer(typed: string): { server: string; isLoopback: boolean } {
  const url = /^(nats|tls):\/\//.test(typed) && URL.canParse(typed) ? new URL(typed) : undefined;
  const shown = typed.replace(/\/\/[^/]*@/, '//…@');
  if (!url || url.hostname === '')
    throw refused(`"${shown}" is not the address of a NATS server: give one such as tls://nats.example.com:4222.`);
  if (url.username + url.password !== '')
    throw refused(`"${shown}" holds a user or password: give credentials in a file with --creds.`);
  if (!/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '')
    throw refused(`"${shown}" must end after the port: it has no path and no query.`);
  const isLoopback = LOOPBACK.test(url.hostname);
  if (url.protocol === 'nats:' && !isLoopback)
    throw refused(`"${shown}" is another machine, which needs TLS: write tls://${url.host}.`);
  return { server: `${url.hostname}:${url.port || DEFAULT_PORT}`, isLoopback: isLoopback && url.protocol === 'nats:' };
}

/**
 * Parses one address or several with commas between them. `nats:` is accepted for this machine only. Throws
 * `bad_request`; the message never contains a password.
 */
export function parseNatsAddress(typed: string): NatsAddress {
  const parsed = typed.split(',').map((part) => parseServer(part.trim()));
  const isLoopback = parsed.every((server) => server.isLoopback);
  if (!isLoopback && parsed.some((server) => server.isLoopback))
    throw refused('Servers on this machine and on others cannot be mixed: write tls:// before each.');
  return { servers: parsed.map(({ server }) => server), isLoopback };
}
