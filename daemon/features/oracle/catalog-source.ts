import type { Tier1Pricing } from '../../contract/network/agents.js';

/**
 * An agent as agent search reads it: the rows of all surfaces with the same id, merged. Times are epoch milliseconds.
 */
export interface CatalogRow {
  agentId: string;
  /** The name that people read; null where only the id is known. */
  name: string | null;
  endpoint: string | null;
  description: string | null;
  tags: readonly string[];
  capabilities: readonly string[];
  category: string | null;
  accepts: readonly string[];
  produces: readonly string[];
  protocols: readonly string[];
  pricing: Tier1Pricing | null;
  /** The country of its catalog entry. `geo:` tags are in `tags`. */
  country: string | null;
  isOnline: boolean;
  lastSeenMs: number | null;
}

/**
 * The catalog that agent search reads. Its owner maintains it; agent search never writes to it. Ids are unique
 * regardless of case, and an agent on several surfaces is one row. Listeners are called after a change, including
 * coming online and going offline, but not for heartbeats. `find` then returns the current row, or undefined when no
 * surface has it.
 */
export interface CatalogSource {
  /** Iterates over all rows. A row that is added or removed during the iteration may or may not be included. */
  rows(): Iterable<CatalogRow>;
  find(agentId: string): CatalogRow | undefined;
  /** Reports whether the agent is online at this moment; depends only on its record and the time. Cheap. */
  isOnline(agentId: string): boolean;
  onChanged(listener: (agentId: string) => void): void;
}
