import { Type } from 'typebox';
import {
  CheckCommandBody,
  type CheckCommands as CheckCommandsView,
  type Roadmap as RoadmapView,
  RunRoadmap,
  TaskPatch,
} from '../../contract/work/roadmap.js';
import type { App } from '../../http/route-types.js';
import type { CheckCommands } from './check-commands.js';
import type { Roadmap } from './roadmap.js';

const tags = ['roadmap'];
const response = { 200: Type.Ref('Roadmap') };

interface RoadmapRoutesParts {
  roadmap: Roadmap;
  commands: CheckCommands;
}

/** The routes of the roadmap queue and of the commands that check its tasks, for the operator. */
export async function roadmapRoutes(app: App, { roadmap, commands }: RoadmapRoutesParts): Promise<void> {
  addTaskRoutes(app, roadmap);
  addCheckRoutes(app, commands);
}

function addTaskRoutes(app: App, roadmap: Roadmap): void {
  app.get(
    '/roadmap',
    { schema: { summary: 'Tasks of .mesh/roadmap.md and their state', tags, response } },
    (): Promise<RoadmapView> => roadmap.view(),
  );

  app.patch<{ Params: { task: string }; Body: TaskPatch }>(
    '/roadmap/:task',
    { schema: { summary: 'Change one task', tags, body: TaskPatch, response } },
    (request): Promise<RoadmapView> => roadmap.patch(request.params.task, request.body),
  );

  app.post<{ Body: RunRoadmap | null | undefined }>(
    '/roadmap/run',
    {
      schema: {
        summary: 'Give ready tasks to their members',
        tags,
        body: Type.Union([RunRoadmap, Type.Null()]),
        response,
      },
    },
    (request): Promise<RoadmapView> => roadmap.run(request.body ?? {}),
  );

  app.post(
    '/roadmap/stop',
    { schema: { summary: 'Stop giving out tasks', tags, response } },
    (): Promise<RoadmapView> => roadmap.stop(),
  );
}

function addCheckRoutes(app: App, commands: CheckCommands): void {
  const answer = { 200: Type.Ref('CheckCommands') };

  app.get(
    '/roadmap/checks',
    { schema: { summary: 'Commands that tasks can be checked with', tags, response: answer } },
    (): CheckCommandsView => commands.list(),
  );

  app.put<{ Params: { name: string }; Body: CheckCommandBody }>(
    '/roadmap/checks/:name',
    {
      schema: {
        summary: 'Set a command that tasks can be checked with',
        tags,
        body: CheckCommandBody,
        response: answer,
      },
    },
    (request): Promise<CheckCommandsView> => commands.set(request.params.name, request.body.command),
  );

  app.delete<{ Params: { name: string } }>(
    '/roadmap/checks/:name',
    { schema: { summary: 'Remove a command that tasks can be checked with', tags, response: answer } },
    (request): Promise<CheckCommandsView> => commands.remove(request.params.name),
  );
}
