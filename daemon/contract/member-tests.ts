import { type Static, Type } from 'typebox';

/**
 * What a member must answer: `.mesh/asks/<member>.md`. Every `## ` heading is a question; under it a list of `cites: path[:lines]`, `says: text`,
 * `never says: text`, `not found` (the member must say that the project does not hold it). Frontmatter `blocks_exposure: true` keeps the member
 * internal until the last run passed for its present file.
 */
export const MEMBER_TESTS_MAX = 100;

export const MemberTest = Type.Object(
  {
    question: Type.String(),
    cites: Type.Array(Type.String()),
    says: Type.Array(Type.String()),
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
  },
  { $id: 'MemberTestResult' },
);
export type MemberTestResult = Static<typeof MemberTestResult>;
export const MemberTests = Type.Object(
  {
    id: Type.String(),
    path: Type.String(),
    exists: Type.Boolean(),
    problem: Type.Union([Type.String(), Type.Null()], { description: 'Why the file cannot be read.' }),
    blocks_exposure: Type.Boolean(),
    tests: Type.Array(Type.Ref('MemberTest')),
    last_run: Type.Union([
      Type.Object({
        at: Type.String({ description: 'ISO 8601.' }),
        member_revision: Type.String(),
        tests_sha256: Type.String(),
        passed: Type.Integer(),
        failed: Type.Integer(),
        current: Type.Boolean({ description: 'Whether member and tests are still those that ran.' }),
        results: Type.Array(Type.Ref('MemberTestResult')),
      }),
      Type.Null(),
    ]),
    running: Type.Boolean(),
  },
  { $id: 'MemberTests' },
);
export type MemberTests = Static<typeof MemberTests>;
