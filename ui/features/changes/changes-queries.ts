import { queryOptions } from '@tanstack/react-query';
import type { Changes, ChangesQuery, CheckpointList, FileDiff } from '../../../daemon/contract/work/changes.js';
import type { MergePreview, Review } from '../../../daemon/contract/work/reviews.js';
import { call, query } from '../../lib/api.js';
import { conversationPath } from '../conversations/conversations-queries.js';

/** Two states of a conversation's files. Undefined: from where its changes count, or to the files as they are now. */
export interface Range {
  from: string | undefined;
  to: string | undefined;
}

/** Below the key of the conversation, so that an event of the conversation invalidates them. */
export const changesKeys = {
  checkpoints: (conv: string) => ['conversation', conv, 'checkpoints'] as const,
  all: (conv: string) => ['conversation', conv, 'changes'] as const,
  list: (conv: string, range: Range) => ['conversation', conv, 'changes', range] as const,
  file: (conv: string, range: Range, path: string, spaces: 'ignore' | undefined) =>
    ['conversation', conv, 'changes', range, path, spaces] as const,
  review: (conv: string) => ['conversation', conv, 'review'] as const,
  merge: (conv: string, into: string | undefined) => ['conversation', conv, 'merge', into] as const,
};

export const checkpointsQuery = (conv: string) =>
  queryOptions({
    queryKey: changesKeys.checkpoints(conv),
    queryFn: ({ signal }) => call<CheckpointList>(`${conversationPath(conv)}/checkpoints`, { signal }),
  });

const toQuery = ({ from, to }: Range): ChangesQuery => ({ from, to });

export const changesQuery = (conv: string, range: Range) =>
  queryOptions({
    queryKey: changesKeys.list(conv, range),
    queryFn: ({ signal }) =>
      call<Changes>(`${conversationPath(conv)}/changes${query({ ...toQuery(range) })}`, { signal }),
  });

export const fileDiffQuery = (conv: string, range: Range, path: string, spaces: 'ignore' | undefined) =>
  queryOptions({
    queryKey: changesKeys.file(conv, range, path, spaces),
    queryFn: ({ signal }) =>
      call<FileDiff>(
        `${conversationPath(conv)}/changes/file${query({ ...toQuery(range), path, whitespace: spaces })}`,
        { signal },
      ),
  });

export const reviewQuery = (conv: string) =>
  queryOptions({
    queryKey: changesKeys.review(conv),
    queryFn: ({ signal }) => call<Review>(`${conversationPath(conv)}/review`, { signal }),
  });

export const mergeQuery = (conv: string, into: string | undefined) =>
  queryOptions({
    queryKey: changesKeys.merge(conv, into),
    queryFn: ({ signal }) => call<MergePreview>(`${conversationPath(conv)}/merge${query({ into })}`, { signal }),
    staleTime: 0,
  });
