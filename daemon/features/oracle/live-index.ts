import { agentKey } from '../../lib/agents/agent-id.js';
import { getErrorMessage } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';
import { readRelatedWords } from '../../storage/word-data.js';
import type { CatalogSource } from './catalog-source.js';
import type { Rates } from './price.js';
import type { History } from './ranking.js';
import { SearchIndex } from './search-index.js';
import { RelatedWords } from './text/related-words.js';
import { Synonyms } from './text/synonyms.js';

interface LiveIndexParts {
  source: CatalogSource;
  clock: Clock;
  getHistory: (agentId: string) => History;
  rates: Rates;
  /** Reports a failed rebuild; the previous index remains in use. */
  warn: (message: string) => void;
}

/** A small catalog is rebuilt this long after its last change, a larger one when a tenth of it has changed. */
const REST_MS = 2_000;
const SMALL_CATALOG_ROWS = 5_000;
const CHANGED_SHARE = 0.1;
const SLICE_ROWS = 20;

/**
 * The search index of the current catalog. A change can be found immediately: new rows are kept in small lists beside
 * the frozen index. From time to time the index is rebuilt in the background, in slices of a few milliseconds that
 * yield to the event loop, and then replaces the old one. Rows that changed meanwhile are read again.
 */
export class LiveIndex {
  private index: SearchIndex;
  private readonly english = { synonyms: new Synonyms(), relatedWords: new RelatedWords(readRelatedWords) };
  private reading: Promise<void> | undefined;
  private building: Promise<void> | undefined;
  private changedMeanwhile: Set<string> | undefined;
  private changes = 0;
  private callOff: (() => void) | undefined;
  private isClosed = false;
  private readonly laidOut: ((index: SearchIndex) => void)[] = [];

  constructor(private readonly parts: LiveIndexParts) {
    this.index = this.freshIndex();
    for (const _ of this.index.settle());
    parts.source.onChanged((agentId) => this.changed(agentId));
  }

  get current(): SearchIndex {
    return this.index;
  }

  /** Registers a listener for every index that replaces the previous one. */
  onLaidOut(listener: (index: SearchIndex) => void): void {
    this.laidOut.push(listener);
  }

  /** Reads the catalog, then builds the index. */
  start(): void {
    void this.ready.then(() => this.rebuild());
  }

  /**
   * Resolves when the initial catalog can be searched. Access before `start` also starts the read, so that a search
   * never finds an empty index by mistake.
   */
  get ready(): Promise<void> {
    this.reading ??= this.read().catch((error: unknown) =>
      this.parts.warn(`The catalog could not be read for the search: ${getErrorMessage(error)}`),
    );
    return this.reading;
  }

  /** Resolves when no read and no rebuild is running. */
  async settled(): Promise<void> {
    await this.reading;
    while (this.building) await this.building;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.callOff?.();
    await this.reading;
    await this.building;
  }

  private changed(agentId: string): void {
    this.changedMeanwhile?.add(agentId);
    if (!this.take(this.index, agentId)) return;
    this.changes += 1;
    this.scheduleRebuild();
  }

  /** Reads the whole catalog again, after it was replaced. */
  async reread(): Promise<void> {
    await this.settled();
    this.rebuild();
  }

  private scheduleRebuild(): void {
    if (this.building || this.isClosed || this.changes === 0) return;
    const { liveRows } = this.index;
    if (this.changes > Math.max(SMALL_CATALOG_ROWS, liveRows) * CHANGED_SHARE) this.rebuild();
    else if (liveRows <= SMALL_CATALOG_ROWS) this.rebuildAfterRest();
  }

  /** Updates the index with the agent's current row. Returns true if its indexed content changed. */
  private take(index: SearchIndex, agentId: string): boolean {
    const key = agentKey(agentId);
    const row = this.parts.source.find(agentId);
    if (row) return index.put(key, row, this.parts.getHistory(row.agentId)).isNew;
    const isKnown = index.slot(key) !== undefined;
    index.remove(key);
    return isKnown;
  }

  private rebuildAfterRest(): void {
    this.callOff?.();
    this.callOff = this.parts.clock.after(REST_MS, () => this.rebuild());
  }

  private rebuild(): void {
    if (this.building || this.isClosed) return;
    this.callOff?.();
    this.building = this.buildIndex()
      .catch((error: unknown) =>
        this.parts.warn(`The search index could not be laid out anew: ${getErrorMessage(error)}`),
      )
      .finally(() => {
        this.building = undefined;
        this.changedMeanwhile = undefined;
        this.scheduleRebuild();
      });
  }

  private async buildIndex(): Promise<void> {
    const next = this.freshIndex();
    this.changes = 0;
    if (!(await this.watched(next, this.fill(next)))) return;
    this.index = next;
    for (const listener of this.laidOut) listener(next);
  }

  private async read(): Promise<void> {
    await this.watched(this.index, this.put(this.index));
  }

  /**
   * Runs `work` on `index` in slices, then reads the rows again that changed meanwhile. Returns false if it was closed
   * before the end.
   */
  private async watched(index: SearchIndex, work: Generator<void>): Promise<boolean> {
    const changed = new Set<string>();
    this.changedMeanwhile = changed;
    for (const _ of work) {
      await new Promise((resume) => setImmediate(resume));
      if (this.isClosed) return false;
    }
    for (const agentId of changed) this.take(index, agentId);
    return true;
  }

  private *fill(next: SearchIndex): Generator<void> {
    yield* this.put(next);
    yield* next.settle();
  }

  private *put(index: SearchIndex): Generator<void> {
    let count = 0;
    for (const row of this.parts.source.rows()) {
      index.put(agentKey(row.agentId), row, this.parts.getHistory(row.agentId));
      count += 1;
      if (count % SLICE_ROWS === 0) yield;
    }
  }

  private freshIndex(): SearchIndex {
    return new SearchIndex(this.english, this.parts.rates);
  }
}
