import type { AskAccepted, AskBody, AskRecord, AskStatus } from '../contract/asks.js';
import { ApiError } from './api-error.js';
import { type CallOptions, call } from './call.js';
import type { Daemon } from './daemon.js';
import { pause } from './pause.js';
import { reconnectDelayMs } from './reconnect-policy.js';

/** Seconds for which the daemon is requested to hold one poll. */
const HOLD_SECONDS = 20;
/** How much longer than that a response may take. */
const POLL_GRACE_MS = 15_000;
/**
 * How many polls, or attempts to submit an ask, may fail in a row. That is about twelve seconds, enough for a daemon to
 * restart.
 */
const FAILURES_MAX = 5;

const ENDED: readonly AskStatus[] = ['done', 'error'];

/** Reports whether a request has ended: `done`, or `error` with its reason in `error`. */
export const isOver = ({ status }: Pick<AskRecord, 'status'>): boolean => ENDED.includes(status);

/** Token and abort signal of a call about a request. */
export type RequestOptions = Pick<CallOptions, 'token' | 'signal'>;

export interface FollowOptions extends RequestOptions {
  /**
   * Seconds after which the record is returned as it is. Without it, waits until the request ends. The request itself
   * continues.
   */
  wait?: number;
  /** Called with each record that was read: queue position, progress. */
  onRecord?(record: AskRecord): void;
}

export interface AskOptions extends FollowOptions, Omit<AskBody, 'text'> {
  /**
   * A repeat with the same key returns the same request. A random key when absent; what is thrown has it as
   * `details.idempotency_key`.
   */
  idempotencyKey?: string;
  /** Called once the daemon has stored the request. Another program can follow it with its `request_id`. */
  onAccepted?(accepted: AskAccepted): void;
}

const requestPath = (requestId: string) => `/team/requests/${encodeURIComponent(requestId)}`;

/**
 * Submits an ask to `member`, in one attempt, and returns the request's id at once. Throws `unauthorized`,
 * `bad_request`, `too_many_requests` (with `retryAfter`), `offline`, after which the ask may have been accepted: a
 * repeat with `details.idempotency_key` returns its request. Spec: Ask.
 */
export async function submit(
  daemon: Daemon,
  member: string,
  text: string,
  options: AskOptions = {},
): Promise<AskAccepted> {
  const { session, context_docs, token, signal, idempotencyKey = crypto.randomUUID() } = options;
  const body: AskBody = {
    text,
    ...(session !== undefined && { session }),
    ...(context_docs !== undefined && { context_docs }),
  };
  return call<AskAccepted>(daemon, `/team/${encodeURIComponent(member)}/ask`, {
    method: 'POST',
    body,
    idempotencyKey,
    token,
    signal,
  }).catch((error: unknown) => {
    throw error instanceof ApiError ? withDetails(error, { idempotency_key: idempotencyKey }) : error;
  });
}

/**
 * Reads a request once. The daemon holds the response until the request ends, for at most `wait` seconds (at most 60).
 * Throws `not_found`, `unauthorized`, `offline`, and `timed_out` when there is no response 15 seconds after it was due.
 */
export async function poll(
  daemon: Daemon,
  requestId: string,
  options: RequestOptions & { wait?: number } = {},
): Promise<AskRecord> {
  const { wait = 0, token, signal } = options;
  const limit = AbortSignal.timeout(wait * 1_000 + POLL_GRACE_MS);
  try {
    const either = signal ? AbortSignal.any([signal, limit]) : limit;
    return await call<AskRecord>(daemon, requestPath(requestId), { query: { wait }, token, signal: either });
  } catch (cause) {
    if (cause !== limit.reason) throw cause;
    throw new ApiError(0, 'timed_out', 'The daemon did not answer in time.', {}, cause);
  }
}

/** Cancels a request: it ends as `error` `cancelled`, unless it has already ended. */
export function cancelRequest(daemon: Daemon, requestId: string, options: RequestOptions = {}): Promise<AskRecord> {
  return call<AskRecord>(daemon, requestPath(requestId), { ...options, method: 'DELETE' });
}

/**
 * Polls a request until it ends or `wait` seconds are over, and returns the last record. A daemon that is unavailable
 * for some seconds is retried: it stores the request. Throws the error of the last poll with `details.request_id`.
 * Aborting leaves the request running.
 */
export async function follow(daemon: Daemon, requestId: string, options: FollowOptions = {}): Promise<AskRecord> {
  const { wait = Number.POSITIVE_INFINITY, onRecord, ...how } = options;
  const until = performance.now() + wait * 1_000;
  let failures = 0;
  for (;;) {
    const left = Math.max(0, (until - performance.now()) / 1_000);
    try {
      const record = await poll(daemon, requestId, {
        ...how,
        wait: Math.min(HOLD_SECONDS, Math.round(left * 100) / 100),
      });
      failures = 0;
      onRecord?.(record);
      if (isOver(record) || left === 0) return record;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const isAway = error.status === 0 || error.status === 429 || error.status === 503;
      if (!isAway || failures === FAILURES_MAX || left === 0) throw withDetails(error, { request_id: requestId });
      await pauseAfter(error, failures, how.signal);
      failures += 1;
    }
  }
}

/**
 * Submits an ask to `member` and follows it: `submit`, then `follow`. A daemon that is unavailable for some seconds is
 * tried again with the same idempotency key, so that the ask is accepted once. Returns the record once it has ended, or
 * as it is after `wait` seconds.
 */
export async function ask(daemon: Daemon, member: string, text: string, options: AskOptions = {}): Promise<AskRecord> {
  const { token, signal, wait = Number.POSITIVE_INFINITY, onRecord } = options;
  const until = performance.now() + wait * 1_000;
  const accepted = await submitOnce(daemon, member, text, until, {
    ...options,
    idempotencyKey: options.idempotencyKey ?? crypto.randomUUID(),
  });
  options.onAccepted?.(accepted);
  const left = Math.max(0, (until - performance.now()) / 1_000);
  return follow(daemon, accepted.request_id, { token, signal, wait: left, onRecord });
}

/** Repeats `submit` with one key until it is accepted or refused, or until the time `until`. */
async function submitOnce(
  daemon: Daemon,
  member: string,
  text: string,
  until: number,
  options: AskOptions & { idempotencyKey: string },
): Promise<AskAccepted> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await submit(daemon, member, text, options);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const isAway = error.status === 0 || error.status === 503;
      if (!isAway || failures === FAILURES_MAX || performance.now() >= until) throw error;
      await pauseAfter(error, failures, options.signal);
    }
  }
}

const pauseAfter = ({ retryAfter }: ApiError, failures: number, signal: AbortSignal | undefined): Promise<void> =>
  pause(retryAfter === undefined ? reconnectDelayMs(failures, Math.random) : retryAfter * 1_000, signal);

const withDetails = ({ status, code, message, details, cause }: ApiError, more: Record<string, string>): ApiError =>
  new ApiError(status, code, message, { ...details, ...more }, cause);
