import type { FoundAgent, SearchBody, SearchResult } from '../../contract/network/oracle.js';
import type { Variables } from '../../lib/user-folders.js';
import { findDaemon } from '../daemon/project.js';
import { listRunningProjects } from '../daemon/running-projects.js';
import { CommandError } from '../exit-codes.js';

/** An agent that a search found. */
export interface NamedAgent extends FoundAgent {
  /** `<project>/<member>`, by which a member of another running project of this user is asked and called. */
  call?: string;
}

const MEMBER_PATH = /^\/team\/([a-z0-9][a-z0-9-]*)$/;

/**
 * Searches the exposed members of the user's other running projects, each with its own daemon, which scores them.
 * Agents of other programs that are registered there are left out. A project that gives no answer is, too.
 */
export async function findMembersElsewhere(
  body: SearchBody,
  root: string,
  variables: Variables,
): Promise<NamedAgent[]> {
  const projects = await listRunningProjects(variables, root);
  const found = await Promise.all(
    projects
      .filter(({ current }) => !current)
      .map(async (project) => {
        try {
          const daemon = await findDaemon(project.root);
          const { agents = [] } = (await daemon?.client.send<SearchResult>('POST', '/v1/search', { body })) ?? {};
          return agents.flatMap((agent): NamedAgent[] => {
            const { endpoint } = agent;
            const path = endpoint?.startsWith(`${project.address}/`) ? endpoint.slice(project.address.length) : '';
            const [, member] = MEMBER_PATH.exec(path) ?? [];
            return member === undefined ? [] : [{ ...agent, call: `${project.name}/${member}` }];
          });
        } catch (error) {
          if (error instanceof CommandError) return [];
          throw error;
        }
      }),
  );
  return found.flat();
}
