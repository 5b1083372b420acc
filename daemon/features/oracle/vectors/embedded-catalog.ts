import { sha256Hex } from '../../../lib/crypto/digests.js';
import { getErrorMessage } from '../../../lib/errors.js';
import type { Clock } from '../../../lib/time/clock.js';
import type { CatalogSource } from '../catalog-source.js';
import type { SearchIndex } from '../search-index.js';
import { rowText } from '../text/card-text.js';
import { EmbeddedSpace } from './embedded-space.js';
import type { EmbeddingEndpoint } from './embedding-endpoint.js';

/** Vectors by key, kept across restarts. A vector that cannot be read is absent. */
interface VectorCache {
  find(key: string): Float32Array | undefined;
  put(vectors: readonly (readonly [key: string, vector: Float32Array])[]): void;
}

interface EmbeddedCatalogParts {
  endpoint: EmbeddingEndpoint;
  cache: VectorCache;
  source: Pick<CatalogSource, 'find'>;
  clock: Clock;
  warn: (message: string) => void;
}

const BATCH = 64;
const BATCH_WITHIN_MS = 60_000;
/** Timeout of a search for the vector of its query; after it, the search uses the catalog's own vectors. */
const QUERY_WITHIN_MS = 1_500;
const CACHED_QUERIES_MAX = 500;
const RETRY_MS = 60_000;
const SAMPLE_MAX = 2_000;
/** Maximum number of characters of one row that are sent to an endpoint. */
const TEXT_MAX_CHARS = 4_000;

/**
 * Replaces the vectors made from the catalog with those of a configured endpoint. They are fetched in batches, each
 * text once (stored by the digest of model name and text), and put into the current index. While the endpoint fails or
 * vectors are missing, searches use the catalog's own vectors and report it. A failed endpoint is retried every minute.
 */
export class EmbeddedCatalog {
  private readonly stopping = new AbortController();
  private readonly queries = new Map<string, Float32Array>();
  private index: SearchIndex | undefined;
  private filling: Promise<void> | undefined;
  private isStale = false;
  private restsUntilMs = 0;
  private callOff: (() => void) | undefined;

  constructor(private readonly parts: EmbeddedCatalogParts) {}

  /** Fills `index`, which is the current one from this call on, with vectors. */
  follow(index: SearchIndex): void {
    this.index = index;
    this.changed();
  }

  /** Notifies that a row may have no vector. */
  changed(): void {
    this.isStale = true;
    if (this.stopping.signal.aborted) return;
    this.filling ??= this.fill().finally(() => {
      this.filling = undefined;
    });
  }

  /** Resolves when every row has its vector, or when the endpoint is in its back-off after a failure. */
  async settled(): Promise<void> {
    while (this.filling) await this.filling;
  }

  stop(): void {
    this.callOff?.();
    this.stopping.abort();
  }

  /** Returns the vector of a query; undefined during the back-off after a failure, or when the request fails. */
  async query(text: string): Promise<Float32Array | undefined> {
    const known = this.queries.get(text);
    if (known || this.isResting) return known;
    try {
      const [vector] = await this.parts.endpoint.embed([text], QUERY_WITHIN_MS, this.stopping.signal);
      if (!vector) return undefined;
      this.queries.set(text, vector);
      for (const oldest of this.queries.keys()) {
        if (this.queries.size <= CACHED_QUERIES_MAX) break;
        this.queries.delete(oldest);
      }
      return vector;
    } catch (error) {
      this.rest(error);
      return undefined;
    }
  }

  private get isResting(): boolean {
    return this.parts.clock.elapsed() < this.restsUntilMs;
  }

  private async fill(): Promise<void> {
    while (this.isStale && !this.isResting && !this.stopping.signal.aborted) {
      this.isStale = false;
      const { index } = this;
      if (!index) return;
      try {
        await this.fillIndex(index);
      } catch (error) {
        this.isStale = true;
        this.rest(error);
      }
    }
  }

  private async fillIndex(index: SearchIndex): Promise<void> {
    let batch: { slot: number; key: string; text: string }[] = [];
    const found: { slot: number; vector: Float32Array }[] = [];
    const take = async () => {
      const asked = batch;
      batch = [];
      const vectors = await this.parts.endpoint.embed(
        asked.map(({ text }) => text),
        BATCH_WITHIN_MS,
        this.stopping.signal,
      );
      this.parts.cache.put(asked.map(({ key }, at) => [key, vectors[at] as Float32Array] as const));
      asked.forEach(({ slot }, at) => void found.push({ slot, vector: vectors[at] as Float32Array }));
      this.place(index, found);
    };
    let seen = 0;
    for (const { slot, agentId } of [...index.withoutEmbedding()]) {
      const row = this.parts.source.find(agentId);
      if (!row) continue;
      const text = rowText(row).slice(0, TEXT_MAX_CHARS);
      const key = sha256Hex(`${this.parts.endpoint.settings.model}\n${text}`);
      const vector = this.parts.cache.find(key);
      if (vector) found.push({ slot, vector });
      else batch.push({ slot, key, text });
      if (batch.length === BATCH) await take();
      seen += 1;
      if (seen % BATCH === 0) await new Promise((resume) => setImmediate(resume));
      if (this.index !== index || this.stopping.signal.aborted) return;
    }
    if (batch.length > 0) await take();
    this.place(index, found, true);
  }

  /** Puts the vectors that were found into the space of the index, which is created once the sample is large enough. */
  private place(index: SearchIndex, found: { slot: number; vector: Float32Array }[], isLast = false): void {
    const first = found[0];
    if (!first || (!index.embeddedSpace && !isLast && found.length < SAMPLE_MAX)) return;
    const dimensions = first.vector.length;
    let space = index.embeddedSpace;
    if (space?.dimensions !== dimensions) {
      const sample = found.slice(0, SAMPLE_MAX).filter(({ vector }) => vector.length === dimensions);
      space = new EmbeddedSpace(
        dimensions,
        sample.map(({ vector }) => vector),
      );
      index.embedIn(space);
    }
    for (const { slot, vector } of found.splice(0))
      if (vector.length === dimensions && index.columns.isLive(slot)) space.put(slot, vector);
  }

  private rest(error: unknown): void {
    if (this.stopping.signal.aborted) return;
    if (!this.isResting)
      this.parts.warn(
        `${getErrorMessage(error)} Searches go by the catalog's own vectors; it is tried again in a minute.`,
      );
    this.restsUntilMs = this.parts.clock.elapsed() + RETRY_MS;
    this.callOff?.();
    this.callOff = this.parts.clock.after(RETRY_MS, () => this.changed());
  }
}
