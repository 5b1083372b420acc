import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';

/** Where the build puts the file, seen from a bundle, from one of its chunks, and from this source. */
const PLACES = ['./related-words.br', '../related-words.br', '../../dist/related-words.br'];

/**
 * Returns the related words of everyday English, from WordNet 3.1: a line for each word, the most common first, as
 * `word same,same near,near`. About 850 kB. Throws when the project was not built.
 */
export function readRelatedWords(): string {
  const found = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((file) => existsSync(file));
  if (found === undefined) throw new Error('dist/related-words.br is missing: run `npm run build`.');
  return brotliDecompressSync(readFileSync(found)).toString();
}
