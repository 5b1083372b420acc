import { getErrorMessage } from '../../../lib/errors.js';
import type { Clock } from '../../../lib/time/clock.js';
import type { CatalogSource } from '../catalog-source.js';
import type { SearchIndex } from '../search-index.js';
import { rowText } from '../text/card-text.js';
import { EmbeddedSpace } from './embedded-space.js';
import { EmbeddingBatches } from './embedding-batches.js';
import type { EmbeddingEndpoint } from './embedding-endpoint.js';
import { EmbeddingModel, type VectorCache } from './embedding-model.js';
import { QueryVectors } from './query-vectors.js';

interface EmbeddedCatalogParts {
  endpoint: Pick<EmbeddingEndpoint, 'embed' | 'settings'>;
  cache: VectorCache;
  source: Pick<CatalogSource, 'find'>;
  clock: Clock;
  warn: (message: string) => void;
}

const BATCH = 64;
const RETRY_MS = 60_000;
const SAMPLE_MAX = 2_000;
/** Maximum number of characters of one row that are sent to an endpoint. */
const TEXT_MAX_CHARS = 4_000;

interface Found {
  slot: number;
  vector: Float32Array;
}

/**
 * Replaces the vectors made from the catalog with those of a configured endpoint. They are fetched in batches, each
 * text once (stored by the digest of the model and the text), and put into the current index. While the endpoint fails
 * or vectors are missing, searches use the catalog's own vectors and report it. A failed endpoint is retried every
 * minute; it may serve another model then.
 */
export class EmbeddedCatalog {
  private readonly stopping = new AbortController();
  private readonly batches: EmbeddingBatches;
  private readonly queries: QueryVectors;
  /** Keys of the texts that the endpoint refuses, or for which it computes no vector. */
  private refused: ReadonlySet<string> = new Set();
  private index: SearchIndex | undefined;
  private filling: Promise<void> | undefined;
  private isStale = false;
  private model: EmbeddingModel | undefined;
  /** Whether the endpoint may serve another model than it did. */
  private isModelUnsure = true;
  private restsUntilMs = 0;
  private callOff: (() => void) | undefined;

  constructor(private readonly parts: EmbeddedCatalogParts) {
    this.batches = new EmbeddingBatches(parts.endpoint, this.stopping.signal);
    this.queries = new QueryVectors(parts.clock, (text) => this.askQuery(text));
  }

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

  /** Returns the vector of a query; undefined during the back-off after a failure, or when it is not there in time. */
  async query(text: string): Promise<Float32Array | undefined> {
    return this.queries.known(text) ?? (this.isResting ? undefined : await this.queries.find(text));
  }

  private async askQuery(text: string): Promise<Float32Array | undefined> {
    try {
      const [vector] = await this.batches.embed([text]);
      if (vector) this.checkModel(vector);
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
    const refused = new Set<string>();
    let without = 0;
    const found: Found[] = [];
    let batch: { slot: number; key: string; text: string }[] = [];
    const take = async () => {
      const asked = batch;
      batch = [];
      const vectors = await this.batches.embed(asked.map(({ text }) => text));
      const taken = asked.flatMap((one, at) => (vectors[at] ? [{ ...one, vector: vectors[at] }] : []));
      for (const { vector } of taken) this.checkModel(vector);
      for (const [at, { key }] of asked.entries()) if (!vectors[at]) refused.add(key);
      without += asked.length - taken.length;
      this.parts.cache.put(taken.map(({ key, vector }) => [key, vector] as const));
      found.push(...taken);
      this.place(index, found);
    };
    const model = await this.knownModel(index);
    let seen = 0;
    for (const { slot, agentId } of [...index.withoutEmbedding()]) {
      const row = this.parts.source.find(agentId);
      if (!row) continue;
      const text = rowText(row).slice(0, TEXT_MAX_CHARS);
      const key = model.keyOf(text);
      const vector = this.parts.cache.find(key);
      if (vector) found.push({ slot, vector });
      else if (text.trim() === '' || this.refused.has(key)) {
        refused.add(key);
        without += 1;
      } else batch.push({ slot, key, text });
      if (batch.length === BATCH) await take();
      seen += 1;
      if (seen % BATCH === 0) await new Promise((resume) => setImmediate(resume));
      if (this.index !== index || this.stopping.signal.aborted) return;
    }
    if (batch.length > 0) await take();
    this.refused = refused;
    index.unembeddable = without;
    this.place(index, found, true);
  }

  /** Puts the vectors that were found into the space of the index, which is created once the sample is large enough. */
  private place(index: SearchIndex, found: Found[], isLast = false): void {
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

  /** Asks once, and again after each failure. The vectors of another model are forgotten. */
  private async knownModel(index: SearchIndex): Promise<EmbeddingModel> {
    if (this.model && !this.isModelUnsure) return this.model;
    const { endpoint, cache } = this.parts;
    const model = EmbeddingModel.known(endpoint.settings, await this.batches.probe(), cache);
    if (!model.is(this.model)) {
      this.queries.forget();
      index.embedIn(undefined);
    }
    this.model = model;
    this.isModelUnsure = false;
    return model;
  }

  /** Throws for a vector that the known model cannot have made. */
  private checkModel({ length }: Float32Array): void {
    if (this.model && length !== this.model.dimensions)
      throw new Error(
        `The embedding endpoint serves another model: ${length} numbers a vector instead of ${this.model.dimensions}.`,
      );
  }

  private rest(error: unknown): void {
    if (this.stopping.signal.aborted) return;
    this.isModelUnsure = true;
    if (!this.isResting)
      this.parts.warn(
        `${getErrorMessage(error)} Searches go by the catalog's own vectors; it is tried again in a minute.`,
      );
    this.restsUntilMs = this.parts.clock.elapsed() + RETRY_MS;
    this.callOff?.();
    this.callOff = this.parts.clock.after(RETRY_MS, () => this.changed());
  }
}
