import { lookup } from 'node:dns/promises';
import type { Agent, Dispatcher } from 'undici';
import { checkAddresses, isAddress, OutboundRefusal, type OutboundTarget } from './outbound-policy.js';

/** Every address of a host name. */
export type Resolve = (host: string) => Promise<string[]>;

export const systemResolve: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

const CONNECT_MS = 5000;

export interface OutboundCall {
  target: OutboundTarget;
  resolve: Resolve;
  signal: AbortSignal;
  method: 'GET' | 'POST';
  /** Beside those that ask for plain JSON. */
  headers?: Readonly<Record<string, string>>;
  /** JSON. */
  body?: string | undefined;
  /** How long the answer may let wait for itself. */
  answerMs: number;
  /** Bytes of the answer that are read. */
  maxBytes: number;
  /** Throws for a status whose body is not worth reading. */
  checkStatus?: (status: number) => void;
}

export interface OutboundResponse {
  status: number;
  headers: Dispatcher.ResponseData['headers'];
  text: string;
}

/**
 * One exchange with an address that a stranger has given, the only way out of this daemon to one: the literal address and every resolved one is checked,
 * the connection goes to an address that was checked and to no other, redirects are not followed, nothing is decompressed, and the answer is bounded in bytes.
 * Throws an OutboundRefusal for what the policy refuses, and whatever the connection throws.
 */
export async function callOutbound(call: OutboundCall): Promise<OutboundResponse> {
  const { target, signal, body } = call;
  const addresses = isAddress(target.host) ? [target.host] : await unlessAborted(resolved(call), signal);
  checkAddresses(addresses, target);
  // Loaded by the first call: most daemons never make one.
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
    return { status: response.statusCode, headers: response.headers, text: await textOf(response, call) };
  } finally {
    // What is left of an answer that is not wanted goes with its connection.
    await dispatcher.destroy();
  }
}

async function resolved({ resolve, target }: OutboundCall): Promise<string[]> {
  try {
    return await resolve(target.host);
  } catch {
    throw new OutboundRefusal('unresolvable', 'The name of its host could not be resolved.');
  }
}

/** Connections to the addresses that were checked, whatever the name resolves to by now. */
function pinnedTo(addresses: readonly string[], AgentOf: typeof Agent, answerMs: number): Agent {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
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

async function textOf(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  { checkStatus, maxBytes }: Pick<OutboundCall, 'checkStatus' | 'maxBytes'>,
): Promise<string> {
  if (statusCode >= 300 && statusCode < 400) {
    throw new OutboundRefusal(
      'redirected',
      `It answered ${statusCode}: redirects are not followed, the endpoint must be the place itself.`,
    );
  }
  checkStatus?.(statusCode);
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new OutboundRefusal('encoded', 'It answered compressed although it was asked not to.');
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new OutboundRefusal('too_large', `Its answer is larger than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** `promise`, or an error as soon as `signal` fires. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new Error('Aborted.'));
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** What any failure of a call comes to for whoever asked. */
export function refusalOf(error: unknown): OutboundRefusal {
  return error instanceof OutboundRefusal
    ? error
    : new OutboundRefusal('unreachable', 'No connection to it could be made, or it broke.');
}
