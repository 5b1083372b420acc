import type { AnswerTrace } from '../../contract/answer-trace.js';
import type {
  AskAccepted,
  AskBody,
  AskRecord,
  Caller,
  ContextDoc,
  RateRequest,
  RequestDetail,
  RequestList,
  RequestRow,
  RequestsQuery,
} from '../../contract/asks.js';
import { LIST_LIMIT_DEFAULT } from '../../contract/limits.js';
import type { Bus } from '../../events/bus.js';
import { KeyedWaiters } from '../../lib/async/keyed-waiters.js';
import type { SigningKey } from '../../lib/crypto/ed25519.js';
import { MeshError } from '../../lib/errors.js';
import { type Clock, isoTime } from '../../lib/time/clock.js';
import { parseQueryTime } from '../../lib/time/query-time.js';
import type { IdempotencyKey } from '../../storage/database/idempotency.js';
import type { Transaction, Transactions } from '../../storage/database/transaction.js';
import type { Conversations } from '../conversations/conversations.js';
import type { Messages } from '../conversations/messages.js';
import type { TurnChange } from '../conversations/turn-change.js';
import type { TurnRuns } from '../conversations/turn-runs.js';
import type { AnswerRecheck } from '../knowledge/answer-recheck.js';
import type { Profile } from '../knowledge/knowledge.js';
import { AskAcceptance, type RunsOn } from './accept-ask.js';
import { AskEvents, type AskListener, type OutcomeListener } from './ask-events.js';
import { type Ask, type AskStore, isOver, type OwnAsksFilter } from './ask-store.js';
import { toAskRecord, toRequestDetail, toRequestRow } from './ask-views.js';
import { AskEnding } from './end-ask.js';
import { findAsk, findOwnAsk, RETENTION_MS } from './find-ask.js';
import { Polls } from './polls.js';
import { UsualLatencies, type UsualLatency } from './usual-latency.js';

const PRUNE_EVERY_MS = 3_600_000;

interface AsksParts {
  transactions: Transactions;
  store: AskStore;
  conversations: Pick<Conversations, 'findForAsk' | 'putNew' | 'archiveAnswered'>;
  messages: Pick<Messages, 'putMessage'>;
  runs: TurnRuns;
  bus: Bus;
  clock: Clock;
  /** Looks again at the citations of answers that are read. */
  answers: Pick<AnswerRecheck, 'recheck'>;
  signingKey: SigningKey;
  /** Returns the client and model of an exposed member; undefined for any other. */
  findMember: (id: string) => RunsOn | undefined;
  /** Like `findMember`, for any member that can run, exposed or not. */
  findRunnable: (id: string) => RunsOn | undefined;
}

/**
 * Asks of exposed members by other programs. Each ends exactly once, and its end is recorded before it is visible.
 * `accept-ask` accepts asks and `end-ask` ends them; this class reads and follows them, and is the interface for other
 * features. Contract: Ask and poll.
 */
export class Asks {
  readonly acceptance: AskAcceptance;
  readonly ending: AskEnding;
  private readonly events: AskEvents;
  private readonly polls = new Polls();
  private readonly latencies: UsualLatencies;
  private readonly waiters: KeyedWaiters;
  private cancelPruning: () => void = () => undefined;

  constructor(private readonly parts: AsksParts) {
    const events = new AskEvents(parts.bus);
    const waits = new KeyedWaiters(parts.clock);
    this.events = events;
    this.latencies = new UsualLatencies(parts.store);
    events.onOutcome((member) => this.latencies.answered(member));
    this.waiters = waits;
    this.acceptance = new AskAcceptance({ ...parts, events });
    this.ending = new AskEnding({ ...parts, endings: parts.runs.endings, events, waits });
    parts.runs.follow((change, transaction) => this.followTurn(change, transaction));
  }

  /** Starts pruning records older than 30 days. */
  async start(): Promise<void> {
    await this.prune();
  }

  /** Ends all waiting polls. */
  stop(): void {
    this.cancelPruning();
    this.waiters.wakeAll();
  }

  /** The number of unfinished asks. */
  get live(): number {
    return this.parts.store.countAllLive();
  }

  /** See `AskAcceptance`. */
  acceptAsk(memberId: string, body: AskBody, caller: Caller, key?: IdempotencyKey): Promise<AskAccepted> {
    return this.acceptance.acceptAsk(memberId, body, caller, key);
  }

  /** See `AskAcceptance`. */
  acceptTestAsk(memberId: string, text: string): Promise<AskAccepted> {
    return this.acceptance.acceptTestAsk(memberId, text);
  }

  /** Cancels the member's ask for its caller, and returns the ended record. Throws `not_found`. */
  async cancelAsk(memberId: string, requestId: string): Promise<AskRecord> {
    await this.ending.cancelAsk(memberId, requestId);
    return this.getRecord(memberId, requestId);
  }

  /** Cancels any ask for the operator. Throws `not_found`. */
  cancelAskAsOperator(requestId: string): Promise<void> {
    return this.ending.cancelAskAsOperator(requestId);
  }

  /**
   * Returns the member's ask at the start of a poll, without recording the collection and with its citations as they
   * were given. Records the poll, and publishes `team.request.polled` at most once a second. Throws `not_found`.
   */
  poll(memberId: string, requestId: string): AskRecord {
    const ask = findOwnAsk(this.parts, memberId, requestId);
    const { clock, bus } = this.parts;
    if (this.polls.add(requestId, isoTime(clock.now())))
      bus.publish('team.request.polled', { member: memberId, request_id: requestId });
    return this.view(ask);
  }

  /**
   * Returns the member's ask for its caller, and records that it was collected when it has ended. Throws `not_found`
   * for an ask of another member.
   */
  async read(memberId: string, requestId: string): Promise<AskRecord> {
    const ask = findOwnAsk(this.parts, memberId, requestId);
    const { transactions, clock, store } = this.parts;
    if (isOver(ask) && ask.collected_ms === null) {
      await transactions.run((transaction) => store.putCollected(transaction, requestId, clock.now()));
    }
    return this.currentView(ask, 'outside');
  }

  /** Like `read`, without recording anything. Throws `not_found` for an ask of another member. */
  async getRecord(memberId: string, requestId: string): Promise<AskRecord> {
    return this.currentView(findOwnAsk(this.parts, memberId, requestId), 'outside');
  }

  /** Returns asks, newest first, with their citations as they are now for the member's callers. */
  recheck(asks: readonly Ask[]): Promise<Ask[]> {
    return this.parts.answers.recheck(asks, 'outside');
  }

  /**
   * Returns the member's stored ask, with its citations as they were given. Throws `not_found` for an ask of another
   * member.
   */
  getOwn(memberId: string, requestId: string): Ask {
    return findOwnAsk(this.parts, memberId, requestId);
  }

  /** Returns the member's asks of the last 30 days by last status change, newest first. */
  listOwn(memberId: string, filter: Omit<OwnAsksFilter, 'sinceMs'>): { asks: Ask[]; total: number } {
    return this.parts.store.listOwn(memberId, { ...filter, sinceMs: this.parts.clock.now() - RETENTION_MS });
  }

  /**
   * Returns the text of a running ask's turn so far and the index of the next delta; undefined if it is not running.
   */
  getPartialText({ conv, turn }: Pick<Ask, 'conv' | 'turn'>): { text: string; nextIndex: number } | undefined {
    const live = this.parts.runs.live(conv);
    return live && live.turn === turn ? { text: live.text, nextIndex: live.index } : undefined;
  }

  /** Calls `listener` after the commit of every new request or status change. Returns a function to unsubscribe. */
  onChanged(listener: AskListener): () => void {
    return this.events.onChanged(listener);
  }

  /** Returns how long a member usually takes to answer other programs; undefined with fewer than 5 answers. */
  usualLatency(memberId: string): UsualLatency | undefined {
    return this.latencies.of(memberId);
  }

  /** Calls `listener` for every ask by another program that was answered or failed, after the commit. */
  onOutcome(listener: OutcomeListener): void {
    this.events.onOutcome(listener);
  }

  /** Resolves when the request has ended, after `seconds`, or when `signal` fires, whichever is first. */
  async wait(requestId: string, seconds: number, signal: AbortSignal): Promise<void> {
    const ask = this.parts.store.find(requestId);
    if (ask && !isOver(ask) && !this.parts.runs.isStopped) await this.waiters.until(requestId, seconds, signal);
  }

  /** Returns the documents that came with an ask. */
  documentsOf(requestId: string): ContextDoc[] {
    return this.parts.store.listDocuments(requestId);
  }

  /** Returns any ask as the operator sees it. Throws `not_found`. */
  async detail(requestId: string): Promise<RequestDetail> {
    const ask = findAsk(this.parts, requestId);
    const [documents, polls] = [this.documentsOf(requestId), this.polls.of(requestId)];
    const rating = this.parts.store.findRating(requestId);
    return toRequestDetail(ask, { documents, record: await this.currentView(ask, 'operator'), polls, rating });
  }

  /** Returns how the built-in search found an answer. Throws `not_found`. */
  trace(requestId: string): AnswerTrace {
    const { client, status } = findAsk(this.parts, requestId);
    const trace = this.parts.store.findTrace(requestId);
    if (trace) return trace;
    const reason =
      status !== 'done'
        ? `it has no answer: its status is \`${status}\``
        : client === 'builtin'
          ? 'it was answered by an earlier version'
          : `only the built-in search leaves one, and \`${client}\` answered`;
    throw new MeshError('not_found', `The request has no trace: ${reason}.`);
  }

  /**
   * Records what the operator thinks of an answer, or removes it. Throws `not_found`, and `bad_request` while the
   * request has not been answered.
   */
  async rate(requestId: string, rating: RateRequest | undefined): Promise<RequestDetail> {
    const { transactions, store, clock, bus } = this.parts;
    const { member, status } = findAsk(this.parts, requestId);
    if (rating && status !== 'done')
      throw new MeshError('bad_request', `The request has no answer that could be rated: its status is \`${status}\`.`);
    await transactions.run((transaction) => {
      if (rating)
        store.putRating(transaction, requestId, {
          value: rating.value,
          note: rating.note?.trim() ?? '',
          rated_ms: clock.now(),
        });
      else store.removeRating(transaction, requestId);
      transaction.afterCommit(() => bus.publish('team.request.rated', { member, request_id: requestId }));
    });
    return this.detail(requestId);
  }

  /**
   * Returns a page of all asks of the last 30 days, newest first. Throws `bad_request` for an invalid cursor or time.
   */
  list(query: RequestsQuery): RequestList {
    const limit = query.limit ?? LIST_LIMIT_DEFAULT;
    const oldest = this.parts.clock.now() - RETENTION_MS;
    const since = parseQueryTime('since', query.since) ?? oldest;
    const beforeSeq = query.cursor === undefined ? undefined : Number(query.cursor);
    if (beforeSeq !== undefined && !Number.isSafeInteger(beforeSeq)) {
      throw new MeshError('bad_request', '"cursor" must be the next_cursor of an earlier page.', {
        details: { path: 'cursor' },
      });
    }
    const asks = this.parts.store.list({
      member: query.member,
      status: query.status,
      rating: query.rating,
      kind: query.kind,
      words: query.q === undefined || query.q.trim() === '' ? undefined : query.q,
      caller: query.caller,
      sinceMs: Math.max(since, oldest),
      beforeSeq,
      limit: limit + 1,
    });
    const page = asks.slice(0, limit);
    const last = page.at(-1);
    return {
      requests: page.map(toRequestRow),
      count: page.length,
      next_cursor: asks.length > limit && last ? String(last.seq) : null,
    };
  }

  /** Returns the newest rows, for a dashboard that has just opened. */
  recent(limit: number): RequestRow[] {
    return this.list({ limit }).requests;
  }

  private async currentView(ask: Ask, profile: Profile): Promise<AskRecord> {
    const record = this.view(ask);
    const [current = record] = await this.parts.answers.recheck([record], profile);
    return current;
  }

  private view(ask: Ask): AskRecord {
    const live = this.parts.runs.live(ask.conv);
    return toAskRecord(ask, {
      ...(ask.status === 'queued' ? { queue_position: this.findPosition(ask) } : {}),
      progress: live && live.turn === ask.turn ? live.progress : undefined,
    });
  }

  /** Returns the place of a queued ask among those of all members; 1 is next. */
  private findPosition({ request_id }: Ask): number {
    const queued = this.parts.store.listLive().filter(({ status }) => status === 'queued');
    return queued.findIndex((other) => other.request_id === request_id) + 1;
  }

  /** Applies a turn's change to the ask that the turn answers. */
  private followTurn(change: TurnChange, transaction: Transaction): void {
    const { store, clock } = this.parts;
    const ask = store.findByTurn(change.turn.turn);
    if (!ask) return;
    switch (change.kind) {
      case 'started':
        store.putStarted(transaction, ask.request_id, clock.now(), change.client, change.model);
        transaction.afterCommit(() => this.events.publish('started', ask));
        break;
      case 'waiting':
        store.putWaiting(transaction, ask.request_id, true);
        transaction.afterCommit(() => this.events.publish('needs_input', ask));
        break;
      case 'resumed':
        store.putWaiting(transaction, ask.request_id, false);
        transaction.afterCommit(() => this.events.publish('started', ask));
        break;
      case 'ended':
        this.ending.endAsk(transaction, ask, change);
        break;
    }
  }

  private async prune(): Promise<void> {
    const { transactions, store, clock } = this.parts;
    const now = clock.now();
    // A write failure is reported elsewhere. Until the next run, old rows are hidden by their age.
    await transactions.run((transaction) => store.prune(transaction, now - RETENTION_MS, now)).catch(() => undefined);
    this.cancelPruning = clock.after(PRUNE_EVERY_MS, () => void this.prune());
  }
}
