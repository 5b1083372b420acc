import { type Static, Type } from 'typebox';
import { EDITOR_CHOICES } from './code.js';
import { oneOf } from './one-of.js';
import { ISOLATION_DEFAULTS, WorktreePreferences } from './work/worktrees.js';

export const KNOWLEDGE_STATES = ['idle', 'indexing', 'ready', 'failed'] as const;

export const STRUCTURE_STATES = ['idle', 'reading', 'ready', 'failed'] as const;
export const CODE_LANGUAGES = [
  'Bash',
  'C and C++',
  'C#',
  'Go',
  'Java',
  'PHP',
  'Python',
  'Ruby',
  'Rust',
  'TypeScript and JavaScript',
] as const;
export type CodeLanguage = (typeof CODE_LANGUAGES)[number];

/** Progress of the graph of definitions, calls and imports, which is read after the text index. */
const StructureStatus = Type.Object({
  state: oneOf(
    STRUCTURE_STATES,
    '`idle` until the first pass begins. A later pass leaves it `ready`, with the graph of before.',
  ),
  files_done: Type.Integer(),
  files_total: Type.Integer({ description: 'Sources, and manifests that name scripts.' }),
  left_out: Type.Array(Type.Object({ reason: Type.String(), files: Type.Integer() }), {
    description: 'Files that were not read, by reason.',
  }),
  languages: Type.Array(
    Type.Object({
      language: oneOf(CODE_LANGUAGES),
      files: Type.Integer({ description: 'Files that were read.' }),
    }),
    { description: 'Most files first.' },
  ),
});
export type StructureStatus = Static<typeof StructureStatus>;

/** Progress of the index over the project's text files. */
export const KnowledgeStatus = Type.Object(
  {
    state: oneOf(KNOWLEDGE_STATES),
    files_done: Type.Integer(),
    files_total: Type.Integer(),
    passages: Type.Integer(),
    bytes: Type.Integer(),
    left_out: Type.Integer({
      description:
        'Files that are too many or too large for the index, that a sparse checkout does not have, ' +
        'or whose name is not UTF-8 or holds a line break, and submodules.',
    }),
    not_text: Type.Integer({ description: 'Files that were read and are not text. `files_total` is without them.' }),
    commit: Type.Union([Type.String(), Type.Null()]),
    message: Type.Optional(Type.String({ description: 'Why it failed, or what was left out.' })),
    structure: StructureStatus,
  },
  { $id: 'KnowledgeStatus' },
);
export type KnowledgeStatus = Static<typeof KnowledgeStatus>;

export const STORE_STATES = ['ok', 'readonly'] as const;

export const Health = Type.Object(
  {
    ok: Type.Boolean(),
    version: Type.String(),
    pid: Type.Integer(),
    project: Type.String({ description: 'Name of the project folder.' }),
    root_sha256: Type.String({
      description: "SHA-256 of the project's absolute path, so that a client knows whose daemon answers.",
    }),
    store: oneOf(STORE_STATES),
    started_at: Type.String(),
    uptime_seconds: Type.Integer(),
    rss_bytes: Type.Integer(),
    members: Type.Integer(),
    members_broken: Type.Integer(),
    exposed: Type.Integer(),
    awaiting_agreement: Type.Integer({
      description: 'Members whose files say `external` and that stay internal until the operator agrees.',
    }),
    requests_live: Type.Integer(),
    events_sockets: Type.Integer(),
    knowledge: Type.Ref('KnowledgeStatus'),
    proof: Type.Optional(
      Type.String({ description: 'HMAC-SHA-256 of `nonce` under the secret in `.mesh/state/daemon.json`, hex.' }),
    ),
  },
  { $id: 'Health' },
);
export type Health = Omit<Static<typeof Health>, 'knowledge'> & { knowledge: KnowledgeStatus };

export const HealthQuery = Type.Object(
  { nonce: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_-]{16,64}$' })) },
  { additionalProperties: false },
);
export type HealthQuery = Static<typeof HealthQuery>;

export const CHECK_STATES = ['ok', 'warn', 'fail'] as const;

/** One check of the doctor: what was checked, what was found, and how to fix it. */
export const DoctorCheck = Type.Object(
  {
    id: Type.String(),
    title: Type.String(),
    state: oneOf(CHECK_STATES),
    found: Type.String(),
    fix: Type.Optional(Type.String({ description: 'The command or edit that fixes it.' })),
  },
  { $id: 'DoctorCheck' },
);
export type DoctorCheck = Static<typeof DoctorCheck>;

export const DoctorReport = Type.Object(
  { ok: Type.Boolean(), checks: Type.Array(Type.Ref('DoctorCheck')) },
  { $id: 'DoctorReport' },
);
export type DoctorReport = { ok: boolean; checks: DoctorCheck[] };

export const THEMES = ['system', 'light', 'dark'] as const;
export const DENSITIES = ['comfortable', 'compact'] as const;
export const ROADMAP_VIEWS = ['list', 'board'] as const;
export const RAIL_GROUP_STATES = ['auto', 'folded', 'unfolded'] as const;

/** The operator's preferences. The daemon stores them, so that they survive a change of browser or port. */
export const Preferences = Type.Object(
  {
    theme: oneOf(THEMES),
    density: oneOf(DENSITIES),
    rail_collapsed: Type.Boolean(),
    rail_network: oneOf(
      RAIL_GROUP_STATES,
      'The group *Network* of the navigation. `auto`: folded until something in it was used.',
    ),
    single_key_shortcuts: Type.Boolean(),
    enter_sends: Type.Boolean({ description: 'Enter alone sends a message; otherwise it begins a new line.' }),
    announcements: Type.Boolean({
      description: 'Screen readers are told of new messages of Walls and conversations as they come.',
    }),
    notifications: Type.Boolean({
      description:
        'The browser may tell what needs the operator, and which request failed, while no page is looked at.',
    }),
    roadmap_view: oneOf(ROADMAP_VIEWS, 'How the roadmap is shown.'),
    no_model_hidden: Type.Boolean({ description: 'Home does not show that no model is connected.' }),
    first_run_dismissed: Type.Array(Type.String({ maxLength: 40 }), { maxItems: 16 }),
    isolation_default: oneOf(
      ISOLATION_DEFAULTS,
      'Where conversations work that say nothing else. Other values than `automatic` win over the member’s file.',
    ),
    editor: oneOf(EDITOR_CHOICES, 'The editor that files open in; `automatic`: the first that is found.'),
    worktrees: WorktreePreferences,
  },
  { $id: 'Preferences' },
);
export type Preferences = Static<typeof Preferences>;

export const PreferencesPatch = Type.Partial(Preferences, { $id: 'PreferencesPatch', additionalProperties: false });
export type PreferencesPatch = Partial<Preferences>;

export const FileLinesQuery = Type.Object(
  {
    path: Type.String({ minLength: 1, maxLength: 1_024, description: 'Relative to the project, with `/`.' }),
    start: Type.Optional(Type.Integer({ minimum: 1 })),
    end: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  { additionalProperties: false },
);
export type FileLinesQuery = Static<typeof FileLinesQuery>;

/** Lines of a project file that the index may read; at most 2,000 lines a call. */
export const FileLines = Type.Object(
  {
    path: Type.String(),
    start_line: Type.Integer(),
    end_line: Type.Integer(),
    total_lines: Type.Integer(),
    lines: Type.Array(Type.String()),
    sha256: Type.String({ description: 'Of these lines joined by a newline.' }),
    untracked: Type.Optional(
      Type.Literal(true, { description: 'Git does not track the file, so that no other program is told of it.' }),
    ),
  },
  { $id: 'FileLines' },
);
export type FileLines = Static<typeof FileLines>;

export const PROJECT_FILES_MAX = 50;

export const ProjectFilesQuery = Type.Object(
  {
    q: Type.Optional(
      Type.String({ maxLength: 200, description: 'Part of the path; letters with others between them do as well.' }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PROJECT_FILES_MAX, description: 'Default 20.' })),
  },
  { additionalProperties: false },
);
export type ProjectFilesQuery = Static<typeof ProjectFilesQuery>;

/** Files of the index, best match first. `GET /project/file` returns lines of them. */
export const ProjectFiles = Type.Object(
  { paths: Type.Array(Type.String()), count: Type.Integer({ description: 'Of `paths`.' }) },
  { $id: 'ProjectFiles' },
);
export type ProjectFiles = Static<typeof ProjectFiles>;

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
const Level = oneOf(LOG_LEVELS);
export const LOG_LINES_MAX = 1_000;

/** The parts of the daemon that write lines. */
export const LOG_AREAS = [
  'daemon',
  'http',
  'team',
  'conversations',
  'agents',
  'clusters',
  'payments',
  'projects',
] as const;
export type LogArea = (typeof LOG_AREAS)[number];

/** A line of the daemon's log, without secrets. */
export const LogLine = Type.Object(
  {
    at: Type.Union([Type.String(), Type.Null()]),
    level: Level,
    area: oneOf(LOG_AREAS, 'The part of the daemon that wrote it. `http`: the answer to one request.'),
    text: Type.String(),
    details: Type.Optional(Type.String({ description: 'Whatever else the line says, as JSON; a stack as it is.' })),
  },
  { $id: 'LogLine' },
);
export type LogLine = Static<typeof LogLine>;

export const LogLinesQuery = Type.Object(
  {
    level: Type.Optional(oneOf(LOG_LEVELS, 'Lines of this level and above.')),
    area: Type.Optional(oneOf(LOG_AREAS)),
    q: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the text or the details.' })),
    since: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601: only lines at or after it.' })),
    until: Type.Optional(Type.String({ maxLength: 40, description: 'ISO 8601: only lines before it.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LOG_LINES_MAX })),
  },
  { additionalProperties: false },
);
export type LogLinesQuery = Static<typeof LogLinesQuery>;

/** Lines of the end of the daemon's log, newest last: at most the last 512 KiB of the file are looked through. */
export const LogLines = Type.Object(
  { path: Type.String({ description: 'Relative to the project.' }), lines: Type.Array(Type.Ref('LogLine')) },
  { $id: 'LogLines' },
);
export type LogLines = { path: string; lines: LogLine[] };

/** Another user of this machine whose programs made the store grow. */
const OtherUser = Type.Object({
  uid: Type.Union([Type.Integer(), Type.Null()], { description: 'Null when the system did not identify the user.' }),
  store_bytes: Type.Integer({ minimum: 0, description: 'What its requests count for now; restored over days.' }),
  store_bytes_max: Type.Integer({ minimum: 0 }),
});

/** Other users of this machine, as far as the daemon knows them. None of them may call an operator route. */
export const OtherUsers = Type.Object(
  {
    identified: Type.Boolean({ description: 'Whether this system tells whose a connection is.' }),
    users: Type.Array(OtherUser, { description: 'Those with most bytes first, at most 100.' }),
    store_bytes: Type.Integer({ minimum: 0, description: 'Of all of them together.' }),
    store_bytes_max: Type.Integer({ minimum: 0 }),
  },
  { $id: 'OtherUsers' },
);
export type OtherUsers = Static<typeof OtherUsers>;

/** Versions of the daemon and of its platform. */
export const Versions = Type.Object(
  {
    meshd: Type.String(),
    node: Type.String(),
    sqlite: Type.String(),
    platform: Type.String({ description: 'Operating system and processor.' }),
    revision: Type.Integer({ description: "Revision of the project's conventions." }),
  },
  { $id: 'Versions' },
);
export type Versions = Static<typeof Versions>;
