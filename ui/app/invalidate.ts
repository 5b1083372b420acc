import type { QueryClient, QueryKey } from '@tanstack/react-query';

/**
 * Invalidates the queries under `queryKey` and reads them again. A pending read is not cancelled, because under a
 * steady stream of changes none would end. It may be older than the change, so it is followed by another read.
 */
export function invalidate(client: QueryClient, queryKey: QueryKey, refetchType: 'active' | 'none' = 'active'): void {
  for (const { promise, queryKey: pending } of client.getQueryCache().findAll({ queryKey, fetchStatus: 'fetching' })) {
    // The query stores its data only after the waiting promises have settled, hence the timer.
    const follow = () =>
      setTimeout(
        () => void client.invalidateQueries({ queryKey: pending, exact: true, refetchType }, { cancelRefetch: false }),
      );
    promise?.then(follow, follow);
  }
  void client.invalidateQueries({ queryKey, refetchType }, { cancelRefetch: false });
}
