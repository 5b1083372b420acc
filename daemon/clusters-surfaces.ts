import type { Bus } from './events/bus.js';
import { type BoardsSurface, composeBoards } from './features/boards/boards-surface.js';
import { ClusterDoor } from './features/clusters/cluster-door.js';
import { Clusters } from './features/clusters/clusters.js';
import { clustersRoutes } from './features/clusters/clusters-routes.js';
import { ClustersStore } from './features/clusters/clusters-store.js';
import { commonsSecrets, type SecretsFile } from './features/clusters/commons-secrets.js';
import { Rooms } from './features/clusters/rooms.js';
import { Wall, type WallParts } from './features/wall/wall.js';
import { wallSocket } from './features/wall/wall-socket.js';
import type { WrongCredentials } from './http/bearer.js';
import type { App } from './http/create-server.js';
import type { Clock } from './lib/clock.js';
import type { Database } from './storage/database.js';

export interface ClustersSurfacesParts {
  app: App;
  database: Database;
  bus: Bus;
  clock: Clock;
  wrong: WrongCredentials;
  /** This daemon's own address, once it listens. */
  address: () => string;
  /** Where the tokens of the commons are kept. */
  commonsFile: SecretsFile;
  /** Whether new secrets may be written into the credentials folder. */
  mayWriteSecrets: () => Promise<boolean>;
  /** How much one socket may say; the contract's limits unless told otherwise. */
  limits?: WallParts['limits'];
}

export interface ClustersSurfaces {
  clusters: Clusters;
  door: ClusterDoor;
  rooms: Rooms;
  boards: BoardsSurface;
  /** Takes up its work once the daemon listens. */
  start(): Promise<void>;
  stop(): void;
}

/** Clusters with their rooms, boards and the Wall, and their routes. Rooms know neither of the other two, boards push through rooms, the Wall asks boards. */
export async function composeClusters(parts: ClustersSurfacesParts): Promise<ClustersSurfaces> {
  const { app, database, bus, clock, wrong, address, limits } = parts;
  const store = new ClustersStore(database);
  const door = new ClusterDoor(store, wrong);
  const rooms = new Rooms(clock);
  const clusters: Clusters = new Clusters({
    store,
    door,
    bus,
    clock,
    address,
    countOnline: (id) => rooms.count(id),
    countBoards: (id) => boards.boards.countOf(id),
  });
  const boards: BoardsSurface = composeBoards({ app, database, clusters, door, rooms, bus, clock });
  clusters.onRemoving((id) => boards.boards.onClusterRemoved(id));
  clusters.onRemoved((id) => rooms.close(id, 'The cluster was deleted.'));
  const wall = new Wall({
    rooms,
    boards: boards.boards,
    clock,
    findCluster: (id) => store.find(id),
    failed: (error) => app.log.error({ err: error }, 'a frame could not be carried out'),
    ...(limits ? { limits } : {}),
  });
  clustersRoutes(app, clusters, door);
  wallSocket(app, wall, door);
  await clusters.keepCommons(await commonsSecrets(parts.commonsFile, parts.mayWriteSecrets));

  return {
    clusters,
    door,
    rooms,
    boards,
    async start() {
      rooms.start();
      await boards.start();
    },
    stop() {
      boards.stop();
      rooms.stop();
    },
  };
}
