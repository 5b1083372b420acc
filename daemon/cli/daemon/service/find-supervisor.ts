import { delimiter, dirname, join } from 'node:path';
import { execPath, platform } from 'node:process';
import { homeFolder, unitsFolder } from '../../../lib/user-folders.js';
import type { Environment } from '../../environment.js';
import { findDaemonProgram } from '../installation.js';
import { heldClock } from './held-clock.js';
import { lastingNode } from './lasting-node.js';
import { lastingPath } from './lasting-path.js';
import { Launchd } from './launchd.js';
import type { Programs } from './programs.js';
import { noServiceManager } from './service-errors.js';
import { requireNameable, type ServicePlan } from './service-plan.js';
import type { Supervisor } from './supervisor.js';
import { Systemd } from './systemd.js';

/** The plan of the service of the project at `root`: this program, on this Node.js. */
function createServicePlan(root: string, entry: string, { variables }: Environment): ServicePlan {
  const program = join(dirname(findDaemonProgram(entry)), 'meshd.js');
  const path = lastingPath(variables?.['PATH']);
  return {
    root,
    node: lastingNode(execPath, path?.split(delimiter)),
    program,
    path,
    stateHome: variables?.['XDG_STATE_HOME'],
  };
}

/**
 * Returns the service manager for this user and platform. Throws `no_service_manager` when there is neither systemd nor
 * launchd or the user has no home, and `bad_root` for a path that a service file cannot contain.
 */
export function findSupervisor(root: string, entry: string, environment: Environment, programs: Programs): Supervisor {
  const plan = createServicePlan(root, entry, environment);
  requireNameable(plan);
  const variables = environment.variables ?? {};
  const system = environment.platform ?? platform;
  const home = homeFolder(variables);
  const units = unitsFolder(variables);
  const clock = environment.clock ?? heldClock;
  if (system === 'darwin' && home !== undefined)
    return new Launchd(plan, home, process.getuid?.() ?? 0, programs, clock);
  if (system === 'linux' && units !== undefined) return new Systemd(plan, units, programs);
  const why =
    system === 'darwin' || system === 'linux'
      ? 'HOME names no folder, and services of a user are described below it'
      : `A service needs systemd or launchd, and ${system} has neither`;
  throw noServiceManager(why);
}
