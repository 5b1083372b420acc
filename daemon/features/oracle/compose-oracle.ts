import type { App } from '../../http/route-types.js';
import type { Clock } from '../../lib/time/clock.js';
import { inState } from '../../private/private-names.js';
import { VectorCacheFile } from '../../storage/database/vector-cache.js';
import type { Impressions } from './impressions.js';
import { Oracle } from './oracle.js';
import { oracleRoutes } from './oracle-routes.js';
import { oracleSettings } from './oracle-settings.js';
import type { OracleStore } from './oracle-store.js';
import { type History, hasHistory, NO_HISTORY } from './ranking.js';
import type { Responses } from './responses.js';
import { type Surfaces, UnitedCatalog } from './united-catalog.js';
import { EmbeddedCatalog } from './vectors/embedded-catalog.js';
import { EmbeddingEndpoint } from './vectors/embedding-endpoint.js';

interface ComposeOracleParts {
  app: App;
  store: OracleStore;
  impressions: Impressions;
  clock: Clock;
  surfaces: Surfaces;
  responses: Responses;
  /** What is known about the conduct of an agent. Cheap. */
  getHistory: (agentId: string) => History;
  /** Whether this daemon has a wallet to pay from. Never rejects. */
  hasWallet: () => Promise<boolean>;
  environment: Readonly<Record<string, string | undefined>>;
  /** Folder for disposable files. */
  state: string;
}

/**
 * Builds agent search over both surfaces, with its routes and the configured embedding endpoint, if any. Throws what
 * `oracleSettings` throws.
 */
export async function composeOracle({
  app,
  store,
  impressions,
  responses,
  clock,
  surfaces,
  getHistory,
  hasWallet,
  environment,
  state,
}: ComposeOracleParts) {
  const { rates, promoted, embeddings } = oracleSettings(environment);
  const warn = (message: string) => app.log.warn({ area: 'agents' }, message);
  const source = new UnitedCatalog(surfaces);
  const cache = embeddings && new VectorCacheFile(inState(state, 'embeddings.db'));
  const embedded =
    embeddings &&
    cache &&
    new EmbeddedCatalog({ endpoint: new EmbeddingEndpoint(embeddings), cache, source, clock, warn });
  const oracle = new Oracle({
    source,
    store,
    impressions,
    responses,
    clock,
    getHistory(agentId) {
      const history = getHistory(agentId);
      return hasHistory(history) && source.isIdOfAnother(agentId) ? NO_HISTORY : history;
    },
    hasWallet,
    promoted,
    rates,
    embedded,
    warn,
  });
  await app.register(oracleRoutes, { oracle });
  return {
    oracle,
    start: () => oracle.start(),
    async stop() {
      await oracle.stop();
      cache?.close();
    },
  };
}
