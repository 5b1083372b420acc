import { type Static, Type } from 'typebox';
import { ASK_DOC_MAX_CHARS, ASK_DOCS_MAX, ASK_TEXT_MAX_CHARS, CITATIONS_MAX, POLL_WAIT_MAX_SECONDS } from './limits.js';
import { oneOf } from './one-of.js';
import { PageFields } from './shared/paging.js';

export const ASK_STATUSES = ['queued', 'running', 'needs_input', 'done', 'error'] as const;
export type AskStatus = (typeof ASK_STATUSES)[number];
/** The final statuses of a request. */
export const TERMINAL_STATUSES: readonly AskStatus[] = ['done', 'error'];

/** Why a request ended as `error`. */
export const ASK_ERROR_CODES = [
  'cancelled',
  'daemon_restarted',
  'deadline',
  'client_failed',
  'needs_permission',
  'member_gone',
  'no_working_client',
  'budget_exceeded',
] as const;
export type AskErrorCode = (typeof ASK_ERROR_CODES)[number];

export const ContextDoc = Type.Object(
  {
    filename: Type.String({ minLength: 1, maxLength: 255 }),
    content: Type.String({ maxLength: ASK_DOC_MAX_CHARS, description: 'In an ask at most 64 KiB of UTF-8.' }),
  },
  { additionalProperties: false },
);
export type ContextDoc = Static<typeof ContextDoc>;

export const AskBody = Type.Object(
  {
    text: Type.String({ minLength: 1, maxLength: ASK_TEXT_MAX_CHARS, description: 'The question.' }),
    session: Type.Optional(
      Type.String({ pattern: '^[A-Za-z0-9_-]{1,48}$', description: 'Continues one conversation across asks.' }),
    ),
    context_docs: Type.Optional(Type.Array(ContextDoc, { maxItems: ASK_DOCS_MAX })),
  },
  { additionalProperties: false },
);
export type AskBody = Static<typeof AskBody>;

export const AskAccepted = Type.Object(
  {
    request_id: Type.String({ description: '`req-` and 16 characters.' }),
    conv: Type.String(),
    status: oneOf(ASK_STATUSES),
    poll: Type.String({ description: 'Path to poll.' }),
  },
  { $id: 'AskAccepted' },
);
export type AskAccepted = Static<typeof AskAccepted>;

export const CITATION_STATUSES = ['checked', 'moved', 'changed', 'dropped'] as const;
export type CitationStatus = (typeof CITATION_STATUSES)[number];

/** The fields of a citation that can differ when it is looked at again. */
const placeFields = {
  start_line: Type.Integer({ minimum: 1 }),
  end_line: Type.Integer({ minimum: 1 }),
  commit: Type.Union([Type.String(), Type.Null()], {
    description: 'HEAD when the file is unchanged against it, else null.',
  }),
  status: oneOf(
    CITATION_STATUSES,
    '`checked`: the quote is at these lines. `moved`: it is at these lines, and was named at others. ' +
      '`changed`: it was at these lines, and the file or the quote is no longer there. `dropped`: it could ' +
      'not be confirmed. Looked at again whenever the answer is read; as it was given while the index is ' +
      'not ready.',
  ),
};

/**
 * A statement's source: its place and status in the working tree as of this read. `path`, `quote` and its `sha256` are
 * those of the answer. When the other fields differ from what was given, `given` has the original ones.
 */
export const Citation = Type.Object(
  {
    path: Type.String({ description: 'Relative to the project, with `/`.' }),
    ...placeFields,
    sha256: Type.String({ description: 'Of the quoted lines.' }),
    quote: Type.String(),
    given: Type.Optional(
      Type.Object(placeFields, {
        description:
          'These fields when the answer was given, if any of them is different now. With them in place, and ' +
          'without `given`, the citation is the one that the receipt covers.',
      }),
    ),
  },
  { $id: 'Citation' },
);
export type Citation = Static<typeof Citation>;
/** The fields of a citation that can differ when it is looked at again, as they were when the answer was given. */
export type GivenPlace = NonNullable<Citation['given']>;

export const CONFIDENCES = ['found', 'likely', 'none'] as const;
export type Confidence = (typeof CONFIDENCES)[number];

/** What requests are found by: how sure the built-in search was, or that the answer does not say so. */
export const ANSWER_KINDS = [...CONFIDENCES, 'answered'] as const;
export type AnswerKind = (typeof ANSWER_KINDS)[number];

/** What the built-in search reports beside its answer. Absent for other clients, and in records of earlier versions. */
export const searchFields = {
  confidence: Type.Optional(
    oneOf(
      CONFIDENCES,
      '`found`: states a fact. `likely`: names the most probable places and states nothing. `none`: not ' +
        'found. Only of the client `builtin`.',
    ),
  ),
  searched: Type.Optional(
    Type.Object(
      {
        files: Type.Integer({ minimum: 0, description: 'Files that were searched.' }),
        left_out: Type.Integer({
          minimum: 0,
          description:
            'Files that are too many or too large for the index, that a sparse checkout does not have, ' +
            'or whose name is not UTF-8 or holds a line break, and submodules.',
        }),
        not_text: Type.Optional(
          Type.Integer({ minimum: 1, description: 'Files that were read and are not text, so were not searched.' }),
        ),
        pending: Type.Optional(
          Type.Integer({
            minimum: 1,
            description: 'Files that the first index had not read yet; absent once it has read all.',
          }),
        ),
      },
      { description: 'Only of the client `builtin`.' },
    ),
  ),
  total: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        `How many places there are; more than \`citations\` when there are more than ${CITATIONS_MAX}. Only of ` +
        'the client `builtin`.',
    }),
  ),
};

/** All of `searchFields`, as they are stored with an answer. */
export interface SearchOutcome {
  confidence: Confidence;
  searched: { files: number; left_out: number; not_text?: number; pending?: number };
  total: number;
}

const citations = Type.Array(Type.Ref('Citation'), { maxItems: CITATIONS_MAX });

/** Proof of a question and its answer: an Ed25519 signature over the JCS form (RFC 8785) without `sig`. */
export const Receipt = Type.Object(
  {
    v: Type.Literal(1),
    request_id: Type.String(),
    member: Type.String(),
    member_sha256: Type.String({ description: "The member file's revision." }),
    question_sha256: Type.String(),
    answer_sha256: Type.String(),
    client: Type.String(),
    model: Type.String(),
    created_at: Type.String(),
    finished_at: Type.String(),
    citations_sha256: Type.String({
      description:
        'Of the JCS form of the citations as they were given: a citation with `given` has those fields in ' +
        'place of its own, and no `given`.',
    }),
    price: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    pubkey: Type.String({ description: 'Standard base64 of the 32-byte key.' }),
    sig: Type.String({ description: 'Standard base64 of the 64-byte signature.' }),
  },
  { $id: 'Receipt', additionalProperties: false },
);
export type Receipt = Static<typeof Receipt>;

export const VerifyReceipt = Type.Object(
  { receipt: Type.Record(Type.String(), Type.Unknown()) },
  { additionalProperties: false },
);
export type VerifyReceipt = Static<typeof VerifyReceipt>;

export const ReceiptVerdict = Type.Object(
  {
    valid: Type.Boolean(),
    reasons: Type.Array(Type.String(), { description: 'Why it is not valid; empty when it is.' }),
    pubkey: Type.Union([Type.String(), Type.Null()]),
    known: Type.Boolean({ description: "Whether the key is this daemon's own." }),
  },
  { $id: 'ReceiptVerdict' },
);
export type ReceiptVerdict = Static<typeof ReceiptVerdict>;

export const AskError = Type.Object({
  code: oneOf(ASK_ERROR_CODES),
  message: Type.String(),
});
export type AskError = Static<typeof AskError>;

const requestFields = {
  request_id: Type.String(),
  member: Type.String(),
  conv: Type.String(),
  status: oneOf(ASK_STATUSES),
  created_at: Type.String(),
  started_at: Type.Optional(Type.String()),
  finished_at: Type.Optional(Type.String()),
};

const pollFields = {
  ...requestFields,
  queue_position: Type.Optional(Type.Integer({ minimum: 1, description: 'Only while queued; 1 is next.' })),
  progress: Type.Optional(
    Type.Object(
      { stage: Type.String(), done: Type.Integer(), total: Type.Integer() },
      { description: 'Only while running.' },
    ),
  ),
  result_text: Type.Optional(Type.String()),
  citations: Type.Optional(citations),
  ...searchFields,
  client: Type.String(),
  model: Type.String(),
  error: Type.Optional(AskError),
  receipt: Type.Optional(Type.Ref('Receipt')),
};

/** Response of a poll. */
export const AskRecord = Type.Object(pollFields, { $id: 'AskRecord' });
export type AskRecord = Omit<Static<typeof AskRecord>, 'citations' | 'receipt'> & {
  citations?: Citation[];
  receipt?: Receipt;
};

export const PollQuery = Type.Object(
  {
    wait: Type.Optional(
      Type.Number({ minimum: 0, maximum: POLL_WAIT_MAX_SECONDS, description: 'Seconds to hold the answer.' }),
    ),
  },
  { additionalProperties: false },
);
export type PollQuery = Static<typeof PollQuery>;

/**
 * The caller of an ask, as far as a loopback socket reveals it. The program that a caller says it is, is not verified.
 */
export const Caller = Type.Object({
  user_agent: Type.Union([Type.String(), Type.Null()]),
  idempotency_key: Type.Union([Type.String(), Type.Null()]),
  traceparent: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$',
      description: 'The trace that the caller names (W3C Trace Context).',
    }),
  ),
  daemon: Type.Optional(
    Type.String({
      description:
        'The id of the daemon of the network that asked. It signed the request; no other program can say so.',
    }),
  ),
  test: Type.Optional(
    Type.Literal(true, {
      description: "A contract test of the operator's; set by the daemon itself, no program outside can say so.",
    }),
  ),
  operator: Type.Optional(
    Type.Literal(true, {
      description:
        "Sent by the daemon's own page in a browser of the user who runs the daemon. Only a program of that user can " +
        'imitate it.',
    }),
  ),
});
export type Caller = Static<typeof Caller>;

export const RATINGS = ['up', 'down'] as const;
export type RatingValue = (typeof RATINGS)[number];
export const RATING_NOTE_MAX = 1_000;
const ratingValue = oneOf(RATINGS);

/** What the operator thinks of an answer. Only the operator sees it. */
export const RateRequest = Type.Object(
  {
    value: ratingValue,
    note: Type.Optional(Type.String({ maxLength: RATING_NOTE_MAX, description: 'Why, in your own words.' })),
  },
  { $id: 'RateRequest', additionalProperties: false },
);
export type RateRequest = Static<typeof RateRequest>;

const Rating = Type.Object({ value: ratingValue, note: Type.String(), rated_at: Type.String() });
export type Rating = Static<typeof Rating>;

/** A request in the operator's view: the caller's view plus question, caller and polls. */
export const RequestDetail = Type.Object(
  {
    ...pollFields,
    text: Type.String(),
    session: Type.Union([Type.String(), Type.Null()]),
    context_docs: Type.Array(ContextDoc),
    caller: Caller,
    polls: Type.Array(Type.String(), { description: 'When the caller polled, ISO 8601, newest last, at most 200.' }),
    collected_at: Type.Union([Type.String(), Type.Null()], {
      description: 'When the ended request was first read by its caller.',
    }),
    rating: Type.Optional(Rating),
  },
  { $id: 'RequestDetail' },
);
export type RequestDetail = AskRecord & {
  text: string;
  session: string | null;
  context_docs: ContextDoc[];
  caller: Caller;
  polls: string[];
  collected_at: string | null;
  rating?: Rating;
};

/** A row of the operator's list: no answer text, and only the start of the question. */
export const RequestRow = Type.Object(
  {
    ...requestFields,
    question: Type.String({ description: 'The first 200 characters.' }),
    citations_checked: Type.Integer({ description: 'When it was answered.' }),
    citations_total: Type.Integer(),
    confidence: searchFields.confidence,
    client: Type.String(),
    model: Type.String(),
    error: Type.Optional(AskError),
    caller: Caller,
    collected_at: Type.Union([Type.String(), Type.Null()]),
    rating: Type.Optional(ratingValue),
  },
  { $id: 'RequestRow' },
);
export type RequestRow = Static<typeof RequestRow>;

export const RequestList = Type.Object(
  {
    requests: Type.Array(Type.Ref('RequestRow')),
    count: Type.Integer({ description: 'Rows in this page.' }),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
  },
  { $id: 'RequestList' },
);
export type RequestList = { requests: RequestRow[]; count: number; next_cursor: string | null };

export const RequestsQuery = Type.Object(
  {
    member: Type.Optional(Type.String({ maxLength: 64 })),
    status: Type.Optional(oneOf(ASK_STATUSES)),
    rating: Type.Optional(ratingValue),
    kind: Type.Optional(
      oneOf(
        ANSWER_KINDS,
        'Only answers with this `confidence`; `answered`: those without, as the answers of models are. Requests ' +
          'that have no answer are of no kind.',
      ),
    ),
    q: Type.Optional(Type.String({ maxLength: 200, description: 'Words of the question or answer.' })),
    caller: Type.Optional(
      Type.String({
        maxLength: 200,
        description:
          'Part of what the caller says it is (its User-Agent); `a browser` finds browsers, `you` the dashboard.',
      }),
    ),
    since: Type.Optional(
      Type.String({ maxLength: 40, description: 'ISO 8601: only requests created at or after it.' }),
    ),
    ...PageFields,
  },
  { additionalProperties: false },
);
export type RequestsQuery = Static<typeof RequestsQuery>;

/** Input of the hosted skill `ask`: exactly one of the three keys for the question. */
export const SkillAskBody = Type.Object(
  {
    text: Type.Optional(AskBody.properties.text),
    prompt: Type.Optional(AskBody.properties.text),
    query: Type.Optional(AskBody.properties.text),
    session: AskBody.properties.session,
  },
  { additionalProperties: false },
);
export type SkillAskBody = Static<typeof SkillAskBody>;

export const SkillAskResult = Type.Object(
  {
    request_id: Type.String(),
    result_text: Type.String(),
    citations,
    ...searchFields,
    client: Type.String(),
    model: Type.String(),
  },
  { $id: 'SkillAskResult' },
);
export type SkillAskResult = {
  request_id: string;
  result_text: string;
  citations: Citation[];
  client: string;
  model: string;
} & Partial<SearchOutcome>;
