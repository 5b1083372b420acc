import type { ErrorBody } from '../../daemon/contract/errors.js';

/** The wire's error code, or one of ours: `offline` when no answer came, `unreadable` when the answer was not JSON. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly body: ErrorBody | null = null,
  ) {
    super(message);
  }

  /** Under which id the daemon logged it; undefined for anything but `internal`. */
  get id(): string | undefined {
    return this.body?.id;
  }
}

export interface CallOptions {
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  body?: unknown;
  /** Member token: the call then speaks through the member's door, as any other program would. */
  bearer?: string;
  /** A cluster's `ck_` or `ak_`, for whoever needs one. */
  clusterToken?: string | undefined;
  /** Makes a repeat of the same call give the first answer again. */
  idempotencyKey?: string;
  /** Revision that the file must still have. */
  ifMatch?: string;
  signal?: AbortSignal;
}

export type Fetch = typeof fetch;

/**
 * Calls the daemon and returns its JSON. Throws `ApiError` for every refusal, and `ApiError` with status 0 and code
 * `offline` when there is no answer at all.
 */
export async function call<T>(path: string, options: CallOptions = {}, fetcher: Fetch = fetch): Promise<T> {
  const method = options.method ?? 'GET';
  const headers: Record<string, string> = { accept: 'application/json' };
  if (method !== 'GET') headers['x-mesh-ui'] = '1';
  if (options.body !== undefined) headers['content-type'] = 'application/json';
  if (options.bearer) headers['authorization'] = `Bearer ${options.bearer}`;
  if (options.clusterToken) headers['x-cluster-token'] = options.clusterToken;
  if (options.idempotencyKey) headers['idempotency-key'] = options.idempotencyKey;
  if (options.ifMatch) headers['if-match'] = `"${options.ifMatch}"`;

  let response: Response;
  try {
    response = await fetcher(path, {
      method,
      headers,
      body: options.body === undefined ? null : JSON.stringify(options.body),
      signal: options.signal ?? null,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      // A deletion is carried out though the page goes.
      keepalive: method === 'DELETE',
    });
  } catch (cause) {
    if (options.signal?.aborted) throw cause;
    throw new ApiError(0, 'offline', 'The daemon did not answer. Start it with `meshd up`.');
  }

  const text = await response.text();
  const body = text === '' ? null : parse(text);
  if (!response.ok) {
    const refusal = isErrorBody(body) ? body : null;
    throw new ApiError(
      response.status,
      refusal?.error ?? `http_${response.status}`,
      refusal?.message ?? sentenceFor(response.status),
      refusal,
    );
  }
  if (body === undefined) throw new ApiError(response.status, 'unreadable', 'The daemon answered with something that is not JSON.');
  return body as T;
}

/** `?a=1&b=2`, leaving out what is empty. */
export function query(values: Record<string, string | number | undefined>): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) if (value !== undefined && value !== '') search.set(key, String(value));
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isErrorBody(value: unknown): value is ErrorBody {
  return typeof value === 'object' && value !== null && typeof (value as { error?: unknown }).error === 'string';
}

function sentenceFor(status: number): string {
  if (status === 404) return 'There is nothing at this address.';
  if (status >= 500) return 'The daemon failed on this call. What else is on the page still works.';
  return `The daemon refused the call (${status}).`;
}
