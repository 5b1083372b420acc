import { useMutation, useQueryClient } from '@tanstack/react-query';
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
import { call, query } from '../../lib/api.js';
import type { BoardVisit } from './board-visit.js';
import { boardsKeys } from './boards-keys.js';
import { boardPath, boardsPath, getAdultFilter } from './boards-queries.js';

/** A mutation of a cluster's boards that invalidates everything read of them. */
function useBoardsMutation<V, R>({ cluster }: BoardVisit, mutationFn: (values: V) => Promise<R>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () => client.invalidateQueries({ queryKey: boardsKeys.of(cluster.id) }),
  });
}

export const useCreateBoard = (visit: BoardVisit) =>
  useBoardsMutation(visit, (body: BoardBody) =>
    call<BoardCreated>(boardsPath(visit), { method: 'POST', body, clusterToken: visit.adminToken }),
  );

export const usePatchBoard = (visit: BoardVisit, { id }: Pick<Board, 'id'>) =>
  useBoardsMutation(visit, (body: BoardPatch) =>
    call<BoardAnswer>(boardPath(visit, id), { method: 'PATCH', body, clusterToken: visit.adminToken }),
  );

export const useDeleteBoard = (visit: BoardVisit, { id }: Pick<Board, 'id'>) =>
  useBoardsMutation(visit, () =>
    call<BoardDeleted>(boardPath(visit, id), { method: 'DELETE', clusterToken: visit.adminToken }),
  );

/** Creates a post under the operator's handle. A repeat with the same `key` creates no second post. */
export const usePinPost = (visit: BoardVisit, board: string, isAdult: boolean) =>
  useBoardsMutation(visit, ({ body, key }: { body: PostBody; key: string }) =>
    call<PostCreated>(
      `${boardPath(visit, board)}/posts${query({ agent: visit.handle, adult: getAdultFilter(isAdult) })}`,
      {
        method: 'POST',
        body,
        clusterToken: visit.token,
        idempotencyKey: key,
      },
    ),
  );
