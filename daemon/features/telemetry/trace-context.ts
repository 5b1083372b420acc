import { sha256Hex } from '../../lib/crypto/digests.js';

/** The identity of a span among all traces, as W3C Trace Context has it. */
interface SpanIdentity {
  traceId: string;
  spanId: string;
}

/** The span of a caller. `isSampled` false: the caller does not record the trace, so neither does the daemon. */
interface RemoteSpan extends SpanIdentity {
  isSampled: boolean;
}

const ZEROS = /^0+$/;

/** Parses a `traceparent` header of any version. Returns undefined for an invalid one. */
export function parseTraceparent(header: string | undefined): RemoteSpan | undefined {
  const found = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(header ?? '');
  if (!found) return undefined;
  const [, version = '', traceId = '', spanId = '', flags = '', rest] = found;
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/*
 * Ids are digests of the record's own id. A turn that another one asked for, and one that a restart interrupted, thereby
 * find the span above them without anything that has to be stored.
 */

/** The trace that begins with the turn `turn`. */
export const getTraceId = (turn: string): string => sha256Hex(`trace ${turn}`).slice(0, 32);

/** The span of a record: `ask`, `turn` or `tool` and its id. */
export const getSpanId = (kind: 'ask' | 'turn' | 'tool', id: string): string => sha256Hex(`${kind} ${id}`).slice(0, 16);
