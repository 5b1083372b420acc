import { stemOf } from '../../lib/words.js';
import { tellingWords } from './card-text.js';
import type { Synonyms } from './synonyms.js';
import type { QueryTerm, TextIndex } from './text-index.js';

/** A query as the index can look it up. */
export interface QueryWords {
  /** Terms of the catalog that the query names, mistyped ones included at less weight; the rarest ones of a long query. */
  terms: QueryTerm[];
  /** Stems that no row holds, but for which others may stand. */
  unknown: string[];
  /** How many words the query has that no row holds, nor anything like them. */
  strange: number;
}

const TERMS_MAX = 24;
/** Distinct words of a query that are looked at; it has at most 1,000 characters. */
const WORDS_MAX = 100;
const WEIGHT_BY_EDITS = [1, 0.8, 0.6] as const;

/**
 * The words of `text` as terms. A word that no live row holds is one that others may stand for (`Synonyms`), or mistyped: then the nearest words of the
 * catalog take its place. What is neither says nothing.
 */
export function readQuery(text: string, index: TextIndex, synonyms: Synonyms): QueryWords {
  const weights = new Map<number, number>();
  const unknown = new Set<string>();
  let strange = 0;
  const add = (term: number, weight: number) => weights.set(term, Math.max(weights.get(term) ?? 0, weight));
  for (const word of [...new Set(tellingWords(text))].slice(0, WORDS_MAX)) {
    const stem = stemOf(word);
    const term = index.lexicon.termOf(stem);
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
