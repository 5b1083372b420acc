import type { StructureQuestion } from './question.js';

/** Lines around a place that still count as it. */
const SLACK = 2;
/** Lines of a citation that count: one of a whole file would else be right about everything in it. */
const LINES_MAX = 40;
const PROSE = /\.(?:md|markdown|rst|txt|adoc|html?)$/i;

/** A place that an answer shows, with its text. */
export interface Shown {
  path: string;
  startLine: number;
  endLine: number;
  text: string;
}

/** An answer, of the product or of a peer. `isRefused`: it says that it has found nothing. */
export interface StructureAnswer {
  shown: readonly Shown[];
  isRefused: boolean;
}

export interface Score {
  precision: number;
  recall: number;
  f1: number;
  /** Whether the first place shown is right. */
  isFirstRight: boolean;
}

const isAboutFiles = ({ kind }: StructureQuestion) => kind === 'importers' || kind === 'affected';

function covers(shown: Shown, place: string, isFile: boolean): boolean {
  if (isFile) return shown.path === place;
  const colon = place.lastIndexOf(':');
  const line = Number(place.slice(colon + 1));
  const last = Math.min(shown.endLine, shown.startLine + LINES_MAX - 1);
  return shown.path === place.slice(0, colon) && shown.startLine - SLACK <= line && line <= last + SLACK;
}

const hasWord = (text: string, word: string) =>
  new RegExp(`(?<![\\w$])${word.replace(/[^\w]/g, '\\$&')}(?![\\w$])`).test(text);

/**
 * Scores an answer. A shown place is right when it covers one of the truth, wrong when it covers neither that nor one
 * that may be shown. Recall counts the places of the truth, or its names in the text of right places. Where the truth
 * is that there is nothing, an answer is right that shows nothing and is no refusal. `endings` are the files that the
 * truth knows about: an environment variable in other code is neither right nor wrong.
 */
export function scoreAnswer(
  question: StructureQuestion,
  { shown, isRefused }: StructureAnswer,
  endings: readonly string[],
): Score {
  const isFile = isAboutFiles(question);
  const isForeign = ({ path }: Shown) =>
    question.kind === 'environment' && !PROSE.test(path) && !endings.some((ending) => path.endsWith(ending));
  const places = isFile
    ? shown.filter((one, index) => shown.findIndex(({ path }) => path === one.path) === index)
    : shown;
  const right = places.filter((one) => question.truth.some((place) => covers(one, place, isFile)));
  const wrong = places.filter(
    (one) => !right.includes(one) && !isForeign(one) && !question.also?.some((place) => covers(one, place, isFile)),
  );
  const isFirstRight = places[0] !== undefined && right.includes(places[0]);
  if (question.truth.length === 0) {
    const value = wrong.length === 0 && !isRefused ? 1 : 0;
    return { precision: value, recall: value, f1: value, isFirstRight };
  }
  const precision = right.length === 0 ? 0 : right.length / (right.length + wrong.length);
  const recall = question.names
    ? question.names.filter((name) => right.some(({ text }) => hasWord(text, name))).length / question.names.length
    : question.truth.filter((place) => right.some((one) => covers(one, place, isFile))).length / question.truth.length;
  const f1 = precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall);
  return { precision, recall, f1, isFirstRight };
}
