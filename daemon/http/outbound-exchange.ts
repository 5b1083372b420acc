import type { Dispatcher } from 'undici';
import type { Clock } from '../lib/clock.js';
import { jsonDepth } from './json-body.js';
import { pinnedTo, type Resolve, systemResolve, unlessAborted } from './outbound-fetch.js';
import { checkAddresses, isAddress, OutboundRefusal, outboundTarget } from './outbound-policy.js';

export interface OutboundRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: Readonly<Record<string, string>>;
  /** JSON. */
  body?: string;
  /** From the request to the last byte of its answer. */
  totalMs: number;
  /** Bytes of the answer that are read. */
  maxBytes: number;
}

export interface OutboundAnswer {
  status: number;
  /** One value of the header `name`, in lower case; undefined when it was not sent, or more than once. */
  header(name: string): string | undefined;
  /** What the body says; undefined when it is empty or no JSON. */
  json: unknown;
}

const DEPTH = 32;

/**
 * One exchange with an agent at an address that a stranger has given, under the same policy as OutboundFetch: the literal address and every resolved
 * one is checked, the connection goes to an address that was checked, redirects are not followed, nothing is decompressed, and the answer is bounded
 * in bytes, time and depth. Unlike there nothing is kept, every status is an answer, and headers of the caller's are sent.
 */
export class OutboundExchange {
  constructor(
    private readonly parts: {
      clock: Clock;
      /** `host:port` of the loopback endpoints that may be called. */
      loopback: () => ReadonlySet<string>;
      resolve?: Resolve;
    },
  ) {}

  /** The answer. Throws an OutboundRefusal when there is none, or none that is read; whether the request arrived is not known then. */
  async send(request: OutboundRequest, signal: AbortSignal): Promise<OutboundAnswer> {
    const target = outboundTarget(request.url, this.parts.loopback());
    const deadline = new AbortController();
    const cancel = this.parts.clock.after(request.totalMs, () => deadline.abort());
    try {
      const both = AbortSignal.any([deadline.signal, signal]);
      const addresses = isAddress(target.host) ? [target.host] : await unlessAborted(this.resolved(target.host), both);
      checkAddresses(addresses, target);
      return await this.exchange(request, target.url, addresses, both);
    } catch (error) {
      if (error instanceof OutboundRefusal) throw error;
      if (deadline.signal.aborted) {
        throw new OutboundRefusal('too_slow', `The whole answer was not there within ${Math.round(request.totalMs / 1000)} s.`);
      }
      throw new OutboundRefusal('unreachable', 'No connection to it could be made, or it broke.');
    } finally {
      cancel();
    }
  }

  private async exchange(request: OutboundRequest, url: URL, addresses: readonly string[], signal: AbortSignal): Promise<OutboundAnswer> {
    // Loaded by the first exchange: most daemons never make one.
    const undici = await import('undici');
    const dispatcher = pinnedTo(addresses, undici.Agent, request.totalMs);
    try {
      const response = await undici.request(url, {
        dispatcher,
        signal,
        method: request.method,
        headers: {
          accept: 'application/json',
          'accept-encoding': 'identity',
          ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...request.headers,
        },
        ...(request.body === undefined ? {} : { body: request.body }),
      });
      const json = parsed(await textOf(response, request.maxBytes));
      const header = (name: string) => {
        const value = response.headers[name];
        return typeof value === 'string' ? value : undefined;
      };
      return { status: response.statusCode, header, json };
    } finally {
      // What is left of an answer that is not wanted goes with its connection.
      await dispatcher.destroy();
    }
  }

  private async resolved(host: string): Promise<string[]> {
    try {
      return await (this.parts.resolve ?? systemResolve)(host);
    } catch {
      throw new OutboundRefusal('unresolvable', 'The name of its host could not be resolved.');
    }
  }
}

async function textOf({ statusCode, headers, body }: Dispatcher.ResponseData, maxBytes: number): Promise<string> {
  if (statusCode >= 300 && statusCode < 400) {
    throw new OutboundRefusal(
      'redirected',
      `It answered ${statusCode}: redirects are not followed, the endpoint must be the place itself.`,
    );
  }
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

/** The JSON in `text`; undefined for what is none, or nested too deep. */
function parsed(text: string): unknown {
  if (jsonDepth(text) > DEPTH) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
