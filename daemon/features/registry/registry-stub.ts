import type { CatalogEntry } from '../../contract/registry.js';
import type { NewRegistryRow } from './registry-store.js';

/** A catalog entry that nobody has registered: every field of the mesh is empty. */
export function stubOf(catalog: CatalogEntry): NewRegistryRow {
  return {
    agent_id: catalog.agent_id,
    rid: null,
    api_key_hash: null,
    description: null,
    capabilities: [],
    endpoint: null,
    agent_card: null,
    pubkey: null,
    is_verified: false,
    avail_status: null,
    registered_ms: null,
    last_seen_ms: null,
    catalog,
  };
}
