import type { AnswerTrace } from '../../contract/answer-trace.js';
import type { Citation, SearchOutcome } from '../../contract/asks.js';
import type { ToolCall } from '../../contract/conversations.js';
import type { Bus } from '../../events/bus.js';
import { getErrorMessage, isMeshError } from '../../lib/errors.js';
import { newMessageId } from '../../lib/ids.js';
import { scrubSecrets } from '../../lib/secrets/secrets.js';
import type { Clock } from '../../lib/time/clock.js';
import type { Transactions } from '../../storage/database/transaction.js';
import type { ConversationsStore } from './conversations-store.js';
import type { Permissions } from './permissions.js';
import { TurnCancelledError } from './turn-cancelled.js';
import type { Runnable, TurnFollowers } from './turn-change.js';
import type { TurnEnding, TurnRow, TurnsStore } from './turns-store.js';

const STORE_RETRY_MS = 5_000;

interface TurnEndingsParts {
  transactions: Transactions;
  conversations: ConversationsStore;
  turns: TurnsStore;
  permissions: Permissions;
  followers: TurnFollowers;
  bus: Bus;
  clock: Clock;
  /** The running turns by conversation. */
  running: ReadonlyMap<string, { turn: TurnRow; controller: AbortController; ended: Promise<void> }>;
}

/** The output of a turn at its end. */
interface TurnOutput {
  text: string;
  citations: Citation[];
  dropped: number;
  /** Null unless the built-in search answered. */
  search: SearchOutcome | null;
  /** How the built-in search found it. */
  trace: AnswerTrace | null;
  calls: ToolCall[];
}

/** Ends turns, each exactly once. The ending and all its consequences are committed before any event is published. */
export class TurnEndings {
  private isStopped = false;

  constructor(private readonly parts: TurnEndingsParts) {}

  /** After this, an ending that fails with `no_space` is not retried. */
  stop(): void {
    this.isStopped = true;
  }

  /**
   * Ends a running or queued turn early. A turn that has ended is not changed. Resolves once the ending is committed.
   */
  async cancelTurn(turn: TurnRow, reason: TurnCancelledError): Promise<void> {
    const running = this.parts.running.get(turn.conv);
    if (running?.turn.turn === turn.turn) {
      running.controller.abort(reason);
      await running.ended;
    } else await this.endTurn(turn, this.toEnding(reason), null, undefined);
  }

  /** Like `cancelTurn`, by the turn's id: for an ask that is cancelled, or whose member is removed. */
  async cancelTurnById(id: string, code: 'cancelled' | 'member_gone', message: string): Promise<void> {
    const turn = this.parts.turns.find(id);
    if (!turn || turn.state === 'ended') return;
    await this.cancelTurn(turn, new TurnCancelledError(code === 'cancelled' ? 'cancelled' : 'failed', code, message));
  }

  /**
   * Ends a queued turn. Returns false, without a change, for one that runs or has ended. Resolves once the ending is
   * committed. Throws `no_space`.
   */
  async dropQueuedTurn(turn: TurnRow, reason: TurnCancelledError): Promise<boolean> {
    // Transactions commit in the order of the calls, so a turn that is not starting yet will find itself ended.
    if (this.parts.running.get(turn.conv)?.turn.turn === turn.turn) return false;
    return this.recordEnding(turn, this.toEnding(reason), null, undefined);
  }

  /** Converts a thrown reason to an ending. */
  toEnding(reason: unknown): TurnEnding {
    const ended = { usage: null, finished_ms: this.parts.clock.now() };
    if (reason instanceof TurnCancelledError)
      return { outcome: reason.outcome, code: reason.code, reason: scrubSecrets(reason.message), ...ended };
    if (isMeshError(reason, 'deadline'))
      return { outcome: 'deadline', code: 'deadline', reason: reason.message, ...ended };
    return {
      outcome: 'failed',
      code: 'client_failed',
      reason: `The client failed: ${scrubSecrets(getErrorMessage(reason))}`,
      ...ended,
    };
  }

  /**
   * Commits the ending. Returns false when the turn had ended before. While the disk is full, retries until the daemon
   * stops, so that no answer is lost. Publishes `message.added`, `turn.ended` and `conversation.updated`.
   */
  async endTurn(
    turn: TurnRow,
    ending: TurnEnding,
    output: TurnOutput | null,
    runnable: Runnable | undefined,
  ): Promise<boolean> {
    for (;;) {
      try {
        return await this.recordEnding(turn, ending, output, runnable);
      } catch (error) {
        if (!isMeshError(error, 'no_space') || this.isStopped) throw error;
        await new Promise<void>((resolve) => void this.parts.clock.after(STORE_RETRY_MS, resolve));
      }
    }
  }

  private recordEnding(
    turn: TurnRow,
    ending: TurnEnding,
    output: TurnOutput | null,
    runnable: Runnable | undefined,
  ): Promise<boolean> {
    const { transactions, turns, permissions, conversations, followers, bus } = this.parts;
    const { conv } = turn;
    const { outcome, reason, usage, finished_ms } = ending;
    return transactions.run((transaction) => {
      if (!turns.putEnded(transaction, turn.turn, ending)) return false;
      permissions.putDenied(transaction, turn.turn, ending.code === 'daemon_restarted' ? 'restart' : 'deadline');
      if (output) {
        const message = conversations.putMessage(transaction, {
          id: newMessageId(),
          conv,
          turn: turn.turn,
          role: 'assistant',
          text: output.text,
          calls: output.calls,
          citations: output.citations,
          dropped_citations: output.dropped,
          search: output.search,
          created_ms: finished_ms,
        });
        transaction.afterCommit(() => bus.publish('message.added', { conv, message }));
      }
      conversations.putChange(transaction, conv, { updated_ms: finished_ms });
      transaction.afterCommit(() =>
        bus.publish('turn.ended', {
          conv,
          turn: turn.turn,
          outcome,
          ...(reason === null ? {} : { reason }),
          ...(usage ? { usage } : {}),
        }),
      );
      const answer = outcome === 'answered' ? output : null;
      followers.notify({ kind: 'ended', turn, ending, answer, runnable }, transaction);
      transaction.afterCommit(() => bus.publish('conversation.updated', { conv }));
      return true;
    });
  }
}
