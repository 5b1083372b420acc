import { randomBytes } from 'node:crypto';
import type { Config } from '../config.js';
import { ConnectionShare } from '../http/connection-share.js';
import { createServer, type ServerOptions } from '../http/create-server.js';
import { Guard } from '../http/guard.js';
import { addSchemas, describeRoutes } from '../http/openapi.js';
import { OperatorProof } from '../http/operator-proof.js';
import { PeerLimits } from '../http/peer-limits.js';
import type { App } from '../http/route-types.js';
import { type Clock, systemClock } from '../lib/clock.js';
import { connectionLimits } from '../storage/open-files.js';
import { PeerBudget } from '../storage/peer-budget.js';
import { Peers } from '../storage/peer-uid.js';
import { PeerUsage } from '../storage/peer-usage.js';
import { TableReader } from '../storage/table-reader.js';
import { CONTRACT_SCHEMAS } from './contract-schemas.js';
import type { Project } from './open-project.js';

/**
 * Connections that wait to be accepted, at most. Members of the Wall all reconnect at once after a restart, and a client that finds no place
 * retries only after seconds. The system's own limit (`somaxconn`) holds beside it.
 */
const BACKLOG = 4_096;

export interface ServerParts extends Pick<ServerOptions, 'log' | 'onRoute' | 'precompiled'> {
  config: Config;
  version: string;
  clock: Clock;
  /** The bundle of the thread that reads the kernel's table of connections; without it the event loop does. */
  connectionTableWorker: URL | undefined;
}

export interface Server {
  app: App;
  /** What other users of this machine may store. */
  peerLimits: PeerLimits;
  connectionTable: TableReader;
  /** Proves to readers of the daemon's own file that it is this process that answers. */
  secret: string;
  /** 0 until it listens. */
  port(): number;
  /** This daemon's own address, once it listens. */
  address(): string;
  /** Listens on the loopback address; `port` 0 takes a free one. */
  listen(port: number): Promise<void>;
}

/** The HTTP server with the guard and the limits for other users, before any route. */
export async function composeServer(
  { config, version, clock, log, onRoute, precompiled, connectionTableWorker }: ServerParts,
  { folder, database }: Project,
): Promise<Server> {
  const guard = new Guard();
  const secret = randomBytes(32).toString('hex');
  const operator = new OperatorProof(secret);
  const connectionTable = new TableReader(connectionTableWorker, systemClock);
  const peers = new Peers(config.ownUid, connectionTable);
  const budget = new PeerBudget(new PeerUsage(database, folder.state, clock), clock);
  const peerLimits = new PeerLimits((socket) => peers.foreignUid(socket), budget);
  const app = await createServer({
    guard,
    isForeignPeer: (socket) => peers.isForeign(socket),
    noteOperator: (request) => {
      if (operator.isProved(request)) peers.rememberOwn(request.socket);
    },
    whenPeerKnown: (socket, known) => peers.whenKnown(socket, known),
    peerLimits,
    onRoute,
    precompiled,
    log,
  });
  peers.follow(app.server);
  new ConnectionShare(connectionLimits(), peers).follow(app.server);
  addSchemas(app, CONTRACT_SCHEMAS);
  await describeRoutes(app, version);

  let port = 0;
  const address = () => `http://127.0.0.1:${port}`;
  const listen = async (wanted: number) => {
    app.addHook('onListen', (done) => {
      const bound = app.server.address();
      port = typeof bound === 'object' && bound ? bound.port : wanted;
      guard.listeningOn(port);
      // In the log before anybody is answered: a page that comes back with the daemon reads it there.
      app.log.info({ address: address(), root: config.root }, 'listening');
      done();
    });
    await app.listen({ host: '127.0.0.1', port: wanted, backlog: BACKLOG });
  };
  return { app, peerLimits, connectionTable, secret, port: () => port, address, listen };
}
