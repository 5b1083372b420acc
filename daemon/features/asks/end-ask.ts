import { ASK_ERROR_CODES, type AskErrorCode } from '../../contract/asks.js';
import type { KeyedWaiters } from '../../lib/async/keyed-waiters.js';
import type { SigningKey } from '../../lib/crypto/ed25519.js';
import { makeReceipt } from '../../lib/crypto/receipt.js';
import { type Clock, isoTime } from '../../lib/time/clock.js';
import type { Transaction } from '../../storage/database/transaction.js';
import type { Conversations } from '../conversations/conversations.js';
import type { TurnEndings } from '../conversations/end-turn.js';
import type { TurnChange } from '../conversations/turn-change.js';
import type { AskEvents } from './ask-events.js';
import { type Ask, type AskStore, type Ending, isOver } from './ask-store.js';
import { findAsk, findOwnAsk } from './find-ask.js';

type TurnEnded = Extract<TurnChange, { kind: 'ended' }>;

interface AskEndingParts {
  store: AskStore;
  conversations: Pick<Conversations, 'archiveAnswered'>;
  endings: Pick<TurnEndings, 'cancelTurnById'>;
  events: AskEvents;
  /** Callers that wait for the end of an ask. */
  waits: KeyedWaiters;
  clock: Clock;
  signingKey: SigningKey;
}

/** Ends asks, each exactly once, in the transaction that ends the turn. */
export class AskEnding {
  constructor(private readonly parts: AskEndingParts) {}

  /** Cancels an ask for its caller, unless it has ended. Resolves once the ending is recorded. Throws `not_found`. */
  async cancelAsk(memberId: string, requestId: string): Promise<void> {
    await this.cancel(findOwnAsk(this.parts, memberId, requestId), 'cancelled', 'Cancelled by its caller.');
  }

  /** Like `cancelAsk`, for any ask, by the operator. */
  async cancelAskAsOperator(requestId: string): Promise<void> {
    await this.cancel(findAsk(this.parts, requestId), 'cancelled', 'Cancelled by the operator.');
  }

  /** Ends all unfinished asks of outside callers to a member that is no longer exposed. */
  async cancelAsksOf(memberId: string, reason: string): Promise<void> {
    const live = this.parts.store.listLive().filter((ask) => ask.member === memberId && !ask.caller.test);
    await Promise.all(live.map((ask) => this.cancel(ask, 'member_gone', reason)));
  }

  private async cancel(ask: Ask, code: 'cancelled' | 'member_gone', message: string): Promise<void> {
    if (ask.turn !== null && !isOver(ask)) await this.parts.endings.cancelTurnById(ask.turn, code, message);
  }

  /** Ends an ask with its turn: with the answer and its receipt, or with the error. */
  endAsk(transaction: Transaction, ask: Ask, turn: TurnEnded): void {
    const { store, conversations, events, waits } = this.parts;
    const status = turn.answer ? 'done' : 'error';
    const ending = turn.answer ? this.toAnswered(ask, turn, turn.answer) : toFailed(turn);
    // Who stops an ask, and who closes the member, leaves open whether it would have answered.
    const isOutcome = !ask.caller.test && ending.error_code !== 'cancelled' && ending.error_code !== 'member_gone';
    store.putEnded(transaction, ask.request_id, status, ending);
    if (turn.answer?.trace) store.putTrace(transaction, ask.request_id, turn.answer.trace);
    conversations.archiveAnswered(transaction, ask.conv);
    transaction.afterCommit(() => {
      events.publish(status, ask);
      if (isOutcome) events.notifyOutcome(ask.member, status === 'done');
      waits.wake(ask.request_id);
    });
  }

  private toAnswered(ask: Ask, { ending, runnable }: TurnEnded, answer: NonNullable<TurnEnded['answer']>): Ending {
    const { finished_ms } = ending;
    const receipt = makeReceipt(
      {
        request_id: ask.request_id,
        member: ask.member,
        member_sha256: runnable?.revision ?? '',
        question: ask.text,
        answer: answer.text,
        citations: answer.citations,
        client: ask.client,
        model: ask.model,
        created_at: isoTime(ask.created_ms),
        finished_at: isoTime(finished_ms),
      },
      this.parts.signingKey,
    );
    return {
      finished_ms,
      result_text: answer.text,
      citations: answer.citations,
      search: answer.search,
      receipt,
      error_code: null,
      error_message: null,
    };
  }
}

function toFailed({ ending: { code, reason, finished_ms } }: TurnEnded): Ending {
  return {
    finished_ms,
    result_text: null,
    citations: null,
    search: null,
    receipt: null,
    error_code: ASK_ERROR_CODES.find((known) => known === code) ?? ('client_failed' satisfies AskErrorCode),
    error_message: reason ?? '',
  };
}
