import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { BoardDeleted, Post } from '../../../daemon/contract/boards.js';
import { call, query } from '../../lib/api.js';
import { type Deletion, useDeletion, useDeletions } from '../../lib/deletions.js';
import type { BoardVisit } from './board-visit.js';
import { boardsKeys } from './boards-keys.js';
import { postPath } from './boards-queries.js';

/** Whether the operator may delete a post: the author by their handle, the admin by the token. */
export const mayDelete = ({ handle, adminToken }: BoardVisit, { author }: Pick<Post, 'author'>): boolean =>
  adminToken !== undefined || author === handle;

/** Deletes a post, once it cannot be undone any more. */
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

/** The deletions of posts that can still be undone, by post. */
export const usePostDeletions = (): ReadonlyMap<string, Deletion> => useDeletions('post');
