import type { Config } from '../config.js';
import type { Bus } from '../events/bus.js';
import { composeImports } from '../features/imports/compose-imports.js';
import { composeMemberTests } from '../features/member-tests/compose-member-tests.js';
import type { App } from '../http/route-types.js';
import type { Clock } from '../lib/clock.js';
import type { MeshFolder } from '../storage/mesh-folder.js';
import { composeA2a } from './compose-a2a.js';
import { composeAgents } from './compose-agents.js';
import { composeAsks } from './compose-asks.js';
import { type ClientsParts, composeClients } from './compose-clients.js';
import { composeOwnClusters } from './compose-clusters.js';
import { composeConversations } from './compose-conversations.js';
import { composeDashboard } from './compose-dashboard.js';
import { composeDirectories } from './compose-directories.js';
import { composeMemberMcp } from './compose-member-mcp.js';
import { composeMoney } from './compose-money.js';
import { composeOwnProject } from './compose-own-project.js';
import { composeRoadmap } from './compose-roadmap.js';
import { composeServer, type ServerParts } from './compose-server.js';
import { composeSystem } from './compose-system.js';
import { composeTeam } from './compose-team.js';
import { composeCore } from './core.js';
import { createLifecycle } from './daemon-lifecycle.js';
import { openProject } from './open-project.js';

export interface DaemonParts extends Omit<ServerParts, 'connectionTableWorker'>, ClientsParts {
  config: Config;
  version: string;
  clock: Clock;
  /** The built dashboard; undefined when there is none. */
  uiFolder: string | undefined;
  /** The licences of what the program carries of others, where they were put together. */
  licensesFile?: string;
  /** The bundle of the thread that reads the kernel's table of connections; without it the event loop does. */
  connectionTableWorker?: URL;
}

export interface Daemon {
  app: App;
  bus: Bus;
  folder: MeshFolder;
  /** Proves to readers of the daemon's own file that it is this process that answers. */
  secret: string;
  /** Listens on the loopback address and takes up what the last daemon left; returns the port. When it rejects, all has stopped. */
  listen(port: number): Promise<number>;
  /** What the start has left to do, once it was announced that the daemon listens: registers members as agents, compiles their schemas. */
  settle(): Promise<void>;
  /** Ends what runs, closes sockets and the store. Repeating it is safe. */
  stop(): Promise<void>;
}

/**
 * Builds the whole daemon, area by area: each is composed from those before it and attaches its routes; then all take their place in the
 * lifecycle.
 */
export async function composeDaemon(parts: DaemonParts): Promise<Daemon> {
  const { config, version, clock, connectionTableWorker } = parts;
  const started = { ms: clock.now(), elapsedMs: clock.elapsed() };
  const opened = await openProject(config, clock);
  const server = await composeServer({ ...parts, connectionTableWorker }, opened);
  const core = composeCore({ config, version, clock, started }, opened, server);
  const { app, bus, folder, warn } = core;

  const clients = await composeClients(core, parts);
  const team = await composeTeam(core, clients);
  const conversations = await composeConversations(core, clients, team);
  const asks = await composeAsks(core, team, conversations);
  await composeRoadmap(core, team, conversations);
  const places = { root: config.root, home: config.environment['HOME'], state: folder.state };
  const imports = await composeImports({ app, bus, warn, team: team.team, teamStore: team.teamStore, ...places });
  const tested = { team: team.team, exposure: team.exposure, asks };
  const memberTests = await composeMemberTests({ app, bus, clock, ...tested, root: config.root, state: folder.state });

  const directories = await composeDirectories(core);
  const money = await composeMoney(core, directories);
  const agents = await composeAgents(core, { clients, team, asks, memberTests, directories, money });
  const clusters = await composeOwnClusters(core);
  const a2a = await composeA2a(core, team, asks, agents.host);
  const mcp = await composeMemberMcp(core, { team, conversations, asks, directories, agents, clusters });

  const dashboard = await composeDashboard(core, server, { ...parts, clients, team, conversations, asks });
  await composeSystem(core, server, { ...parts, clients, team, asks, money, agents, dashboard });
  const projects = await composeOwnProject(core);

  const wanted = { port: 0 };
  const lifecycle = createLifecycle(core, server, wanted, {
    ...{ clients, team, conversations, asks, imports, memberTests, directories, money, agents },
    ...{ clusters, a2a, mcp, dashboard, projects },
  });
  return {
    app,
    bus,
    folder,
    secret: server.secret,
    async listen(port) {
      wanted.port = port;
      await lifecycle.start();
      return server.port();
    },
    settle: () => lifecycle.settle(),
    stop: () => lifecycle.stop(),
  };
}
