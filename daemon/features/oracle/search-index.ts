import { agentKey } from '../../lib/agents/agent-id.js';
import { sha256 } from '../../lib/crypto/digests.js';
import type { CatalogRow } from './catalog-source.js';
import type { Constraints } from './constraints.js';
import type { Rates } from './price.js';
import { computeReliability, type Evidence, type History, listingScore } from './ranking.js';
import { type Counts, type Refusals, RowColumns } from './row-columns.js';
import { AskedWords } from './text/asked-words.js';
import { isOfStopwords, nameKey, rowText } from './text/card-text.js';
import { type English, readQuery } from './text/query-words.js';
import { type QueryTerm, TextIndex } from './text/text-index.js';
import { topK } from './top-k.js';
import { CatalogVectors, VECTOR_SETTINGS, type VectorSettings } from './vectors/catalog-vectors.js';
import type { EmbeddedSpace } from './vectors/embedded-space.js';
import { type Bearing, VectorSpace, wholeNumbers } from './vectors/vector-space.js';

/** A row that matches a search, with the evidence. */
export interface Candidate extends Evidence {
  agentId: string;
  /** When it was last seen; the current time if it is online. */
  seenMs: number;
  /** Whether the query is its id or its name. */
  named: 'id' | 'name' | undefined;
}

/** How a query names a row. `words`: several words, which joined are its id. */
type Naming = 'id' | 'name' | 'words';
const asNamed = (how: Naming | undefined) => (how === 'words' ? undefined : how);

interface Matches extends Counts {
  candidates: Candidate[];
  /** Whether the query has nothing to search by, so that all rows match. */
  isListing: boolean;
}

/** Number of rows that are examined by text and by vectors each. Rows that rank lower are in no response. */
const LOOKED_AT = 250;
/** Minimum cosine at which a row without matching words is found. */
const NEAR = 0.45;
/** More than this number of differing signs among 256 usually means a cosine below `NEAR`. */
const SIGNS_APART_MAX = 108;
const SLICE_ROWS = 200;
/**
 * Shares of the rows that can have a vector of the endpoint, and of all rows, that need one before its vectors are
 * used, because rows without one are found by their words only.
 */
const EMBEDDED_SHARE = 0.9;
const EMBEDDED_SHARE_OF_ALL = 0.5;

/** The in-memory index of all rows. It is not stored on disk. */
export class SearchIndex {
  readonly text = new TextIndex();
  readonly columns: RowColumns;
  private readonly slotOf = new Map<string, number>();
  /** Slots by the `nameKey` of their names; an id is found in `slotOf`. */
  private readonly slotsNamed = new Map<string, Set<number>>();
  private readonly prints: number[] = [];
  private vectors: CatalogVectors | undefined;
  private space: VectorSpace | undefined;
  private embedded: EmbeddedSpace | undefined;
  /** Number of rows that can have no vector of the endpoint: they have no text, or it takes none of theirs. */
  unembeddable = 0;
  private readonly asked = new AskedWords();
  private scores: Float32Array = new Float32Array(1024);
  private touched: Uint32Array = new Uint32Array(1024);
  private closeBy: Uint32Array = new Uint32Array(1024);

  constructor(
    private readonly english: English,
    rates: Rates,
    private readonly settings: VectorSettings = VECTOR_SETTINGS,
  ) {
    this.columns = new RowColumns(rates);
  }

  get liveRows(): number {
    return this.text.liveRows;
  }

  /** Number of slots whose rows were removed or replaced. */
  get deadRows(): number {
    return this.columns.size - this.text.liveRows;
  }

  slot(key: string): number | undefined {
    return this.slotOf.get(key);
  }

  /**
   * Adds or updates a row. Returns its slot, and whether anything other than its online state, last-seen time and
   * standing changed.
   */
  put(key: string, row: CatalogRow, history: History | null): { slot: number; isNew: boolean } {
    const print = computePrint(row);
    const known = this.slotOf.get(key);
    if (known !== undefined && this.prints[known] === print) {
      this.columns.touch(known, row, computeReliability(history));
      return { slot: known, isNew: false };
    }
    this.remove(key);
    const slot = this.text.add(row);
    this.columns.add(row, computeReliability(history));
    this.prints.push(print);
    this.slotOf.set(key, slot);
    const name = nameKey(row.name ?? '');
    if (name !== '') {
      const slots = this.slotsNamed.get(name);
      if (slots) slots.add(slot);
      else this.slotsNamed.set(name, new Set([slot]));
    }
    const vector = this.vectors?.row(slot);
    if (vector) this.space?.put(slot, vector);
    return { slot, isNew: true };
  }

  remove(key: string): void {
    const slot = this.slotOf.get(key);
    if (slot === undefined) return;
    this.slotOf.delete(key);
    this.text.remove(slot);
    this.columns.remove(slot);
    this.embedded?.remove(slot);
  }

  /** Yields the live rows that have no vector of the endpoint. */
  *withoutEmbedding(): Generator<{ slot: number; agentId: string }> {
    for (let slot = 0; slot < this.columns.size; slot += 1) {
      if (this.columns.isLive(slot) && !this.embedded?.has(slot))
        yield { slot, agentId: this.columns.agentIds[slot] as string };
    }
  }

  /** Uses the vectors in `space` as the endpoint's vectors, in place of any previous space; undefined for none. */
  embedIn(space: EmbeddedSpace | undefined): void {
    this.embedded = space;
  }

  get embeddedSpace(): EmbeddedSpace | undefined {
    return this.embedded;
  }

  /** Returns the bearing of a query's vector from the endpoint; undefined while too few rows have such a vector. */
  embeddedBearing(vector: Float32Array): Bearing | undefined {
    const needed = Math.max(
      (this.liveRows - this.unembeddable) * EMBEDDED_SHARE,
      this.liveRows * EMBEDDED_SHARE_OF_ALL,
    );
    return this.embedded && this.embedded.size >= needed ? this.embedded.bearing(vector) : undefined;
  }

  /** Freezes the text index and trains the catalog's vectors, in slices. No row may be added meanwhile. */
  *settle(): Generator<void> {
    const isLive = (slot: number) => this.columns.isLive(slot);
    yield* this.text.freeze();
    const vectors = yield* CatalogVectors.train(this.text, isLive, this.english.synonyms, this.settings);
    if (!vectors) return;
    const space = new VectorSpace(vectors.settings.dimensions);
    for (let slot = 0; slot < this.columns.size; slot += 1) {
      const vector = isLive(slot) ? vectors.row(slot) : undefined;
      if (vector) space.put(slot, vector);
      if (slot % SLICE_ROWS === SLICE_ROWS - 1) yield;
    }
    this.vectors = vectors;
    this.space = space;
  }

  /**
   * Returns the rows that match `query` and pass `constraints`: the best `LOOKED_AT` by words and as many by vectors,
   * unordered. `bearing` is the query's vector in the space of an endpoint; it replaces the catalog's own vectors.
   * Without a query, all rows match, and those with the best score and the most recent ones are returned; so it is for
   * a query of stopwords alone, which every other agent says of itself, beside the rows that it names.
   */
  find(query: string, constraints: Constraints, nowMs: number, bearing?: Bearing): Matches {
    const refusals = this.columns.refusals(constraints);
    if (query.trim() === '' || (!bearing && isOfStopwords(query))) return this.list(query, refusals, nowMs);
    this.growArrays();
    const hasVector = (term: number) => this.vectors?.has(term) ?? false;
    const { terms, same, near: nearWords, unknown, strange } = readQuery(query, this.text, this.english, hasVector);
    const { scores, touched } = this;
    const sought = [...terms, ...same];
    let hits = this.text.score(sought, scores, touched);
    this.text.score(nearWords, scores);
    let passing = this.passingHits(refusals, hits);
    if (passing === 0) {
      this.forget(hits);
      hits = this.text.score([...sought, ...nearWords], scores, touched);
      passing = this.passingHits(refusals, hits);
    }
    const best = this.highest(this.text.best(terms, unknown.length + strange), passing);
    const named = this.named(query, refusals);
    // With the standing, so that of many equal texts those of the best agents are looked at.
    const { standing } = this.columns;
    const chosen = new Set([...named.keys(), ...topK(scores, touched, passing, LOOKED_AT, best, standing)]);
    const sense = bearing ?? this.bearing(sought, unknown);
    const pointing = sense ? wholeNumbers(sense.vector) : new Int16Array(0);
    const near = sense ? this.nearest(sense, pointing, refusals) : { slots: [], refused: [] };
    const refused = near.refused.filter((slot) => scores[slot] === 0);
    const counted = this.columns.countRefusals(refusals, [touched.subarray(passing, hits), refused]);
    const candidates: Candidate[] = [];
    for (const { term, weight } of terms) this.asked.put(term, weight * this.text.rarity(term));
    const textOf = (slot: number) => (best > 0 ? Math.min(1, (scores[slot] as number) / best) : 0);
    const fitting = Math.max(...[...chosen].map(textOf)) || 1;
    const add = (slot: number) => {
      const semantic = sense ? Math.min(1, Math.max(0, sense.space.similarity(slot, pointing))) : 0;
      const how = named.get(slot);
      const text = how === 'words' ? fitting : how ? 1 : textOf(slot);
      if (text === 0 && semantic < NEAR) return;
      candidates.push({
        ...this.candidate(slot, nowMs),
        ...{ text, semantic, capability: this.capability(slot), named: asNamed(how) },
      });
    };
    for (const slot of chosen) add(slot);
    for (const slot of near.slots) if (!chosen.has(slot)) add(slot);
    this.forget(hits);
    this.asked.clear();
    return { candidates, isListing: false, ...counted };
  }

  private list(query: string, refusals: Refusals, nowMs: number): Matches {
    this.growArrays();
    const { columns, scores, touched } = this;
    let count = 0;
    const refused: number[] = [];
    for (let slot = 0; slot < refusals.size; slot += 1) {
      if (refusals.bits[slot] === 0) {
        scores[slot] = listingScore(columns.standing[slot] as number, columns.seenMs(slot, nowMs), nowMs);
        touched[count++] = slot;
      } else refused.push(slot);
    }
    const chosen = topK(scores, touched, count, 4 * LOOKED_AT, 1);
    for (let at = 0; at < count; at += 1) scores[touched[at] as number] = 0;
    const named = this.named(query, refusals);
    const candidates = [...new Set([...named.keys(), ...chosen])].map((slot) => ({
      ...this.candidate(slot, nowMs),
      named: asNamed(named.get(slot)),
    }));
    return { candidates, isListing: true, ...columns.countRefusals(refusals, [refused]) };
  }

  /**
   * Returns the slots that pass and whose id or name is the query. Everybody may register what people ask for as an id:
   * an id in the words of a request fits only as well as the text of the best row does.
   */
  private named(query: string, { bits }: Refusals): Map<number, Naming> {
    const found = new Map<number, Naming>();
    const how = /^[^@\s]+\s/.test(query.trim()) ? 'words' : 'id';
    const passes = (slot: number) => bits[slot] === 0;
    for (const id of idsFor(query)) {
      const slot = this.slotOf.get(id);
      if (slot !== undefined && passes(slot)) found.set(slot, how);
    }
    for (const slot of this.slotsNamed.get(nameKey(query)) ?? [])
      if (passes(slot) && found.get(slot) !== 'id') found.set(slot, 'name');
    return found;
  }

  private forget(hits: number): void {
    for (let at = 0; at < hits; at += 1) this.scores[this.touched[at] as number] = 0;
  }

  /** With related words a row may score more than the query's own words can: then the best row is the measure. */
  private highest(best: number, passing: number): number {
    let highest = best;
    for (let at = 0; at < passing; at += 1)
      highest = Math.max(highest, this.scores[this.touched[at] as number] as number);
    return highest;
  }

  /** Moves the hits that pass to the front, and returns their number. */
  private passingHits({ bits }: Refusals, hits: number): number {
    const { touched } = this;
    let passing = 0;
    for (let at = 0; at < hits; at += 1) {
      const slot = touched[at] as number;
      if (bits[slot] !== 0) continue;
      touched[at] = touched[passing] as number;
      touched[passing++] = slot;
    }
    return passing;
  }

  private bearing(terms: readonly QueryTerm[], unknown: readonly string[]): Bearing | undefined {
    const vector = this.space && this.vectors?.query(terms, unknown);
    return vector && this.space ? { vector, space: this.space } : undefined;
  }

  /**
   * Returns the `LOOKED_AT` nearest slots by their signs that pass, and near slots that are refused, which are counted
   * with their reasons.
   */
  private nearest(
    { vector, space }: Bearing,
    pointing: Int16Array,
    { bits }: Refusals,
  ): { slots: number[]; refused: number[] } {
    const { closeBy } = this;
    const { apart, count: close } = space.within(vector, SIGNS_APART_MAX, closeBy);
    const counts = new Uint32Array(SIGNS_APART_MAX + 1);
    for (let at = 0; at < close; at += 1) {
      const slot = closeBy[at] as number;
      const signs = apart[slot] as number;
      if (bits[slot] === 0 && space.has(slot)) counts[signs] = (counts[signs] as number) + 1;
    }
    let reach = 0;
    let taken = counts[0] as number;
    for (; reach < SIGNS_APART_MAX && taken < LOOKED_AT; taken += counts[reach] as number) reach += 1;
    const atReach = (counts[reach] as number) - Math.max(0, taken - LOOKED_AT);
    const slots: number[] = [];
    const tied: number[] = [];
    const refused: number[] = [];
    for (let at = 0; at < close; at += 1) {
      const slot = closeBy[at] as number;
      const signs = apart[slot] as number;
      if (signs > reach || !space.has(slot)) continue;
      if (bits[slot] !== 0) {
        if (refused.length < LOOKED_AT && space.similarity(slot, pointing) >= NEAR) refused.push(slot);
      } else (signs < reach ? slots : tied).push(slot);
    }
    const { standing } = this.columns;
    if (tied.length > atReach) tied.sort((a, b) => (standing[b] as number) - (standing[a] as number));
    return { slots: [...slots, ...tied.slice(0, Math.max(0, atReach))], refused };
  }

  private candidate(slot: number, nowMs: number): Candidate {
    return {
      agentId: this.columns.agentIds[slot] as string,
      seenMs: this.columns.seenMs(slot, nowMs),
      text: 0,
      semantic: 0,
      capability: 0,
      named: undefined,
    };
  }

  /** Returns the share of the query's words, weighted by rarity, that the row's capabilities contain. */
  private capability(slot: number): number {
    const { asked } = this;
    const { rows } = this.text;
    const end = rows.end(slot);
    let held = 0;
    for (let at = rows.start(slot); at < end; at += 1) if (rows.isCapabilityAt(at)) held += asked.of(rows.termAt(at));
    return held === 0 ? 0 : held / asked.sum;
  }

  private growArrays(): void {
    if (this.scores.length >= this.columns.size) return;
    const room = Math.ceil(this.columns.size * 1.5);
    this.scores = new Float32Array(room);
    this.touched = new Uint32Array(room);
    this.closeBy = new Uint32Array(room);
  }
}

/** The ways in which an id may have been meant by who typed words. */
const idsFor = (query: string) => {
  const typed = query.trim().replace(/^@/, '');
  const spaced = typed.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').split(/[\s_-]+/);
  return [typed, ...['-', '_', ''].map((joint) => spaced.join(joint))].map(agentKey);
};

/**
 * Returns a fingerprint of the indexed content of a row, without its online state and last-seen time. A row with the
 * same fingerprint keeps its slot.
 */
function computePrint(row: CatalogRow): number {
  const { accepts, produces, protocols, pricing, country, tags, agentId, name } = row;
  return sha256(
    JSON.stringify([rowText(row), tags, accepts, produces, protocols, pricing, country, agentId, name]),
  ).readUIntBE(0, 6);
}
