import type { MemberTests, MemberTestsSummary } from '../../contract/member-tests.js';
import type { MemberVersion } from '../team/member-file.js';
import { countResults, isCurrent } from './run-validity.js';
import { starterTests } from './starter.js';
import type { StoredTests } from './test-files.js';
import type { TestRun } from './test-run.js';
import type { EndedRun } from './test-runs.js';

/** The complete state of a member's tests. */
export interface TestedMemberState {
  id: string;
  path: string;
  /** The version that runs; undefined for a broken member. */
  member: MemberVersion | undefined;
  stored: StoredTests | undefined;
  last: EndedRun | undefined;
  running: TestRun | undefined;
  blocksExposure: boolean;
}

/** Builds the full view of a member's tests: the file, the last run and the progress of the current one. */
export function testsView(state: TestedMemberState): MemberTests {
  const { member, stored, last, running } = state;
  return {
    ...common(state),
    text: stored?.text ?? null,
    revision: stored?.revision ?? null,
    starter: stored || !member ? null : starterTests(member),
    tests: [...(stored?.tests ?? [])],
    last_run: last
      ? {
          ...counts(state, last),
          member_revision: last.member_revision,
          tests_sha256: last.tests_sha256,
          results: last.results,
        }
      : null,
    progress: running
      ? {
          total: running.tests.length,
          asking: running.asking?.question ?? null,
          request_id: running.asking?.requestId ?? null,
          results: [...running.results],
        }
      : null,
  };
}

export function testsSummary(state: TestedMemberState): MemberTestsSummary {
  const { stored, last } = state;
  return { ...common(state), count: stored?.tests.length ?? 0, last_run: last ? counts(state, last) : null };
}

function common({ id, path, stored, running, blocksExposure }: TestedMemberState) {
  return {
    id,
    path,
    exists: stored !== undefined,
    problem: stored?.problem?.reason ?? null,
    problem_line: stored?.problem?.line ?? null,
    blocks_exposure: stored?.blocksExposure ?? false,
    holds_door: blocksExposure,
    running: running !== undefined,
  };
}

function counts({ member, stored }: TestedMemberState, run: EndedRun) {
  return { at: run.at, outcome: run.outcome, ...countResults(run), current: isCurrent(run, member, stored) };
}
