import type { CandidateGrounds } from '../../contract/answer-trace.js';
import { pairsOf } from '../../lib/text/unspaced-scripts.js';
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
  /** Whether it or a related word occurs anywhere here. */
  isKnown: boolean;
  /** Whether it is a word of everyday English, whose absence says nothing. */
  isEveryday: boolean;
  /** Whether it does not occur here although a project that had what it names would say it. */
  isForeign: boolean;
  /** Whether it names a technology: it is in a list of them, or written as a name is. */
  isTechnology: boolean;
  /** Whether it is read as a word of similar spelling. */
  isCorrected: boolean;
}

export interface Ranked {
  passage: FoundPassage;
  text: PassageText;
  score: number;
  /** The parts of the score. */
  grounds: CandidateGrounds;
  /** Fraction of the question's weight found in the passage, its title and its path. */
  coverage: number;
  /** Fraction found within a few lines of each other. */
  closeness: number;
  /** For each term, how well its best form matches here, 0 to 1. */
  strengths: readonly number[];
  /** Whether it is code that defines a name of the question. */
  isDefinition: boolean;
}

/** What the whole index knows and a passage does not. */
interface Collection {
  /** The mean number of words of a passage. */
  meanLength: number;
  /** The newest change of any file. The age of other files is relative to it. */
  newestMs: number;
}

/** Returns the weight of some terms together; 1 when they weigh nothing, so that it can divide. */
export const sumWeights = (terms: readonly WeighedTerm[]): number =>
  terms.reduce((sum, term) => sum + term.weight, 0) || 1;

const K1 = 1.6;
/** How much a long passage is discounted, 0 to 1. */
const B = 0.2;
/** The weight of one occurrence in a field, relative to one in the text. */
const IN_TITLE = 3;
const IN_PATH = 1;
const WINDOW_LINES = 10;
/** What the name of the file adds, for code where a place is asked for, and elsewhere. */
const NAME_ASKED = 0.4;
const NAME_KNOWN = 0.2;

/**
 * Scores a passage for a question with BM25F: the occurrences of a term in text, title and path are added by the weight
 * of the field before they saturate. Adjacent terms, literals and terms that stand close together add to it; the kind
 * of file multiplies it. Scores are comparable only within one question.
 */
export function rank(
  passage: FoundPassage,
  text: PassageText,
  terms: readonly WeighedTerm[],
  reading: Reading,
  collection: Collection,
): Ranked {
  const total = sumWeights(terms);
  const norm = 1 - B + (B * text.lineOf.length) / Math.max(1, collection.meanLength);
  const lineTerms: Map<number, number>[] = [];
  const strengths: number[] = [];
  let bm25 = 0;
  let coverage = 0;
  for (const term of terms) {
    const { frequency, inTitle, onPath, strength, onLines } = findMatches(term, text);
    const occurrences = frequency / norm + IN_TITLE * inTitle + IN_PATH * onPath;
    bm25 += term.weight * ((occurrences * (K1 + 1)) / (occurrences + K1));
    coverage += term.weight * strength;
    strengths.push(strength);
    lineTerms.push(onLines);
  }
  const closeness = findCloseness(terms, lineTerms);
  const isDefinition = definesName(passage, text, terms);
  const grounds = {
    words: bm25 / total,
    close: 0.3 * (closeness / total),
    neighbours: 0.2 * neighbours(text, terms, total),
    literals: 0.15 * literal(text, reading),
    file_name:
      (reading.shape === 'where' && passage.kind === 'code' ? NAME_ASKED : NAME_KNOWN) * named(passage.path, terms),
    kind: worth(passage, reading, collection) * (1 - 0.6 * text.importShare) * suits(passage, reading, isDefinition),
    whole_file: 0,
  };
  return {
    passage,
    text,
    score: addGrounds(grounds),
    grounds,
    coverage: coverage / total,
    closeness: closeness / total,
    strengths,
    isDefinition,
  };
}

/** Returns the score that its grounds make. */
const addGrounds = ({ words, close, neighbours, literals, file_name, kind, whole_file }: CandidateGrounds) =>
  (words + close + neighbours + literals + file_name) * kind + whole_file;

/** Where a term occurs in a passage. Each number but `frequency` is the weight of the best form there. */
interface TermMatches {
  /** The number of places, each weighed by its form. */
  frequency: number;
  inTitle: number;
  onPath: number;
  strength: number;
  /** The weight of the best form, by line from 0. */
  onLines: Map<number, number>;
}

const PATH_STRENGTH = 0.75;

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
  return { frequency, inTitle, onPath, strength: Math.max(best, inTitle, onPath * PATH_STRENGTH), onLines };
}

const ABOUT_TESTS = [
  'test',
  'tests',
  'testing',
  'tested',
  'spec',
  'specs',
  'fixture',
  'fixtures',
  'benchmark',
  'benchmarks',
];
const ABOUT_EXAMPLES = ['example', 'examples', 'sample', 'demo'];
const ABOUT_RELEASES = [
  'changelog',
  'release',
  'released',
  'license',
  'licence',
  'authors',
  'contributors',
  'introduced',
  'added',
  'breaking',
];

/** The weight of the passage's file; tests, examples and logs of changes count in full for a question about them. */
function worth(passage: FoundPassage, reading: Reading, { newestMs }: Collection): number {
  const role = getFileRole(passage.path);
  const says = (asked: readonly string[]) => asked.some((word) => reading.said.has(word));
  const isAsked =
    (role === 'test' && says(ABOUT_TESTS)) ||
    (role === 'example' && says(ABOUT_EXAMPLES)) ||
    (role === 'log' && (reading.shape === 'history' || says(ABOUT_RELEASES)));
  const value = isAsked ? 1 : passage.worth;
  const age =
    passage.changedMs === 0 || newestMs === 0 ? 1 : Math.min(1, (newestMs - passage.changedMs) / (365 * 86_400_000));
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

/** Whether the passage is code that defines a name of the question. */
function definesName(passage: FoundPassage, text: PassageText, terms: readonly WeighedTerm[]): boolean {
  const isTitled = ({ forms }: WeighedTerm) =>
    forms.slice(0, 2).some(({ stems }) => stems.every((stem) => text.title.has(stem)));
  return passage.kind === 'code' && terms.some((term) => term.isName && (isMemberOf(term, text) || isTitled(term)));
}

/** Returns the factor for how well the kind of passage fits the kind of question. */
function suits(passage: FoundPassage, reading: Reading, isDefinition: boolean): number {
  if (reading.shape !== 'where') return isDefinition ? 1.06 : 1;
  return (passage.kind === 'code' ? 1.12 : 0.94) * (isDefinition ? 1.25 : 1);
}

/** Returns the fraction of the words of the file's name that occur in the question. */
function named(path: string, terms: readonly WeighedTerm[]): number {
  const parts = baseParts(path);
  if (parts.length === 0) return 0;
  const joined = new Set(terms.slice(1).map((term, at) => stemWord(`${terms[at]?.word ?? ''}${term.word}`)));
  const found = parts.map((part) =>
    Math.max(
      // `skiplist` is what a question calls a skip list.
      joined.has(part) ? 1 : 0,
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
    parts = nameParts(base).flatMap(pairsOf).map(stemWord);
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

/** Returns the greatest term weight within ten consecutive lines. */
function findCloseness(terms: readonly WeighedTerm[], lineTerms: readonly Map<number, number>[]): number {
  const starts = [...new Set(lineTerms.flatMap((onLines) => [...onLines.keys()]))];
  let closeness = 0;
  for (const start of starts) {
    let sum = 0;
    terms.forEach((term, index) => {
      let best = 0;
      for (const [at, weight] of lineTerms[index] as Map<number, number>)
        if (at >= start && at < start + WINDOW_LINES && weight > best) best = weight;
      sum += term.weight * best;
    });
    closeness = Math.max(closeness, sum);
  }
  return closeness;
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
