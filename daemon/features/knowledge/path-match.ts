/** Ranks the match of `path` with `words`: 0 is best, undefined is no match. Both must be in lower case. */
function computeRank(path: string, words: string): number | undefined {
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
 * Returns up to `limit` paths that contain every one of `words`, which are in lower case: first those whose name begins
 * with the first word, then those whose name contains all of them. Equal ranks sort by length, then by the given order.
 */
export function pathsContaining(paths: readonly string[], words: readonly string[], limit: number): string[] {
  const [first = ''] = words;
  const found = paths.flatMap((path) => {
    const lower = path.toLowerCase();
    if (!words.every((word) => lower.includes(word))) return [];
    const name = lower.slice(lower.lastIndexOf('/') + 1);
    return [{ path, rank: words.every((word) => name.includes(word)) ? (name.startsWith(first) ? 0 : 1) : 2 }];
  });
  return found
    .sort((a, b) => a.rank - b.rank || a.path.length - b.path.length)
    .slice(0, limit)
    .map(({ path }) => path);
}

/**
 * Returns up to `limit` matching paths: first those whose name starts with the words, then those whose name contains
 * them, then those whose path contains them, then those that contain their letters in this order. Equal ranks sort by
 * length, then by the given order.
 */
export function bestPaths(paths: readonly string[], words: string, limit: number): string[] {
  const wanted = words.trim().toLowerCase();
  const found = paths.flatMap((path) => {
    const rank = computeRank(path.toLowerCase(), wanted);
    return rank === undefined ? [] : [{ path, rank }];
  });
  return found
    .sort((a, b) => a.rank - b.rank || a.path.length - b.path.length)
    .slice(0, limit)
    .map(({ path }) => path);
}
