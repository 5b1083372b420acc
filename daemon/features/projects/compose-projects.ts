import type { App } from '../../http/route-types.js';
import type { ProjectEntry } from '../../lib/project-entry.js';
import { ProjectEntries, readForeignDaemonFile } from '../../storage/project-entries.js';
import { askHealth } from './ask-health.js';
import { projectsRoutes } from './projects-routes.js';
import { RunningProjects } from './running-projects.js';

export interface ComposeProjectsParts {
  app: App;
  /** The folder of the entries; undefined for a user without a home. */
  folder: string | undefined;
  ownUid: number | undefined;
  /** This daemon's own entry, once it listens. */
  own: () => ProjectEntry;
}

/** The other projects of this user, with their route. The caller announces this one once its daemon file stands, and withdraws it before the stop. */
export async function composeProjects({ app, folder, ownUid, own }: ComposeProjectsParts): Promise<RunningProjects> {
  const running = new RunningProjects({
    entries: folder === undefined ? undefined : new ProjectEntries(folder, ownUid),
    own,
    readDaemonFile: (root) => readForeignDaemonFile(root, ownUid),
    askHealth,
    warn: (message) => app.log.warn(message),
  });
  await app.register(projectsRoutes, { running });
  return running;
}
