import { stem } from './stem.js';
import { inPairs, withBlanks } from './unspaced-scripts.js';

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
const PLAIN_WORD = /[a-z0-9]+/g;
// Between a lower-case letter or digit and an upper-case letter, or before the last capital of a run that starts a
// word: `maxParam`, `HTTPServer`.
const INNER_BORDER = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;
// Matches inside a compound name.
const INNER = /[a-z0-9][A-Z]|[A-Z][A-Z][a-z]/g;
const CACHED_STEMS_MAX = 50_000;
const NAMES_KEPT = 20_000;

const stems = new Map<string, string>();
const parted = new Map<string, string>();

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII
const ASCII = /^[\u0000-\u007f]*$/;
/** Scripts whose marks are vowels. Their dot below, the nukta, is an accent. */
const VOWEL_MARKS = ['Deva', 'Beng', 'Guru', 'Gujr', 'Orya', 'Taml', 'Telu', 'Knda', 'Mlym', 'Sinh']
  .map((script) => `\\p{sc=${script}}`)
  .join('');
const NUKTAS = '\u093c\u09bc\u0a3c\u0abc\u0b3c\u0cbc';
/** Marks of letters, but for vowels and for the voiced sounds of Japanese, which are other letters. */
const MARKS = new RegExp(`(?:(?![\u3099\u309a${VOWEL_MARKS}])\\p{M}|[${NUKTAS}])+`, 'gu');
/** Forms of letters for the width of a column. */
const WIDE_AND_NARROW = /[\uff00-\uffef]+/g;

const toUsualWidth = (text: string) => text.replace(WIDE_AND_NARROW, (run) => run.normalize('NFKC'));

/** Lower case without accents and forms of width: the form in which words are compared. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (ASCII.test(lower)) return lower;
  return toUsualWidth(lower).normalize('NFD').replace(MARKS, '').normalize('NFC').replaceAll('ς', 'σ');
}

/**
 * The words of `text` in order, folded. `snake_case`, `kebab-case` and dotted names are split into their parts;
 * `camelCase` is one word.
 */
export function words(text: string): string[] {
  if (ASCII.test(text)) return text.toLowerCase().match(PLAIN_WORD) ?? [];
  return fold(withBlanks(toUsualWidth(text))).match(WORD) ?? [];
}

/**
 * `text` as a full-text index holds it, whose own tokenizer folds less than `fold` does and takes a sentence without
 * blanks for one word.
 */
export const toIndexed = (text: string): string => (ASCII.test(text) ? text : inPairs(fold(text)));

/** The words of `text` as such an index holds them. */
export const indexedWords = (text: string): readonly string[] =>
  (ASCII.test(text) ? text.toLowerCase().match(PLAIN_WORD) : toIndexed(text).match(WORD)) ?? [];

/** The stem of a folded word. Cached, because a few thousand words recur. */
export function stemWord(word: string): string {
  let known = stems.get(word);
  if (known === undefined) {
    if (stems.size >= CACHED_STEMS_MAX) stems.clear();
    known = stem(word);
    stems.set(word, known);
  }
  return known;
}

/**
 * The parts of a compound name: `maxParamLength`, `max_param_length` and `max-param-length` all yield `max`, `param`,
 * `length`.
 */
export function nameParts(name: string): string[] {
  return name
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .flatMap((part) => part.split(INNER_BORDER))
    .map(fold)
    .filter((part) => part !== '');
}

/**
 * The parts of every camel-case name in `texts`, each name once, joined by spaces, so that a query in plain words can
 * match such names.
 */
export function compoundParts(...texts: readonly string[]): string {
  const names = new Set<string>();
  for (const text of texts) {
    INNER.lastIndex = 0;
    for (let inner = INNER.exec(text); inner !== null; inner = INNER.exec(text)) {
      let start = inner.index;
      while (start > 0 && isNameCode(text.charCodeAt(start - 1))) start -= 1;
      let end = inner.index + 2;
      while (end < text.length && isNameCode(text.charCodeAt(end))) end += 1;
      names.add(text.slice(start, end));
      INNER.lastIndex = end;
    }
  }
  return Array.from(names, listParts).join(' ');
}

/** The parts of one name, joined by spaces. Cached, because a project reuses its names. */
function listParts(name: string): string {
  let parts = parted.get(name);
  if (parts === undefined) {
    if (parted.size >= NAMES_KEPT) parted.clear();
    parts = name.split(INNER_BORDER).join(' ');
    // A copy: a slice of a string keeps the whole string in memory.
    parted.set(Buffer.from(name, 'latin1').toString('latin1'), parts);
  }
  return parts;
}

/** An ASCII letter or digit, or an underscore. */
function isNameCode(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95;
}

/**
 * The number of edits (insert, delete or replace a letter, or swap two) that turn `a` into `b`; `limit + 1` when there
 * are more than `limit`.
 */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (same ? 0 : 1));
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      next.push(cost);
      least = Math.min(least, cost);
    }
    if (least > limit) return limit + 1;
    before = row;
    row = next;
  }
  return row[b.length] ?? limit + 1;
}

/** The trigrams of a word, with its start and end marked. */
export function trigrams(word: string): Set<string> {
  const marked = `^${word}$`;
  const found = new Set<string>();
  for (let index = 0; index + 3 <= marked.length; index += 1) found.add(marked.slice(index, index + 3));
  return found;
}
