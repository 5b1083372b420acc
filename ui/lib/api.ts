import { ApiError } from '../../client/api-error.js';
import { type CallOptions as ClientCall, call as callDaemon } from '../../client/call.js';

export { ApiError } from '../../client/api-error.js';
export { query } from '../../client/query.js';

export interface CallOptions extends Omit<ClientCall, 'token' | 'query' | 'headers'> {
  /** Member token: the call then speaks through the member's door, as any other program would. */
  bearer?: string;
}

export type Fetch = typeof fetch;

/** Calls the daemon whose page this is. Returns and throws as the client library does. */
export async function call<T>(
  path: string,
  { bearer, ...options }: CallOptions = {},
  fetcher: Fetch = fetch,
): Promise<T> {
  const headers: Record<string, string> = (options.method ?? 'GET') === 'GET' ? {} : { 'x-mesh-ui': '1' };
  try {
    return await callDaemon<T>({ address: '', headers, fetch: fetcher }, path, { ...options, token: bearer });
  } catch (error) {
    // What failed without a word of its own says at least how far it reaches.
    if (error instanceof ApiError && /^(internal|http_5)/.test(error.code))
      error.message += ' The rest of the page still works.';
    throw error;
  }
}
