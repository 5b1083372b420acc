import type { Hub } from '../../features/hub/hub.js';
import { joinOfOneOwner } from '../../features/oracle/one-owner.js';
import type { Registry } from '../../features/registry/registry.js';
import type { RegistrationKeys } from '../../features/self-registration/registration-keys.js';
import type { AgentDirectory, FoundAgent } from '../../features/spending/paying-ports.js';

/** Paths of this daemon that identify an agent: its canonical address, and the address of a hosted member. */
const OWN_PATH = /^\/(agent|team)\/([^/]+)$/;

interface AgentDirectoryParts {
  hub: Pick<Hub, 'find' | 'get'>;
  registry: Pick<Registry, 'find'>;
  registrationKeys: Pick<RegistrationKeys, 'find'>;
  address: () => string;
}

/**
 * Looks up the registered agents that can be called. The hub's entry takes precedence over the registry's, which counts
 * beside it only if both are of one owner.
 */
export function createAgentDirectory({
  hub,
  registry,
  registrationKeys,
  address,
}: AgentDirectoryParts): AgentDirectory {
  const findCallable = (agentId: string): FoundAgent | undefined => {
    const onHub = hub.find(agentId);
    const record = joinOfOneOwner(onHub, registry.find(agentId));
    const registered = record?.registered ? record : undefined;
    const card = onHub ? hub.get(agentId).agent_card : null;
    const endpoint = card?.endpoint ?? registered?.agent_card?.endpoint ?? registered?.endpoint ?? undefined;
    return endpoint === undefined
      ? undefined
      : { agent_id: onHub?.agent_id ?? registered?.agent_id ?? agentId, endpoint };
  };
  return {
    find: async (agentId) => findCallable(agentId),
    async findByEndpoint(endpoint) {
      const path = endpoint.startsWith(`${address()}/`) ? endpoint.slice(address().length) : '';
      const [, kind, id] = OWN_PATH.exec(path) ?? [];
      if (id === undefined) return undefined;
      const agentId =
        kind === 'agent' ? id : (registrationKeys.find(id, 'hub') ?? registrationKeys.find(id, 'v1'))?.agent_id;
      return agentId === undefined ? undefined : findCallable(agentId);
    },
  };
}
