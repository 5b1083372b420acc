import { nameParts, stemWord } from '../../lib/text/words.js';
import { definedName } from './passages/code-passages.js';
import { isInFence } from './passages/markdown-passages.js';
import { findPositions, IMPORT, readPassage } from './passages/passage-text.js';
import { type Ranked, sumWeights, type WeighedTerm } from './ranking.js';

const QUOTE_MAX_LINES = 12;
/** Weight of a name that occurs only in an import. */
const IMPORT_WEIGHT = 0.3;
const QUOTE_MAX_CHARS = 1_600;

/** The lines of a passage to quote, counted from 1 in the file, and the fraction of the question that they cover. */
interface Quote {
  startLine: number;
  endLine: number;
  lines: readonly string[];
  coverage: number;
  /** Whether it starts inside a fenced block of a document. Then it is code, whatever the file type. */
  isFenced: boolean;
}

const COMMENT = /^\s*(?:\/\/|\/?\*|#(?!\s*(?:define|include|if|endif))|--|;;)/;
const NOISE =
  /^\s*(?:$|[-=*_~#]{3,}\s*$|<\/?[a-z][^>]*>\s*$|\[?!\[|\[[^\]]+\]:\s|<!--|[{}()[\];,]+\s*$|```|'use strict'|"use strict"|\/\*+\s*$|\*+\/\s*$)/i;

/**
 * Returns the up to eight lines of `ranked` that cover most of `terms`: whole paragraphs, list items or the start of a
 * definition where they fit. Returns undefined when no line is suitable.
 */
export function bestQuote(ranked: Ranked, terms: readonly WeighedTerm[]): Quote | undefined {
  const { lines } = ranked.text;
  const total = sumWeights(terms);
  const perLine = lineStrengths(ranked, terms);
  const isSection = ranked.passage.kind !== 'code';
  const fenced = (at: number) => isInFence(lines.slice(0, at)) !== (ranked.passage.kind === 'fenced');
  let best: { from: number; to: number; score: number; coverage: number } | undefined;
  for (const from of beginnings(lines, isSection, ranked.passage.kind === 'fenced')) {
    const preferred = new Float64Array(terms.length);
    let length = 0;
    for (let to = from; to < Math.min(lines.length, from + QUOTE_MAX_LINES); to += 1) {
      const line = lines[to] as string;
      length += line.length + 1;
      if (length > QUOTE_MAX_CHARS) break;
      perLine[to]?.forEach((strength, index) => {
        preferred[index] = Math.max(preferred[index] ?? 0, strength);
      });
      if (!isEnd(lines, to, isSection, from)) continue;
      const coverage =
        preferred.reduce((sum, strength, index) => sum + strength * (terms[index]?.weight ?? 0), 0) / total;
      const own = lines.slice(from, to + 1);
      const solid = own.filter((text) => !NOISE.test(text)).length;
      const rows = own.filter((text) => /^\s*\|/.test(text)).length;
      if (solid === 0 || (solid === 1 && /^\s*#/.test(line) && isSection)) continue;
      const score =
        coverage +
        beginning(lines, from, isSection, terms, fenced) +
        Math.min(solid - rows, 4) * 0.02 -
        (to - from) * 0.004 -
        rows * 0.02;
      if (!best || score > best.score + 1e-9) best = { from, to, score, coverage };
    }
  }
  if (!best) return undefined;
  const { from } = best;
  let { to } = best;
  while (to > from && NOISE.test(lines[to] as string) && !/^\s*[}\])`]/.test(lines[to] as string)) to -= 1;
  // Extends a quote of code to the end of its definition, up to six lines.
  if (!isSection)
    while (
      to - from + 1 < 10 &&
      to + 1 < lines.length &&
      /\S/.test(lines[to + 1] as string) &&
      !/^\}/.test(lines[to] as string) &&
      chars(lines, from, to + 1) <= QUOTE_MAX_CHARS
    )
      to += 1;
  const startLine = ranked.passage.startLine + from;
  return {
    startLine,
    endLine: ranked.passage.startLine + to,
    lines: lines.slice(from, to + 1),
    coverage: best.coverage,
    isFenced: isSection && fenced(from),
  };
}

const chars = (lines: readonly string[], from: number, to: number) =>
  lines.slice(from, to + 1).reduce((sum, line) => sum + line.length + 1, 0);

function lineStrengths(ranked: Ranked, terms: readonly WeighedTerm[]): Float64Array[] {
  const { text } = ranked;
  const isCode = ranked.passage.kind === 'code';
  const perLine = text.lines.map(() => new Float64Array(terms.length));
  terms.forEach((term, index) => {
    for (const form of term.forms) {
      for (const place of findPositions(text, form.stems)) {
        const line = text.lineOf[place] ?? 0;
        const row = perLine[line];
        if (row)
          row[index] = Math.max(
            row[index] ?? 0,
            form.weight * (isCode && IMPORT.test(text.lines[line] as string) ? IMPORT_WEIGHT : 1),
          );
      }
    }
  });
  return perLine;
}

/** Returns the lines at which a quote may start: a paragraph, list item, fence, comment or definition. */
function beginnings(lines: readonly string[], isSection: boolean, isFencedAtFirst: boolean): number[] {
  const found: number[] = [];
  let isFenced = isFencedAtFirst;
  lines.forEach((line, index) => {
    const isFence = /^\s*(?:```|~~~)/.test(line);
    const above = lines[index - 1];
    const isAfterGap = above === undefined || !/\S/.test(above) || /^\s*#{1,6}\s/.test(above);
    if (isSection) {
      if (
        /\S/.test(line) &&
        (isAfterGap || (isFence && !isFenced) || /^\s*(?:[-*+]|\d+[.)])\s/.test(line) || /^\s*\|/.test(line))
      )
        found.push(index);
    } else if (
      /\S/.test(line) &&
      !/^\s*(?:\*\/|\*\s|\})/.test(line) &&
      !(COMMENT.test(line) && COMMENT.test(above ?? ''))
    ) {
      found.push(index);
    }
    if (isFence) isFenced = !isFenced;
  });
  return found;
}

/** A quote of a section ends with a block or at the maximum length. A quote of code may end at any line. */
function isEnd(lines: readonly string[], to: number, isSection: boolean, from: number): boolean {
  const below = lines[to + 1];
  if (!isSection || below === undefined || to - from + 1 === QUOTE_MAX_LINES) return true;
  return !/\S/.test(below) || /^\s*(?:[-*+]|\d+[.)])\s|^\s*(?:```|~~~)|^\s*\||^\s*#/.test(below);
}

function beginning(
  lines: readonly string[],
  from: number,
  isSection: boolean,
  terms: readonly WeighedTerm[],
  fenced: (at: number) => boolean,
): number {
  const line = lines[from] as string;
  if (isSection) {
    if (/^\s*#{1,6}\s/.test(line)) return -0.02;
    const before = lines.slice(0, from).filter((text) => /\S/.test(text) && !/^\s*(?:#|<a )/.test(text)).length;
    return (before === 0 ? 0.06 : 0) - (NOISE.test(line) ? 0.05 : 0) - (fenced(from) ? 0.06 : 0);
  }
  const name = definedName(line) ?? definedBelow(lines, from);
  if (name !== undefined && isAskedFor(name, terms)) return 0.16;
  if (definedName(line) !== undefined) return 0.06;
  if (/^\s*(?:\/\*\*|\/\/|#(?!include|define|if|endif)|"""|@)/.test(line)) return 0.05;
  return NOISE.test(line) ? -0.1 : 0;
}

/** Returns the name of the definition directly below the comment that starts at line `from`. */
function definedBelow(lines: readonly string[], from: number): string | undefined {
  let line = from;
  while (
    line < lines.length &&
    line < from + QUOTE_MAX_LINES &&
    /^\s*(?:\/\/|\/?\*|#|--|@|;;)/.test(lines[line] as string)
  )
    line += 1;
  return line === from || line >= lines.length ? undefined : definedName(lines[line] as string);
}

/** Whether the question requests the defined name: all its parts equal a form of a term. */
export function isAskedFor(name: string, terms: readonly WeighedTerm[]): boolean {
  const parts = nameParts(name).map(stemWord);
  const whole = stemWord(nameParts(name).join(''));
  return terms.some((term) =>
    term.forms.some(
      (form) => form.weight >= 0.6 && (form.stems.join(' ') === whole || form.stems.join(' ') === parts.join(' ')),
    ),
  );
}

/** Returns the fraction of the weight of `terms` that a single piece of text covers. */
export function computeCoverage(piece: string, terms: readonly WeighedTerm[]): number {
  const text = readPassage([piece], '', '');
  const total = sumWeights(terms);
  let sum = 0;
  for (const term of terms) {
    let best = 0;
    for (const form of term.forms)
      if (form.weight > best && findPositions(text, form.stems).length > 0) best = form.weight;
    sum += term.weight * best;
  }
  return sum / total;
}
