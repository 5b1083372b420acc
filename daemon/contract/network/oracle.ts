import { type Static, Type } from 'typebox';
import { oneOf } from '../one-of.js';
import { PageFields } from '../shared/paging.js';
import { AgentId, Tier1Pricing } from './agents.js';

export const QUERY_MAX_CHARS = 1000;

const Words = (maxItems: number, description: string) =>
  Type.Union(
    [
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems }),
      Type.String({ maxLength: 1000, description: 'The same with commas.' }),
    ],
    { description },
  );

const MaxPrice = Type.Optional(
  Type.Number({
    minimum: 0,
    description: 'In `currency`. Rows that cannot be compared are counted in `unfilterable`.',
  }),
);
const LimitCurrency = Type.Optional(
  Type.String({
    pattern: '^[A-Za-z]{2,16}$',
    description: 'Of `max_price`; default USD, in dollars. Others are in the unit of the price rows, such as lamports.',
  }),
);

export const SearchFilters = Type.Object(
  {
    online_only: Type.Optional(Type.Boolean({ description: 'Default true.' })),
    capability: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    tags: Type.Optional(Words(32, 'All of them.')),
    category: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'That category and those under it.' }),
    ),
    protocols: Type.Optional(Words(16, 'Any of them.')),
    input_mode: Type.Optional(Type.String({ minLength: 1, maxLength: 127 })),
    output_mode: Type.Optional(Type.String({ minLength: 1, maxLength: 127 })),
    max_price_usd: Type.Optional(Type.Number({ minimum: 0 })),
    max_price: MaxPrice,
    currency: LimitCurrency,
    country: Type.Optional(Type.String({ pattern: '^[A-Za-z]{2}$', description: 'ISO 3166-1 alpha-2.' })),
    ...PageFields,
  },
  { additionalProperties: false },
);
export type SearchFilters = Static<typeof SearchFilters>;

/** `query` and `prompt` are synonyms; `source` and `audience` are accepted and ignored. */
export const SearchBody = Type.Object(
  {
    query: Type.Optional(Type.String({ maxLength: QUERY_MAX_CHARS })),
    prompt: Type.Optional(Type.String({ maxLength: QUERY_MAX_CHARS })),
    filters: Type.Optional(SearchFilters),
    explain: Type.Optional(Type.Boolean()),
    source: Type.Optional(Type.Unknown()),
    audience: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: false },
);
export type SearchBody = Static<typeof SearchBody>;

/** Query of `GET /v1/search?q=`: the filters as query parameters, lists separated by commas. */
export const SearchQuery = Type.Object(
  {
    q: Type.Optional(Type.String({ maxLength: QUERY_MAX_CHARS })),
    online_only: Type.Optional(Type.Boolean()),
    capability: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    tags: Type.Optional(Type.String({ maxLength: 1000 })),
    category: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    protocols: Type.Optional(Type.String({ maxLength: 1000 })),
    input_mode: Type.Optional(Type.String({ minLength: 1, maxLength: 127 })),
    output_mode: Type.Optional(Type.String({ minLength: 1, maxLength: 127 })),
    max_price_usd: Type.Optional(Type.Number({ minimum: 0 })),
    max_price: MaxPrice,
    currency: LimitCurrency,
    country: Type.Optional(Type.String({ pattern: '^[A-Za-z]{2}$' })),
    ...PageFields,
    explain: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
export type SearchQuery = Static<typeof SearchQuery>;

/**
 * The parts of a row's score, from 0 to 1 each but for the counts `asked` and `message_through`. Text, meaning and
 * capability make the relevance; reputation, response rate and messages scale it; `promoted` is the addition of the
 * partner.
 */
export const Why = Type.Object(
  {
    text: Type.Number(),
    semantic: Type.Number(),
    capability: Type.Number(),
    reputation: Type.Union([Type.Number(), Type.Null()]),
    response_rate: Type.Union([Type.Number(), Type.Null()], {
      description:
        'Answered over asked, as this daemon has measured it by its calls, its messages and the asks of its members; null when it never asked.',
    }),
    asked: Type.Integer({ description: 'The number of questions behind `response_rate`, at most 200.' }),
    message_through: Type.Integer({
      description: 'Messages that reached it: reported after searches, or answered on the hub.',
    }),
    promoted: Type.Number({ description: 'At most 0.05.' }),
  },
  { $id: 'Why' },
);
export type Why = Static<typeof Why>;

/** Why this daemon cannot call a found agent as things are. */
export const NOT_CALLABLE = ['no_endpoint', 'offline', 'currency_not_payable', 'needs_wallet'] as const;
export const NotCallable = Type.Object(
  {
    code: oneOf(NOT_CALLABLE),
    message: Type.String({ description: 'A sentence with what would help, where something would.' }),
  },
  { $id: 'NotCallable' },
);
export type NotCallable = Static<typeof NotCallable>;

/** A Tier-1 record as a search result. Spec: What the service does, 3. */
export const FoundAgent = Type.Object(
  {
    agent_id: Type.String(),
    endpoint: Type.Union([Type.String(), Type.Null()]),
    description: Type.Union([Type.String(), Type.Null()]),
    tags: Type.Array(Type.String()),
    pricing: Type.Union([Tier1Pricing, Type.Null()]),
    protocols: Type.Array(Type.String()),
    online: Type.Boolean(),
    not_callable: Type.Optional(
      Type.Array(Type.Unsafe<NotCallable>(Type.Ref('NotCallable')), {
        minItems: 1,
        description: 'Absent for an agent that can be called.',
      }),
    ),
    oracle_score: Type.Number({ description: '0 to 1.' }),
    promoted: Type.Optional(Type.Literal(true)),
    why: Type.Optional(Type.Unsafe<Why>(Type.Ref('Why'))),
    call: Type.Optional(
      Type.String({
        description:
          '`<project>/<member>`, by which a member of another running project of this user is asked and called.',
      }),
    ),
  },
  { $id: 'FoundAgent' },
);
export type FoundAgent = Static<typeof FoundAgent>;

/** How many of the rows that match the query a filter dropped because they do not declare the filtered property. */
export const Unfilterable = Type.Object(
  { constraint: Type.String(), reason: Type.String(), dropped: Type.Integer() },
  { $id: 'Unfilterable' },
);
export type Unfilterable = Static<typeof Unfilterable>;

export const SearchResult = Type.Object(
  {
    agents: Type.Array(Type.Ref('FoundAgent')),
    count: Type.Integer(),
    query_id: Type.String(),
    unfilterable: Type.Array(Type.Ref('Unfilterable')),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
    /**
     * The number of rows that match the query and that each filter refuses, so that a user sees which filter to relax.
     * A row may be counted by several filters. Only with `explain`.
     */
    filtered: Type.Optional(Type.Record(Type.String(), Type.Integer())),
    /**
     * The source of the vectors used for semantic similarity: the configured endpoint, or vectors computed from the
     * catalog. Only with `explain`.
     */
    vectors: Type.Optional(Type.Unsafe<'catalog' | 'embeddings'>(Type.String({ enum: ['catalog', 'embeddings'] }))),
  },
  { $id: 'SearchResult' },
);
export type SearchResult = {
  agents: FoundAgent[];
  count: number;
  query_id: string;
  unfilterable: Unfilterable[];
  next_cursor: string | null;
  filtered?: Record<string, number>;
  vectors?: 'catalog' | 'embeddings';
};

/**
 * Reports that a message was delivered after a search. At most five a day count for a pair of agents; reports about
 * oneself are ignored.
 */
export const FeedbackBody = Type.Object(
  {
    requester: AgentId,
    agent_id: AgentId,
    kind: Type.Literal('message_through'),
    query_id: Type.Optional(Type.String({ maxLength: 64 })),
  },
  { additionalProperties: false },
);
export type FeedbackBody = Static<typeof FeedbackBody>;
export const FeedbackResult = Type.Object({ status: Type.Literal('ok') }, { $id: 'FeedbackResult' });
