import {
  type Conversation,
  type DroppedTurns,
  type MessageAccepted,
  type MessageList,
  type MessagesQuery,
  type NewMessage,
  QUEUE_MAX,
  type Turn,
} from '../../contract/conversations.js';
import { LIST_LIMIT_DEFAULT } from '../../contract/limits.js';
import type { Bus } from '../../events/bus.js';
import { MeshError } from '../../lib/errors.js';
import { newMessageId, newTurnId } from '../../lib/ids.js';
import type { Clock } from '../../lib/time/clock.js';
import type { Transaction, Transactions } from '../../storage/database/transaction.js';
import type { AnswerRecheck } from '../knowledge/answer-recheck.js';
import type { Team } from '../team/team.js';
import type { AskedTurnsStore, Asking } from './asked-turns-store.js';
import { titleFrom } from './conversation-title.js';
import type { Conversations } from './conversations.js';
import type { ConversationRow, ConversationsStore } from './conversations-store.js';
import { type ExportFormat, type FindRating, transcript } from './transcript.js';
import { TurnCancelledError } from './turn-cancelled.js';
import type { TurnRuns } from './turn-runs.js';
import { type TurnRow, type TurnsStore, turnView } from './turns-store.js';

interface MessagesParts {
  transactions: Transactions;
  conversations: Pick<Conversations, 'get' | 'row' | 'requireFree'>;
  store: ConversationsStore;
  turns: TurnsStore;
  runs: TurnRuns;
  team: Pick<Team, 'serving'>;
  bus: Bus;
  clock: Clock;
  /** Looks again at the citations of answers that are read. */
  answers: Pick<AnswerRecheck, 'recheck'>;
  findRating: FindRating;
  asked: Pick<AskedTurnsStore, 'put'>;
}

/** What is durable together with a message. */
interface Recorded {
  /** Who wrote it, when it was not the operator. */
  asking?: Asking | undefined;
  record?: (transaction: Transaction, turn: string) => void;
}

const droppedByOperator = () =>
  new TurnCancelledError('cancelled', 'cancelled', 'Dropped by the operator before it was begun.');

/**
 * Manages the messages of conversations. Each message creates a turn that is queued until the previous ones have ended.
 * A message is durable before the response. Contract: Conversations.
 */
export class Messages {
  constructor(private readonly parts: MessagesParts) {}

  /**
   * Sends a message. Its turn runs at once or is queued. Durable when it resolves. Publishes `message.added`. Throws
   * `member_gone`, `singleton_busy`, `not_found`, and `too_many_requests` when 50 messages are queued already.
   */
  say(conv: string, { text, context_docs }: NewMessage, { asking, record }: Recorded = {}): Promise<MessageAccepted> {
    const { transactions, conversations } = this.parts;
    return transactions.run((transaction) => {
      const row = conversations.row(conv);
      const waiting = this.requireRoom(row);
      const turn = this.putMessage(transaction, row, { text, context_docs }, 'operator', asking);
      record?.(transaction, turn);
      return { turn, queued: waiting > 0 };
    });
  }

  /**
   * Returns how many turns of a conversation have not ended. Throws `member_gone`, `singleton_busy`, and
   * `too_many_requests` when it takes no message at present.
   */
  requireRoom({ conv, member, archived }: ConversationRow): number {
    const { turns, conversations, team } = this.parts;
    if (member !== null && !team.serving(member))
      throw new MeshError('member_gone', `\`${member}\` is gone: the conversation is read-only.`);
    if (archived === 1 && member !== null) conversations.requireFree(member, conv);
    const waiting = turns.countOpen(conv);
    if (waiting > QUEUE_MAX)
      throw new MeshError('too_many_requests', `${QUEUE_MAX} messages wait in this conversation already.`, {
        details: { retry_after: 5 },
      });
    return waiting;
  }

  /**
   * Stores a message and the turn that answers it, and returns the turn's id. An archived conversation is live again.
   * Publishes `message.added` and `team.instance.started`, then starts the turn if it may run. Documents of an outside
   * ask are stored with the ask.
   */
  putMessage(
    transaction: Transaction,
    { conv, title, member, archived }: ConversationRow,
    { text, context_docs = [] }: NewMessage,
    profile: TurnRow['profile'],
    asking?: Asking,
  ): string {
    const { store, turns, asked, runs, bus, clock } = this.parts;
    const turn = newTurnId();
    const created_ms = clock.now();
    turns.put(transaction, { turn, conv, profile, text, created_ms });
    if (asking) asked.put(transaction, { turn, conv }, asking);
    if (profile === 'operator') turns.putDocuments(transaction, turn, context_docs);
    const message = store.putMessage(transaction, {
      id: newMessageId(),
      conv,
      turn,
      role: 'user',
      text,
      doc_names: context_docs.map(({ filename }) => filename),
      from_outside: profile === 'outside',
      asked_by: asking?.asked_by,
      created_ms,
    });
    store.putChange(transaction, conv, {
      updated_ms: created_ms,
      archived: 0,
      ...(title === '' ? { title: titleFrom(text) } : {}),
    });
    transaction.afterCommit(() => {
      bus.publish('message.added', { conv, message });
      bus.publish('conversation.updated', { conv });
      if (archived === 1 && member !== null) bus.publish('team.instance.started', { id: member, conv });
      runs.pump();
    });
    return turn;
  }

  /** Adds a notice of the daemon to a turn. Publishes `message.added`. */
  async notice(conv: string, turn: string, text: string): Promise<void> {
    await this.parts.transactions.run((transaction) => void this.putNotice(transaction, conv, text, turn));
  }

  /**
   * Stores a notice of the daemon that no agent sees, in an ended turn of its own or in `turn`. Returns the turn.
   * Publishes `message.added`.
   */
  putNotice(transaction: Transaction, conv: string, text: string, turn = newTurnId()): string {
    const { store, turns, bus, clock } = this.parts;
    const created_ms = clock.now();
    if (!turns.find(turn)) turns.putTold(transaction, { turn, conv, profile: 'operator', text, created_ms });
    const message = store.putMessage(transaction, { id: newMessageId(), conv, turn, role: 'system', text, created_ms });
    store.putChange(transaction, conv, { updated_ms: created_ms });
    transaction.afterCommit(() => {
      bus.publish('message.added', { conv, message });
      bus.publish('conversation.updated', { conv });
    });
    return turn;
  }

  /**
   * Ends the running turn, and with `queue` the queued ones too. Throws `not_found`. Publishes `turn.ended` for each.
   */
  async cancel(conv: string, { queue }: { queue?: boolean | undefined }): Promise<Conversation> {
    const { conversations, turns, runs } = this.parts;
    conversations.row(conv);
    const reason = new TurnCancelledError('cancelled', 'cancelled', 'Stopped by the operator.');
    // A turn that is just starting is not recorded as running yet.
    const live = runs.live(conv)?.turn;
    const ending = turns
      .listOpen(conv)
      .filter(({ turn, state }) => state === 'running' || turn === live || queue === true);
    for (const turn of ending.reverse()) await runs.endings.cancelTurn(turn, reason);
    return conversations.get(conv);
  }

  /**
   * Drops one queued message, named by its own id or that of its turn. The running turn continues, and no agent sees
   * the message. Its turn ends as `cancelled`. Throws `not_found`, and `not_waiting` with `turn` and `state` for a turn
   * that runs or has ended. Publishes `turn.ended`.
   */
  async drop(conv: string, id: string): Promise<Turn> {
    const { conversations, turns, runs } = this.parts;
    conversations.row(conv);
    const found = turns.findNamed(conv, id);
    if (!found) throw new MeshError('not_found', 'There is no such message in this conversation.');
    if (await runs.endings.dropQueuedTurn(found, droppedByOperator()))
      return turnView(turns.find(found.turn) as TurnRow);
    const { state, outcome } = turns.find(found.turn) ?? found;
    const message =
      state === 'ended'
        ? `It has ended already (${outcome}): nothing of it waits.`
        : 'It runs already: cancel the turn to stop it.';
    throw new MeshError('not_waiting', message, {
      details: { turn: found.turn, state: state === 'ended' ? state : 'running' },
    });
  }

  /**
   * Drops all queued messages of a conversation. The running turn continues, and so does a turn that starts meanwhile.
   * Throws `not_found`. Publishes `turn.ended` for each.
   */
  async dropAll(conv: string): Promise<DroppedTurns> {
    const { conversations, turns, runs } = this.parts;
    conversations.row(conv);
    const waiting = turns.listOpen(conv).filter(({ state }) => state === 'queued');
    const ended = await Promise.all(
      waiting.map(async (turn) =>
        (await runs.endings.dropQueuedTurn(turn, droppedByOperator())) ? turns.find(turn.turn) : undefined,
      ),
    );
    const views = ended.flatMap((turn) => (turn ? [turnView(turn)] : []));
    return { conv, turns: views, count: views.length };
  }

  /**
   * Returns a page of the transcript, oldest message first, with its turns and the output of the running one so far.
   * The citations of its newest messages are as they are now. Throws `not_found`, also for an unknown `before`.
   */
  async page(conv: string, query: MessagesQuery): Promise<MessageList> {
    const { store, turns, runs, conversations, answers } = this.parts;
    const row = conversations.row(conv);
    const limit = query.limit ?? LIST_LIMIT_DEFAULT;
    const page = store.page(conv, query.before, limit + 1);
    if (!page) throw new MeshError('not_found', '"before" must be the id of a message of this conversation.');
    const has_more = page.length > limit;
    const messages = has_more ? page.slice(1) : page;
    const live = query.before === undefined ? runs.live(conv) : undefined;
    // All of it is read in one turn of the event loop, so that its parts agree.
    const list: MessageList = {
      messages,
      turns: turns.listNamed(conv, new Set(messages.map(({ turn }) => turn))).map(turnView),
      live: live ? { turn: live.turn, text: live.text, next_index: live.index, calls: live.calls } : null,
      count: messages.length,
      has_more,
      // Answers to other programs do not count as unread for the operator.
      first_unread: row.from_outside === 1 ? null : (store.findUnread(conv, row.read_seq) ?? null),
    };
    return { ...list, messages: (await answers.recheck(messages.toReversed(), 'operator')).reverse() };
  }

  /** Returns the whole conversation as a document, in pieces. Throws `not_found`. */
  export(conv: string, format: ExportFormat): Iterable<string> {
    const { conversations, store, findRating } = this.parts;
    return transcript(conversations.get(conv), store.everyMessage(conv), format, findRating);
  }
}
