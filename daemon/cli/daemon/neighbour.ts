import type { RunningProject } from '../../contract/projects.js';
import type { Variables } from '../../lib/user-folders.js';
import { CommandError } from '../exit-codes.js';
import { listRunningProjects } from './running-projects.js';

/** The project of this user whose daemon listens on a port that another project wanted. */
export interface Neighbour {
  project: Pick<RunningProject, 'name' | 'root'>;
  port: number;
}

/** The port that a start was refused for; undefined for any other failure. */
export function findTakenPort(error: unknown): number | undefined {
  if (!(error instanceof CommandError) || error.code !== 'port_taken') return undefined;
  return Number(/Port (\d+)/.exec(error.message)?.[1]);
}

/** Returns the project of this user whose daemon listens on `port`; undefined when another program does. */
export async function findNeighbour(port: number, variables: Variables, root: string): Promise<Neighbour | undefined> {
  const projects = await listRunningProjects(variables, root);
  const project = projects.find(({ address }) => Number(new URL(address).port) === port);
  return project && { project, port };
}
