/**
 * Converts words to an FTS5 query: each word is quoted, the last one is a prefix. A text
 * without a word matches nothing.
 */
export function toMatchQuery(words: string): string {
  const terms = words.match(/[\p{L}\p{N}_]+/gu) ?? [];
  return terms.length === 0 ? '""' : `${terms.map((term) => `"${term}"`).join(' ')}*`;
}
