import type { Caller } from '../../contract/asks.js';
import { foreignCaller } from '../../lib/foreign-caller.js';
import type { AnyRequest } from '../route-types.js';

const USER_AGENT_CHARS = 200;

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * Whether a page of the daemon sent the request, in a browser of the user who runs it. A page cannot set this header,
 * and other users of the machine are told by their connection.
 */
const isOwnPage = ({ headers }: AnyRequest) =>
  headers['sec-fetch-site'] === 'same-origin' && foreignCaller.getStore() === undefined;

/**
 * Returns what a request on the loopback interface reveals about its caller: user agent, idempotency key, the trace
 * that it belongs to, and whether it is the operator at the dashboard. Called in the async context of the route's
 * handler.
 */
export function getCaller(request: AnyRequest): Caller {
  const { 'idempotency-key': key, traceparent } = request.headers;
  return {
    user_agent: request.headers['user-agent']?.slice(0, USER_AGENT_CHARS) ?? null,
    idempotency_key: typeof key === 'string' ? key : null,
    ...(typeof traceparent === 'string' && TRACEPARENT.test(traceparent) ? { traceparent } : {}),
    ...(isOwnPage(request) ? { operator: true } : {}),
  };
}
