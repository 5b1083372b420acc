import { type QueryClient, queryOptions, useQueryClient } from '@tanstack/react-query';
import type { Post, PostList } from '../../../../daemon/contract/boards.js';
import { call, query } from '../../../lib/api.js';
import { boardsKeys } from '../boards-keys.js';
import { boardPath } from '../boards-queries.js';
import { findReader, type KnownBoard } from '../known-boards.js';

interface KnownPost extends KnownBoard {
  post: Pick<Post, 'id' | 'title' | 'author'>;
}

/** The most boards whose posts are read at once, and the number of posts of each. */
const BOARDS = 24;
const POSTS = 50;
const FRESH_MS = 30_000;

/** Reads the newest posts of one board; none if they cannot be read, which includes a board that requires an age. */
async function listPosts(client: QueryClient, { board, room }: KnownBoard): Promise<KnownPost[]> {
  try {
    const keeper = await findReader(client, room);
    const { posts } = await client.fetchQuery({
      queryKey: [...boardsKeys.of(keeper.cluster.id), 'newest', board.slug],
      queryFn: () =>
        call<PostList>(`${boardPath(keeper, board.slug)}/posts${query({ limit: POSTS })}`, {
          clusterToken: keeper.token,
        }),
      staleTime: FRESH_MS,
    });
    return posts.map(({ id: post, title, author }) => ({ post: { id: post, title, author }, board, room }));
  } catch {
    return [];
  }
}

/** The newest posts of the operator's boards, to be found by title. */
export function useKnownPostsQuery(boards: readonly KnownBoard[]) {
  const client = useQueryClient();
  const withPosts = boards.filter(({ board }) => board.posts > 0).slice(0, BOARDS);
  return queryOptions({
    queryKey: ['known-posts', withPosts.map(({ board }) => board.id)],
    queryFn: async () => (await Promise.all(withPosts.map((board) => listPosts(client, board)))).flat(),
    staleTime: 0,
  });
}
