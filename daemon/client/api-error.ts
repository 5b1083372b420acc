import type { ErrorBody } from '../contract/errors.js';

/**
 * A call that failed. `code` is the error code of the API, or one of these: `offline` when there was no response,
 * `timed_out` when a poll got no response in time (both with status 0), `unreadable` when the response was not JSON,
 * `http_<status>` for an error that is not the daemon's.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** The fields of the error response besides its code and its message. */
    readonly details: Readonly<Record<string, unknown>> = {},
    cause?: unknown,
  ) {
    super(message, { cause });
  }

  /** The field of the request that the error refers to. */
  get path(): string | undefined {
    return this.details['path'] as string | undefined;
  }

  /** The id under which the daemon logged the error; undefined for any code but `internal`. */
  get id(): string | undefined {
    return this.details['id'] as string | undefined;
  }

  /** Seconds after which the call may be retried. */
  get retryAfter(): number | undefined {
    return this.details['retry_after'] as number | undefined;
  }
}

/**
 * Converts an error response to an `ApiError`. A response that is not the daemon's gets a code and a message made from
 * its status.
 */
export function createApiError(status: number, body: unknown, retryAfter: string | null): ApiError {
  const { error, message = sentenceFor(status), ...details } = (body ?? {}) as Partial<ErrorBody>;
  return new ApiError(status, error ?? `http_${status}`, message, {
    ...(retryAfter && { retry_after: Number(retryAfter) }),
    ...details,
  });
}

function sentenceFor(status: number): string {
  if (status === 404) return 'There is nothing at this address.';
  return status >= 500 ? 'The daemon failed on this call.' : `The daemon refused the call (${status}).`;
}
