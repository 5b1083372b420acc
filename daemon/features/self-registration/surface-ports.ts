import type { Surface } from '../../contract/network/agents.js';
import type { Hub } from '../hub/hub.js';
import type { Registry } from '../registry/registry.js';
import type { RegistrationCard } from './registration-card.js';

/** One registration of an agent id. */
export interface Registration {
  agent_id: string;
  rid: string;
}

/** The operations of one surface that self-registration uses. Any agent can perform them with its key. */
export interface SurfacePort {
  surface: Surface;
  /** Throws `agent_id_claimed`. */
  register(agentId: string, card: RegistrationCard): Promise<{ api_key: string; registration: Registration }>;
  /**
   * Mints a new token, which counts as a sign of life, and returns its registration. An agent that is away stays so
   * until a card says otherwise. Throws `unauthorized` when the key is invalid.
   */
  open(agentId: string, apiKey: string): Promise<Registration>;
  /** Sends a heartbeat with the whole card. Throws `unauthorized` or `not_found` when the registration has ended. */
  push(registration: Registration, card: RegistrationCard): Promise<void>;
  /** Throws `unauthorized` or `not_found` when the registration has ended. */
  deregister(registration: Registration): Promise<void>;
  /** Whether this registration, not another one of the id, has not ended. */
  isStanding(registration: Registration): boolean;
  /** The state of an id on the surface; undefined when it is not registered. `lastSeen` is in epoch seconds. */
  findState(agentId: string): { isOnline: boolean; lastSeen: number | null } | undefined;
}

export function hubPort(hub: Hub): SurfacePort {
  return {
    surface: 'hub',
    async register(agent_id, card) {
      const { api_key, token } = await hub.register({ agent_id, ...card }, { isPartner: false });
      return { api_key, registration: await hub.authenticate(token) };
    },
    open: async (agent_id, api_key) =>
      hub.authenticate((await hub.token({ agent_id, api_key }, { staysAway: true })).token),
    push: async (registration, card) => void (await hub.update(registration, card)),
    deregister: async (registration) => void (await hub.deregister(registration)),
    isStanding: (registration) => hub.isStanding(registration),
    findState(agentId) {
      if (!hub.find(agentId)) return undefined;
      const { online, last_seen } = hub.get(agentId);
      return { isOnline: online, lastSeen: last_seen };
    },
  };
}

export function registryPort(registry: Registry): SurfacePort {
  return {
    surface: 'v1',
    async register(agent_id, card) {
      const { api_key, token } = await registry.register({ agent_id, ...card }, { isPartner: false });
      return { api_key, registration: await registry.authenticate(token) };
    },
    open: async (agent_id, api_key) => registry.authenticate((await registry.token({ agent_id, api_key })).token),
    push: async (registration, card) => void (await registry.update(registration, card)),
    deregister: async (registration) => void (await registry.deregister(registration)),
    isStanding: (registration) => registry.isStanding(registration),
    findState(agentId) {
      const record = registry.find(agentId);
      return record?.registered ? { isOnline: record.live, lastSeen: record.last_seen } : undefined;
    },
  };
}
