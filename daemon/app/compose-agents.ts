import { AgentHost } from '../features/agent-host/agent-host.js';
import { agentHostRoutes } from '../features/agent-host/agent-host-routes.js';
import { DefaultWallet } from '../features/agent-host/default-wallet.js';
import type { Asks } from '../features/asks/asks.js';
import { HouseAgentMarks } from '../features/house-agents/house-agent-marks.js';
import { HouseAgents } from '../features/house-agents/house-agents.js';
import { houseAgentsRoutes } from '../features/house-agents/house-agents-routes.js';
import { hubPort, registryPort } from '../features/house-agents/surface-ports.js';
import type { TestedMembers } from '../features/member-tests/tested-members.js';
import { Site } from '../features/site/site.js';
import { siteRoutes } from '../features/site/site-routes.js';
import { inState } from '../private/private-names.js';
import { JsonFile } from '../storage/json-file.js';
import type { ClientsArea } from './compose-clients.js';
import type { DirectoriesArea } from './compose-directories.js';
import type { MoneyArea } from './compose-money.js';
import type { TeamArea } from './compose-team.js';
import type { Core } from './core.js';

export interface AgentsArea {
  /** The exposed members as agents. */
  host: AgentHost;
  /** Registers the exposed members in both directories. */
  registrations: HouseAgents;
}

interface AgentsParts {
  clients: ClientsArea;
  team: TeamArea;
  asks: Asks;
  memberTests: TestedMembers;
  directories: DirectoriesArea;
  money: MoneyArea;
}

/** Composes the exposed members as agents: their routes, directory registrations and public pages. */
export async function composeAgents(core: Core, parts: AgentsParts): Promise<AgentsArea> {
  const { app, clock, wrong, signed, address, folder, project, warn, logError } = core;
  const { clients, asks, memberTests, money } = parts;
  const { team, exposure } = parts.team;
  const { hub, registry, reputation, registrationKeys, findHostedMember, outbound } = parts.directories;

  const host = new AgentHost({
    exposure,
    asks,
    clock,
    till: () => money.till,
    origin: address,
    resolve: (member) => clients.clients.resolve(member),
    wallet: new DefaultWallet(async () => (await money.walletKeys.get()).address),
    findTests: (member) => memberTests.cardTests(member),
    onFailure: (error, skill) => logError(error, 'a skill failed', { skill }),
  });
  await app.register(agentHostRoutes, { host, signed, wrong });

  const registrations = new HouseAgents({
    exposure,
    host,
    surfaces: { hub: hubPort(hub), v1: registryPort(registry) },
    keys: registrationKeys,
    marks: new HouseAgentMarks(new JsonFile(inState(folder.state, 'house-agents.json'), 0o600)),
    clock,
    project,
    warn,
  });
  team.onExposureChanged(() => registrations.settle());
  team.onRemoved(() => registrations.settle());
  await app.register(houseAgentsRoutes, { houseAgents: registrations });

  const site = new Site({
    hub,
    registry,
    reputation,
    exposure,
    host,
    outbound,
    hostedMember: findHostedMember,
    origin: address,
    project,
    clock,
  });
  await app.register(siteRoutes, { site });
  return { host, registrations };
}
