import type { PushNotifications } from '../features/a2a/push-notifications.js';
import type { Asks } from '../features/asks/asks.js';
import type { ClientSetupArea } from '../features/clients/setup/compose-client-setup.js';
import type { ImportsArea } from '../features/imports/compose-imports.js';
import type { Mcp } from '../features/mcp/mcp.js';
import type { TestedMembers } from '../features/member-tests/tested-members.js';
import type { Network } from '../features/network/network.js';
import type { RunningProjects } from '../features/projects/running-projects.js';
import type { LoopDelay } from '../features/telemetry/loop-delay.js';
import type { Telemetry } from '../features/telemetry/telemetry.js';
import { prepareSkillSchemas } from '../lib/agents/skill-schema.js';
import { waitForTick } from '../lib/async/loop-ticks.js';
import type { AgentsArea } from './compose-agents.js';
import type { ClientsArea } from './compose-clients.js';
import type { ClustersArea } from './compose-clusters.js';
import type { DashboardArea } from './compose-dashboard.js';
import type { DirectoriesArea } from './compose-directories.js';
import type { MoneyArea } from './compose-money.js';
import type { Server } from './compose-server.js';
import type { TeamArea } from './compose-team.js';
import type { Core } from './core.js';
import { Lifecycle, type LifecycleEntry } from './lifecycle.js';
import { listWork, type WorkAreas } from './work/work-lifecycle.js';

interface Areas extends WorkAreas {
  clients: ClientsArea;
  clientSetup: ClientSetupArea;
  team: TeamArea;
  asks: Asks;
  imports: ImportsArea;
  memberTests: TestedMembers;
  directories: DirectoriesArea;
  money: MoneyArea;
  agents: AgentsArea;
  a2a: PushNotifications;
  mcp: Mcp;
  /** The tools of the agents of running turns. */
  turnMcp: Mcp;
  clusters: ClustersArea;
  dashboard: DashboardArea;
  projects: RunningProjects;
  network: Network;
  telemetry: Telemetry;
  loopDelay: LoopDelay;
}

/** The parts that must be ready before the first request, and the server itself. */
function beforeListening({ database }: Core, server: Server, wanted: { port: number }, areas: Areas): LifecycleEntry[] {
  const { clients, clientSetup, dashboard, memberTests, roadmap } = areas;
  const { team, exposure } = areas.team;
  const { knowledge } = clients;
  return [
    { name: 'database', stop: () => database.close() },
    { name: 'knowledge', stop: () => knowledge.close() },
    { name: 'client setup', start: () => clientSetup.start() },
    { name: 'clients', start: () => clients.beginProbing() },
    { name: 'preferences', start: () => dashboard.preferences.load() },
    { name: 'team', start: () => team.start(), stop: () => team.close() },
    // Before the exposure, which creates no token for a member that fails its tests.
    { name: 'member tests', start: () => memberTests.start() },
    { name: 'task checks', start: () => roadmap.start(), stop: () => roadmap.stop() },
    { name: 'exposure', start: () => exposure.start() },
    { name: 'connection table', stop: () => server.connectionTable.close() },
    { name: 'server', start: () => server.listen(wanted.port), stop: () => server.app.close() },
  ];
}

/** The parts that resume the work of the previous daemon process. They do not start without a writable store. */
function afterListening(core: Core, areas: Areas): LifecycleEntry[] {
  const { asks, directories, agents, imports, money, clusters, a2a, turnMcp, telemetry, loopDelay, network } = areas;
  const { usage } = areas.usage;
  const { wallets, processor: payments, spending } = money;
  const ifWritable = (work: () => unknown) => () => (core.database.state === 'ok' ? work() : undefined);
  const register = async () => {
    try {
      await directories.start();
      await agents.registrations.start();
    } catch (error) {
      core.logError(error, 'the agents of this project could not be registered');
    }
  };
  return [
    // Starts before the turns that a restart has ended, and stops after the running ones, so that it sends them all.
    { name: 'telemetry', start: () => telemetry.start(), stop: () => telemetry.stop() },
    { name: 'event loop delay', stop: () => loopDelay.stop() },
    // Stops after the turns, which end their agents' calls with the reason of the stop.
    { name: 'tools of turns', stop: () => turnMcp.stop() },
    ...listWork(areas, ifWritable),
    // Before the notifications, so that none is sent for an ask that is removed for its age.
    { name: 'asks', start: ifWritable(() => asks.start()) },
    { name: 'usage', start: ifWritable(() => usage.start()), stop: () => usage.stop() },
    { name: 'push notifications', start: ifWritable(() => a2a.start()) },
    { name: 'network', start: ifWritable(() => network.start()), stop: () => network.stop() },
    { name: 'clusters', start: ifWritable(() => clusters.start()) },
    { name: 'wallets', start: ifWritable(() => wallets.start()) },
    { name: 'payments', start: ifWritable(() => payments.start()), stop: () => payments.stop() },
    { name: 'directories', stop: () => directories.stop() },
    { name: 'registrations', settle: ifWritable(register), stop: () => agents.registrations.stop() },
    { name: 'imports', settle: ifWritable(() => imports.start()), stop: () => imports.stop() },
    { name: 'skill schemas', settle: ifWritable(() => waitForTick().then(prepareSkillSchemas)) },
    // Stops before the directories, since it comes after them: an interrupted call then resumes at the next start
    // instead of failing.
    { name: 'spending', start: ifWritable(() => spending.start()), stop: () => spending.stop() },
  ];
}

/**
 * The parts that stop first: they release waiting callers and close sockets before the underlying work ends. None of
 * these entries has a start.
 */
function firstToStop({
  asks,
  a2a,
  clientSetup,
  clusters,
  dashboard,
  mcp,
  memberTests,
  projects,
  roadmap,
}: Areas): LifecycleEntry[] {
  return [
    { name: 'members of clusters', stop: () => clusters.stop() },
    { name: 'receivers of notifications', stop: () => a2a.stop() },
    { name: 'callers of asks', stop: () => asks.stop() },
    { name: 'mcp', stop: () => mcp.stop() },
    { name: 'member test runs', stop: () => memberTests.stop() },
    // Before the test runs and turns that they wait for: what these end with is no verdict.
    { name: 'checks of tasks', stop: () => roadmap.stopChecks() },
    { name: 'client tests', stop: () => clientSetup.stop() },
    { name: 'events', stop: () => dashboard.events.close() },
    { name: 'project entry', stop: () => projects.withdraw() },
  ];
}

/** Creates the lifecycle of the whole daemon, in the order in which its parts start. */
export function createLifecycle(core: Core, server: Server, wanted: { port: number }, areas: Areas): Lifecycle {
  const { clients, projects } = areas;
  const { processes } = clients.machine;
  return new Lifecycle([
    ...beforeListening(core, server, wanted, areas),
    // Its thread would take processor time from the rest of the start.
    { name: 'index', settle: () => clients.knowledge.start() },
    { name: 'client probes', start: () => clients.keepProbing() },
    { name: 'processes', start: () => processes?.reapOrphans(), stop: () => processes?.stopAll() },
    { name: 'project announcement', settle: () => void projects.announce() },
    ...afterListening(core, areas),
    ...firstToStop(areas),
  ]);
}
