import type { Tier1Card } from '../../contract/network/agents.js';
import { checkEndpoint, checkedCard } from '../../lib/agents/tier1-card.js';
import type { RegistryRow } from './registry-store.js';

/** The fields that an agent sets about itself in a registration, a heartbeat or an update. */
interface AgentProfile {
  description?: string;
  capabilities?: string[];
  endpoint?: string;
  agent_card?: Tier1Card;
}

/**
 * Validates the fields that a body sets about the agent. `endpoint` in the body takes precedence over the one in the
 * card. Throws `unknown_card_key`, `plaintext_endpoint`, `bad_request`.
 */
export function checkProfile(body: {
  description?: string;
  capabilities?: string[];
  endpoint?: string;
  agent_card?: Record<string, unknown>;
}): AgentProfile {
  const profile: AgentProfile = {};
  if (body.description !== undefined) profile.description = body.description;
  if (body.capabilities !== undefined) profile.capabilities = body.capabilities;
  if (body.agent_card !== undefined) {
    profile.agent_card = checkedCard(body.agent_card);
    if (profile.agent_card.endpoint !== undefined) profile.endpoint = profile.agent_card.endpoint;
  }
  if (body.endpoint !== undefined) {
    checkEndpoint(body.endpoint);
    profile.endpoint = body.endpoint;
  }
  return profile;
}

/** Whether two states of a row differ for other callers. A different `last_seen_ms` alone is no difference. */
export function differs(before: RegistryRow, after: RegistryRow): boolean {
  const look = ({ last_seen_ms: _, ...row }: RegistryRow) => JSON.stringify(row);
  return look(before) !== look(after);
}
