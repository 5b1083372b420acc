import type {
  Conversation,
  ConversationList,
  ConversationPatch,
  ConversationsQuery,
  NewConversation,
} from '../../contract/conversations.js';
import { LIST_LIMIT_DEFAULT } from '../../contract/limits.js';
import type { Isolation } from '../../contract/work/worktrees.js';
import type { Bus } from '../../events/bus.js';
import { MeshError, unknownId } from '../../lib/errors.js';
import { newConversationId } from '../../lib/ids.js';
import type { Clock } from '../../lib/time/clock.js';
import type { Transaction, Transactions } from '../../storage/database/transaction.js';
import type { Team } from '../team/team.js';
import { isAgentType } from './agent-types.js';
import { type ConversationFacts, conversationView } from './conversation-view.js';
import type { ConversationRow } from './conversations-store.js';
import { findOpenConversation } from './singleton-rule.js';
import { TurnCancelledError } from './turn-cancelled.js';
import type { ForgottenPlace } from './turn-change.js';
import type { TurnRow } from './turns-store.js';

interface ConversationsParts extends ConversationFacts {
  transactions: Transactions;
  team: Pick<Team, 'serving' | 'servingMembers'>;
  bus: Bus;
  clock: Clock;
}

/**
 * Where a new conversation comes from. `placeOf`: the conversation whose folder it works in. `schedule`: the one of
 * which it is a run.
 */
interface NewOrigin {
  fromOutside?: boolean;
  schedule?: { id: string; title: string };
  placeOf?: string;
}

/**
 * Manages conversations, each bound to one member (an instance of it) or to an agent type. A singleton has at most one
 * conversation that is not archived, on every code path; a profile any number. `Messages` handles their messages.
 * Contract: Conversations.
 */
export class Conversations {
  private readonly removedHooks: ((conv: string) => void)[] = [];

  constructor(private readonly parts: ConversationsParts) {}

  /** Registers what is called once a conversation is removed. */
  onRemoved(hook: (conv: string) => void): void {
    this.removedHooks.push(hook);
  }

  /** Counts the member's conversations that are not archived. */
  instances(member: string): number {
    return this.parts.store.countLive(member);
  }

  /**
   * Creates a conversation. Throws `not_found` for an unknown member, `bad_request` for an unknown agent type, and
   * `singleton_busy` with `conv`. Publishes `conversation.created` and `team.instance.started`.
   */
  async create(given: NewConversation, origin: NewOrigin = {}): Promise<Conversation> {
    const { conv } = await this.parts.transactions.run((transaction) => {
      if (given.member !== undefined) this.requireFree(given.member, undefined);
      return this.putNew(transaction, given, origin);
    });
    return this.get(conv);
  }

  /**
   * Stores a new conversation. The caller must have checked that the member is free. Publishes `conversation.created`
   * and `team.instance.started`.
   */
  putNew(
    transaction: Transaction,
    given: NewConversation,
    { fromOutside = false, placeOf, schedule }: NewOrigin = {},
  ): ConversationRow {
    const { store, bus, clock } = this.parts;
    const conv = newConversationId();
    store.put(transaction, {
      conv,
      member: given.member ?? null,
      agent_type: this.getAgentType(given),
      title: given.title ?? '',
      client: given.client ?? null,
      model: given.model ?? null,
      effort: given.effort ?? null,
      isolation: given.isolation ?? null,
      place_of: placeOf ?? null,
      from_outside: fromOutside ? 1 : 0,
      created_ms: clock.now(),
    });
    if (schedule) store.putChange(transaction, conv, { schedule_id: schedule.id, schedule_title: schedule.title });
    transaction.afterCommit(() => bus.publish('conversation.created', { conv }));
    this.publishInstance(transaction, conv, null, given.member ?? null);
    return this.row(conv);
  }

  /** Publishes on commit whose instance the conversation was, if anyone's, and whose it is now, unless they are one. */
  private publishInstance(transaction: Transaction, conv: string, before: string | null, now: string | null): void {
    if (before === now) return;
    const { bus } = this.parts;
    transaction.afterCommit(() => {
      if (before !== null) bus.publish('team.instance.ended', { id: before, conv });
      if (now !== null) bus.publish('team.instance.started', { id: now, conv });
    });
  }

  /** Throws `not_found`. */
  get(conv: string): Conversation {
    return conversationView(this.row(conv), this.parts);
  }

  /** Returns the stored row. Throws `not_found`. */
  row(conv: string): ConversationRow {
    const row = this.parts.store.find(conv);
    if (!row) throw unknownId('conversation', conv);
    return row;
  }

  /**
   * Returns the conversation in which an ask of `member` continues: a singleton's current one, else `conv`. Undefined
   * when the ask starts a new one.
   */
  findForAsk(member: string, conv: string | undefined): ConversationRow | undefined {
    const { store, team } = this.parts;
    if (team.serving(member)?.kind === 'singleton') return this.findHome(member);
    return conv === undefined ? undefined : store.find(conv);
  }

  /** Returns a singleton's current conversation, or undefined. */
  private findHome(member: string): ConversationRow | undefined {
    const { store, runs } = this.parts;
    return findOpenConversation(store.listLive(member), (conv) => runs.live(conv) !== undefined);
  }

  /** Returns a page, pinned conversations first, then by last change. */
  list(query: ConversationsQuery): ConversationList {
    const limit = query.limit ?? LIST_LIMIT_DEFAULT;
    const words = query.q?.trim() ? query.q : undefined;
    const rows = this.parts.store.list({
      member: query.member,
      archived: query.archived ?? (query.parent === undefined ? false : undefined),
      parent: query.parent,
      words,
      after: getPlace(query.cursor),
      limit: limit + 1,
    });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const next_cursor = rows.length > limit && last ? [last.pinned, last.updated_ms, last.seq].join('.') : null;
    return { conversations: page.map((row) => conversationView(row, this.parts)), count: page.length, next_cursor };
  }

  /**
   * Changes the given fields. Throws `member_bound` when the conversation has messages and the member would change, or
   * when a turn ran and the isolation would change,
   * `singleton_busy` with `conv` when a singleton would get a second live conversation, `bad_request` for an unknown
   * `read`, and `not_found`. Publishes `conversation.updated`, `conversation.archived` and `team.instance.*`.
   */
  async patch(conv: string, patch: ConversationPatch): Promise<Conversation> {
    const { transactions, store, clock, bus } = this.parts;
    await transactions.run((transaction) => {
      const row = this.row(conv);
      const { member, pinned, archived, read, ...rest } = patch;
      const readSeq = read === undefined ? undefined : store.getSeq(conv, read);
      if (read !== undefined && readSeq === undefined) {
        throw new MeshError('bad_request', `There is no message \`${read}\` in this conversation.`, {
          details: { path: 'read' },
        });
      }
      const isMoving = member !== undefined && member !== row.member;
      if (isMoving && store.countMessages(conv) > 0) {
        throw new MeshError(
          'member_bound',
          'The member of a conversation cannot be changed once something was said: begin another one.',
        );
      }
      this.requireMovable(row, rest.isolation);
      const isLive = (archived ?? row.archived === 1) === false;
      const holder = member ?? row.member;
      if (holder !== null && isLive && (isMoving || row.archived === 1)) this.requireFree(holder, conv);
      store.putChange(transaction, conv, {
        ...rest,
        ...(isMoving ? { member, agent_type: this.getAgentType({ member }) } : {}),
        ...(pinned === undefined ? {} : { pinned: pinned ? 1 : 0 }),
        ...(readSeq === undefined ? {} : { read_seq: Math.max(row.read_seq, readSeq) }),
        ...(archived === undefined ? {} : { archived: archived ? 1 : 0 }),
        ...(archived === true ? { updated_ms: clock.now() } : {}),
      });
      transaction.afterCommit(() => {
        bus.publish('conversation.updated', { conv });
        if (archived) bus.publish('conversation.archived', { conv });
      });
      this.publishInstance(transaction, conv, row.archived === 1 ? null : row.member, isLive ? holder : null);
    });
    return this.get(conv);
  }

  /**
   * Ends all open turns and removes the conversation with its messages and its worktree. Returns what became of the
   * worktree. Throws `not_found`, and with `onlyEmpty` `not_empty` when it has messages. Publishes
   * `conversation.deleted` and `team.instance.ended`.
   */
  async remove(conv: string, onlyEmpty = false): Promise<ForgottenPlace> {
    const { transactions, store, turns, bus } = this.parts;
    for (;;) {
      // Repeats until no turn is open, so that a message sent meanwhile does not run without its conversation.
      const open = await transactions.run((transaction) => {
        const row = this.row(conv);
        if (onlyEmpty && store.countMessages(conv) > 0)
          throw new MeshError('not_empty', `Conversation ${conv} has messages. It was not deleted.`);
        const left = turns.listOpen(conv);
        if (left.length === 0) {
          store.drop(transaction, conv);
          transaction.afterCommit(() => {
            bus.publish('conversation.deleted', { conv });
            for (const hook of this.removedHooks) hook(conv);
          });
          this.publishInstance(transaction, conv, row.archived === 1 ? null : row.member, null);
        }
        return left;
      });
      if (open.length === 0) return this.parts.places.forget(conv);
      await this.cancelTurns(open, new TurnCancelledError('cancelled', 'cancelled', 'The conversation was deleted.'));
    }
  }

  /**
   * Archives a profile's conversation that an outside ask started, once no turn is open in it. Publishes
   * `conversation.archived` and `team.instance.ended`.
   */
  archiveAnswered(transaction: Transaction, conv: string): void {
    const { store, turns, team, bus } = this.parts;
    const row = store.find(conv);
    if (!row || row.archived === 1 || row.from_outside === 0 || row.member === null || turns.countOpen(conv) > 0)
      return;
    if (team.serving(row.member)?.kind === 'singleton') return;
    store.putChange(transaction, conv, { archived: 1 });
    transaction.afterCommit(() => bus.publish('conversation.archived', { conv }));
    this.publishInstance(transaction, conv, row.member, null);
  }

  /** Ends all open turns of a removed member. Its messages remain readable. */
  async memberGone(member: string): Promise<void> {
    const { store, turns } = this.parts;
    const open = turns.listOpen().filter(({ conv }) => store.find(conv)?.member === member);
    await this.cancelTurns(open, new TurnCancelledError('failed', 'member_gone', 'The member was removed.'));
  }

  /** Must be called before any turn starts. Handles members that became singletons while no daemon was running. */
  async start(): Promise<void> {
    for (const { id, kind } of this.parts.team.servingMembers())
      if (kind === 'singleton') await this.becameSingleton(id);
  }

  /**
   * Reduces a member that became a singleton to one live conversation: the most recently active one with a running
   * turn, else the most recently active one. The others are archived, and their open turns end as `cancelled`.
   * Idempotent. Publishes `conversation.updated`, `conversation.archived` and `team.instance.ended`.
   */
  async becameSingleton(member: string): Promise<void> {
    const { transactions, store, turns, clock, bus } = this.parts;
    const others = await transactions.run((transaction) => {
      const home = this.findHome(member)?.conv;
      const away = store.listLive(member).filter(({ conv }) => conv !== home);
      for (const { conv } of away) {
        store.putChange(transaction, conv, { archived: 1, updated_ms: clock.now() });
        this.publishInstance(transaction, conv, member, null);
      }
      return away;
    });
    // The program that asked may read this reason, so it does not identify the other conversation.
    const reason = `\`${member}\` became a singleton and goes on in another conversation; this one was archived.`;
    await this.cancelTurns(
      others.flatMap(({ conv }) => turns.listOpen(conv)),
      new TurnCancelledError('cancelled', 'cancelled', reason),
    );
    for (const { conv } of others) {
      bus.publish('conversation.updated', { conv });
      bus.publish('conversation.archived', { conv });
    }
  }

  /** Throws `singleton_busy` when the singleton `member` has another live conversation, `not_found` if unknown. */
  requireFree(member: string, conv: string | undefined): void {
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

  private requireMovable({ isolation, place }: ConversationRow, wanted: Isolation | null | undefined): void {
    if (wanted === undefined || wanted === isolation || place === null || wanted === place) return;
    const where = place === 'project' ? 'the project folder' : 'its worktree';
    throw new MeshError('member_bound', `It has worked in ${where} and goes on there: begin another conversation.`, {
      details: { path: 'isolation' },
    });
  }

  private getAgentType({
    member,
    agent_type,
  }: {
    member?: string | undefined;
    agent_type?: string | undefined;
  }): string {
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

  /** Cancels queued turns first, so that none of them starts meanwhile: transactions commit in the order of calls. */
  private async cancelTurns(open: readonly TurnRow[], reason: TurnCancelledError): Promise<void> {
    await Promise.all([...open].reverse().map((turn) => this.parts.runs.endings.cancelTurn(turn, reason)));
  }
}

function getPlace(cursor: string | undefined): { pinned: number; updated_ms: number; seq: number } | undefined {
  if (cursor === undefined) return undefined;
  const match = /^([01])\.(\d{1,16})\.(\d{1,16})$/.exec(cursor);
  if (!match)
    throw new MeshError('bad_request', '"cursor" must be the next_cursor of an earlier page.', {
      details: { path: 'cursor' },
    });
  return { pinned: Number(match[1]), updated_ms: Number(match[2]), seq: Number(match[3]) };
}
