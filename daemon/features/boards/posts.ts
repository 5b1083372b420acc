import {
  POSTS_ANSWER_CHARS,
  POSTS_MAX,
  type Post,
  type PostBody,
  type PostCreated,
  type PostList,
  type PostsQuery,
  TTL_DEFAULT,
} from '../../contract/boards.js';
import type { PostProps } from '../../contract/clusters.js';
import { LIST_LIMIT_DEFAULT } from '../../contract/limits.js';
import { distanceKm, type Point } from '../../lib/agents/geo.js';
import { MeshError } from '../../lib/errors.js';
import { newPostId } from '../../lib/ids.js';
import { countCodePoints } from '../../lib/text/code-points.js';
import type { Clock } from '../../lib/time/clock.js';
import { computeExpiry, isLive } from '../../lib/time/ttl.js';
import type { IdempotencyKey } from '../../storage/database/idempotency.js';
import type { BoardNews, BoardNewsItem } from './board-news.js';
import { rowBefore } from './boards-cursor.js';
import { type BoardsDoor, isAgeGated, type OpenBoard, type Visit } from './boards-door.js';
import { getPoint, primaryLanguage } from './effective-props.js';
import { parseNear } from './near.js';
import type { NearPosts } from './near-posts.js';
import type { PostRow, PostsStore } from './posts-store.js';

interface PostsParts {
  store: PostsStore;
  near: NearPosts;
  door: BoardsDoor;
  news: BoardNews;
  clock: Clock;
  /** Called with the expiry of a new post, in epoch seconds. */
  willExpire: (atSeconds: number) => void;
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
    const { store, door, news, clock, willExpire } = this.parts;
    let item: BoardNewsItem | undefined;
    const created = await store.write(() => {
      const open = door.openBoard(visit, idOrSlug);
      const own = key && { ...key, scope: `${listKeys(open.cluster.id)}${open.board.id} ${author}` };
      return store.once(own, clock.now(), () => {
        this.mustFit(open, body);
        const row = this.insert(open, author, body);
        item = this.record('post_created', open, row);
        return { id: row.id, post: toPost(row, open.board.id) };
      });
    });
    if (item) {
      news.tell(item);
      if (created.post.expires_at !== null) willExpire(created.post.expires_at);
    }
    return created;
  }

  /**
   * A page of the board's live posts, newest first. Throws `age_gated`, `bad_request` for an invalid `near` or cursor.
   * Spec: Read rules.
   */
  list(visit: Visit, idOrSlug: string, query: PostsQuery): PostList {
    return this.page(this.parts.door.openBoard(visit, idOrSlug), query);
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
    const rows = circle ? near.list(filter, circle, inherited, limit + 1) : store.list(filter, limit + 1);

    const posts: Post[] = [];
    let last: number | undefined;
    let chars = 0;
    for (const row of store.rows(rows.slice(0, limit))) {
      chars += row.title.length + row.body.length;
      if (chars > POSTS_ANSWER_CHARS && posts.length > 0) break;
      posts.push(circle ? withDistance(row, board.id, circle.centre, inherited) : toPost(row, board.id));
      last = row.seq;
    }
    return {
      posts,
      count: posts.length,
      next_cursor: last !== undefined && last !== rows.at(-1) ? String(last) : null,
    };
  }

  /**
   * Returns one live post. Throws `age_gated`, and `post_not_found` for a post that has expired, was deleted or
   * never existed.
   */
  read(visit: Visit, idOrSlug: string, id: string): Post {
    const { board } = this.parts.door.openBoard(visit, idOrSlug);
    return toPost(this.get(board.seq, id), board.id);
  }

  /**
   * Deletes a post for its author, who is identified by the handle alone, or for the admin. Throws `post_not_found`,
   * `forbidden` for any other caller. Sends `post_deleted`, publishes `board.changed`.
   */
  async remove(visit: Visit, idOrSlug: string, id: string, agent: string | undefined): Promise<void> {
    const { store, door, news } = this.parts;
    const item = await store.write(() => {
      const open = door.board(visit, idOrSlug);
      const row = this.get(open.board.seq, id);
      if (!open.isAdmin && row.author !== agent) {
        throw new MeshError(
          'forbidden',
          'Only its author (agent=<their handle>) and the cluster’s admin token delete a post.',
        );
      }
      store.remove(row.seq);
      return this.record('post_deleted', open, row);
    });
    news.tell(item);
  }

  /**
   * Deletes the stored results of idempotent requests about posts of the cluster. Must be called inside the transaction
   * that deletes the cluster.
   */
  forget(clusterId: string): void {
    this.parts.store.forgetKeys(listKeys(clusterId));
  }

  private mustFit({ board, props }: OpenBoard, { title, body = '' }: PostBody): void {
    const limit = props.limits?.post_max_chars;
    const length = limit === undefined ? 0 : countCodePoints(title) + countCodePoints(body);
    if (limit !== undefined && length > limit) {
      throw new MeshError(
        'post_too_long',
        `Title and body have ${length} characters together: this board takes at most ${limit}.`,
        {
          details: { limit, length },
        },
      );
    }
    if (this.parts.store.countLive(board.seq, this.now()) >= POSTS_MAX) {
      throw new MeshError(
        'board_full',
        `The board holds ${POSTS_MAX} live posts: one must expire or be deleted first.`,
        {
          details: { limit: POSTS_MAX },
        },
      );
    }
  }

  private insert(
    { board }: OpenBoard,
    author: string,
    { title, body = '', ttl = TTL_DEFAULT, file, props }: PostBody,
  ): PostRow {
    const { store } = this.parts;
    const created_at = this.now();
    const id = newPostId();
    const own = props === null || props === undefined || Object.keys(props).length === 0 ? null : props;
    const row = {
      id,
      board: board.seq,
      created_at,
      expires_at: computeExpiry(created_at, ttl),
      ttl,
      author,
      props: own,
      file: file ?? null,
    };
    store.insert({ ...row, title, body }, getPlace(own));
    // Read back from the database, so that the response equals every later read.
    return this.get(board.seq, id);
  }

  private get(board: number, id: string): PostRow {
    const row = this.parts.store.find(board, id);
    if (row && isLive(row, this.parts.clock.now())) return row;
    throw new MeshError(
      'post_not_found',
      'There is no such post on this board: it has expired, was deleted, or never was.',
    );
  }

  private record(
    event: BoardNewsItem['event'],
    { cluster, board, props }: OpenBoard,
    { id, title }: PostRow,
  ): BoardNewsItem {
    const told = isAgeGated(props) ? {} : { title };
    const item = {
      event,
      cluster: cluster.id,
      board: { id: board.id, slug: board.slug },
      post: id,
      ...told,
      ts: this.now(),
    };
    this.parts.news.record(item);
    return item;
  }

  private now(): number {
    return Math.floor(this.parts.clock.now() / 1000);
  }
}

/** Prefix of the scopes of a cluster's Idempotency-Keys. */
const listKeys = (clusterId: string) => `post ${clusterId} `;

const getPlace = (props: PostProps | null) => ({
  point: getPoint(props?.where),
  hasPlace: props?.where !== undefined,
  lang: props?.lang === undefined ? undefined : primaryLanguage(props.lang),
});

function toPost({ id, title, body, ttl, author, created_at, expires_at, file, props }: PostRow, board: string): Post {
  return { id, board, title, body, ttl, author, created_at, expires_at, file, props };
}

function withDistance(row: PostRow, board: string, centre: Point, inherited: Point | undefined): Post {
  const point = row.props?.where === undefined ? inherited : getPoint(row.props.where);
  const post = toPost(row, board);
  return point ? { ...post, distance_km: Number(distanceKm(centre, point).toFixed(3)) } : post;
}
