import { agentKey } from '../../lib/agent-id.js';
import type { Clock } from '../../lib/clock.js';
import { messageOf } from '../../lib/errors.js';
import type { CatalogSource } from './catalog-source.js';
import { SearchIndex } from './search-index.js';
import { Synonyms } from './synonyms.js';

export interface LiveIndexParts {
  source: CatalogSource;
  clock: Clock;
  standingOf: (agentId: string) => number | null;
  lamportsUsd: number | undefined;
  /** Told when a rebuild failed; the index before it goes on serving. */
  warn: (message: string) => void;
}

/** A small catalog is laid out anew so long after its last change; a larger one when a tenth of it has changed. */
const REST_MS = 2_000;
const SMALL_CATALOG_ROWS = 5_000;
const CHANGED_SHARE = 0.1;
const SLICE_ROWS = 20;

/**
 * The search index over the catalog as it is now. A change is found at once: fresh rows stand in small lists beside what is laid out. From time to time all
 * is laid out anew in the background, in slices of a few milliseconds between which everything else runs, and then takes the old one's place; what changed
 * meanwhile is looked at again.
 */
export class LiveIndex {
  private index: SearchIndex;
  private readonly synonyms = new Synonyms();
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

  /** Told of every index that takes the old one's place. */
  onLaidOut(listener: (index: SearchIndex) => void): void {
    this.laidOut.push(listener);
  }

  /** Takes up the catalog, and then lays it out. */
  start(): void {
    void this.ready.then(() => this.rebuild());
  }

  /** Resolves when what was in the catalog at the start can be found. Who asks before the start has it taken up: nobody is told that there is nothing. */
  get ready(): Promise<void> {
    this.reading ??= this.read().catch((error: unknown) =>
      this.parts.warn(`The catalog could not be read for the search: ${messageOf(error)}`),
    );
    return this.reading;
  }

  /** Resolves when nothing is being read or laid out. */
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
    this.considerRebuild();
  }

  private considerRebuild(): void {
    if (this.building || this.isClosed || this.changes === 0) return;
    const { liveRows } = this.index;
    if (this.changes > Math.max(SMALL_CATALOG_ROWS, liveRows) * CHANGED_SHARE) this.rebuild();
    else if (liveRows <= SMALL_CATALOG_ROWS) this.rebuildAfterRest();
  }

  /** Takes over the agent's row as it is now; gives whether its words changed. */
  private take(index: SearchIndex, agentId: string): boolean {
    const key = agentKey(agentId);
    const row = this.parts.source.find(agentId);
    if (row) return index.put(key, row, this.parts.standingOf(row.agentId)).isNew;
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
    this.building = this.layOut()
      .catch((error: unknown) => this.parts.warn(`The search index could not be laid out anew: ${messageOf(error)}`))
      .finally(() => {
        this.building = undefined;
        this.changedMeanwhile = undefined;
        this.considerRebuild();
      });
  }

  private async layOut(): Promise<void> {
    const next = this.freshIndex();
    this.changes = 0;
    if (!(await this.watched(next, this.fill(next)))) return;
    this.index = next;
    for (const listener of this.laidOut) listener(next);
  }

  private async read(): Promise<void> {
    await this.watched(this.index, this.put(this.index));
  }

  /** Runs `work` on `index` in slices, and looks again at what changed meanwhile. Gives whether it came to its end. */
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
      index.put(agentKey(row.agentId), row, this.parts.standingOf(row.agentId));
      count += 1;
      if (count % SLICE_ROWS === 0) yield;
    }
  }

  private freshIndex(): SearchIndex {
    return new SearchIndex(this.synonyms, this.parts.lamportsUsd);
  }
}
