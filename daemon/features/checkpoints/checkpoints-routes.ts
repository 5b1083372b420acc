import { Type } from 'typebox';
import {
  type Changes,
  ChangesQuery,
  type CheckpointList,
  type FileDiff,
  FileDiffQuery,
  Fork,
  RevertChange,
  Rewind,
  type Rewound,
} from '../../contract/work/changes.js';
import type { App } from '../../http/route-types.js';
import type { ConversationChanges } from './changes.js';
import type { Checkpoints } from './checkpoints.js';
import type { Forks } from './forks.js';
import type { Rewinds } from './rewinds.js';

const tags = ['conversations'];
/** A hunk of the longest patch. */
const REVERT_MAX_BYTES = 8 * 1024 * 1024;

type Id = { Params: { conv: string } };

interface CheckpointsRoutesOptions {
  checkpoints: Checkpoints;
  changes: ConversationChanges;
  rewinds: Rewinds;
  forks: Forks;
}

/** Registers the operator's routes for checkpoints and changes of files. Contract: Changes. */
export async function checkpointsRoutes(app: App, options: CheckpointsRoutesOptions): Promise<void> {
  addReadingRoutes(app, options);
  addChangingRoutes(app, options);
}

function addChangingRoutes(app: App, { rewinds, forks }: CheckpointsRoutesOptions): void {
  const response = { 200: Type.Ref('Rewound') };
  app.post<Id & { Body: Rewind }>(
    '/conversations/:conv/rewind',
    { schema: { summary: 'Return files, messages or both to a checkpoint', tags, body: Rewind, response } },
    (request): Promise<Rewound> => rewinds.rewind(request.params.conv, request.body),
  );

  app.post<Id & { Body: RevertChange }>(
    '/conversations/:conv/changes/revert',
    {
      schema: { summary: 'Take one file, or one hunk of it, back to how it was', tags, body: RevertChange, response },
      bodyLimit: REVERT_MAX_BYTES,
    },
    (request): Promise<Rewound> => rewinds.revert(request.params.conv, request.body),
  );

  app.post<Id & { Body: Fork }>(
    '/conversations/:conv/fork',
    {
      schema: {
        summary: 'Continue from a checkpoint in a new conversation',
        tags,
        body: Fork,
        response: { 201: Type.Ref('Conversation') },
      },
    },
    async (request, reply) => reply.code(201).send(await forks.fork(request.params.conv, request.body)),
  );
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
