import type { BoardKind } from '../../contract/boards.js';
import type { Props, Where } from '../../contract/clusters.js';
import type { Clock } from '../../lib/time/clock.js';
import type { Database } from '../../storage/database/database.js';
import { isAgeGated } from './boards-access.js';
import type { BoardsCluster } from './boards-ports.js';
import type { BoardsStore } from './boards-store.js';
import { effectiveProps } from './effective-props.js';
import { LIVE } from './post-filter.js';
import type { PostsStore } from './posts-store.js';

/** A board as shown to callers that have not stated to be adults. */
export interface PublicBoard {
  id: string;
  slug: string;
  name: string;
  kind: BoardKind;
  about: string;
  /** The effective rules. */
  props: Props;
  /** The board is for adults only. The number and titles of its posts are withheld. */
  isAgeGated: boolean;
  /** Number of live posts. */
  posts: number;
  /** The newest live posts. */
  newest: PostHead[];
}

/** Times are epoch seconds. */
export interface PostHead {
  id: string;
  title: string;
  author: string;
  created_at: number;
  expires_at: number | null;
}

/** A post with its effective place. */
interface LocatedPost {
  id: string;
  title: string;
  /** The board's slug. */
  board: string;
  cluster: { id: string; slug: string; name: string };
  where: Exclude<Where, 'none'>;
}

interface LocatedPosts {
  /** Newest first. */
  posts: LocatedPost[];
  /** There may be more posts than were searched or requested. */
  isTruncated: boolean;
  /** Earliest expiry among the posts, in epoch seconds. Undefined when none expires. */
  expiresAt: number | undefined;
}

interface LocatedRow {
  id: string;
  title: string;
  expires_at: number | null;
  board: string;
  cluster: string;
  slug: string;
  name: string;
  own: string | null;
  ofBoard: string | null;
  ofCluster: string | null;
}

/** Number of newest posts that are searched for a place. */
const LOOKED_AT_MAX = 20_000;

const getProps = (text: string | null) => (text === null ? null : (JSON.parse(text) as Props));

/**
 * Boards and posts of public clusters as shown on the public site: without a token and without adults-only content.
 * Spec: Read rules; Props.
 */
export class PublicBoards {
  constructor(
    private readonly database: Database,
    private readonly boards: Pick<BoardsStore, 'list'>,
    private readonly posts: Pick<PostsStore, 'countLive'>,
    private readonly clock: Clock,
  ) {}

  /**
   * The boards of a public cluster, oldest first, each with the heads of its newest posts. Empty while boards are
   * turned off.
   */
  list({ id, boards_enabled, props }: BoardsCluster, newest: number): PublicBoard[] {
    if (!boards_enabled) return [];
    const now = this.now();
    const heads = this.database.sql(
      `SELECT id, title, author, created_at, expires_at FROM posts WHERE board = @board AND ${LIVE} ORDER BY ` +
        'seq DESC LIMIT @newest',
    );
    return this.boards.list(id).map(({ seq, id: board, slug, name, kind, about, props: own }) => {
      const inForce = effectiveProps(props, own);
      const isGated = isAgeGated(inForce);
      return {
        id: board,
        slug,
        name,
        kind,
        about,
        props: inForce,
        isAgeGated: isGated,
        posts: isGated ? 0 : this.posts.countLive(seq, now),
        newest: isGated ? [] : (heads.all({ board: seq, now, newest }) as PostHead[]),
      };
    });
  }

  /**
   * Posts with an effective place: their own, otherwise their board's, otherwise their cluster's, even if only a label.
   * Only the newest 20,000 posts are searched.
   */
  listLocated(limit: number): LocatedPosts {
    const oldest = this.database
      .sql('SELECT seq FROM posts ORDER BY seq DESC LIMIT 1 OFFSET ?')
      .pluck()
      .get(LOOKED_AT_MAX);
    const rows = this.database
      .sql(
        `SELECT posts.id, title, expires_at, boards.slug AS board, clusters.id AS cluster, clusters.slug, clusters.name,
           posts.props AS own, boards.props AS ofBoard, clusters.props AS ofCluster
         FROM posts CROSS JOIN boards ON boards.seq = posts.board CROSS JOIN clusters ON clusters.id = boards.cluster
         WHERE posts.seq > @after AND ${LIVE} AND visibility = 'public' AND boards_enabled = 1
           AND (has_place = 1 OR boards.props IS NOT NULL OR clusters.props IS NOT NULL)
         ORDER BY posts.seq DESC`,
      )
      .iterate({ after: oldest ?? 0, now: this.now() }) as IterableIterator<LocatedRow>;
    const posts: LocatedPost[] = [];
    let expiresAt: number | undefined;
    for (const { id, title, board, cluster, slug, name, expires_at, ...props } of rows) {
      const inForce = effectiveProps(getProps(props.ofCluster), getProps(props.ofBoard), getProps(props.own));
      if (inForce.where === undefined || inForce.where === 'none' || isAgeGated(inForce)) continue;
      if (posts.length === limit) return { posts, isTruncated: true, expiresAt };
      posts.push({ id, title, board, cluster: { id: cluster, slug, name }, where: inForce.where });
      if (expires_at !== null) expiresAt = Math.min(expiresAt ?? expires_at, expires_at);
    }
    return { posts, isTruncated: oldest !== undefined, expiresAt };
  }

  private now(): number {
    return Math.floor(this.clock.now() / 1000);
  }
}
