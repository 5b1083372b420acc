import { type Static, Type } from 'typebox';
import { oneOf, orNull } from '../one-of.js';

/** Longest review comment, in characters. */
export const REVIEW_COMMENT_MAX_CHARS = 10_000;
/** Longest quoted hunk of a comment, in characters. */
export const REVIEW_QUOTE_MAX_CHARS = 8_000;
/** Most drafts of one review. */
export const REVIEW_DRAFTS_MAX = 100;

export const DIFF_SIDES = ['old', 'new'] as const;
export const REVIEW_COMMENT_STATES = ['draft', 'sent'] as const;

/**
 * A comment on a file or on lines of a conversation's changes. Drafts are sent together as one message to the member.
 */
export const ReviewComment = Type.Object(
  {
    comment: Type.String({ description: '`rev-` and 16 characters.' }),
    conv: Type.String(),
    path: Type.String(),
    side: orNull(oneOf(DIFF_SIDES, 'Null: about the whole file.')),
    start_line: orNull(Type.Integer({ minimum: 1 })),
    end_line: orNull(Type.Integer({ minimum: 1 })),
    quote: Type.String({ description: 'The lines that it is about, as the diff shows them.' }),
    text: Type.String(),
    state: oneOf(REVIEW_COMMENT_STATES),
    author: orNull(Type.String({ description: 'The member that wrote it; null: the operator.' })),
    turn: orNull(Type.String({ description: 'The turn of the message in which it was sent.' })),
    created_at: Type.String(),
    updated_at: Type.String(),
  },
  { $id: 'ReviewComment' },
);
export type ReviewComment = Static<typeof ReviewComment>;

/** The comments of a conversation, oldest first, and the members that may review. */
export const Review = Type.Object(
  {
    conv: Type.String(),
    comments: Type.Array(Type.Ref('ReviewComment')),
    drafts: Type.Integer(),
    reviewers: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
    asked: Type.Array(
      Type.Object({
        conv: Type.String({ description: 'The conversation of the reviewing member.' }),
        member: Type.String(),
        state: oneOf(['running', 'done', 'failed'] as const),
        reason: orNull(Type.String()),
      }),
      { description: 'Reviews that were asked of members, newest first, at most 20.' },
    ),
  },
  { $id: 'Review' },
);
export type Review = Omit<Static<typeof Review>, 'comments'> & { comments: ReviewComment[] };

const text = Type.String({ minLength: 1, maxLength: REVIEW_COMMENT_MAX_CHARS });

export const NewReviewComment = Type.Object(
  {
    path: Type.String({ minLength: 1, maxLength: 4_096 }),
    side: Type.Optional(oneOf(DIFF_SIDES)),
    start_line: Type.Optional(Type.Integer({ minimum: 1 })),
    end_line: Type.Optional(Type.Integer({ minimum: 1 })),
    quote: Type.Optional(Type.String({ maxLength: REVIEW_QUOTE_MAX_CHARS })),
    text,
  },
  { additionalProperties: false },
);
export type NewReviewComment = Static<typeof NewReviewComment>;

export const ReviewCommentPatch = Type.Object({ text }, { additionalProperties: false });
export type ReviewCommentPatch = Static<typeof ReviewCommentPatch>;

/** Sends every draft, with `text` before them, as one message. Answers 202 with the MessageAccepted. */
export const SendReview = Type.Object(
  { text: Type.Optional(Type.String({ maxLength: REVIEW_COMMENT_MAX_CHARS })) },
  { additionalProperties: false },
);
export type SendReview = Static<typeof SendReview>;

/** Asks a member to review the changes. Its comments arrive as drafts. Answers 202 with the Review. */
export const AskReview = Type.Object(
  { member: Type.String({ minLength: 1, maxLength: 64 }) },
  { additionalProperties: false },
);
export type AskReview = Static<typeof AskReview>;

export const MERGE_METHODS = ['fast_forward', 'merge', 'squash', 'rebase'] as const;

export const MergeQuery = Type.Object(
  { into: Type.Optional(Type.String({ maxLength: 250, description: 'A branch. Default: where the worktree began.' })) },
  { additionalProperties: false },
);
export type MergeQuery = Static<typeof MergeQuery>;

/**
 * What merging a conversation's worktree would do. Nothing is changed. The state merged is that of the worktree's files
 * now, also those that no turn committed.
 */
export const MergePreview = Type.Object(
  {
    conv: Type.String(),
    into: Type.String(),
    branches: Type.Array(Type.String(), { description: 'Where it may be merged, newest first, at most 100.' }),
    head: Type.String({ description: 'Commit of `into`.' }),
    ahead: Type.Integer({ description: 'Commits of the agent that `into` lacks.' }),
    behind: Type.Integer({ description: 'Commits of `into` since the worktree began.' }),
    files: Type.Integer({ description: 'Changed files.' }),
    conflicts: Type.Array(Type.String(), { description: 'Files that both changed in the same places.' }),
    methods: Type.Array(oneOf(MERGE_METHODS), { description: 'Those that are possible at present.' }),
    overlaps: Type.Array(
      Type.Object({ conv: Type.String(), title: Type.String(), paths: Type.Array(Type.String(), { maxItems: 20 }) }),
      { description: 'Other worktrees that changed the same lines.' },
    ),
    checked_out: Type.Boolean({ description: '`into` is the branch of the project folder, whose files change, too.' }),
    problem: orNull(Type.String({ description: 'Why it cannot be merged now.' })),
    pull_request: orNull(
      Type.Object({
        commands: Type.Array(Type.String(), { description: 'Exactly what would run, in this order.' }),
      }),
    ),
  },
  { $id: 'MergePreview' },
);
export type MergePreview = Static<typeof MergePreview>;

/** Merges. `head` is that of the preview: `file_changed` when the branch has moved since. */
export const NewMerge = Type.Object(
  {
    into: Type.String({ minLength: 1, maxLength: 250 }),
    head: Type.String({ minLength: 4, maxLength: 64 }),
    method: oneOf(MERGE_METHODS),
    message: Type.Optional(Type.String({ minLength: 1, maxLength: 10_000 })),
  },
  { additionalProperties: false },
);
export type NewMerge = Static<typeof NewMerge>;

export const Merged = Type.Object(
  {
    conv: Type.String(),
    into: Type.String(),
    method: oneOf(MERGE_METHODS),
    before: Type.String({ description: 'Commit of `into` before.' }),
    commit: Type.String({ description: 'Commit of `into` now.' }),
    undo: Type.String({ description: 'The git command that takes it back.' }),
  },
  { $id: 'Merged' },
);
export type Merged = Static<typeof Merged>;

/** Hands the conflicts to the member as a message. Answers 202 with the MessageAccepted. */
export const ResolveConflicts = Type.Object(
  { into: Type.String({ minLength: 1, maxLength: 250 }) },
  { additionalProperties: false },
);
export type ResolveConflicts = Static<typeof ResolveConflicts>;

/** Pushes the branch and opens a pull request by `gh`. Runs exactly the commands of the preview. */
export const NewPullRequest = Type.Object(
  { into: Type.String({ minLength: 1, maxLength: 250 }), commands: Type.Array(Type.String(), { maxItems: 4 }) },
  { additionalProperties: false },
);
export type NewPullRequest = Static<typeof NewPullRequest>;

export const PullRequest = Type.Object(
  { url: Type.String(), output: Type.String({ description: 'What the commands printed, without secrets.' }) },
  { $id: 'PullRequest' },
);
export type PullRequest = Static<typeof PullRequest>;
