import { type Static, Type } from 'typebox';
import { oneOf, orNull } from '../one-of.js';

/** Share of a limit, in percent, from which a budget warns. */
export const BUDGET_WARN_PERCENT = 80;
/** The raise that is offered when a budget is reached, in percent. */
export const BUDGET_RAISE_PERCENT = 50;
export const BUDGET_TOKENS_MAX = 1_000_000_000_000;
export const BUDGET_COST_MAX_USD = 1_000_000;
export const BUDGET_MINUTES_MAX = 525_600;
export const BUDGET_TURNS_MAX = 1_000_000;

/** What a budget limits. */
export const BUDGET_KINDS = ['tokens', 'cost_usd', 'minutes', 'turns'] as const;
export type BudgetKind = (typeof BUDGET_KINDS)[number];

export const BUDGET_STATES = ['ok', 'warned', 'reached'] as const;
export type BudgetState = (typeof BUDGET_STATES)[number];

const limits = {
  tokens: orNull(
    Type.Integer({ minimum: 1, maximum: BUDGET_TOKENS_MAX }),
    'Tokens in and out together, as clients report them.',
  ),
  cost_usd: orNull(
    Type.Number({ exclusiveMinimum: 0, maximum: BUDGET_COST_MAX_USD }),
    'Cost in US dollars, as clients report it. Holds only for clients that report one.',
  ),
  minutes: orNull(
    Type.Number({ exclusiveMinimum: 0, maximum: BUDGET_MINUTES_MAX }),
    'Minutes that turns run, not counting the time in which they wait for a person or another member.',
  ),
  turns: orNull(Type.Integer({ minimum: 1, maximum: BUDGET_TURNS_MAX }), 'Turns that started.'),
};

/** The limits of a budget. Null: no limit. */
export const BudgetLimits = Type.Object(limits, { $id: 'BudgetLimits' });
export type BudgetLimits = Static<typeof BudgetLimits>;

/** New limits of a budget. An absent limit is removed. */
export const BudgetEdit = Type.Object(
  {
    tokens: Type.Optional(limits.tokens),
    cost_usd: Type.Optional(limits.cost_usd),
    minutes: Type.Optional(limits.minutes),
    turns: Type.Optional(limits.turns),
  },
  { additionalProperties: false, minProperties: 1 },
);
export type BudgetEdit = Static<typeof BudgetEdit>;

/**
 * How a budget that is used up goes on: by a share, or to new limits. Exactly one of the two. Limits that are not given
 * stay as they are.
 */
export const BudgetRaise = Type.Object(
  {
    percent: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        description: 'Raises each limit that is reached or warned of, from the limit or from what was spent, if more.',
      }),
    ),
    limits: Type.Optional(BudgetEdit),
    today: Type.Optional(
      Type.Boolean({ description: 'Only until the next midnight of the daemon’s time zone. Default false.' }),
    ),
  },
  { additionalProperties: false },
);
export type BudgetRaise = Static<typeof BudgetRaise>;

const describeShare = (kind: string) =>
  orNull(Type.Number({ minimum: 0 }), `Spent ${kind}, as a share of the limit: 1 is all of it. Null without a limit.`);

/** What a scope may spend and what it has spent. */
export const Budget = Type.Object(
  {
    scope: Type.String({
      description:
        '`conversation:<conv>`: over its whole life, with the turns that it asked of members. `member:<id>`: per day. ' +
        '`day`: all turns of a day.',
    }),
    name: Type.String({ description: 'The title of the conversation, or the name of the member; empty for `day`.' }),
    limits: Type.Ref('BudgetLimits', { description: 'Those in force, with what was added for today.' }),
    lasting: Type.Ref('BudgetLimits', { description: 'Those in force from tomorrow on.' }),
    spent: Type.Object({
      tokens: orNull(Type.Integer({ minimum: 0 }), 'Null when no client has reported any.'),
      cost_usd: orNull(Type.Number({ minimum: 0 }), 'Null when no client has reported any.'),
      minutes: Type.Number({ minimum: 0 }),
      turns: Type.Integer({ minimum: 0 }),
    }),
    shares: Type.Object({
      tokens: describeShare('tokens'),
      cost_usd: describeShare('cost'),
      minutes: describeShare('minutes'),
      turns: describeShare('turns'),
    }),
    share: orNull(Type.Number({ minimum: 0 }), 'The largest of the shares. Null without a limit.'),
    state: oneOf(
      BUDGET_STATES,
      `\`warned\` from ${BUDGET_WARN_PERCENT} % of a limit. \`reached\`: its turns ended, and no other one starts.`,
    ),
    not_reported: Type.Object(
      {
        tokens: Type.Array(Type.String()),
        cost_usd: Type.Array(Type.String()),
      },
      { description: 'The clients whose turns counted here and that reported none.' },
    ),
    waiting: Type.Integer({ minimum: 0, description: 'Turns that start once it is raised.' }),
    is_left: Type.Boolean({
      description: 'The operator chose to leave it so: it is no question until its state changes.',
    }),
    since: orNull(Type.String(), 'When it was warned of or reached, ISO 8601.'),
  },
  { $id: 'Budget' },
);
export type Budget = Omit<Static<typeof Budget>, 'limits' | 'lasting'> & {
  limits: BudgetLimits;
  lasting: BudgetLimits;
};

export const BudgetList = Type.Object(
  {
    budgets: Type.Array(Type.Ref('Budget'), {
      description: 'Those with a limit, reached ones first, then by share. `day` is there without a limit too.',
    }),
    day: Type.String({ description: 'The day that is counted, YYYY-MM-DD in the daemon’s time zone.' }),
    ends_at: Type.String({ description: 'The next midnight, when the budgets of a day begin anew, ISO 8601.' }),
    time_zone: Type.String({ description: 'The time zone of the daemon’s machine.' }),
  },
  { $id: 'BudgetList' },
);
export type BudgetList = Omit<Static<typeof BudgetList>, 'budgets'> & { budgets: Budget[] };
