import { type Static, Type } from 'typebox';
import { oneOf } from './one-of.js';

/** How long usage and refused calls are kept. */
export const USAGE_RETENTION_DAYS = 90;
/** Maximum number of turns whose usage is kept; the oldest are dropped first. */
export const USAGE_ROWS_MAX = 200_000;
/** Maximum number of rows of members and of callers in one report. Those with the fewest asks are summed up. */
export const USAGE_GROUPS_MAX = 50;
/** The longest period that is divided into hours. */
export const USAGE_HOURS_MAX_DAYS = 7;
/** Maximum number of rows of refused calls in the store; the oldest hours are dropped first. */
export const REFUSED_ROWS_MAX = 10_000;
/** Maximum number of different refused calls that are counted separately within one hour. */
export const REFUSED_KEYS_PER_HOUR = 20;

export const USAGE_BUCKETS = ['hour', 'day'] as const;
export type UsageBucketSize = (typeof USAGE_BUCKETS)[number];

/** How a turn ended. The first three are answers of the built-in search by their confidence. */
export const USAGE_KINDS = ['found', 'likely', 'none', 'answered', 'failed', 'stopped'] as const;
export type UsageKind = (typeof USAGE_KINDS)[number];

/** The name of the operator among callers, and of the operator's contract tests. No other caller is listed under it. */
export const CALLER_YOU = 'you';
export const CALLER_TESTS = 'your tests';
/** The row that sums up what has too few asks for a row of its own. */
export const USAGE_OTHERS = 'others';

const count = (description?: string) =>
  Type.Integer({ minimum: 0, ...(description === undefined ? {} : { description }) });
const orNull = (description: string) => Type.Union([Type.Number({ minimum: 0 }), Type.Null()], { description });

const counts = {
  asks: count('Questions and messages whose turn ended.'),
  found: count('Answers of the built-in search that state a fact.'),
  likely: count('Its answers that name the most probable places.'),
  none: count('Its answers that nothing was found.'),
  answered: count('Answers of a model.'),
  failed: count(),
  stopped: count('Cancelled by the caller or the operator.'),
  refused: count('Calls of programs that were answered with 401, 402 or 429. Not among `asks`.'),
  p50_ms: orNull('Median time from question to answer, to within 3 %. Null without an answer.'),
  p95_ms: orNull('95 of 100 answers took no longer.'),
  input_tokens: orNull('Null when no client reported any.'),
  output_tokens: orNull('Null when no client reported any.'),
  cost_usd: orNull('What clients reported. Null when none did.'),
};

export const UsageCounts = Type.Object(counts, { $id: 'UsageCounts' });
export type UsageCounts = Static<typeof UsageCounts>;

export const UsageBucket = Type.Object(
  { at: Type.String({ description: 'Its beginning, ISO 8601.' }), ...counts },
  { $id: 'UsageBucket' },
);
export type UsageBucket = Static<typeof UsageBucket>;

export const UsageGroup = Type.Object(
  {
    name: Type.String({
      description:
        `A member's id (empty for a conversation without one), a client (empty for a turn that none ran), or a caller: ` +
        `\`${CALLER_YOU}\`, \`${CALLER_TESTS}\`, or ` +
        `the first product of a User-Agent, which nothing proves. \`${USAGE_OTHERS}\` sums up the rest.`,
    }),
    ...counts,
  },
  { $id: 'UsageGroup' },
);
export type UsageGroup = Static<typeof UsageGroup>;

/** What was asked, how it ended and what it took, over time, by member, by caller and by client. */
export const UsageReport = Type.Object(
  {
    from: Type.String(),
    to: Type.String(),
    bucket: oneOf(USAGE_BUCKETS),
    total: Type.Ref('UsageCounts'),
    buckets: Type.Array(Type.Ref('UsageBucket'), { description: 'Without a gap, oldest first.' }),
    members: Type.Array(Type.Ref('UsageGroup'), { description: 'Most asks first.' }),
    callers: Type.Array(Type.Ref('UsageGroup'), { description: 'Most asks first.' }),
    clients: Type.Array(Type.Ref('UsageGroup'), { description: 'What ran the turns, most asks first.' }),
  },
  { $id: 'UsageReport' },
);
export type UsageReport = Omit<Static<typeof UsageReport>, 'total' | 'buckets' | 'members' | 'callers' | 'clients'> & {
  total: UsageCounts;
  buckets: UsageBucket[];
  members: UsageGroup[];
  callers: UsageGroup[];
  clients: UsageGroup[];
};

const time = (description: string) => Type.Optional(Type.String({ maxLength: 40, description }));

export const UsageQuery = Type.Object(
  {
    from: time('ISO 8601. Default: 30 days before `to`; at most 90 days ago.'),
    to: time('ISO 8601. Default: now.'),
    bucket: Type.Optional(
      oneOf(USAGE_BUCKETS, 'Default: `hour` up to 2 days, else `day`. Hours are possible for up to 7 days.'),
    ),
    utc_offset: Type.Optional(
      Type.Integer({
        minimum: -840,
        maximum: 840,
        description: 'Minutes east of UTC, so that a day begins at your midnight. Default 0.',
      }),
    ),
    member: Type.Optional(Type.String({ maxLength: 64, description: 'Only of this member.' })),
    caller: Type.Optional(Type.String({ maxLength: 80, description: 'Only of this caller, as `callers` names it.' })),
  },
  { additionalProperties: false },
);
export type UsageQuery = Static<typeof UsageQuery>;

export const REFUSAL_REASONS = ['no_credential', 'wrong_credential', 'payment_required', 'too_many_requests'] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

const reason = oneOf(
  REFUSAL_REASONS,
  '`no_credential` and `wrong_credential`: 401. `payment_required`: 402, with which a paid call usually begins. ' +
    '`too_many_requests`: 429.',
);

/** Refused calls that are alike. No credential is kept, and no part of one. */
export const RefusedCalls = Type.Object(
  {
    reason,
    member: Type.String({ description: 'The member that the path names; empty for any other path.' }),
    caller: Type.String({
      description: `The first product of the User-Agent. \`${USAGE_OTHERS}\`: more than ${REFUSED_KEYS_PER_HOUR} different calls in one hour.`,
    }),
    address: Type.String(),
    route: Type.String({ description: 'Method and path, with names in place of values.' }),
    count: Type.Integer({ minimum: 1 }),
    first_at: Type.String(),
    last_at: Type.String(),
  },
  { $id: 'RefusedCalls' },
);
export type RefusedCalls = Static<typeof RefusedCalls>;

export const RefusedList = Type.Object(
  {
    refused: Type.Array(Type.Ref('RefusedCalls'), { description: 'Last seen first.' }),
    count: Type.Integer({ description: 'Rows in this list.' }),
    total: Type.Integer({ description: 'Calls of all rows that match, listed or not.' }),
  },
  { $id: 'RefusedList' },
);
export type RefusedList = { refused: RefusedCalls[]; count: number; total: number };

export const RefusedQuery = Type.Object(
  {
    reason: Type.Optional(reason),
    member: Type.Optional(Type.String({ maxLength: 64 })),
    caller: Type.Optional(Type.String({ maxLength: 80, description: 'Part of the caller’s name.' })),
    since: time('ISO 8601, to the hour: only calls at or after it.'),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Default 50.' })),
  },
  { additionalProperties: false },
);
export type RefusedQuery = Static<typeof RefusedQuery>;
