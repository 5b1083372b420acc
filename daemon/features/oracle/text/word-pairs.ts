import type { RowWordsStore } from './row-words-store.js';

/**
 * How much more often than by chance two words occur in the same rows: a sparse symmetric matrix with one row per word.
 */
export interface WordPairs {
  /** The terms of the matrix rows, by row number. */
  terms: Int32Array;
  starts: Uint32Array;
  partners: Uint16Array;
  strengths: Float32Array;
}

const WORDS_MAX = 8_192;
/**
 * Minimum number of rows of a word, and of rows that a pair must share, because a pair that occurs once may be chance.
 * In a small catalog one row is enough.
 */
const SHARED_MIN = 2;
const SMALL_CATALOG_ROWS = 500;
/** Exponent for the word counts, which reduces the dominance of common words. */
const SMOOTHING = 0.75;
const SLICE_WORK = 150_000;

/** The rows of the matrix, filled one after the other. */
class PairRows {
  private readonly starts: Uint32Array;
  private partners = new Uint16Array(1 << 16);
  private strengths = new Float32Array(1 << 16);
  private filled = 0;

  constructor(private readonly terms: Int32Array) {
    this.starts = new Uint32Array(terms.length + 1);
  }

  /** Makes room for `count` more pairs. */
  reserve(count: number): void {
    if (this.filled + count <= this.partners.length) return;
    const room = Math.ceil((this.filled + count) * 1.5);
    this.partners = copied(this.partners, new Uint16Array(room));
    this.strengths = copied(this.strengths, new Float32Array(room));
  }

  add(partner: number, strength: number): void {
    this.partners[this.filled] = partner;
    this.strengths[this.filled] = strength;
    this.filled += 1;
  }

  /** Ends the row of `word`. */
  end(word: number): void {
    this.starts[word + 1] = this.filled;
  }

  toPairs(): WordPairs {
    return {
      terms: this.terms,
      starts: this.starts,
      partners: this.partners.subarray(0, this.filled),
      strengths: this.strengths.subarray(0, this.filled),
    };
  }
}

/**
 * Computes the positive pointwise mutual information of the most common words of the rows for which `isLive` is true:
 * the logarithm of how much more often two words share a row than by chance. Runs in slices.
 */
export function* pairWords(
  rows: RowWordsStore,
  isLive: (slot: number) => boolean,
  rowsWith: (term: number) => number,
  termCount: number,
) {
  const live: number[] = [];
  for (let slot = 0; slot < rows.size; slot += 1) if (isLive(slot)) live.push(slot);
  const least = live.length < SMALL_CATALOG_ROWS ? 1 : SHARED_MIN;
  const terms = mostCommonTerms(rowsWith, termCount, least);
  const numberOf = new Int32Array(termCount).fill(-1);
  terms.forEach((term, number) => {
    numberOf[term] = number;
  });
  const { holders, holderStarts } = yield* listHolders(rows, live, numberOf, terms.length);
  const totals = Float64Array.from(terms, (term) => rowsWith(term) ** SMOOTHING);
  const all = totals.reduce((sum, total) => sum + total, 0);

  const found = new PairRows(terms);
  const shared = new Float32Array(terms.length);
  const met = new Uint16Array(terms.length);
  let work = 0;
  for (let word = 0; word < terms.length; word += 1) {
    let metCount = 0;
    let pairs = 0;
    for (let at = holderStarts[word] as number; at < (holderStarts[word + 1] as number); at += 1) {
      const slot = holders[at] as number;
      const end = rows.end(slot);
      for (let place = rows.start(slot); place < end; place += 1) {
        const other = numberOf[rows.termAt(place)] as number;
        if (other < 0 || other === word) continue;
        if (shared[other] === 0) met[metCount++] = other;
        shared[other] = (shared[other] as number) + 1;
        pairs += 1;
      }
      work += end - rows.start(slot);
    }
    found.reserve(metCount);
    for (let index = 0; index < metCount; index += 1) {
      const other = met[index] as number;
      const count = shared[other] as number;
      shared[other] = 0;
      const strength = count < least ? 0 : Math.log((count * all) / (pairs * (totals[other] as number)));
      if (strength > 0) found.add(other, strength);
    }
    found.end(word);
    if (work > SLICE_WORK) {
      work = 0;
      yield;
    }
  }
  return found.toPairs();
}

/** Returns the terms that occur in at least `least` rows, most common first. */
function mostCommonTerms(rowsWith: (term: number) => number, termCount: number, least: number): Int32Array {
  return Int32Array.from(
    Array.from({ length: termCount }, (_, term) => term)
      .filter((term) => rowsWith(term) >= least)
      .sort((a, b) => rowsWith(b) - rowsWith(a) || a - b)
      .slice(0, WORDS_MAX),
  );
}

/** Returns the live rows of every word. */
function* listHolders(rows: RowWordsStore, live: readonly number[], numberOf: Int32Array, words: number) {
  const holderStarts = new Uint32Array(words + 1);
  const each = function* (visit: (word: number, slot: number) => void) {
    let work = 0;
    for (const slot of live) {
      for (let at = rows.start(slot); at < rows.end(slot); at += 1) {
        const word = numberOf[rows.termAt(at)] as number;
        if (word >= 0) visit(word, slot);
      }
      work += rows.end(slot) - rows.start(slot);
      if (work > SLICE_WORK) {
        work = 0;
        yield;
      }
    }
  };
  yield* each((word) => {
    holderStarts[word + 1] = (holderStarts[word + 1] as number) + 1;
  });
  for (let word = 0; word < words; word += 1)
    holderStarts[word + 1] = (holderStarts[word + 1] as number) + (holderStarts[word] as number);
  const filled = holderStarts.slice();
  const holders = new Uint32Array(holderStarts[words] as number);
  yield* each((word, slot) => {
    holders[filled[word] as number] = slot;
    filled[word] = (filled[word] as number) + 1;
  });
  return { holders, holderStarts };
}

function copied<T extends Uint16Array | Float32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
