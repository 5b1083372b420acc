import type { ErrorBody } from '../daemon/contract/errors.js';

/**
 * A call that did not succeed. `code` is the wire's own, or one of these: `offline` when no answer came, `timed_out` when none came to a poll in time (both with
 * status 0), `unreadable` when the answer was not JSON, `http_<status>` for a refusal that is not the daemon's.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** What the refusal says beside its code and its sentence. */
    readonly details: Readonly<Record<string, unknown>> = {},
    cause?: unknown,
  ) {
    super(message, { cause });
  }

  /** Which field of what was sent is meant. */
  get path(): string | undefined {
    return this.details['path'] as string | undefined;
  }

  /** Under which id the daemon logged it; undefined for anything but `internal`. */
  get id(): string | undefined {
    return this.details['id'] as string | undefined;
  }

  /** Seconds after which the daemon would have the call again. */
  get retryAfter(): number | undefined {
    return this.details['retry_after'] as number | undefined;
  }
}

/** The refusal that an answer with `status` and `body` is; what is no answer of a daemon's gets a code and a sentence of its own. */
export function refusalOf(status: number, body: unknown, retryAfter: string | null): ApiError {
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
