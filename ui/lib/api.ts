import { ApiError } from '../../daemon/client/api-error.js';
import { type CallOptions as ClientCall, call as callDaemon } from '../../daemon/client/call.js';

export { ApiError } from '../../daemon/client/api-error.js';
export { query } from '../../daemon/client/query.js';

interface CallOptions extends Omit<ClientCall, 'token' | 'query' | 'headers'> {
  /** Member token. The call is then authorized as that member, as a call of any other program is. */
  bearer?: string;
}

export type Fetch = typeof fetch;

const ANSWERS_WITHIN_MS = 10_000;

/**
 * Whether the daemon answers. Asked before a WebSocket: Firefox delays those to an address that refused some by up to a
 * minute, also after a reload, and requests never.
 */
export const daemonAnswers = (): Promise<boolean> =>
  fetch('/health', { cache: 'no-store', signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) }).then(
    ({ ok }) => ok,
    () => false,
  );

/**
 * Calls the daemon that serves this page. Returns and throws as `call` of the client library does. Sends `x-mesh-ui: 1`
 * with every method but GET.
 */
export async function call<T>(
  path: string,
  { bearer, ...options }: CallOptions = {},
  fetcher: Fetch = fetch,
): Promise<T> {
  const headers: Record<string, string> = (options.method ?? 'GET') === 'GET' ? {} : { 'x-mesh-ui': '1' };
  try {
    return await callDaemon<T>({ address: '', headers, fetch: fetcher }, path, { ...options, token: bearer });
  } catch (error) {
    // An internal error has no message of its own, so its scope is added here.
    if (error instanceof ApiError && /^(internal|http_5)/.test(error.code))
      error.message += ' The rest of the page still works.';
    throw error;
  }
}
