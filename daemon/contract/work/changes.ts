import { type Static, Type } from 'typebox';
import { oneOf, orNull } from '../one-of.js';

/** Most changed files of one comparison. Further ones are counted in `left_out`. */
export const CHANGED_FILES_MAX = 3_000;
/** Longest patch of one file, in characters. */
export const PATCH_MAX_CHARS = 2_000_000;
/** Most checkpoints of a conversation that are listed, the newest. */
export const CHECKPOINTS_MAX = 2_000;
/** Checkpoint of a conversation's files before its first turn that changed one. */
export const CHECKPOINT_START = 'start';
/**
 * Stands for the state from which the changes of a conversation count: `start`, or what its worktree has of the branch
 * that it began at, once it was merged with that since.
 */
export const CHANGES_BASE = 'base';
/** Stands for the files as they are now in a comparison. */
export const WORKING_FILES = 'working';

export const CHECKPOINT_KINDS = ['start', 'turn', 'rewind', 'revert', 'merge', 'outside'] as const;

/**
 * The files of a conversation's working folder at one point in time, kept as a commit on a ref below
 * `refs/meshd/<conv>/`. The kind `rewind`, `revert` or `merge` keeps what such an action replaced. `outside`: the files
 * were changed by others since the checkpoint before it, and a turn is about to start.
 */
export const Checkpoint = Type.Object(
  {
    checkpoint: Type.String({ description: 'The turn at whose end it was made, `start`, or `kept-` and a number.' }),
    kind: oneOf(CHECKPOINT_KINDS),
    turn: orNull(Type.String()),
    commit: Type.String(),
    files: Type.Integer({ description: 'Files that differ from the checkpoint before it.' }),
    additions: Type.Integer(),
    deletions: Type.Integer(),
    left_out: Type.Array(Type.String(), {
      maxItems: 20,
      description:
        'Changed files that are not kept: names of secrets, files over 50 MiB or that cannot be read, repositories ' +
        'inside this one.',
    }),
    others: Type.Array(Type.String(), {
      maxItems: 20,
      description: 'Conversations with a turn in the same folder meanwhile, whose changes are in it, too.',
    }),
    created_at: Type.String(),
  },
  { $id: 'Checkpoint' },
);
export type Checkpoint = Static<typeof Checkpoint>;

/** The checkpoints of a conversation, oldest first. `problem` says why none can be made, for example without git. */
export const CheckpointList = Type.Object(
  {
    conv: Type.String(),
    checkpoints: Type.Array(Type.Ref('Checkpoint')),
    count: Type.Integer(),
    problem: orNull(Type.String()),
  },
  { $id: 'CheckpointList' },
);
export type CheckpointList = Omit<Static<typeof CheckpointList>, 'checkpoints'> & { checkpoints: Checkpoint[] };

export const REWIND_PARTS = ['files', 'conversation', 'both'] as const;

/** `checkpoint`: the one to return to. Its messages are those that the conversation had when it was made. */
export const Rewind = Type.Object(
  { checkpoint: Type.String({ minLength: 1, maxLength: 64 }), what: oneOf(REWIND_PARTS) },
  { additionalProperties: false },
);
export type Rewind = Static<typeof Rewind>;

/** What a rewind did. `kept` is the checkpoint of the files as they were before it: rewinding to it undoes this. */
export const Rewound = Type.Object(
  {
    conv: Type.String(),
    kept: orNull(Type.Ref('Checkpoint')),
    files: Type.Integer({ description: 'Files that were put back.' }),
    skipped: Type.Array(Type.String(), {
      maxItems: 20,
      description:
        'Files that were left, because git ignores what is there now, a link or folder is in the way, or a filter of ' +
        'the repository’s own, which is not run, would change them.',
    }),
    messages: Type.Integer({ description: 'Messages that are set aside.' }),
  },
  { $id: 'Rewound' },
);
export type Rewound = Omit<Static<typeof Rewound>, 'kept'> & { kept: Checkpoint | null };

/** Answers 201 with the new Conversation, whose messages and files end with that checkpoint. */
export const Fork = Type.Object(
  { checkpoint: Type.String({ minLength: 1, maxLength: 64 }) },
  { additionalProperties: false },
);
export type Fork = Static<typeof Fork>;

export const CHANGE_STATUSES = ['added', 'modified', 'deleted', 'renamed'] as const;

export const ChangedFile = Type.Object(
  {
    path: Type.String(),
    old_path: orNull(Type.String({ description: 'Where it was, when it was renamed.' })),
    status: oneOf(CHANGE_STATUSES),
    additions: Type.Integer(),
    deletions: Type.Integer(),
    binary: Type.Boolean(),
    generated: Type.Boolean({ description: 'A lock file, a build result or marked `linguist-generated`.' }),
  },
  { $id: 'ChangedFile' },
);
export type ChangedFile = Static<typeof ChangedFile>;

/**
 * A comparison of two states of a conversation's files. `from` and `to`: a checkpoint, `base` or `working`. Default:
 * from `base` to `working`.
 */
export const ChangesQuery = Type.Object(
  {
    from: Type.Optional(Type.String({ maxLength: 64 })),
    to: Type.Optional(Type.String({ maxLength: 64 })),
  },
  { additionalProperties: false },
);
export type ChangesQuery = Static<typeof ChangesQuery>;

export const Changes = Type.Object(
  {
    conv: Type.String(),
    from: Type.String(),
    to: Type.String(),
    files: Type.Array(Type.Ref('ChangedFile'), { description: 'In the order of their paths.' }),
    count: Type.Integer({ description: 'All of them.' }),
    left_out: Type.Integer({ description: 'Beyond the first 3,000.' }),
    additions: Type.Integer(),
    deletions: Type.Integer(),
    problem: orNull(Type.String({ description: 'Why nothing can be compared, for example without git.' })),
  },
  { $id: 'Changes' },
);
export type Changes = Omit<Static<typeof Changes>, 'files'> & { files: ChangedFile[] };

export const FileDiffQuery = Type.Object(
  {
    path: Type.String({ minLength: 1, maxLength: 4_096 }),
    from: Type.Optional(Type.String({ maxLength: 64 })),
    to: Type.Optional(Type.String({ maxLength: 64 })),
    whitespace: Type.Optional(oneOf(['show', 'ignore'] as const)),
    context: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 100, description: 'Lines around each hunk. Default: 3.' }),
    ),
  },
  { additionalProperties: false },
);
export type FileDiffQuery = Static<typeof FileDiffQuery>;

/** The change of one file. Untrusted text. */
export const FileDiff = Type.Object(
  {
    file: Type.Ref('ChangedFile'),
    from: Type.String(),
    to: Type.String(),
    patch: Type.String({ description: 'In the unified format from its first `@@`; empty for a binary file.' }),
    cut: Type.Boolean({ description: 'The patch is longer than what is given here.' }),
  },
  { $id: 'FileDiff' },
);
export type FileDiff = Omit<Static<typeof FileDiff>, 'file'> & { file: ChangedFile };

/**
 * Takes one file, or one hunk of it, back to how it was at `from`, by default `base`. `hunk` is the hunk's `@@` line with its body, as the
 * diff without ignored whitespace gives it; `file_changed` when the file no longer holds it. Answers with the Rewound.
 */
export const RevertChange = Type.Object(
  {
    path: Type.String({ minLength: 1, maxLength: 4_096 }),
    from: Type.Optional(Type.String({ maxLength: 64 })),
    hunk: Type.Optional(Type.String({ minLength: 1, maxLength: PATCH_MAX_CHARS })),
  },
  { additionalProperties: false },
);
export type RevertChange = Static<typeof RevertChange>;
