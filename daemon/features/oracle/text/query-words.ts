import { stemWord } from '../../../lib/text/words.js';
import { getSearchWords } from './card-text.js';
import type { Synonyms } from './synonyms.js';
import type { QueryTerm, TextIndex } from './text-index.js';

/** A query in the form in which the index looks it up. */
interface QueryWords {
  /**
   * Terms of the catalog that the query contains; corrected ones have less weight. Of a long query, only the rarest.
   */
  terms: QueryTerm[];
  /** Stems that no row contains, but that have synonyms. */
  unknown: string[];
  /** Number of words of the query that no row contains and that have neither synonyms nor corrections. */
  strange: number;
}

const TERMS_MAX = 24;
/** Maximum number of distinct words of a query that are looked up. A query has at most 1,000 characters. */
const WORDS_MAX = 100;
const WEIGHT_BY_EDITS = [1, 0.8, 0.6] as const;

/**
 * Converts the words of `text` to terms. A word that no live row contains is replaced by its `Synonyms`, or else by the
 * nearest words of the catalog, as if it were mistyped. A word with neither is ignored.
 */
export function readQuery(text: string, index: TextIndex, synonyms: Synonyms): QueryWords {
  const weights = new Map<number, number>();
  const unknown = new Set<string>();
  let strange = 0;
  const add = (term: number, weight: number) => weights.set(term, Math.max(weights.get(term) ?? 0, weight));
  for (const word of [...new Set(getSearchWords(text))].slice(0, WORDS_MAX)) {
    const stem = stemWord(word);
    const term = index.lexicon.getTerm(stem);
    if (term !== undefined && index.lexicon.rowsWith(term) > 0) add(term, 1);
    else if (synonyms.of(stem).length > 0) unknown.add(stem);
    else {
      const meant = index.lexicon.corrections(word);
      for (const { term: one, edits } of meant) add(one, WEIGHT_BY_EDITS[edits] ?? 0.6);
      if (meant.length === 0) strange += 1;
    }
  }
  const terms = [...weights].map(([term, weight]) => ({ term, weight }));
  if (terms.length > TERMS_MAX)
    terms.sort((a, b) => index.rarity(b.term) - index.rarity(a.term) || a.term - b.term).length = TERMS_MAX;
  return { terms, unknown: [...unknown], strange };
}
