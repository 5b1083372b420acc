import { BOARDS_MAX, HISTORY_DAYS, POSTS_MAX, type PostCreated } from '../../contract/boards.js';
import {
  CreateBoard,
  EditBoard,
  ExpirePosts,
  PinPost,
  RemoveBoard,
  RemovePost,
} from '../../contract/commands/boards.js';
import { MeshError } from '../../lib/errors.js';
import { patchedProps } from '../../lib/patched-props.js';
import { countCodePoints } from '../../lib/text/code-points.js';
import { computeExpiry, isLive } from '../../lib/time/ttl.js';
import { ANY_DAEMON, type CommandKind, commandKind } from '../../shared-log/command-kinds.js';
import type { Command } from '../../shared-log/shared-log.js';
import type { Owned } from '../../shared-log/shared-tables.js';
import type { BoardHistoryStore } from './board-history-store.js';
import type { BoardNewsItem } from './board-news.js';
import { admitAge, isAgeGated, type RuledBoard, requireBoard, withBoards } from './boards-access.js';
import type { BoardsCluster } from './boards-ports.js';
import type { BoardRow, BoardsStore } from './boards-store.js';
import { getPoint } from './effective-props.js';
import { toPost } from './post-view.js';
import type { PostRow, PostsStore } from './posts-store.js';

/** A board after a change, and what to tell about it. */
export interface ChangedBoard {
  board: Omit<BoardRow, 'seq'>;
  item: BoardNewsItem;
}

export interface PinnedPost {
  created: PostCreated;
  /** What to tell about it; null for a repeat. */
  item: BoardNewsItem | null;
}

export interface ExpiredSome {
  items: BoardNewsItem[];
  /** Whether there may be more to delete. */
  isMore: boolean;
}

interface BoardCommandsParts {
  boards: BoardsStore;
  posts: PostsStore;
  history: BoardHistoryStore;
  /** Returns the cluster with the id. Throws `not_found`. */
  requireCluster: (id: string) => BoardsCluster;
}

/** Posts and events that one command deletes at most. */
const EXPIRED_AT_ONCE = 500;
const HISTORY_SECONDS = HISTORY_DAYS * 86_400;

const getSeconds = ({ at }: Command) => Math.floor(at / 1000);

const toCluster = (id: string): Owned => ({ area: 'cluster', id });
/** Only the daemon that created a cluster can check who administers it. */
const OWN_CLUSTER = { requires: ({ cluster }: { cluster: string }) => [toCluster(cluster)] };

/** The kinds of commands that change boards and posts, over their tables. */
export class BoardCommands {
  constructor(private readonly parts: BoardCommandsParts) {}

  get kinds(): Readonly<Record<string, CommandKind>> {
    return {
      'board.create': commandKind(CreateBoard, (body, command) => this.create(body, command), OWN_CLUSTER),
      'board.edit': commandKind(EditBoard, (body, command) => this.edit(body, command), OWN_CLUSTER),
      'board.remove': commandKind(RemoveBoard, (body, command) => this.remove(body, command), OWN_CLUSTER),
      'post.pin': commandKind(PinPost, (body, command) => this.pin(body, command), {
        takes: (_, { entity }) => [{ area: 'post', id: entity }],
      }),
      'post.remove': commandKind(RemovePost, (body, command) => this.removePost(body, command), {
        requires: ({ is_admin, cluster }, { entity }) =>
          is_admin ? [toCluster(cluster)] : [{ area: 'post', id: entity }],
      }),
      'post.expire': commandKind(ExpirePosts, (_, command) => this.expire(command), ANY_DAEMON),
    };
  }

  private create({ cluster, ...body }: CreateBoard, command: Command): ChangedBoard {
    const { boards } = this.parts;
    const { id } = withBoards(this.parts.requireCluster(cluster));
    if (boards.find(id, body.slug)) {
      throw new MeshError('slug_taken', `This cluster has a board "${body.slug}" already: choose another slug.`, {
        details: { path: 'slug' },
      });
    }
    if (boards.count(id) >= BOARDS_MAX) {
      throw new MeshError('board_limit', `A cluster has at most ${BOARDS_MAX} boards: remove one first.`, {
        details: { limit: BOARDS_MAX },
      });
    }
    const board = { ...body, id: command.entity, cluster: id, created_at: getSeconds(command) };
    boards.insert(board);
    return { board, item: this.record('board_created', board, getSeconds(command)) };
  }

  private edit({ cluster, patch: { name, about, props } }: EditBoard, command: Command): ChangedBoard {
    const before = this.open(cluster, command.entity).board;
    const board = {
      ...before,
      name: name ?? before.name,
      about: about ?? before.about,
      props: props === undefined ? before.props : patchedProps(before.props, props),
    };
    this.parts.boards.put(board);
    return { board, item: this.record('board_updated', board, getSeconds(command)) };
  }

  private remove({ cluster }: RemoveBoard, command: Command): ChangedBoard {
    const { board } = this.open(cluster, command.entity);
    this.parts.boards.remove(board.seq);
    return { board, item: this.record('board_deleted', board, getSeconds(command)) };
  }

  private pin(body: PinPost, command: Command): PinnedPost {
    const open = this.open(body.cluster, body.board);
    admitAge(open.props, body.is_adult);
    let item: BoardNewsItem | null = null;
    // Only the id is kept for repeats: a text would outlive its post.
    const { id } = this.parts.posts.once(body.key ?? undefined, command.at, () => {
      this.requireAllowedSize(open, body, getSeconds(command));
      this.insert(open, body, command);
      item = this.recordPost('post_created', open, { id: command.entity, title: body.title }, getSeconds(command));
      return { id: command.entity };
    });
    // Read back from the database, so that the response equals every later read.
    const post = toPost(this.requireLive(open, id, command), open.board.id);
    return { created: { id, post }, item };
  }

  private removePost({ cluster, board, is_admin, agent }: RemovePost, command: Command): BoardNewsItem {
    const open = this.open(cluster, board);
    const row = this.requireLive(open, command.entity, command);
    if (!is_admin && row.author !== agent) {
      throw new MeshError(
        'forbidden',
        'Only its author (agent=<their handle>) and the cluster’s admin token delete a post.',
      );
    }
    this.parts.posts.remove(row.seq);
    return this.recordPost('post_deleted', open, row, getSeconds(command));
  }

  private expire(command: Command): ExpiredSome {
    const { boards, posts, history, requireCluster } = this.parts;
    const now = getSeconds(command);
    posts.forgetOldKeys(command.at);
    const pruned = history.prune(now - HISTORY_SECONDS, EXPIRED_AT_ONCE);
    const items = posts.listExpired(now, EXPIRED_AT_ONCE).map((post) => {
      posts.remove(post.seq);
      // Also while the boards of its cluster are turned off.
      const open = requireBoard(boards, requireCluster(post.cluster), post.board);
      return this.recordPost('post_expired', open, post, post.expires_at);
    });
    return { items, isMore: Math.max(pruned, items.length) === EXPIRED_AT_ONCE };
  }

  private open(cluster: string, board: string): RuledBoard {
    return requireBoard(this.parts.boards, withBoards(this.parts.requireCluster(cluster)), board);
  }

  private requireLive({ board }: RuledBoard, id: string, { at }: Command): PostRow {
    const row = this.parts.posts.find(board.seq, id);
    if (!row || !isLive(row, at)) throw noPost();
    return row;
  }

  private requireAllowedSize({ board, props }: RuledBoard, { title, body }: PinPost, now: number): void {
    const limit = props.limits?.post_max_chars ?? Number.POSITIVE_INFINITY;
    const length = countCodePoints(title) + countCodePoints(body);
    if (length > limit) {
      const message = `Title and body have ${length} characters together: this board takes at most ${limit}.`;
      throw new MeshError('post_too_long', message, { details: { limit, length } });
    }
    if (this.parts.posts.countLive(board.seq, now) >= POSTS_MAX) {
      const message = `The board holds ${POSTS_MAX} live posts: one must expire or be deleted first.`;
      throw new MeshError('board_full', message, { details: { limit: POSTS_MAX } });
    }
  }

  private insert(
    { board }: RuledBoard,
    { author, title, body, ttl, file, props, lang }: PinPost,
    command: Command,
  ): void {
    const created_at = getSeconds(command);
    const expires_at = computeExpiry(created_at, ttl);
    const row = { id: command.entity, board: board.seq, created_at, expires_at, ttl, author, props, file, title, body };
    this.parts.posts.insert(row, {
      point: getPoint(props?.where),
      hasPlace: props?.where !== undefined,
      lang: lang ?? undefined,
    });
  }

  private record(
    event: BoardNewsItem['event'],
    { id, slug, cluster }: Pick<BoardRow, 'id' | 'slug' | 'cluster'>,
    ts: number,
  ): BoardNewsItem {
    return this.keep({ event, cluster, board: { id, slug }, ts });
  }

  private recordPost(
    event: BoardNewsItem['event'],
    { cluster, board, props }: RuledBoard,
    { id, title }: Pick<PostRow, 'id' | 'title'>,
    ts: number,
  ): BoardNewsItem {
    const told = isAgeGated(props) ? {} : { title };
    return this.keep({ event, cluster: cluster.id, board: { id: board.id, slug: board.slug }, post: id, ...told, ts });
  }

  /** Adds the item to the history. */
  private keep(item: BoardNewsItem): BoardNewsItem {
    const { cluster, board, ...event } = item;
    this.parts.history.insert(cluster, { ...event, board: board.id, slug: board.slug });
    return item;
  }
}

/** The error for a post that has expired, was deleted, or never existed. */
export const noPost = () =>
  new MeshError('post_not_found', 'There is no such post on this board: it has expired, was deleted, or never was.');
