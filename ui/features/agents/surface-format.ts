import type { Tier1Card } from '../../../daemon/contract/network/agents.js';
import type { AgentRecord } from '../../../daemon/contract/network/hub.js';
import type { AvailStatus, RegistryRecord } from '../../../daemon/contract/network/registry.js';

/** The records of both surfaces about one agent; null where it is unknown. */
export interface Records {
  hub: AgentRecord | null;
  v1: RegistryRecord | null;
}

export const formatAvailability: Record<AvailStatus, string> = {
  available: 'takes calls',
  busy: 'busy',
  away: 'away',
  unknown: 'not stated',
};

/** The registration of an agent on both surfaces together. The surfaces are independent directories. */
type RegistrationState = 'both' | 'hub only' | 'v1 only' | 'catalog only' | 'nowhere';

export function getRegistrationState({ hub, v1 }: Records): RegistrationState {
  if (hub) return v1?.registered ? 'both' : 'hub only';
  if (v1?.registered) return 'v1 only';
  return v1?.catalog ? 'catalog only' : 'nowhere';
}

/** Describes what is missing and the owner's command for it; undefined when nothing is missing. */
export function describeRegistrationState(
  registration: RegistrationState,
  agentId: string,
): { said: string; command: string } | undefined {
  switch (registration) {
    case 'hub only':
      return {
        said: 'Programs that read the directory /v1/agents do not find it. Its owner can register it there with',
        command: `meshd agent register ${agentId} --surface v1`,
      };
    case 'v1 only':
      return {
        said: 'Programs that read the directory /agents do not find it. Its owner can register it there with',
        command: `meshd agent register ${agentId} --surface hub`,
      };
    case 'catalog only':
      return {
        said: 'It is an entry of an imported catalog and is not registered. Its owner can claim it with',
        command: `meshd agent register ${agentId}`,
      };
    default:
      return undefined;
  }
}

/** Returns the keys in which two cards differ, in the order of the first. */
export function cardDifferences(one: Tier1Card, other: Tier1Card): (keyof Tier1Card)[] {
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])] as (keyof Tier1Card)[];
  return keys.filter((key) => JSON.stringify(one[key]) !== JSON.stringify(other[key]));
}

/** Formats a value of a card on one line. */
export function formatCardValue(value: Tier1Card[keyof Tier1Card] | undefined): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return value.length > 0 ? value.join(', ') : 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
