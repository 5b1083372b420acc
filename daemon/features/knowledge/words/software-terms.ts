import { readSoftwareTerms } from '../../../storage/word-data.js';

let terms: ReadonlySet<string> | undefined;

/**
 * Whether a folded word, or its singular, is the name of a technology or another word of the trade that general English
 * does not have. The list is of cspell (package `@cspell/dict-software-terms`, MIT).
 */
export function isSoftwareTerm(word: string): boolean {
  terms ??= new Set(readSoftwareTerms().trimEnd().split('\n'));
  return terms.has(word) || (word.endsWith('s') && terms.has(word.slice(0, -1)));
}
