import {
  type Board,
  type BoardBody,
  type BoardCreated,
  type BoardEvent,
  type BoardHistory,
  type BoardList,
  type BoardPatch,
  type BoardRead,
  HISTORY_DAYS,
  type HistoryQuery,
  POSTS_MAX,
} from '../../contract/boards.js';
import type { CreateBoard, EditBoard, RemoveBoard } from '../../contract/commands/boards.js';
import { LIST_LIMIT_DEFAULT } from '../../contract/limits.js';
import { newBoardId } from '../../lib/ids.js';
import { patchedProps } from '../../lib/patched-props.js';
import type { Clock } from '../../lib/time/clock.js';
import { isLive } from '../../lib/time/ttl.js';
import type { SharedLog } from '../../shared-log/shared-log.js';
import type { ChangedBoard } from './board-commands.js';
import type { BoardHistoryStore } from './board-history-store.js';
import { type BoardsAccess, isAgeGated, type Visit } from './boards-access.js';
import { rowBefore } from './boards-cursor.js';
import type { BoardsClusters } from './boards-ports.js';
import type { BoardRow, BoardsStore } from './boards-store.js';
import { effectiveProps } from './effective-props.js';
import type { Posts } from './posts.js';
import type { PostsStore } from './posts-store.js';

interface BoardsParts {
  clusters: BoardsClusters;
  store: BoardsStore;
  posts: Posts;
  postsStore: PostsStore;
  history: BoardHistoryStore;
  boardsAccess: BoardsAccess;
  log: SharedLog;
  clock: Clock;
}

const HISTORY_SECONDS = HISTORY_DAYS * 86_400;

/**
 * The boards of clusters: topical surfaces with a charter, which hold posts. Only the admin of a cluster creates, edits
 * and deletes them. All methods for callers throw `not_found` for a cluster that is unknown or closed to the caller.
 * All but `list` and `listHistory` throw `boards_disabled` while boards are turned off. Spec: Board.
 */
export class Boards {
  constructor(private readonly parts: BoardsParts) {}

  /**
   * Creates a board. Throws `unauthorized` without the admin token, `slug_taken` for a slug that another board of the
   * cluster has, `board_limit` beyond 50. Sends `board_created`, publishes `board.changed`.
   */
  async create(visit: Visit, { slug, name, kind = 'generic', about = '', props }: BoardBody): Promise<BoardCreated> {
    const { boardsAccess, log } = this.parts;
    const cluster = boardsAccess.asAdmin(visit).id;
    const { board } = await log.submit<ChangedBoard>('board.create', newBoardId(), {
      ...{ cluster, slug, name, kind, about, props: patchedProps(null, props ?? null) },
    } satisfies CreateBoard);
    return { id: board.id, board: toBoard(board, 0) };
  }

  /**
   * The cluster's boards, oldest first, with the props of each level as set there. No board while they are turned off:
   * the rules of the cluster are read here in any case. Spec: Read rules, 1.
   */
  list(visit: Visit): BoardList {
    const { store, boardsAccess } = this.parts;
    const cluster = boardsAccess.requireMember(visit);
    const rows = cluster.boards_enabled ? store.list(cluster.id) : [];
    return { boards: rows.map((row) => this.counted(row)), cluster_props: cluster.props };
  }

  /** A board, its effective rules, and its live posts, newest first. Throws `board_not_found`, `age_gated`. */
  read(visit: Visit, idOrSlug: string): BoardRead {
    const open = this.parts.boardsAccess.openBoard(visit, idOrSlug);
    const { posts, next_cursor } = this.parts.posts.page(open, { limit: POSTS_MAX });
    return { board: this.counted(open.board), effective_props: open.props, posts, next_cursor };
  }

  /**
   * Edits the charter. Props merge by key, `entry` and `limits` by member; `null` clears one, and `props: null` clears
   * all. Throws `unauthorized`, `board_not_found`. Publishes `board.changed`.
   */
  async edit(visit: Visit, idOrSlug: string, patch: BoardPatch): Promise<Board> {
    const { boardsAccess, log } = this.parts;
    const { cluster, board } = boardsAccess.ownBoard(visit, idOrSlug);
    const body = { cluster: cluster.id, patch } satisfies EditBoard;
    const changed = await log.submit<ChangedBoard>('board.edit', board.id, body);
    return this.counted({ ...changed.board, seq: board.seq });
  }

  /**
   * Deletes a board with its posts. Throws `unauthorized`, `board_not_found`. Sends `board_deleted`,
   * publishes `board.changed`.
   */
  async remove(visit: Visit, idOrSlug: string): Promise<void> {
    const { boardsAccess, log } = this.parts;
    const { cluster, board } = boardsAccess.ownBoard(visit, idOrSlug);
    await log.submit<ChangedBoard>('board.remove', board.id, { cluster: cluster.id } satisfies RemoveBoard);
  }

  /**
   * The events on the cluster's boards in the last 30 days, newest first, for holders of its tokens. Never contains
   * Wall messages, nor titles of a board that is adults-only by now, unless the caller is an adult. Available while
   * boards are turned off. Throws `unauthorized` without a token, `bad_request` for an invalid cursor.
   */
  listHistory(visit: Visit, { limit = LIST_LIMIT_DEFAULT, cursor }: HistoryQuery): BoardHistory {
    const { history, boardsAccess, store } = this.parts;
    const { id, props } = boardsAccess.requireAuditor(visit);
    const rows = history.list(id, this.now() - HISTORY_SECONDS, rowBefore(cursor), limit + 1);
    const gated = store.list(id).filter((board) => !visit.isAdult && isAgeGated(effectiveProps(props, board.props)));
    const hidden = new Set(gated.map((board) => board.id));
    const events = rows.slice(0, limit).map(({ title, ...event }) => ({
      ...event,
      ...(title !== undefined && !hidden.has(event.board) && { title }),
    }));
    return {
      events,
      count: events.length,
      next_cursor: rows.length > limit ? String((events.at(-1) as BoardEvent).seq) : null,
    };
  }

  /**
   * The board that a hashtag refers to in this cluster. Undefined when there is none or boards are turned off. Spec:
   * Hashtag scoping.
   */
  findBoard(clusterId: string, slug: string): { id: string; slug: string } | undefined {
    const board = this.hasBoards(clusterId) ? this.parts.store.find(clusterId, slug) : undefined;
    return board?.slug === slug ? { id: board.id, slug } : undefined;
  }

  /**
   * Whether a hashtag refers to a live post of this cluster. False while boards are turned off. Spec: Hashtag scoping.
   */
  hasPost(clusterId: string, postId: string): boolean {
    const post = this.hasBoards(clusterId) ? this.parts.postsStore.findExpiry(clusterId, postId) : undefined;
    return post !== undefined && isLive(post, this.parts.clock.now());
  }

  /** Number of boards of the cluster, including while they are turned off. */
  count(clusterId: string): number {
    return this.parts.store.count(clusterId);
  }

  /**
   * Deletes all board data of the cluster. Must be called inside the transaction that deletes the cluster. Idempotent.
   */
  onClusterRemoved(clusterId: string): void {
    this.parts.store.removeAll(clusterId);
    this.parts.history.removeAll(clusterId);
    this.parts.posts.forget(clusterId);
  }

  private hasBoards(clusterId: string): boolean {
    return this.parts.clusters.find(clusterId)?.boards_enabled === true;
  }

  private counted(row: BoardRow): Board {
    return toBoard(row, this.parts.postsStore.countLive(row.seq, this.now()));
  }

  private now(): number {
    return Math.floor(this.parts.clock.now() / 1000);
  }
}

const toBoard = ({ id, slug, name, kind, about, props, created_at }: Omit<BoardRow, 'seq'>, posts: number): Board => ({
  id,
  slug,
  name,
  kind,
  about,
  props,
  posts,
  created_at,
});
