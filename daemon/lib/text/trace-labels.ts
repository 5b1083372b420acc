import type { AnswerSource, CandidateFate, CandidateGrounds, WordReading } from '../../contract/answer-trace.js';

export const SOURCE_LABELS: Readonly<Record<AnswerSource, string>> = {
  structure: 'the graph of definitions, calls and imports',
  introduction: 'the front pages of the project',
  manifests: 'package files and guides',
  history: 'the Git log',
  text: 'the search over the text',
};

export const READING_LABELS: Readonly<Record<WordReading, string>> = {
  name: 'a name in code',
  word: 'a word',
  everyday: 'an everyday word',
  corrected: 'corrected to a similar word',
  related: 'only related words occur',
  unknown: 'occurs nowhere',
  foreign: 'occurs nowhere, and should',
};

export const FATE_LABELS: Readonly<Record<CandidateFate, string>> = {
  quoted: 'quoted',
  low_score: 'dropped: far below the best',
  enough: 'dropped: better ones fill the answer',
  same_file: 'dropped: two quotes of its file already',
  overlapping: 'dropped: the same lines are quoted',
  no_quote: 'dropped: no line of it could be quoted',
  weak_evidence: 'dropped: too little of the question in it',
};

/** The grounds of a score with the heading of their column, in the order in which they are added. */
export const GROUND_LABELS: readonly (readonly [keyof CandidateGrounds, string])[] = [
  ['words', 'Words'],
  ['close', 'Close'],
  ['neighbours', 'Adjacent'],
  ['literals', 'Literal'],
  ['file_name', 'File name'],
  ['kind', '× Kind'],
  ['whole_file', '+ File'],
];
