import type { Bus } from '../events/bus.js';
import { BoardsStore } from '../features/boards/boards-store.js';
import { type BoardsArea, composeBoards } from '../features/boards/compose-boards.js';
import type { PublicBoards } from '../features/boards/public-boards.js';
import { ClusterAccess } from '../features/clusters/cluster-access.js';
import { ClusterHub } from '../features/clusters/cluster-hub.js';
import { Clusters } from '../features/clusters/clusters.js';
import { clustersRoutes } from '../features/clusters/clusters-routes.js';
import { ClustersStore } from '../features/clusters/clusters-store.js';
import { commonsSecrets, type SecretsFile } from '../features/clusters/commons-secrets.js';
import { SavedClusters } from '../features/saved-clusters/saved-clusters.js';
import { savedClustersRoutes } from '../features/saved-clusters/saved-clusters-routes.js';
import { SavedClustersStore } from '../features/saved-clusters/saved-clusters-store.js';
import { ClusterSite } from '../features/site/cluster-site.js';
import { clusterSiteRoutes } from '../features/site/cluster-site-routes.js';
import { PublicMap } from '../features/site/public-map.js';
import { SharedWall } from '../features/wall/shared-wall.js';
import { Wall, type WallParts } from '../features/wall/wall.js';
import { wallSocket } from '../features/wall/wall-socket.js';
import type { WrongCredentials } from '../http/callers/bearer.js';
import type { App } from '../http/route-types.js';
import type { Clock } from '../lib/time/clock.js';
import { inCredentials } from '../private/private-names.js';
import type { SharedChanges } from '../shared-log/command-kinds.js';
import type { SharedFrames } from '../shared-log/shared-frames.js';
import type { Database } from '../storage/database/database.js';
import { SecretFile } from '../storage/files/secret-file.js';
import { type Core, loggers } from './core.js';

/** The dependencies of clusters. They are separate from Core, so that a test can mount clusters alone. */
interface ClustersParts {
  app: App;
  database: Database;
  shared: SharedChanges;
  bus: Bus;
  clock: Clock;
  wrong: WrongCredentials;
  /** This daemon's own address, available once it listens. */
  address: () => string;
  /** Whether new secrets may be written into the credentials folder. */
  mayWriteSecrets: () => Promise<boolean>;
  /** Holds the tokens of the commons. */
  commonsFile: SecretsFile;
  /** Holds the clusters that the operator saved, with their tokens. */
  roomsFile: Pick<SecretFile, 'path' | 'read' | 'write'>;
  /** How what is said goes to other daemons; nowhere by default. */
  frames?: SharedFrames;
  /** Limits on what one socket may send; the contract's limits by default. */
  limits?: WallParts['limits'];
}

export interface ClustersArea {
  clusters: Clusters;
  hub: ClusterHub;
  boards: BoardsArea;
  start(): Promise<void>;
  stop(): void;
}

/** Composes the clusters that the operator saved, which include the commons. */
async function composeSavedClusters(
  { app, bus, clock, mayWriteSecrets, commonsFile, roomsFile }: ClustersParts,
  { clusters, clusterAccess, hub }: { clusters: Clusters; clusterAccess: ClusterAccess; hub: ClusterHub },
): Promise<SavedClusters> {
  const commons = await commonsSecrets(commonsFile, mayWriteSecrets);
  await clusters.keepCommons(commons);
  const saved = new SavedClusters({
    store: new SavedClustersStore(roomsFile),
    clusters,
    clusterAccess,
    hub,
    bus,
    clock,
    commons,
    mayWriteSecrets,
    warn: loggers(app, 'clusters').warn,
  });
  await saved.load();
  clusters.onRemoved((id) => saved.onClusterRemoved(id));
  await app.register(savedClustersRoutes, { clusters: saved });
  return saved;
}

/** Composes the public pages of clusters and the map. */
async function composeClusterSite(
  { app, database, clock, address }: ClustersParts,
  { clusters, hub, publicBoards }: { clusters: Clusters; hub: ClusterHub; publicBoards: PublicBoards },
): Promise<void> {
  const totalChanges = database.sql('SELECT total_changes()').pluck();
  const changes = () => totalChanges.get() as number;
  const map = new PublicMap({ clusters, boards: publicBoards, clock, changes });
  const site = new ClusterSite({ clusters, boards: publicBoards, hub, origin: address, clock });
  await app.register(clusterSiteRoutes, { site, map, port: () => Number(new URL(address()).port) });
}

/** Composes the clusters of this daemon, with their tokens in its credentials folder. */
export function composeOwnClusters({ folder, ...core }: Core, frames: SharedFrames): Promise<ClustersArea> {
  const secrets = (name: 'commons.json' | 'rooms.json') => new SecretFile(inCredentials(folder.credentials, name));
  return composeClusters({ ...core, frames, commonsFile: secrets('commons.json'), roomsFile: secrets('rooms.json') });
}

/** Composes clusters with their boards, the Wall, the saved clusters, and the public pages. */
export async function composeClusters(parts: ClustersParts): Promise<ClustersArea> {
  const { app, database, shared, bus, clock, wrong, address, limits, frames } = parts;
  const store = new ClustersStore(database);
  const boardsStore = new BoardsStore(database);
  const clusterAccess = new ClusterAccess(store, wrong);
  const hub = new ClusterHub(clock, frames);
  const clusters = new Clusters({
    ...{ store, clusterAccess, shared, bus, address },
    countOnline: (id) => hub.count(id),
    countBoards: (id) => boardsStore.count(id),
  });
  const boards = await composeBoards({ app, database, shared, clusters, clusterAccess, hub, bus, clock });
  clusters.onRemoving((id) => boards.boards.onClusterRemoved(id));
  clusters.onRemoved((id) => hub.close(id, 'The cluster was deleted.'));
  const wallParts = { hub, boards: boards.boards, clock };
  const wall = new Wall({
    ...wallParts,
    ...(frames
      ? { shared: new SharedWall({ ...wallParts, frames, getVisibility: (id) => store.find(id)?.visibility }) }
      : {}),
    getSeq: (id) => store.getSeq(id),
    failed: (error) => loggers(app, 'clusters').logError(error, 'a frame could not be carried out'),
    ...(limits ? { limits } : {}),
  });
  await app.register(clustersRoutes, { clusters, clusterAccess });
  await app.register(wallSocket, { wall, clusterAccess });

  const saved = await composeSavedClusters(parts, { clusters, clusterAccess, hub });
  shared.kinds.onReplaced(() => hub.closeUnknown((id) => store.find(id) !== undefined));
  // A cluster that is back after it was away, as after a network, has lost the operator's connection.
  shared.kinds.onReplaced(() => saved.start());
  await composeClusterSite(parts, { clusters, hub, publicBoards: boards.publicBoards });
  return {
    clusters,
    hub,
    boards,
    async start() {
      hub.start();
      saved.start();
      await boards.start();
    },
    stop() {
      boards.stop();
      saved.stop();
      hub.stop();
    },
  };
}
