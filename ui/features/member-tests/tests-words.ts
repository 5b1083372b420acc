import type {
  MemberTest,
  MemberTestResult,
  MemberTests,
  MemberTestsSummary,
} from '../../../daemon/contract/member-tests.js';

/** How a question stands: as it was judged, being asked now, waiting for its turn, or never put. */
export type TestStanding = 'passed' | 'failed' | 'asking' | 'waiting' | 'not run';

export interface ShownTest {
  test: MemberTest;
  standing: TestStanding;
  result: MemberTestResult | undefined;
}

/**
 * The questions of the file with how they stand. While a run goes on its own results count, and a question that it has not come to waits; results of a
 * run over other tests count for nothing where the question is gone.
 */
export function shownTests({
  tests,
  last_run,
  progress,
}: Pick<MemberTests, 'tests' | 'last_run' | 'progress'>): ShownTest[] {
  const before = new Map(last_run?.results.map((result) => [result.question, result]));
  const now = new Map(progress?.results.map((result) => [result.question, result]));
  // A run over some of the questions does not say which: the others keep what they came to.
  const isWhole = progress !== null && progress.total === tests.length;
  return tests.map((test) => {
    const fresh = now.get(test.question);
    if (!fresh && progress?.asking === test.question) return { test, standing: 'asking', result: undefined };
    if (!fresh && isWhole) return { test, standing: 'waiting', result: undefined };
    const result = fresh ?? before.get(test.question);
    return { test, result, standing: result ? (result.passed ? 'passed' : 'failed') : 'not run' };
  });
}

/** `4 of 5 passed`, as far as it can be relied on. */
export function standingWords({ last_run }: Pick<MemberTestsSummary, 'last_run'>): string {
  if (!last_run) return 'never run';
  const { passed, failed, current, outcome } = last_run;
  const counted = failed === 0 ? `${passed} passed` : `${failed} of ${passed + failed} failed`;
  if (outcome === 'cancelled') return `${counted}, then cancelled`;
  if (outcome === 'interrupted') return `${counted}, then interrupted`;
  return current ? counted : `${counted} before the last change`;
}

/** Whether the last run says that all is well as things are. */
export const areWell = ({ last_run }: Pick<MemberTestsSummary, 'last_run'>) =>
  last_run !== null && last_run.failed === 0 && last_run.current && last_run.outcome === 'finished';

/** What an answer must be, line by line, as the file says it. */
export function expectationLines({ cites, says, never_says, not_found }: MemberTest): string[] {
  return [
    ...cites.map((place) => `cites: ${place}`),
    ...says.map((words) => `says: ${words}`),
    ...never_says.map((words) => `never says: ${words}`),
    ...(not_found ? ['not found'] : []),
  ];
}
