import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Agent, Dispatcher } from 'undici';
import { unlessAborted } from '../../lib/async/unless-aborted.js';
import { checkAddresses, isAddress, OutboundError, type OutboundTarget } from './outbound-policy.js';

/** Returns every address of a host name. */
export type Resolve = (host: string) => Promise<string[]>;

export const systemResolve: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

const CONNECT_MS = 5000;

interface OutboundCall {
  target: OutboundTarget;
  resolve: Resolve;
  signal: AbortSignal;
  method: 'GET' | 'POST';
  /** Sent in addition to the default headers, which request plain JSON. */
  headers?: Readonly<Record<string, string>>;
  /** JSON text. */
  body?: string | undefined;
  /** Maximum wait for the response headers, and between two parts of the body, in milliseconds. */
  answerMs: number;
  /** Maximum size of the response body in bytes. */
  maxBytes: number;
  /** Throws for a status whose body is not read. */
  checkStatus?: (status: number) => void;
}

interface OutboundResponse {
  status: number;
  headers: Dispatcher.ResponseData['headers'];
  text: string;
}

/**
 * Makes one exchange with an untrusted address. This is the daemon's only way to connect to one. A literal address and
 * every resolved one are checked, the connection is made only to a checked address, redirects are not followed, nothing
 * is decompressed, and the size of the response is limited. Throws an OutboundError for what the policy refuses, and
 * any error of the connection.
 */
export async function callOutbound(call: OutboundCall): Promise<OutboundResponse> {
  const { target, signal, body } = call;
  const addresses = isAddress(target.host) ? [target.host] : await unlessAborted(resolved(call), signal);
  checkAddresses(addresses, target);
  // Loaded by the first call, because most daemons never make one.
  const undici = await import('undici');
  const dispatcher = pinnedTo(addresses, undici.Agent, call.answerMs);
  try {
    const response = await undici.request(target.url, {
      dispatcher,
      signal,
      method: call.method,
      headers: {
        accept: 'application/json',
        'accept-encoding': 'identity',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...call.headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    return { status: response.statusCode, headers: response.headers, text: await toText(response, call) };
  } finally {
    // Destroying the connection discards the unread rest of a response.
    await dispatcher.destroy();
  }
}

async function resolved({ resolve, target }: OutboundCall): Promise<string[]> {
  try {
    return await resolve(target.host);
  } catch {
    throw new OutboundError('unresolvable', 'The name of its host could not be resolved.');
  }
}

/** Returns an agent that connects only to the checked addresses, whatever the name resolves to later. */
function pinnedTo(addresses: readonly string[], AgentOf: typeof Agent, answerMs: number): Agent {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  const [first] = found as [{ address: string; family: number }];
  return new AgentOf({
    connections: 1,
    pipelining: 0,
    headersTimeout: answerMs,
    bodyTimeout: answerMs,
    maxHeaderSize: 16_384,
    connect: {
      timeout: CONNECT_MS,
      lookup: (_host, options, callback) =>
        options.all ? callback(null, found) : callback(null, first.address, first.family),
    },
  });
}

async function toText(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  { checkStatus, maxBytes }: Pick<OutboundCall, 'checkStatus' | 'maxBytes'>,
): Promise<string> {
  if (statusCode >= 300 && statusCode < 400) {
    throw new OutboundError(
      'redirected',
      `It answered ${statusCode}: redirects are not followed, the endpoint must be the place itself.`,
    );
  }
  checkStatus?.(statusCode);
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new OutboundError('encoded', 'It answered compressed although it was asked not to.');
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new OutboundError('too_large', `Its answer is larger than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Converts any error of a call to a refusal for the caller. */
export function toOutboundError(error: unknown): OutboundError {
  return error instanceof OutboundError
    ? error
    : new OutboundError('unreachable', 'No connection to it could be made, or it broke.');
}
