import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';

/** Where the build puts the files, seen from a bundle, from one of its chunks, and from this source. */
const PLACES = ['./', '../', '../../dist/'];

function readPacked(name: string): string {
  const found = PLACES.map((place) => fileURLToPath(new URL(place + name, import.meta.url))).find(existsSync);
  if (found === undefined) throw new Error(`dist/${name} is missing: run \`npm run build\`.`);
  return brotliDecompressSync(readFileSync(found)).toString();
}

/**
 * Returns the related words of everyday English, from WordNet 3.1: a line for each word, the most common first, as
 * `word same,same near,near`. About 850 kB. Throws when the project was not built.
 */
export const readRelatedWords = (): string => readPacked('related-words.br');

/**
 * Returns how common the words of spoken English are, from SUBTLEX-US: a line for each folded word, the most common
 * first, as `word 6.321`, on the Zipf scale. About 1.1 MB. Throws when the project was not built.
 */
export const readWordFrequencies = (): string => readPacked('word-frequencies.br');

/**
 * Returns the names of technologies and other words of the trade, from the dictionaries of cspell: a folded one a line.
 * About 30 kB. Throws when the project was not built.
 */
export const readSoftwareTerms = (): string => readPacked('software-terms.br');

/** Returns the model that recognises newcomers' questions, as `question-model.ts` of the build writes it. */
export const readQuestionModel = (): string => readPacked('question-model.br');
