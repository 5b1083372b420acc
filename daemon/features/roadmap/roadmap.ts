import type { RoadmapTask, Roadmap as RoadmapView, RunRoadmap, TaskPatch } from '../../contract/work/roadmap.js';
import type { Bus } from '../../events/bus.js';
import { getErrorMessage, isMeshError, MeshError } from '../../lib/errors.js';
import type { Transaction, Transactions } from '../../storage/database/transaction.js';
import type { Conversations } from '../conversations/conversations.js';
import type { Messages } from '../conversations/messages.js';
import type { TurnChange } from '../conversations/turn-change.js';
import type { TurnRuns } from '../conversations/turn-runs.js';
import type { MemberVersion } from '../team/member-file.js';
import type { Team } from '../team/team.js';
import type { RoadmapStore, WorkRow } from './roadmap-store.js';
import { ORCHESTRATOR, type RunLog } from './run-log.js';
import type { TaskChecks } from './task-checks.js';
import { readTasks, type TaskLine, withTask } from './task-list.js';

const DEFAULT_MEMBER = 'developer';
/** How often a member may try until its task's check passes. */
const ATTEMPTS_MAX = 3;
const REASON_MAX = 500;
/** How many tasks the notice of a new run lists. */
const TASKS_TOLD = 100;
const UNCHECKED = 'answered, and no check says that it is done: look at it, then mark it done';
const BUILTIN = 'No model connected: the built-in search answers questions and does no work.';

const getMember = (task: TaskLine) => task.member ?? DEFAULT_MEMBER;

/** The roadmap file. `read` resolves to undefined when it does not exist. */
interface RoadmapFile {
  readonly relativePath: string;
  read(): Promise<string | undefined>;
  write(text: string): Promise<void>;
}

interface RoadmapParts {
  file: RoadmapFile;
  store: RoadmapStore;
  /** Tells of the run in the orchestrator's conversation. */
  log: Pick<RunLog, 'begin' | 'add' | 'asking'>;
  transactions: Pick<Transactions, 'run'>;
  team: Pick<Team, 'serving'>;
  conversations: Pick<Conversations, 'create'>;
  messages: Pick<Messages, 'say'>;
  runs: Pick<TurnRuns, 'follow'>;
  checks: Pick<TaskChecks, 'describe' | 'judge'>;
  bus: Bus;
  /** Whether a client that completes tasks, other than the built-in search, is ready for the member. */
  canWork(member: MemberVersion): boolean;
  warn(message: string): void;
}

/** Work whose turn has ended, and the text of its answer. */
interface Ended {
  work: WorkRow;
  answer: string;
}

const STEPS = { queued: 'queued', running: 'working', ended: 'checking' } as const;

/**
 * The queue of `.mesh/roadmap.md`. The file belongs to the operator: it is read again before every step, only the lines
 * of the affected task are changed, and edits on disk take precedence. A task is done when its check passed, never
 * because something was answered. Which turn has which task in hand is stored with the turn's message, so that a restart
 * neither loses a task nor gives it out twice. Contract: Roadmap.
 */
export class Roadmap {
  /** Turns whose tasks are being judged. */
  private readonly settling = new Set<string>();
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly parts: RoadmapParts) {
    parts.runs.follow((change, transaction) => this.followTurn(change, transaction));
  }

  /** The tasks as currently in the file, with the state of running work. */
  async view(): Promise<RoadmapView> {
    const { tasks, problems } = readTasks((await this.parts.file.read()) ?? '');
    const work = this.parts.store.listWork();
    const { running, parallel } = this.parts.store.run();
    const done = doneIds(tasks);
    return {
      path: this.parts.file.relativePath,
      tasks: tasks.map((task) => ({
        ...task,
        waits_for: task.after.filter((other) => !done.has(other)),
        ...getProgress(task, work.get(task.id)),
      })),
      running,
      limit: parallel,
      conv: this.parts.store.findRunTurn()?.conv ?? null,
      problem: problems[0] ?? null,
      problems,
    };
  }

  /**
   * Goes on after a restart. A task whose turn was answered is checked, one whose turn the restart ended is open again,
   * and one whose message still waits stays in hand. A run that was not stopped goes on; one whose file cannot be read
   * ends.
   */
  async resume(): Promise<void> {
    for (const work of this.parts.store.listWork().values())
      if (work.in_hand === 1 && work.state === 'ended') {
        if (work.code === 'daemon_restarted') await this.release(work, undefined);
        else this.beginSettling({ work, answer: this.parts.store.answerOf(work.turn) });
      }
    if (this.parts.store.run().running) await this.assignTasks();
  }

  /**
   * Changes one task in the file. Throws `not_found`, and `bad_request` for an unknown member.
   * Publishes `roadmap.updated`.
   */
  async patch(id: string, patch: TaskPatch): Promise<RoadmapView> {
    if (patch.member && !this.parts.team.serving(patch.member)) {
      throw new MeshError('bad_request', `There is no member \`${patch.member}\`.`, { details: { path: 'member' } });
    }
    await this.change(id, patch);
    return this.view();
  }

  /**
   * Assigns ready tasks to their members in order, at most `limit` concurrently, until none is ready or `stop` is
   * called. A task is ready when all tasks that it waits for are done. Tasks of members without a working client stay
   * as they are; throws `no_working_client` when all open ones do. Publishes `roadmap.updated`.
   */
  async run({ limit = 1 }: RunRoadmap): Promise<RoadmapView> {
    const { tasks } = readTasks((await this.parts.file.read()) ?? '');
    const open = tasks.filter(({ state }) => state === 'open');
    if (open.length > 0 && !open.some((task) => this.hasWorker(task))) throw noWorkingClient(open);
    await this.parts.transactions.run((transaction) => {
      const { store, log } = this.parts;
      const isNew = !store.run().running;
      store.putRun(transaction, { running: true, parallel: limit });
      if (isNew) log.begin(transaction, this.describeRun(tasks, limit));
      else log.add(transaction, `The run goes on, at most ${limit} at once.`);
    });
    await this.assignTasks();
    return this.view();
  }

  /** Stops assigning tasks. Running ones continue. Publishes `roadmap.updated`. */
  async stop(): Promise<RoadmapView> {
    await this.endRun('Stopped by the operator: nothing more is given out, and what runs goes on to its end.');
    this.parts.bus.publish('roadmap.updated', {});
    return this.view();
  }

  /** Rejects when the file cannot be read or written; then the run has ended. */
  private async assignTasks(): Promise<void> {
    await this.inTurn(() => this.assignReady()).finally(() => this.parts.bus.publish('roadmap.updated', {}));
  }

  private async assignReady(): Promise<void> {
    try {
      while (await this.assignNext());
    } catch (error) {
      await this.endRun(`The run has ended: ${getErrorMessage(error)}`);
      throw error;
    }
  }

  /** Gives out the next task. Returns false when there is none, or no place for it. */
  private async assignNext(): Promise<boolean> {
    const { running, parallel } = this.parts.store.run();
    const inHand = [...this.parts.store.listWork().values()].filter(({ in_hand }) => in_hand === 1);
    if (!running || inHand.length >= parallel) return false;
    const { tasks } = readTasks((await this.parts.file.read()) ?? '');
    const done = doneIds(tasks);
    const isReady = (task: TaskLine) =>
      task.state === 'open' && task.after.every((other) => done.has(other)) && this.hasWorker(task);
    const next = tasks.find((one) => !inHand.some(({ task }) => task === one.id) && isReady(one));
    if (next) await this.begin(next);
    else if (inHand.length === 0) await this.endRun(`No task is ready: the run has ended. ${countStates(tasks)}`);
    return next !== undefined;
  }

  /** Whether the task can be assigned. One of an unknown member can, and is then marked as blocked. */
  private hasWorker(task: TaskLine): boolean {
    const member = this.parts.team.serving(getMember(task));
    return member === undefined || this.parts.canWork(member);
  }

  private async begin(task: TaskLine): Promise<void> {
    const member = getMember(task);
    try {
      const conv = await this.conversationWith(member, task);
      const check = this.parts.checks.describe(task);
      const text =
        `Task ${task.id} of ${this.parts.file.relativePath}: ${task.text}\n\n` +
        'Finish it as your prompt says, and end with what was done and how it was checked.' +
        (check === undefined ? '' : `\n\nIt is done when this passes: ${check}`);
      const { store, log } = this.parts;
      await this.parts.messages.say(
        conv,
        { text },
        {
          asking: log.asking,
          record: (transaction, turn) => {
            store.putLease(transaction, task.id, turn);
            log.add(transaction, `\`${task.id}\` was given to ${member}, in ${conv}.`);
          },
        },
      );
    } catch (error) {
      const reason = getErrorMessage(error);
      await this.write(task.id, { state: 'blocked', reason });
      await this.addLogLine(`\`${task.id}\` is blocked: ${reason}`);
    }
  }

  /** Creates a conversation for the task. A busy singleton member works in its existing conversation instead. */
  private async conversationWith(member: string, task: TaskLine): Promise<string> {
    try {
      return (await this.parts.conversations.create({ member, title: `${task.id}: ${task.text}`.slice(0, 200) })).conv;
    } catch (error) {
      const conv = isMeshError(error, 'singleton_busy') ? error.details['conv'] : undefined;
      if (typeof conv !== 'string') throw error;
      return conv;
    }
  }

  private followTurn(change: TurnChange, transaction: Transaction): void {
    // What a restart ended is released by `resume`.
    if (change.kind !== 'ended' || change.ending.code === 'daemon_restarted') return;
    const work = this.parts.store.findInHand(change.turn.turn);
    if (!work) return;
    const { outcome } = change.ending;
    this.parts.log.add(transaction, `\`${work.task}\`, attempt ${work.attempt}: the turn ended as ${outcome}.`);
    transaction.afterCommit(() => this.beginSettling({ work, answer: change.answer?.text ?? '' }));
  }

  /** Settles work in the background, once. */
  private beginSettling(ended: Ended): void {
    const { turn } = ended.work;
    if (this.settling.has(turn)) return;
    this.settling.add(turn);
    void this.settle(ended)
      .catch((error: unknown) => this.parts.warn(`Roadmap, task ${ended.work.task}: ${getErrorMessage(error)}`))
      .finally(() => this.settling.delete(turn));
  }

  /** Work that cannot be judged because the daemon stops stays in hand, and is judged at the next start. */
  private async settle({ work, answer }: Ended): Promise<void> {
    const outcome = await this.judge(work, answer);
    if (outcome !== 'tries again')
      await this.inTurn(() => this.close(work, outcome)).catch((error: unknown) =>
        this.parts.warn(`Roadmap, task ${work.task}: ${getErrorMessage(error)}`),
      );
    await this.assignTasks();
  }

  /**
   * Marks a task and releases it, in this order: one that is neither marked nor in hand would be given out again. When
   * the file cannot be written, the run ends.
   */
  private async close(work: WorkRow, judged: TaskPatch | undefined): Promise<void> {
    let outcome = judged;
    try {
      if (outcome && !(await this.findOpen(work.task))) outcome = undefined;
      if (outcome) await this.write(work.task, outcome);
    } catch (error) {
      await this.endRun(
        `\`${work.task}\` could not be marked in ${this.parts.file.relativePath}: the run has ended. ` +
          getErrorMessage(error),
      );
      throw error;
    } finally {
      await this.release(work, outcome);
    }
  }

  /** What the end of a turn makes of its task. Undefined when the task is gone, or its mark was changed meanwhile. */
  private async judge(work: WorkRow, answer: string): Promise<TaskPatch | 'tries again' | undefined> {
    const task = await this.findOpen(work.task);
    if (!task) return undefined;
    if (work.outcome !== 'answered') return { state: 'blocked', reason: `${work.outcome}: ${work.reason ?? ''}` };
    if (work.client === 'builtin') return { state: 'blocked', reason: BUILTIN };
    if (task.check === null) return { state: 'blocked', reason: UNCHECKED };
    this.parts.bus.publish('roadmap.updated', {});
    const { passed, detail } = await this.parts.checks.judge(task, answer, {
      parent: { turn: work.turn, conv: work.conv },
      asked_by: ORCHESTRATOR,
      waits: true,
    });
    if (passed) return { state: 'done' };
    if (!(await this.findOpen(work.task))) return undefined;
    if (work.attempt < ATTEMPTS_MAX && (await this.tryAgain(work, detail))) return 'tries again';
    const attempts = work.attempt === 1 ? '' : ` after ${work.attempt} attempts`;
    return { state: 'blocked', reason: `check failed${attempts}: ${detail}`.slice(0, REASON_MAX) };
  }

  private async findOpen(task: string): Promise<TaskLine | undefined> {
    const { tasks } = readTasks((await this.parts.file.read()) ?? '');
    return tasks.find(({ id, state }) => id === task && state === 'open');
  }

  /** Tells the member what its check said. Returns false when its conversation takes no message any more. */
  private async tryAgain(work: WorkRow, detail: string): Promise<boolean> {
    const text = `Task ${work.task} is not done yet. Its check failed: ${detail}\n\nMend it, and end as before.`;
    try {
      const { store, log, messages } = this.parts;
      const record = (transaction: Transaction, turn: string) => {
        store.putNextAttempt(transaction, work.turn, turn);
        log.add(transaction, `\`${work.task}\`, attempt ${work.attempt}: its check failed: ${detail}\n\nGiven back.`);
      };
      await messages.say(work.conv, { text }, { asking: log.asking, record });
      return true;
    } catch (error) {
      this.parts.warn(`Roadmap, task ${work.task}: ${getErrorMessage(error)}`);
      return false;
    }
  }

  /** `outcome` is undefined when the task keeps the mark that it has in the file. */
  private release({ task, turn, code }: WorkRow, outcome: TaskPatch | undefined): Promise<void> {
    const became =
      outcome?.state === 'done'
        ? 'is done: its check passed.'
        : outcome
          ? `is blocked: ${outcome.reason}`
          : code === 'daemon_restarted'
            ? 'was cut off by a restart: it is open again.'
            : 'keeps the mark that it has in the file.';
    return this.parts.transactions.run((transaction) => {
      this.parts.store.putReleased(transaction, turn);
      this.parts.log.add(transaction, `\`${task}\` ${became}`);
    });
  }

  private endRun(told: string): Promise<void> {
    const { transactions, store, log } = this.parts;
    return transactions.run((transaction) => {
      const { running, parallel } = store.run();
      store.putRun(transaction, { running: false, parallel });
      if (running) log.add(transaction, told);
    });
  }

  private addLogLine(text: string): Promise<void> {
    return this.parts.transactions.run((transaction) => this.parts.log.add(transaction, text));
  }

  /** What a new run is about: which tasks are ready, and what the others wait for. */
  private describeRun(tasks: readonly TaskLine[], limit: number): string {
    const done = doneIds(tasks);
    const lines = tasks
      .filter(({ state }) => state === 'open')
      .slice(0, TASKS_TOLD)
      .map((task) => {
        const waits = task.after.filter((other) => !done.has(other));
        const how =
          waits.length > 0 ? `after ${waits.join(', ')}` : this.hasWorker(task) ? 'ready' : 'no working client';
        return `- \`${task.id}\` for ${getMember(task)}: ${how}`;
      });
    return [`Run of ${this.parts.file.relativePath}, at most ${limit} at once.`, '', ...lines].join('\n');
  }

  private async change(id: string, patch: TaskPatch): Promise<void> {
    await this.inTurn(() => this.write(id, patch));
    this.parts.bus.publish('roadmap.updated', {});
  }

  private async write(id: string, patch: TaskPatch): Promise<void> {
    const text = withTask((await this.parts.file.read()) ?? '', id, patch);
    if (text === undefined)
      throw new MeshError('not_found', `There is no task "${id.slice(0, 64)}" in ${this.parts.file.relativePath}.`);
    await this.parts.file.write(text);
  }

  /** Serializes changes of the file. */
  private inTurn<T>(step: () => Promise<T>): Promise<T> {
    const turn = this.last.then(step);
    this.last = turn.catch(() => undefined);
    return turn;
  }
}

const doneIds = (tasks: readonly TaskLine[]) =>
  new Set(tasks.filter(({ state }) => state === 'done').map(({ id }) => id));

/** How many tasks are in each state. */
function countStates(tasks: readonly TaskLine[]): string {
  const counts = (['done', 'blocked', 'open'] as const).map(
    (state) => `${tasks.filter((task) => task.state === state).length} ${state}`,
  );
  return `${counts.join(', ')}.`;
}

/** How far a task is: as its work says while that is in hand, else as the file says. */
function getProgress(
  task: TaskLine,
  work: WorkRow | undefined,
): Pick<RoadmapTask, 'state' | 'conv' | 'step' | 'attempt'> {
  if (work?.in_hand !== 1) return { state: task.state, conv: work?.conv ?? null, step: null, attempt: null };
  return { state: 'running', conv: work.conv, step: STEPS[work.state], attempt: work.attempt };
}

function noWorkingClient(open: readonly TaskLine[]): MeshError {
  const members = [...new Set(open.map(getMember))];
  return new MeshError(
    'no_working_client',
    `No model is connected for ${members.join(', ')}: the built-in search answers questions and completes no ` +
      'task. Connect one with `meshd clients use`; then run again.',
    { details: { members } },
  );
}
