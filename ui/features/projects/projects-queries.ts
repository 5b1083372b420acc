import { queryOptions } from '@tanstack/react-query';
import type { ProjectList } from '../../../daemon/contract/projects.js';
import { call } from '../../lib/api.js';
import { type SeenProject, withSeen } from './seen-projects.js';

const queryKey = ['projects'] as const;

/** The projects of this user, looked at again once a minute: nothing tells of a daemon elsewhere that starts or stops. */
export const projectsQuery = () =>
  queryOptions({
    queryKey,
    queryFn: async ({ client, signal }): Promise<SeenProject[]> => {
      const { projects } = await call<ProjectList>('/projects', { signal });
      const before = client.getQueryState<SeenProject[]>(queryKey);
      return withSeen(before?.data ?? [], projects, before?.dataUpdatedAt ?? 0);
    },
    refetchInterval: 60_000,
  });

/** Where a project's dashboard is. */
export const dashboardOf = ({ address }: { address: string }) => `${address}/app`;
