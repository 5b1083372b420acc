import {
  type Conversation,
  type ConversationList,
  type ConversationPatch,
  type ConversationsQuery,
  type Decision,
  type MessageAccepted,
  type MessageList,
  type MessagesQuery,
  type NewConversation,
  type NewMessage,
  type Permission,
  QUEUE_MAX,
  TITLE_MAX_CHARS,
} from '../../contract/conversations.js';
import { LIST_LIMIT_DEFAULT } from '../../contract/limits.js';
import type { Bus } from '../../events/bus.js';
import { type Clock, isoTime } from '../../lib/clock.js';
import { MeshError } from '../../lib/errors.js';
import { newConversationId, newMessageId, newTurnId } from '../../lib/ids.js';
import type { Team } from '../team/team.js';
import { isAgentType } from './agent-types.js';
import { CalledOff } from './called-off.js';
import type { ConversationRow, ConversationsStore } from './conversations-store.js';
import type { Permissions } from './permissions.js';
import { type ExportFormat, transcript } from './transcript.js';
import type { Runnable, TurnRuns } from './turn-runs.js';
import { type TurnsStore, turnView } from './turns-store.js';

const PREVIEW_CHARS = 160;
const TITLE_CHARS = 80;
const PAGE_DEFAULT = 100;

export interface ConversationsParts {
  store: ConversationsStore;
  turns: TurnsStore;
  runs: TurnRuns;
  permissions: Permissions;
  team: Pick<Team, 'serving'>;
  resolve: (conversation: ConversationRow) => (Runnable & { note?: string | undefined }) | undefined;
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

/**
 * Instances of members: conversations, each bound to one. A singleton has at most one that is not archived, whichever way it comes about; a profile any
 * number. What is said waits its turn and is durable before it is answered. Contract: Conversations.
 */
export class Conversations {
  constructor(private readonly parts: ConversationsParts) {}

  /** Conversations of a member that are not archived. */
  instances(member: string): number {
    return this.parts.store.countLive(member);
  }

  /**
   * Begins a conversation. Throws `not_found` for an unknown member, `bad_request` for an unknown agent type, `singleton_busy` with `conv`. Publishes
   * `conversation.created`.
   */
  async create(given: NewConversation): Promise<Conversation> {
    const { store, clock, bus } = this.parts;
    const agent_type = this.agentTypeOf(given);
    const conv = newConversationId();
    await store.write(() => {
      if (given.member !== undefined) this.requireFree(given.member, undefined);
      store.put({
        conv,
        member: given.member ?? null,
        agent_type,
        title: given.title ?? '',
        client: given.client ?? null,
        model: given.model ?? null,
        effort: given.effort ?? null,
        from_outside: 0,
        created_ms: clock.now(),
      });
    });
    bus.publish('conversation.created', { conv });
    return this.get(conv);
  }

  /** Throws `not_found`. */
  get(conv: string): Conversation {
    return this.view(this.row(conv));
  }

  /** A page, pinned ones first, then by the newest change. */
  list(query: ConversationsQuery): ConversationList {
    const limit = query.limit ?? LIST_LIMIT_DEFAULT;
    const words = query.q?.trim() ? query.q : undefined;
    const rows = this.parts.store.list({
      member: query.member,
      archived: query.archived ?? false,
      words,
      after: placeOf(query.cursor),
      limit: limit + 1,
    });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const next_cursor = rows.length > limit && last ? [last.pinned, last.updated_ms, last.seq].join('.') : null;
    return { conversations: page.map((row) => this.view(row)), count: page.length, next_cursor };
  }

  /**
   * Changes what is given. Throws `member_bound` once something was said, `singleton_busy` with `conv` when bringing it back would make a second one,
   * `not_found`. Publishes `conversation.updated`, `conversation.archived`.
   */
  async patch(conv: string, patch: ConversationPatch): Promise<Conversation> {
    const { store, clock, bus } = this.parts;
    await store.write(() => {
      const row = this.row(conv);
      const { member, pinned, archived, ...rest } = patch;
      const isMoving = member !== undefined && member !== row.member;
      if (isMoving && store.countMessages(conv) > 0) {
        throw new MeshError('member_bound', 'The member of a conversation cannot be changed once something was said: begin another one.');
      }
      const isLive = (archived ?? row.archived === 1) === false;
      const holder = member ?? row.member;
      if (holder !== null && isLive && (isMoving || row.archived === 1)) this.requireFree(holder, conv);
      store.putChange(conv, {
        ...rest,
        ...(isMoving ? { member, agent_type: this.agentTypeOf({ member }) } : {}),
        ...(pinned === undefined ? {} : { pinned: pinned ? 1 : 0 }),
        ...(archived === undefined ? {} : { archived: archived ? 1 : 0 }),
        ...(archived === true ? { updated_ms: clock.now() } : {}),
      });
    });
    bus.publish('conversation.updated', { conv });
    if (patch.archived) bus.publish('conversation.archived', { conv });
    return this.get(conv);
  }

  /** Ends what runs and removes the conversation with all that was said. Throws `not_found`. Publishes `conversation.deleted`. */
  async remove(conv: string): Promise<void> {
    const { store, bus } = this.parts;
    this.row(conv);
    await this.callOffAll(conv, new CalledOff('cancelled', 'cancelled', 'The conversation was deleted.'));
    await store.write(() => store.drop(conv));
    bus.publish('conversation.deleted', { conv });
  }

  /**
   * Says something: at once when nothing runs, else in its order. Durable when it resolves. Throws `member_gone`, `singleton_busy`, `too_many_requests`
   * when 50 wait already, `not_found`. Publishes `message.added`.
   */
  async say(conv: string, { text, context_docs }: NewMessage): Promise<MessageAccepted> {
    const { store, turns, runs } = this.parts;
    const outcome = await store.write(() => {
      const row = this.row(conv);
      if (row.member !== null && !this.parts.team.serving(row.member)) {
        throw new MeshError('member_gone', `\`${row.member}\` is gone: what was said stays readable, nothing more can be said.`);
      }
      if (row.archived === 1 && row.member !== null) this.requireFree(row.member, conv);
      const waiting = turns.countOpen(conv);
      if (waiting > QUEUE_MAX) {
        throw new MeshError('too_many_requests', `${QUEUE_MAX} messages wait in this conversation already.`, {
          details: { retry_after: 5 },
        });
      }
      return { queued: waiting > 0, ...this.putSaid(row, text, context_docs ?? [], 'operator') };
    });
    this.announce(conv, outcome.message);
    runs.pump();
    return { turn: outcome.turn, queued: outcome.queued };
  }

  /**
   * Says what an outside ask says. To be called inside a write transaction; call `launch` with what it returns once that is durable. A singleton
   * answers in its one conversation.
   */
  putAsked({ member, conv, text, context_docs }: Asked): { conv: string; turn: string; launch: () => void } {
    const { store, clock, bus, runs, team } = this.parts;
    const isSingleton = team.serving(member)?.kind === 'singleton';
    const known = isSingleton ? store.listLive(member)[0] : conv === undefined ? undefined : store.find(conv);
    let row = known;
    if (!row) {
      const id = newConversationId();
      const agent_type = this.agentTypeOf({ member });
      store.put({
        conv: id,
        member,
        agent_type,
        title: '',
        client: null,
        model: null,
        effort: null,
        from_outside: 1,
        created_ms: clock.now(),
      });
      row = store.find(id) as ConversationRow;
    }
    const said = this.putSaid(row, text, context_docs, 'outside');
    const id = row.conv;
    return {
      conv: id,
      turn: said.turn,
      launch: () => {
        if (!known) bus.publish('conversation.created', { conv: id });
        this.announce(id, said.message);
        runs.pump();
      },
    };
  }

  /** Archives a profile's conversation that an outside ask made, once nothing more waits in it. To be called inside a write transaction. */
  putAskEnded(conv: string): void {
    const { store, turns, team } = this.parts;
    const row = store.find(conv);
    if (!row || row.from_outside === 0 || row.member === null || turns.countOpen(conv) > 0) return;
    if (team.serving(row.member)?.kind !== 'singleton') store.putChange(conv, { archived: 1 });
  }

  /** Ends the running turn; with `queue` also drops what waits behind it. Throws `not_found`. */
  async cancel(conv: string, { queue }: { queue?: boolean | undefined }): Promise<Conversation> {
    this.row(conv);
    const open = this.parts.turns.listOpen(conv);
    const reason = new CalledOff('cancelled', 'cancelled', 'Stopped by the operator.');
    const ending = open.filter((turn) => turn.state === 'running' || queue === true).reverse();
    for (const turn of ending) await this.parts.runs.callOff(turn, reason);
    return this.get(conv);
  }

  /** Ends one turn, running or waiting, as an outside caller or the operator wishes. */
  async callOff(turn: string, code: 'cancelled' | 'member_gone', message: string): Promise<void> {
    const row = this.parts.turns.find(turn);
    const reason = new CalledOff(code === 'cancelled' ? 'cancelled' : 'failed', code, message);
    if (row && row.state !== 'ended') await this.parts.runs.callOff(row, reason);
  }

  /** Answers a question of the agent. Throws `not_found` for one that is dead. */
  decide(conv: string, pid: string, decision: Decision): Promise<Permission> {
    return this.parts.permissions.decide(conv, pid, decision);
  }

  /** A page of the transcript, oldest first, with its turns and what the running one has said so far. Throws `not_found`, also for an unknown `before`. */
  messages(conv: string, query: MessagesQuery): MessageList {
    this.row(conv);
    const { store, turns, runs } = this.parts;
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
    };
  }

  /** The whole conversation as a document, piece by piece. Throws `not_found`. */
  export(conv: string, format: ExportFormat): Iterable<string> {
    return transcript(this.get(conv), this.parts.store.everyMessage(conv), format);
  }

  /** Ends everything of a member that is gone; what was said stays readable. */
  async memberGone(member: string): Promise<void> {
    for (const turn of this.parts.turns.listOpen()) {
      if (this.parts.store.find(turn.conv)?.member !== member) continue;
      await this.parts.runs.callOff(turn, new CalledOff('failed', 'member_gone', 'The member was removed.'));
    }
  }

  private async callOffAll(conv: string, reason: CalledOff): Promise<void> {
    for (const turn of this.parts.turns.listOpen(conv).reverse()) await this.parts.runs.callOff(turn, reason);
  }

  private putSaid(row: ConversationRow, text: string, docs: Asked['context_docs'], profile: 'operator' | 'outside') {
    const { store, turns, clock } = this.parts;
    const { conv } = row;
    const turn = newTurnId();
    const created_ms = clock.now();
    turns.put({ turn, conv, profile, text, context_docs: docs, created_ms });
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
    store.putChange(conv, { updated_ms: created_ms, archived: 0, ...(row.title === '' ? { title: titleFrom(text) } : {}) });
    return { turn, message };
  }

  private announce(conv: string, message: ReturnType<ConversationsStore['putMessage']>): void {
    this.parts.bus.publish('message.added', { conv, message });
    this.parts.bus.publish('conversation.updated', { conv });
  }

  /** A singleton may have no other live conversation than `conv`. */
  private requireFree(member: string, conv: string | undefined): void {
    const serving = this.parts.team.serving(member);
    if (!serving) throw new MeshError('not_found', `There is no member \`${member}\`.`);
    if (serving.kind !== 'singleton') return;
    const other = this.parts.store.listLive(member).find((row) => row.conv !== conv);
    if (!other) return;
    throw new MeshError(
      'singleton_busy',
      `\`${member}\` is a singleton and lives in "${other.title || other.conv}": go on there, or archive it first.`,
      {
        details: { conv: other.conv },
      },
    );
  }

  private agentTypeOf({ member, agent_type }: { member?: string | undefined; agent_type?: string | undefined }): string {
    if (agent_type !== undefined && !isAgentType(agent_type)) {
      throw new MeshError('bad_request', `"agent_type" ${JSON.stringify(agent_type.slice(0, 40))} is not known.`, {
        details: { path: 'agent_type' },
      });
    }
    if (member === undefined) return agent_type ?? 'custom';
    const serving = this.parts.team.serving(member);
    if (!serving) throw new MeshError('not_found', `There is no member \`${member.slice(0, 64)}\`.`);
    return agent_type ?? serving.agent_type;
  }

  private row(conv: string): ConversationRow {
    const row = this.parts.store.find(conv);
    if (!row) throw new MeshError('not_found', 'There is no such conversation.');
    return row;
  }

  private view(row: ConversationRow): Conversation {
    const { store, turns, runs, permissions } = this.parts;
    const { conv, member, agent_type, client, model, effort } = row;
    const runnable = this.parts.resolve(row);
    const open = turns.countOpen(conv);
    const running = runs.live(conv)?.turn ?? null;
    return {
      conv,
      member,
      agent_type: isAgentType(agent_type) ? agent_type : 'custom',
      title: row.title || member || 'New conversation',
      client: client as Conversation['client'],
      model,
      effort: effort as Conversation['effort'],
      client_resolved: runnable?.client_resolved ?? '',
      model_resolved: runnable?.model_resolved ?? '',
      effort_resolved: runnable?.effort_resolved ?? '',
      problem: runnable ? (runnable.problem ?? runnable.note ?? null) : 'The member is gone.',
      pinned: row.pinned === 1,
      archived: row.archived === 1,
      member_gone: member !== null && !runnable,
      from_outside: row.from_outside === 1,
      running,
      queued: running === null ? open : open - 1,
      permissions: permissions.waiting(conv),
      last_outcome: turns.lastOutcome(conv),
      messages: store.countMessages(conv),
      preview: store.preview(conv, PREVIEW_CHARS),
      created_at: isoTime(row.created_ms),
      updated_at: isoTime(row.updated_ms),
    };
  }
}

function titleFrom(text: string): string {
  const line = text.trim().split('\n')[0] ?? '';
  const cut = [...line].length > TITLE_CHARS ? `${[...line].slice(0, TITLE_CHARS - 1).join('')}…` : line;
  return cut.slice(0, TITLE_MAX_CHARS);
}

function placeOf(cursor: string | undefined): { pinned: number; updated_ms: number; seq: number } | undefined {
  if (cursor === undefined) return undefined;
  const match = /^([01])\.(\d{1,16})\.(\d{1,16})$/.exec(cursor);
  if (!match) throw new MeshError('bad_request', '"cursor" must be the next_cursor of an earlier page.', { details: { path: 'cursor' } });
  return { pinned: Number(match[1]), updated_ms: Number(match[2]), seq: Number(match[3]) };
}
