import { ApiError, createApiError } from './api-error.js';
import { type Daemon, resolveAddress } from './daemon.js';
import { type QueryValues, query } from './query.js';
import type { RequestSigner } from './request-signer.js';

export interface CallOptions {
  /** GET when absent. */
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Query parameters; empty values are omitted. */
  query?: QueryValues;
  /** Sent as JSON. The daemon rejects unknown keys. */
  body?: unknown;
  /** A member's token, instead of the daemon's. */
  token?: string | undefined;
  /** A cluster's token, instead of the daemon's. */
  clusterToken?: string | undefined;
  /** A repeat with the same key returns the first response again, for one day. */
  idempotencyKey?: string;
  /** Revision that the file must still have. */
  ifMatch?: string;
  headers?: Record<string, string>;
  /** Signs the call with a `Mesh-Sig` header. Some calls require the signature of an agent's key. */
  signer?: RequestSigner | undefined;
  /**
   * Aborts the call, which then throws the signal's reason. Without a signal a call has no timeout;
   * `AbortSignal.timeout(30_000)` waits for half a minute.
   */
  signal?: AbortSignal | undefined;
}

/**
 * Calls the daemon and returns the parsed JSON; null for an empty response. Throws `ApiError` for every failure, and
 * the signal's reason after an abort.
 */
export async function call<T>(daemon: Daemon, path: string, options: CallOptions = {}): Promise<T> {
  const text = await callForText(daemon, path, options);
  const body = text === '' ? null : parse(text);
  if (body === undefined) throw new ApiError(200, 'unreadable', 'The daemon answered with something that is not JSON.');
  return body as T;
}

/**
 * As `call`, for documents that are not JSON: returns the text unchanged. It accepts JSON unless `headers.accept` is
 * set.
 */
export async function callForText(daemon: Daemon, path: string, options: CallOptions = {}): Promise<string> {
  const { signal = null, method = 'GET' } = options;
  const body = options.body === undefined ? null : JSON.stringify(options.body);
  const target = `${path}${query(options.query ?? {})}`;
  const address = await resolveAddress(daemon);
  const fetcher = daemon.fetch ?? fetch;
  try {
    const signature = await options.signer?.header({ method, path: target, body: body ?? '' });
    const answer = await fetcher(`${address}${target}`, {
      method,
      headers: createHeaders(daemon, path, options, signature),
      body,
      signal,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      keepalive: method === 'DELETE',
    });
    const text = await answer.text();
    if (answer.ok) return text;
    throw createApiError(answer.status, parse(text), answer.headers.get('retry-after'));
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    if (signal?.aborted) throw signal.reason;
    throw new ApiError(0, 'offline', 'The daemon did not answer. Start it with `meshd up`.', {}, cause);
  }
}

function createHeaders(
  daemon: Daemon,
  path: string,
  options: CallOptions,
  signature: string | undefined,
): Record<string, string> {
  // The daemon rejects a call with two different credentials, so each kind of route gets only its own.
  const isOfCluster = path.startsWith('/v1/clusters');
  const token = options.token ?? (isOfCluster ? undefined : daemon.token);
  const headers = {
    accept: 'application/json',
    'content-type': options.body !== undefined && 'application/json',
    authorization: token && `Bearer ${token}`,
    'x-cluster-token': options.clusterToken ?? (isOfCluster ? daemon.clusterToken : undefined),
    'idempotency-key': options.idempotencyKey,
    'if-match': options.ifMatch && `"${options.ifMatch}"`,
    'mesh-sig': signature,
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
