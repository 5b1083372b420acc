import { compoundParts, stemWord, words } from '../../../lib/text/words.js';
import type { CatalogRow } from '../catalog-source.js';
import { STOPWORDS } from './stopwords.js';

/**
 * A stem of a row with its spellings there, the sum of the weights of its occurrences, and whether a capability
 * contains it.
 */
export interface RowWord {
  stem: string;
  spellings: Set<string>;
  weight: number;
  isCapability: boolean;
}

/**
 * Maximum number of words of one row that are indexed. A card has at most 32 KiB, and further words do not improve its
 * description.
 */
const WORDS_MAX = 400;
const WORD_MAX_CHARS = 40;
const WEIGHTS = { description: 1, category: 1, tags: 2, capabilities: 2, name: 2 } as const;
/** Maximum weight of a repeated word. */
const WEIGHT_MAX = 63;

/**
 * Returns the words of `text` without stopwords, folded, in order. In capitals, stopwords are other words: `IT`, `US`
 * and `WHO` are no pronouns.
 */
export function getSearchWords(text: string): string[] {
  const kept = listCapitals(text);
  return words(text).filter((word) => word.length <= WORD_MAX_CHARS && (!STOPWORDS.has(word) || kept.has(word)));
}

/** Words in capitals, in lower case; none of a text of more than two words that is all in capitals. */
function listCapitals(text: string): ReadonlySet<string> {
  const found = text.match(/(?<![\p{L}\p{N}])[A-Z]{2,}(?![\p{L}\p{N}])/gu) ?? [];
  return new Set(found.length <= 2 || /\p{Ll}/u.test(text) ? found.map((word) => word.toLowerCase()) : []);
}

/** Whether the text has words, and all of them are stopwords. */
export const isOfStopwords = (text: string) => getSearchWords(text).length === 0 && words(text).some(isStopword);
const isStopword = (word: string) => STOPWORDS.has(word);

/**
 * Returns the words of a row's id, name, description, tags, capabilities and category, by stem, each with the sum of
 * its weights. Tags and capabilities are chosen words and weigh double; who types a part of a name means that agent.
 * `geo:` tags are places, not topics, and are left out. Contract: Oracle.
 */
export function getRowWords(row: CatalogRow): RowWord[] {
  const found = new Map<string, RowWord>();
  let left = WORDS_MAX;
  const add = (text: string, field: keyof typeof WEIGHTS) => {
    for (const word of getSearchWords(text)) {
      if (left === 0) return;
      left -= 1;
      const stem = stemWord(word);
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
  for (const name of listNames(row)) add(withParts(name), 'name');
  for (const capability of row.capabilities) add(withParts(capability), 'capabilities');
  for (const tag of row.tags) if (!tag.toLowerCase().startsWith('geo:')) add(withParts(tag), 'tags');
  if (row.category !== null) add(row.category, 'category');
  if (row.description !== null) add(row.description, 'description');
  return [...found.values()];
}

/** A name in camel case as it is, and as words; the parts of `3D` and `B2B` are none. */
const withParts = (text: string) => [text, ...compoundParts(text).split(' ').filter(isPart)].join(' ');
const isPart = (part: string) => /[a-z]{2}/i.test(part);

/** A number at the end of an id, or random hex digits in it, tell agents apart and say nothing of what they do. */
const TELLS_APART = /(?:[-_]\d+)+$|(?<![a-z\d])(?=[a-f]*\d)[\da-f]{6,}(?![a-z\d])/gi;

/** The id and the name of a row. A name that only repeats the id counts once. */
function listNames({ agentId, name }: CatalogRow): string[] {
  const id = agentId.replaceAll(TELLS_APART, ' ');
  return name === null || nameKey(name) === nameKey(agentId) ? [id] : [id, name];
}

/** The form in which ids and names are compared: `Tax Helper`, `tax_helper` and `@tax-helper` are the same. */
export const nameKey = (text: string) =>
  text
    .toLowerCase()
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, '');

/**
 * Returns the text of a row: the input of an embedding, and the part that decides whether the row must be indexed
 * again.
 */
export function rowText(row: CatalogRow): string {
  const tags = row.tags.filter((tag) => !tag.toLowerCase().startsWith('geo:'));
  return [row.description ?? '', tags.join(', '), row.capabilities.join(', '), row.category ?? ''].join('\n');
}
