import { queryOptions } from '@tanstack/react-query';
import type { RequestDetail, RequestList } from '../../../daemon/contract/asks.js';
import { call } from '../../lib/api.js';

export interface RequestFilters {
  member?: string | undefined;
  status?: string | undefined;
  rating?: string | undefined;
  kind?: string | undefined;
  q?: string | undefined;
  caller?: string | undefined;
  since?: string | undefined;
}

export const asksKeys = {
  lists: ['requests'] as const,
  list: (filters: RequestFilters) => ['requests', 'list', filters] as const,
  recent: ['requests', 'recent'] as const,
  one: (rid: string) => ['request', rid] as const,
};

const RECENT = 100;

/** The newest requests of all members. The rail, the home page and the roster count from them. */
export const recentRequestsQuery = () =>
  queryOptions({
    queryKey: asksKeys.recent,
    queryFn: async ({ signal }) => (await call<RequestList>(`/requests?limit=${RECENT}`, { signal })).requests,
  });

export const requestQuery = (rid: string) =>
  queryOptions({
    queryKey: asksKeys.one(rid),
    queryFn: ({ signal }) => call<RequestDetail>(`/requests/${encodeURIComponent(rid)}`, { signal }),
  });
