import { randomBytes } from 'node:crypto';
import { SURFACES, type Surface } from './contract/agents.js';
import type { HouseAgentList } from './contract/house-agents.js';
import type { Bus } from './events/bus.js';
import type { AgentHost } from './features/agent-host/agent-host.js';
import type { Exposure } from './features/exposure/exposure.js';
import { HouseAgentKeys } from './features/house-agents/house-agent-keys.js';
import { HouseAgentMarks } from './features/house-agents/house-agent-marks.js';
import { HouseAgents } from './features/house-agents/house-agents.js';
import { houseAgentsRoutes } from './features/house-agents/house-agents-routes.js';
import { hubPort, registryPort } from './features/house-agents/surface-ports.js';
import { composeHub } from './features/hub/hub-surface.js';
import type { Oracle } from './features/oracle/oracle.js';
import { composeOracle } from './features/oracle/oracle-surface.js';
import { Catalog } from './features/registry/catalog.js';
import { Registry } from './features/registry/registry.js';
import { registryRoutes } from './features/registry/registry-routes.js';
import { RegistryStore } from './features/registry/registry-store.js';
import { Reputation } from './features/reputation/reputation.js';
import { reputationRoutes } from './features/reputation/reputation-routes.js';
import { ReputationStore } from './features/reputation/reputation-store.js';
import { Site } from './features/site/site.js';
import { siteRoutes } from './features/site/site-routes.js';
import type { AgentDirectory } from './features/spending/paying-ports.js';
import type { Team } from './features/team/team.js';
import { WrongCredentials } from './http/bearer.js';
import type { App } from './http/create-server.js';
import { OutboundFetch } from './http/outbound-fetch.js';
import { PartnerKeys } from './http/partner-key.js';
import type { PeerLimits } from './http/peer-limits.js';
import type { SignedCallers } from './http/signed-caller.js';
import { agentKey } from './lib/agent-id.js';
import { AgentTokens } from './lib/agent-token.js';
import type { Clock } from './lib/clock.js';
import type { SigningKey } from './lib/ed25519.js';
import { inCredentials, inState } from './private/private-names.js';
import type { Database } from './storage/database.js';
import { JsonFile } from './storage/json-file.js';
import { loadKey } from './storage/key-file.js';
import type { MeshFolder } from './storage/mesh-folder.js';
import { SecretFile } from './storage/secret-file.js';

export interface AgentSurfacesParts {
  app: App;
  /** Limits what other users may store. */
  peerLimits: PeerLimits;
  database: Database;
  folder: MeshFolder;
  bus: Bus;
  clock: Clock;
  identity: SigningKey;
  signed: SignedCallers;
  /** Whether new secrets may be written into the credentials folder. */
  mayWriteSecrets: () => Promise<boolean>;
  /** This daemon's own address, available when it listens. */
  address: () => string;
  /** Keys of this machine's partners. */
  partnerKeys: readonly string[];
  /**
   * `host:port` of agents on this machine whose cards may be fetched over plain http, in addition to this daemon's own.
   */
  loopbackEndpoints: readonly string[];
  /** The environment of the daemon, from which the agent search reads its settings. */
  environment: Readonly<Record<string, string | undefined>>;
  /** The project's name. */
  project: string;
  team: Pick<Team, 'onExposureChanged' | 'onRemoved'>;
  exposure: Exposure;
  host: AgentHost;
  /** Whether a transaction has paid for a call of a hosted member that was served. */
  isPaidTo: (member: string, payment: { network: string; signature: string }) => boolean;
  /** Whether this daemon has paid an agent for a call with a transaction. */
  hasPaid: (agentId: string, payment: { network: string; signature: string }) => boolean;
}

export interface AgentSurfaces {
  /** Returns the score that decides about credit for the agent to which a key is bound; null without one. */
  creditOf(pubkey: string): number | null;
  /** Registered agents that can be called. */
  directory: AgentDirectory;
  /** The search over both surfaces. */
  oracle: Oracle;
  /** Fetches JSON that agents serve. */
  outbound: OutboundFetch;
  /** `host:port` of the loopback endpoints that may be reached: this daemon's own and the configured ones. */
  loopback: () => ReadonlySet<string>;
  /** The self-registrations of the exposed members on both surfaces. */
  registrations: () => HouseAgentList;
  /** Starts the work that requires a listening daemon. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Composes the hub, the unified API, the agent search, the reputation and the public site, with their routes:
 * everything about agents except the team.
 */
export async function composeAgentSurfaces(parts: AgentSurfacesParts): Promise<AgentSurfaces> {
  const { app, database, folder, bus, clock, mayWriteSecrets, address, partnerKeys, signed } = parts;
  const wrong = new WrongCredentials(clock);
  const partners = new PartnerKeys(partnerKeys, wrong);
  const freshKey = () => randomBytes(32);

  const hubTokens = new AgentTokens(
    'hub',
    await loadKey(folder.credentials, 'hub.key', freshKey, mayWriteSecrets),
    clock,
  );
  const { peerLimits } = parts;
  const hubSurface = composeHub({ app, peerLimits, database, tokens: hubTokens, bus, clock, address, partners, wrong });
  const { hub } = hubSurface;

  const registryStore = new RegistryStore(database);
  const registryTokens = new AgentTokens(
    'v1',
    await loadKey(folder.credentials, 'v1.key', freshKey, mayWriteSecrets),
    clock,
  );
  const registry = new Registry(registryStore, registryTokens, bus, clock, address);
  const catalog = new Catalog(registryStore, (agentId) => registry.changed(agentId));
  registryRoutes(app, { registry, catalog, signed, wrong, isPartner: (request) => partners.isPartner(request) });

  const houseKeys = new HouseAgentKeys(
    new SecretFile(inCredentials(folder.credentials, 'house-agents.json')),
    mayWriteSecrets,
  );
  const houseAgents = new HouseAgents({
    exposure: parts.exposure,
    host: parts.host,
    surfaces: { hub: hubPort(hub), v1: registryPort(registry) },
    keys: houseKeys,
    marks: new HouseAgentMarks(new JsonFile(inState(folder.state, 'house-agents.json'), 0o600)),
    clock,
    project: parts.project,
    warn: (message) => app.log.warn(message),
  });
  parts.team.onExposureChanged(() => houseAgents.settle());
  parts.team.onRemoved(() => houseAgents.settle());
  houseAgentsRoutes(app, houseAgents);
  const hostedMember = (agentId: string, surface: Surface) =>
    houseKeys
      .members()
      .find((member) => agentKey(houseKeys.find(member, surface)?.agent_id ?? '') === agentKey(agentId));

  const identity = parts.identity.pubkey;
  const reputation = new Reputation(new ReputationStore(database), bus, clock, {
    findAgent: (agentId) => {
      const record = registry.find(agentId);
      return hub.find(agentId)?.agent_id ?? (record?.registered ? record.agent_id : undefined);
    },
    agentOfKey: (pubkey) => registry.agentOfKey(pubkey),
    isOwnKey: (agentId, pubkey) =>
      pubkey === identity && SURFACES.some((surface) => hostedMember(agentId, surface) !== undefined),
    isAnswerOf: (agentId, { pubkey, member }) =>
      pubkey === identity && SURFACES.some((surface) => hostedMember(agentId, surface) === member),
    knownDaemons: [identity],
    isSettled: async (payment, agentId, reporter) =>
      // A payment by this daemon proves only this daemon's own reports, because anybody can read the transaction.
      (reporter === identity && parts.hasPaid(agentId, payment)) ||
      SURFACES.some((surface) => {
        const member = hostedMember(agentId, surface);
        return member !== undefined && parts.isPaidTo(member, payment);
      }),
    counts: (agentId) => ({
      message_through_count: oracle.messageThroughCount(agentId),
      impression_count: oracle.impressionCount(agentId),
    }),
  });
  reputationRoutes(app, reputation, signed);

  const oracleSurface = composeOracle({
    app,
    database,
    clock,
    surfaces: { hub, registry },
    scoreOf: (agentId) => reputation.scoreOf(agentId),
    environment: parts.environment,
    state: folder.state,
  });
  const { oracle } = oracleSurface;
  for (const surface of [hub, registry])
    surface.onRemoved(async (agentId) => {
      await Promise.all([reputation.agentGone(agentId), oracle.agentGone(agentId)]);
    });

  const loopback = () => {
    const { port } = new URL(address());
    return new Set([...parts.loopbackEndpoints, `127.0.0.1:${port}`]);
  };
  const outbound = new OutboundFetch({ clock, loopback });
  const callable = (agentId: string) => {
    const record = registry.find(agentId);
    const known = record?.registered ? record : undefined;
    const card = hub.find(agentId) ? hub.get(agentId).agent_card : null;
    const endpoint = card?.endpoint ?? known?.agent_card?.endpoint ?? known?.endpoint ?? undefined;
    return endpoint === undefined
      ? undefined
      : { agent_id: hub.find(agentId)?.agent_id ?? known?.agent_id ?? agentId, endpoint };
  };
  const directory: AgentDirectory = {
    find: async (agentId) => callable(agentId),
    // Matches the canonical address of any agent and the address of a member of this daemon.
    async findByEndpoint(endpoint) {
      const path = endpoint.startsWith(`${address()}/`) ? endpoint.slice(address().length) : '';
      const [, kind, id] = /^\/(agent|team)\/([^/]+)$/.exec(path) ?? [];
      if (id === undefined) return undefined;
      const agentId =
        kind === 'agent' ? id : (houseKeys.find(id, 'hub')?.agent_id ?? houseKeys.find(id, 'v1')?.agent_id);
      return agentId === undefined ? undefined : callable(agentId);
    },
  };
  const site = new Site({
    hub,
    registry,
    reputation,
    exposure: parts.exposure,
    host: parts.host,
    outbound,
    hostedMember,
    origin: address,
    project: parts.project,
    clock,
  });
  siteRoutes(app, site);

  return {
    directory,
    oracle,
    outbound,
    loopback,
    registrations: () => houseAgents.list(),
    creditOf(pubkey) {
      const agentId = registry.agentOfKey(pubkey);
      return agentId === undefined ? null : reputation.creditOf(agentId);
    },
    async start() {
      hubSurface.start();
      registry.start();
      await reputation.start();
      oracleSurface.start();
      await houseAgents.start();
    },
    async stop() {
      await houseAgents.stop();
      await oracleSurface.stop();
      outbound.stop();
      await hubSurface.stop();
      registry.stop();
    },
  };
}
