/**
 * The names of technologies and the words of the trade that general English does not have, from the dictionaries of a
 * spelling checker (package `@cspell/dict-software-terms`). `daemon/storage/word-data.ts` reads the file.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const FOLDER = '@cspell/dict-software-terms/dict';
/** Files of the installed package that are in the file. */
export const SOFTWARE_TERMS_SOURCES = [
  'softwareTerms.txt.gz',
  'software-tools.txt',
  'webServices.txt',
  'networkingTerms.txt',
  'computing-acronyms.txt',
  'coding-compound-terms.txt',
].map((name) => `${FOLDER}/${name}`);

const readText = (path) => (path.endsWith('.gz') ? gunzipSync(readFileSync(path)) : readFileSync(path)).toString();

/** Returns the file: a folded term a line, in order. Terms of several words, or with other signs, are left out. */
export function softwareTermsFile(root) {
  const lines = SOFTWARE_TERMS_SOURCES.flatMap((source) => readText(join(root, 'node_modules', source)).split('\n'));
  const terms = new Set(lines.map((line) => line.trim().toLowerCase()).filter((line) => /^[a-z][a-z0-9]+$/.test(line)));
  return `${[...terms].sort().join('\n')}\n`;
}
