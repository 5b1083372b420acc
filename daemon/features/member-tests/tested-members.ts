import type {
  CardTests,
  MemberTestResult,
  MemberTests,
  MemberTestsList,
  MemberTestsRun,
  MemberTestsText,
} from '../../contract/member-tests.js';
import type { Bus } from '../../events/bus.js';
import { type Clock, isoTime } from '../../lib/clock.js';
import { MeshError, messageOf } from '../../lib/errors.js';
import type { Exposure } from '../exposure/exposure.js';
import type { MemberVersion } from '../team/member-file.js';
import type { Team } from '../team/team.js';
import { chosenTests, inOrder, requireGoodText, requireRevision } from './test-edits.js';
import type { StoredTests, TestFiles } from './test-files.js';
import { type OperatorDesk, TestRun } from './test-run.js';
import type { EndedRun, KeptRun, TestRuns } from './test-runs.js';
import { cardTests, findHold, isCurrent, memberDigest } from './test-standing.js';
import { type Standing, testsSummary, testsView } from './tests-view.js';

export interface TestedMembersParts {
  team: Pick<Team, 'get' | 'list' | 'serving' | 'onRemoved' | 'onChanged'>;
  exposure: Pick<Exposure, 'openHeld' | 'isHeld'>;
  asks: OperatorDesk;
  files: TestFiles;
  runs: TestRuns;
  bus: Bus;
  clock: Clock;
  /** Where the operator is told of what went wrong with nobody asking. */
  warn: (message: string) => void;
}

interface Running {
  run: TestRun;
  ended: Promise<void>;
}

/** A run, what it is over, and the results that it leaves as they are. */
interface Begun {
  id: string;
  run: TestRun;
  member: MemberVersion;
  stored: StoredTests;
  kept: MemberTestResult[];
}

/**
 * Contract tests of members: what each must answer, put to it as real asks of the operator's, one after the other, and judged. A member whose tests block
 * exposure is not opened before they have passed for its present file; one that is open stays open when they fail later, so that nobody who relies on it is
 * cut off by surprise: its page and its cards say so. The asks stand in the request log as tests and are not counted against the six of its callers.
 * Contract: Contract tests of members.
 */
export class TestedMembers {
  private readonly running = new Map<string, Running>();
  private isStopped = false;

  constructor(private readonly parts: TestedMembersParts) {
    parts.team.onRemoved((id) => this.forget(id));
    parts.team.onChanged((id) => this.openHeld(id));
    parts.files.onChange(async (id) => {
      await this.openHeld(id);
      parts.bus.publish('team.tests.changed', { id });
    });
  }

  /** Reads the tests and the last runs. To be called when the team has started and before any door opens. */
  async start(): Promise<void> {
    await this.parts.runs.load();
    await this.parts.files.open();
  }

  /** Ends what runs as interrupted. Resolves when that is on disk. */
  async stop(): Promise<void> {
    this.isStopped = true;
    for (const { run } of this.running.values()) run.callOff();
    await Promise.all([...this.running.values()].map(({ ended }) => ended));
    await this.parts.files.close();
  }

  /** Why `member` must not be opened now; undefined when it may. As last seen, without looking at the disk. */
  findHold(member: MemberVersion): string | undefined {
    return findHold(member, this.parts.files.find(member.id), this.parts.runs.find(member.id));
  }

  /** Looks at the disk for the tests of a member: they may have come with the change that opens it. */
  async look(id: string): Promise<void> {
    await this.parts.files.read(id);
  }

  /** What the cards of an exposed member say of its tests; undefined when it has none. */
  cardTests(member: MemberVersion): CardTests | undefined {
    return cardTests(member, this.parts.files.find(member.id), this.parts.runs.find(member.id));
  }

  /** The tests of a member with their last run, after a look at the disk. Throws `not_found` for an unknown member. */
  async get(id: string): Promise<MemberTests> {
    await this.parts.team.get(id);
    return testsView(this.standing(id, await this.parts.files.read(id)));
  }

  /** All members with their tests in short, in roster order. */
  async list(): Promise<MemberTestsList> {
    const { members } = await this.parts.team.list();
    const rows = await Promise.all(
      members.map(async ({ id }) => testsSummary(this.standing(id, await this.parts.files.read(id)))),
    );
    return { members: rows, count: rows.length };
  }

  /**
   * Writes the file of a member's tests. Throws `file_changed` with `revision` when the file on disk is not the one that `revision` names, `too_large` beyond
   * 256 KiB, `secret_in_member_file`, `bad_request` with `problem` for a text that could not be read, `not_found`. Publishes `team.tests.changed`.
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
   * Begins to put the questions, all or those of `only`, and returns at once; that it has begun is on disk then. Questions that are left out keep their
   * results when member and tests are those of the last run. Throws `not_found` without a file, `bad_request` for one that cannot be read or a place that has no
   * question, `in_flight` while a run goes on, `member_gone` for a member that cannot run. Publishes `team.tests.started`, `.progress` and `.ended`.
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
    // From here on a second run is refused.
    this.running.set(id, { run, ended: new Promise((resolve) => (settle = resolve)) });
    const written = { id, run, member, stored, kept: this.keptResults(run, member, stored) };
    try {
      await this.parts.runs.begin(id, this.record(written, 'running'));
    } catch (error) {
      this.running.delete(id);
      settle();
      throw error;
    }
    this.parts.bus.publish('team.tests.started', { id });
    void this.seeThrough(written).finally(settle);
    return testsView(this.standing(id, files.find(id)));
  }

  /** Calls off what runs, with the question that is being asked. Nothing happens when nothing runs. Throws `not_found`. */
  async cancel(id: string): Promise<MemberTests> {
    const running = this.running.get(id);
    running?.run.callOff();
    await running?.ended;
    return this.get(id);
  }

  private async seeThrough(begun: Begun): Promise<void> {
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
      warn(`The tests of ${id} broke off: ${messageOf(error)}`);
    }
    const now = team.serving(id);
    // Answers of two versions are the standing of neither.
    const isSame = now !== undefined && memberDigest(now) === memberDigest(member);
    if (now) await runs.end(id, { ...this.record(begun, outcome), ...(isSame ? {} : { member_sha256: '' }) });
    else await runs.forget(id).catch((error: unknown) => warn(messageOf(error)));
    this.running.delete(id);
    await this.openHeld(id);
    bus.publish('team.tests.ended', { id });
  }

  /** Opens the member if only its tests kept it shut; what keeps it shut now is told. */
  private openHeld(id: string): Promise<void> {
    return this.parts.exposure
      .openHeld(id)
      .catch((error: unknown) => this.parts.warn(`Member ${id}: ${messageOf(error)}`));
  }

  /** What the last run found of the questions that this one leaves out. */
  private keptResults(run: TestRun, member: MemberVersion, stored: StoredTests): MemberTestResult[] {
    const last = this.parts.runs.find(member.id);
    const asked = new Set(run.tests.map(({ question }) => question));
    return last && isCurrent(last, member, stored) ? last.results.filter(({ question }) => !asked.has(question)) : [];
  }

  private record<T extends KeptRun['outcome']>(
    { run, member, stored, kept }: Begun,
    outcome: T,
  ): KeptRun & { outcome: T } {
    return {
      at: isoTime(this.parts.clock.now()),
      member_revision: member.revision,
      member_sha256: memberDigest(member),
      tests_sha256: stored.revision,
      outcome,
      results: inOrder(stored.tests, [...kept, ...run.results]),
    };
  }

  /** What was kept of a member that is gone. Its file of tests is the operator's and stays. */
  private async forget(id: string): Promise<void> {
    this.running.get(id)?.run.callOff();
    await this.parts.runs.forget(id);
  }

  private standing(id: string, stored: StoredTests | undefined): Standing {
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
      holdsDoor: isShut && this.findHold(member) !== undefined,
    };
  }
}
