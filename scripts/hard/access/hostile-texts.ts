import type { Dice } from '../../../daemon/testing/dice.js';

/** Pieces that are used in addition to those that a pattern names. */
const USUAL = ['a', '0', ' ', '\n', '-', '<', '['];
const OF_CLASS: Readonly<Record<string, readonly string[]>> = {
  s: [' ', '\t', '\n'],
  S: ['x'],
  d: ['1'],
  D: ['x'],
  w: ['a', '_', '1'],
  W: ['-', ' '],
  n: ['\n'],
  r: ['\r'],
  t: ['\t'],
  b: [],
  B: [],
  p: ['é', 'A', '1'],
  P: ['-'],
};
/** Largest number of pieces in the repeated part of a hostile text. */
const PERIOD_MAX = 4;
/** Endings that make a long match fail. */
const STOPPERS = ['', '\u0000', '\n\u0000', '!'];
const PARTS =
  /\\[pP]\{[^}]*\}|\\u\{[0-9a-fA-F]+\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\.|[A-Za-z0-9]+|[^\\()[\]{}?*+|^$]/gu;

/** Returns the characters and words that a pattern names, each once. */
function splitPieces(source: string): string[] {
  const pieces = new Set<string>();
  for (const [part] of source.matchAll(PARTS)) {
    if (!part.startsWith('\\')) pieces.add(part);
    else if (/^\\[ux]/.test(part))
      pieces.add(String.fromCodePoint(Number.parseInt(part.replaceAll(/[\\ux{}]/g, ''), 16)));
    else for (const one of OF_CLASS[part[1] as string] ?? [part[1] as string]) pieces.add(one);
  }
  return [...new Set([...pieces, ...USUAL])];
}

const long = (period: string, chars: number) => period.repeat(Math.ceil(chars / period.length)).slice(0, chars);

/**
 * Yields texts of about `chars` characters on which a pattern with ambiguous matching takes long: each piece repeated,
 * and random sequences of pieces repeated, with a prefix of pieces and an ending that matches nothing.
 */
export function* hostileTexts(source: string, chars: number, count: number, dice: Dice): Generator<string> {
  const pieces = splitPieces(source);
  for (const piece of pieces.slice(0, count)) {
    yield long(piece, chars);
    yield `${long(piece, chars)}\u0000`;
  }
  for (let number = 0; number < count; number += 1) {
    const period = Array.from({ length: 1 + dice.below(PERIOD_MAX) }, () => dice.pick(pieces)).join('');
    const begin =
      dice.below(2) === 0 ? '' : Array.from({ length: 1 + dice.below(3) }, () => dice.pick(pieces)).join('');
    yield begin + long(period, chars) + dice.pick(STOPPERS);
  }
}
