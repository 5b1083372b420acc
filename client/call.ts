import { ApiError, refusalOf } from './api-error.js';
import { addressOf, type Daemon } from './daemon.js';
import { type QueryValues, query } from './query.js';

export interface CallOptions {
  /** GET when absent. */
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Put behind the path, without what is empty. */
  query?: QueryValues;
  /** Sent as JSON. The daemon refuses keys that it does not know. */
  body?: unknown;
  /** A member's token, in the place of the daemon's. */
  token?: string | undefined;
  /** A cluster's token, in the place of the daemon's. */
  clusterToken?: string | undefined;
  /** Makes a repeat of the same call give the first answer again, for a day. */
  idempotencyKey?: string;
  /** Revision that the file must still have. */
  ifMatch?: string;
  headers?: Record<string, string>;
  /** Lets go of the call, which then throws the signal's reason: `AbortSignal.timeout(30_000)` waits for half a minute, where a call waits without end. */
  signal?: AbortSignal | undefined;
}

/** Calls the daemon and returns its JSON; null for an empty answer. Throws `ApiError` for whatever else happens, and the signal's reason once it is aborted. */
export async function call<T>(daemon: Daemon, path: string, options: CallOptions = {}): Promise<T> {
  const text = await callForText(daemon, path, options);
  const body = text === '' ? null : parse(text);
  if (body === undefined) throw new ApiError(200, 'unreadable', 'The daemon answered with something that is not JSON.');
  return body as T;
}

/** As `call`, for documents that are no JSON: the text as it came. It is asked for as JSON unless `headers.accept` says otherwise. */
export async function callForText(daemon: Daemon, path: string, options: CallOptions = {}): Promise<string> {
  const { body, signal = null, method = 'GET' } = options;
  const address = await addressOf(daemon);
  const fetcher = daemon.fetch ?? fetch;
  try {
    const answer = await fetcher(`${address}${path}${query(options.query ?? {})}`, {
      method,
      headers: headersOf(daemon, path, options),
      body: body === undefined ? null : JSON.stringify(body),
      signal,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      keepalive: method === 'DELETE',
    });
    const text = await answer.text();
    if (answer.ok) return text;
    throw refusalOf(answer.status, parse(text), answer.headers.get('retry-after'));
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    if (signal?.aborted) throw signal.reason;
    throw new ApiError(0, 'offline', 'The daemon did not answer. Start it with `meshd up`.', {}, cause);
  }
}

function headersOf(daemon: Daemon, path: string, options: CallOptions): Record<string, string> {
  // The daemon refuses two different credentials in one call: its own ones are for one kind of route each.
  const isOfCluster = path.startsWith('/v1/clusters');
  const token = options.token ?? (isOfCluster ? undefined : daemon.token);
  const headers = {
    accept: 'application/json',
    'content-type': options.body !== undefined && 'application/json',
    authorization: token && `Bearer ${token}`,
    'x-cluster-token': options.clusterToken ?? (isOfCluster ? daemon.clusterToken : undefined),
    'idempotency-key': options.idempotencyKey,
    'if-match': options.ifMatch && `"${options.ifMatch}"`,
    ...daemon.headers,
    ...options.headers,
  };
  return Object.fromEntries(Object.entries(headers).filter((header): header is [string, string] => Boolean(header[1])));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
