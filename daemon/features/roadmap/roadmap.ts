import type { Roadmap as RoadmapView, RunRoadmap, TaskPatch } from '../../contract/roadmap.js';
import type { Bus } from '../../events/bus.js';
import { getErrorMessage, isMeshError, MeshError } from '../../lib/errors.js';
import type { Transaction } from '../../storage/database/transaction.js';
import type { Conversations } from '../conversations/conversations.js';
import type { Messages } from '../conversations/messages.js';
import type { TurnChange } from '../conversations/turn-change.js';
import type { TurnRuns } from '../conversations/turn-runs.js';
import type { MemberVersion } from '../team/member-file.js';
import type { Team } from '../team/team.js';
import type { TaskChecks } from './task-checks.js';
import { readTasks, type TaskLine, withTask } from './task-list.js';

const DEFAULT_MEMBER = 'developer';
/** How often a member may try until its task's check passes. */
const ATTEMPTS_MAX = 3;
const REASON_MAX = 500;
const UNCHECKED = 'answered, and no check says that it is done: look at it, then mark it done';
const BUILTIN = 'No model connected: the built-in search answers questions and does no work.';

const memberOf = (task: TaskLine) => task.member ?? DEFAULT_MEMBER;

/** The roadmap file. `read` resolves to undefined when it does not exist. */
interface RoadmapFile {
  readonly relativePath: string;
  read(): Promise<string | undefined>;
  write(text: string): Promise<void>;
}

interface RoadmapParts {
  file: RoadmapFile;
  team: Pick<Team, 'serving'>;
  conversations: Pick<Conversations, 'create' | 'get'>;
  messages: Pick<Messages, 'say'>;
  runs: Pick<TurnRuns, 'follow'>;
  checks: Pick<TaskChecks, 'describe' | 'judge'>;
  bus: Bus;
  /** Whether a client that completes tasks, other than the built-in search, is ready for the member. */
  canWork(member: MemberVersion): boolean;
  warn(message: string): void;
}

interface Work {
  task: string;
  conv: string;
  attempt: number;
  /** Whether it runs on the built-in search, which answers questions but cannot complete a task. */
  isBuiltin: boolean;
}

/** A turn that ended, and what it was for. */
type Ended = Extract<TurnChange, { kind: 'ended' }>;

/**
 * The queue of `.mesh/roadmap.md`. The file belongs to the operator: it is read again before every step, only the lines
 * of the affected task are changed, and edits on disk take precedence. A task is done when its check passed, never
 * because something was answered. Contract: Roadmap.
 */
export class Roadmap {
  private limit = 1;
  private isRunning = false;
  private readonly work = new Map<string, Work>();
  private readonly lastConversation = new Map<string, string>();
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly parts: RoadmapParts) {
    parts.runs.follow((change, transaction) => this.followTurn(change, transaction));
  }

  /** The tasks as currently in the file, with the state of running work. */
  async view(): Promise<RoadmapView> {
    const { tasks, problem } = readTasks((await this.parts.file.read()) ?? '');
    const inHand = new Map([...this.work.values()].map(({ task, conv }) => [task, conv]));
    return {
      path: this.parts.file.relativePath,
      tasks: tasks.map((task) => ({
        ...task,
        state: inHand.has(task.id) ? 'running' : task.state,
        conv: inHand.get(task.id) ?? this.lastConversation.get(task.id) ?? null,
      })),
      running: this.isRunning,
      limit: this.limit,
      problem,
    };
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
    this.limit = limit;
    this.isRunning = true;
    await this.handOut();
    return this.view();
  }

  /** Stops assigning tasks. Running ones continue. Publishes `roadmap.updated`. */
  async stop(): Promise<RoadmapView> {
    this.isRunning = false;
    this.parts.bus.publish('roadmap.updated', {});
    return this.view();
  }

  private async handOut(): Promise<void> {
    await this.inTurn(async () => {
      while (this.isRunning && this.work.size < this.limit) {
        const inHand = new Set([...this.work.values()].map(({ task }) => task));
        const { tasks } = readTasks((await this.parts.file.read()) ?? '');
        const done = new Set(tasks.filter(({ state }) => state === 'done').map(({ id }) => id));
        const isReady = (task: TaskLine) =>
          task.state === 'open' && task.after.every((other) => done.has(other)) && this.hasWorker(task);
        const next = tasks.find((task) => !inHand.has(task.id) && isReady(task));
        if (!next) {
          if (this.work.size === 0) this.isRunning = false;
          break;
        }
        await this.begin(next);
      }
    });
    this.parts.bus.publish('roadmap.updated', {});
  }

  /** Whether the task can be assigned. One of an unknown member can, and is then marked as blocked. */
  private hasWorker(task: TaskLine): boolean {
    const member = this.parts.team.serving(memberOf(task));
    return member === undefined || this.parts.canWork(member);
  }

  private async begin(task: TaskLine): Promise<void> {
    const member = memberOf(task);
    try {
      const conv = await this.conversationWith(member, task);
      const { client_resolved } = this.parts.conversations.get(conv);
      const check = this.parts.checks.describe(task);
      const text =
        `Task ${task.id} of ${this.parts.file.relativePath}: ${task.text}\n\n` +
        'Finish it as your prompt says, and end with what was done and how it was checked.' +
        (check === undefined ? '' : `\n\nIt is done when this passes: ${check}`);
      const { turn } = await this.parts.messages.say(conv, { text });
      this.work.set(turn, { task: task.id, conv, attempt: 1, isBuiltin: client_resolved === 'builtin' });
      this.lastConversation.set(task.id, conv);
    } catch (error) {
      await this.write(task.id, { state: 'blocked', reason: getErrorMessage(error) });
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
    if (change.kind !== 'ended' || !this.work.has(change.turn.turn)) return;
    transaction.afterCommit(
      () => void this.settle(change).catch((error: unknown) => this.parts.warn(`Roadmap: ${getErrorMessage(error)}`)),
    );
  }

  private async settle(ended: Ended): Promise<void> {
    const { turn, ending } = ended;
    const work = this.work.get(turn.turn) as Work;
    // The task stays open in the file, so the next run of the daemon finds it again.
    if (ending.code === 'daemon_restarted') return;
    const outcome = await this.judge(work, ended);
    await this.inTurn(async () => {
      try {
        if (outcome) await this.write(work.task, outcome);
      } finally {
        // Removed only after the write. A task that is neither running nor marked in the file would be assigned again.
        this.work.delete(turn.turn);
      }
    }).catch((error: unknown) => this.parts.warn(`Roadmap, task ${work.task}: ${getErrorMessage(error)}`));
    await this.handOut();
  }

  /** What the end of a turn makes of its task. Undefined when its member tries again, or the task is gone. */
  private async judge(work: Work, { ending, answer }: Ended): Promise<TaskPatch | undefined> {
    if (ending.outcome !== 'answered') return { state: 'blocked', reason: `${ending.outcome}: ${ending.reason ?? ''}` };
    if (work.isBuiltin) return { state: 'blocked', reason: BUILTIN };
    const { tasks } = readTasks((await this.parts.file.read()) ?? '');
    const task = tasks.find(({ id }) => id === work.task);
    if (!task) return undefined;
    if (task.check === null) return { state: 'blocked', reason: UNCHECKED };
    const { passed, detail } = await this.parts.checks.judge(task, answer?.text ?? '');
    if (passed) return { state: 'done' };
    if (work.attempt < ATTEMPTS_MAX && (await this.tryAgain(work, detail))) return undefined;
    const attempts = work.attempt === 1 ? '' : ` after ${work.attempt} attempts`;
    return { state: 'blocked', reason: `check failed${attempts}: ${detail}`.slice(0, REASON_MAX) };
  }

  /** Tells the member what its check said. Returns false when its conversation takes no message any more. */
  private async tryAgain(work: Work, detail: string): Promise<boolean> {
    const text = `Task ${work.task} is not done yet. Its check failed: ${detail}\n\nMend it, and end as before.`;
    try {
      const { turn } = await this.parts.messages.say(work.conv, { text });
      this.work.set(turn, { ...work, attempt: work.attempt + 1 });
      return true;
    } catch (error) {
      this.parts.warn(`Roadmap, task ${work.task}: ${getErrorMessage(error)}`);
      return false;
    }
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

function noWorkingClient(open: readonly TaskLine[]): MeshError {
  const members = [...new Set(open.map(memberOf))];
  return new MeshError(
    'no_working_client',
    `No model is connected for ${members.join(', ')}: the built-in search answers questions and completes no task. \`meshd doctor\` says what each client needs; then run again.`,
    { details: { members } },
  );
}
