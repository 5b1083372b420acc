import { type Static, Type } from 'typebox';
import { oneOf } from './one-of.js';

/** The most candidates that a trace lists, best first. */
export const TRACE_CANDIDATES_MAX = 20;
/** The largest trace that is kept, as JSON. */
export const TRACE_MAX_BYTES = 16_384;

/** Where an answer of the built-in search comes from. */
export const ANSWER_SOURCES = ['structure', 'introduction', 'manifests', 'history', 'text'] as const;
export type AnswerSource = (typeof ANSWER_SOURCES)[number];

/** How a word of the question was read. */
export const WORD_READINGS = ['name', 'word', 'everyday', 'corrected', 'related', 'unknown', 'foreign'] as const;
export type WordReading = (typeof WORD_READINGS)[number];

/** What became of a candidate. */
export const CANDIDATE_FATES = [
  'quoted',
  'low_score',
  'enough',
  'same_file',
  'overlapping',
  'no_quote',
  'weak_evidence',
] as const;
export type CandidateFate = (typeof CANDIDATE_FATES)[number];

/** The steps of an answer in their order. */
export const TRACE_STAGES = ['index', 'graph', 'question', 'facts', 'search', 'decision'] as const;
export type TraceStage = (typeof TRACE_STAGES)[number];

const share = (description: string) => Type.Number({ description });

const TraceWord = Type.Object({
  written: Type.String({ description: 'As it stands in the question; at most 80 characters.' }),
  reading: oneOf(
    WORD_READINGS,
    '`name`: a name in code. `word`: it occurs here. `everyday`: it occurs, and weighs little. `corrected`: read as a ' +
      'word of similar spelling. `related`: only related words occur. `unknown`: it occurs nowhere. `foreign`: it ' +
      'occurs nowhere, and is a rare word that a project with what it names would use.',
  ),
  forms: Type.Array(Type.String(), { description: 'What was searched for it; at most six.' }),
  passages: Type.Integer({ description: 'In how many passages the word itself occurs.' }),
  weight: Type.Number({ description: 'How much it counts.' }),
});

/** The parts of a score: `(words + close + neighbours + literals + file_name) * kind + whole_file`. */
const CandidateGrounds = Type.Object({
  words: share('How often and where its words occur.'),
  close: share('How close together they stand.'),
  neighbours: share('Words that are adjacent as in the question.'),
  literals: share('Literals that occur unchanged.'),
  file_name: share('Words in the name of the file.'),
  kind: share('The factor for the kind of the file, and for whether its kind fits the question.'),
  whole_file: share('What the rest of its file adds.'),
});
export type CandidateGrounds = Static<typeof CandidateGrounds>;

const TraceCandidate = Type.Object({
  path: Type.String(),
  start_line: Type.Integer({ minimum: 1 }),
  end_line: Type.Integer({ minimum: 1 }),
  score: Type.Optional(Type.Number({ description: 'Comparable only within one trace; absent for facts.' })),
  grounds: Type.Optional(CandidateGrounds),
  fate: oneOf(
    CANDIDATE_FATES,
    '`quoted`: the answer cites it. Others were dropped: `low_score`: far below the best. `enough`: better ones fill ' +
      'the answer. `same_file`: its file has two quotes already. `overlapping`: a quote holds the same lines. ' +
      '`no_quote`: none of its lines could be quoted. `weak_evidence`: none of the candidates answers.',
  ),
});
export type TraceCandidate = Static<typeof TraceCandidate>;

const TraceEvidence = Type.Object(
  {
    foreign: share('Of the words, those that are `foreign`; about half of one that is no name of a technology.'),
    missing: share('The heaviest word, other than an everyday one, that the best candidate lacks.'),
    coverage: share('Of the words, those in the best candidate.'),
    names: Type.Integer({ description: 'Names of the question in the best candidate, at most two.' }),
    together: share('Above 0 when nearly the whole question stands within a few lines.'),
    margin: share('How far the best file is above the next.'),
  },
  { description: 'What decided how sure the answer is; only of the source `text`.' },
);
export type TraceEvidence = Static<typeof TraceEvidence>;

/** How an answer of the built-in search was found. At most 16 KiB as JSON. Only the operator sees it. */
export const AnswerTrace = Type.Object(
  {
    source: oneOf(
      ANSWER_SOURCES,
      '`structure`: the graph of definitions, calls and imports. `introduction`: front pages. `manifests`: package ' +
        'files and guides. `history`: the Git log. `text`: the search over passages.',
    ),
    form: Type.String({ description: 'The form of question that was recognised.' }),
    words: Type.Array(TraceWord, { description: 'The words of the question that were searched for.' }),
    candidates: Type.Array(TraceCandidate, { maxItems: TRACE_CANDIDATES_MAX, description: 'Best first.' }),
    candidates_total: Type.Integer({ description: 'How many there were.' }),
    evidence: Type.Optional(TraceEvidence),
    stages: Type.Array(
      Type.Object({
        stage: oneOf(
          TRACE_STAGES,
          '`index` and `graph`: waits for the index and the structure graph. `question`: reading it. `facts`: looking in ' +
            'graph, manifests and history. `search`: finding and ranking passages. `decision`: weighing and composing.',
        ),
        ms: Type.Number({ description: 'Milliseconds.' }),
      }),
    ),
  },
  { $id: 'AnswerTrace' },
);
export type AnswerTrace = Static<typeof AnswerTrace>;
