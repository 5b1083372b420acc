import type { RunningProject } from '../../contract/projects.js';
import type { Variables } from '../../lib/user-folders.js';
import { CommandError } from '../exit-codes.js';
import { listRunningProjects } from './running-projects.js';

/** How many ports beyond the one of another project are tried. */
const PORTS_TRIED = 100;

/** The project of this user whose daemon listens on a port that another project wanted. */
export interface Neighbour {
  project: Pick<RunningProject, 'name' | 'root'>;
  port: number;
}

/** The port that a start was refused for; undefined for any other failure. */
export function findTakenPort(error: unknown): number | undefined {
  if (!(error instanceof CommandError) || error.code !== 'port_taken') return undefined;
  const { port } = error.details;
  return typeof port === 'number' ? port : undefined;
}

/** Returns the project of this user whose daemon listens on `port`; undefined when another program does. */
async function findNeighbour(port: number, variables: Variables, root: string): Promise<Neighbour | undefined> {
  const projects = await listRunningProjects(variables, root);
  const project = projects.find(({ address }) => Number(new URL(address).port) === port);
  return project && { project, port };
}

/**
 * Returns the port to try after a start without a wanted port was refused because another project of this user has
 * that port, and that project. `before` is the one that an earlier attempt met. Undefined when no other port is due.
 */
export async function findNextPort(
  error: unknown,
  before: Neighbour | undefined,
  variables: Variables,
  root: string,
): Promise<{ port: number; neighbour: Neighbour } | undefined> {
  const taken = findTakenPort(error);
  if (taken === undefined) return undefined;
  const neighbour = before ?? (await findNeighbour(taken, variables, root));
  return neighbour && taken < neighbour.port + PORTS_TRIED ? { port: taken + 1, neighbour } : undefined;
}
