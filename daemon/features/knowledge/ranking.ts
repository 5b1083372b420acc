import { nameParts, stemWord } from '../../lib/text/words.js';
import type { FoundPassage } from '../../storage/database/passage-reader.js';
import { getFileRole } from './passages/file-worth.js';
import { findPositions, type PassageText } from './passages/passage-text.js';
import type { Reading, Term } from './question.js';

/** A term with its weight: rare terms weigh more than common ones. */
export interface WeighedTerm extends Term {
  weight: number;
  /** The number of passages in which the term itself occurs. */
  frequency: number;
  /** Whether it does not occur here and is not common English. What it names is then probably not in this project. */
  isForeign: boolean;
}

export interface Ranked {
  passage: FoundPassage;
  text: PassageText;
  score: number;
  /** Fraction of the question's weight found in the passage, its title and its path. */
  coverage: number;
  /** Fraction found within a few lines of each other. */
  closeness: number;
  /** For each term, how well its best form matches here, 0 to 1. */
  strengths: readonly number[];
  /** First line (from 0) of the place with the highest closeness. */
  closestLine: number;
}

const WINDOW_LINES = 6;
const PATH_STRENGTH = 0.75;
/** The fraction of a term's weight that each line inherits when the term occurs in the title, or only in the path. */
const TITLE_CONTEXT = 0.8;
const PATH_CONTEXT = 0.5;
/** Matches a number, or a word that announces one. */
const VALUE = /\bdefaults?\b|\b\d[\d_.]*\b|\bDEFAULT_/i;
const ITEM = /^\s{0,3}(?:[-*+]|\d+[.)])\s|^\s*\|/;

/** Scores how well a passage answers the question. Scores are comparable only within one question. */
export function rank(
  passage: FoundPassage,
  text: PassageText,
  terms: readonly WeighedTerm[],
  reading: Reading,
  now: Recency,
): Ranked {
  const total = terms.reduce((sum, term) => sum + term.weight, 0) || 1;
  const lineTerms: Map<number, number>[] = [];
  const context: number[] = [];
  const strengths: number[] = [];
  let coverage = 0;
  let density = 0;
  let titled = 0;
  let inPath = 0;
  const length = Math.max(1, text.lineOf.length);
  terms.forEach((term, index) => {
    const { best, frequency, inTitle, onPath, onLines } = findMatches(term, text);
    const strength = Math.max(best, inTitle, onPath * PATH_STRENGTH);
    strengths.push(strength);
    coverage += term.weight * strength;
    density += term.weight * (frequency / (frequency + 0.5 + 0.9 * (length / 220)));
    titled += term.weight * inTitle;
    inPath += term.weight * onPath;
    lineTerms[index] = onLines;
    context.push(Math.max(inTitle * TITLE_CONTEXT, onPath * PATH_CONTEXT));
  });
  const { closeness, line } = closest(text.lines, passage.kind === 'section', terms, lineTerms, context);
  const cover = coverage / total;
  const heading = titled / total;
  const score =
    (0.34 * cover ** 1.5 +
      0.18 * (density / total) +
      0.22 * (closeness / total) +
      0.16 * heading +
      0.03 * (inPath / total) +
      0.12 * named(passage.path, terms) +
      0.12 * neighbours(text, terms, total) +
      0.08 * literal(text, reading)) *
    worth(passage, reading, now) *
    (1 + suits(passage, text, reading, terms, line));
  return { passage, text, score, coverage: cover, closeness: closeness / total, strengths, closestLine: line };
}

/** Where a term occurs in a passage. Each number but `frequency` is the weight of the best form there. */
interface TermMatches {
  /** In the text. */
  best: number;
  inTitle: number;
  onPath: number;
  /** The number of places, each weighed by its form. */
  frequency: number;
  /** The weight of the best form, by line from 0. */
  onLines: Map<number, number>;
}

function findMatches(term: WeighedTerm, text: PassageText): TermMatches {
  let best = 0;
  let frequency = 0;
  let inTitle = 0;
  let onPath = 0;
  const onLines = new Map<number, number>();
  for (const form of term.forms) {
    const places = findPositions(text, form.stems);
    if (places.length > 0) {
      best = Math.max(best, form.weight);
      frequency += form.weight * places.length;
      for (const place of places) {
        const line = text.lineOf[place] ?? 0;
        onLines.set(line, Math.max(onLines.get(line) ?? 0, form.weight));
      }
    }
    if (form.stems.every((stem) => text.title.has(stem))) inTitle = Math.max(inTitle, form.weight);
    if (form.stems.every((stem) => text.path.has(stem))) onPath = Math.max(onPath, form.weight);
  }
  if (isMemberOf(term, text)) inTitle = Math.max(inTitle, 0.95);
  return { best, frequency, inTitle, onPath, onLines };
}

/** The newest change of any file. The age of other files is relative to it. */
interface Recency {
  newestMs: number;
}

function worth(passage: FoundPassage, reading: Reading, now: Recency): number {
  const role = getFileRole(passage.path);
  const said = (...asked: string[]) => asked.some((word) => reading.said.has(word));
  let value = passage.worth;
  if (
    role === 'test' &&
    said('test', 'tests', 'testing', 'tested', 'spec', 'specs', 'fixture', 'fixtures', 'benchmark', 'benchmarks')
  )
    value /= 0.8;
  if (role === 'example' && said('example', 'examples', 'sample', 'demo')) value /= 0.74;
  if (
    role === 'log' &&
    (reading.shape === 'history' ||
      said(
        'changelog',
        'release',
        'released',
        'version',
        'license',
        'licence',
        'authors',
        'contributors',
        'introduced',
        'added',
        'breaking',
      ))
  )
    value /= 0.66;
  const age =
    passage.changedMs === 0 || now.newestMs === 0
      ? 1
      : Math.min(1, (now.newestMs - passage.changedMs) / (365 * 86_400_000));
  return value * (1 + 0.03 * (1 - age));
}

/**
 * Whether the passage defines the last part of a name such as `reply.send`, with the other parts in its title or path.
 */
function isMemberOf(term: WeighedTerm, text: PassageText): boolean {
  const parts = term.isName ? (term.forms[1]?.stems ?? []) : [];
  const last = parts.at(-1);
  return (
    parts.length > 1 &&
    last !== undefined &&
    text.title.has(last) &&
    parts.every((part) => text.title.has(part) || text.path.has(part))
  );
}

/** Returns the score adjustment for how well the kind of passage fits the kind of question. */
function suits(
  passage: FoundPassage,
  text: PassageText,
  reading: Reading,
  terms: readonly WeighedTerm[],
  line: number,
): number {
  const isDocument = passage.kind === 'section' || passage.kind === 'fenced';
  const defines = terms.some(
    (term) =>
      isMemberOf(term, text) ||
      (term.isName && term.forms.slice(0, 2).some((form) => form.stems.every((stem) => text.title.has(stem)))),
  );
  let bonus = passage.kind === 'code' ? -0.3 * text.importShare : 0;
  if (defines && passage.kind === 'code') bonus += reading.shape === 'where' ? 0.25 : 0.06;
  if (reading.shape === 'where' && passage.kind === 'code') bonus += 0.12;
  if (reading.shape === 'where' && isDocument) bonus -= 0.06;
  if ((reading.shape === 'how' || reading.shape === 'list') && isDocument) bonus += 0.06;
  if (reading.shape === 'value' && VALUE.test(text.lines.slice(line, line + WINDOW_LINES).join('\n'))) bonus += 0.07;
  return bonus;
}

/** Returns the fraction of the words of the file's name that occur in the question. */
function named(path: string, terms: readonly WeighedTerm[]): number {
  const parts = baseParts(path);
  if (parts.length === 0) return 0;
  const found = parts.map((part) =>
    Math.max(
      0,
      ...terms.map((term) =>
        Math.max(0, ...term.forms.filter((form) => form.stems.includes(part)).map((form) => form.weight)),
      ),
    ),
  );
  return found.reduce((sum, weight) => sum + weight, 0) / parts.length;
}

const bases = new Map<string, readonly string[]>();

function baseParts(path: string): readonly string[] {
  let parts = bases.get(path);
  if (!parts) {
    const base = path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
    parts = nameParts(base).map(stemWord);
    if (bases.size > 20_000) bases.clear();
    bases.set(path, parts);
  }
  return parts;
}

/**
 * Returns the fraction of the question's literals (`/foo/`, `application/json`, `0.0.0.0`) that occur here verbatim.
 */
function literal(text: PassageText, { literals }: Reading): number {
  if (literals.length === 0) return 0;
  const whole = text.lines.join('\n').toLowerCase();
  return literals.filter((one) => whole.includes(one)).length / literals.length;
}

/**
 * Returns the greatest term weight within six lines that belong together, and their first line. Each list item or table
 * row of a section is a group of its own, since adjacent items may be unrelated. Matches in the title and path
 * (`context`) count for every line.
 */
function closest(
  lines: readonly string[],
  isSection: boolean,
  terms: readonly WeighedTerm[],
  lineTerms: readonly Map<number, number>[],
  context: readonly number[],
): { closeness: number; line: number } {
  const starts = [...new Set(lineTerms.flatMap((onLines) => [...onLines.keys()]))].sort((a, b) => a - b);
  let closeness = terms.reduce((sum, term, index) => sum + term.weight * (context[index] ?? 0), 0);
  let line = 0;
  for (const start of starts) {
    const end = isSection ? itemEnd(lines, start) : start + WINDOW_LINES;
    let sum = 0;
    terms.forEach((term, index) => {
      let best = context[index] ?? 0;
      for (const [at, weight] of lineTerms[index] as Map<number, number>)
        if (at >= start && at < end && weight > best) best = weight;
      sum += term.weight * best;
    });
    if (sum > closeness + 1e-9) {
      closeness = sum;
      line = Math.min(start, lines.length - 1);
    }
  }
  return { closeness, line };
}

/** Returns the line after the group of line `start`: within six lines, before the next list item or table row. */
function itemEnd(lines: readonly string[], start: number): number {
  let end = start + 1;
  while (end < lines.length && end < start + WINDOW_LINES && !ITEM.test(lines[end] as string)) end += 1;
  return end;
}

/** Returns the fraction of the question's weight in pairs of terms that are adjacent here as in the question. */
function neighbours(text: PassageText, terms: readonly WeighedTerm[], total: number): number {
  let found = 0;
  for (let index = 0; index + 1 < terms.length; index += 1) {
    const [first, second] = [terms[index] as WeighedTerm, terms[index + 1] as WeighedTerm];
    const before = new Set(first.forms.slice(0, 3).flatMap((form) => findPositions(text, form.stems)));
    const isNext = second.forms
      .slice(0, 3)
      .some((form) =>
        findPositions(text, form.stems).some((place) => [1, 2, -1].some((step) => before.has(place - step))),
      );
    if (isNext) found += (first.weight + second.weight) / 2;
  }
  return found / total;
}
