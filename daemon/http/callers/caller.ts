import type { Caller } from '../../contract/asks.js';
import type { AnyRequest } from '../route-types.js';

const USER_AGENT_CHARS = 200;

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * Returns what a request on the loopback interface reveals about its caller: user agent, idempotency key, and the trace
 * that it belongs to.
 */
export function getCaller(request: AnyRequest): Caller {
  const { 'idempotency-key': key, traceparent } = request.headers;
  return {
    user_agent: request.headers['user-agent']?.slice(0, USER_AGENT_CHARS) ?? null,
    idempotency_key: typeof key === 'string' ? key : null,
    ...(typeof traceparent === 'string' && TRACEPARENT.test(traceparent) ? { traceparent } : {}),
  };
}
