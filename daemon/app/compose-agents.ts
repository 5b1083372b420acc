import { SURFACES } from '../contract/network/agents.js';
import { AgentHost } from '../features/agent-host/agent-host.js';
import { agentHostRoutes } from '../features/agent-host/agent-host-routes.js';
import { DefaultWallet } from '../features/agent-host/default-wallet.js';
import type { Asks } from '../features/asks/asks.js';
import type { TestedMembers } from '../features/member-tests/tested-members.js';
import { RegistrationMarks } from '../features/self-registration/registration-marks.js';
import { SelfRegistration } from '../features/self-registration/self-registration.js';
import { selfRegistrationRoutes } from '../features/self-registration/self-registration-routes.js';
import { hubPort, registryPort } from '../features/self-registration/surface-ports.js';
import { Site } from '../features/site/site.js';
import { siteRoutes } from '../features/site/site-routes.js';
import { agentKey } from '../lib/agents/agent-id.js';
import { inState } from '../private/private-names.js';
import { JsonFile } from '../storage/files/json-file.js';
import type { ClientsArea } from './compose-clients.js';
import type { DirectoriesArea } from './compose-directories.js';
import type { MoneyArea } from './compose-money.js';
import type { TeamArea } from './compose-team.js';
import { listConfiguredNetworks } from './configured-networks.js';
import type { Core } from './core.js';

export interface AgentsArea {
  /** The exposed members as agents. */
  host: AgentHost;
  /** Registers the exposed members in both directories. */
  registrations: SelfRegistration;
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
  const { app, clock, wrong, signed, address, folder, project, config, warn, logError } = core;
  const { clients, asks, memberTests, money } = parts;
  const { team, exposure } = parts.team;
  const { hub, registry, reputation, registrationKeys, findHostedMember, outbound, responses } = parts.directories;

  const host = new AgentHost({
    exposure,
    asks,
    clock,
    processor: () => money.processor,
    origin: address,
    resolve: (member) => clients.clients.resolve(member),
    networks: listConfiguredNetworks(config),
    wallet: new DefaultWallet(async () => (await money.walletKeys.get()).address),
    findTests: (member) => memberTests.cardTests(member),
    onFailure: (error, skill) => logError(error, 'a skill failed', { skill }),
  });
  asks.onOutcome((member, isAnswered) => {
    const ids = SURFACES.flatMap((surface) => registrationKeys.find(member, surface)?.agent_id ?? []);
    for (const agentId of new Map(ids.map((id) => [agentKey(id), id])).values()) responses.ended(agentId, isAnswered);
  });
  await app.register(agentHostRoutes, { host, signed, wrong });

  const registrations = new SelfRegistration({
    exposure,
    host,
    surfaces: { hub: hubPort(hub), v1: registryPort(registry) },
    keys: registrationKeys,
    marks: new RegistrationMarks(new JsonFile(inState(folder.state, 'house-agents.json'), 0o600)),
    clock,
    project,
    warn,
  });
  team.onExposureChanged(() => registrations.settle());
  team.onChanged((id) => registrations.refresh(id));
  team.onRemoved(() => registrations.settle());
  await app.register(selfRegistrationRoutes, { houseAgents: registrations });

  const site = new Site({
    hub,
    registry,
    reputation,
    exposure,
    host,
    outbound,
    elsewhere: money.elsewhere,
    hostedMember: findHostedMember,
    origin: address,
    project,
    clock,
  });
  await app.register(siteRoutes, { site });
  return { host, registrations };
}
