import type { AskAccepted, AskBody, AskRecord, AskStatus } from '../daemon/contract/asks.js';
import { ApiError } from './api-error.js';
import { type CallOptions, call } from './call.js';
import type { Daemon } from './daemon.js';
import { pause } from './pause.js';
import { reconnectDelayMs } from './reconnect-policy.js';

/** Seconds that the daemon is asked to hold one poll. */
const HOLD_SECONDS = 20;
/** What an answer may take beyond that. */
const POLL_GRACE_MS = 15_000;
/** Polls in a row that may fail: twelve seconds, in which a daemon is started again. */
const FAILURES_MAX = 5;

const ENDED: readonly AskStatus[] = ['done', 'error'];

/** Whether a request has ended for good: `done`, or `error` with its reason in `error`. */
export const isOver = ({ status }: Pick<AskRecord, 'status'>): boolean => ENDED.includes(status);

/** Who asks and for how long, of every call about a request. */
export type RequestOptions = Pick<CallOptions, 'token' | 'signal'>;

export interface FollowOptions extends RequestOptions {
  /** Seconds after which the record is returned as it then stands; until it ends when absent. The request goes on. */
  wait?: number;
  /** Told of each record that was read: place in the queue, progress. */
  onRecord?(record: AskRecord): void;
}

export interface AskOptions extends FollowOptions, Omit<AskBody, 'text'> {
  /** Makes a repeat of the same ask return the same request. One of its own when absent. */
  idempotencyKey?: string;
  /** Told as soon as the daemon keeps the request: with its `request_id` another program can follow it. */
  onAccepted?(accepted: AskAccepted): void;
}

const requestPath = (requestId: string) => `/team/requests/${encodeURIComponent(requestId)}`;

/** Asks `member` and returns at once with the request's id. Throws `unauthorized`, `bad_request`, `too_many_requests` (`retryAfter`), `offline`. Spec: Ask. */
export function submit(daemon: Daemon, member: string, text: string, options: AskOptions = {}): Promise<AskAccepted> {
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
  });
}

/**
 * Reads a request once; the daemon holds the answer for up to `wait` seconds (at most 60) or until the request ends. Throws `not_found`, `unauthorized`, `offline`,
 * and `timed_out` when no answer came 15 seconds after it should have.
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

/** Ends a request that nobody waits for any more: it ends as `error` `cancelled`, unless it has ended before. */
export function cancelRequest(daemon: Daemon, requestId: string, options: RequestOptions = {}): Promise<AskRecord> {
  return call<AskRecord>(daemon, requestPath(requestId), { ...options, method: 'DELETE' });
}

/**
 * Polls a request until it ends or `wait` seconds are over, and returns what was read last. A daemon that is away for some seconds is waited for: it keeps the
 * request. Throws what the last poll threw, `details.request_id` with it; aborting leaves the request as it is.
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
      if (!isAway || failures === FAILURES_MAX || left === 0) throw withId(error, requestId);
      await pause(
        error.retryAfter === undefined ? reconnectDelayMs(failures, Math.random) : error.retryAfter * 1_000,
        how.signal,
      );
      failures += 1;
    }
  }
}

/** Asks `member` and returns the record once it has ended, or as it stands after `wait` seconds: `submit`, then `follow`. */
export async function ask(daemon: Daemon, member: string, text: string, options: AskOptions = {}): Promise<AskRecord> {
  const accepted = await submit(daemon, member, text, options);
  options.onAccepted?.(accepted);
  const { token, signal, wait, onRecord } = options;
  return follow(daemon, accepted.request_id, { token, signal, wait, onRecord });
}

const withId = ({ status, code, message, details, cause }: ApiError, request_id: string): ApiError =>
  new ApiError(status, code, message, { ...details, request_id }, cause);
