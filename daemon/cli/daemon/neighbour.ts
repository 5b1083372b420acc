import { setTimeout } from 'node:timers/promises';
import type { RunningProject } from '../../contract/projects.js';
import type { Health } from '../../contract/system.js';
import type { Variables } from '../../lib/user-folders.js';
import { CommandError } from '../exit-codes.js';
import { HttpClient } from '../http-client.js';
import { listRunningProjects } from './running-projects.js';

/** How many ports beyond the one of another project are tried. */
const PORTS_TRIED = 100;
/** How long a daemon that listens may take until it is listed. */
const LISTED_WITHIN_MS = 3_000;
const LOOK_PAUSE_MS = 100;
const ANSWER_MS = 1_000;

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

/** Whether a daemon of any project listens on `port`. One that gives no answer in time may be busy with its start. */
async function isDaemon(port: number): Promise<boolean> {
  try {
    const client = new HttpClient(`http://127.0.0.1:${port}`);
    const health = await client.get<Partial<Health> | null>('/health', { timeoutMs: ANSWER_MS });
    return typeof health?.root_sha256 === 'string';
  } catch (error) {
    return error instanceof CommandError && error.details['reason'] === 'timed_out';
  }
}

/**
 * Returns the project of this user whose daemon listens on `port`; undefined when another program does. A daemon has
 * its port some time before it is listed, so where several start at once it is looked for again.
 */
async function findNeighbour(port: number, variables: Variables, root: string): Promise<Neighbour | undefined> {
  const deadline = performance.now() + LISTED_WITHIN_MS;
  for (;;) {
    const projects = await listRunningProjects(variables, root);
    const project = projects.find(({ address }) => Number(new URL(address).port) === port);
    if (project) return { project, port };
    if (performance.now() > deadline || !(await isDaemon(port))) return undefined;
    await setTimeout(LOOK_PAUSE_MS);
  }
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
