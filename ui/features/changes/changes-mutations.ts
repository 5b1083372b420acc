import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Conversation, MessageAccepted } from '../../../daemon/contract/conversations.js';
import type { RevertChange, Rewind, Rewound } from '../../../daemon/contract/work/changes.js';
import type {
  AskReview,
  Merged,
  NewMerge,
  NewPullRequest,
  NewReviewComment,
  PullRequest,
  ResolveConflicts,
  Review,
  ReviewComment,
  SendReview,
} from '../../../daemon/contract/work/reviews.js';
import { call } from '../../lib/api.js';
import { conversationPath, conversationsKeys } from '../conversations/conversations-queries.js';

/**
 * A mutation of a conversation's changes or review. Everything of the conversation is read again when it settles. The
 * mutation does not wait for that, because its caller may be gone then, with its callbacks.
 */
function useChange<V, R>(conv: string, mutationFn: (values: V) => Promise<R>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () => {
      void client.invalidateQueries({ queryKey: conversationsKeys.one(conv) });
    },
  });
}

const post = <R>(conv: string, path: string, body: unknown = {}) =>
  call<R>(`${conversationPath(conv)}${path}`, { method: 'POST', body });
const commentPath = (conv: string, comment: string) =>
  `${conversationPath(conv)}/review/comments/${encodeURIComponent(comment)}`;

export const useRewind = (conv: string) => useChange(conv, (body: Rewind) => post<Rewound>(conv, '/rewind', body));

export const useFork = (conv: string) =>
  useChange(conv, (checkpoint: string) => post<Conversation>(conv, '/fork', { checkpoint }));

/** Takes a file or a hunk back. `kept` of the response holds the files as they were before. */
export const useRevert = (conv: string) =>
  useChange(conv, (body: RevertChange) => post<Rewound>(conv, '/changes/revert', body));

export const useAddComment = (conv: string) =>
  useChange(conv, (body: NewReviewComment) => post<ReviewComment>(conv, '/review/comments', body));

export const useEditComment = (conv: string) =>
  useChange(conv, ({ comment, text }: Pick<ReviewComment, 'comment' | 'text'>) =>
    call<ReviewComment>(commentPath(conv, comment), { method: 'PATCH', body: { text } }),
  );

export const useDeleteComment = (conv: string) =>
  useChange(conv, (comment: string) => call<void>(commentPath(conv, comment), { method: 'DELETE' }));

export const useSendReview = (conv: string) =>
  useChange(conv, (body: SendReview) => post<MessageAccepted>(conv, '/review/send', body));

export const useAskReview = (conv: string) =>
  useChange(conv, (body: AskReview) => post<Review>(conv, '/review/ask', body));

export const useMerge = (conv: string) => useChange(conv, (body: NewMerge) => post<Merged>(conv, '/merge', body));

export const useResolveConflicts = (conv: string) =>
  useChange(conv, (body: ResolveConflicts) => post<MessageAccepted>(conv, '/merge/resolve', body));

export const usePullRequest = (conv: string) =>
  useChange(conv, (body: NewPullRequest) => post<PullRequest>(conv, '/pull-request', body));
