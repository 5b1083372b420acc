import { composeProjects } from '../features/projects/compose-projects.js';
import type { RunningProjects } from '../features/projects/running-projects.js';
import { isoTime } from '../lib/time/clock.js';
import type { Core } from './core.js';

/** Composes the list of the user's running daemons, with this daemon's own entry. */
export function composeOwnProject({ app, config, project, address, started, version }: Core): Promise<RunningProjects> {
  const own = { name: project, root: config.root, pid: process.pid, version, started_at: isoTime(started.ms) };
  return composeProjects({
    app,
    folder: config.projectsFolder,
    ownUid: config.ownUid,
    own: () => ({ ...own, address: address() }),
  });
}
