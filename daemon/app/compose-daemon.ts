import type { Config } from '../config.js';
import { WALLET_DEFAULT } from '../contract/payments.js';
import type { Bus } from '../events/bus.js';
import { composeImports } from '../features/imports/compose-imports.js';
import { composeMemberTests } from '../features/member-tests/compose-member-tests.js';
import type { App } from '../http/route-types.js';
import type { Clock } from '../lib/time/clock.js';
import type { MeshFolder } from '../storage/mesh-folder.js';
import { composeA2a } from './compose-a2a.js';
import { composeAgents } from './compose-agents.js';
import { composeAsks } from './compose-asks.js';
import { type ClientsParts, composeClients, composeOwnClientSetup } from './compose-clients.js';
import { composeOwnClusters } from './compose-clusters.js';
import { composeConversations } from './compose-conversations.js';
import { composeDashboard } from './compose-dashboard.js';
import { composeDirectories } from './compose-directories.js';
import { composeMemberMcp, composeOwnTurnMcp } from './compose-member-mcp.js';
import { composeMoney } from './compose-money.js';
import { composeOwnProject } from './compose-own-project.js';
import { composeServer, type Server, type ServerParts } from './compose-server.js';
import { composeSystem } from './compose-system.js';
import { composeTeam } from './compose-team.js';
import { composeTelemetry } from './compose-telemetry.js';
import { composeUsage } from './compose-usage.js';
import { type Core, composeCore, inArea } from './core.js';
import { createLifecycle } from './daemon-lifecycle.js';
import type { Lifecycle } from './lifecycle.js';
import { composeNetwork } from './network/compose-network.js';
import { shareMembers } from './network/exposed-members.js';
import { openProject } from './open-project.js';
import { composeCheckpoints } from './work/compose-checkpoints.js';
import { composeReviews } from './work/compose-reviews.js';
import { composeRoadmap } from './work/compose-roadmap.js';
import { composeWorktrees } from './work/compose-worktrees.js';

interface DaemonParts extends Omit<ServerParts, 'connectionTableWorker'>, ClientsParts {
  config: Config;
  version: string;
  clock: Clock;
  /** Folder of the built dashboard; undefined when it was not built. */
  uiFolder: string | undefined;
  /** File with the licences of bundled third-party software, if any. */
  licensesFile?: string;
  /** Bundle of the thread that reads the kernel's table of connections. Without it, the event loop reads the table. */
  connectionTableWorker?: URL;
  /** The program of the command line. */
  commandLine?: string;
}

export interface Daemon {
  app: App;
  bus: Bus;
  folder: MeshFolder;
  /** Written to the daemon's file. With it, this process proves its identity to readers of that file. */
  secret: string;
  /**
   * Listens on the loopback address, resumes the work of the previous daemon process and returns the port. When this
   * rejects, every part has stopped.
   */
  listen(port: number): Promise<number>;
  /**
   * Does the rest of the start, which can follow the announcement that the daemon listens: for example, registers
   * members as agents and compiles their schemas.
   */
  settle(): Promise<void>;
  /** Ends running work, and closes the sockets and the store. Repeated calls are safe. */
  stop(): Promise<void>;
}

/**
 * Composes the whole daemon, area by area. Each area is composed from earlier ones and registers its routes. Finally,
 * the lifecycle determines the order in which the areas start and stop.
 */
export async function composeDaemon(parts: DaemonParts): Promise<Daemon> {
  const { config, version, clock, connectionTableWorker } = parts;
  const started = { ms: clock.now(), elapsedMs: clock.elapsed() };
  const opened = await openProject(config, clock);
  const server = await composeServer({ ...parts, connectionTableWorker }, opened);
  const core = composeCore({ config, version, clock, started }, opened, server);
  const { app, bus, folder } = core;
  const [forTeam, forAgents, forWork] = [inArea(core, 'team'), inArea(core, 'agents'), inArea(core, 'conversations')];

  const { network, members } = await composeNetwork(inArea(core, 'projects'), () => void agents.registrations.settle());
  const clients = await composeClients(core, parts);
  const team = await composeTeam(forTeam, clients);
  const clientSetup = await composeOwnClientSetup(core, clients, team);
  const worktrees = await composeWorktrees(forWork, () => ({ dashboard, conversations }));
  const conversations = await composeConversations(forWork, clients, team, worktrees);
  const checkpoints = await composeCheckpoints(forWork, conversations, worktrees.worktrees);
  const asks = await composeAsks(forAgents, team, conversations, (member, address) =>
    agents.host.agent(member).admitCall('ask', address),
  );
  const usage = await composeUsage(core, server, team, conversations);
  const places = { root: config.root, home: config.environment['HOME'], state: folder.state, warn: forTeam.warn };
  const imports = await composeImports({ app, bus, team: team.team, teamStore: team.teamStore, ...places });
  const tested = { team: team.team, exposure: team.exposure, asks };
  const memberTests = await composeMemberTests({ app, bus, clock, ...tested, root: config.root, state: folder.state });
  const roadmap = await composeRoadmap(forWork, { clients, team, conversations, memberTests, worktrees });
  const reviews = await composeReviews(forWork, {
    ...{ clients, team, conversations, changes: checkpoints.changes, worktrees: worktrees.worktrees },
  });

  const directories = await composeDirectories(forAgents, async () =>
    (await money.walletKeys.all()).has(WALLET_DEFAULT),
  );
  const projects = await composeOwnProject(inArea(core, 'projects'), parts.commandLine);
  const money = await composeMoney(inArea(core, 'payments'), directories, projects, team);
  const agents = await composeAgents(forAgents, { clients, team, asks, memberTests, directories, money });
  shareMembers({ network, members }, { asks, host: agents.host, team, bus });
  const clusters = await composeOwnClusters(core, network.frames);
  const a2a = await composeA2a(forAgents, team, asks, agents.host);
  const mcp = await composeMemberMcp(forAgents, {
    ...{ clients, team, conversations, asks, directories, agents, clusters, projects },
  });

  const turnMcp = composeOwnTurnMcp(core, { clients, team, conversations, clusters });

  const dashboard = await composeDashboard(core, server, { ...parts, clients, team, conversations, asks });
  const telemetry = await composeTelemetry(core, server, { asks, conversations, usage: usage.usage, dashboard });
  await composeSystem(core, server, { ...parts, clients, team, asks, money, agents, dashboard });

  const wanted = { port: 0 };
  const lifecycle = createLifecycle(core, server, wanted, {
    ...{ clients, clientSetup, team, conversations, asks, imports, memberTests, roadmap, directories, money, agents },
    ...{ clusters, a2a, mcp, turnMcp, dashboard, projects, network, usage, worktrees, checkpoints, reviews },
    ...telemetry,
  });
  return toDaemon(core, server, wanted, lifecycle);
}

function toDaemon({ app, bus, folder }: Core, server: Server, wanted: { port: number }, lifecycle: Lifecycle): Daemon {
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
