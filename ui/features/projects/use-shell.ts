import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ProjectList } from '../../../daemon/contract/projects.js';
import { call } from '../../lib/api.js';

const shellQuery = () =>
  queryOptions({
    queryKey: ['shell'] as const,
    queryFn: async ({ signal }) => {
      const { projects, command } = await call<ProjectList>('/projects', { signal });
      return { root: projects.find(({ current }) => current)?.root, command: command ?? ['meshd'] };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

/**
 * Returns what commands for a shell of this machine need: the project's folder, and the words that run `meshd`; until
 * they are read undefined and `meshd`.
 */
export function useShell(): { root: string | undefined; command: readonly string[] } {
  return useQuery(shellQuery()).data ?? { root: undefined, command: ['meshd'] };
}
