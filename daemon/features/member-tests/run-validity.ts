import type { CardTests, MemberTest } from '../../contract/member-tests.js';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { jcs } from '../../lib/crypto/jcs.js';
import type { MemberVersion } from '../team/member-file.js';
import type { StoredTests } from './test-files.js';
import type { EndedRun } from './test-runs.js';

const digests = new WeakMap<MemberVersion, string>();

/** Digest of a member without its exposure and what is kept for exports, which do not affect answers. */
export function memberDigest(member: MemberVersion): string {
  const known = digests.get(member);
  if (known !== undefined) return known;
  const {
    exposure: _exposure,
    revision: _revision,
    unknown_keys: _unknown,
    origin: _origin,
    vendor: _vendor,
    ...rest
  } = member;
  // Converted through JSON, since YAML has values and shared references that the canonical form does not support.
  const digest = sha256Hex(jcs(JSON.parse(JSON.stringify(rest))));
  digests.set(member, digest);
  return digest;
}

/** Whether `run` used the current member and tests. */
export function isCurrent(run: EndedRun, member: MemberVersion | undefined, tests: StoredTests | undefined): boolean {
  return (
    member !== undefined &&
    tests !== undefined &&
    run.member_sha256 === memberDigest(member) &&
    run.tests_sha256 === tests.revision
  );
}

export function countResults({ results }: Pick<EndedRun, 'results'>): { passed: number; failed: number } {
  const passed = results.filter((result) => result.passed).length;
  return { passed, failed: results.length - passed };
}

/** Whether every question of `tests` has passed in `run`. */
function hasPassed(run: EndedRun, tests: readonly MemberTest[]): boolean {
  const passed = new Set(run.results.filter((result) => result.passed).map(({ question }) => question));
  return run.outcome === 'finished' && tests.every(({ question }) => passed.has(question));
}

/**
 * Returns why `member` must not be exposed; undefined when it may: it has no tests, they do not block exposure, or the
 * last run passed for the current member and tests.
 */
export function findHold(
  member: MemberVersion,
  tests: StoredTests | undefined,
  run: EndedRun | undefined,
): string | undefined {
  if (!tests?.blocksExposure) return undefined;
  const { id } = member;
  const again = `Run \`meshd team test ${id}\``;
  if (tests.problem)
    return (
      `The tests of \`${id}\` cannot be read (line ${tests.problem.line}: ${tests.problem.reason}), and it stays ` +
      'internal until they pass.'
    );
  if (!run) return `The tests of \`${id}\` block its exposure and were never run. ${again}.`;
  if (!isCurrent(run, member, tests))
    return (
      `The tests of \`${id}\` block its exposure, and the member or its tests have changed since they ` +
      `ran. ${again}.`
    );
  if (hasPassed(run, tests.tests)) return undefined;
  const { failed } = countResults(run);
  return failed > 0
    ? `${failed} of ${tests.tests.length} tests of \`${id}\` failed, and they block its exposure. Fix the member ` +
        `or its tests, then run \`meshd team test ${id}\`.`
    : `Not every test of \`${id}\` has run, and they block its exposure. ${again}.`;
}

/**
 * Returns the test results for a member's cards; undefined without a test file. Both counts are 0 before the first run.
 */
export function cardTests(
  member: MemberVersion,
  tests: StoredTests | undefined,
  run: EndedRun | undefined,
): CardTests | undefined {
  if (!tests) return undefined;
  if (!run) return { passed: 0, failed: 0, at: null, current: false };
  return { ...countResults(run), at: run.at, current: run.outcome === 'finished' && isCurrent(run, member, tests) };
}
