import type { CatalogEntry } from '../../contract/network/registry.js';
import type { NewRegistryRow } from './registry-store.js';

/** The row of an unregistered catalog entry: every field of a registration is empty. */
export function createStub(catalog: CatalogEntry): NewRegistryRow {
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
