import type { Pricing } from '../../contract/agents.js';

/** What the Oracle sees of one agent: the surfaces' rows under one id, made into one. Times are epoch milliseconds. */
export interface CatalogRow {
  agentId: string;
  endpoint: string | null;
  description: string | null;
  tags: readonly string[];
  capabilities: readonly string[];
  category: string | null;
  accepts: readonly string[];
  produces: readonly string[];
  protocols: readonly string[];
  pricing: Pricing | null;
  /** Of its catalog entry; `geo:` tags stand in `tags`. */
  country: string | null;
  isOnline: boolean;
  lastSeenMs: number | null;
}

/**
 * The catalog that the Oracle projects: whoever keeps it stays its owner, the Oracle only reads. Ids are unique without regard to case, and an agent that is
 * on several surfaces is one row. Listeners are told after a change, coming online and going offline included, mere heartbeats not; `find` then gives the
 * row as it is now, or undefined once no surface has it.
 */
export interface CatalogSource {
  /** All rows; one that comes or goes during a walk may be missed or met. */
  rows(): Iterable<CatalogRow>;
  find(agentId: string): CatalogRow | undefined;
  /** Whether the agent is online at this very moment, a pure function of record and time. Cheap. */
  isOnline(agentId: string): boolean;
  onChanged(listener: (agentId: string) => void): void;
}
