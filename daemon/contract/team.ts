import { type Static, Type } from 'typebox';
import { oneOf } from './one-of.js';
import { ISOLATIONS } from './work/worktrees.js';

/** Member id: the file name without `.md`. Spec: Team member (local daemon). */
export const MEMBER_ID_PATTERN = '^[a-z][a-z0-9-]{1,31}$';
/** Words that are routes under `/team` and therefore never member ids. */
export const RESERVED_MEMBER_IDS: readonly string[] = ['requests', 'draft'];

export const KINDS = ['singleton', 'profile'] as const;
export const EXPOSURES = ['internal', 'external'] as const;
export const CLIENT_NAMES = ['auto', 'builtin', 'claude-code', 'acp', 'api'] as const;
export const EFFORTS = ['default', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export const TOOLS = ['read', 'search', 'edit', 'execute', 'web', 'agent', 'todo', 'ask'] as const;
export const AGENT_TYPES = ['custom', 'deploy', 'db', 'testing', 'audit', 'docs', 'roadmap', 'review'] as const;
export const MEMBER_STATES = ['ok', 'broken'] as const;
export const EXPOSURE_HOLDS = ['agreement', 'kept_internal', 'tests'] as const;
export type ExposureHold = (typeof EXPOSURE_HOLDS)[number];

export const Limits = Type.Object(
  {
    turns: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, description: 'Turns a run may take.' })),
    minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_440, description: 'Minutes a run may take.' })),
  },
  { additionalProperties: false },
);

/** Currencies of prices. Spec: Pricing row. */
export const CURRENCIES = ['free', 'lamports', 'USD'] as const;

/** Pricing row of the Tier-2 card. Spec: Pricing row. */
export const PricingRow = Type.Object(
  {
    unit: Type.String({ minLength: 1, maxLength: 64 }),
    amount: Type.Number({ minimum: 0 }),
    currency: Type.String({ minLength: 1, maxLength: 16 }),
    network: Type.Optional(Type.String({ maxLength: 64 })),
    tier: Type.Optional(Type.String({ maxLength: 64 })),
  },
  { additionalProperties: false },
);
export type PricingRow = Static<typeof PricingRow>;

const Availability = Type.Object(
  {
    now: Type.Optional(Type.Boolean({ description: 'false: away for now. Default: true.' })),
    window_hours: Type.Optional(Type.String({ maxLength: 200, description: 'Such as `Mon-Fri 08:00-18:00 UTC`.' })),
    sla: Type.Optional(Type.String({ maxLength: 200, description: 'Usual time until an answer, in words.' })),
  },
  { additionalProperties: false },
);

const callsAtMost = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, description }));

/** Limits on the calls that other programs make. Spec: Limits. */
const RateLimits = Type.Object(
  {
    per_ip_per_minute: callsAtMost('Calls of one address a minute. All programs of this machine are one address.'),
    per_ip_per_hour: callsAtMost('Calls of one address an hour.'),
    per_ip_per_day: callsAtMost('Calls of one address a day.'),
    per_day: callsAtMost('Calls of all addresses a day.'),
  },
  { additionalProperties: false },
);

const keptData = (description: string) => Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description }));

const optionalMemberKeys = {
  availability: Type.Optional(Availability),
  contact: Type.Optional(
    Type.Record(Type.String({ maxLength: 64 }), Type.String({ minLength: 1, maxLength: 2_000 }), {
      maxProperties: 16,
      description: 'Protocol to endpoint, as the card shows it.',
    }),
  ),
  rate_limits: Type.Optional(RateLimits),
  isolation: Type.Optional(
    oneOf(ISOLATIONS, 'Where its conversations work unless the operator says otherwise: `project` or `worktree`.'),
  ),
  origin: keptData('Where it was imported from; kept for exports.'),
  vendor: keptData('By tool, what an import kept for an export to it; never interpreted.'),
};

/**
 * Keys of the frontmatter that the daemon understands. All are optional: a member file contains only what differs from
 * the defaults.
 */
const knownKeys = {
  name: Type.Optional(
    Type.String({ minLength: 1, maxLength: 80, description: 'Shown name; default: the id in title case.' }),
  ),
  description: Type.Optional(
    Type.String({ maxLength: 400, description: 'One line; default: the first paragraph of the body.' }),
  ),
  kind: Type.Optional(oneOf(KINDS, 'singleton: one live conversation at most; profile: any number.')),
  required: Type.Optional(Type.Boolean({ description: 'Only with `singleton`: the roster cannot do without it.' })),
  agent_type: Type.Optional(oneOf(AGENT_TYPES, 'Legacy prompt family.')),
  client: Type.Optional(oneOf(CLIENT_NAMES, 'What runs the member; `auto` takes the first that is ready.')),
  model: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Model name; `strongest` is resolved by the client.' }),
  ),
  effort: Type.Optional(oneOf(EFFORTS, 'How hard the model should think.')),
  exposure: Type.Optional(oneOf(EXPOSURES, 'external: other programs may ask with the member token.')),
  pinned_order: Type.Optional(
    Type.Integer({ minimum: -1_000_000, maximum: 1_000_000, description: 'Roster order, then id.' }),
  ),
  color: Type.Optional(Type.String({ maxLength: 40 })),
  emoji: Type.Optional(Type.String({ maxLength: 16 })),
  tools: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 80 }), {
      maxItems: 64,
      description: `Of ${TOOLS.join(' ')}; other names are kept and not used.`,
    }),
  ),
  limits: Type.Optional(Limits),
  examples: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 500 }), {
      maxItems: 4,
      description: '2 to 4 asks; they become the examples of the card.',
    }),
  ),
  refs: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 500 }), {
      maxItems: 64,
      description: 'Paths or URLs the member should know.',
    }),
  ),
  pricing: Type.Optional(Type.Union([PricingRow, Type.Array(PricingRow, { maxItems: 16 })])),
  payment: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  skills: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Unknown()), { maxItems: 32 })),
  ...optionalMemberKeys,
};

/** The frontmatter of a member file as the daemon reads it. Unknown keys are allowed and kept, and have no effect. */
export const Frontmatter = Type.Object(knownKeys, { additionalProperties: true });
export type Frontmatter = Static<typeof Frontmatter>;

/** The order of the keys in a new file. */
export const FRONTMATTER_ORDER = Object.keys(knownKeys) as (keyof Frontmatter & string)[];

export const Problem = Type.Object(
  {
    line: Type.Integer({ minimum: 1 }),
    column: Type.Integer({ minimum: 1 }),
    reason: Type.String(),
  },
  { $id: 'Problem' },
);
export type Problem = Static<typeof Problem>;

/** A part of a member file that is invalid and not used; the rest of the member is. */
export const MemberWarning = Type.Object({
  path: Type.String({ description: 'The field, such as `payment.wallet` or `skills.0.input_schema`.' }),
  reason: Type.String(),
});
export type MemberWarning = Static<typeof MemberWarning>;

const memberFields = {
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  kind: oneOf(KINDS, 'singleton or profile.'),
  required: Type.Boolean(),
  agent_type: oneOf(AGENT_TYPES, 'Legacy prompt family.'),
  client: oneOf(CLIENT_NAMES, 'As written in the file.'),
  model: Type.String({ description: 'As written in the file.' }),
  effort: oneOf(EFFORTS, 'As written in the file.'),
  exposure: oneOf(EXPOSURES, 'internal or external.'),
  exposure_hold: Type.Optional(
    oneOf(
      EXPOSURE_HOLDS,
      'Why a member whose file says `external` is internal: it waits for the agreement of the operator, the ' +
        'operator keeps it internal, or its ' +
        'tests have not passed. Absent for any other. The reason in words is a warning of the path `exposure`.',
    ),
  ),
  pinned_order: Type.Integer(),
  color: Type.Optional(Type.String()),
  emoji: Type.Optional(Type.String()),
  tools: Type.Optional(Type.Array(Type.String())),
  limits: Type.Object({ turns: Type.Integer(), minutes: Type.Integer() }),
  examples: Type.Optional(Type.Array(Type.String())),
  refs: Type.Optional(Type.Array(Type.String())),
  pricing: Type.Optional(Type.Union([PricingRow, Type.Array(PricingRow)])),
  payment: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  skills: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Unknown()))),
  ...optionalMemberKeys,
  state: oneOf(MEMBER_STATES, 'broken: the file cannot be read; the last good version, if any, still serves.'),
  problem: Type.Optional(Problem),
  warnings: Type.Optional(
    Type.Array(MemberWarning, {
      description:
        'Exposure, prices, payment and skills of the file that do not serve, and why; absent when there are none.',
    }),
  ),
  serving: Type.Boolean({ description: 'False only for a broken file of which no good version was ever read.' }),
  model_resolved: Type.String({ description: 'What the client makes of `model`.' }),
  client_resolved: Type.String({ description: 'What `client` comes to on this machine.' }),
  instances: Type.Integer({ minimum: 0, description: 'Live conversations.' }),
  token_last4: Type.Optional(Type.String({ description: 'Last four characters of the member token, when external.' })),
  revision: Type.String({ description: 'SHA-256 of the file, hex.' }),
};

/** A row of the roster: the member keys flat, with the state that the daemon adds. No body, no token. */
export const Member = Type.Object(memberFields, { $id: 'Member' });
export type Member = Static<typeof Member>;

/** One complete member: the row and the body, and the token when external. */
export const MemberDetail = Type.Object(
  {
    ...memberFields,
    body: Type.String(),
    token: Type.Optional(Type.String({ description: 'The member token, only when external.' })),
    unknown_keys: Type.Array(Type.String(), {
      description: 'Keys of the file that the daemon does not understand; kept, never acting.',
    }),
  },
  { $id: 'MemberDetail' },
);
export type MemberDetail = Static<typeof MemberDetail>;

/** A member that was removed and can be restored as it was. */
export const RemovedMember = Type.Object({ id: Type.String(), removed_at: Type.String({ format: 'date-time' }) });
export type RemovedMember = Static<typeof RemovedMember>;

export const MemberList = Type.Object(
  {
    members: Type.Array(Type.Ref('Member')),
    count: Type.Integer(),
    restorable: Type.Array(Type.String(), { description: 'Default members whose file is gone or broken.' }),
    removed: Type.Array(RemovedMember, {
      description: 'Members that were removed in the last 30 days and are not there now, the last first.',
    }),
    has_folder: Type.Boolean({
      description: 'Whether `.mesh/team` is there: no members in it and no folder are two things.',
    }),
  },
  { $id: 'MemberList' },
);
export type MemberList = {
  members: Member[];
  count: number;
  restorable: string[];
  removed: RemovedMember[];
  has_folder: boolean;
};

const id = Type.String({ minLength: 1, maxLength: 64, description: `Matches ${MEMBER_ID_PATTERN}.` });

export const NewMember = Type.Object(
  {
    ...knownKeys,
    id: Type.Optional(id),
    body: Type.Optional(Type.String({ description: 'The initial prompt.' })),
    prompt: Type.Optional(Type.String({ description: 'Alias of `body`.' })),
  },
  { additionalProperties: false },
);
export type NewMember = Static<typeof NewMember>;

/** Keys that an edit may clear by sending null: the member then has the default. */
const clearable = Object.fromEntries(
  Object.entries(knownKeys).map(([key, schema]) => [key, Type.Optional(Type.Union([schema, Type.Null()]))]),
);

export const MemberPatch = Type.Object(
  { ...clearable, body: Type.Optional(Type.String()), prompt: Type.Optional(Type.String()) },
  { additionalProperties: false },
);
export type MemberPatch = { [K in keyof Frontmatter]?: Frontmatter[K] | null } & { body?: string; prompt?: string };

export const MemberPatchById = Type.Object({ ...MemberPatch.properties, id }, { additionalProperties: false });
export type MemberPatchById = MemberPatch & { id: string };

export const MemberId = Type.Object({ id }, { additionalProperties: false });
export type MemberId = Static<typeof MemberId>;

export const MemberDeleted = Type.Object(
  {
    ok: Type.Literal(true),
    deleted: Type.String(),
    copy: Type.Optional(
      Type.String({
        description: 'Where its text is kept, relative to the project; absent when it had no readable text.',
      }),
    ),
  },
  { $id: 'MemberDeleted' },
);
export type MemberDeleted = Static<typeof MemberDeleted>;

/** The member file as it is on disk, for the raw editor. */
export const MemberFile = Type.Object(
  {
    id: Type.String(),
    path: Type.String({ description: 'Relative to the project.' }),
    text: Type.String(),
    revision: Type.String(),
    committed_text: Type.Union([Type.String(), Type.Null()], {
      description: 'The text in git HEAD; null when it is not committed.',
    }),
  },
  { $id: 'MemberFile' },
);
export type MemberFile = Static<typeof MemberFile>;

export const FILE_COMMIT_STATES = ['committed', 'changed', 'uncommitted'] as const;
export type FileCommitState = (typeof FILE_COMMIT_STATES)[number];

const InRepository = Type.Boolean({ description: 'Whether the project is in a git repository.' });

/** The state of the member files relative to git HEAD. */
export const RosterHistory = Type.Object(
  {
    repository: InRepository,
    members: Type.Array(
      Type.Object({
        id: Type.String(),
        standing: oneOf(FILE_COMMIT_STATES, 'As HEAD has it, otherwise than HEAD has it, or not in HEAD.'),
      }),
    ),
    count: Type.Integer(),
  },
  { $id: 'RosterHistory' },
);
export type RosterHistory = Static<typeof RosterHistory>;

export const MemberCommit = Type.Object(
  {
    commit: Type.String(),
    at: Type.String({ description: 'ISO 8601.' }),
    author: Type.String(),
    subject: Type.String(),
  },
  { $id: 'MemberCommit' },
);
export type MemberCommit = Static<typeof MemberCommit>;

/** The commits that changed a member's file, newest first. */
export const MemberHistory = Type.Object(
  {
    id: Type.String(),
    path: Type.String({ description: 'Relative to the project.' }),
    repository: InRepository,
    standing: oneOf(FILE_COMMIT_STATES, 'How the file on disk stands against HEAD.'),
    commits: Type.Array(Type.Ref('MemberCommit')),
    count: Type.Integer(),
    has_more: Type.Boolean({ description: 'There are older ones.' }),
  },
  { $id: 'MemberHistory' },
);
export type MemberHistory = Omit<Static<typeof MemberHistory>, 'commits'> & { commits: MemberCommit[] };

export const MemberHistoryQuery = Type.Object(
  { limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })) },
  { additionalProperties: false },
);
export type MemberHistoryQuery = Static<typeof MemberHistoryQuery>;

/** A member's file after one commit, and before it. */
export const MemberRevision = Type.Object(
  {
    id: Type.String(),
    commit: Type.String(),
    text: Type.Union([Type.String(), Type.Null()], { description: 'null when the commit has no such file.' }),
    before: Type.Union([Type.String(), Type.Null()], { description: 'null when the commit brought the file.' }),
  },
  { $id: 'MemberRevision' },
);
export type MemberRevision = Static<typeof MemberRevision>;

export const MemberFileText = Type.Object({ text: Type.String() }, { additionalProperties: false });
export type MemberFileText = Static<typeof MemberFileText>;

export const DraftRequest = Type.Object(
  {
    text: Type.Optional(Type.String({ minLength: 1, maxLength: 16_384, description: 'What the member should do.' })),
    raw_text: Type.Optional(Type.String({ minLength: 1, maxLength: 16_384, description: 'Alias of `text`.' })),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 80 })),
    emoji: Type.Optional(Type.String({ maxLength: 16 })),
  },
  { additionalProperties: false },
);
export type DraftRequest = Static<typeof DraftRequest>;

export const Draft = Type.Object(
  {
    ...knownKeys,
    id: Type.String(),
    name: Type.String(),
    body: Type.String(),
    drafted_by: Type.String({ description: 'The client that wrote it, or `template`.' }),
    warnings: Type.Array(Type.String()),
  },
  { $id: 'Draft' },
);
export type Draft = Static<typeof Draft>;

export const TokenRotated = Type.Object(
  { id: Type.String(), token: Type.String(), rotated_at: Type.String({ description: 'ISO 8601.' }) },
  { $id: 'TokenRotated' },
);
export type TokenRotated = Static<typeof TokenRotated>;
