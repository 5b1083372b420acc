import { randomBytes } from 'node:crypto';
import type { Config } from '../config.js';
import { ConnectionShare } from '../http/callers/connection-share.js';
import { OperatorProof } from '../http/callers/operator-proof.js';
import { PeerLimits } from '../http/callers/peer-limits.js';
import { type AnsweredRequest, createServer, type RefusedCall, type ServerOptions } from '../http/create-server.js';
import { Guard } from '../http/guard.js';
import { addSchemas, describeRoutes } from '../http/openapi.js';
import type { App } from '../http/route-types.js';
import { type Clock, systemClock } from '../lib/time/clock.js';
import { TableReader } from '../storage/database/table-reader.js';
import { connectionLimits } from '../storage/files/open-files.js';
import type { Reading } from '../storage/peers/connection-table.js';
import { PeerBudget } from '../storage/peers/peer-budget.js';
import { Peers } from '../storage/peers/peer-uid.js';
import { PeerUsage } from '../storage/peers/peer-usage.js';
import { CONTRACT_SCHEMAS } from './contract-schemas.js';
import type { Project } from './open-project.js';

/**
 * Maximum number of connections that wait to be accepted. All members of the Wall reconnect at once after a restart,
 * and a client that finds the queue full retries only after seconds. The system's limit (`somaxconn`) also applies.
 */
const BACKLOG = 4_096;

export interface ServerParts extends Pick<ServerOptions, 'log' | 'onRoute' | 'precompiled'> {
  config: Config;
  version: string;
  clock: Clock;
  /** Bundle of the thread that reads the kernel's table of connections. Without it, the event loop reads the table. */
  connectionTableWorker: URL | undefined;
  /** Tells whose connections are. By default the kernel's table does, which takes milliseconds to read. */
  readOwners?: ((wanted: ReadonlySet<string>) => Reading) | undefined;
}

export interface Server {
  app: App;
  /** Limits on what other users of this machine may store. */
  peerLimits: PeerLimits;
  /** What other users of this machine have stored. */
  peerUsage: PeerUsage;
  connectionTable: TableReader;
  /** Written to the daemon's file. With it, this process proves its identity to readers of that file. */
  secret: string;
  /** Registers who is notified of calls that are answered with 401, 402 or 429. */
  onRefused(listener: (call: RefusedCall) => void): void;
  /** Registers who is notified of every answer. */
  onAnswered(listener: (request: AnsweredRequest) => void): void;
  /** 0 until it listens. */
  port(): number;
  /** This daemon's own address, available once it listens. */
  address(): string;
  /** Listens on the loopback address. With `port` 0 the system chooses a free port. */
  listen(port: number): Promise<void>;
}

/** Composes the HTTP server with the guard and the limits for other users, but without any feature's routes. */
export async function composeServer(
  { config, version, clock, log, onRoute, precompiled, connectionTableWorker, readOwners }: ServerParts,
  { folder, database }: Project,
): Promise<Server> {
  const guard = new Guard();
  const secret = randomBytes(32).toString('hex');
  const operator = new OperatorProof(secret);
  const connectionTable = new TableReader(connectionTableWorker, systemClock, readOwners);
  const peers = new Peers(config.ownUid, connectionTable);
  const peerUsage = new PeerUsage(database, folder.state, clock);
  const budget = new PeerBudget(peerUsage, clock);
  const peerLimits = new PeerLimits((socket) => peers.foreignUid(socket), budget);
  const refusedListeners: ((call: RefusedCall) => void)[] = [];
  const answeredListeners: ((request: AnsweredRequest) => void)[] = [];
  const app = await createServer({
    guard,
    isForeignPeer: (socket) => peers.isForeign(socket),
    noteOperator: (request) => {
      if (operator.isProved(request)) peers.rememberOwn(request.socket);
    },
    whenPeerKnown: (socket, known) => peers.onKnown(socket, known),
    peerLimits,
    onRoute,
    onRefused: (call) => {
      for (const notify of refusedListeners) notify(call);
    },
    onAnswered: (request) => {
      for (const notify of answeredListeners) notify(request);
    },
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
      // Logged before the first response, because a page that reconnects reads the line from the log.
      app.log.info({ address: address(), root: config.root }, 'listening');
      done();
    });
    await app.listen({ host: '127.0.0.1', port: wanted, backlog: BACKLOG });
  };
  const onRefused = (listener: (call: RefusedCall) => void) => void refusedListeners.push(listener);
  const onAnswered = (listener: (request: AnsweredRequest) => void) => void answeredListeners.push(listener);
  const parts = { app, peerLimits, peerUsage, connectionTable, secret, onRefused, onAnswered };
  return { ...parts, port: () => port, address, listen };
}
