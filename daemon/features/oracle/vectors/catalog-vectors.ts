import type { Synonyms } from '../text/synonyms.js';
import type { QueryTerm, TextIndex } from '../text/text-index.js';
import { pairWords } from '../text/word-pairs.js';
import { leadingDirections } from './leading-directions.js';
import { unit } from './vector-space.js';

/** The parameters of a catalog's vectors. */
export interface VectorSettings {
  dimensions: number;
  /** A word with this share of all words has half the weight. More common words weigh less. */
  commonShare: number;
  /** How far a word is moved towards its synonyms. */
  synonymPull: number;
}

const SLICE_ROWS = 300;

export const VECTOR_SETTINGS: VectorSettings = { dimensions: 128, commonShare: 1e-3, synonymPull: 1 };

/**
 * Word vectors that are computed from the catalog alone. Words that occur beside the same words point in the same
 * direction (leading directions of the positive pointwise mutual information), and the words of a group of `Synonyms`
 * are moved together. The vector of a text is the sum of its words' vectors, weighted by rarity, without the component
 * that all rows have in common.
 *
 * Measured by `scripts/bench/search/search.ts` as nDCG@10, compared with BM25 alone, over 100,000 generated cards and
 * queries that use other words than the cards. Half of the queries were written after all parameters were fixed. The
 * number of dimensions, the common share and the synonym pull were tuned on the other half, whose gain is much larger
 * than that of the unseen half and therefore overstated.
 */
export class CatalogVectors {
  private common: Float32Array;

  private constructor(
    private readonly text: TextIndex,
    private readonly getNumber: Int32Array,
    private readonly vectors: Float32Array,
    private readonly synonyms: Synonyms,
    private readonly totalWords: number,
    readonly settings: VectorSettings,
  ) {
    this.common = new Float32Array(settings.dimensions);
  }

  /**
   * Trains vectors from the rows of `text` for which `isLive` is true. Returns undefined when no two words occur
   * together. Runs in slices.
   */
  static *train(
    text: TextIndex,
    isLive: (slot: number) => boolean,
    synonyms: Synonyms,
    settings = VECTOR_SETTINGS,
  ): Generator<void, CatalogVectors | undefined> {
    const { rows, lexicon } = text;
    const pairs = yield* pairWords(rows, isLive, (term) => lexicon.rowsWith(term), lexicon.size);
    if (pairs.partners.length === 0) return undefined;
    const dimensions = Math.min(settings.dimensions, Math.max(2, pairs.terms.length));
    const vectors = yield* leadingDirections(pairs, dimensions);
    const numberByTerm = new Int32Array(lexicon.size).fill(-1);
    let totalWords = 0;
    pairs.terms.forEach((term, number) => {
      numberByTerm[term] = number;
      normalise(vectors, number, dimensions);
      totalWords += lexicon.rowsWith(term);
    });
    const made = new CatalogVectors(text, numberByTerm, vectors, synonyms, totalWords, { ...settings, dimensions });
    yield* made.drawSynonymsTogether();
    yield* made.learnCommon(isLive);
    return made;
  }

  /** Returns the vector of a row; undefined if none of its words has a vector. */
  row(slot: number): Float32Array | undefined {
    const sum = this.rowSum(slot);
    if (!sum) return undefined;
    for (let d = 0; d < sum.length; d += 1) sum[d] = (sum[d] as number) - (this.common[d] as number);
    return unit(sum);
  }

  /**
   * Returns the vector of a query from its terms, and from the synonyms of the `unknown` stems. Undefined if none has a
   * vector.
   */
  query(terms: readonly QueryTerm[], unknown: readonly string[]): Float32Array | undefined {
    const sum = new Float32Array(this.settings.dimensions);
    let count = 0;
    const add = (vector: Float32Array | undefined, weight: number) => {
      if (!vector) return;
      count += 1;
      for (let d = 0; d < sum.length; d += 1) sum[d] = (sum[d] as number) + weight * (vector[d] as number);
    };
    for (const { term, weight } of terms) add(this.termVector(term), weight * this.getWeight(term));
    for (const stem of unknown) add(this.standIn(stem), 0.8);
    const query = count === 0 ? undefined : unit(sum);
    if (!query) return undefined;
    for (let d = 0; d < query.length; d += 1) query[d] = (query[d] as number) - (this.common[d] as number);
    return unit(query);
  }

  /** Reports whether the term was in the rows that the vectors were trained from. */
  has(term: number): boolean {
    return (this.getNumber[term] ?? -1) >= 0;
  }

  private termVector(term: number): Float32Array | undefined {
    const number = this.getNumber[term] ?? -1;
    const { dimensions } = this.settings;
    return number < 0 ? undefined : this.vectors.subarray(number * dimensions, (number + 1) * dimensions);
  }

  private getWeight(term: number): number {
    const { commonShare } = this.settings;
    return commonShare / (commonShare + this.text.lexicon.rowsWith(term) / this.totalWords);
  }

  /** Returns the mean direction of the synonyms of a word that has no vector. */
  private standIn(stem: string): Float32Array | undefined {
    const sum = new Float32Array(this.settings.dimensions);
    for (const other of this.synonyms.of(stem)) {
      const term = this.text.lexicon.getTerm(other);
      const vector = term === undefined ? undefined : this.termVector(term);
      if (vector) for (let d = 0; d < sum.length; d += 1) sum[d] = (sum[d] as number) + (vector[d] as number);
    }
    return unit(sum);
  }

  private *drawSynonymsTogether(): Generator<void> {
    const { dimensions, synonymPull } = this.settings;
    const before = this.vectors.slice();
    const { lexicon } = this.text;
    for (let term = 0; term < this.getNumber.length; term += 1) {
      if (term % SLICE_ROWS === 0) yield;
      const number = this.getNumber[term] as number;
      if (number < 0) continue;
      const others = this.synonyms
        .of(lexicon.stems[term] as string)
        .map((stem) => this.getNumber[lexicon.getTerm(stem) ?? -1] ?? -1)
        .filter((other) => other >= 0);
      for (const other of others) {
        for (let d = 0; d < dimensions; d += 1) {
          const at = number * dimensions + d;
          this.vectors[at] =
            (this.vectors[at] as number) + (synonymPull * (before[other * dimensions + d] as number)) / others.length;
        }
      }
      normalise(this.vectors, number, dimensions);
    }
  }

  private *learnCommon(isLive: (slot: number) => boolean): Generator<void> {
    const sum = new Float32Array(this.settings.dimensions);
    let count = 0;
    for (let slot = 0; slot < this.text.rows.size; slot += 1) {
      if (slot % SLICE_ROWS === SLICE_ROWS - 1) yield;
      const vector = isLive(slot) ? this.rowSum(slot) : undefined;
      if (!vector) continue;
      count += 1;
      for (let d = 0; d < sum.length; d += 1) sum[d] = (sum[d] as number) + (vector[d] as number);
    }
    // In a small catalog, the common component is the topic of the rows itself.
    const share = count < 50 ? 0 : 1 / count;
    this.common = sum.map((value) => value * share);
  }

  /** Returns the weighted sum of the row's word vectors, scaled to length 1. */
  private rowSum(slot: number): Float32Array | undefined {
    const { rows } = this.text;
    const { dimensions } = this.settings;
    const sum = new Float32Array(dimensions);
    for (let at = rows.start(slot); at < rows.end(slot); at += 1) {
      const term = rows.termAt(at);
      const number = this.getNumber[term] ?? -1;
      if (number < 0) continue;
      const weight = this.getWeight(term) * Math.sqrt(rows.weightAt(at));
      const from = number * dimensions;
      for (let d = 0; d < dimensions; d += 1) sum[d] = (sum[d] as number) + weight * (this.vectors[from + d] as number);
    }
    return unit(sum);
  }
}

function normalise(vectors: Float32Array, number: number, dimensions: number): void {
  const vector = vectors.subarray(number * dimensions, (number + 1) * dimensions);
  const made = unit(vector);
  if (made) vector.set(made);
}
