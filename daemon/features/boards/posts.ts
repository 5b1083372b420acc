import {
  POSTS_ANSWER_CHARS,
  POSTS_MAX,
  type Post,
  type PostBody,
  type PostCreated,
  type PostList,
  type PostQuery,
  type PostsQuery,
  TTL_DEFAULT,
} from '../../contract/boards.js';
import type { PinPost, RemovePost } from '../../contract/commands/boards.js';
import { LIST_LIMIT_DEFAULT } from '../../contract/limits.js';
import { distanceKm, type Point } from '../../lib/agents/geo.js';
import { newPostId } from '../../lib/ids.js';
import type { Clock } from '../../lib/time/clock.js';
import { isLive } from '../../lib/time/ttl.js';
import type { SharedLog } from '../../shared-log/shared-log.js';
import type { IdempotencyKey } from '../../storage/database/idempotency.js';
import { noPost, type PinnedPost } from './board-commands.js';
import type { BoardNewsItem } from './board-news.js';
import type { BoardsAccess, OpenBoard, Visit } from './boards-access.js';
import { rowBefore } from './boards-cursor.js';
import { getPoint, primaryLanguage } from './effective-props.js';
import { parseNear } from './near.js';
import type { NearPosts } from './near-posts.js';
import type { PostFilter } from './post-filter.js';
import { toPost } from './post-view.js';
import type { PostRow, PostsStore } from './posts-store.js';

interface PostsParts {
  store: PostsStore;
  near: NearPosts;
  boardsAccess: BoardsAccess;
  log: SharedLog;
  clock: Clock;
}

/**
 * Posts, pinned to boards for the duration of their TTL. From the second of its expiry no read returns a post, whether
 * or not it has been deleted. All methods for callers throw `not_found` for a cluster that is unknown or closed to the
 * caller, `boards_disabled`, `board_not_found`. Spec: Post.
 */
export class Posts {
  constructor(private readonly parts: PostsParts) {}

  /**
   * Pins a post by `author`. Throws `age_gated`, `post_too_long` when title and body together exceed the board's
   * effective `limits.post_max_chars` in code points, `board_full` at 1,000 live posts, `idempotency_mismatch`. Sends
   * `post_created` and publishes `board.changed`, except for a repeat with the same key.
   */
  async pin(
    visit: Visit,
    idOrSlug: string,
    author: string,
    body: PostBody,
    key?: Omit<IdempotencyKey, 'scope'>,
  ): Promise<PostCreated> {
    const { boardsAccess, log } = this.parts;
    const { cluster, board } = boardsAccess.openBoard(visit, idOrSlug);
    const { title, body: text = '', ttl = TTL_DEFAULT, file, props } = body;
    const own = props === null || props === undefined || Object.keys(props).length === 0 ? null : props;
    const pinned = await log.submit<PinnedPost>('post.pin', newPostId(), {
      ...{ cluster: cluster.id, board: board.id, author, is_adult: visit.isAdult },
      ...{ title, body: text, ttl, file: file ?? null, props: own },
      lang: own?.lang === undefined ? null : primaryLanguage(own.lang),
      key: key ? { ...key, scope: `${listKeys(cluster.id)}${board.id} ${author}` } : null,
    } satisfies PinPost);
    return pinned.created;
  }

  /**
   * A page of the board's live posts, newest first. Throws `age_gated`, `bad_request` for an invalid `near` or cursor.
   * Spec: Read rules.
   */
  list(visit: Visit, idOrSlug: string, query: PostsQuery): PostList {
    return this.page(this.parts.boardsAccess.openBoard(visit, idOrSlug), query);
  }

  /**
   * Like `list`, for a board that is already authorized. A page ends at `limit`, or earlier when its texts exceed 4 Mi
   * characters. `near` compares each post's effective place: its own, otherwise the board's, otherwise the cluster's.
   */
  page({ board, props }: OpenBoard, query: Pick<PostsQuery, 'near' | 'km' | 'lang' | 'limit' | 'cursor'>): PostList {
    const { store, near } = this.parts;
    const { limit = LIST_LIMIT_DEFAULT, cursor } = query;
    const circle = parseNear(query.near, query.km);
    const inherited = getPoint(props.where);
    const primary = query.lang === undefined ? undefined : primaryLanguage(query.lang);
    const isInherited = primary !== undefined && props.lang !== undefined && primaryLanguage(props.lang) === primary;
    const filter = {
      board: board.seq,
      now: this.now(),
      before: rowBefore(cursor),
      ...(primary !== undefined && { lang: { primary, isInherited } }),
    };
    const list = (one: PostFilter, most: number) =>
      circle ? near.list(one, circle, inherited, most) : store.list(one, most);
    const rows = list(filter, limit + 1);
    const isAll = cursor === undefined && rows.length <= limit;

    const posts: Post[] = [];
    let last: number | undefined;
    let chars = 0;
    for (const row of store.rows(rows.slice(0, limit))) {
      chars += row.title.length + row.body.length;
      if (chars > POSTS_ANSWER_CHARS) break;
      posts.push(withDistance(row, board.id, circle?.centre, inherited));
      last = row.seq;
    }
    return {
      posts,
      count: isAll ? rows.length : list({ ...filter, before: rowBefore(undefined) }, POSTS_MAX).length,
      next_cursor: last === rows.at(-1) ? null : String(last),
    };
  }

  /**
   * Returns one live post, with its distance from `near` when it has a point. Throws `age_gated`, `bad_request` for an
   * invalid `near`, and `post_not_found` for a post that has expired, was deleted or never existed.
   */
  read(visit: Visit, idOrSlug: string, id: string, { near, km }: Pick<PostQuery, 'near' | 'km'> = {}): Post {
    const { board, props } = this.parts.boardsAccess.openBoard(visit, idOrSlug);
    const centre = parseNear(near, km)?.centre;
    return withDistance(this.get(board.seq, id), board.id, centre, getPoint(props.where));
  }

  /**
   * Deletes a post for its author, who is identified by the handle alone, or for the admin. Throws `post_not_found`,
   * `forbidden` for any other caller. Sends `post_deleted`, publishes `board.changed`.
   */
  async remove(visit: Visit, idOrSlug: string, id: string, agent: string | undefined): Promise<void> {
    const { boardsAccess, log } = this.parts;
    const { cluster, board, isAdmin } = boardsAccess.board(visit, idOrSlug);
    await log.submit<BoardNewsItem>('post.remove', id, {
      ...{ cluster: cluster.id, board: board.id, is_admin: isAdmin, agent: agent ?? null },
    } satisfies RemovePost);
  }

  /**
   * Deletes the stored results of idempotent requests about posts of the cluster. Must be called inside the transaction
   * that deletes the cluster.
   */
  forget(clusterId: string): void {
    this.parts.store.forgetKeys(listKeys(clusterId));
  }

  private get(board: number, id: string): PostRow {
    const row = this.parts.store.find(board, id);
    if (row && isLive(row, this.parts.clock.now())) return row;
    throw noPost();
  }

  private now(): number {
    return Math.floor(this.parts.clock.now() / 1000);
  }
}

/** Prefix of the scopes of a cluster's Idempotency-Keys. */
const listKeys = (clusterId: string) => `post ${clusterId} `;

/** A post, with its distance from `centre` when both are given. */
function withDistance(row: PostRow, board: string, centre: Point | undefined, inherited: Point | undefined): Post {
  const point = row.props?.where === undefined ? inherited : getPoint(row.props.where);
  const distance_km = centre && point && Number(distanceKm(centre, point).toFixed(3));
  return { ...toPost(row, board), ...(distance_km !== undefined && { distance_km }) };
}
