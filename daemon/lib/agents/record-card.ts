import type { Tier1Card } from '../../contract/network/agents.js';

/** Limits of a Tier-1 card. */
const DESCRIPTION_MAX_CHARS = 1_000;
const TAGS_MAX = 32;
const TAG_MAX_CHARS = 64;

interface AgentFields {
  card: Tier1Card | null;
  endpoint?: string | null | undefined;
  description: string | null | undefined;
  capabilities: readonly string[];
}

/**
 * Returns the Tier-1 card of an agent: the one that it has published, or one of its record. A card that holds only the
 * availability was not published: `POST /agents/me/state` makes it. It completes the one of the record. Contract: Hub.
 */
export function toShownCard({ card, endpoint, description, capabilities }: AgentFields): Tier1Card {
  const { availability, ...published } = card ?? {};
  if (card && Object.keys(published).length > 0) return card;
  const tags = capabilities.filter((tag) => tag !== '' && tag.length <= TAG_MAX_CHARS).slice(0, TAGS_MAX);
  return {
    ...(endpoint ? { endpoint } : {}),
    ...(description ? { description: description.slice(0, DESCRIPTION_MAX_CHARS) } : {}),
    ...(tags.length > 0 ? { tags } : {}),
    ...(availability ? { availability } : {}),
  };
}
