import type { Clock } from '../../lib/time/clock.js';
import { jsonDepth } from '../json-body.js';
import { callOutbound, type Resolve, systemResolve, toOutboundError } from './outbound-call.js';
import { OutboundError, outboundTarget } from './outbound-policy.js';

export interface OutboundRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: Readonly<Record<string, string>>;
  /** JSON text. */
  body?: string;
  /** Maximum time from the request to the last byte of its response, in milliseconds. */
  totalMs: number;
  /** Maximum size of the response body in bytes. */
  maxBytes: number;
}

interface OutboundAnswer {
  status: number;
  /**
   * Returns the single value of the header `name`, given in lower case; undefined when it was not sent or sent more
   * than once.
   */
  header(name: string): string | undefined;
  /** The parsed body; undefined when it is empty, not JSON or nested too deep. */
  json: unknown;
}

const DEPTH = 32;

/**
 * One exchange with an agent at an untrusted address under the policy of `callOutbound`, limited in time and JSON depth
 * as well. Unlike OutboundFetch it caches nothing, returns every status as a response and sends headers of the caller.
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

  /**
   * Returns the response. Throws an OutboundError when there is none or it cannot be read. Whether the request
   * arrived is unknown in that case.
   */
  async send(request: OutboundRequest, signal: AbortSignal): Promise<OutboundAnswer> {
    const { method, headers, body, totalMs, maxBytes } = request;
    const target = outboundTarget(request.url, this.parts.loopback());
    const deadline = new AbortController();
    const cancel = this.parts.clock.after(totalMs, () => deadline.abort());
    try {
      const answer = await callOutbound({
        target,
        resolve: this.parts.resolve ?? systemResolve,
        signal: AbortSignal.any([deadline.signal, signal]),
        method,
        headers,
        body,
        answerMs: totalMs,
        maxBytes,
      });
      const header = (name: string) => {
        const value = answer.headers[name];
        return typeof value === 'string' ? value : undefined;
      };
      return { status: answer.status, header, json: parsed(answer.text) };
    } catch (error) {
      if (!(error instanceof OutboundError) && deadline.signal.aborted) {
        throw new OutboundError('too_slow', `The whole answer was not there within ${Math.round(totalMs / 1000)} s.`);
      }
      throw toOutboundError(error);
    } finally {
      cancel();
    }
  }
}

/** Parses the JSON in `text`. Returns undefined for text that is not JSON or is nested too deep. */
function parsed(text: string): unknown {
  if (jsonDepth(text) > DEPTH) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
