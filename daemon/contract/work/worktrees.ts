import { type Static, Type } from 'typebox';
import { oneOf, orNull } from '../one-of.js';

/** Where a conversation works: in the project folder, or in a git worktree of its own. */
export const ISOLATIONS = ['project', 'worktree'] as const;
export type Isolation = (typeof ISOLATIONS)[number];

/** `automatic`: a worktree for members that edit files, in a project where one can be made. */
export const ISOLATION_DEFAULTS = ['automatic', ...ISOLATIONS] as const;

/** How many days a worktree without changes stays after its last turn. */
export const WORKTREE_IDLE_DAYS = 7;
/** Longest set-up command, in characters. */
export const SETUP_MAX_CHARS = 4_096;

export const ConversationIsolation = Type.Object(
  {
    chosen: orNull(oneOf(ISOLATIONS, 'The operator’s choice; null: the default.')),
    resolved: oneOf(ISOLATIONS, 'Where its turns work, or where its next one will.'),
    reason: Type.String({ description: 'Why, in words.' }),
    fixed: Type.Boolean({ description: 'A turn ran there, so that it cannot be changed any more.' }),
    branch: orNull(Type.String({ description: 'The branch of its worktree, from its first change on.' })),
  },
  { $id: 'ConversationIsolation' },
);
export type ConversationIsolation = Static<typeof ConversationIsolation>;

const pattern = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'Relative to the project, with `*` and `?` within a name. Never below `.git`.',
});

/** What a new worktree is given beside the tracked files. Only the operator sets it; no file of the project does. */
export const WorktreePreferences = Type.Object(
  {
    copy: Type.Array(pattern, { maxItems: 50, description: 'Files and folders that are copied into it.' }),
    link: Type.Array(pattern, { maxItems: 50, description: 'Files and folders that it gets a link to.' }),
    setup: Type.String({ maxLength: SETUP_MAX_CHARS, description: 'Shell command that is run in it; empty: none.' }),
  },
  { additionalProperties: false },
);
export type WorktreePreferences = Static<typeof WorktreePreferences>;

export const Worktree = Type.Object(
  {
    conv: Type.String(),
    title: Type.String(),
    member: orNull(Type.String()),
    path: Type.String(),
    branch: orNull(Type.String({ description: 'Null until a turn changed something.' })),
    base: Type.String({ description: 'The commit at which it began.' }),
    base_branch: orNull(Type.String({ description: 'The branch of the project folder at that time.' })),
    disk_bytes: Type.Integer(),
    changed_files: Type.Integer({ description: 'Files that differ from `base`.' }),
    repositories: Type.Array(Type.String(), {
      description: 'Repositories in it, such as submodules. What is in them is lost when it is removed.',
    }),
    running: Type.Boolean(),
    created_at: Type.String(),
    used_at: Type.String({ description: 'End of its last turn.' }),
  },
  { $id: 'Worktree' },
);
export type Worktree = Static<typeof Worktree>;

export const WorktreeList = Type.Object(
  {
    worktrees: Type.Array(Type.Ref('Worktree'), { description: 'Newest first.' }),
    count: Type.Integer(),
    disk_bytes: Type.Integer({ description: 'Of all of them.' }),
    folder: orNull(Type.String({ description: 'Where they are; null without a home folder.' })),
    problem: orNull(Type.String({ description: 'Why no worktree can be made at present.' })),
  },
  { $id: 'WorktreeList' },
);
export type WorktreeList = Omit<Static<typeof WorktreeList>, 'worktrees'> & { worktrees: Worktree[] };

export const RemoveWorktreeQuery = Type.Object(
  { changes: Type.Optional(oneOf(['discard'] as const, 'Needed for a worktree with changes.')) },
  { additionalProperties: false },
);
export type RemoveWorktreeQuery = Static<typeof RemoveWorktreeQuery>;

export const WorktreeRemoved = Type.Object(
  {
    conv: Type.String(),
    changed_files: Type.Integer(),
    kept: orNull(
      Type.String({ description: 'The ref that has its changes, or its branch; null when there were none.' }),
    ),
  },
  { $id: 'WorktreeRemoved' },
);
export type WorktreeRemoved = Static<typeof WorktreeRemoved>;
