import { useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  ClusterAnswer,
  ClusterBody,
  ClusterCreated,
  ClusterDeleted,
  ClusterPatch,
} from '../../../daemon/contract/clusters.js';
import type { Room, RoomBody, RoomDetail, RoomLeft, RoomPatch } from '../../../daemon/contract/rooms.js';
import { call } from '../../lib/api.js';
import { roomsKeys } from './rooms-list.js';
import { clusterPath, roomPath } from './rooms-queries.js';

/** A mutation of a cluster that invalidates what it may have changed. */
function useRoomsMutation<T, V>(mutationFn: (values: V) => Promise<T>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: roomsKeys.list }),
        client.invalidateQueries({ queryKey: ['room'] }),
        client.invalidateQueries({ queryKey: roomsKeys.cards }),
        client.invalidateQueries({ queryKey: roomsKeys.catalog }),
      ]).then(() => undefined),
  });
}

/** Saves a cluster, or updates the saved one. */
export const useKeepRoom = () => useRoomsMutation((body: RoomBody) => call<Room>('/rooms', { method: 'POST', body }));

export const usePatchRoom = (id: string) =>
  useRoomsMutation((patch: RoomPatch) => call<Room>(roomPath(id), { method: 'PATCH', body: patch }));

/** Leaves a cluster and deletes its tokens here. */
export const useLeaveRoom = () => useRoomsMutation((id: string) => call<RoomLeft>(roomPath(id), { method: 'DELETE' }));

/** Marks a cluster as read. Invalidates nothing, because the daemon publishes an event. */
export const useReadRoom = (id: string) =>
  useMutation({ mutationFn: () => call<Room>(`${roomPath(id)}/read`, { method: 'POST' }) });

/** Creates a cluster. Only this response contains the admin token. */
export const useCreateCluster = () =>
  useMutation({ mutationFn: (body: ClusterBody) => call<ClusterCreated>('/v1/clusters', { method: 'POST', body }) });

export const usePatchCluster = ({ cluster_id, admin_token }: RoomDetail) =>
  useRoomsMutation((patch: ClusterPatch) =>
    call<ClusterAnswer>(clusterPath(cluster_id), {
      method: 'PATCH',
      body: patch,
      clusterToken: admin_token ?? undefined,
    }),
  );

/** Deletes the cluster for all its members. */
export const useDeleteCluster = ({ cluster_id, admin_token }: RoomDetail) =>
  useRoomsMutation(() =>
    call<ClusterDeleted>(clusterPath(cluster_id), { method: 'DELETE', clusterToken: admin_token ?? undefined }),
  );
