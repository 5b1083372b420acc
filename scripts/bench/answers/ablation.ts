import type { AnswerTrace, CandidateGrounds, TraceCandidate } from '../../../daemon/contract/answer-trace.js';
import { report, rounded } from '../measure.js';
import { type Asked, isFileFirst, isFileInThree, isPassageInThree, type Outcome, share } from './measures.js';

/** The candidates of one answer by the text search, best first. */
export interface Candidates {
  base: string;
  asked: Asked;
  candidates: readonly TraceCandidate[];
}

type Ground = keyof CandidateGrounds;

/** What each ground is called, and the value that leaves it out. */
const GROUNDS: readonly (readonly [Ground, string, number])[] = [
  ['words', 'words in text, title and path', 0],
  ['close', 'words close together', 0],
  ['neighbours', 'neighbours', 0],
  ['literals', 'literals', 0],
  ['file_name', 'the name of the file', 0],
  ['kind', 'the kind of file', 1],
  ['whole_file', 'the whole file', 0],
];

const add = ({ words, close, neighbours, literals, file_name, kind, whole_file }: CandidateGrounds) =>
  (words + close + neighbours + literals + file_name) * kind + whole_file;

/** Returns the candidates that the text search ranked, if it answered. */
export const readCandidates = (base: string, asked: Asked, trace: AnswerTrace): Candidates[] =>
  trace.source === 'text' ? [{ base, asked, candidates: trace.candidates }] : [];

/** Orders the candidates without one ground; with all of them when `left` is undefined. */
export function orderWithout(all: readonly Candidates[], left?: readonly [Ground, string, number]): Outcome[] {
  return all.map(({ base, asked, candidates }) => {
    const scored = candidates.flatMap((one) => {
      if (!one.grounds) return [];
      const grounds = left ? { ...one.grounds, [left[0]]: left[2] } : one.grounds;
      return [{ path: one.path, startLine: one.start_line, endLine: one.end_line, score: add(grounds) }];
    });
    return { base, asked, places: scored.sort((a, b) => b.score - a.score), ms: 0 };
  });
}

/**
 * Reports what each ground of a score brings, as the share of questions of the open half whose answer is right without
 * it: the first twenty candidates of each are ordered anew, so that a figure is at most what all grounds found.
 */
export function reportAblation(all: readonly Candidates[]): void {
  const asked = all.filter(({ asked: { kind } }) => kind !== 'absent');
  const whole = orderWithout(asked);
  for (const ground of [undefined, ...GROUNDS]) {
    const outcomes = ground ? orderWithout(asked, ground) : whole;
    const figures = [
      ['passage in the first three', isPassageInThree],
      ['file first', isFileFirst],
      ['file in the first three', isFileInThree],
    ] as const;
    for (const [measure, isRight] of figures)
      report({
        bench: 'answers-open',
        measure: `open, ${ground ? `without ${ground[1]}` : 'all grounds'}: ${measure} (${outcomes.length})`,
        unit: '',
        ours: rounded(share(outcomes, isRight).value, 3),
        ...(ground ? { peer: { name: 'all grounds', value: rounded(share(whole, isRight).value, 3) } } : {}),
        rounds: 1,
        isListed: true,
      });
  }
}

/** The figures of an index without a part, and the questions they are of. */
const PART_FIGURES: readonly (readonly [string, isAbsent: boolean, (outcome: Outcome) => boolean])[] = [
  ['passage in the first three', false, isPassageInThree],
  ['file first', false, isFileFirst],
  ['file in the first three', false, isFileInThree],
  ['answerable: `none`', false, ({ confidence }) => confidence === 'none'],
  ['absent: `none`', true, ({ confidence }) => confidence === 'none'],
  ['absent: `found`', true, ({ confidence }) => confidence === 'found'],
];

/** Returns the figures of an index without a part, each beside that of the whole index. */
export function comparePart(without: readonly Outcome[], whole: readonly Outcome[]) {
  return PART_FIGURES.flatMap(([measure, isAbsent, isRight]) => {
    const pick = (all: readonly Outcome[]) => all.filter(({ asked }) => (asked.kind === 'absent') === isAbsent);
    const [ours, beside] = [pick(without), pick(whole)];
    if (ours.length === 0) return [];
    return [{ measure, count: ours.length, value: share(ours, isRight), whole: share(beside, isRight).value }];
  });
}

/** Reports what a part of the index brings: the answers to all questions of the open half by an index without it. */
export function reportPart(part: string, without: readonly Outcome[], whole: readonly Outcome[]): void {
  for (const { measure, count, value, whole: beside } of comparePart(without, whole))
    report({
      bench: 'answers-open',
      measure: `open, without ${part}: ${measure} (${count})`,
      unit: '',
      ours: rounded(value.value, 3),
      min: rounded(value.low, 3),
      max: rounded(value.high, 3),
      peer: { name: 'the whole index', value: rounded(beside, 3) },
      rounds: 1,
      isListed: true,
    });
}
