import type { Bus } from './events/bus.js';
import { type BoardsSurface, composeBoards } from './features/boards/boards-surface.js';
import { ClusterDoor } from './features/clusters/cluster-door.js';
import { Clusters } from './features/clusters/clusters.js';
import { clustersRoutes } from './features/clusters/clusters-routes.js';
import { ClustersStore } from './features/clusters/clusters-store.js';
import { commonsSecrets, type SecretsFile } from './features/clusters/commons-secrets.js';
import { Rooms } from './features/clusters/rooms.js';
import { KeptRooms } from './features/rooms/kept-rooms.js';
import { roomsRoutes } from './features/rooms/rooms-routes.js';
import { RoomsStore } from './features/rooms/rooms-store.js';
import { ClusterSite } from './features/site/cluster-site.js';
import { clusterSiteRoutes } from './features/site/cluster-site-routes.js';
import { PublicMap } from './features/site/public-map.js';
import { Wall, type WallParts } from './features/wall/wall.js';
import { wallSocket } from './features/wall/wall-socket.js';
import type { WrongCredentials } from './http/bearer.js';
import type { App } from './http/create-server.js';
import type { Clock } from './lib/clock.js';
import type { Database } from './storage/database.js';
import type { SecretFile } from './storage/secret-file.js';

export interface ClustersSurfacesParts {
  app: App;
  database: Database;
  bus: Bus;
  clock: Clock;
  wrong: WrongCredentials;
  /** This daemon's own address, available when it listens. */
  address: () => string;
  /** File with the tokens of the Commons. */
  commonsFile: SecretsFile;
  /** File with the operator's saved clusters and their tokens. */
  roomsFile: Pick<SecretFile, 'path' | 'read' | 'write'>;
  /** Whether new secrets may be written into the credentials folder. */
  mayWriteSecrets: () => Promise<boolean>;
  /** Limits of one socket; by default those of the contract. */
  limits?: WallParts['limits'];
}

export interface ClustersSurfaces {
  clusters: Clusters;
  door: ClusterDoor;
  rooms: Rooms;
  boards: BoardsSurface;
  /** Starts the work that requires a listening daemon. */
  start(): Promise<void>;
  stop(): void;
}

/**
 * Composes clusters with their live clusters, boards and the Wall, and their routes. Live clusters depend on neither of
 * the other two, boards push through live clusters, and the Wall reads boards.
 */
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
    seqOf: (id) => store.seqOf(id),
    failed: (error) => app.log.error({ err: error }, 'a frame could not be carried out'),
    ...(limits ? { limits } : {}),
  });
  clustersRoutes(app, clusters, door);
  wallSocket(app, wall, door);
  const commons = await commonsSecrets(parts.commonsFile, parts.mayWriteSecrets);
  await clusters.keepCommons(commons);
  const kept = new KeptRooms({
    store: new RoomsStore(parts.roomsFile),
    clusters,
    door,
    rooms,
    bus,
    clock,
    commons,
    mayWriteSecrets: parts.mayWriteSecrets,
    warn: (message) => app.log.warn(message),
  });
  await kept.load();
  clusters.onRemoved((id) => kept.onClusterRemoved(id));
  roomsRoutes(app, kept);
  const totalChanges = database.sql('SELECT total_changes()').pluck();
  const map = new PublicMap({
    clusters,
    boards: boards.publicBoards,
    clock,
    changes: () => totalChanges.get() as number,
  });
  const site = new ClusterSite({ clusters, boards: boards.publicBoards, rooms, origin: address, clock });
  clusterSiteRoutes(app, site, map, () => Number(new URL(address()).port));

  return {
    clusters,
    door,
    rooms,
    boards,
    async start() {
      rooms.start();
      kept.start();
      await boards.start();
    },
    stop() {
      boards.stop();
      kept.stop();
      rooms.stop();
    },
  };
}
