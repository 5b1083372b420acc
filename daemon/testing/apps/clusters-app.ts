import { join } from 'node:path';
import { composeClusters } from '../../app/compose-clusters.js';
import type { Board, Post, PostBody } from '../../contract/boards.js';
import * as boardsContract from '../../contract/boards.js';
import type { ClusterBody, ClusterCreated } from '../../contract/clusters.js';
import * as clustersContract from '../../contract/clusters.js';
import * as errorsContract from '../../contract/errors.js';
import type { MeshEvent } from '../../contract/events.js';
import * as roomsContract from '../../contract/saved-clusters.js';
import type { ReadyFrame, WallFrame } from '../../contract/wall.js';
import type { ClusterHub } from '../../features/clusters/cluster-hub.js';
import { WrongCredentials } from '../../http/callers/bearer.js';
import type { Database } from '../../storage/database/database.js';
import { JsonFile } from '../../storage/files/json-file.js';
import { SecretFile } from '../../storage/files/secret-file.js';
import { type Caller, caller } from '../caller.js';
import { FakeClock } from '../fake-clock.js';
import { SocketClient } from '../processes/socket-client.js';
import { temporaryFolder } from '../temporary-folder.js';
import { serverWith } from './server-with.js';

/** A cluster and its tokens, as its creator receives them. */
export interface OwnCluster {
  id: string;
  token: string;
  admin: string;
  isPublic: boolean;
}

export type WallClient = SocketClient<WallFrame>;

export interface ClustersApp {
  root: string;
  address: string;
  port: number;
  clock: FakeClock;
  database: Database;
  hub: ClusterHub;
  /** Tells the clusters that the shared tables were replaced as a whole. */
  replaced(): Promise<void>;
  events: MeshEvent[];
  log: string[];
  call: Caller;
  aCluster(body?: ClusterBody): Promise<OwnCluster>;
  /** Enables the boards of the cluster and creates one with that slug. */
  aBoard(cluster: OwnCluster, slug: string): Promise<Board>;
  aPost(cluster: OwnCluster, slug: string, post?: Partial<PostBody>): Promise<Post>;
  /**
   * Returns the address of the cluster's socket. That of a private cluster contains its token unless the query has one.
   */
  socketAddress(cluster: OwnCluster, query: Record<string, string>): string;
  /** Opens a socket and waits for its `ready` frame. */
  join(cluster: OwnCluster, agent: string, query?: Record<string, string>): Promise<WallClient>;
  stop(): Promise<void>;
}

/** Starts the server with the clusters on a free port. Stopped when the test ends. */
async function startClusters(root: string, clock: FakeClock) {
  const log: string[] = [];
  const contract = [errorsContract, clustersContract, boardsContract, roomsContract];
  const { surface, ...server } = await serverWith({ root, clock, contract, log }, async (parts) => {
    const clusters = await composeClusters({
      ...parts,
      clock,
      wrong: new WrongCredentials(clock),
      commonsFile: new JsonFile(join(root, 'commons.json'), 0o600),
      roomsFile: new SecretFile(join(root, 'credentials', 'rooms.json')),
      mayWriteSecrets: async () => true,
    });
    return {
      hub: clusters.hub,
      replaced: () => parts.shared.kinds.replaced(),
      start: () => clusters.start(),
      stop() {
        clusters.stop();
        clock.advance(1_000);
      },
    };
  });
  return { ...server, hub: surface.hub, replaced: surface.replaced, log };
}

/** What programs do with clusters at `address`. */
function operationsAt(
  address: string,
): Pick<ClustersApp, 'call' | 'socketAddress' | 'aCluster' | 'aBoard' | 'aPost' | 'join'> {
  const call = caller(address);
  const ok = async <T>(method: string, path: string, body: unknown, token: string): Promise<T> => {
    const reply = await call(method, path, body, token === '' ? {} : { 'x-cluster-token': token });
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body as T;
  };
  const socketAddress: ClustersApp['socketAddress'] = (cluster, query) => {
    const all = { ...(cluster.isPublic ? {} : { token: cluster.token }), ...query };
    return `${address.replace('http', 'ws')}/v1/clusters/${cluster.id}/ws?${new URLSearchParams(all)}`;
  };
  return {
    call,
    socketAddress,
    async aCluster(body = {}) {
      const { cluster_id, token, admin_token } = await ok<ClusterCreated>('POST', '/v1/clusters', body, '');
      return {
        id: cluster_id,
        token: token as string,
        admin: admin_token as string,
        isPublic: body.visibility === 'public',
      };
    },
    async aBoard(cluster, slug) {
      await ok('PATCH', `/v1/clusters/${cluster.id}`, { boards_enabled: true }, cluster.admin);
      const body = { slug, name: slug, kind: 'generic', about: `All about ${slug}.` };
      return (await ok<{ board: Board }>('POST', `/v1/clusters/${cluster.id}/boards`, body, cluster.admin)).board;
    },
    async aPost(cluster, slug, post = {}) {
      const path = `/v1/clusters/${cluster.id}/boards/${slug}/posts?agent=poster`;
      return (
        await ok<{ post: Post }>('POST', path, { title: 'A lamp', body: 'To give away.', ...post }, cluster.token)
      ).post;
    },
    async join(cluster, agent, query = {}) {
      const client: WallClient = new SocketClient(socketAddress(cluster, { agent, ...query }));
      const first = await client.next();
      if (first.kind !== 'ready') throw new Error(`The first frame is ${first.kind}.`);
      return client;
    },
  };
}

/**
 * Starts clusters with their boards and the Wall on a free port over a database in a temporary folder, with a fake
 * clock. Stopped when the test ends.
 */
export async function clustersApp({ root = temporaryFolder(), clock = new FakeClock() } = {}): Promise<ClustersApp> {
  const started = await startClusters(root, clock);
  return { ...started, ...operationsAt(started.address) };
}

/** Returns the first frame of a socket. */
export const getReadyFrame = (client: WallClient) => client.frames[0] as ReadyFrame;

/** Sends a frame as JSON, or a string unchanged. */
export const sendFrame = (client: WallClient, frame: unknown) =>
  client.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
