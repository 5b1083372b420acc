import type {
  CardTests,
  MemberTestResult,
  MemberTests,
  MemberTestsList,
  MemberTestsRun,
  MemberTestsText,
  RequestTest,
} from '../../contract/member-tests.js';
import type { Bus } from '../../events/bus.js';
import { getErrorMessage, MeshError } from '../../lib/errors.js';
import { type Clock, isoTime } from '../../lib/time/clock.js';
import type { Exposure } from '../exposure/exposure.js';
import type { MemberVersion } from '../team/member-file.js';
import type { Team } from '../team/team.js';
import { addQuestion } from './question-of-request.js';
import { cardTests, countResults, findHold, isCurrent, memberDigest } from './run-validity.js';
import { chosenTests, inOrder, requireGoodText, requireRevision } from './test-edits.js';
import type { StoredTests, TestFiles } from './test-files.js';
import { type TestAskPort, TestRun } from './test-run.js';
import type { EndedRun, StoredRun, TestRuns } from './test-runs.js';
import { type TestedMemberState, testsSummary, testsView } from './tests-view.js';

interface TestedMembersParts {
  team: Pick<Team, 'get' | 'list' | 'serving' | 'onRemoved' | 'onGone' | 'onChanged'>;
  exposure: Pick<Exposure, 'openHeld' | 'isHeld'>;
  asks: TestAskPort;
  files: TestFiles;
  runs: TestRuns;
  bus: Bus;
  clock: Clock;
  /** Reports a failure that has no caller to the operator. */
  warn: (message: string) => void;
}

interface Running {
  run: TestRun;
  ended: Promise<void>;
}

/** A run with its member, its tests, and the earlier results that it keeps. */
interface StartedRun {
  id: string;
  run: TestRun;
  member: MemberVersion;
  stored: StoredTests;
  kept: MemberTestResult[];
}

/**
 * Contract tests of members: each question is sent as an ask of the operator, one at a time, and the answer is judged.
 * A member whose tests block exposure is not exposed before they pass for its current file. An exposed member stays
 * exposed when they fail later, so that its callers are not cut off unexpectedly; its page and cards report the
 * failure. The asks are marked as tests in the request log and do not count towards the member's limit of six.
 * Contract: Contract tests of members.
 */
export class TestedMembers {
  private readonly running = new Map<string, Running>();
  private isStopped = false;

  constructor(private readonly parts: TestedMembersParts) {
    parts.team.onRemoved(async (id) => this.running.get(id)?.run.callOff());
    parts.team.onGone((id) => {
      parts.files.giveUpGone(id);
      return parts.runs.forget(id);
    });
    parts.team.onChanged((id) => this.openHeld(id));
    parts.files.onChange(async (id) => {
      await this.openHeld(id);
      parts.bus.publish('team.tests.changed', { id });
    });
  }

  /** Loads the tests and the last runs. Must be called when the team has started and before any member is exposed. */
  async start(): Promise<void> {
    await this.parts.runs.load();
    await this.parts.files.open();
  }

  /** Ends all runs as interrupted. Resolves when that is on disk. */
  async stop(): Promise<void> {
    this.isStopped = true;
    for (const { run } of this.running.values()) run.callOff();
    await Promise.all([...this.running.values()].map(({ ended }) => ended));
    await this.parts.files.close();
  }

  /**
   * Returns why `member` must not be exposed; undefined when it may. Uses the cached tests. Those that are gone from
   * the disk, as on another branch, hold it until the operator exposes it without them.
   */
  findHold(member: MemberVersion): string | undefined {
    const { id } = member;
    if (this.parts.files.isGone(id)) {
      const way = `\`meshd team expose ${id}\` exposes it without them.`;
      return `The tests of \`${id}\`, which block its exposure, are gone from ${this.parts.files.pathOf(id)}. ${way}`;
    }
    return findHold(member, this.parts.files.find(member.id), this.parts.runs.find(member.id));
  }

  /** Reads a member's tests from disk: they may have arrived together with the change that exposes it. */
  async look(id: string, isAsked: boolean): Promise<void> {
    const tests = await this.parts.files.read(id);
    if (isAsked && !tests) this.parts.files.giveUpGone(id);
  }

  /** Returns the test results for the cards of an exposed member; undefined when it has no tests. */
  cardTests(member: MemberVersion): CardTests | undefined {
    return cardTests(member, this.parts.files.find(member.id), this.parts.runs.find(member.id));
  }

  /** Reads and returns the tests of a member with their last run. Throws `not_found` for an unknown member. */
  async get(id: string): Promise<MemberTests> {
    await this.parts.team.get(id);
    return testsView(this.getState(id, await this.parts.files.read(id)));
  }

  /** Returns a summary of the tests of all members, in roster order. */
  async list(): Promise<MemberTestsList> {
    const { members } = await this.parts.team.list();
    const rows = await Promise.all(
      members.map(async ({ id }) => testsSummary(this.getState(id, await this.parts.files.read(id)))),
    );
    return { members: rows, count: rows.length };
  }

  /**
   * Writes the test file of a member. Throws `file_changed` with `revision` when the file on disk does not match
   * `revision`, `too_large` beyond 256 KiB, `secret_in_member_file`, `bad_request` with `problem` for a text that
   * cannot be parsed, and `not_found`. Publishes `team.tests.changed`.
   */
  async write(id: string, { text, revision }: MemberTestsText): Promise<MemberTests> {
    await this.parts.team.get(id);
    requireGoodText(text);
    await this.parts.files.change(id, (current) => {
      requireRevision(current, revision);
      return text;
    });
    return this.get(id);
  }

  /**
   * Adds the question of a request to the tests of its member. Throws `not_found`, `bad_request` as `addQuestion` does,
   * and what `write` throws. Publishes `team.tests.changed`.
   */
  async addFromRequest(requestId: string, more: RequestTest): Promise<MemberTests> {
    const request = await this.parts.asks.detail(requestId);
    await this.parts.team.get(request.member);
    await this.parts.files.change(request.member, (current) => {
      const text = addQuestion(current, request, more);
      requireGoodText(text);
      return text;
    });
    return this.get(request.member);
  }

  /**
   * Starts a run of all questions or those in `only`. Resolves once the start is on disk. Omitted questions keep their
   * results when member and tests have not changed since the last run. Throws `not_found` without a file, `bad_request`
   * for an invalid file or index, `in_flight` during another run, and `member_gone` for a member that cannot run.
   * Publishes `team.tests.started`, `.progress` and `.ended`.
   */
  async run(id: string, { only }: MemberTestsRun): Promise<MemberTests> {
    const { team, files } = this.parts;
    await team.get(id);
    const stored = await files.read(id);
    if (!stored)
      throw new MeshError(
        'not_found',
        `\`${id}\` has no tests: write ${files.pathOf(id)}, or begin with \`meshd team test ${id} --init\`.`,
      );
    if (stored.problem) {
      throw new MeshError('bad_request', `${files.pathOf(id)}, line ${stored.problem.line}: ${stored.problem.reason}`, {
        details: { problem: stored.problem },
      });
    }
    const member = team.serving(id);
    if (!member)
      throw new MeshError(
        'member_gone',
        `The file of \`${id}\` is broken, and no version of it can run: mend it first.`,
      );
    const chosen = chosenTests(stored.tests, only);
    if (this.running.has(id) || this.isStopped)
      throw new MeshError('in_flight', `The tests of \`${id}\` are running already.`);
    const run = new TestRun(id, chosen, this.parts.asks);
    let settle: () => void = () => undefined;
    // From this point a second run is rejected.
    this.running.set(id, { run, ended: new Promise((resolve) => (settle = resolve)) });
    const written = { id, run, member, stored, kept: this.listValidResults(run, member, stored) };
    try {
      await this.parts.runs.begin(id, this.record(written, 'running'));
    } catch (error) {
      this.running.delete(id);
      settle();
      throw error;
    }
    this.parts.bus.publish('team.tests.started', { id });
    void this.completeRun(written).finally(settle);
    return testsView(this.getState(id, files.find(id)));
  }

  /** Runs all tests of a member and resolves with what they showed when the run has ended. Throws as `run` does. */
  async runToEnd(id: string): Promise<{ passed: number; failed: number; outcome: string }> {
    await this.run(id, {});
    await this.running.get(id)?.ended;
    const run = this.parts.runs.find(id);
    return run ? { ...countResults(run), outcome: run.outcome } : { passed: 0, failed: 0, outcome: 'interrupted' };
  }

  /** Cancels the run and its current ask. Does nothing without a run. Throws `not_found`. */
  async cancel(id: string): Promise<MemberTests> {
    const running = this.running.get(id);
    running?.run.callOff();
    await running?.ended;
    return this.get(id);
  }

  private async completeRun(begun: StartedRun): Promise<void> {
    const { bus, runs, warn, team } = this.parts;
    const { id, run, member } = begun;
    let outcome: EndedRun['outcome'] = 'finished';
    try {
      await run.run(async () => {
        if (!run.asking) await runs.note(id, this.record(begun, 'running'));
        bus.publish('team.tests.progress', { id });
      });
      if (run.isCalledOff) outcome = this.isStopped ? 'interrupted' : 'cancelled';
    } catch (error) {
      outcome = 'interrupted';
      warn(`The tests of ${id} broke off: ${getErrorMessage(error)}`);
    }
    const now = team.serving(id);
    // Answers of two versions are a valid result for neither.
    const isSame = now !== undefined && memberDigest(now) === memberDigest(member);
    if (now) await runs.end(id, { ...this.record(begun, outcome), ...(isSame ? {} : { member_sha256: '' }) });
    else await runs.forget(id).catch((error: unknown) => warn(getErrorMessage(error)));
    this.running.delete(id);
    await this.openHeld(id);
    bus.publish('team.tests.ended', { id });
  }

  /** Exposes the member if only its tests held it. A failure is only a warning. */
  private openHeld(id: string): Promise<void> {
    return this.parts.exposure
      .openHeld(id)
      .catch((error: unknown) => this.parts.warn(`Member ${id}: ${getErrorMessage(error)}`));
  }

  /** Returns the last results of the questions that this run omits. */
  private listValidResults(run: TestRun, member: MemberVersion, stored: StoredTests): MemberTestResult[] {
    const last = this.parts.runs.find(member.id);
    const asked = new Set(run.tests.map(({ question }) => question));
    return last && isCurrent(last, member, stored) ? last.results.filter(({ question }) => !asked.has(question)) : [];
  }

  private record<T extends StoredRun['outcome']>(
    { run, member, stored, kept }: StartedRun,
    outcome: T,
  ): StoredRun & { outcome: T } {
    return {
      at: isoTime(this.parts.clock.now()),
      member_revision: member.revision,
      member_sha256: memberDigest(member),
      tests_sha256: stored.revision,
      outcome,
      results: inOrder(stored.tests, [...kept, ...run.results]),
    };
  }

  /** Deletes the runs of a removed member. Its test file belongs to the operator and is kept. */
  private getState(id: string, stored: StoredTests | undefined): TestedMemberState {
    const { team, runs, files, exposure } = this.parts;
    const member = team.serving(id);
    const isShut = member !== undefined && (member.exposure === 'internal' || exposure.isHeld(member));
    return {
      id,
      path: files.pathOf(id),
      member,
      stored,
      last: runs.find(id),
      running: this.running.get(id)?.run,
      blocksExposure: isShut && this.findHold(member) !== undefined,
    };
  }
}
