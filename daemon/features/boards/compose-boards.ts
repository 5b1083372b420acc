import type { Bus } from '../../events/bus.js';
import type { App } from '../../http/route-types.js';
import type { Clock } from '../../lib/time/clock.js';
import type { CommandKinds, SharedChanges } from '../../shared-log/command-kinds.js';
import type { Database } from '../../storage/database/database.js';
import { BoardCommands, type ChangedBoard, type ExpiredSome, type PinnedPost } from './board-commands.js';
import { BoardHistoryStore } from './board-history-store.js';
import { BoardNews, type BoardNewsItem } from './board-news.js';
import { Boards } from './boards.js';
import { BoardsAccess } from './boards-access.js';
import type { BoardsClusterAccess, BoardsClusters, BoardsHub } from './boards-ports.js';
import { boardsRoutes } from './boards-routes.js';
import { BoardsStore } from './boards-store.js';
import { ExpiredPosts } from './expired-posts.js';
import { NearPosts } from './near-posts.js';
import { Posts } from './posts.js';
import { postsRoutes } from './posts-routes.js';
import { PostsStore } from './posts-store.js';
import { PublicBoards } from './public-boards.js';

interface ComposeBoardsParts {
  app: App;
  database: Database;
  shared: SharedChanges;
  clusters: BoardsClusters;
  clusterAccess: BoardsClusterAccess;
  hub: BoardsHub;
  bus: Bus;
  clock: Clock;
}

export interface BoardsArea {
  boards: Boards;
  posts: Posts;
  /** The publicly visible boards, for the public site. */
  publicBoards: PublicBoards;
  /** Starts the deletion of expired posts. */
  start(): Promise<void>;
  stop(): void;
}

/** Sets what follows each command: the events that are published, and when posts expire. */
function followCommands(kinds: CommandKinds, news: BoardNews, expired: ExpiredPosts): void {
  for (const kind of ['board.create', 'board.edit', 'board.remove'])
    kinds.onApplied<ChangedBoard>(kind, ({ item }) => news.publish(item));
  kinds.onApplied<PinnedPost>('post.pin', ({ created, item }) => {
    if (!item) return;
    news.publish(item);
    if (created.post.expires_at !== null) expired.expect(created.post.expires_at);
  });
  kinds.onReplaced(() => void expired.start());
  kinds.onApplied<BoardNewsItem>('post.remove', (item) => news.publish(item));
  kinds.onApplied<ExpiredSome>('post.expire', ({ items }) => {
    // One notification per board is enough, since subscribers reload the board.
    for (const item of new Map(items.map((one) => [one.board.id, one])).values()) news.publish(item);
  });
}

/** Composes boards and posts with their routes. */
export async function composeBoards({
  app,
  database,
  shared,
  clusters,
  clusterAccess,
  hub,
  bus,
  clock,
}: ComposeBoardsParts): Promise<BoardsArea> {
  const store = new BoardsStore(database);
  const postsStore = new PostsStore(database);
  const history = new BoardHistoryStore(database);
  const { kinds, log } = shared;
  const requireCluster = (id: string) => clusters.require(id);
  kinds.define(new BoardCommands({ boards: store, posts: postsStore, history, requireCluster }).kinds);
  const boardsAccess = new BoardsAccess(clusters, clusterAccess, store);
  const expired = new ExpiredPosts({ log, posts: postsStore, clock });
  followCommands(kinds, new BoardNews(hub, bus), expired);
  const near = new NearPosts(database);
  const posts = new Posts({ store: postsStore, near, boardsAccess, log, clock });
  const boards = new Boards({ clusters, store, posts, postsStore, history, boardsAccess, log, clock });
  await app.register(boardsRoutes, { boards, boardsAccess });
  await app.register(postsRoutes, { posts });
  const publicBoards = new PublicBoards(database, store, postsStore, clock);
  return { boards, posts, publicBoards, start: () => expired.start(), stop: () => expired.stop() };
}
