import { type Static, Type } from 'typebox';
import { oneOf, orNull } from './one-of.js';

/** Longest text of a change that a permission request shows, in characters. */
export const CHANGE_TEXT_MAX_CHARS = 65_536;
/** Most changes that one permission request shows. */
export const CHANGES_MAX = 20;
/** Longest command that may be decided. A longer one is denied: nobody can judge it. */
export const COMMAND_MAX_CHARS = 32_768;
/** Longest path of a change or folder of a command that may be decided: no system opens a longer one. */
export const PATH_MAX_CHARS = 4_096;
/** Longest address that a permission request shows. A longer one is cut, and no rule covers it. */
export const URL_MAX_CHARS = 8_192;

export const DETAIL_KINDS = ['edit', 'command', 'fetch', 'input'] as const;

const Change = Type.Object({
  path: Type.String({ description: 'Relative to the project with links followed; absolute when it is outside.' }),
  old_text: orNull(Type.String({ description: 'What is replaced; null: the whole file, or the file is new.' })),
  new_text: Type.String(),
  cut: Type.Boolean({ description: 'Whether a text is longer than what is given here.' }),
});

/**
 * What the agent would do, as its client reported it: `edit` has `changes`, `command` a command line, `fetch` an
 * address, `input` the input of any other tool. Untrusted.
 */
export const PermissionDetail = Type.Object(
  {
    kind: oneOf(DETAIL_KINDS),
    changes: Type.Optional(Type.Array(Change, { maxItems: CHANGES_MAX })),
    changes_left_out: Type.Optional(Type.Integer({ minimum: 0, description: 'Changes beyond the first 20.' })),
    command: Type.Optional(Type.String({ description: 'The whole command line.' })),
    folder: Type.Optional(Type.String({ description: 'Where the command runs, absolute.' })),
    environment: Type.Optional(Type.Array(Type.String(), { description: 'Names of the variables that it sees.' })),
    method: Type.Optional(Type.String()),
    url: Type.Optional(Type.String()),
    text: Type.Optional(Type.String({ description: 'The input as JSON.' })),
    cut: Type.Optional(Type.Literal(true, { description: '`text` is longer than what is given here.' })),
  },
  { $id: 'PermissionDetail' },
);
export type PermissionDetail = Static<typeof PermissionDetail>;

/**
 * What a rule allows: exactly one command, commands that begin with these words, one file, all below a folder (empty:
 * the project), one method and origin, or every use of a tool.
 */
export const RULE_MATCHES = ['command', 'command_prefix', 'file', 'folder', 'origin', 'tool'] as const;
export const RULE_SCOPES = ['conversation', 'member'] as const;
export type RuleScope = (typeof RULE_SCOPES)[number];

const VALUE_MAX_CHARS = COMMAND_MAX_CHARS;

export const RuleOffer = Type.Object(
  { match: oneOf(RULE_MATCHES), value: Type.String({ maxLength: VALUE_MAX_CHARS }) },
  { $id: 'RuleOffer' },
);
export type RuleOffer = Static<typeof RuleOffer>;

/** A rule that allows what an agent asks, until the operator takes it back. */
export const PermissionRule = Type.Object(
  {
    rule: Type.String({ description: '`rule-` and 16 characters.' }),
    ...RuleOffer.properties,
    tool: Type.String({ description: 'Which the agent asked for when the rule was made.' }),
    scope: oneOf(RULE_SCOPES),
    conv: Type.String({ description: 'Where it was made; with the scope `conversation` the only place it holds in.' }),
    title: Type.String({ description: 'Of the conversation.' }),
    member: orNull(Type.String()),
    created_at: Type.String(),
    uses: Type.Integer({ description: 'How many requests it allowed.' }),
    last_used_at: orNull(Type.String()),
  },
  { $id: 'PermissionRule' },
);
export type PermissionRule = Static<typeof PermissionRule>;

/** All rules, newest first; at most 1,000. */
export const PermissionRuleList = Type.Object(
  { rules: Type.Array(Type.Ref('PermissionRule')), count: Type.Integer() },
  { $id: 'PermissionRuleList' },
);
export type PermissionRuleList = { rules: PermissionRule[]; count: number };

/** The rule to make with `allow_always`: one of the request's `always`, in one of its `scopes`. */
export const NewRule = Type.Object(
  {
    match: oneOf(RULE_MATCHES),
    value: Type.String({ maxLength: VALUE_MAX_CHARS }),
    scope: oneOf(RULE_SCOPES),
  },
  { additionalProperties: false },
);
export type NewRule = Static<typeof NewRule>;
