import type { CatalogRow } from '../features/oracle/catalog-source.js';

/** An agent of the catalog that is online and of which nothing else is known. */
export const EMPTY_ROW: CatalogRow = {
  agentId: '',
  name: null,
  endpoint: null,
  description: null,
  tags: [],
  capabilities: [],
  category: null,
  accepts: [],
  produces: [],
  protocols: [],
  pricing: null,
  country: null,
  isOnline: true,
  lastSeenMs: null,
};
