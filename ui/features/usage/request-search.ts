import type { AnswerKind, AskStatus, RatingValue } from '../../../daemon/contract/asks.js';
import type { RefusalReason } from '../../../daemon/contract/usage.js';

const HOUR_MS = 3_600_000;
/** The periods that the list can be limited to, in milliseconds. */
export const REQUEST_SPANS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 168 * HOUR_MS } as const;
const REQUEST_TABS = ['refused', 'usage'] as const;
/** The states by their words on screen. `failed` and `stopped` are one in the API. */
const STATES: Readonly<Record<string, AskStatus>> = {
  queued: 'queued',
  working: 'running',
  running: 'running',
  'needs you': 'needs_input',
  needs_you: 'needs_input',
  needs_input: 'needs_input',
  answered: 'done',
  done: 'done',
  failed: 'error',
  stopped: 'error',
  error: 'error',
};
const REASONS = [
  'no_credential',
  'wrong_credential',
  'payment_required',
  'too_many_requests',
] as const satisfies readonly RefusalReason[];
const USAGE_SPANS = ['day', 'week', 'quarter'] as const;

const named = <T extends string>(words: readonly T[]) =>
  Object.fromEntries(words.map((word) => [word, word])) as Record<T, T>;
const TABS = named(REQUEST_TABS);
const RATINGS = named(['up', 'down']);
const ANSWER_KINDS = named(['found', 'likely', 'none', 'answered'] as const satisfies readonly AnswerKind[]);
const SINCE = named(Object.keys(REQUEST_SPANS) as (keyof typeof REQUEST_SPANS)[]);
const REASON = named(REASONS);
const SPAN = named(USAGE_SPANS);

/** The query parameters of Requests. */
export interface RequestSearch {
  tab?: (typeof REQUEST_TABS)[number] | undefined;
  member?: string | undefined;
  /** Also read from `state`, by its word on screen. */
  status?: AskStatus | undefined;
  rating?: RatingValue | undefined;
  /** Of the answer. */
  kind?: AnswerKind | undefined;
  q?: string | undefined;
  caller?: string | undefined;
  since?: keyof typeof REQUEST_SPANS | undefined;
  /** Of refused calls. */
  reason?: RefusalReason | undefined;
  /** Of usage; a month when absent. */
  span?: (typeof USAGE_SPANS)[number] | undefined;
}

/** A filter of the address that names nothing. */
export interface UnknownFilter {
  key: string;
  value: string;
  known: readonly string[];
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined;

/** Parses the query parameters. Those whose value is not known are returned apart and do not filter. */
export function readRequestSearch(search: Readonly<Record<string, unknown>>): {
  filters: RequestSearch;
  unknown: UnknownFilter[];
} {
  const unknown: UnknownFilter[] = [];
  const oneOf = <T extends string>(key: string, words: Readonly<Record<string, T>>): T | undefined => {
    const value = text(search[key]);
    if (value === undefined) return undefined;
    const wanted = value.toLowerCase();
    if (Object.hasOwn(words, wanted)) return words[wanted];
    unknown.push({ key, value, known: Object.keys(words).filter((word) => !word.includes('_')) });
    return undefined;
  };
  const status = oneOf('status', STATES);
  const state = oneOf('state', STATES);
  const filters = {
    tab: oneOf('tab', TABS),
    member: text(search['member']),
    status: status ?? state,
    rating: oneOf('rating', RATINGS),
    kind: oneOf('kind', ANSWER_KINDS),
    q: text(search['q']),
    caller: text(search['caller']),
    since: oneOf('since', SINCE),
    reason: oneOf('reason', REASON),
    span: oneOf('span', SPAN),
  };
  return { filters, unknown };
}
