import { type Static, Type } from 'typebox';
import { ASK_ERROR_CODES } from './asks.js';
import { oneOf } from './one-of.js';

/**
 * Tests of a member are in `.mesh/asks/<member>.md`. Every `## ` heading is a question, followed by a list of
 * `cites: path[:lines]`, `says: text`, `never says: text` and `not found` (the member must say that the project does
 * not contain the answer). Frontmatter `blocks_exposure: true` keeps the member internal until the last run has passed
 * for its current file. Text before the first question and comments are ignored.
 */
export const MEMBER_TESTS_MAX = 100;
/** Maximum number of expectations of one question. */
export const MEMBER_TEST_EXPECTATIONS_MAX = 32;
export const MEMBER_TEST_SAYING_MAX_CHARS = 1_000;

export const MemberTest = Type.Object(
  {
    question: Type.String(),
    cites: Type.Array(Type.String(), { description: '`path`, `path:line` or `path:start-end`.' }),
    says: Type.Array(Type.String(), { description: 'As written: words, words in quotation marks, or a `/pattern/`.' }),
    never_says: Type.Array(Type.String()),
    not_found: Type.Boolean(),
  },
  { $id: 'MemberTest' },
);
export type MemberTest = Static<typeof MemberTest>;

export const MemberTestResult = Type.Object(
  {
    question: Type.String(),
    passed: Type.Boolean(),
    failures: Type.Array(Type.String(), { description: 'What was missing or said in vain, in words.' }),
    request_id: Type.Union([Type.String(), Type.Null()]),
    latency_ms: Type.Union([Type.Integer(), Type.Null()]),
    error_code: Type.Union([oneOf(ASK_ERROR_CODES), Type.Null()], {
      description: 'Why there was no answer to judge; null when there was one.',
    }),
  },
  { $id: 'MemberTestResult' },
);
export type MemberTestResult = Static<typeof MemberTestResult>;

/** How a run ended: all its questions were asked, the operator cancelled it, or the daemon was stopped. */
export const MEMBER_TEST_OUTCOMES = ['finished', 'cancelled', 'interrupted'] as const;
export type MemberTestOutcome = (typeof MEMBER_TEST_OUTCOMES)[number];

const counts = {
  at: Type.String({ description: 'ISO 8601, when it ended.' }),
  outcome: oneOf(MEMBER_TEST_OUTCOMES),
  passed: Type.Integer({ minimum: 0 }),
  failed: Type.Integer({ minimum: 0 }),
  current: Type.Boolean({
    description: 'Whether member and tests are still those that ran. The exposure of the member is no part of that.',
  }),
};

const summary = {
  id: Type.String(),
  path: Type.String({ description: 'Relative to the project.' }),
  exists: Type.Boolean(),
  problem: Type.Union([Type.String(), Type.Null()], { description: 'Why the file cannot be read.' }),
  problem_line: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  blocks_exposure: Type.Boolean({ description: 'Also true for a file that cannot be read as far as to know.' }),
  holds_door: Type.Boolean({
    description: 'Whether the member could not be opened to other programs now because of its tests.',
  }),
  running: Type.Boolean(),
};

export const MemberTests = Type.Object(
  {
    ...summary,
    text: Type.Union([Type.String(), Type.Null()], {
      description: 'The file as it stands; null when there is none that can be read.',
    }),
    revision: Type.Union([Type.String(), Type.Null()], {
      description: 'SHA-256 of the file; what an edit of it names.',
    }),
    starter: Type.Union([Type.String(), Type.Null()], { description: 'A file to begin with, when there is none.' }),
    tests: Type.Array(Type.Ref('MemberTest')),
    last_run: Type.Union([
      Type.Object({
        ...counts,
        member_revision: Type.String({ description: 'Of the member file that ran.' }),
        tests_sha256: Type.String(),
        results: Type.Array(Type.Ref('MemberTestResult')),
      }),
      Type.Null(),
    ]),
    progress: Type.Union(
      [
        Type.Object({
          total: Type.Integer(),
          asking: Type.Union([Type.String(), Type.Null()], { description: 'The question that is being asked.' }),
          request_id: Type.Union([Type.String(), Type.Null()]),
          results: Type.Array(Type.Ref('MemberTestResult')),
        }),
        Type.Null(),
      ],
      { description: 'Only while running.' },
    ),
  },
  { $id: 'MemberTests' },
);
type Run = NonNullable<Static<typeof MemberTests>['last_run']>;
type Progress = NonNullable<Static<typeof MemberTests>['progress']>;
export type MemberTests = Omit<Static<typeof MemberTests>, 'tests' | 'last_run' | 'progress'> & {
  tests: MemberTest[];
  last_run: (Omit<Run, 'results'> & { results: MemberTestResult[] }) | null;
  progress: (Omit<Progress, 'results'> & { results: MemberTestResult[] }) | null;
};

/** Summary of the tests of one member. */
export const MemberTestsSummary = Type.Object(
  {
    ...summary,
    count: Type.Integer({ description: 'Questions in the file.' }),
    last_run: Type.Union([Type.Object(counts), Type.Null()]),
  },
  { $id: 'MemberTestsSummary' },
);
export type MemberTestsSummary = Static<typeof MemberTestsSummary>;

export const MemberTestsList = Type.Object(
  { members: Type.Array(Type.Ref('MemberTestsSummary')), count: Type.Integer() },
  { $id: 'MemberTestsList' },
);
export type MemberTestsList = { members: MemberTestsSummary[]; count: number };

export const MemberTestsText = Type.Object(
  {
    text: Type.String(),
    revision: Type.Union([Type.String({ maxLength: 64 }), Type.Null()], {
      description: 'The revision that the text was made from; null: there must be no file yet.',
    }),
  },
  { additionalProperties: false },
);
export type MemberTestsText = Static<typeof MemberTestsText>;

export const MemberTestsRun = Type.Object(
  {
    only: Type.Optional(
      Type.Array(Type.Integer({ minimum: 0, maximum: MEMBER_TESTS_MAX - 1 }), {
        minItems: 1,
        maxItems: MEMBER_TESTS_MAX,
        description: 'Which questions, by their place in the file from 0; all without it.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type MemberTestsRun = Static<typeof MemberTestsRun>;

/** Makes the question of a request one of the tests of its member. */
export const RequestTest = Type.Object(
  {
    cites: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: MEMBER_TEST_SAYING_MAX_CHARS }), {
        minItems: 1,
        maxItems: MEMBER_TEST_EXPECTATIONS_MAX,
        description:
          'What the answer must cite: `path`, `path:line` or `path:start-end`. Without it, what the answer cited; the answer must be rated `up`.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type RequestTest = Static<typeof RequestTest>;

/** The test results of an exposed member, as its cards show them. */
export const CardTests = Type.Object({
  passed: Type.Integer({ minimum: 0 }),
  failed: Type.Integer({ minimum: 0 }),
  at: Type.Union([Type.String(), Type.Null()], { description: 'ISO 8601; null: never run.' }),
  current: Type.Boolean({ description: 'Whether member and tests are still those that ran.' }),
});
export type CardTests = Static<typeof CardTests>;
