import { expect, it } from 'vitest';
import { type MemberVersion, withDefaults } from '../team/member-file.js';
import { memberDigest } from './run-validity.js';
import { starterTests } from './starter.js';
import { type TestAskPort, TestRun } from './test-run.js';
import type { EndedRun } from './test-runs.js';
import { type TestedMemberState, testsSummary, testsView } from './tests-view.js';

const MEMBER: MemberVersion = {
  ...withDefaults('ada', {}, ''),
  ...{ body: 'You are Ada.', unknown_keys: [], revision: 'r1' },
};
const TEST = { question: 'A?', cites: [], says: ['a'], never_says: [], not_found: false };
const RESULT = {
  ...{ question: 'A?', passed: true, failures: [] },
  ...{ request_id: 'req-1', latency_ms: 3, error_code: null },
};
const STORED = { blocksExposure: true, tests: [TEST], problem: undefined, text: 'the text', revision: 't1' };
const LAST: EndedRun = {
  ...{ at: '2026-01-01T00:00:00.000Z', member_revision: 'r1', member_sha256: memberDigest(MEMBER) },
  ...{ tests_sha256: 't1', outcome: 'finished', results: [RESULT] },
};
const NONE: TestedMemberState = {
  ...{ id: 'ada', path: '.mesh/asks/ada.md', member: MEMBER, stored: undefined },
  ...{ last: undefined, running: undefined, blocksExposure: false },
};
const COMMON = {
  ...{ id: 'ada', path: '.mesh/asks/ada.md', exists: false, problem: null, problem_line: null },
  ...{ blocks_exposure: false, holds_door: false, running: false },
};
const COUNTS = { at: LAST.at, outcome: 'finished', passed: 1, failed: 0, current: true };

it('a member without tests has a text to begin with, if it can run', () => {
  const nothing = { ...COMMON, text: null, revision: null, tests: [], last_run: null, progress: null };
  expect(testsView(NONE)).toEqual({ ...nothing, starter: starterTests(MEMBER) });
  expect(testsView({ ...NONE, member: undefined })).toEqual({ ...nothing, starter: null });
  expect(testsSummary(NONE)).toEqual({ ...COMMON, count: 0, last_run: null });
});

it('a member with tests has their text, their problem, and the last run', () => {
  const problem = { line: 3, column: 1, reason: 'There is no question.' };
  const state: TestedMemberState = { ...NONE, stored: { ...STORED, problem }, last: LAST, blocksExposure: true };
  const common = {
    ...COMMON,
    ...{ exists: true, problem: problem.reason, problem_line: 3, blocks_exposure: true, holds_door: true },
  };
  expect(testsView(state)).toEqual({
    ...common,
    ...{ text: 'the text', revision: 't1', starter: null, tests: [TEST], progress: null },
    last_run: { ...COUNTS, member_revision: 'r1', tests_sha256: 't1', results: [RESULT] },
  });
  expect(testsSummary(state)).toEqual({ ...common, count: 1, last_run: COUNTS });
});

it('a last run of another version is not current', () => {
  const state: TestedMemberState = { ...NONE, stored: { ...STORED, revision: 't2' }, last: LAST };
  expect(testsSummary(state).last_run).toEqual({ ...COUNTS, current: false });
});

it('a run that is under way shows how far it is', () => {
  const running = new TestRun('ada', [TEST, { ...TEST, question: 'B?' }], {} as TestAskPort);
  const progress = () => {
    const state: TestedMemberState = { ...NONE, stored: STORED, running };
    expect(testsSummary(state).running).toBe(true);
    return testsView(state).progress;
  };
  expect(progress()).toEqual({ total: 2, asking: null, request_id: null, results: [] });
  running.asking = { question: 'B?', requestId: null };
  running.results.push(RESULT);
  expect(progress()).toEqual({ total: 2, asking: 'B?', request_id: null, results: [RESULT] });
  running.asking = { question: 'B?', requestId: 'req-2' };
  expect(progress()).toMatchObject({ asking: 'B?', request_id: 'req-2' });
});
