import { stemWord } from '../../../lib/text/words.js';
import { getSearchWords } from './card-text.js';
import type { RelatedWords } from './related-words.js';
import { STOPWORDS } from './stopwords.js';
import type { Synonyms } from './synonyms.js';
import type { QueryTerm, TextIndex } from './text-index.js';

/** What is known of English words. */
export interface English {
  synonyms: Synonyms;
  relatedWords: RelatedWords;
}

/** A query in the form in which the index looks it up. */
interface QueryWords {
  /**
   * Terms of the catalog that the query contains; corrected ones have less weight. Of a long query, only the rarest.
   */
  terms: QueryTerm[];
  /** Terms of the catalog that mean the same as a word of the query, with less weight than the word itself. */
  same: QueryTerm[];
  /** Terms that are near to a word of the query: they make no row fit, but one fit better. */
  near: QueryTerm[];
  /** Stems that no row contains, but that have synonyms. */
  unknown: string[];
  /** Number of words of the query that no row contains and that have neither synonyms nor corrections. */
  strange: number;
}

const TERMS_MAX = 24;
const RELATED_MAX = 48;
/** The weight of a synonym of a word that no row contains, and of a word that some row contains. */
const SYNONYM_WEIGHT = { unknown: 0.8, known: 0.4 } as const;
/** From this many rows on, what stands beside a word in the catalog tells better than English what may stand for it. */
const LEARNING_ROWS = 5_000;
/** Maximum number of distinct words of a query that are looked up. A query has at most 1,000 characters. */
const WORDS_MAX = 100;
const WEIGHT_BY_EDITS = [1, 0.8, 0.6] as const;

/**
 * Converts the words of `text` to terms. A word that no live row contains is replaced by its `Synonyms`, or else by the
 * nearest words of the catalog, as if it were mistyped. A word with neither is ignored. Vectors draw synonyms together;
 * those that only rows newer than the vectors contain are terms of the same meaning. `hasVector` tells the terms with a
 * vector.
 */
export function readQuery(
  text: string,
  index: TextIndex,
  english: English,
  hasVector: (term: number) => boolean,
): QueryWords {
  const weights = new Map<number, number>();
  const unknown = new Set<string>();
  let strange = 0;
  const add = (term: number, weight: number) => weights.set(term, Math.max(weights.get(term) ?? 0, weight));
  const asked = [...new Set(getSearchWords(text))].slice(0, WORDS_MAX).map((word) => ({ word, stem: stemWord(word) }));
  for (const { word, stem } of asked) {
    const term = index.lexicon.getTerm(stem) ?? -1;
    if (index.lexicon.rowsWith(term) > 0) add(term, 1);
    else if (STOPWORDS.has(word)) continue;
    else if (english.synonyms.of(stem).length > 0) unknown.add(stem);
    else {
      const meant = index.lexicon.corrections(word);
      for (const { term: one, edits } of meant) add(one, WEIGHT_BY_EDITS[edits] ?? 0.6);
      if (meant.length === 0) strange += 1;
    }
  }
  const { same, near } = findRelated(
    new Set(asked.map(({ stem }) => stem)),
    index,
    english,
    (term) => weights.has(term),
    hasVector,
  );
  const terms = [...weights].map(([term, weight]) => ({ term, weight }));
  if (terms.length > TERMS_MAX)
    terms.sort((a, b) => index.rarity(b.term) - index.rarity(a.term) || a.term - b.term).length = TERMS_MAX;
  return { terms, same, near, unknown: [...unknown], strange };
}

/** Returns the terms of live rows that are related to a word of the query and are none of its own terms. */
function findRelated(
  stems: ReadonlySet<string>,
  index: TextIndex,
  { synonyms, relatedWords }: English,
  isOwn: (term: number) => boolean,
  hasVector: (term: number) => boolean,
): Pick<QueryWords, 'same' | 'near'> {
  const { lexicon, liveRows } = index;
  const found = new Map<number, QueryTerm & { isSame: boolean }>();
  const termOf = (stem: string) => lexicon.getTerm(stem) ?? -1;
  const add = (term: number, weight: number, isSame: boolean) => {
    if (isOwn(term) || lexicon.rowsWith(term) === 0) return;
    if (!found.get(term)?.isSame) found.set(term, { term, weight, isSame });
  };
  for (const stem of stems) {
    const isInRows = lexicon.rowsWith(termOf(stem)) > 0;
    const rarity = isInRows ? index.rarity(termOf(stem)) : Number.POSITIVE_INFINITY;
    for (const other of synonyms.of(stem)) {
      const term = termOf(other);
      if (hasVector(term)) continue;
      // A rare synonym of a common word would tell more than the word itself.
      const share = Math.min(1, rarity / index.rarity(term));
      add(term, share * SYNONYM_WEIGHT[isInRows ? 'known' : 'unknown'], true);
    }
    if (liveRows >= LEARNING_ROWS && isInRows) continue;
    for (const { stem: other, weight, isSame } of relatedWords.of(stem)) add(termOf(other), weight, isSame);
  }
  const terms = [...found.values()].sort((a, b) => b.weight - a.weight || a.term - b.term).slice(0, RELATED_MAX);
  return { same: terms.filter(({ isSame }) => isSame), near: terms.filter(({ isSame }) => !isSame) };
}
