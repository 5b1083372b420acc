import type { Citation } from '../../contract/asks.js';
import type { Message, ToolCall } from '../../contract/conversations.js';
import type { Bus } from '../../events/bus.js';
import type { Clock } from '../../lib/clock.js';
import { isMeshError, messageOf } from '../../lib/errors.js';
import { newMessageId } from '../../lib/ids.js';
import { scrubSecrets } from '../../lib/secrets.js';
import { CalledOff } from './called-off.js';
import type { ConversationsStore } from './conversations-store.js';
import type { Permissions } from './permissions.js';
import type { Runnable, TurnHook } from './turn-change.js';
import type { TurnEnding, TurnRow, TurnsStore } from './turns-store.js';

const STORE_RETRY_MS = 5_000;

export interface TurnEndingsParts {
  conversations: ConversationsStore;
  turns: TurnsStore;
  permissions: Permissions;
  bus: Bus;
  clock: Clock;
}

/** What a turn said and did before it ended. */
export interface Said {
  text: string;
  citations: Citation[];
  dropped: number;
  calls: ToolCall[];
}

/** How turns end: each exactly once, recorded with its reason and with all that follows from it before anybody is told. */
export class TurnEndings {
  constructor(
    private readonly parts: TurnEndingsParts,
    private readonly tell: (change: Parameters<TurnHook>[0]) => (() => void)[],
  ) {}

  /** The ending that a thrown reason comes to. */
  endingOf(reason: unknown): TurnEnding {
    const ended = { usage: null, finished_ms: this.parts.clock.now() };
    if (reason instanceof CalledOff)
      return { outcome: reason.outcome, code: reason.code, reason: scrubSecrets(reason.message), ...ended };
    if (isMeshError(reason, 'deadline'))
      return { outcome: 'deadline', code: 'deadline', reason: reason.message, ...ended };
    return {
      outcome: 'failed',
      code: 'client_failed',
      reason: `The client failed: ${scrubSecrets(messageOf(reason))}`,
      ...ended,
    };
  }

  /** As `record`, and tries again while the disk is full and `goesOn` holds: an answer is not lost to that. */
  async end(
    turn: TurnRow,
    ending: TurnEnding,
    said: Said | null,
    runnable: Runnable | undefined,
    goesOn: () => boolean,
  ): Promise<boolean> {
    try {
      return await this.record(turn, ending, said, runnable);
    } catch (error) {
      if (!isMeshError(error, 'no_space') || !goesOn()) throw error;
      await new Promise<void>((resolve) => void this.parts.clock.after(STORE_RETRY_MS, resolve));
      return this.end(turn, ending, said, runnable, goesOn);
    }
  }

  /**
   * Records the ending with what was said and all that follows from it in one transaction, then tells; false when the turn had ended before. Publishes
   * `message.added`, `turn.ended`, `conversation.updated`.
   */
  async record(turn: TurnRow, ending: TurnEnding, said: Said | null, runnable: Runnable | undefined): Promise<boolean> {
    const { turns, bus } = this.parts;
    const recorded = await turns.write(() => {
      if (!turns.putEnded(turn.turn, ending)) return undefined;
      return this.putFollowing(turn, ending, said, runnable);
    });
    if (!recorded) return false;
    const { conv } = turn;
    const { outcome, reason, usage } = ending;
    if (recorded.message) bus.publish('message.added', { conv, message: recorded.message });
    bus.publish('turn.ended', {
      conv,
      turn: turn.turn,
      outcome,
      ...(reason === null ? {} : { reason }),
      ...(usage ? { usage } : {}),
    });
    for (const run of recorded.after) run();
    bus.publish('conversation.updated', { conv });
    return true;
  }

  private putFollowing(
    turn: TurnRow,
    ending: TurnEnding,
    said: Said | null,
    runnable: Runnable | undefined,
  ): { message: Message | undefined; after: (() => void)[] } {
    const { conversations, permissions } = this.parts;
    permissions.putDenied(turn.turn, ending.code === 'daemon_restarted' ? 'restart' : 'deadline');
    const message =
      said === null
        ? undefined
        : conversations.putMessage({
            id: newMessageId(),
            conv: turn.conv,
            turn: turn.turn,
            role: 'assistant',
            text: said.text,
            calls: said.calls,
            citations: said.citations,
            dropped_citations: said.dropped,
            created_ms: ending.finished_ms,
          });
    conversations.putChange(turn.conv, { updated_ms: ending.finished_ms });
    const answer = ending.outcome === 'answered' && said ? { text: said.text, citations: said.citations } : null;
    return { message, after: this.tell({ kind: 'ended', turn, ending, answer, runnable }) };
  }
}
