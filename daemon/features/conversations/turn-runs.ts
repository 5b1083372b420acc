import { isMeshError } from '../../lib/errors.js';
import type { ConversationRow } from './conversations-store.js';
import { TurnEndings } from './end-turn.js';
import { type LiveTurn, type TurnPreparation, TurnRun, type TurnRunParts } from './running/turn-run.js';
import { daemonRestarted, TurnCancelledError } from './turn-cancelled.js';
import {
  OPEN_GATE,
  type Runnable,
  type RunningTurn,
  type TurnFollower,
  TurnFollowers,
  type TurnGate,
} from './turn-change.js';
import type { TurnRow } from './turns-store.js';

/**
 * Maximum number of concurrent turns of outside asks, over all members. The operator's own turns are not limited by it.
 */
const OUTSIDE_MAX = 4;
const STORE_RETRY_MS = 5_000;

export interface TurnRunsParts extends TurnRunParts {
  onLost: (turn: string, error: unknown) => void;
}

/**
 * Runs queued turns: one at a time and in order per conversation, each to exactly one recorded ending with its reason.
 * Publishes `turn.*`, `message.added` and `conversation.updated`.
 */
export class TurnRuns {
  private readonly running = new Map<string, TurnRun>();
  private readonly followers = new TurnFollowers();
  private readonly preparations: TurnPreparation[] = [];
  /** Ends turns. */
  readonly endings: TurnEndings;
  private isStopping = false;
  private gate: TurnGate = OPEN_GATE;

  constructor(private readonly parts: TurnRunsParts) {
    this.endings = new TurnEndings({ ...parts, followers: this.followers, running: this.running });
  }

  /** Registers a follower, which is notified of every change of a turn within its transaction. */
  follow(follower: TurnFollower): void {
    this.followers.add(follower);
  }

  /** Sets what decides which queued turns may start. Must be called before the first `pump`. */
  setGate(gate: TurnGate): void {
    this.gate = gate;
  }

  /** Returns the turns that run. */
  listRunning(): RunningTurn[] {
    return [...this.running.values()].map((run) => run.describe());
  }

  /** Ends a running turn early, unless its client has answered already. */
  interrupt(turn: string, reason: TurnCancelledError): void {
    this.findRun(turn)?.interrupt(reason);
  }

  /** `find` returns for how many seconds a permission request waits in a turn that nobody attends. */
  setUnattended(find: (turn: string) => number | undefined): void {
    this.parts.permissions.setUnattended(find);
  }

  /** Registers what is awaited before the agent of a turn starts, after what was registered earlier. */
  prepare(preparation: TurnPreparation): void {
    this.preparations.push(preparation);
  }

  /**
   * Ends turns that the previous daemon left running, as `daemon_restarted`. Must be called before the first `pump`,
   * which resumes queued ones.
   */
  async endInterrupted(): Promise<void> {
    for (const turn of this.parts.turns.listOpen())
      if (turn.state === 'running')
        await this.endings.endTurn(turn, this.endings.toEnding(daemonRestarted()), null, undefined);
  }

  /** Aborts every running turn and waits until all endings are recorded. Queued turns resume at the next start. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.endings.stop();
    const running = [...this.running.values()];
    for (const { controller } of running) controller.abort(daemonRestarted());
    await Promise.all(running.map(({ ended }) => ended));
  }

  /** Pauses the time limit of a running turn, which waits for another one. Returns the function that resumes it. */
  holdLimit(turn: string): () => void {
    const limit = this.findRun(turn)?.limit;
    limit?.pause();
    return () => limit?.resume();
  }

  get isStopped(): boolean {
    return this.isStopping;
  }

  /** Returns the output of a conversation's running turn so far. */
  live(conv: string): LiveTurn | undefined {
    return this.running.get(conv)?.live();
  }

  /** Starts all turns that may run. */
  pump(): void {
    if (this.isStopping) return;
    const busy = new Set([...this.running.values()].map(({ turn }) => this.createKey(turn.conv)));
    let outside = [...this.running.values()].filter(({ turn }) => turn.profile === 'outside').length;
    for (const turn of this.parts.turns.listOpen()) {
      if (turn.state !== 'queued' || this.running.get(turn.conv)?.turn.turn === turn.turn) continue;
      const gate = this.gate.check(turn);
      if (gate instanceof TurnCancelledError) {
        this.refuse(turn, gate);
        continue;
      }
      if (gate === 'wait' || this.running.has(turn.conv)) continue;
      if (turn.profile === 'outside' && outside >= OUTSIDE_MAX) continue;
      const conversation = this.parts.conversations.find(turn.conv);
      if (!conversation) continue;
      const runnable = this.parts.resolve(conversation);
      const key = runnable?.key ?? turn.conv;
      if (busy.has(key)) continue;
      busy.add(key);
      if (turn.profile === 'outside') outside += 1;
      this.launch(turn, conversation, runnable);
    }
  }

  private findRun(turn: string): TurnRun | undefined {
    return [...this.running.values()].find((run) => run.turn.turn === turn);
  }

  private launch(turn: TurnRow, conversation: ConversationRow, runnable: Runnable | undefined): void {
    this.gate.starting(turn);
    const { endings, followers, preparations, gate } = this;
    const run = new TurnRun(this.parts, { endings, followers, preparations, gate }, turn, conversation);
    this.running.set(turn.conv, run);
    const over = () => this.running.delete(turn.conv);
    run.start(runnable).then(
      () => {
        over();
        this.pump();
      },
      (error: unknown) => {
        over();
        this.parts.onLost(turn.turn, error);
        // An immediate retry would fail again. A read-only store stays so until a restart, so there is no retry.
        if (!isMeshError(error, 'store_readonly')) this.parts.clock.after(STORE_RETRY_MS, () => this.pump());
      },
    );
  }

  private refuse(turn: TurnRow, reason: TurnCancelledError): void {
    this.endings.dropQueuedTurn(turn, reason).catch((error: unknown) => this.parts.onLost(turn.turn, error));
  }

  /** Returns the current concurrency key. The member may have become a singleton since the turn started. */
  private createKey(conv: string): string {
    const conversation = this.parts.conversations.find(conv);
    return (conversation && this.parts.resolve(conversation)?.key) ?? conv;
  }
}
