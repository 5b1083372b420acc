import { composeProjects } from '../features/projects/compose-projects.js';
import type { RunningProjects } from '../features/projects/running-projects.js';
import { isoTime } from '../lib/time/clock.js';
import { findProgram } from '../storage/processes/process-group-path.js';
import type { Core } from './core.js';

/**
 * Composes the list of the user's running daemons, with this daemon's own entry. `commandLine` is the program of the
 * command line beside this daemon; it is named by its path where `meshd` is not on the PATH.
 */
export function composeOwnProject(
  { app, clock, config, project, address, started, version }: Core,
  commandLine: string | undefined,
): Promise<RunningProjects> {
  const own = { name: project, root: config.root, pid: process.pid, version, started_at: isoTime(started.ms) };
  return composeProjects({
    app,
    clock,
    folder: config.projectsFolder,
    ownUid: config.ownUid,
    own: () => ({ ...own, address: address() }),
    findCommand: async () => {
      const isInstalled = (await findProgram('meshd', config.environment['PATH'])) !== undefined;
      return isInstalled || commandLine === undefined ? ['meshd'] : ['node', commandLine];
    },
  });
}
