import type { QueryClient, QueryKey } from '@tanstack/react-query';

/**
 * Invalidates the queries under `queryKey` and reads them again. A pending first read is not cancelled and may be older
 * than the change, so it is followed by another read.
 */
export function invalidate(client: QueryClient, queryKey: QueryKey, refetchType: 'active' | 'none' = 'active'): void {
  for (const first of client
    .getQueryCache()
    .findAll({ queryKey, fetchStatus: 'fetching', predicate: ({ state }) => state.data === undefined })) {
    const follow = () => void client.invalidateQueries({ queryKey: first.queryKey, exact: true, refetchType });
    // The query stores its data only after the waiting promises have settled, hence the timer.
    first.promise?.then(
      () => setTimeout(follow),
      () => undefined,
    );
  }
  void client.invalidateQueries({ queryKey, refetchType });
}
