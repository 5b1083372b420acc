import { queryOptions } from '@tanstack/react-query';
import type { ProjectList } from '../../../daemon/contract/projects.js';
import { call } from '../../lib/api.js';
import { type SeenProject, withSeen } from './seen-projects.js';

const queryKey = ['projects'] as const;

/** The projects of this user, polled once a minute: no event reports that another daemon starts or stops. */
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

/** Returns the address of a project's dashboard. */
export const getDashboardUrl = ({ address }: { address: string }) => `${address}/app`;
