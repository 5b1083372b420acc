import { Agent, fetch } from 'undici';

export interface Reply {
  status: number;
  headers: Headers;
  body: never;
  text: string;
}

export type Caller = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>;

/**
 * An idle connection must be closed here long before the daemon closes it. On a busy machine a call could otherwise use
 * a connection that is being closed.
 */
const IDLE_MS = 1_000;
const dispatcher = new Agent({ keepAliveTimeout: IDLE_MS, keepAliveMaxTimeout: IDLE_MS });

/** Returns a function that calls the daemon at `address`. A body that is not a string is sent as JSON. */
export function caller(address: string): Caller {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      redirect: 'manual',
      dispatcher,
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /^application\/(?:[a-z0-9]+\+)?json(;|$)/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      body: (isJson ? JSON.parse(text) : undefined) as never,
      text,
    };
  };
}
