import { Type } from 'typebox';
import type { ProjectList } from '../../contract/projects.js';
import type { App } from '../../http/route-types.js';
import type { RunningProjects } from './running-projects.js';

/** The route that lists the user's other daemons. */
export async function projectsRoutes(app: App, { running }: { running: RunningProjects }): Promise<void> {
  app.get(
    '/projects',
    {
      schema: {
        summary: 'Daemons of this user that run now, this one among them',
        tags: ['system'],
        response: { 200: Type.Ref('ProjectList') },
      },
    },
    (): Promise<ProjectList> => running.list(),
  );
}
