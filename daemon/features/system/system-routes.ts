import { Type } from 'typebox';
import type { ClientList } from '../../contract/clients.js';
import {
  type DoctorReport,
  type FileLines,
  FileLinesQuery,
  type Health,
  HealthQuery,
  type Preferences,
  PreferencesPatch,
} from '../../contract/system.js';
import type { App } from '../../http/create-server.js';
import type { OperatorPreferences } from './preferences.js';

export interface SystemParts {
  health: (nonce: string | undefined) => Health;
  examine: () => Promise<DoctorReport>;
  listClients: () => Promise<ClientList>;
  readLines: (path: string, start: number | undefined, end: number | undefined) => Promise<FileLines>;
  preferences: OperatorPreferences;
}

/** What the daemon says of itself, and the operator's preferences. */
export function systemRoutes(app: App, { health, examine, listClients, readLines, preferences }: SystemParts): void {
  app.get<{ Querystring: HealthQuery }>(
    '/health',
    {
      config: { access: 'public' },
      schema: {
        summary: 'Whether the daemon is well; proves itself to whoever can read its file',
        tags: ['system'],
        querystring: HealthQuery,
        response: { 200: Type.Ref('Health') },
      },
    },
    async (request): Promise<Health> => health(request.query.nonce),
  );

  app.get(
    '/doctor',
    { schema: { summary: 'Common troubles, each with what mends it', tags: ['system'], response: { 200: Type.Ref('DoctorReport') } } },
    (): Promise<DoctorReport> => examine(),
  );

  app.get(
    '/clients',
    { schema: { summary: 'What can run members on this machine', tags: ['system'], response: { 200: Type.Ref('ClientList') } } },
    (): Promise<ClientList> => listClients(),
  );

  app.get(
    '/preferences',
    { schema: { summary: 'Preferences of the dashboard', tags: ['system'], response: { 200: Type.Ref('Preferences') } } },
    async (): Promise<Preferences> => preferences.get(),
  );

  app.patch<{ Body: PreferencesPatch }>(
    '/preferences',
    { schema: { summary: 'Change preferences', tags: ['system'], body: PreferencesPatch, response: { 200: Type.Ref('Preferences') } } },
    (request): Promise<Preferences> => preferences.update(request.body),
  );

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
}
