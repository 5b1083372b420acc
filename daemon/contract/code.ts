import { type Static, Type } from 'typebox';
import { oneOf, orNull } from './one-of.js';

/**
 * `defs`: where a name is defined. `refs`: where it is called, read, used as a type, extended or implemented.
 * `imports`: which files import a file or package. `env`: reads of environment variables. `routes`: routes that are
 * served. The last two list everything without a name.
 */
export const CODE_QUERIES = ['defs', 'refs', 'imports', 'env', 'routes'] as const;
export type CodeQuery = (typeof CODE_QUERIES)[number];
export const CODE_NAME_MAX = 512;
export const CODE_PLACES_MAX = 200;

export const CodePlacesQuery = Type.Object(
  {
    query: oneOf(CODE_QUERIES),
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: CODE_NAME_MAX,
        description:
          'A name, also qualified (`Class.method`, `a::b`); for `imports` a path, its end or a package; ' +
          'for `routes` a ' +
          'part of the path. Optional for `env` and `routes`.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type CodePlacesQuery = Static<typeof CodePlacesQuery>;

export const CodePlace = Type.Object(
  {
    path: Type.String(),
    start_line: Type.Integer(),
    end_line: Type.Integer(),
    text: Type.String({ description: 'What stands there: a signature, a name, an import, a variable or a route.' }),
    container: Type.String({
      description: 'The names around it, joined by dots; the default of a variable; the handler of a route.',
    }),
    kind: Type.Optional(Type.String({ description: 'Of a definition: `function`, `class` and so on.' })),
    doc: Type.Optional(Type.String({ description: 'Of a definition: the first sentence of its comment.' })),
    is_source: Type.Boolean({ description: 'False for tests, examples and third-party code.' }),
  },
  { $id: 'CodePlace' },
);
export type CodePlace = Static<typeof CodePlace>;

/** Places of the structure graph, sources first. */
export const CodePlaces = Type.Object(
  {
    state: Type.Unsafe<'ready' | 'building' | 'failed'>(
      Type.String({
        enum: ['ready', 'building', 'failed'],
        description: 'Of the structure graph. Places are complete only when it is `ready`; before, there are none.',
      }),
    ),
    is_known: Type.Boolean({ description: 'Whether the project has the name at all. A known name may have no uses.' }),
    total: Type.Integer({ description: 'How many places there are.' }),
    files: Type.Integer({ description: 'In how many files.' }),
    by_name: Type.Boolean({ description: 'Whether some are found by name only and may mean another of this name.' }),
    places: Type.Array(Type.Ref('CodePlace'), { maxItems: CODE_PLACES_MAX }),
    near: Type.Array(Type.String(), { description: 'Names that are there, when this one is not.' }),
  },
  { $id: 'CodePlaces' },
);
export type CodePlaces = Omit<Static<typeof CodePlaces>, 'places'> & { places: CodePlace[] };

export const PROJECT_NAMES_MAX = 20;

export const ProjectNamesQuery = Type.Object(
  {
    q: Type.String({ minLength: 1, maxLength: 200, description: 'Words that the path or name contains, in any case.' }),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: PROJECT_NAMES_MAX, description: 'Of each kind. Default 20.' }),
    ),
  },
  { additionalProperties: false },
);
export type ProjectNamesQuery = Static<typeof ProjectNamesQuery>;

/** A definition of the structure graph, found by a part of its name. */
export const NamedSymbol = Type.Object(
  {
    name: Type.String(),
    kind: Type.String({ description: '`function`, `class` and so on.' }),
    container: Type.String({ description: 'The names around it, joined by dots.' }),
    path: Type.String(),
    start_line: Type.Integer(),
    end_line: Type.Integer(),
  },
  { $id: 'NamedSymbol' },
);
export type NamedSymbol = Static<typeof NamedSymbol>;

/** Files and symbols that git tracks, best match first; until the structure graph is complete, no symbols. */
export const ProjectNames = Type.Object(
  { files: Type.Array(Type.String()), symbols: Type.Array(Type.Ref('NamedSymbol')) },
  { $id: 'ProjectNames' },
);
export type ProjectNames = Omit<Static<typeof ProjectNames>, 'symbols'> & { symbols: NamedSymbol[] };

export const BLAME_LINES_MAX = 2_000;
export const BLAME_STATES = ['blamed', 'no_repository', 'not_in_head', 'unavailable'] as const;

export const FileBlameQuery = Type.Object(
  {
    path: Type.String({ minLength: 1, maxLength: 1_024, description: 'Relative to the project, with `/`.' }),
    from: Type.Optional(Type.Integer({ minimum: 1, description: 'Default 1.' })),
    to: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Inclusive, at most 2,000 lines. Default: as many as that.' }),
    ),
  },
  { additionalProperties: false },
);
export type FileBlameQuery = Static<typeof FileBlameQuery>;

/** A commit that last changed a line. */
export const BlameCommit = Type.Object(
  { hash: Type.String(), at: Type.String(), author: Type.String(), subject: Type.String() },
  { $id: 'BlameCommit' },
);
export type BlameCommit = Static<typeof BlameCommit>;

/** Adjacent lines of the file as it is now, inclusive. */
export const BlameLines = Type.Object(
  {
    start_line: Type.Integer(),
    end_line: Type.Integer(),
    commit: Type.Union([Type.String(), Type.Null()], {
      description: 'Hash of one of `commits`. Null for lines that differ from HEAD, and for unknown ones.',
    }),
    is_unknown: Type.Optional(
      Type.Boolean({
        description: 'Whether the commit is not known, because the clone is shallow and ends before it.',
      }),
    ),
  },
  { $id: 'BlameLines' },
);
export type BlameLines = Static<typeof BlameLines>;

/** The commits that last changed lines of a file. Without any unless the state is `blamed`. */
export const FileBlame = Type.Object(
  {
    path: Type.String(),
    state: oneOf(
      BLAME_STATES,
      '`not_in_head`: no commit contains the file. `unavailable`: git failed or took longer than 10 s.',
    ),
    commits: Type.Array(Type.Ref('BlameCommit')),
    lines: Type.Array(Type.Ref('BlameLines'), { maxItems: BLAME_LINES_MAX }),
  },
  { $id: 'FileBlame' },
);
export type FileBlame = Omit<Static<typeof FileBlame>, 'commits' | 'lines'> & {
  commits: BlameCommit[];
  lines: BlameLines[];
};

/** The editors that a file can be opened in. */
export const EDITORS = ['code', 'cursor', 'zed', 'windsurf', 'subl', 'idea', 'webstorm'] as const;
export type Editor = (typeof EDITORS)[number];
/** `automatic`: the first of the editors that is found. */
export const EDITOR_CHOICES = ['automatic', ...EDITORS, 'none'] as const;

/** The editors that were looked for on the `PATH` of the daemon, and the one that files open in. */
export const Editors = Type.Object(
  {
    editors: Type.Array(Type.Object({ editor: oneOf(EDITORS), name: Type.String(), is_found: Type.Boolean() })),
    opens_in: orNull(oneOf(EDITORS, 'Null: the preference is `none`, or no editor is found.')),
  },
  { $id: 'Editors' },
);
export type Editors = Static<typeof Editors>;

export const OpenFileBody = Type.Object(
  {
    path: Type.String({ minLength: 1, maxLength: 1_024, description: 'Relative to the project, with `/`.' }),
    line: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000_000, description: 'Default 1.' })),
  },
  { $id: 'OpenFileBody', additionalProperties: false },
);
export type OpenFileBody = Static<typeof OpenFileBody>;

export const FileOpened = Type.Object(
  { path: Type.String(), line: Type.Integer(), editor: oneOf(EDITORS), name: Type.String() },
  { $id: 'FileOpened' },
);
export type FileOpened = Static<typeof FileOpened>;
