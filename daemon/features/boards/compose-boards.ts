import type { Bus } from '../../events/bus.js';
import type { App } from '../../http/route-types.js';
import type { Clock } from '../../lib/time/clock.js';
import type { Database } from '../../storage/database/database.js';
import { BoardHistoryStore } from './board-history-store.js';
import { BoardNews } from './board-news.js';
import { Boards } from './boards.js';
import { BoardsDoor } from './boards-door.js';
import type { BoardsClusterDoor, BoardsClusters, BoardsHub } from './boards-ports.js';
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
  clusters: BoardsClusters;
  door: BoardsClusterDoor;
  savedClusters: BoardsHub;
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

/** Composes boards and posts with their routes. */
export async function composeBoards({
  app,
  database,
  clusters,
  door: clusterDoor,
  savedClusters,
  bus,
  clock,
}: ComposeBoardsParts): Promise<BoardsArea> {
  const store = new BoardsStore(database);
  const postsStore = new PostsStore(database);
  const history = new BoardHistoryStore(database);
  const news = new BoardNews(history, savedClusters, bus);
  const door = new BoardsDoor(clusters, clusterDoor, store);
  const expired = new ExpiredPosts({ posts: postsStore, boards: store, clusters, history, news, clock });
  const near = new NearPosts(database);
  const posts = new Posts({
    store: postsStore,
    near,
    door,
    news,
    clock,
    willExpire: (atSeconds) => expired.expect(atSeconds),
  });
  const boards = new Boards({ clusters, store, posts, postsStore, history, door, news, clock });
  await app.register(boardsRoutes, { boards, door });
  await app.register(postsRoutes, { posts });
  const publicBoards = new PublicBoards(database, store, postsStore, clock);
  return { boards, posts, publicBoards, start: () => expired.start(), stop: () => expired.stop() };
}
