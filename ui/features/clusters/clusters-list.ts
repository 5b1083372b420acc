import { queryOptions } from '@tanstack/react-query';
import type { SavedClusterList } from '../../../daemon/contract/saved-clusters.js';
import { call } from '../../lib/api.js';

export const clusterKeys = {
  list: ['rooms'] as const,
  one: (id: string) => ['room', id] as const,
  catalog: ['clusters'] as const,
  cards: ['cluster'] as const,
  card: (id: string) => ['cluster', id] as const,
};

/** The saved clusters with their unread counts. The rail, the titles and the page count from them. */
export const savedClustersQuery = () =>
  queryOptions({
    queryKey: clusterKeys.list,
    queryFn: async ({ signal }) => (await call<SavedClusterList>('/rooms', { signal })).rooms,
  });

/** Adds up the unread messages of all clusters. */
export const unreadIn = (savedClusters: readonly { unread: number }[] | undefined): number =>
  (savedClusters ?? []).reduce((sum, { unread }) => sum + unread, 0);
