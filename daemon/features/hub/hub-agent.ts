import type { Tier1Card } from '../../contract/network/agents.js';
import type { AgentRecord } from '../../contract/network/hub.js';
import { isOnline } from '../../lib/time/presence.js';

/** One registered agent with all its fields. Times are epoch milliseconds. */
export interface HubAgent {
  agent_id: string;
  description: string | null;
  capabilities: string[];
  card: Tier1Card | null;
  /** Whether a partner registered it. */
  isVerified: boolean;
  registeredMs: number;
  lastSeenMs: number;
}

/** The public record of the agent at `nowMs`. Spec: Agent lookup record. */
export function toAgentRecord(agent: HubAgent, nowMs: number): AgentRecord {
  return {
    agent_id: agent.agent_id,
    online: isOnline(agent, nowMs),
    agent_card: agent.card,
    description: agent.description,
    capabilities: agent.capabilities,
    verified: agent.isVerified,
    registered_at: Math.floor(agent.registeredMs / 1000),
    last_seen: Math.floor(agent.lastSeenMs / 1000),
  };
}
