import { editDistance, trigrams } from '../../../lib/text/words.js';

/** A word of the catalog that a mistyped word may stand for. */
interface Correction {
  term: number;
  word: string;
  edits: number;
}

/** Maximum number of terms of an index. It limits the memory that generated words can use. */
const TERMS_MAX = 1_000_000;
const TYPO_MIN_CHARS = 4;
const TWO_EDITS_FROM_CHARS = 8;
/**
 * Maximum number of spellings that are compared with one mistyped word; those with the most shared trigrams come first.
 */
const COMPARED_MAX = 60;
/** Maximum number of trigrams that one edit changes: two swapped letters are part of four. */
const TRIGRAMS_OF_AN_EDIT = 4;

/**
 * The vocabulary of one index. Every stem is a numbered term with the count of live rows that contain it, and every
 * spelling maps to its stem. It only grows; a rebuilt index starts with a new one.
 */
export class Lexicon {
  readonly stems: string[] = [];
  private readonly terms = new Map<string, number>();
  private readonly termOfWord = new Map<string, number>();
  private readonly spellings: string[] = [];
  private rows: Uint32Array = new Uint32Array(1024);
  /** Spellings by trigram; built for the first mistyped word. */
  private byTrigram: Map<string, number[]> | undefined;
  private shared: Uint8Array = new Uint8Array(0);

  get size(): number {
    return this.stems.length;
  }

  getTerm(stem: string): number | undefined {
    return this.terms.get(stem);
  }

  /** Returns the number of live rows that contain the term. */
  rowsWith(term: number): number {
    return this.rows[term] ?? 0;
  }

  /** Reports whether `stem` is a term or can be added as one. */
  canAdd(stem: string): boolean {
    return this.stems.length < TERMS_MAX || this.terms.has(stem);
  }

  /** Returns the term of `stem`, and adds it if necessary. Requires `canAdd(stem)`. */
  add(stem: string, spellings: Iterable<string>): number {
    let term = this.terms.get(stem);
    if (term === undefined) {
      term = this.stems.length;
      this.stems.push(stem);
      this.terms.set(stem, term);
      if (term >= this.rows.length) {
        const grown = new Uint32Array(this.rows.length * 2);
        grown.set(this.rows);
        this.rows = grown;
      }
    }
    for (const word of spellings) {
      if (this.termOfWord.has(word)) continue;
      this.termOfWord.set(word, term);
      this.spellings.push(word);
      if (this.byTrigram) this.addTrigrams(this.byTrigram, this.spellings.length - 1);
    }
    return term;
  }

  count(term: number, change: 1 | -1): void {
    this.rows[term] = (this.rows[term] ?? 0) + change;
  }

  /**
   * Returns the words of live rows with the fewest edits from `word`, at most two, the most common first. Words of 4 to
   * 7 letters allow one edit, longer words two. Returns none for shorter words and for words with digits, because many
   * numbers are one edit apart.
   */
  corrections(word: string): Correction[] {
    if (word.length < TYPO_MIN_CHARS || /\d/.test(word)) return [];
    const limit = word.length >= TWO_EDITS_FROM_CHARS ? 2 : 1;
    const found: Correction[] = [];
    for (const spelling of this.findSimilar(word, limit)) {
      const candidate = this.spellings[spelling] as string;
      const term = this.termOfWord.get(candidate) as number;
      if (this.rowsWith(term) === 0) continue;
      const edits = editDistance(word, candidate, limit);
      if (edits <= limit && !found.some((other) => other.term === term && other.edits <= edits))
        found.push({ term, word: candidate, edits });
    }
    const least = Math.min(...found.map(({ edits }) => edits));
    return found
      .filter(({ edits }) => edits === least)
      .sort((a, b) => this.rowsWith(b.term) - this.rowsWith(a.term) || a.term - b.term)
      .slice(0, 2);
  }

  /**
   * Returns the spellings that share the most trigrams with `word`, and at least as many as `limit` edits leave
   * unchanged.
   */
  private findSimilar(word: string, limit: number): number[] {
    if (!this.byTrigram) {
      this.byTrigram = new Map();
      for (let spelling = 0; spelling < this.spellings.length; spelling += 1)
        this.addTrigrams(this.byTrigram, spelling);
    }
    if (this.shared.length < this.spellings.length) this.shared = new Uint8Array(this.spellings.length * 2);
    const { shared } = this;
    const own = trigrams(word);
    const met: number[] = [];
    for (const trigram of own) {
      for (const spelling of this.byTrigram.get(trigram) ?? []) {
        if (shared[spelling] === 0) met.push(spelling);
        shared[spelling] = (shared[spelling] as number) + 1;
      }
    }
    const least = own.size - TRIGRAMS_OF_AN_EDIT * limit;
    const alike = met
      .filter((spelling) => {
        const length = (this.spellings[spelling] as string).length;
        return (shared[spelling] as number) >= least && Math.abs(length - word.length) <= limit;
      })
      .map((spelling) => ({ spelling, count: shared[spelling] as number }))
      .sort((a, b) => b.count - a.count || a.spelling - b.spelling);
    for (const spelling of met) shared[spelling] = 0;
    return alike.slice(0, COMPARED_MAX).map(({ spelling }) => spelling);
  }

  private addTrigrams(index: Map<string, number[]>, spelling: number): void {
    for (const trigram of trigrams(this.spellings[spelling] as string)) {
      const listed = index.get(trigram);
      if (listed) listed.push(spelling);
      else index.set(trigram, [spelling]);
    }
  }
}
