import { describe, expect, it } from 'vitest';
import type { MemberTest, MemberTestResult, MemberTests } from '../../../daemon/contract/member-tests.js';
import { expectationLines, formatTestsState, havePassed, shownTests } from './tests-format.js';

const test = (question: string): MemberTest => ({ question, cites: [], says: ['a'], never_says: [], not_found: false });
const result = (question: string, passed: boolean): MemberTestResult => ({
  question,
  passed,
  failures: passed ? [] : ['Does not say "a".'],
  request_id: null,
  latency_ms: 1,
  error_code: null,
});
const run = (results: MemberTestResult[], more: Partial<NonNullable<MemberTests['last_run']>> = {}) => ({
  at: '2026-11-21T12:00:00.000Z',
  outcome: 'finished' as const,
  passed: results.filter(({ passed }) => passed).length,
  failed: results.filter(({ passed }) => !passed).length,
  current: true,
  member_revision: '',
  tests_sha256: '',
  results,
  ...more,
});
const tests = ['A?', 'B?', 'C?'].map(test);
const standings = (...given: Parameters<typeof shownTests>) =>
  shownTests(...given).map(({ standing: testStatus }) => testStatus);

describe('questions', () => {
  it('have the result of the last run, or none if it did not include them', () => {
    expect(standings({ tests, last_run: null, progress: null })).toEqual(['not run', 'not run', 'not run']);
    const last_run = run([result('A?', true), result('C?', false), result('Gone?', false)]);
    expect(standings({ tests, last_run, progress: null })).toEqual(['passed', 'not run', 'failed']);
  });

  it('wait while a full run is in progress', () => {
    const last_run = run(tests.map(({ question }) => result(question, false)));
    const progress = { total: 3, asking: 'B?', request_id: null, results: [result('A?', true)] };
    expect(standings({ tests, last_run, progress })).toEqual(['passed', 'asking', 'waiting']);
  });

  it('keep their results while a partial run is in progress', () => {
    const last_run = run(tests.map(({ question }) => result(question, false)));
    expect(standings({ tests, last_run, progress: { total: 1, asking: 'B?', request_id: null, results: [] } })).toEqual(
      ['failed', 'asking', 'failed'],
    );
  });
});

it.each([
  [null, 'never run', false],
  [run([result('A?', true)]), '1 passed', true],
  [run([result('A?', true), result('B?', false)]), '1 of 2 failed', false],
  [run([result('A?', true)], { current: false }), '1 passed before the last change', false],
  [run([result('A?', true)], { outcome: 'cancelled' }), '1 passed, then cancelled', false],
  [run([], { outcome: 'interrupted' }), '0 passed, then interrupted', false],
])('standingWords and areWell describe a run (%#)', (last_run, words, isWell) => {
  expect(formatTestsState({ last_run })).toBe(words);
  expect(havePassed({ last_run })).toBe(isWell);
});

it('expectationLines are written as in the file', () => {
  const whole: MemberTest = { question: 'A?', cites: ['a.ts:1-2'], says: ['/b/'], never_says: ['c'], not_found: true };
  expect(expectationLines(whole)).toEqual(['cites: a.ts:1-2', 'says: /b/', 'never says: c', 'not found']);
});
