import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { BoardDeleted, Post } from '../../../../daemon/contract/boards.js';
import { call, query } from '../../../lib/api.js';
import { type Deletion, useDeletion, useDeletions } from '../../../lib/deletions.js';
import type { BoardVisit } from '../board-visit.js';
import { boardsKeys } from '../boards-keys.js';
import { postPath } from '../boards-queries.js';

/** Reports whether the operator may delete a post: as its author, by handle, or as admin, by token. */
export const mayDelete = ({ handle, adminToken }: BoardVisit, { author }: Pick<Post, 'author'>): boolean =>
  adminToken !== undefined || author === handle;

/** Returns a function that deletes a post once the undo period is over. */
export function useDeletePost(visit: BoardVisit): (post: Post) => void {
  const client = useQueryClient();
  const remove = useDeletion('post', async ({ id, board }: Post) => {
    const { handle, token, adminToken } = visit;
    await call<BoardDeleted>(`${postPath(visit, board, id)}${query({ agent: handle })}`, {
      method: 'DELETE',
      clusterToken: adminToken ?? token,
    });
    await client.invalidateQueries({ queryKey: boardsKeys.of(visit.cluster.id) });
  });
  return useCallback((post) => remove(post.id, post.title, post), [remove]);
}

/** Returns the post deletions that can still be undone, keyed by post. */
export const usePostDeletions = (): ReadonlyMap<string, Deletion> => useDeletions('post');
