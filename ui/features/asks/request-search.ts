import type { AskStatus, RatingValue } from '../../../daemon/contract/asks.js';
import type { RefusalReason } from '../../../daemon/contract/usage.js';

const HOUR_MS = 3_600_000;
/** The periods that the list can be limited to, in milliseconds. */
export const REQUEST_SPANS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 168 * HOUR_MS } as const;
export const REQUEST_TABS = ['refused', 'usage'] as const;
const STATUSES = ['queued', 'running', 'needs_input', 'done', 'error'] as const satisfies readonly AskStatus[];
const SINCE = Object.keys(REQUEST_SPANS) as (keyof typeof REQUEST_SPANS)[];
const REASONS = [
  'no_credential',
  'wrong_credential',
  'payment_required',
  'too_many_requests',
] as const satisfies readonly RefusalReason[];
const USAGE_SPANS = ['day', 'week', 'quarter'] as const;

/** The query parameters of Requests. */
export interface RequestSearch {
  tab?: (typeof REQUEST_TABS)[number] | undefined;
  member?: string | undefined;
  status?: AskStatus | undefined;
  rating?: RatingValue | undefined;
  q?: string | undefined;
  caller?: string | undefined;
  since?: keyof typeof REQUEST_SPANS | undefined;
  /** Of refused calls. */
  reason?: RefusalReason | undefined;
  /** Of usage; a month when absent. */
  span?: (typeof USAGE_SPANS)[number] | undefined;
}

const oneOf = <T extends string>(value: unknown, words: readonly T[]): T | undefined =>
  words.find((word) => word === value);
const text = (value: unknown): string | undefined =>
  value === undefined || value === null || value === '' ? undefined : String(value);

/** Parses the query parameters. An invalid one is ignored. */
export const readRequestSearch = (search: { [name in keyof RequestSearch]?: unknown }): RequestSearch => ({
  tab: oneOf(search.tab, REQUEST_TABS),
  member: text(search.member),
  status: oneOf(search.status, STATUSES),
  rating: oneOf(search.rating, ['up', 'down']),
  q: text(search.q),
  caller: text(search.caller),
  since: oneOf(search.since, SINCE),
  reason: oneOf(search.reason, REASONS),
  span: oneOf(search.span, USAGE_SPANS),
});
