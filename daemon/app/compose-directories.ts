import { randomBytes } from 'node:crypto';
import type { Surface } from '../contract/network/agents.js';
import { composeHub, type HubArea } from '../features/hub/compose-hub.js';
import type { Hub } from '../features/hub/hub.js';
import type { Oracle } from '../features/oracle/oracle.js';
import type { Responses } from '../features/oracle/responses.js';
import { Catalog } from '../features/registry/catalog.js';
import { Registry } from '../features/registry/registry.js';
import { registryRoutes } from '../features/registry/registry-routes.js';
import { RegistryStore } from '../features/registry/registry-store.js';
import type { Reputation } from '../features/reputation/reputation.js';
import { RegistrationKeys } from '../features/self-registration/registration-keys.js';
import type { AgentDirectory } from '../features/spending/paying-ports.js';
import { WrongCredentials } from '../http/callers/bearer.js';
import { PartnerKeys } from '../http/callers/partner-key.js';
import { OutboundFetch } from '../http/outbound/outbound-fetch.js';
import { agentKey } from '../lib/agents/agent-id.js';
import { AgentTokens } from '../lib/crypto/agent-token.js';
import { inCredentials } from '../private/private-names.js';
import { loadKey } from '../storage/files/key-file.js';
import { SecretFile } from '../storage/files/secret-file.js';
import { createAgentDirectory } from './adapters/agent-directory.js';
import { composeReputation, createReportLog, type FindHostedMember } from './compose-reputation.js';
import type { Core } from './core.js';

export interface DirectoriesArea {
  hub: Hub;
  registry: Registry;
  reputation: Reputation;
  /** Agent search over both directories. */
  oracle: Oracle;
  /** Counts whether agents answer. */
  responses: Responses;
  /** Registered agents that can be called. */
  directory: AgentDirectory;
  /** The keys under which members of this daemon are registered. */
  registrationKeys: RegistrationKeys;
  findHostedMember: FindHostedMember;
  /** Fetches cards and other documents that agents serve. */
  outbound: OutboundFetch;
  /** `host:port` of the loopback endpoints that may be called: this daemon's own, and the configured ones. */
  loopback: () => ReadonlySet<string>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Opens the issuer of agent tokens of one directory. */
async function openTokens({ folder, clock, mayWriteSecrets }: Core, surface: Surface): Promise<AgentTokens> {
  const key = await loadKey(folder.credentials, `${surface}.key`, () => randomBytes(32), mayWriteSecrets);
  return new AgentTokens(surface, key, clock);
}

/** Composes the unified API, the second directory. It shares no agents and no tokens with the hub. */
async function composeRegistry(
  { app, database, shared, bus, clock, address, signed }: Core,
  tokens: AgentTokens,
  { partners, wrong, gone }: { partners: PartnerKeys; wrong: WrongCredentials; gone: (agentId: string) => void },
): Promise<Registry> {
  const store = new RegistryStore(database);
  const registry = new Registry(store, shared, tokens, bus, clock, address, gone);
  const catalog = new Catalog(shared.log);
  await app.register(registryRoutes, {
    registry,
    catalog,
    signed,
    wrong,
    isPartner: (request) => partners.isPartner(request),
  });
  return registry;
}

/**
 * Composes the hub, the registry, the reputation bureau, and agent search over both directories. `hasWallet` tells
 * whether this daemon has a wallet to pay from.
 */
export async function composeDirectories(core: Core, hasWallet: () => Promise<boolean>): Promise<DirectoriesArea> {
  const { folder, clock, config, address, mayWriteSecrets } = core;
  const wrong = new WrongCredentials(clock);
  const partners = new PartnerKeys(config.partnerKeys, wrong);
  const tokens = await openTokens(core, 'hub');
  const reports = createReportLog(core);
  const gone = (agentId: string) => reports.commands.agentGone(agentId);
  const hubArea: HubArea = await composeHub({ ...core, gone, tokens, partners, wrong });
  const { hub } = hubArea;
  const registry = await composeRegistry(core, await openTokens(core, 'v1'), { partners, wrong, gone });

  const keysFile = new SecretFile(inCredentials(folder.credentials, 'house-agents.json'));
  const registrationKeys = new RegistrationKeys(keysFile, mayWriteSecrets);
  const findHostedMember: FindHostedMember = (agentId, surface) =>
    registrationKeys
      .members()
      .find((member) => agentKey(registrationKeys.find(member, surface)?.agent_id ?? '') === agentKey(agentId));

  const { reputation, responses, oracleArea } = await composeReputation(core, {
    ...{ hub, registry, reports, findHostedMember, hasWallet },
    onSent: (listener) => hubArea.onSent(listener),
  });
  const loopback = () => new Set([...config.loopbackEndpoints, `127.0.0.1:${new URL(address()).port}`]);
  const outbound = new OutboundFetch({ clock, loopback });
  core.shared.kinds.onReplaced(() => void oracleArea.oracle.index.reread());
  return {
    hub,
    registry,
    reputation,
    oracle: oracleArea.oracle,
    responses,
    directory: createAgentDirectory({ hub, registry, registrationKeys, address }),
    registrationKeys,
    findHostedMember,
    outbound,
    loopback,
    async start() {
      hubArea.start();
      registry.start();
      oracleArea.start();
    },
    async stop() {
      await oracleArea.stop();
      outbound.stop();
      await hubArea.stop();
      await registry.stop();
    },
  };
}
