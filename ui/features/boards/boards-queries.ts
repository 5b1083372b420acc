import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { BoardHistory, BoardList, Post, PostAnswer, PostList } from '../../../daemon/contract/boards.js';
import { ApiError, call, query } from '../../lib/api.js';
import type { BoardVisit } from './board-visit.js';
import { boardsKeys } from './boards-keys.js';

/** The token and cluster with which boards are read. */
export type Reader = Pick<BoardVisit, 'token'> & { cluster: Pick<BoardVisit['cluster'], 'id'> };

export const boardsPath = ({ cluster }: Reader) => `/v1/clusters/${encodeURIComponent(cluster.id)}/boards`;
export const boardPath = (reader: Reader, board: string) => `${boardsPath(reader)}/${encodeURIComponent(board)}`;
export const postPath = (visit: BoardVisit, board: string, post: string) =>
  `${boardPath(visit, board)}/posts/${encodeURIComponent(post)}`;

const PAGE = 50;
/** Part of the query key that distinguishes readers without containing the token. */
const getReader = ({ token }: Reader) => (token === undefined ? 'public' : 'member');
/** `adult=1` if the reader has declared the age. */
export const getAdultFilter = (isAdult: boolean) => (isAdult ? 1 : undefined);

/** The boards of a cluster and the rules of both levels. Requires no age. */
export const boardsQuery = (visit: Reader) =>
  queryOptions({
    queryKey: [...boardsKeys.of(visit.cluster.id), getReader(visit), 'list'],
    queryFn: ({ signal }) => call<BoardList>(boardsPath(visit), { signal, clusterToken: visit.token }),
  });

/** The filters of a board's posts. `near` is `lat,lon`. */
interface PostsFilter {
  near?: string | undefined;
  km?: number | undefined;
  lang?: string | undefined;
}

/** The current posts of a board, newest first, page by page. */
export const postsQuery = (visit: BoardVisit, board: string, filter: PostsFilter, isAdult: boolean) =>
  infiniteQueryOptions({
    queryKey: [...boardsKeys.of(visit.cluster.id), getReader(visit), 'posts', board, filter, isAdult],
    queryFn: ({ pageParam, signal }) =>
      call<PostList>(
        `${boardPath(visit, board)}/posts${query({ limit: PAGE, cursor: pageParam || undefined, ...filter, adult: getAdultFilter(isAdult) })}`,
        { signal, clusterToken: visit.token },
      ),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });

/** How a post ended, if known. */
export type PostFate = { event: 'post_deleted' | 'post_expired'; at: number; title?: string | undefined } | null;

/** A post and its board, or how it ended. `gated` is a board that requires an age and may contain it. */
type FoundPost = { post: Post; board: string } | { gated: { board: string; age: number } } | { gone: PostFate };

export const isGate = (error: unknown): error is ApiError => error instanceof ApiError && error.code === 'age_gated';

/** Looks for a post on each board in turn, because a mention names the post and not its board. */
async function findPost(
  visit: BoardVisit,
  boards: readonly string[],
  id: string,
  age: number,
  signal: AbortSignal,
): Promise<FoundPost> {
  let gated: { board: string; age: number } | undefined;
  for (const board of boards) {
    const read = (isAdult: boolean) =>
      call<PostAnswer>(`${postPath(visit, board, id)}${query({ adult: getAdultFilter(isAdult) })}`, {
        signal,
        clusterToken: visit.token,
      });
    try {
      return { ...(await read(false)), board };
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) continue;
      if (!isGate(error)) throw error;
      const needed = Number(error.details['age_min'] ?? 18);
      if (age < needed) {
        gated ??= { board, age: needed };
        continue;
      }
    }
    try {
      return { ...(await read(true)), board };
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    }
  }
  // The reader's age is requested only if nothing shows that the post has ended.
  const fate = await findFate(visit, id, signal);
  return gated && fate === null ? { gated } : { gone: fate };
}

/** Looks up in the history, which members may read, how the post ended. Returns null when it is unknown. */
async function findFate(visit: BoardVisit, id: string, signal: AbortSignal): Promise<PostFate> {
  if (visit.token === undefined) return null;
  let cursor: string | undefined;
  do {
    const path = `/v1/clusters/${encodeURIComponent(visit.cluster.id)}/history${query({ limit: 200, cursor })}`;
    const page: BoardHistory = await call<BoardHistory>(path, { signal, clusterToken: visit.token });
    const end = page.events.find(
      ({ post, event }) => post === id && (event === 'post_deleted' || event === 'post_expired'),
    );
    if (end) {
      const created = page.events.find(({ post, event }) => post === id && event === 'post_created');
      return { event: end.event as 'post_deleted' | 'post_expired', at: end.ts, title: end.title ?? created?.title };
    }
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return null;
}

/** A post by its id, on any of `boards`. `age` is the reader's declared age. */
export const postQuery = (visit: BoardVisit, boards: readonly string[], id: string, age: number) =>
  queryOptions({
    queryKey: [...boardsKeys.of(visit.cluster.id), getReader(visit), 'post', id, boards, age],
    queryFn: ({ signal }) => findPost(visit, boards, id, age, signal),
  });
