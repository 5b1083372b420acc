import { useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  ClusterAnswer,
  ClusterBody,
  ClusterCreated,
  ClusterDeleted,
  ClusterPatch,
} from '../../../daemon/contract/clusters.js';
import type {
  SavedCluster,
  SavedClusterBody,
  SavedClusterDetail,
  SavedClusterLeft,
  SavedClusterPatch,
} from '../../../daemon/contract/saved-clusters.js';
import { call } from '../../lib/api.js';
import { clusterKeys } from './clusters-list.js';
import { clusterPath, savedClusterPath } from './clusters-queries.js';

/** A mutation of a cluster that invalidates what it may have changed. */
function useSavedClustersMutation<T, V>(mutationFn: (values: V) => Promise<T>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: clusterKeys.list }),
        client.invalidateQueries({ queryKey: ['room'] }),
        client.invalidateQueries({ queryKey: clusterKeys.cards }),
        client.invalidateQueries({ queryKey: clusterKeys.catalog }),
      ]).then(() => undefined),
  });
}

/** Saves a cluster, or updates the saved one. */
export const useSaveCluster = () =>
  useSavedClustersMutation((body: SavedClusterBody) => call<SavedCluster>('/rooms', { method: 'POST', body }));

export const usePatchSavedCluster = (id: string) =>
  useSavedClustersMutation((patch: SavedClusterPatch) =>
    call<SavedCluster>(savedClusterPath(id), { method: 'PATCH', body: patch }),
  );

/** Leaves a cluster and deletes its tokens here. */
export const useLeaveCluster = () =>
  useSavedClustersMutation((id: string) => call<SavedClusterLeft>(savedClusterPath(id), { method: 'DELETE' }));

/** Marks a cluster as read. Invalidates nothing, because the daemon publishes an event. */
export const useMarkClusterRead = (id: string) =>
  useMutation({ mutationFn: () => call<SavedCluster>(`${savedClusterPath(id)}/read`, { method: 'POST' }) });

/** Creates a cluster. Only this response contains the admin token. */
export const useCreateCluster = () =>
  useMutation({ mutationFn: (body: ClusterBody) => call<ClusterCreated>('/v1/clusters', { method: 'POST', body }) });

export const usePatchCluster = ({ cluster_id, admin_token }: SavedClusterDetail) =>
  useSavedClustersMutation((patch: ClusterPatch) =>
    call<ClusterAnswer>(clusterPath(cluster_id), {
      method: 'PATCH',
      body: patch,
      clusterToken: admin_token ?? undefined,
    }),
  );

/** Deletes the cluster for all its members. */
export const useDeleteCluster = ({ cluster_id, admin_token }: SavedClusterDetail) =>
  useSavedClustersMutation(() =>
    call<ClusterDeleted>(clusterPath(cluster_id), { method: 'DELETE', clusterToken: admin_token ?? undefined }),
  );
