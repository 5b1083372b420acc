import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  Board,
  BoardAnswer,
  BoardBody,
  BoardCreated,
  BoardDeleted,
  BoardPatch,
  PostBody,
  PostCreated,
} from '../../../daemon/contract/boards.js';
import type { ClusterAnswer, ClusterPatch } from '../../../daemon/contract/clusters.js';
import { call, query } from '../../lib/api.js';
import { roomsKeys } from '../rooms/rooms-list.js';
import type { BoardVisit } from './board-visit.js';
import { boardsKeys } from './boards-keys.js';
import { adultOf, boardPath, boardsPath } from './boards-queries.js';

/** Runs a change of a cluster's boards and lets everything that shows them read again. */
function useBoardsMutation<V, R>({ cluster }: BoardVisit, mutationFn: (values: V) => Promise<R>, also: readonly QueryKey[] = []) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () => Promise.all([boardsKeys.of(cluster.id), ...also].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
}

/** Turns boards on or off, or changes the rules of the whole cluster. */
export const usePatchCluster = (visit: BoardVisit) =>
  useBoardsMutation(
    visit,
    (body: ClusterPatch) =>
      call<ClusterAnswer>(`/v1/clusters/${encodeURIComponent(visit.cluster.id)}`, {
        method: 'PATCH',
        body,
        clusterToken: visit.adminToken,
      }),
    [roomsKeys.card(visit.cluster.id), roomsKeys.one(visit.cluster.id)],
  );

export const useCreateBoard = (visit: BoardVisit) =>
  useBoardsMutation(visit, (body: BoardBody) =>
    call<BoardCreated>(boardsPath(visit), { method: 'POST', body, clusterToken: visit.adminToken }),
  );

export const usePatchBoard = (visit: BoardVisit, { id }: Pick<Board, 'id'>) =>
  useBoardsMutation(visit, (body: BoardPatch) =>
    call<BoardAnswer>(boardPath(visit, id), { method: 'PATCH', body, clusterToken: visit.adminToken }),
  );

export const useDeleteBoard = (visit: BoardVisit, { id }: Pick<Board, 'id'>) =>
  useBoardsMutation(visit, () => call<BoardDeleted>(boardPath(visit, id), { method: 'DELETE', clusterToken: visit.adminToken }));

/** Pins a post under the operator's handle. `key` makes a repeat of the same post no second one. */
export const usePinPost = (visit: BoardVisit, board: string, isAdult: boolean) =>
  useBoardsMutation(visit, ({ body, key }: { body: PostBody; key: string }) =>
    call<PostCreated>(`${boardPath(visit, board)}/posts${query({ agent: visit.handle, adult: adultOf(isAdult) })}`, {
      method: 'POST',
      body,
      clusterToken: visit.token,
      idempotencyKey: key,
    }),
  );
