import { stemOf, words } from '../../lib/words.js';
import type { CatalogRow } from './catalog-source.js';
import { STOPWORDS } from './stopwords.js';

/** A word of a row by its stem, as it is spelled there: how much its places weigh together, and whether a capability is one of them. */
export interface RowWord {
  stem: string;
  spellings: Set<string>;
  weight: number;
  isCapability: boolean;
}

/** Words of one row that are looked at: a card is at most 32 KiB, and nobody describes himself better by more. */
const WORDS_MAX = 400;
const WORD_MAX_CHARS = 40;
const WEIGHTS = { description: 1, category: 1, tags: 2, capabilities: 2 } as const;
/** What a repeated word counts at most. */
const WEIGHT_MAX = 63;

/** The words in `text` that say something, folded, in order. */
export function tellingWords(text: string): string[] {
  return words(text).filter((word) => word.length <= WORD_MAX_CHARS && !STOPWORDS.has(word));
}

/**
 * The words of a row's description, tags, capabilities and category, by stem, each with the sum of its places' weights: tags and capabilities are chosen
 * words and weigh double. `geo:` tags are a place and no topic. Contract: Oracle.
 */
export function rowWords(row: CatalogRow): RowWord[] {
  const found = new Map<string, RowWord>();
  let left = WORDS_MAX;
  const add = (text: string, field: keyof typeof WEIGHTS) => {
    for (const word of tellingWords(text)) {
      if (left === 0) return;
      left -= 1;
      const stem = stemOf(word);
      const known = found.get(stem);
      if (!known)
        found.set(stem, {
          stem,
          spellings: new Set([word]),
          weight: WEIGHTS[field],
          isCapability: field === 'capabilities',
        });
      else {
        known.spellings.add(word);
        known.weight = Math.min(known.weight + WEIGHTS[field], WEIGHT_MAX);
        known.isCapability ||= field === 'capabilities';
      }
    }
  };
  for (const capability of row.capabilities) add(capability, 'capabilities');
  for (const tag of row.tags) if (!tag.toLowerCase().startsWith('geo:')) add(tag, 'tags');
  if (row.category !== null) add(row.category, 'category');
  if (row.description !== null) add(row.description, 'description');
  return [...found.values()];
}

/** A row's text as one: what an embedding is made of, and what tells whether the row has to be indexed anew. */
export function rowText(row: CatalogRow): string {
  const tags = row.tags.filter((tag) => !tag.toLowerCase().startsWith('geo:'));
  return [row.description ?? '', tags.join(', '), row.capabilities.join(', '), row.category ?? ''].join('\n');
}
