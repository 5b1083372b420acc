import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { ReportLog, Reputation } from '../../../daemon/contract/network/reputation.js';
import { call, query } from '../../lib/api.js';
import { agentsKeys } from '../agents/agents-keys.js';

const PAGE = 200;

export const reputationQuery = (agentId: string) =>
  queryOptions({
    queryKey: [...agentsKeys.one(agentId), 'reputation'],
    queryFn: ({ signal }) => call<Reputation>(`/v1/reputation/${encodeURIComponent(agentId)}`, { signal }),
  });

/** The signed log from the beginning, which is needed to recompute a score. */
export const reportsQuery = (agentId: string) =>
  infiniteQueryOptions({
    queryKey: [...agentsKeys.one(agentId), 'reports'],
    queryFn: ({ pageParam, signal }) =>
      call<ReportLog>(
        `/v1/reputation/${encodeURIComponent(agentId)}/reports${query({ limit: PAGE, cursor: pageParam })}`,
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
