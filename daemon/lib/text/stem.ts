const CONSONANT = '[^aeiou]';
const VOWEL = '[aeiouy]';
const CONSONANTS = `${CONSONANT}[^aeiouy]*`;
const VOWELS = `${VOWEL}[aeiou]*`;
/** The consonants before the first vowel. A `y` at the start of a word is one of them. */
const ONSET = `^(?:${CONSONANTS}|(?!y))`;
/** The measure of Porter's algorithm: the number of vowel-consonant pairs in the stem. */
const MORE_THAN_0 = new RegExp(`${ONSET}${VOWELS}${CONSONANTS}`);
const EXACTLY_1 = new RegExp(`${ONSET}${VOWELS}${CONSONANTS}(${VOWELS})?$`);
const MORE_THAN_1 = new RegExp(`${ONSET}${VOWELS}${CONSONANTS}${VOWELS}${CONSONANTS}`);
const HAS_VOWEL = new RegExp(`${ONSET}${VOWEL}`);
const SHORT_END = new RegExp(`^${CONSONANTS}${VOWEL}[^aeiouwxy]$`);

const STEP_2: readonly [string, string][] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['logi', 'log'],
  ['bli', 'ble'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
];
const STEP_3: readonly [string, string][] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
];
const STEP_4 = [
  'al',
  'ance',
  'ence',
  'er',
  'ic',
  'able',
  'ible',
  'ant',
  'ement',
  'ment',
  'ent',
  'ion',
  'ou',
  'ism',
  'ate',
  'iti',
  'ous',
  'ive',
  'ize',
];

/**
 * The stem of an English word by Porter's algorithm, exactly as the full-text index computes it, so that stems match
 * the index. `word` is lower case. Words of fewer than three letters or more than 64 bytes are returned
 * unchanged.
 *
 * Implemented here because it must equal the `porter` tokenizer of SQLite's FTS5, including its limits of length. The
 * available packages follow Porter's paper or Porter2; a word that they stem differently would not be found.
 */
export function stem(word: string): string {
  if (word.length < 3 || Buffer.byteLength(word) > 64) return word;
  let stemmed = plurals(word);
  stemmed = pastAndGerund(stemmed);
  if (stemmed.endsWith('y') && HAS_VOWEL.test(stemmed.slice(0, -1))) stemmed = `${stemmed.slice(0, -1)}i`;
  stemmed = replaceEnding(stemmed, STEP_2);
  stemmed = replaceEnding(stemmed, STEP_3);
  stemmed = dropEnding(stemmed);
  return finalE(stemmed);
}

function plurals(word: string): string {
  if (/.(?:ss|i)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

function pastAndGerund(word: string): string {
  if (/.eed$/.test(word)) return MORE_THAN_0.test(word.slice(0, -3)) ? word.slice(0, -1) : word;
  const ending = word.endsWith('ed') ? 2 : word.endsWith('ing') ? 3 : 0;
  const rest = word.slice(0, word.length - ending);
  if (ending === 0 || !HAS_VOWEL.test(rest)) return word;
  if (/(at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (/([^aeiouylsz])\1$/.test(rest)) return rest.slice(0, -1);
  return SHORT_END.test(rest) ? `${rest}e` : rest;
}

function replaceEnding(word: string, endings: readonly [string, string][]): string {
  for (const [ending, replacement] of endings) {
    if (!word.endsWith(ending)) continue;
    const rest = word.slice(0, -ending.length);
    return MORE_THAN_0.test(rest) ? rest + replacement : word;
  }
  return word;
}

function dropEnding(word: string): string {
  const ending = STEP_4.filter((candidate) => word.endsWith(candidate)).sort((a, b) => b.length - a.length)[0];
  if (ending === undefined) return word;
  const rest = word.slice(0, -ending.length);
  if (!MORE_THAN_1.test(rest)) return word;
  return ending === 'ion' && !/[st]$/.test(rest) ? word : rest;
}

function finalE(word: string): string {
  let result = word;
  if (result.endsWith('e')) {
    const rest = result.slice(0, -1);
    if (MORE_THAN_1.test(rest) || (EXACTLY_1.test(rest) && !SHORT_END.test(rest))) result = rest;
  }
  return result.endsWith('ll') && MORE_THAN_1.test(result) ? result.slice(0, -1) : result;
}
