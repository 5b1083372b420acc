import type { AgentRecord } from '../../contract/network/hub.js';
import { toShownCard } from '../../lib/agents/record-card.js';
import { isOnline } from '../../lib/time/presence.js';
import type { AgentRow } from './hub-store.js';

/** One registered agent with all its fields. Times are epoch milliseconds. */
export interface HubAgent extends Omit<AgentRow, 'seq'> {
  lastSeenMs: number;
}

/** The public record of the agent at `nowMs`. Spec: Agent lookup record. */
export function toAgentRecord(agent: HubAgent, nowMs: number): AgentRecord {
  return {
    agent_id: agent.agent_id,
    online: isOnline(agent, nowMs),
    agent_card: toShownCard(agent),
    description: agent.description,
    capabilities: agent.capabilities,
    verified: agent.isVerified,
    registered_at: Math.floor(agent.registeredMs / 1000),
    last_seen: Math.floor(agent.lastSeenMs / 1000),
  };
}
