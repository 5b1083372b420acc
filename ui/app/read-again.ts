import type { QueryClient, QueryKey } from '@tanstack/react-query';

/**
 * Has what stands under `queryKey` read again. The first reading of a query goes on meanwhile and may be older than the change: one that is under way is
 * followed by another.
 */
export function readAgain(client: QueryClient, queryKey: QueryKey, refetchType: 'active' | 'none' = 'active'): void {
  for (const first of client
    .getQueryCache()
    .findAll({ queryKey, fetchStatus: 'fetching', predicate: ({ state }) => state.data === undefined })) {
    const follow = () => void client.invalidateQueries({ queryKey: first.queryKey, exact: true, refetchType });
    // What was read is the query's own only after those who waited for it have been told.
    first.promise?.then(
      () => setTimeout(follow),
      () => undefined,
    );
  }
  void client.invalidateQueries({ queryKey, refetchType });
}
