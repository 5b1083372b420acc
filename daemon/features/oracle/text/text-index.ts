import type { CatalogRow } from '../catalog-source.js';
import { getRowWords, type RowWord } from './card-text.js';
import { Lexicon } from './lexicon.js';
import { RowWordsStore } from './row-words-store.js';

/** A term of a query, and its weight. */
export interface QueryTerm {
  term: number;
  weight: number;
}

const K1 = 1.2;
const B = 0.6;
/** The weight of a word that no row contains, as a share of the rarest possible word. */
const ABSENT_SHARE = 0.5;
/** Assumed length of a row in weighted words, before the average is known. */
const TYPICAL_LENGTH = 20;
/** Number of rows per slice of `freeze`. */
const SLICE_ROWS = 2_000;

interface Postings {
  slots: number[];
  impacts: number[];
}

/**
 * BM25 over the rows' weighted words. `freeze` stores the impacts of all rows so far in typed arrays, term by term.
 * Rows that are added later are kept in small lists beside them, with the average length of the frozen ones. The rarity
 * of a term is computed at query time, so it is always current.
 */
export class TextIndex {
  readonly lexicon = new Lexicon();
  readonly rows = new RowWordsStore();
  private lengths: number[] = [];
  private totalLength = 0;
  private live = 0;
  private averageLength = TYPICAL_LENGTH;
  private termStarts: Uint32Array = new Uint32Array(1);
  private frozenSlots: Uint32Array = new Uint32Array(0);
  private frozenImpacts: Float32Array = new Float32Array(0);
  private readonly fresh = new Map<number, Postings>();
  private isFrozen = false;

  get liveRows(): number {
    return this.live;
  }

  add(row: CatalogRow): number {
    const words = getRowWords(row).filter(({ stem }) => this.lexicon.canAdd(stem));
    const terms = words.map(({ stem, spellings }) => this.lexicon.add(stem, spellings));
    const slot = this.rows.append(words, terms);
    const length = getLength(words);
    this.lengths.push(length);
    this.totalLength += length;
    this.live += 1;
    for (const term of terms) this.lexicon.count(term, 1);
    if (this.isFrozen) {
      words.forEach(({ weight }, index) => {
        const term = terms[index] as number;
        const postings = this.fresh.get(term) ?? { slots: [], impacts: [] };
        if (postings.slots.length === 0) this.fresh.set(term, postings);
        postings.slots.push(slot);
        postings.impacts.push(this.impact(weight, length));
      });
    }
    return slot;
  }

  /** Removes a row from the counts. Its postings stay until the index is rebuilt, so callers must skip dead slots. */
  remove(slot: number): void {
    for (let at = this.rows.start(slot); at < this.rows.end(slot); at += 1)
      this.lexicon.count(this.rows.termAt(at), -1);
    this.totalLength -= this.lengths[slot] as number;
    this.live -= 1;
  }

  /** Freezes the postings, in slices. Must run once, with no row added meanwhile. */
  *freeze(): Generator<void> {
    if (this.live > 0) this.averageLength = this.totalLength / this.live;
    const starts = new Uint32Array(this.lexicon.size + 1);
    const { rows } = this;
    for (let slot = 0; slot < rows.size; slot += 1) {
      for (let at = rows.start(slot); at < rows.end(slot); at += 1) {
        const next = rows.termAt(at) + 1;
        starts[next] = (starts[next] as number) + 1;
      }
      if (slot % SLICE_ROWS === SLICE_ROWS - 1) yield;
    }
    for (let term = 0; term < this.lexicon.size; term += 1)
      starts[term + 1] = (starts[term + 1] as number) + (starts[term] as number);
    const filled = starts.slice();
    const slots = new Uint32Array(starts[this.lexicon.size] as number);
    const impacts = new Float32Array(slots.length);
    for (let slot = 0; slot < rows.size; slot += 1) {
      for (let at = rows.start(slot); at < rows.end(slot); at += 1) {
        const term = rows.termAt(at);
        const place = filled[term] as number;
        slots[place] = slot;
        impacts[place] = this.impact(rows.weightAt(at), this.lengths[slot] as number);
        filled[term] = place + 1;
      }
      if (slot % SLICE_ROWS === SLICE_ROWS - 1) yield;
    }
    this.termStarts = starts;
    this.frozenSlots = slots;
    this.frozenImpacts = impacts;
    this.isFrozen = true;
  }

  /** Returns the inverse document frequency of a term among the live rows; 0 for a term that no row contains. */
  rarity(term: number): number {
    const holders = this.lexicon.rowsWith(term);
    return holders === 0 ? 0 : Math.log(1 + (this.live - holders + 0.5) / (holders + 0.5));
  }

  /**
   * Adds each row's score for `terms` to `scores`, and each slot that was 0 before to `touched`. Returns the number of
   * slots in `touched`. Without `touched`, only rows that have a score already get more, and it returns 0.
   */
  score(terms: readonly QueryTerm[], scores: Float32Array, touched?: Uint32Array): number {
    let count = 0;
    const { frozenSlots, frozenImpacts } = this;
    for (const { term, weight } of terms) {
      const factor = weight * this.rarity(term);
      if (factor === 0) continue;
      const end = this.termStarts[term + 1] ?? 0;
      for (let at = this.termStarts[term] ?? 0; at < end; at += 1) {
        const slot = frozenSlots[at] as number;
        const before = scores[slot] as number;
        if (before === 0) {
          if (!touched) continue;
          touched[count++] = slot;
        }
        scores[slot] = before + factor * (frozenImpacts[at] as number);
      }
      const later = this.fresh.get(term);
      for (let at = 0; later && at < later.slots.length; at += 1) {
        const slot = later.slots[at] as number;
        const before = scores[slot] as number;
        if (before === 0) {
          if (!touched) continue;
          touched[count++] = slot;
        }
        scores[slot] = before + factor * (later.impacts[at] as number);
      }
    }
    return count;
  }

  /**
   * Returns the maximum score of a row for `terms` and for `absent` further words of the query that no row contains.
   * With these, a row that matches only a part of the query does not reach the maximum.
   */
  best(terms: readonly QueryTerm[], absent: number): number {
    const rarest = Math.log(1 + (this.live + 0.5) / 0.5);
    return (
      (terms.reduce((sum, { term, weight }) => sum + weight * this.rarity(term), 0) + absent * ABSENT_SHARE * rarest) *
      (K1 + 1)
    );
  }

  private impact(weight: number, length: number): number {
    return (weight * (K1 + 1)) / (weight + K1 * (1 - B + (B * length) / this.averageLength));
  }
}

const getLength = (words: readonly RowWord[]) => words.reduce((sum, { weight }) => sum + weight, 0);
