import type { RegistryRecord } from '../../contract/network/registry.js';
import type { HubAgent } from '../hub/hub-agent.js';

/**
 * Returns the record of the unified API that may be joined to the hub's agent of the same id. The surfaces register
 * independently, so an equal id alone proves nothing: both must have the same endpoint. An entry of the catalog that no
 * agent has claimed has no other owner. Spec: What the service does, 4.
 */
export function joinOfOneOwner(
  agent: Pick<HubAgent, 'card'> | undefined,
  record: RegistryRecord | undefined,
): RegistryRecord | undefined {
  if (!agent || !record?.registered) return record;
  const endpoint = toComparable(agent.card?.endpoint);
  const isSame = endpoint !== undefined && endpoint === toComparable(record.endpoint ?? record.agent_card?.endpoint);
  return isSame ? record : undefined;
}

/** Origin and path of an endpoint. */
function toComparable(endpoint: string | null | undefined): string | undefined {
  if (!endpoint || !URL.canParse(endpoint)) return undefined;
  const { origin, pathname } = new URL(endpoint);
  return origin + pathname.replace(/\/$/, '');
}
