/** How well `path` answers to `words`, 0 best; undefined when not at all. Both in lower case. */
function rankOf(path: string, words: string): number | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name.startsWith(words)) return 0;
  if (name.includes(words)) return 1;
  if (path.includes(words)) return 2;
  let at = 0;
  for (const letter of words) {
    at = path.indexOf(letter, at) + 1;
    if (at === 0) return undefined;
  }
  return 3;
}

/**
 * Up to `limit` of the paths: whose name begins with the words, then whose name has them, then whose path has them, then those with their letters in this
 * order; the shorter ones first, and in the order given where that is equal.
 */
export function bestPaths(paths: readonly string[], words: string, limit: number): string[] {
  const wanted = words.trim().toLowerCase();
  const found = paths.flatMap((path) => {
    const rank = rankOf(path.toLowerCase(), wanted);
    return rank === undefined ? [] : [{ path, rank }];
  });
  return found
    .sort((a, b) => a.rank - b.rank || a.path.length - b.path.length)
    .slice(0, limit)
    .map(({ path }) => path);
}
