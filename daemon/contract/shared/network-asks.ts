import { type Static, Type } from 'typebox';
import { AskBody, Citation, CONFIDENCES, Receipt, searchFields } from '../asks.js';
import { CITATIONS_MAX } from '../limits.js';
import { oneOf, orNull } from '../one-of.js';
import { MEMBER_ID_PATTERN } from '../team.js';
import { DaemonKey } from './commands.js';

/** The newest form of requests to members of other daemons, and of what is sent back. */
export const NETWORK_ASK_VERSION = 1;
/** Longest signed request, longest signed frame of an answer, and longest announcement with its cards, in bytes. */
export const NETWORK_REQUEST_BYTES_MAX = 128 * 1024;
export const NETWORK_FRAME_BYTES_MAX = 768 * 1024;
export const NETWORK_CARDS_BYTES_MAX = 32 * 1024;
/** How far the asker's clock may be from that of the asked daemon, in milliseconds. */
export const NETWORK_REQUEST_CLOCK_MS = 120_000;
/** Members that a daemon shows to the network, and characters of each description. */
export const NETWORK_CARDS_MAX = 32;
export const NETWORK_CARD_TEXT_MAX = 200;
/** Requests of one daemon in a minute, and asks of it that run or wait at the same time. */
export const NETWORK_REQUESTS_PER_MINUTE = 60;
export const NETWORK_ASKS_PER_DAEMON = 3;
/**
 * How often the asked daemon tells that it still works, and after which silence the asker gives up, in milliseconds.
 */
export const NETWORK_BEAT_MS = 5_000;
export const NETWORK_SILENCE_MS = 20_000;
/** Longest duration of an ask as the asker sees it, in milliseconds. */
export const NETWORK_ASK_MS = 1_800_000;
/** Asks of colleagues' members that this daemon follows at the same time, and ended ones that it remembers. */
export const NETWORK_ASKS_LIVE_MAX = 16;
export const NETWORK_ASKS_KEPT = 100;

const MemberId = Type.String({ pattern: MEMBER_ID_PATTERN });
const RequestId = Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' });
const Signature = Type.String({ pattern: '^[A-Za-z0-9+/]{86}==$' });
const Question = { text: AskBody.properties.text, session: AskBody.properties.session };

/**
 * What a daemon sends for a member of another one, on the subject `m.<network>.ask.<daemon>.<member>`. It is signed as
 * a whole, also its receiver and the inbox for the answer, so that it is valid nowhere else.
 */
export const NetworkRequest = Type.Object(
  {
    v: Type.Literal(NETWORK_ASK_VERSION),
    id: RequestId,
    at: Type.Integer({ minimum: 0, description: 'The wall clock of the asker, in epoch milliseconds.' }),
    key: DaemonKey,
    to: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$', description: 'The id of the asked daemon.' }),
    member: MemberId,
    reply: Type.String({ pattern: '^_INBOX\\.[A-Za-z0-9]{1,64}(\\.[A-Za-z0-9]{1,64})?$' }),
    body: Type.Union([
      Type.Object({ kind: Type.Literal('ask'), ...Question }, { additionalProperties: false }),
      Type.Object({ kind: Type.Literal('cancel'), ask: RequestId }, { additionalProperties: false }),
    ]),
  },
  { additionalProperties: false },
);
export type NetworkRequest = Static<typeof NetworkRequest>;

/** A signed text: a request, or a frame of an answer. The signature is over exactly this text. */
export const NetworkSigned = Type.Object(
  { text: Type.String({ maxLength: NETWORK_FRAME_BYTES_MAX }), sig: Signature },
  { additionalProperties: false },
);
export type NetworkSigned = Static<typeof NetworkSigned>;

const Code = Type.String({ pattern: '^[a-z_]{1,64}$' });
const Sentence = Type.String({ maxLength: 1_000 });
const Name = Type.String({ maxLength: 200 });

/** A citation of another daemon's project. It says what that daemon found: nothing of it can be checked here. */
export const NetworkCitation = Type.Object(
  {
    path: Type.String({ minLength: 1, maxLength: 4_096 }),
    start_line: Citation.properties.start_line,
    end_line: Citation.properties.end_line,
    commit: orNull(Type.String({ maxLength: 64 })),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    quote: Type.String({ maxLength: 16_384 }),
    status: Citation.properties.status,
  },
  { $id: 'NetworkCitation', additionalProperties: false },
);
export type NetworkCitation = Static<typeof NetworkCitation>;

const answerFields = {
  result_text: Type.String({ maxLength: 256 * 1024 }),
  citations: Type.Array(NetworkCitation, { maxItems: CITATIONS_MAX }),
  confidence: Type.Optional(oneOf(CONFIDENCES)),
  total: searchFields.total,
  client: Name,
  model: Name,
};

/** An answer as the asked daemon sends it. */
const NetworkAnswer = Type.Object(
  { ...answerFields, receipt: Type.Optional(Receipt) },
  { additionalProperties: false },
);
export type NetworkAnswer = Static<typeof NetworkAnswer>;

const LIVE_STATUSES = ['queued', 'running', 'needs_input'] as const;

/** One frame of what is sent back, in order of `seq` from 0. `done` and `refused` are the last. */
export const NetworkFrame = Type.Object(
  {
    v: Type.Literal(NETWORK_ASK_VERSION),
    re: RequestId,
    seq: Type.Integer({ minimum: 0, maximum: 1_000_000 }),
    body: Type.Union([
      Type.Object(
        {
          kind: Type.Literal('state'),
          status: oneOf(LIVE_STATUSES),
          queue_position: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
        },
        { additionalProperties: false },
      ),
      Type.Object(
        { kind: Type.Literal('delta'), text: Type.String({ maxLength: 64 * 1024 }) },
        { additionalProperties: false },
      ),
      Type.Object({ kind: Type.Literal('done'), answer: NetworkAnswer }, { additionalProperties: false }),
      Type.Object({ kind: Type.Literal('refused'), code: Code, message: Sentence }, { additionalProperties: false }),
    ]),
  },
  { additionalProperties: false },
);
export type NetworkFrame = Static<typeof NetworkFrame>;

/** What a member costs, as its file says. A member with a price is not asked over the network. */
const Price = Type.Object(
  {
    amount: Type.Number({ minimum: 0 }),
    currency: Type.String({ maxLength: 32 }),
    unit: Type.String({ maxLength: 32 }),
  },
  { additionalProperties: false },
);

/** What others see of a member that is shared with the network. */
export const NetworkCard = Type.Object(
  {
    member: MemberId,
    name: Type.String({ minLength: 1, maxLength: 80 }),
    description: Type.String({ maxLength: NETWORK_CARD_TEXT_MAX }),
    price: Type.Optional(Price),
  },
  { additionalProperties: false },
);
export type NetworkCard = Static<typeof NetworkCard>;

/** The part of a daemon's announcement that its signature covers as a text. */
export const NetworkShown = Type.Object(
  {
    project: Type.String({ minLength: 1, maxLength: 100 }),
    cards: Type.Array(NetworkCard, { maxItems: NETWORK_CARDS_MAX }),
  },
  { additionalProperties: false },
);
export type NetworkShown = Static<typeof NetworkShown>;

/** A member that a daemon of the network shares. */
export const NetworkAgent = Type.Object(
  {
    ...NetworkCard.properties,
    ref: Type.String({ description: 'By which it is asked: `<project>/<member>`, or `<daemon>/<member>`.' }),
    project: Type.String(),
    daemon: Type.String({ description: 'The id of its daemon.' }),
    daemon_name: Type.String(),
    self: Type.Boolean({ description: 'Whether it is a member of this daemon.' }),
    problem: orNull(Type.String({ description: 'Why it cannot be asked now; null when it can.' })),
  },
  { $id: 'NetworkAgent' },
);
export type NetworkAgent = Static<typeof NetworkAgent>;

export const NetworkAgents = Type.Object(
  { agents: Type.Array(Type.Ref('NetworkAgent')), count: Type.Integer() },
  { $id: 'NetworkAgents' },
);
export type NetworkAgents = { agents: NetworkAgent[]; count: number };

export const NetworkAskBody = Type.Object(
  {
    to: Type.String({
      minLength: 1,
      maxLength: 200,
      description: '`<project>/<member>`, or `<daemon>/<member>` with the name of the daemon or the start of its id.',
    }),
    ...Question,
  },
  { $id: 'NetworkAskBody', additionalProperties: false },
);
export type NetworkAskBody = Static<typeof NetworkAskBody>;

export const NETWORK_ASK_STATUSES = ['sent', 'queued', 'running', 'needs_input', 'done', 'error'] as const;

/** An ask of a member of another daemon. It is kept in the memory of this daemon alone, and gone with it. */
export const NetworkAsk = Type.Object(
  {
    id: RequestId,
    to: Type.String(),
    daemon: Type.String(),
    daemon_name: Type.String(),
    member: Type.String(),
    text: Type.String(),
    status: oneOf(NETWORK_ASK_STATUSES, '`sent`: the other daemon has not answered yet.'),
    created_at: Type.String({ description: 'ISO 8601.' }),
    finished_at: orNull(Type.String()),
    queue_position: Type.Optional(Type.Integer()),
    text_so_far: Type.Optional(Type.String({ description: 'The answer as it is written; only while it is.' })),
    result_text: Type.Optional(answerFields.result_text),
    citations: Type.Optional(Type.Array(Type.Ref('NetworkCitation'))),
    confidence: answerFields.confidence,
    total: answerFields.total,
    client: Type.Optional(Name),
    model: Type.Optional(Name),
    receipt: Type.Optional(Type.Ref('Receipt')),
    error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
  },
  { $id: 'NetworkAsk' },
);
export type NetworkAsk = Omit<Static<typeof NetworkAsk>, 'citations' | 'receipt'> & {
  citations?: NetworkCitation[];
  receipt?: Receipt;
};

export const NetworkPollQuery = Type.Object(
  {
    wait: Type.Optional(Type.Number({ minimum: 0, maximum: 60, description: 'Seconds to hold the answer.' })),
    seen: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Characters of `text_so_far` that are known: the answer is held until there are more.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type NetworkPollQuery = Static<typeof NetworkPollQuery>;
