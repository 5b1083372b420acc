import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { ClusterAnswer, ClusterList } from '../../../daemon/contract/clusters.js';
import type { SavedClusterDetail } from '../../../daemon/contract/saved-clusters.js';
import { call, query } from '../../lib/api.js';
import { clusterKeys } from './clusters-list.js';

/** Rows of one page of the catalog: the most that the daemon returns at once, so that the filter searches many. */
const PAGE = 200;

export const savedClusterPath = (id: string) => `/rooms/${encodeURIComponent(id)}`;
export const clusterPath = (idOrSlug: string) => `/v1/clusters/${encodeURIComponent(idOrSlug)}`;

/** A saved cluster with its tokens. 404 for one that is not saved: see `useSavedCluster`. */
export const savedClusterQuery = (id: string) =>
  queryOptions({
    queryKey: clusterKeys.one(id),
    queryFn: ({ signal }) => call<SavedClusterDetail>(savedClusterPath(id), { signal }),
  });

/** The card of a cluster, by id or slug. A private one requires its token. */
export const cardQuery = (idOrSlug: string, token?: string | null) =>
  queryOptions({
    queryKey: [...clusterKeys.card(idOrSlug), token ? 'member' : 'public'],
    queryFn: async ({ signal }) =>
      (await call<ClusterAnswer>(clusterPath(idOrSlug), { signal, clusterToken: token ?? undefined })).cluster,
  });

/** The public catalog, page by page. */
export const catalogQuery = () =>
  infiniteQueryOptions({
    queryKey: clusterKeys.catalog,
    queryFn: ({ pageParam, signal }) =>
      call<ClusterList>(`/v1/clusters${query({ limit: PAGE, cursor: pageParam || undefined })}`, { signal }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
