import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { SearchResult } from '../../../daemon/contract/network/oracle.js';
import type { FoundElsewhere } from '../../../daemon/contract/projects.js';
import { call } from '../../lib/api.js';
import { agentsKeys } from '../agents/agents-keys.js';
import { searchBody } from './find-filters.js';
import type { FindSearch } from './find-search.js';

/** The result of an agent search (the Oracle), page by page, with reasons. */
export const searchQuery = (search: FindSearch) =>
  infiniteQueryOptions({
    queryKey: [...agentsKeys.searches, search],
    queryFn: ({ pageParam, signal }) =>
      call<SearchResult>('/v1/search', { method: 'POST', body: searchBody(search, pageParam), signal }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

/** The exposed members of the user's other running projects that the same search finds. */
export const elsewhereQuery = (search: FindSearch) =>
  queryOptions({
    queryKey: [...agentsKeys.searches, 'elsewhere', search],
    queryFn: ({ signal }) =>
      call<FoundElsewhere>('/projects/search', { method: 'POST', body: searchBody(search, ''), signal }),
    placeholderData: keepPreviousData,
  });
