import { patternWith } from '../../../lib/text/pattern.js';

/** A name of code or a path: what it is called says nothing about what is asked. */
const CODE_NAME = patternWith('g')`
  \`[^\`]*\`
  |\b\w{1,100}(?:(?:::|->|#|\.(?!\s|$))\w+)+(?:\(\))?
  |\b\w{1,100}_\w+
  |\b\w{1,100}\(\)
  |\b[\w-]{1,100}\/[\w./-]*
`;
/** Endings that hardly change what a word says. */
const ENDING = /(?:ing|ed|es|s|ly)$/;
const STEM_MIN = 3;
const PIECE_LENGTH = 5;

function stem(word: string): string {
  const ending = ENDING.exec(word)?.[0] ?? '';
  return word.length - ending.length >= STEM_MIN ? word.slice(0, word.length - ending.length) : word;
}

/** Writes `it` for each name of the project, `§` for every other name of code, and the rest in lower case. */
function withoutNames(text: string, names: readonly string[]): string {
  let plain = text.toLowerCase();
  for (const name of [...names].sort((a, b) => b.length - a.length))
    if (name !== '') plain = plain.replaceAll(name.toLowerCase(), ' it ');
  return plain.replaceAll(CODE_NAME, ' § ').replaceAll(/[^a-z§'?.;:,-]+/g, ' ');
}

/** Adds the words of a sentence, pairs of neighbours and, where it asks, pairs around a word and how it begins. */
function addWords(features: Set<string>, sentence: string, isAsking: boolean): void {
  const words = sentence
    .replaceAll(/[?.;:,!]/g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '')
    .map(stem);
  const mark = isAsking ? '?' : '';
  for (const [at, word] of words.entries()) {
    features.add(mark + word);
    if (at + 1 < words.length) features.add(`${mark}${word} ${words[at + 1]}`);
    if (isAsking && at + 2 < words.length) features.add(`${mark}${word} _ ${words[at + 2]}`);
  }
  if (isAsking) for (const count of [1, 2, 3]) features.add(`^${words.slice(0, count).join(' ')}`);
}

/** Adds the pieces of long words, which other forms of a word and misspelt ones share. */
function addPieces(features: Set<string>, sentence: string): void {
  for (const word of sentence.split(/[^a-z]+/))
    if (word.length > PIECE_LENGTH)
      for (let at = 0; at + PIECE_LENGTH <= word.length; at += 1) features.add(`#${word.slice(at, at + PIECE_LENGTH)}`);
}

/** Returns what the model of questions sees of a text. `names` are those of the project. */
export function readFeatures(text: string, names: readonly string[]): Set<string> {
  const sentences = withoutNames(text, names).split(/(?<=[.?!;:])\s+/);
  const asking = sentences.filter((sentence) => sentence.includes('?'));
  const features = new Set<string>();
  for (const sentence of sentences) addWords(features, sentence, false);
  for (const sentence of asking.length > 0 ? asking : sentences.slice(-1)) {
    addWords(features, sentence, true);
    addPieces(features, sentence);
  }
  return features;
}
