import { useMutation, useMutationState, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { BoardDeleted, Post } from '../../../daemon/contract/boards.js';
import { useToast } from '../../components/toasts.js';
import { call, query } from '../../lib/api.js';
import type { BoardVisit } from './board-visit.js';
import { boardsKeys } from './boards-keys.js';
import { postPath } from './boards-queries.js';

/** How long a deletion can be undone: the daemon is told only then. */
export const UNDO_MS = 10_000;
const key = ['delete-post'] as const;

/** A deletion that waits, and what calls it off. */
export interface PostDeletion {
  post: string;
  title: string;
  /** When it is carried out, epoch milliseconds. */
  at: number;
  calledOff: CallOff;
}

/** What calls a deletion off, and whether the focus has been on it. */
class CallOff extends AbortController {
  hadFocus = false;
}

/** Gives the focus to the first button that is drawn for calling a deletion off, however late: the one that was pressed is gone. */
export const takesFocusOnce =
  ({ calledOff }: PostDeletion) =>
  (button: HTMLElement | null): void => {
    if (!button || calledOff.hadFocus) return;
    calledOff.hadFocus = true;
    button.focus();
  };

/** Ends after `ms`, or at once when the page goes; false when it was called off meanwhile. */
function waited(ms: number, { signal }: CallOff): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isLeft: boolean) => {
      clearTimeout(timer);
      window.removeEventListener('pagehide', leave);
      signal.removeEventListener('abort', callOff);
      resolve(isLeft);
    };
    const leave = () => end(true);
    const callOff = () => end(false);
    const timer = setTimeout(leave, ms);
    window.addEventListener('pagehide', leave);
    signal.addEventListener('abort', callOff);
  });
}

/** Whether the operator may delete a post: the author by their handle, the admin by the token. */
export const mayDelete = ({ handle, adminToken }: BoardVisit, { author }: Pick<Post, 'author'>): boolean =>
  adminToken !== undefined || author === handle;

/** Deletes a post ten seconds after the word, wherever in the dashboard one is by then. */
export function useDeletePost(visit: BoardVisit): (post: Post) => void {
  const client = useQueryClient();
  const say = useToast();
  const { mutate } = useMutation({
    mutationKey: key,
    mutationFn: async ({ post, board, calledOff }: PostDeletion & { board: string }) => {
      if (!(await waited(UNDO_MS, calledOff))) return;
      const { handle, token, adminToken } = visit;
      await call<BoardDeleted>(`${postPath(visit, board, post)}${query({ agent: handle })}`, {
        method: 'DELETE',
        clusterToken: adminToken ?? token,
      });
      await client.invalidateQueries({ queryKey: boardsKeys.of(visit.cluster.id) });
    },
    onError: (_error, { title }) => say({ text: `“${title}” was not deleted.`, tone: 'failed' }),
  });
  return useCallback(
    ({ id, title, board }: Post) => mutate({ post: id, board, title, at: Date.now() + UNDO_MS, calledOff: new CallOff() }),
    [mutate],
  );
}

/** The deletions that can still be undone, by post. */
export function usePostDeletions(): ReadonlyMap<string, PostDeletion> {
  const pending = useMutationState({
    filters: { mutationKey: key, status: 'pending' },
    select: ({ state }) => state.variables as PostDeletion,
  });
  return new Map(pending.map((deletion) => [deletion.post, deletion]));
}
