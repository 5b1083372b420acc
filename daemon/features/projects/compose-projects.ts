import type { App } from '../../http/route-types.js';
import type { ProjectEntry } from '../../lib/project-entry.js';
import type { Clock } from '../../lib/time/clock.js';
import { ProjectEntries, readForeignDaemonFile } from '../../storage/project-entries.js';
import { askHealth } from './ask-health.js';
import { NeighbourSearch } from './neighbour-search.js';
import { projectsRoutes } from './projects-routes.js';
import { RunningProjects } from './running-projects.js';

interface ComposeProjectsParts {
  app: App;
  clock: Clock;
  /** The folder of the entries. Undefined for a user without a home directory. */
  folder: string | undefined;
  ownUid: number | undefined;
  /** This daemon's own entry, available once it listens. */
  own: () => ProjectEntry;
  findCommand: () => Promise<readonly string[]>;
}

/**
 * Composes the list of the user's projects with its routes. The caller announces this daemon after its daemon file has
 * been written and withdraws it before stopping.
 */
export async function composeProjects(parts: ComposeProjectsParts): Promise<RunningProjects> {
  const { app, clock, folder, ownUid, own, findCommand } = parts;
  const running = new RunningProjects({
    entries: folder === undefined ? undefined : new ProjectEntries(folder, ownUid),
    own,
    findCommand,
    readDaemonFile: (root) => readForeignDaemonFile(root, ownUid),
    askHealth,
    warn: (message) => app.log.warn(message),
  });
  await app.register(projectsRoutes, { running, neighbours: new NeighbourSearch(running, clock) });
  return running;
}
