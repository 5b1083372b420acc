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
import type { Bus } from '../../events/bus.js';
import type { Clock } from '../../lib/clock.js';
import { MeshError } from '../../lib/errors.js';
import { newMessageId, newTurnId } from '../../lib/ids.js';
import type { Team } from '../team/team.js';
import { CalledOff } from './called-off.js';
import { titleFrom } from './conversation-title.js';
import type { Conversations } from './conversations.js';
import type { ConversationRow, ConversationsStore } from './conversations-store.js';
import { type ExportFormat, transcript } from './transcript.js';
import type { TurnRuns } from './turn-runs.js';
import { type TurnRow, type TurnsStore, turnView } from './turns-store.js';

const PAGE_DEFAULT = 100;

export interface MessagesParts {
  conversations: Pick<Conversations, 'get' | 'row' | 'findHome' | 'putNew' | 'requireFree'>;
  store: ConversationsStore;
  turns: TurnsStore;
  runs: TurnRuns;
  team: Pick<Team, 'serving'>;
  bus: Bus;
  clock: Clock;
}

/** What an outside ask says, and where. */
export interface Asked {
  member: string;
  /** Continue this conversation; undefined begins one. */
  conv: string | undefined;
  text: string;
  context_docs: NonNullable<NewMessage['context_docs']>;
}

const dropped = () => new CalledOff('cancelled', 'cancelled', 'Dropped by the operator before it was begun.');

/**
 * What is said in conversations. Each message is a turn that waits until those before it have ended, and is durable before it is answered. Contract:
 * Conversations.
 */
export class Messages {
  constructor(private readonly parts: MessagesParts) {}

  /**
   * Says something: at once when nothing runs, else in its order. Durable when it resolves. Throws `member_gone`, `singleton_busy`, `too_many_requests`
   * when 50 wait already, `not_found`. Publishes `message.added`.
   */
  async say(conv: string, { text, context_docs = [] }: NewMessage): Promise<MessageAccepted> {
    const { store, turns, runs, conversations, team } = this.parts;
    const outcome = await store.write(() => {
      const row = conversations.row(conv);
      if (row.member !== null && !team.serving(row.member)) {
        throw new MeshError(
          'member_gone',
          `\`${row.member}\` is gone: what was said stays readable, nothing more can be said.`,
        );
      }
      if (row.archived === 1 && row.member !== null) conversations.requireFree(row.member, conv);
      const waiting = turns.countOpen(conv);
      if (waiting > QUEUE_MAX) {
        throw new MeshError('too_many_requests', `${QUEUE_MAX} messages wait in this conversation already.`, {
          details: { retry_after: 5 },
        });
      }
      const said = this.putSaid(row, text, context_docs, 'operator');
      turns.putDocuments(said.turn, context_docs);
      return { queued: waiting > 0, ...said };
    });
    this.announce(conv, outcome.message);
    runs.pump();
    return { turn: outcome.turn, queued: outcome.queued };
  }

  /**
   * Says what an outside ask says. To be called inside a write transaction; call `launch` with what it returns once that is durable. A singleton
   * answers in its one conversation. The documents themselves are kept with the ask.
   */
  putAsked({ member, conv, text, context_docs }: Asked): { conv: string; turn: string; launch: () => void } {
    const { store, bus, runs, team, conversations } = this.parts;
    const isSingleton = team.serving(member)?.kind === 'singleton';
    const known = isSingleton ? conversations.findHome(member) : conv === undefined ? undefined : store.find(conv);
    const row = known ?? conversations.putNew({ member }, true);
    const said = this.putSaid(row, text, context_docs, 'outside');
    return {
      conv: row.conv,
      turn: said.turn,
      launch: () => {
        if (!known) bus.publish('conversation.created', { conv: row.conv });
        this.announce(row.conv, said.message);
        runs.pump();
      },
    };
  }

  /** Ends the running turn; with `queue` also drops what waits behind it. Throws `not_found`. Publishes `turn.ended` for each. */
  async cancel(conv: string, { queue }: { queue?: boolean | undefined }): Promise<Conversation> {
    const { conversations, turns, runs } = this.parts;
    conversations.row(conv);
    const reason = new CalledOff('cancelled', 'cancelled', 'Stopped by the operator.');
    // A turn that is just being begun is not recorded as running yet.
    const live = runs.live(conv)?.turn;
    const ending = turns
      .listOpen(conv)
      .filter(({ turn, state }) => state === 'running' || turn === live || queue === true);
    for (const turn of ending.reverse()) await runs.callOff(turn, reason);
    return conversations.get(conv);
  }

  /**
   * Drops one message that waits, named by its id or its turn's: what runs goes on, and no agent sees the message. Its turn ends as `cancelled`. Throws
   * `not_found`, and `not_waiting` with `turn` and `state` for one that runs or has ended. Publishes `turn.ended`.
   */
  async drop(conv: string, id: string): Promise<Turn> {
    const { conversations, turns, runs } = this.parts;
    conversations.row(conv);
    const found = turns.findNamed(conv, id);
    if (!found) throw new MeshError('not_found', 'There is no such message in this conversation.');
    if (await runs.drop(found, dropped())) return turnView(turns.find(found.turn) as TurnRow);
    const { state, outcome } = turns.find(found.turn) ?? found;
    const said =
      state === 'ended'
        ? `It has ended already (${outcome}): nothing of it waits.`
        : 'It runs already: cancel the turn to stop it.';
    throw new MeshError('not_waiting', said, {
      details: { turn: found.turn, state: state === 'ended' ? state : 'running' },
    });
  }

  /**
   * Drops all that waits in a conversation; what runs goes on. What is begun while this is at work is left alone. Throws `not_found`. Publishes
   * `turn.ended` for each.
   */
  async dropAll(conv: string): Promise<DroppedTurns> {
    const { conversations, turns, runs } = this.parts;
    conversations.row(conv);
    const waiting = turns.listOpen(conv).filter(({ state }) => state === 'queued');
    const ended = await Promise.all(
      waiting.map(async (turn) => ((await runs.drop(turn, dropped())) ? turns.find(turn.turn) : undefined)),
    );
    const views = ended.flatMap((turn) => (turn ? [turnView(turn)] : []));
    return { conv, turns: views, count: views.length };
  }

  /** Ends one turn, running or waiting, as an outside caller or the operator wishes. */
  async callOff(turn: string, code: 'cancelled' | 'member_gone', message: string): Promise<void> {
    const row = this.parts.turns.find(turn);
    const reason = new CalledOff(code === 'cancelled' ? 'cancelled' : 'failed', code, message);
    if (row && row.state !== 'ended') await this.parts.runs.callOff(row, reason);
  }

  /** A page of the transcript, oldest first, with its turns and what the running one has said so far. Throws `not_found`, also for an unknown `before`. */
  page(conv: string, query: MessagesQuery): MessageList {
    const { store, turns, runs, conversations } = this.parts;
    const row = conversations.row(conv);
    const limit = query.limit ?? PAGE_DEFAULT;
    const page = store.page(conv, query.before, limit + 1);
    if (!page) throw new MeshError('not_found', '"before" must be the id of a message of this conversation.');
    const has_more = page.length > limit;
    const messages = has_more ? page.slice(1) : page;
    const live = query.before === undefined ? runs.live(conv) : undefined;
    return {
      messages,
      turns: turns.listNamed(conv, new Set(messages.map(({ turn }) => turn))).map(turnView),
      live: live ? { turn: live.turn, text: live.text, next_index: live.index, calls: live.calls } : null,
      count: messages.length,
      has_more,
      // What other programs were answered is theirs to read.
      first_unread: row.from_outside === 1 ? null : (store.findUnread(conv, row.read_seq) ?? null),
    };
  }

  /** The whole conversation as a document, piece by piece. Throws `not_found`. */
  export(conv: string, format: ExportFormat): Iterable<string> {
    return transcript(this.parts.conversations.get(conv), this.parts.store.everyMessage(conv), format);
  }

  private putSaid(row: ConversationRow, text: string, docs: Asked['context_docs'], profile: 'operator' | 'outside') {
    const { store, turns, clock } = this.parts;
    const { conv } = row;
    const turn = newTurnId();
    const created_ms = clock.now();
    turns.put({ turn, conv, profile, text, created_ms });
    const doc_names = docs.map(({ filename }) => filename);
    const message = store.putMessage({
      id: newMessageId(),
      conv,
      turn,
      role: 'user',
      text,
      doc_names,
      from_outside: profile === 'outside',
      created_ms,
    });
    store.putChange(conv, {
      updated_ms: created_ms,
      archived: 0,
      ...(row.title === '' ? { title: titleFrom(text) } : {}),
    });
    return { turn, message };
  }

  private announce(conv: string, message: ReturnType<ConversationsStore['putMessage']>): void {
    this.parts.bus.publish('message.added', { conv, message });
    this.parts.bus.publish('conversation.updated', { conv });
  }
}
