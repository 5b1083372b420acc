/** Words as an FTS5 query: each quoted, the last one a prefix. Text without a word matches nothing. */
export function asMatch(words: string): string {
  const terms = words.match(/[\p{L}\p{N}_]+/gu) ?? [];
  return terms.length === 0 ? '""' : `${terms.map((term) => `"${term}"`).join(' ')}*`;
}
