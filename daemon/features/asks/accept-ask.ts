import type { AskAccepted, AskBody, Caller, ContextDoc } from '../../contract/asks.js';
import { ASK_CAP, ASK_DOC_MAX_BYTES } from '../../contract/limits.js';
import { MeshError } from '../../lib/errors.js';
import { newRequestId } from '../../lib/ids.js';
import type { Clock } from '../../lib/time/clock.js';
import { findAnswer, type IdempotencyKey, putAnswer } from '../../storage/database/idempotency.js';
import type { Transactions } from '../../storage/database/transaction.js';
import type { Conversations } from '../conversations/conversations.js';
import type { Messages } from '../conversations/messages.js';
import type { AskEvents } from './ask-events.js';
import type { AskStore } from './ask-store.js';

/** The client and model that a member resolves to. */
export interface RunsOn {
  client_resolved: string;
  model_resolved: string;
}

interface AskAcceptanceParts {
  transactions: Transactions;
  store: AskStore;
  conversations: Pick<Conversations, 'findForAsk' | 'putNew'>;
  messages: Pick<Messages, 'putMessage'>;
  events: AskEvents;
  clock: Clock;
  /** Returns the client and model of an exposed member; undefined for any other. */
  findMember: (id: string) => RunsOn | undefined;
  /** Like `findMember`, for any member that can run, exposed or not. */
  findRunnable: (id: string) => RunsOn | undefined;
}

/** Accepts asks. The caller is already authorized for the member. Contract: Ask and poll. */
export class AskAcceptance {
  constructor(private readonly parts: AskAcceptanceParts) {}

  /**
   * Accepts an ask of an exposed member. Durable when it resolves; the answer follows later. Throws `too_many_requests`
   * when six asks of the member are running or queued, `bad_request` for a context document of more than 64 KiB,
   * `idempotency_mismatch` and `not_found`. Publishes
   * `team.request.created`.
   */
  acceptAsk(memberId: string, body: AskBody, caller: Caller, key?: IdempotencyKey): Promise<AskAccepted> {
    return this.accept(memberId, this.parts.findMember(memberId), body, caller, key);
  }

  /**
   * Like `acceptAsk`, for the operator's contract tests: accepts any member that can run, including internal ones, does
   * not count towards the member's limit, and is hidden from the member's callers. It runs with the same tools and
   * permission timeout as an ask of a caller.
   */
  acceptTestAsk(memberId: string, text: string): Promise<AskAccepted> {
    const caller = { user_agent: null, idempotency_key: null, test: true } as const;
    return this.accept(memberId, this.parts.findRunnable(memberId), { text }, caller);
  }

  private async accept(
    memberId: string,
    member: RunsOn | undefined,
    { session, text, context_docs = [] }: AskBody,
    caller: Caller,
    key?: IdempotencyKey,
  ): Promise<AskAccepted> {
    const { transactions, store, conversations, messages, events, clock } = this.parts;
    if (!member) throw new MeshError('not_found', 'There is no such member.');
    const now = clock.now();
    requireSmallDocuments(context_docs);
    // Encoding half a megabyte takes milliseconds, so it is done before the transaction.
    const documents = context_docs.length > 0 ? Buffer.from(JSON.stringify(context_docs)) : undefined;
    return transactions.run((transaction) => {
      const earlier = findAnswer<AskAccepted>(transaction, key, now);
      if (earlier) return earlier.answer;
      if (!caller.test && store.countLive(memberId) >= ASK_CAP) throw tooManyAsks();

      const request_id = newRequestId();
      transaction.afterCommit(() => events.publish('created', { member: memberId, request_id }));

      const known = session === undefined ? undefined : store.findConversation(memberId, session);
      const conversation =
        conversations.findForAsk(memberId, known) ??
        conversations.putNew(transaction, { member: memberId }, { fromOutside: true });
      const { conv } = conversation;
      const turn = messages.putMessage(transaction, conversation, { text, context_docs }, 'outside');
      store.put(transaction, {
        request_id,
        member: memberId,
        conv,
        // A singleton answers in its single conversation for every session.
        session: session ?? null,
        turn,
        text,
        documents,
        caller,
        client: member.client_resolved,
        model: member.model_resolved,
        created_ms: now,
      });

      const answer: AskAccepted = { request_id, conv, status: 'queued', poll: `/team/requests/${request_id}` };
      putAnswer(transaction, key, now, answer);
      return answer;
    });
  }
}

const tooManyAsks = () =>
  new MeshError(
    'too_many_requests',
    `${ASK_CAP} asks of this member are already running or queued: wait for one to end.`,
    { details: { retry_after: 2 } },
  );

function requireSmallDocuments(documents: readonly ContextDoc[]): void {
  const index = documents.findIndex(({ content }) => Buffer.byteLength(content) > ASK_DOC_MAX_BYTES);
  if (index < 0) return;
  const path = `context_docs.${index}.content`;
  throw new MeshError('bad_request', `"${path}" is larger than ${ASK_DOC_MAX_BYTES} bytes.`, { details: { path } });
}
