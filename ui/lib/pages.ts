import {
  type InfiniteData,
  keepPreviousData,
  type QueryKey,
  type UseInfiniteQueryOptions,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
} from '@tanstack/react-query';
import { useMemo } from 'react';

/** A list that is read page by page: the rows read so far, and the query that reads more. */
interface Pages<Page, Row> {
  query: UseInfiniteQueryResult<InfiniteData<Page>>;
  all: Row[];
}

/**
 * Reads a list page by page. While other filters are loading, the previous rows stay. `rowsOf` must be referentially
 * stable.
 */
export function usePages<Page, Row, Key extends QueryKey>(
  options: UseInfiniteQueryOptions<Page, Error, InfiniteData<Page>, Key, string>,
  listRows: (page: Page) => readonly Row[],
): Pages<Page, Row> {
  const query = useInfiniteQuery({ ...options, placeholderData: keepPreviousData });
  const all = useMemo(() => query.data?.pages.flatMap(listRows) ?? [], [query.data, listRows]);
  return { query, all };
}
