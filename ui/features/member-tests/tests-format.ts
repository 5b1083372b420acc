import type {
  MemberTest,
  MemberTestResult,
  MemberTests,
  MemberTestsSummary,
} from '../../../daemon/contract/member-tests.js';

/** State of a test: judged, being asked, waiting in a run, or never run. */
export type TestStatus = 'passed' | 'failed' | 'asking' | 'waiting' | 'not run';

export interface ShownTest {
  test: MemberTest;
  standing: TestStatus;
  result: MemberTestResult | undefined;
}

/**
 * Combines the tests of the file with their states. During a run its results override the former ones, and tests not
 * reached yet are waiting. Results of questions that are not in the file are ignored.
 */
export function shownTests({
  tests,
  last_run,
  progress,
}: Pick<MemberTests, 'tests' | 'last_run' | 'progress'>): ShownTest[] {
  const before = new Map(last_run?.results.map((result) => [result.question, result]));
  const now = new Map(progress?.results.map((result) => [result.question, result]));
  // A partial run does not report which tests it includes, so the others keep their results.
  const isWhole = progress !== null && progress.total === tests.length;
  return tests.map((test) => {
    const fresh = now.get(test.question);
    if (!fresh && progress?.asking === test.question) return { test, standing: 'asking', result: undefined };
    if (!fresh && isWhole) return { test, standing: 'waiting', result: undefined };
    const result = fresh ?? before.get(test.question);
    return { test, result, standing: result ? (result.passed ? 'passed' : 'failed') : 'not run' };
  });
}

/** Formats as `4 of 5 passed`, with what limits the result. */
export function formatTestsState({ last_run }: Pick<MemberTestsSummary, 'last_run'>): string {
  if (!last_run) return 'never run';
  const { passed, failed, current, outcome } = last_run;
  const counted = failed === 0 ? `${passed} passed` : `${failed} of ${passed + failed} failed`;
  if (outcome === 'cancelled') return `${counted}, then cancelled`;
  if (outcome === 'interrupted') return `${counted}, then interrupted`;
  return current ? counted : `${counted} before the last change`;
}

/** Reports whether the last run finished, passed, and is still current. */
export const havePassed = ({ last_run }: Pick<MemberTestsSummary, 'last_run'>) =>
  last_run !== null && last_run.failed === 0 && last_run.current && last_run.outcome === 'finished';

/** Returns the expectations of a test, one per line, as in the file. */
export function expectationLines({ cites, says, never_says, not_found }: MemberTest): string[] {
  return [
    ...cites.map((place) => `cites: ${place}`),
    ...says.map((words) => `says: ${words}`),
    ...never_says.map((words) => `never says: ${words}`),
    ...(not_found ? ['not found'] : []),
  ];
}
