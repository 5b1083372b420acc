import type { Board, BoardBody, Post, PostBody } from '../../contract/boards.js';
import * as boardsContract from '../../contract/boards.js';
import type { ClusterBody, ClusterPatch } from '../../contract/clusters.js';
import * as clustersContract from '../../contract/clusters.js';
import * as errorsContract from '../../contract/errors.js';
import type { MeshEvent } from '../../contract/events.js';
import type { BoardFrame } from '../../contract/wall.js';
import { type BoardsArea, composeBoards } from '../../features/boards/compose-boards.js';
import { ClusterAccess } from '../../features/clusters/cluster-access.js';
import { Clusters } from '../../features/clusters/clusters.js';
import { clustersRoutes } from '../../features/clusters/clusters-routes.js';
import { ClustersStore } from '../../features/clusters/clusters-store.js';
import { WrongCredentials } from '../../http/callers/bearer.js';
import type { Command } from '../../shared-log/shared-log.js';
import type { Database } from '../../storage/database/database.js';
import { type Caller, caller, type Reply } from '../caller.js';
import { FakeClock } from '../fake-clock.js';
import { temporaryFolder } from '../temporary-folder.js';
import { serverWith } from './server-with.js';

/** A cluster and its tokens, as its creator receives them. */
export interface ACluster {
  id: string;
  token: string;
  admin: string;
}

/**
 * Clusters with their boards but without the Wall, on a free port over a database in a temporary folder, with a fake
 * clock.
 */
export interface BoardsApp {
  root: string;
  address: string;
  clock: FakeClock;
  database: Database;
  surface: BoardsArea;
  /** Frames that were pushed to the open sockets, with the cluster's id. */
  frames: [cluster: string, frame: BoardFrame][];
  events: MeshEvent[];
  /** The commands that were submitted, refused ones too. */
  commands: readonly Command[];
  call: Caller;
  aCluster(body?: ClusterBody & { props?: ClusterPatch['props'] }, boardsEnabled?: boolean): Promise<ACluster>;
  aBoard(cluster: ACluster, board?: Partial<BoardBody>): Promise<Board>;
  /** Calls a path below `/v1/clusters/<id>/boards`, with the token if one is given. */
  onBoards(cluster: ACluster, method: string, path: string, body?: unknown, token?: string): Promise<Reply>;
  aPost(cluster: ACluster, board: Board, post?: Partial<PostBody>, author?: string): Promise<Post>;
  stop(): Promise<void>;
}

/** Starts the server with the clusters and boards on a free port. Stopped when the test ends. */
async function startBoards(root: string, clock: FakeClock) {
  const frames: BoardsApp['frames'] = [];
  const contract = [errorsContract, clustersContract, boardsContract];
  const server = await serverWith({ root, clock, contract }, async ({ app, database, shared, bus, address }) => {
    const store = new ClustersStore(database);
    const clusterAccess = new ClusterAccess(store, new WrongCredentials(clock));
    const clusters: Clusters = new Clusters({
      store,
      clusterAccess,
      shared,
      bus,
      address,
      countOnline: () => 0,
      countBoards: (id) => surface.boards.count(id),
    });
    const hub = { push: (cluster: string, frame: BoardFrame) => void frames.push([cluster, frame]) };
    const surface: BoardsArea = await composeBoards({
      app,
      database,
      shared,
      clusters,
      clusterAccess,
      hub,
      bus,
      clock,
    });
    clusters.onRemoving((id) => surface.boards.onClusterRemoved(id));
    await app.register(clustersRoutes, { clusters, clusterAccess });
    return surface;
  });
  return { ...server, frames };
}

/** What programs do with clusters and boards at `address`. */
function operationsAt(address: string): Pick<BoardsApp, 'call' | 'onBoards' | 'aCluster' | 'aBoard' | 'aPost'> {
  const call = caller(address);
  const bearer = (token: string | undefined): Record<string, string> =>
    token === undefined ? {} : { 'x-cluster-token': token };
  const onBoards: BoardsApp['onBoards'] = (cluster, method, path, body, token) =>
    call(method, `/v1/clusters/${cluster.id}/boards${path}`, body, bearer(token));
  return {
    call,
    onBoards,
    async aCluster({ props, ...body } = {}, boardsEnabled = true) {
      const made = (await call('POST', '/v1/clusters', { visibility: 'public', ...body })).body as {
        cluster_id: string;
        token: string;
        admin_token: string;
      };
      const cluster = { id: made.cluster_id, token: made.token, admin: made.admin_token };
      const patch = { boards_enabled: boardsEnabled, ...(props && { props }) };
      await call('PATCH', `/v1/clusters/${cluster.id}`, patch, bearer(cluster.admin));
      return cluster;
    },
    async aBoard(cluster, board = {}) {
      const body = { slug: 'flats', name: 'Flats', kind: 'generic', about: 'Rooms to let.', ...board };
      const reply = await onBoards(cluster, 'POST', '', body, cluster.admin);
      if (reply.status !== 201) throw new Error(reply.text);
      return (reply.body as { board: Board }).board;
    },
    async aPost(cluster, board, post = {}, author = 'ada') {
      const path = `/${board.id}/posts?agent=${encodeURIComponent(author)}&adult=1`;
      const reply = await onBoards(cluster, 'POST', path, { title: 'A room', ...post }, cluster.token);
      if (reply.status !== 201) throw new Error(reply.text);
      return (reply.body as { post: Post }).post;
    },
  };
}

export async function boardsApp({ root = temporaryFolder(), clock = new FakeClock() } = {}): Promise<BoardsApp> {
  const started = await startBoards(root, clock);
  return { ...started, ...operationsAt(started.address) };
}
