import { useQuery } from '@tanstack/react-query';
import { savedClustersQuery } from './clusters-list.js';
import { savedClusterQuery } from './clusters-queries.js';

/**
 * Returns the saved cluster `id` (or slug), and `isUnknown` once it is certain that it is not saved. One that is not in
 * the list is not asked for: the browser would report the 404 as an error of the page.
 */
export function useSavedCluster(id: string) {
  const list = useQuery(savedClustersQuery());
  const isListed = list.data?.some(({ cluster_id, slug }) => cluster_id === id || slug === id);
  const query = useQuery({ ...savedClusterQuery(id), enabled: isListed === true });
  const isUnknown = isListed === false;
  return {
    // What was read before it was left or deleted stays.
    data: query.data,
    error: isListed === undefined ? list.error : query.error,
    isPending: !isUnknown && query.isPending,
    refetch: isListed ? query.refetch : list.refetch,
    isUnknown,
  };
}
