import type { App } from '../../http/create-server.js';
import type { Clock } from '../../lib/clock.js';
import { inState } from '../../private/private-names.js';
import type { Database } from '../../storage/database.js';
import { VectorCacheFile } from '../../storage/vector-cache.js';
import { EmbeddedCatalog } from './embedded-catalog.js';
import { EmbeddingEndpoint } from './embedding-endpoint.js';
import { Oracle } from './oracle.js';
import { oracleRoutes } from './oracle-routes.js';
import { oracleSettings } from './oracle-settings.js';
import { OracleStore } from './oracle-store.js';
import { type Surfaces, UnitedCatalog } from './united-catalog.js';

export interface OracleSurfaceParts {
  app: App;
  database: Database;
  clock: Clock;
  surfaces: Surfaces;
  /** Score from 0 to 1; null for an agent without reports. */
  scoreOf: (agentId: string) => number | null;
  environment: Readonly<Record<string, string | undefined>>;
  /** Folder for disposable files. */
  state: string;
}

/**
 * Builds agent search over both surfaces, with its routes and the configured embedding endpoint, if any. Throws what
 * `oracleSettings` throws.
 */
export function composeOracle({ app, database, clock, surfaces, scoreOf, environment, state }: OracleSurfaceParts) {
  const { lamportsUsd, promoted, embeddings } = oracleSettings(environment);
  const warn = (message: string) => app.log.warn(message);
  const source = new UnitedCatalog(surfaces);
  const cache = embeddings && new VectorCacheFile(inState(state, 'embeddings.db'));
  const embedded =
    embeddings &&
    cache &&
    new EmbeddedCatalog({ endpoint: new EmbeddingEndpoint(embeddings), cache, source, clock, warn });
  const oracle = new Oracle({
    source,
    store: new OracleStore(database),
    clock,
    scoreOf,
    promoted,
    lamportsUsd,
    embedded,
    warn,
  });
  oracleRoutes(app, oracle);
  return {
    oracle,
    start: () => oracle.start(),
    async stop() {
      await oracle.stop();
      cache?.close();
    },
  };
}
