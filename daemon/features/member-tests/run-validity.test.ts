import { describe, expect, it } from 'vitest';
import type { MemberTest } from '../../contract/member-tests.js';
import { type MemberVersion, withDefaults } from '../team/member-file.js';
import { cardTests, countResults, findHold, isCurrent, memberDigest } from './run-validity.js';
import type { StoredTests } from './test-files.js';
import type { EndedRun } from './test-runs.js';

const member = (more: Partial<MemberVersion> = {}): MemberVersion => ({
  ...withDefaults('ada', {}, ''),
  ...{ body: 'You are Ada.', unknown_keys: [], revision: 'r1' },
  ...more,
});
const question = (text: string): MemberTest => ({
  ...{ question: text, cites: [], says: ['x'], never_says: [], not_found: false },
});
const result = (text: string, passed: boolean) => ({
  ...{ question: text, passed, failures: [] },
  ...{ request_id: null, latency_ms: null, error_code: null },
});
const TESTS: StoredTests = {
  ...{ blocksExposure: true, tests: [question('A?'), question('B?')], problem: undefined },
  ...{ text: '', revision: 't1' },
};
const RUN: EndedRun = {
  ...{ at: '2026-01-01T00:00:00.000Z', member_revision: 'r1', member_sha256: memberDigest(member()) },
  ...{ tests_sha256: 't1', outcome: 'finished', results: [result('A?', true), result('B?', true)] },
};

describe('the digest of a member', () => {
  it('is another one when anything that may change its answers is', () => {
    const digest = memberDigest(member());
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    for (const more of [{ body: 'You are Eve.' }, { name: 'Eve' }, { model: 'opus' }, { tools: ['read'] }])
      expect(memberDigest(member(more)), JSON.stringify(more)).not.toBe(digest);
  });

  it('is the same whatever its exposure, its revision, its unknown keys and what is kept for exports are', () => {
    const digest = memberDigest(member());
    const kept = { origin: { format: 'claude' }, vendor: { claude: { hooks: {} } } };
    for (const more of [{ exposure: 'external' as const }, { revision: 'r2' }, { unknown_keys: ['x-own'] }, kept])
      expect(memberDigest(member(more)), JSON.stringify(more)).toBe(digest);
  });

  it('of one version stays the same, and of values that JSON does not have there is one', () => {
    const odd = member({ payment: { more: Number.NaN } });
    expect(memberDigest(odd)).toBe(memberDigest(odd));
    expect(memberDigest(odd)).toBe(memberDigest(member({ payment: { more: null } })));
  });
});

it.each<[string, MemberVersion | undefined, StoredTests | undefined, boolean]>([
  ['the same', member(), TESTS, true],
  ['another exposure', member({ exposure: 'external' }), TESTS, true],
  ['another member', member({ body: 'You are Eve.' }), TESTS, false],
  ['no member', undefined, TESTS, false],
  ['other tests', member(), { ...TESTS, revision: 't2' }, false],
  ['no tests', member(), undefined, false],
])('a run is current with %s: %#', (_title, now, tests, isOne) => {
  expect(isCurrent(RUN, now, tests)).toBe(isOne);
});

it('the results that passed and those that did not are counted', () => {
  const results = [result('A?', true), result('B?', false), result('C?', false)];
  expect(countResults({ results })).toEqual({ passed: 1, failed: 2 });
  expect(countResults({ results: [] })).toEqual({ passed: 0, failed: 0 });
});

describe('what keeps a member internal', () => {
  const problem = { line: 3, column: 1, reason: 'There is no question.' };
  const NOT_ALL = 'Not every test of `ada` has run, and they block its exposure. Run `meshd team test ada`.';
  const CHANGED =
    'The tests of `ada` block its exposure, and the member or its tests have changed since they ran. ' +
    'Run `meshd team test ada`.';

  it.each<[string, StoredTests | undefined, EndedRun | undefined, string | undefined]>([
    ['no tests', undefined, undefined, undefined],
    ['tests that do not block', { ...TESTS, blocksExposure: false, problem }, undefined, undefined],
    ['passed', TESTS, RUN, undefined],
    [
      'unreadable',
      { ...TESTS, problem },
      RUN,
      'The tests of `ada` cannot be read (line 3: There is no question.), and it stays internal until they pass.',
    ],
    [
      'never run',
      TESTS,
      undefined,
      'The tests of `ada` block its exposure and were never run. Run `meshd team test ada`.',
    ],
    ['changed', { ...TESTS, revision: 't2' }, RUN, CHANGED],
    [
      'failed',
      TESTS,
      { ...RUN, results: [result('A?', true), result('B?', false)] },
      '1 of 2 tests of `ada` failed, and they block its exposure. Fix the member or its tests, then run ' +
        '`meshd team test ada`.',
    ],
    ['one left out', TESTS, { ...RUN, results: [result('A?', true)] }, NOT_ALL],
    ['cancelled after the last', TESTS, { ...RUN, outcome: 'cancelled' }, NOT_ALL],
    ['nothing run', TESTS, { ...RUN, results: [] }, NOT_ALL],
  ])('%s', (_title, tests, run, hold) => {
    expect(findHold(member(), tests, run)).toBe(hold);
  });
});

it.each<[string, StoredTests | undefined, EndedRun | undefined, ReturnType<typeof cardTests>]>([
  ['nothing without tests', undefined, RUN, undefined],
  ['zeros before the first run', TESTS, undefined, { passed: 0, failed: 0, at: null, current: false }],
  ['a current run', TESTS, RUN, { passed: 2, failed: 0, at: RUN.at, current: true }],
  ['a run of other tests', { ...TESTS, revision: 't2' }, RUN, { passed: 2, failed: 0, at: RUN.at, current: false }],
  [
    'a run that was cancelled',
    TESTS,
    { ...RUN, outcome: 'cancelled', results: [result('A?', false)] },
    { passed: 0, failed: 1, at: RUN.at, current: false },
  ],
])('a card shows %s', (_title, tests, run, shown) => {
  expect(cardTests(member(), tests, run)).toEqual(shown);
});
