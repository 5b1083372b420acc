import type { Readable } from 'node:stream';
import { Type } from 'typebox';
import {
  type CodePlaces,
  CodePlacesQuery,
  type Editors,
  type FileBlame,
  FileBlameQuery,
  type FileOpened,
  OpenFileBody,
  PROJECT_NAMES_MAX,
  type ProjectNames,
  ProjectNamesQuery,
} from '../../contract/code.js';
import type { ForeignState } from '../../contract/foreign-state.js';
import {
  type DoctorReport,
  type FileLines,
  FileLinesQuery,
  type Health,
  HealthQuery,
  type LogLines,
  LogLinesQuery,
  type OtherUsers,
  type Preferences,
  PreferencesPatch,
  type ProjectFiles,
  ProjectFilesQuery,
  type Versions,
} from '../../contract/system.js';
import type { App } from '../../http/route-types.js';
import { MeshError } from '../../lib/errors.js';
import type { DaemonLog } from './daemon-log.js';
import type { ProjectEditors } from './editors.js';
import type { FileBlames } from './file-blames.js';
import type { OperatorPreferences } from './preferences.js';
import type { SupportBundle } from './support-bundle.js';

const PROJECT_FILES_DEFAULT = 20;

interface SystemParts {
  health: (nonce: string | undefined) => Health;
  examine: () => Promise<DoctorReport>;
  /** State that was set aside because it was created on another machine. */
  foreignState: () => ForeignState;
  otherUsers: () => OtherUsers;
  readLines: (path: string, start: number | undefined, end: number | undefined) => Promise<FileLines>;
  blames: FileBlames;
  editors: ProjectEditors;
  findPaths: (words: string, limit: number) => Promise<string[]>;
  findCode: (query: CodePlacesQuery['query'], name: string | undefined) => Promise<CodePlaces>;
  /** Files and symbols that git tracks. */
  findNames: (text: string, limit: number) => Promise<ProjectNames>;
  preferences: OperatorPreferences;
  versions: () => Versions;
  log: DaemonLog;
  bundle: SupportBundle;
  /** Copies the store as a consistent snapshot. */
  copyStore: () => Promise<{ bytes: number; contents: Readable }>;
  /** The licences of bundled third-party software. Undefined when the program was not built. */
  licenses: () => Promise<string | undefined>;
}

/** The routes for the daemon's status and diagnostics, and the operator's preferences. */
export async function systemRoutes(app: App, parts: SystemParts): Promise<void> {
  addStatusRoutes(app, parts);
  addMachineRoutes(app, parts);
  addPreferencesRoutes(app, parts);
  addProjectFileRoutes(app, parts);
  addProjectCodeRoutes(app, parts);
  addEditorRoutes(app, parts);
  addDiagnosticsRoutes(app, parts);
  addDownloadRoutes(app, parts);
}

function addStatusRoutes(app: App, { health, examine }: SystemParts): void {
  app.get<{ Querystring: HealthQuery }>(
    '/health',
    {
      config: { access: 'public' },
      schema: {
        summary: 'Health of the daemon, with proof of identity for readers of its file',
        tags: ['system'],
        querystring: HealthQuery,
        response: { 200: Type.Ref('Health') },
      },
    },
    async (request): Promise<Health> => health(request.query.nonce),
  );

  app.get(
    '/doctor',
    {
      schema: {
        summary: 'Common problems, each with its fix',
        tags: ['system'],
        response: { 200: Type.Ref('DoctorReport') },
      },
    },
    (): Promise<DoctorReport> => examine(),
  );
}

/** What other machines and other users of this one left here. */
function addMachineRoutes(app: App, { foreignState, otherUsers }: SystemParts): void {
  app.get(
    '/foreign-state',
    {
      schema: {
        summary: 'State from another machine that was set aside',
        tags: ['system'],
        response: { 200: Type.Ref('ForeignState') },
      },
    },
    async (): Promise<ForeignState> => foreignState(),
  );

  app.get(
    '/other-users',
    {
      schema: {
        summary: 'Other users of this machine, and what their programs stored',
        tags: ['system'],
        response: { 200: Type.Ref('OtherUsers') },
      },
    },
    async (): Promise<OtherUsers> => otherUsers(),
  );
}

function addPreferencesRoutes(app: App, { preferences }: SystemParts): void {
  app.get(
    '/preferences',
    {
      schema: { summary: 'Preferences of the dashboard', tags: ['system'], response: { 200: Type.Ref('Preferences') } },
    },
    async (): Promise<Preferences> => preferences.get(),
  );

  app.patch<{ Body: PreferencesPatch }>(
    '/preferences',
    {
      schema: {
        summary: 'Change preferences',
        tags: ['system'],
        body: PreferencesPatch,
        response: { 200: Type.Ref('Preferences') },
      },
    },
    (request): Promise<Preferences> => preferences.update(request.body),
  );
}

function addProjectFileRoutes(app: App, { readLines, blames, findPaths }: SystemParts): void {
  app.get<{ Querystring: FileLinesQuery }>(
    '/project/file',
    {
      schema: {
        summary: 'Lines of a project file, to show a citation in its place',
        tags: ['system'],
        querystring: FileLinesQuery,
        response: { 200: Type.Ref('FileLines') },
      },
    },
    (request): Promise<FileLines> => readLines(request.query.path, request.query.start, request.query.end),
  );

  app.get<{ Querystring: FileBlameQuery }>(
    '/project/blame',
    {
      schema: {
        summary: 'The commits that last changed lines of a project file',
        tags: ['system'],
        querystring: FileBlameQuery,
        response: { 200: Type.Ref('FileBlame') },
      },
    },
    (request): Promise<FileBlame> => blames.read(request.query),
  );

  app.get<{ Querystring: ProjectFilesQuery }>(
    '/project/files',
    {
      schema: {
        summary: 'Files of the project by a part of their path, to name one',
        tags: ['system'],
        querystring: ProjectFilesQuery,
        response: { 200: Type.Ref('ProjectFiles') },
      },
    },
    async (request): Promise<ProjectFiles> => {
      const paths = await findPaths(request.query.q ?? '', request.query.limit ?? PROJECT_FILES_DEFAULT);
      return { paths, count: paths.length };
    },
  );
}

function addProjectCodeRoutes(app: App, { findCode, findNames }: SystemParts): void {
  app.get<{ Querystring: ProjectNamesQuery }>(
    '/project/names',
    {
      schema: {
        summary: 'Files and symbols of the project by a part of their name, to open one',
        tags: ['system'],
        querystring: ProjectNamesQuery,
        response: { 200: Type.Ref('ProjectNames') },
      },
    },
    (request): Promise<ProjectNames> => findNames(request.query.q, request.query.limit ?? PROJECT_NAMES_MAX),
  );

  app.get<{ Querystring: CodePlacesQuery }>(
    '/project/code',
    {
      schema: {
        summary: 'Definitions, uses, imports, environment variables and routes in the project’s code',
        tags: ['system'],
        querystring: CodePlacesQuery,
        response: { 200: Type.Ref('CodePlaces') },
      },
    },
    (request): Promise<CodePlaces> => findCode(request.query.query, request.query.name),
  );
}

function addEditorRoutes(app: App, { editors }: SystemParts): void {
  app.get(
    '/project/editors',
    {
      schema: {
        summary: 'The editors that files of the project can be opened in',
        tags: ['system'],
        response: { 200: Type.Ref('Editors') },
      },
    },
    (): Promise<Editors> => editors.list(),
  );

  app.post<{ Body: OpenFileBody }>(
    '/project/open',
    {
      schema: {
        summary: 'Open a line of a project file in the operator’s editor',
        tags: ['system'],
        body: OpenFileBody,
        response: { 200: Type.Ref('FileOpened') },
      },
    },
    (request): Promise<FileOpened> => editors.open(request.body),
  );
}

/** The daemon's log, and the versions and licences of what runs. */
function addDiagnosticsRoutes(app: App, { log, versions, licenses }: SystemParts): void {
  app.get<{ Querystring: LogLinesQuery }>(
    '/logs',
    {
      schema: {
        summary: 'The end of the daemon’s log, without secrets',
        tags: ['system'],
        querystring: LogLinesQuery,
        response: { 200: Type.Ref('LogLines') },
      },
    },
    (request): Promise<LogLines> => log.read(request.query),
  );

  app.get(
    '/versions',
    {
      schema: {
        summary: 'Versions of what runs here',
        tags: ['system'],
        response: { 200: Type.Ref('Versions') },
      },
    },
    async (): Promise<Versions> => versions(),
  );

  app.get(
    '/licenses',
    { schema: { summary: 'Licences of bundled software', tags: ['system'] } },
    async (_request, reply) => {
      const text = await licenses();
      if (text === undefined)
        throw new MeshError('not_found', 'The licences are put together by the build: run "npm run build".');
      return reply.type('text/plain; charset=utf-8').send(text);
    },
  );
}

function addDownloadRoutes(app: App, { bundle, copyStore }: SystemParts): void {
  app.get(
    '/support-bundle',
    {
      schema: { summary: 'Diagnostic data for bug reports, without secrets, questions and answers', tags: ['system'] },
    },
    async (_request, reply) => {
      void reply.headers({
        'content-type': 'application/json; charset=utf-8',
        'content-disposition': 'attachment; filename="meshd-support.json"',
      });
      return reply.send(await bundle.make());
    },
  );

  app.get(
    '/database',
    { schema: { summary: 'The database as it is at one moment, as one SQLite file, for a backup', tags: ['system'] } },
    async (_request, reply) => {
      const { bytes, contents } = await copyStore();
      void reply.headers({ 'content-type': 'application/vnd.sqlite3', 'content-length': bytes });
      return reply.send(contents);
    },
  );
}
