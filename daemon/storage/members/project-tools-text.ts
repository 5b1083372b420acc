import { findSecretRanges } from '../../lib/secrets/secrets.js';

/** The text shown in place of a withheld line. */
export const WITHHELD = '[line withheld: it looks like a secret]';
const KEY_BEGINS = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY/;
const KEY_ENDS = /-----END [A-Z0-9 ]*PRIVATE KEY/;

/**
 * Returns the lines of `text` without their line ends. A line that certainly contains a secret, and every line of a
 * private key, is withheld. With `isStrict`, a line that only looks like a secret is withheld too.
 */
export function safeLines(text: string, { isStrict = false }: { isStrict?: boolean } = {}): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const secrets = findSecretRanges(text).filter(({ isSure }) => isSure || isStrict);
  const isGuarded = secrets.length > 0 || KEY_BEGINS.test(text);
  let isInKey = false;
  let start = 0;
  let next = 0;
  return lines.map((whole) => {
    const line = whole.endsWith('\r') ? whole.slice(0, -1) : whole;
    if (!isGuarded) return line;
    const end = start + whole.length;
    while ((secrets[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next += 1;
    const isSecret = (secrets[next]?.start ?? Number.POSITIVE_INFINITY) < end;
    start = end + 1;
    const isKeyLine = isInKey || KEY_BEGINS.test(line);
    isInKey = isKeyLine && !KEY_ENDS.test(line);
    return isKeyLine || isSecret ? WITHHELD : line;
  });
}

/** The search terms: any of `texts`, taken literally. */
export interface LineWanted {
  texts: readonly string[];
  isWholeWord: boolean;
  matchesCase: boolean;
}

/** Returns a test for `wanted` whose time is linear in the length of its input. It never runs a caller's pattern. */
export function lineTest({ texts, isWholeWord, matchesCase }: LineWanted): (text: string) => boolean {
  const needles = texts.map((text) => (matchesCase ? text : text.toLowerCase()));
  return (text) => {
    const folded = matchesCase ? text : text.toLowerCase();
    return needles.some((needle) => (isWholeWord ? holdsWord(folded, needle) : folded.includes(needle)));
  };
}

function holdsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
    if (!isWordCharacter(text[at - 1]) && !isWordCharacter(text[at + word.length])) return true;
  }
  return false;
}

const isWordCharacter = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}_$]/u.test(character);
