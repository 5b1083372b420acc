import { Type } from 'typebox';
import { SearchBody } from '../../contract/network/oracle.js';
import type { FoundElsewhere, ProjectList } from '../../contract/projects.js';
import type { App } from '../../http/route-types.js';
import type { NeighbourSearch } from './neighbour-search.js';
import type { RunningProjects } from './running-projects.js';

interface ProjectsRoutesParts {
  running: RunningProjects;
  neighbours: NeighbourSearch;
}

/** The routes that list the user's other daemons and search their members. */
export async function projectsRoutes(app: App, { running, neighbours }: ProjectsRoutesParts): Promise<void> {
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

  app.post<{ Body: SearchBody }>(
    '/projects/search',
    {
      schema: {
        summary: 'Search the exposed members of the other running projects of this user',
        tags: ['system'],
        body: SearchBody,
        response: { 200: Type.Ref('FoundElsewhere') },
      },
    },
    async ({ body }): Promise<FoundElsewhere> => {
      const agents = await neighbours.search(body);
      return { agents, count: agents.length };
    },
  );
}
