import { type InfiniteData, infiniteQueryOptions, type QueryClient, type QueryKey } from '@tanstack/react-query';
import type { RequestList } from '../../../daemon/contract/asks.js';
import { call, query } from '../../lib/api.js';
import { asksKeys, type RequestFilters } from './asks-queries.js';
import { findFinalPage, untilItsEnd } from './final-pages.js';

const PAGE = 50;
/** The most that the daemon returns at once. */
const PAGE_MAX = 200;

const listPages = (client: QueryClient, key: QueryKey) => client.getQueryData<InfiniteData<RequestList, string>>(key);

/**
 * The requests, page by page. A refetch reads only what may have changed: the first page, which keeps its end so that
 * the following pages stay valid, and pages with a request that has not ended.
 */
export const requestsQuery = (filters: RequestFilters) =>
  infiniteQueryOptions({
    queryKey: asksKeys.list(filters),
    queryFn: async ({ client, queryKey, pageParam, signal }) => {
      const was = listPages(client, queryKey);
      const read = (limit: number) =>
        call<RequestList>(`/requests${query({ ...filters, limit, cursor: pageParam || undefined })}`, { signal });
      if (pageParam !== '') return findFinalPage(was, pageParam) ?? (await read(PAGE_MAX));
      const first = was && was.pages.length > 1 ? was.pages[0] : undefined;
      if (!first) return read(PAGE);
      const found = untilItsEnd(await read(Math.min(PAGE_MAX, first.count + PAGE)), first);
      return found ?? read(PAGE);
    },
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
