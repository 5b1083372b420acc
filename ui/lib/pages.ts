import {
  type InfiniteData,
  keepPreviousData,
  type QueryKey,
  type UseInfiniteQueryOptions,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
} from '@tanstack/react-query';
import { useMemo } from 'react';

/** A list that is read page by page: what was read so far, and the query that reads on. */
export interface Pages<Page, Row> {
  query: UseInfiniteQueryResult<InfiniteData<Page>>;
  all: Row[];
}

/** Reads a list page by page; while other filters are being read, the rows of the last ones stay. `rowsOf` must keep its identity. */
export function usePages<Page, Row, Key extends QueryKey>(
  options: UseInfiniteQueryOptions<Page, Error, InfiniteData<Page>, Key, string>,
  rowsOf: (page: Page) => readonly Row[],
): Pages<Page, Row> {
  const query = useInfiniteQuery({ ...options, placeholderData: keepPreviousData });
  const all = useMemo(() => query.data?.pages.flatMap(rowsOf) ?? [], [query.data, rowsOf]);
  return { query, all };
}
