import { type Static, Type } from 'typebox';
import { oneOf } from './one-of.js';

/** Tools whose agent files are read and written. */
export const AGENT_FORMATS = ['claude', 'copilot', 'opencode', 'gemini', 'codex', 'cursor'] as const;
export type AgentFormat = (typeof AGENT_FORMATS)[number];
export const IMPORT_SCOPES = ['project', 'user'] as const;
export type ImportScope = (typeof IMPORT_SCOPES)[number];
/** Maximum number of files that one scan finds. The number of files left out is reported. */
export const IMPORT_FILES_MAX = 500;

const Nullable = Type.Union([Type.String(), Type.Null()]);

/** What the import does with one key of another tool's file. */
export const FieldFate = Type.Object(
  {
    key: Type.String(),
    shown: Type.String({ description: 'Its value, shortened; secrets are never shown.' }),
    fate: Type.Unsafe<'taken' | 'kept' | 'unused'>(
      Type.String({
        enum: ['taken', 'kept', 'unused'],
        description: 'taken: a member key; kept: only for export; unused: taken, with no effect here.',
      }),
    ),
    to: Type.Optional(Type.String({ description: 'The member key.' })),
    note: Type.Optional(Type.String()),
  },
  { $id: 'FieldFate' },
);
export type FieldFate = Static<typeof FieldFate>;

export const IMPORT_STATES = ['new', 'same', 'conflict', 'changed', 'unreadable', 'not_a_member'] as const;
/** An agent file of another tool that was found. */
export const ImportCandidate = Type.Object(
  {
    source: Type.String({
      description: 'Path, relative to the project or, with scope `user`, to the home folder (`~/...`).',
    }),
    entry: Nullable,
    format: oneOf(AGENT_FORMATS),
    scope: oneOf(IMPORT_SCOPES),
    id: Type.String({ description: 'The member id it would get.' }),
    suggested: Type.Optional(Type.String({ description: 'With `conflict`: an id that is free.' })),
    name: Type.String(),
    description: Type.String(),
    state: oneOf(IMPORT_STATES),
    written_for: Type.Optional(
      Type.String({ description: 'With `same`: the member that this daemon wrote the file for.' }),
    ),
    reason: Type.Optional(Type.String({ description: 'Why it cannot be read, or is no member.' })),
    sha256: Type.String(),
    fields: Type.Array(Type.Ref('FieldFate')),
    notes: Type.Array(Type.String()),
  },
  { $id: 'ImportCandidate' },
);
export type ImportCandidate = Omit<Static<typeof ImportCandidate>, 'fields'> & { fields: FieldFate[] };
export const ImportCandidates = Type.Object(
  { found: Type.Array(Type.Ref('ImportCandidate')), count: Type.Integer(), left_out: Type.Integer() },
  { $id: 'ImportCandidates' },
);
export type ImportCandidates = { found: ImportCandidate[]; count: number; left_out: number };
export const ImportsQuery = Type.Object(
  { scope: Type.Optional(oneOf(IMPORT_SCOPES)), format: Type.Optional(oneOf(AGENT_FORMATS)) },
  { additionalProperties: false },
);
export type ImportsQuery = Static<typeof ImportsQuery>;

/** The found files to import as members. Imported members are internal, whatever the file says. */
export const ImportBody = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          source: Type.String({ minLength: 1, maxLength: 1024 }),
          entry: Type.Optional(Nullable),
          scope: Type.Optional(oneOf(IMPORT_SCOPES)),
          sha256: Type.Optional(Type.String({ description: 'What was looked at: another content is refused.' })),
          id: Type.Optional(Type.String({ maxLength: 64 })),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: IMPORT_FILES_MAX },
    ),
  },
  { additionalProperties: false },
);
export type ImportBody = Static<typeof ImportBody>;
export const Imported = Type.Object(
  {
    imported: Type.Array(Type.Object({ id: Type.String(), source: Type.String(), notes: Type.Array(Type.String()) })),
    skipped: Type.Array(Type.Object({ source: Type.String(), code: Type.String(), reason: Type.String() })),
  },
  { $id: 'Imported' },
);
export type Imported = Static<typeof Imported>;

/** An imported member whose source changed since the import. */
export const Drift = Type.Object(
  {
    id: Type.String(),
    source: Type.String(),
    format: oneOf(AGENT_FORMATS),
    state: Type.Unsafe<'changed' | 'gone'>(Type.String({ enum: ['changed', 'gone'] })),
    member_edited: Type.Boolean({
      description: 'Whether the member was edited since too: a pull would overwrite that.',
    }),
    fields: Type.Array(Type.Ref('FieldFate'), { description: 'What a pull would bring.' }),
  },
  { $id: 'Drift' },
);
export type Drift = Omit<Static<typeof Drift>, 'fields'> & { fields: FieldFate[] };
export const DriftList = Type.Object(
  { drifted: Type.Array(Type.Ref('Drift')), count: Type.Integer() },
  { $id: 'DriftList' },
);
export type DriftList = { drifted: Drift[]; count: number };
/** The current file of an imported member, and the file that a pull would write. */
export const PullPreview = Type.Object(
  { id: Type.String(), text: Type.String(), pulled: Type.String() },
  { $id: 'PullPreview' },
);
export type PullPreview = Static<typeof PullPreview>;
export const DriftBody = Type.Object({ action: oneOf(['pull', 'ignore'] as const) }, { additionalProperties: false });
export type DriftBody = Static<typeof DriftBody>;

export const Loss = Type.Object({ key: Type.String(), why: Type.String() }, { $id: 'Loss' });
export type Loss = Static<typeof Loss>;
/** A member in the file format of another tool. */
export const Exported = Type.Object(
  {
    id: Type.String(),
    format: oneOf(AGENT_FORMATS),
    path: Type.String({ description: 'Where that tool looks for it, relative to the project.' }),
    content: Type.String(),
    current: Type.Union([Type.String(), Type.Null()], {
      description: 'What stands there now; null when nothing does, or nothing that can be read.',
    }),
    state: Type.Unsafe<'new' | 'same' | 'changed' | 'foreign'>(
      Type.String({
        enum: ['new', 'same', 'changed', 'foreign'],
        description: 'Of the file that is there; foreign: not written by this daemon.',
      }),
    ),
    written: Type.Boolean(),
    losses: Type.Array(Type.Ref('Loss')),
  },
  { $id: 'Exported' },
);
export type Exported = Omit<Static<typeof Exported>, 'losses'> & { losses: Loss[] };
export const ExportQuery = Type.Object({ format: oneOf(AGENT_FORMATS) }, { additionalProperties: false });
export type ExportQuery = Static<typeof ExportQuery>;
/**
 * Writes members as files of another tool. A file that this daemon did not write is overwritten only with `replace`.
 */
export const ExportBody = Type.Object(
  {
    format: Type.Optional(
      oneOf(AGENT_FORMATS, 'Without it: the files written before that still exist, each in its own tool’s format.'),
    ),
    ids: Type.Optional(Type.Array(Type.String(), { maxItems: 1000, description: 'All members unless given.' })),
    write: Type.Optional(Type.Boolean({ description: 'False, the default: a dry run.' })),
    replace: Type.Optional(
      Type.Union([Type.Boolean(), Type.Array(Type.String(), { maxItems: 1000 })], {
        description:
          'Whether files that this daemon did not write are overwritten too: all, or those of these members.',
      }),
    ),
    prune: Type.Optional(
      Type.Boolean({
        description: 'With `write`: removes the files that this daemon wrote for members that are gone by now.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type ExportBody = Static<typeof ExportBody>;
/** A file that this daemon wrote for a deleted member, unmodified since it was written. */
export const Leftover = Type.Object(
  { id: Type.String(), format: oneOf(AGENT_FORMATS), path: Type.String(), removed: Type.Boolean() },
  { $id: 'Leftover' },
);
export type Leftover = Static<typeof Leftover>;
export const ExportedList = Type.Object(
  { files: Type.Array(Type.Ref('Exported')), count: Type.Integer(), leftovers: Type.Array(Type.Ref('Leftover')) },
  { $id: 'ExportedList' },
);
export type ExportedList = { files: Exported[]; count: number; leftovers: Leftover[] };
