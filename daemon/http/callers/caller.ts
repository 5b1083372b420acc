import type { Caller } from '../../contract/asks.js';
import type { AnyRequest } from '../route-types.js';

const USER_AGENT_CHARS = 200;

/** Returns what a request on the loopback interface reveals about its caller: user agent and idempotency key. */
export function getCaller(request: AnyRequest): Caller {
  const key = request.headers['idempotency-key'];
  return {
    user_agent: request.headers['user-agent']?.slice(0, USER_AGENT_CHARS) ?? null,
    idempotency_key: typeof key === 'string' ? key : null,
  };
}
