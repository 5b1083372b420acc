import { Type } from 'typebox';
import { DriftBody, ExportBody, ExportQuery, ImportBody, ImportsQuery } from '../../contract/imports.js';
import type { App } from '../../http/route-types.js';
import type { ImportDrift } from './drift.js';
import type { Exports } from './exports.js';
import type { Imports } from './imports.js';

const tags = ['imports'];
const Params = Type.Object({ id: Type.String() });

interface ImportsRoutesParts {
  imports: Imports;
  drift: ImportDrift;
  exports: Exports;
}

/** Registers the operator's routes for imports, drift and exports. */
export async function importsRoutes(app: App, { imports, drift, exports }: ImportsRoutesParts): Promise<void> {
  addImportRoutes(app, imports);
  addDriftRoutes(app, drift);
  addExportRoutes(app, exports);
}

function addImportRoutes(app: App, imports: Imports): void {
  app.get<{ Querystring: ImportsQuery }>(
    '/imports',
    {
      schema: {
        summary: 'Agents of other tools that could become members',
        tags,
        querystring: ImportsQuery,
        response: { 200: Type.Ref('ImportCandidates') },
      },
    },
    (request) => imports.list(request.query),
  );

  app.post<{ Body: ImportBody }>(
    '/imports',
    {
      schema: {
        summary: 'Import some of them as members',
        tags,
        body: ImportBody,
        response: { 200: Type.Ref('Imported') },
      },
    },
    (request) => imports.import(request.body),
  );
}

function addDriftRoutes(app: App, drift: ImportDrift): void {
  app.get(
    '/imports/drift',
    { schema: { summary: 'Imported members whose sources changed', tags, response: { 200: Type.Ref('DriftList') } } },
    () => drift.list(),
  );

  app.get<{ Params: { id: string } }>(
    '/imports/:id/drift',
    {
      schema: {
        summary: 'Result of a pull for the member’s file; writes nothing',
        tags,
        params: Params,
        response: { 200: Type.Ref('PullPreview') },
      },
    },
    (request) => drift.preview(request.params.id),
  );

  app.post<{ Params: { id: string }; Body: DriftBody }>(
    '/imports/:id/drift',
    {
      schema: {
        summary: 'Pull the source’s change into the member, or ignore it',
        tags,
        params: Params,
        body: DriftBody,
        response: { 200: Type.Ref('DriftList') },
      },
    },
    (request) => drift.settle(request.params.id, request.body.action),
  );
}

function addExportRoutes(app: App, exports: Exports): void {
  app.get<{ Params: { id: string }; Querystring: ExportQuery }>(
    '/exports/:id',
    {
      schema: {
        summary: 'A member in another tool’s format',
        tags,
        params: Params,
        querystring: ExportQuery,
        response: { 200: Type.Ref('Exported') },
      },
    },
    (request) => exports.get(request.params.id, request.query.format),
  );

  app.post<{ Body: ExportBody }>(
    '/exports',
    {
      schema: {
        summary: 'Write members as files of another tool; a dry run unless `write`',
        tags,
        body: ExportBody,
        response: { 200: Type.Ref('ExportedList') },
      },
    },
    (request) => exports.export(request.body),
  );
}
