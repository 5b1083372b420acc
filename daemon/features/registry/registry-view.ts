import type { AvailStatus, RegistryRecord } from '../../contract/network/registry.js';
import { toShownCard } from '../../lib/agents/record-card.js';
import { isOnline } from '../../lib/time/presence.js';
import type { RegistryRow } from './registry-store.js';

/** Whether an agent is registered and online. Spec: Agent › States. */
export function isLive({ rid, last_seen_ms, agent_card }: RegistryRow, nowMs: number): boolean {
  return rid !== null && last_seen_ms !== null && isOnline({ lastSeenMs: last_seen_ms, card: agent_card }, nowMs);
}

/**
 * The status that the agent has set, otherwise the one derived from its card and heartbeats: `away` when the card says
 * so, `available` while the agent is live, and `unknown` otherwise. Contract: Unified API.
 */
export function getAvailStatus(row: RegistryRow, nowMs: number): AvailStatus {
  if (row.rid === null) return 'unknown';
  if (row.avail_status !== null) return row.avail_status;
  if (row.agent_card?.availability?.now === false) return 'away';
  return isLive(row, nowMs) ? 'available' : 'unknown';
}

const seconds = (ms: number | null) => (ms === null ? null : Math.floor(ms / 1000));

/**
 * The card, with an endpoint that a heartbeat may have moved since the card was sent. Null for an entry of the catalog
 * that no agent has claimed.
 */
function getShownCard({ rid, agent_card, endpoint, description, capabilities }: RegistryRow) {
  if (rid === null) return agent_card;
  const card = toShownCard({ card: agent_card, endpoint, description, capabilities });
  return card.endpoint === undefined || endpoint === null ? card : { ...card, endpoint };
}

/** The public record of a row. It never contains the digest of the `api_key`. */
export function toRegistryRecord(row: RegistryRow, nowMs: number): RegistryRecord {
  return {
    agent_id: row.agent_id,
    registered: row.rid !== null,
    live: isLive(row, nowMs),
    verified: row.is_verified,
    avail_status: getAvailStatus(row, nowMs),
    endpoint: row.endpoint,
    pubkey: row.pubkey,
    agent_card: getShownCard(row),
    description: row.description ?? row.agent_card?.description ?? null,
    capabilities: row.capabilities,
    registered_at: seconds(row.registered_ms),
    last_seen: seconds(row.last_seen_ms),
    catalog: row.catalog,
  };
}
