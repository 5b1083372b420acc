import { Type } from 'typebox';
import {
  type Changes,
  ChangesQuery,
  type CheckpointList,
  type FileDiff,
  FileDiffQuery,
} from '../../contract/changes.js';
import type { App } from '../../http/route-types.js';
import type { ConversationChanges } from './changes.js';
import type { Checkpoints } from './checkpoints.js';

const tags = ['conversations'];

type Id = { Params: { conv: string } };

interface CheckpointsRoutesOptions {
  checkpoints: Checkpoints;
  changes: ConversationChanges;
}

/** Registers the operator's routes for checkpoints and changes of files. Contract: Changes. */
export async function checkpointsRoutes(app: App, options: CheckpointsRoutesOptions): Promise<void> {
  addReadingRoutes(app, options);
}

function addReadingRoutes(app: App, { checkpoints, changes }: CheckpointsRoutesOptions): void {
  app.get<Id>(
    '/conversations/:conv/checkpoints',
    {
      schema: {
        summary: 'Checkpoints of the files of a conversation, oldest first',
        tags,
        response: { 200: Type.Ref('CheckpointList') },
      },
    },
    (request): Promise<CheckpointList> => checkpoints.list(request.params.conv),
  );

  app.get<Id & { Querystring: ChangesQuery }>(
    '/conversations/:conv/changes',
    {
      schema: {
        summary: 'Files that differ between two checkpoints, or since one',
        tags,
        querystring: ChangesQuery,
        response: { 200: Type.Ref('Changes') },
      },
    },
    (request): Promise<Changes> => changes.list(request.params.conv, request.query),
  );

  app.get<Id & { Querystring: FileDiffQuery }>(
    '/conversations/:conv/changes/file',
    {
      schema: {
        summary: 'The change of one file as a patch',
        tags,
        querystring: FileDiffQuery,
        response: { 200: Type.Ref('FileDiff') },
      },
    },
    (request): Promise<FileDiff> => changes.file(request.params.conv, request.query),
  );
}
