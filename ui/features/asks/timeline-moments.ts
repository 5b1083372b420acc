import type { RequestDetail } from '../../../daemon/contract/asks.js';

/** After this long without a poll, the caller counts as gone. */
const GONE_AFTER_MS = 60_000;

export interface Timeline {
  /** Both ends, in epoch milliseconds. */
  from: number;
  to: number;
  /** Fractions of the whole, 0 to 1. */
  startedAt: number | undefined;
  endedAt: number | undefined;
  polls: number[];
  /** Number of polls that are too late to fit on the line. */
  laterPolls: number;
}

/** Computes the positions of a request's phases and polls on a line. */
export function createTimeline(request: RequestDetail, now: number): Timeline {
  const from = Date.parse(request.created_at);
  const ended = request.finished_at ? Date.parse(request.finished_at) : undefined;
  const polls = request.polls.map((poll) => Date.parse(poll));
  const life = Math.max(1, (ended ?? Math.max(now, from)) - from);
  const lastPoll = polls.at(-1) ?? from;
  const to = Math.max(from + life, Math.min(lastPoll, from + life * (ended === undefined ? 1 : 1.5)));
  const share = (at: number) => Math.min(1, Math.max(0, (at - from) / (to - from)));
  const shown = polls.filter((poll) => poll <= to);
  return {
    from,
    to,
    startedAt: request.started_at ? share(Date.parse(request.started_at)) : undefined,
    endedAt: ended === undefined ? undefined : share(ended),
    polls: shown.map(share),
    laterPolls: polls.length - shown.length,
  };
}

/** Returns in words whether the caller still waits. */
export function formatCollection(request: RequestDetail, now: number): string {
  const last = request.polls.at(-1);
  const isOver = request.finished_at !== undefined;
  if (isOver) {
    if (request.collected_at) return 'collected';
    return 'not collected yet';
  }
  if (!last) return now - Date.parse(request.created_at) > GONE_AFTER_MS ? 'no poll yet: not collected' : 'no poll yet';
  return now - Date.parse(last) > GONE_AFTER_MS
    ? 'no poll for 60 s, the caller may be gone: not collected'
    : 'the caller is waiting';
}
