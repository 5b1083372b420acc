import { type Static, Type } from 'typebox';
import { type Citation, ContextDoc, searchFields } from './asks.js';
import { CITATIONS_MAX } from './limits.js';
import { oneOf, orNull } from './one-of.js';
import { NewRule, type PermissionDetail, RULE_SCOPES, type RuleOffer } from './permissions.js';
import { PageFields } from './shared/paging.js';
import { AGENT_TYPES, CLIENT_NAMES, EFFORTS } from './team.js';
import { type ConversationIsolation, ISOLATIONS } from './work/worktrees.js';

export const MESSAGE_TEXT_MAX_CHARS = 131_072;
export const MESSAGE_DOCS_MAX = 16;
export const TITLE_MAX_CHARS = 200;
/** Maximum number of messages that wait behind a running turn of one conversation. */
export const QUEUE_MAX = 50;
/** Where the members' tools are for the agent of a running turn, with the turn's own token. */
export const TURN_MCP_PATH = '/turns/mcp';
/** How many members may ask one another in a row, below the operator's own turn. */
export const DELEGATION_DEPTH_MAX = 3;
/** How many members a turn may be waiting for at the same time. */
export const DELEGATIONS_MAX = 8;
/** How long a permission request in another program's ask waits before it is denied. */
export const OUTSIDE_PERMISSION_SECONDS = 60;
/** How long a permission request in one of the operator's own turns waits before it is denied. */
export const PERMISSION_SECONDS = 3_600;

export const ROLES = ['user', 'assistant', 'tool', 'system'] as const;
export type Role = (typeof ROLES)[number];

/** How a turn ends: with exactly one of these outcomes, and its reason. */
export const OUTCOMES = ['answered', 'failed', 'cancelled', 'deadline', 'needs_permission'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const DECISIONS = ['allow_once', 'allow_always', 'deny'] as const;
export type Decision = (typeof DECISIONS)[number];

export const TOOL_STATES = ['running', 'done', 'failed'] as const;

/** One tool call of the agent: the tool, its target, its state and its duration. */
export const ToolCall = Type.Object(
  {
    id: Type.String(),
    name: Type.String({ description: 'The agent’s own name of the tool.' }),
    target: Type.String({ description: 'What it is about: a path, a command, a pattern. May be empty.' }),
    state: oneOf(TOOL_STATES),
    ms: Type.Optional(Type.Integer({ minimum: 0 })),
    output: Type.Optional(Type.String({ description: 'The start of what it gave back.' })),
  },
  { $id: 'ToolCall' },
);
export type ToolCall = Static<typeof ToolCall>;

/** Usage reported by the model. An absent number was not reported. */
export const Usage = Type.Object(
  {
    input_tokens: Type.Optional(Type.Integer({ minimum: 0 })),
    output_tokens: Type.Optional(Type.Integer({ minimum: 0 })),
    cost_usd: Type.Optional(Type.Number({ minimum: 0 })),
  },
  { $id: 'Usage' },
);
export type Usage = Static<typeof Usage>;

/** A request of the agent for the operator's permission to use a tool. */
export const Permission = Type.Object(
  {
    pid: Type.String(),
    conv: Type.String(),
    turn: Type.String(),
    tool: Type.String(),
    target: Type.String(),
    reason: Type.String({ description: 'The agent’s own words; may be empty.' }),
    detail: orNull(Type.Ref('PermissionDetail')),
    always: Type.Array(Type.Ref('RuleOffer'), {
      description: 'The rules that `allow_always` can make, the narrowest first. Empty in a turn for another program.',
    }),
    scopes: Type.Array(oneOf(RULE_SCOPES), { description: 'Where such a rule can hold.' }),
    created_at: Type.String(),
    expires_at: Type.String({ description: 'Denied when nobody has answered by then.' }),
    decision: orNull(oneOf(DECISIONS)),
    decided_by: orNull(oneOf(['operator', 'deadline', 'rule', 'restart'] as const)),
  },
  { $id: 'Permission' },
);
export type Permission = Omit<Static<typeof Permission>, 'detail' | 'always'> & {
  detail: PermissionDetail | null;
  always: RuleOffer[];
};

/**
 * A pending permission request, as `GET /permissions` lists it: a Permission (created at `created_at`, denied
 * automatically at `expires_at`, `decision` null) with its conversation.
 */
export const WaitingPermission = Type.Object(
  {
    ...Permission.properties,
    member: orNull(Type.String({ description: 'Who asks; null in a conversation without a member.' })),
    title: Type.String({ description: 'Of the conversation.' }),
    from_outside: Type.Boolean({ description: 'Asked in a turn that answers another program.' }),
  },
  { $id: 'WaitingPermission' },
);
export type WaitingPermission = Permission & { member: string | null; title: string; from_outside: boolean };

/**
 * A page of the pending permission requests of all conversations, archived ones included, oldest first. It changes with
 * `turn.permission`, `turn.ended` and `conversation.deleted`.
 */
export const PermissionList = Type.Object(
  {
    permissions: Type.Array(Type.Ref('WaitingPermission')),
    count: Type.Integer({ description: 'On this page.' }),
    next_cursor: orNull(Type.String()),
  },
  { $id: 'PermissionList' },
);
export type PermissionList = { permissions: WaitingPermission[]; count: number; next_cursor: string | null };

export const Turn = Type.Object(
  {
    turn: Type.String(),
    conv: Type.String(),
    state: oneOf(['queued', 'running', 'ended'] as const),
    outcome: orNull(oneOf(OUTCOMES)),
    code: orNull(Type.String({ description: 'Machine-readable reason: `client_failed`, `daemon_restarted`, ...' })),
    reason: orNull(Type.String()),
    client: Type.String({ description: 'Resolved when the turn started.' }),
    model: Type.String(),
    effort: Type.String(),
    usage: orNull(Type.Ref('Usage')),
    created_at: Type.String(),
    started_at: orNull(Type.String()),
    finished_at: orNull(Type.String()),
  },
  { $id: 'Turn' },
);
export type Turn = Omit<Static<typeof Turn>, 'usage'> & { usage: Usage | null };

export const Message = Type.Object(
  {
    id: Type.String({ description: '`msg-` and 16 characters.' }),
    conv: Type.String(),
    turn: Type.String(),
    role: oneOf(ROLES),
    text: Type.String(),
    calls: Type.Array(Type.Ref('ToolCall')),
    citations: Type.Array(Type.Ref('Citation'), {
      maxItems: CITATIONS_MAX,
      description: 'A page looks again at those of its newest messages, 200 in all; others are as they were given.',
    }),
    ...searchFields,
    dropped_citations: Type.Integer({ description: 'Places that the answer named and that do not stand in the tree.' }),
    context_docs: Type.Array(Type.String(), { description: 'Names of the documents that came with it.' }),
    from_outside: Type.Boolean({ description: 'Written by another program, not by the operator.' }),
    asked_by: Type.Optional(
      Type.String({ description: 'The member, or agent type, whose turn wrote it instead of the operator.' }),
    ),
    created_at: Type.String(),
  },
  { $id: 'Message' },
);
export type Message = Omit<Static<typeof Message>, 'calls' | 'citations'> & {
  calls: ToolCall[];
  citations: Citation[];
};

export const Conversation = Type.Object(
  {
    conv: Type.String(),
    member: orNull(Type.String()),
    agent_type: oneOf(AGENT_TYPES),
    title: Type.String(),
    client: orNull(oneOf(CLIENT_NAMES, 'Override; null: as the member says.')),
    model: orNull(Type.String({ description: 'Override; null: as the member says.' })),
    effort: orNull(oneOf(EFFORTS, 'Override; null: as the member says.')),
    client_resolved: Type.String(),
    model_resolved: Type.String(),
    effort_resolved: Type.String(),
    isolation: Type.Ref('ConversationIsolation'),
    folder: Type.String({ description: 'The absolute path of the folder where its turns work.' }),
    problem: orNull(Type.String({ description: 'Why it cannot run now, or what of the member is not followed.' })),
    blocked: Type.Boolean({ description: 'Whether `problem` keeps it from running.' }),
    pinned: Type.Boolean(),
    archived: Type.Boolean(),
    member_gone: Type.Boolean(),
    from_outside: Type.Boolean({ description: 'Made by an outside ask.' }),
    parent: orNull(
      Type.Object({
        conv: Type.String(),
        turn: Type.String(),
        member: orNull(Type.String()),
        title: Type.String({ description: 'Of the conversation that asked.' }),
      }),
    ),
    schedule: orNull(
      Type.Object(
        { id: Type.String(), title: Type.String({ description: 'When it ran.' }) },
        { description: 'Made by a run of this schedule, which may be deleted.' },
      ),
    ),
    running: orNull(Type.String({ description: 'The turn that runs.' })),
    queued: Type.Integer(),
    permissions: Type.Array(Type.Ref('Permission'), { description: 'Questions that wait for an answer.' }),
    last_outcome: orNull(oneOf(OUTCOMES)),
    messages: Type.Integer(),
    unread: Type.Integer({
      description: 'Answers that the operator has not seen; 0 in conversations of other programs.',
    }),
    preview: Type.String({ description: 'The start of the newest message.' }),
    created_at: Type.String(),
    updated_at: Type.String(),
  },
  { $id: 'Conversation' },
);
export type Conversation = Omit<Static<typeof Conversation>, 'permissions' | 'isolation'> & {
  permissions: Permission[];
  isolation: ConversationIsolation;
};

const overrides = {
  client: Type.Optional(orNull(oneOf(CLIENT_NAMES))),
  model: Type.Optional(orNull(Type.String({ minLength: 1, maxLength: 200 }))),
  effort: Type.Optional(orNull(oneOf(EFFORTS))),
  isolation: Type.Optional(
    orNull(oneOf(ISOLATIONS, 'Where it works; null: the default. Fixed once a turn ran there.')),
  ),
};
const title = Type.Optional(Type.String({ minLength: 1, maxLength: TITLE_MAX_CHARS }));

export const NewConversation = Type.Object(
  {
    member: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    agent_type: Type.Optional(Type.String({ maxLength: 40, description: `One of ${AGENT_TYPES.join(', ')}.` })),
    title,
    ...overrides,
  },
  { additionalProperties: false },
);
export type NewConversation = Static<typeof NewConversation>;

export const ConversationPatch = Type.Object(
  {
    member: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    title,
    pinned: Type.Optional(Type.Boolean()),
    archived: Type.Optional(Type.Boolean()),
    read: Type.Optional(Type.String({ maxLength: 64, description: 'The newest message that the operator has seen.' })),
    ...overrides,
  },
  { additionalProperties: false },
);
export type ConversationPatch = Static<typeof ConversationPatch>;

export const NewMessage = Type.Object(
  {
    text: Type.String({ minLength: 1, maxLength: MESSAGE_TEXT_MAX_CHARS }),
    context_docs: Type.Optional(Type.Array(ContextDoc, { maxItems: MESSAGE_DOCS_MAX })),
  },
  { additionalProperties: false },
);
export type NewMessage = Static<typeof NewMessage>;

export const MessageAccepted = Type.Object(
  { turn: Type.String(), queued: Type.Boolean({ description: 'A turn runs; this one waits its turn.' }) },
  { $id: 'MessageAccepted' },
);
export type MessageAccepted = Static<typeof MessageAccepted>;

export const CancelTurn = Type.Object(
  { queue: Type.Optional(Type.Boolean({ description: 'Also drop what waits behind it.' })) },
  { additionalProperties: false },
);
export type CancelTurn = Static<typeof CancelTurn>;

/**
 * The turns of queued messages that were dropped before they reached an agent. Each ended as `cancelled`, and its
 * reason says so.
 */
export const DroppedTurns = Type.Object(
  { conv: Type.String(), turns: Type.Array(Type.Ref('Turn')), count: Type.Integer() },
  { $id: 'DroppedTurns' },
);
export type DroppedTurns = { conv: string; turns: Turn[]; count: number };

export const DecidePermission = Type.Object(
  {
    decision: oneOf(DECISIONS),
    always: Type.Optional(
      Type.Object(NewRule.properties, {
        additionalProperties: false,
        description: 'Only with `allow_always`. Default: the first of `always`, in this conversation.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type DecidePermission = Static<typeof DecidePermission>;

export const ConversationsQuery = Type.Object(
  {
    member: Type.Optional(Type.String({ maxLength: 64 })),
    archived: Type.Optional(Type.Boolean({ description: 'Default: those that are not; with `parent`, all.' })),
    parent: Type.Optional(
      Type.String({ maxLength: 64, description: 'Only those that turns of this conversation asked.' }),
    ),
    q: Type.Optional(Type.String({ maxLength: 200, description: 'Words of its messages or title.' })),
    ...PageFields,
  },
  { additionalProperties: false },
);
export type ConversationsQuery = Static<typeof ConversationsQuery>;

export const ConversationList = Type.Object(
  { conversations: Type.Array(Type.Ref('Conversation')), count: Type.Integer(), next_cursor: orNull(Type.String()) },
  { $id: 'ConversationList' },
);
export type ConversationList = { conversations: Conversation[]; count: number; next_cursor: string | null };

export const MessagesQuery = Type.Object(
  {
    before: Type.Optional(Type.String({ maxLength: 64, description: 'Message id: only older ones.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Default 50.' })),
  },
  { additionalProperties: false },
);
export type MessagesQuery = Static<typeof MessagesQuery>;

/** A page of a transcript, oldest first, with the turns of its messages and the partial output of the running turn. */
export const MessageList = Type.Object(
  {
    messages: Type.Array(Type.Ref('Message')),
    turns: Type.Array(Type.Ref('Turn')),
    live: orNull(
      Type.Object({
        turn: Type.String(),
        text: Type.String(),
        next_index: Type.Integer({ description: 'The `index` of the next `turn.delta`.' }),
        calls: Type.Array(Type.Ref('ToolCall')),
      }),
    ),
    count: Type.Integer(),
    has_more: Type.Boolean({ description: 'There are older ones.' }),
    first_unread: orNull(
      Type.String({ description: 'The oldest answer that the operator has not seen, on this page or before it.' }),
    ),
  },
  { $id: 'MessageList' },
);
export type MessageList = {
  messages: Message[];
  turns: Turn[];
  live: { turn: string; text: string; next_index: number; calls: ToolCall[] } | null;
  count: number;
  has_more: boolean;
  first_unread: string | null;
};

export const ExportQuery = Type.Object(
  { format: Type.Optional(oneOf(['md', 'jsonl', 'html'] as const)) },
  { additionalProperties: false },
);
export type ExportQuery = Static<typeof ExportQuery>;

export const DeleteQuery = Type.Object(
  {
    only_empty: Type.Optional(
      Type.Boolean({ description: 'Delete it only when it has no messages; 409 `not_empty` otherwise.' }),
    ),
  },
  { additionalProperties: false },
);
export type DeleteQuery = Static<typeof DeleteQuery>;

export const ConversationDeleted = Type.Object(
  {
    ok: Type.Literal(true),
    deleted: Type.String(),
    kept: orNull(Type.String({ description: 'The git ref that keeps the changes of its worktree; null: none.' })),
    left: Type.Optional(
      Type.String({ description: 'The folder of its worktree, which stays because repositories in it would be lost.' }),
    ),
  },
  { $id: 'ConversationDeleted' },
);
export type ConversationDeleted = Static<typeof ConversationDeleted>;
