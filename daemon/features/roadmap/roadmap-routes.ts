import { Type } from 'typebox';
import { type Roadmap as RoadmapView, RunRoadmap, TaskPatch } from '../../contract/roadmap.js';
import type { App } from '../../http/route-types.js';
import type { Roadmap } from './roadmap.js';

const tags = ['roadmap'];
const response = { 200: Type.Ref('Roadmap') };

/** The routes of the roadmap queue, for the operator. */
export async function roadmapRoutes(app: App, { roadmap }: { roadmap: Roadmap }): Promise<void> {
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

  app.post<{ Body: RunRoadmap | undefined }>(
    '/roadmap/run',
    { schema: { summary: 'Give ready tasks to their members', tags, body: Type.Optional(RunRoadmap), response } },
    (request): Promise<RoadmapView> => roadmap.run(request.body ?? {}),
  );

  app.post(
    '/roadmap/stop',
    { schema: { summary: 'Stop giving out tasks', tags, response } },
    (): Promise<RoadmapView> => roadmap.stop(),
  );
}
