import {
  ASK_ERROR_CODES,
  type AskAccepted,
  type AskBody,
  type AskErrorCode,
  type AskRecord,
  type Caller,
  type ContextDoc,
  type RequestDetail,
  type RequestList,
  type RequestRow,
  type RequestsQuery,
} from '../../contract/asks.js';
import { ASK_CAP, LIST_LIMIT_DEFAULT, REQUEST_KEPT_DAYS } from '../../contract/limits.js';
import type { Bus } from '../../events/bus.js';
import { type Clock, isoTime } from '../../lib/clock.js';
import type { SigningKey } from '../../lib/ed25519.js';
import { MeshError } from '../../lib/errors.js';
import { newRequestId } from '../../lib/ids.js';
import { makeReceipt } from '../../lib/receipt.js';
import { Waits } from '../../lib/waits.js';
import type { IdempotencyKey } from '../../storage/idempotency.js';
import type { Conversations } from '../conversations/conversations.js';
import type { Messages } from '../conversations/messages.js';
import type { TurnChange } from '../conversations/turn-change.js';
import type { TurnRuns } from '../conversations/turn-runs.js';
import { asDetail, asRecord, asRow } from './ask-views.js';
import { type Ask, type AsksStore, type Ending, isOver, type OwnAsksFilter } from './asks-store.js';
import { Polls } from './polls.js';

const KEPT_MS = REQUEST_KEPT_DAYS * 86_400_000;
const PRUNE_EVERY_MS = 3_600_000;

/** Hears of a request that is new or whose status has changed, once that is durable. */
export type AskListener = (ask: { member: string; request_id: string }) => void;

export interface AsksParts {
  store: AsksStore;
  conversations: Pick<Conversations, 'putAskEnded'>;
  messages: Pick<Messages, 'putAsked' | 'callOff'>;
  runs: TurnRuns;
  bus: Bus;
  clock: Clock;
  signingKey: SigningKey;
  /** What an exposed member would run on now; undefined for any other. */
  findMember: (id: string) => RunsOn | undefined;
  /** The same of any member that can run, exposed or not. */
  findRunnable: (id: string) => RunsOn | undefined;
}

interface RunsOn {
  client_resolved: string;
  model_resolved: string;
}

/**
 * The door's rules: asks of exposed members by other programs, each answered exactly once and recorded before anyone can see it. Who may ask is
 * settled before it comes here. Contract: Ask and poll.
 */
export class Asks {
  private readonly polls = new Polls();
  private readonly waits: Waits;
  private readonly listeners = new Set<AskListener>();
  private cancelPruning: () => void = () => undefined;

  constructor(private readonly parts: AsksParts) {
    this.waits = new Waits(parts.clock);
    parts.runs.onTurn((change) => this.follow(change));
  }

  /** Begins to prune records older than 30 days. */
  async start(): Promise<void> {
    await this.prune();
  }

  /** Lets go of callers that wait. */
  stop(): void {
    this.cancelPruning();
    this.waits.wakeAll();
  }

  /** Asks that are not over. */
  get live(): number {
    return this.parts.store.countAllLive();
  }

  /**
   * Accepts an ask and returns at once; it is durable then. Throws `too_many_requests` when six of the member's asks are running or queued, counted
   * in the transaction that inserts it, and `idempotency_mismatch`. Publishes `team.request.created`.
   */
  submit(memberId: string, body: AskBody, caller: Caller, key?: IdempotencyKey): Promise<AskAccepted> {
    return this.accept(memberId, this.parts.findMember(memberId), body, caller, key);
  }

  /**
   * As `submit`, for a contract test of the operator's: of any member that can run, internal ones among them, and it takes none of the places of the
   * member's callers, who see nothing of it. In all else it is answered as theirs are: with the same tools, and the same time for what a person must decide.
   */
  submitTest(memberId: string, text: string): Promise<AskAccepted> {
    return this.accept(
      memberId,
      this.parts.findRunnable(memberId),
      { text },
      { user_agent: null, idempotency_key: null, test: true },
    );
  }

  private async accept(
    memberId: string,
    member: RunsOn | undefined,
    body: AskBody,
    caller: Caller,
    key?: IdempotencyKey,
  ): Promise<AskAccepted> {
    const { store, clock, messages } = this.parts;
    if (!member) throw new MeshError('not_found', 'There is no such member.');
    let launch: (() => void) | undefined;
    const now = clock.now();
    const { session, text, context_docs = [] } = body;
    // Half a megabyte takes milliseconds to encode, which no transaction has to spare.
    const documents = context_docs.length > 0 ? Buffer.from(JSON.stringify(context_docs)) : undefined;
    const answer = await store.submit<AskAccepted>(key, now, () => {
      if (!caller.test && store.countLive(memberId) >= ASK_CAP) {
        throw new MeshError(
          'too_many_requests',
          `${ASK_CAP} asks of this member are already running or queued: wait for one to end.`,
          {
            details: { retry_after: 2 },
          },
        );
      }
      const request_id = newRequestId();
      const known = session === undefined ? undefined : store.findConversation(memberId, session);
      const asked = messages.putAsked({ member: memberId, conv: known, text, context_docs });
      launch = asked.launch;
      const { conv, turn } = asked;
      const ask = {
        request_id,
        member: memberId,
        conv,
        // A singleton answers in its one conversation whatever it says.
        session: session ?? null,
        turn,
        text,
        documents,
        caller,
        client: member.client_resolved,
        model: member.model_resolved,
        created_ms: now,
      };
      return { ask, answer: { request_id, conv, status: 'queued', poll: `/team/requests/${request_id}` } };
    });
    if (launch) {
      this.tell('created', { member: memberId, request_id: answer.request_id });
      launch();
    }
    return answer;
  }

  /** As `read`, at the beginning of a poll, which it notes. */
  poll(memberId: string, requestId: string): AskRecord {
    const ask = this.owned(memberId, requestId);
    const { clock, bus } = this.parts;
    if (this.polls.add(requestId, isoTime(clock.now())))
      bus.publish('team.request.polled', { member: memberId, request_id: requestId });
    return this.view(ask);
  }

  /** The member's ask as its caller sees it now; `not_found` for anyone else's. Notes that it was collected when it has ended. */
  async read(memberId: string, requestId: string): Promise<AskRecord> {
    const ask = this.owned(memberId, requestId);
    const { clock, store } = this.parts;
    if (isOver(ask) && ask.collected_ms === null) await store.collect(requestId, clock.now());
    return this.view(ask);
  }

  /** The member's ask with all that is kept of it; `not_found` for anyone else's. */
  getOwn(memberId: string, requestId: string): Ask {
    return this.owned(memberId, requestId);
  }

  /** The member's asks of the last 30 days, the one whose status has changed last first. */
  listOwn(memberId: string, filter: Omit<OwnAsksFilter, 'sinceMs'>): { asks: Ask[]; total: number } {
    return this.parts.store.listOwn(memberId, { ...filter, sinceMs: this.parts.clock.now() - KEPT_MS });
  }

  /** What a running ask's turn has said so far, and the index of the delta that comes next; undefined while it says nothing. */
  saidSoFar({ conv, turn }: Pick<Ask, 'conv' | 'turn'>): { text: string; nextIndex: number } | undefined {
    const live = this.parts.runs.live(conv);
    return live && live.turn === turn ? { text: live.text, nextIndex: live.index } : undefined;
  }

  /** `listener` hears of every request that is new or whose status has changed, once that is durable; returns how to stop. */
  onChanged(listener: AskListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Resolves when the request has ended, `seconds` are up, or `signal` fires, whichever is first. */
  async wait(requestId: string, seconds: number, signal: AbortSignal): Promise<void> {
    const ask = this.parts.store.find(requestId);
    if (ask && !isOver(ask) && !this.parts.runs.isStopped) await this.waits.until(requestId, seconds, signal);
  }

  /** The member's ask, called off; an ended one stays as it is. Resolves with the ended record. `not_found` for anyone else's. */
  async cancel(memberId: string, requestId: string): Promise<AskRecord> {
    await this.callOff(this.owned(memberId, requestId), 'cancelled', 'Cancelled by its caller.');
    return this.view(this.owned(memberId, requestId));
  }

  /** Any ask, called off by the operator. `not_found` when there is none. */
  async cancelAsOperator(requestId: string): Promise<RequestDetail> {
    await this.callOff(this.any(requestId), 'cancelled', 'Cancelled by the operator.');
    return this.detail(requestId);
  }

  /** Ends what outside callers ask of a member that is closed to them. */
  async callOffAll(memberId: string, reason: string): Promise<void> {
    const live = this.parts.store.listLive().filter((ask) => ask.member === memberId && !ask.caller.test);
    await Promise.all(live.map((ask) => this.callOff(ask, 'member_gone', reason)));
  }

  /** What came with an ask. */
  documentsOf(requestId: string): ContextDoc[] {
    return this.parts.store.documentsOf(requestId);
  }

  detail(requestId: string): RequestDetail {
    const ask = this.any(requestId);
    return asDetail(ask, this.documentsOf(requestId), this.view(ask), this.polls.of(requestId));
  }

  /** A page of all asks of the last 30 days, newest first. `bad_request` for a cursor or time that is none. */
  list(query: RequestsQuery): RequestList {
    const limit = query.limit ?? LIST_LIMIT_DEFAULT;
    const oldest = this.parts.clock.now() - KEPT_MS;
    const since = query.since === undefined ? oldest : Date.parse(query.since);
    if (Number.isNaN(since))
      throw new MeshError('bad_request', '"since" must be an ISO 8601 time.', { details: { path: 'since' } });
    const beforeSeq = query.cursor === undefined ? undefined : Number(query.cursor);
    if (beforeSeq !== undefined && !Number.isSafeInteger(beforeSeq)) {
      throw new MeshError('bad_request', '"cursor" must be the next_cursor of an earlier page.', {
        details: { path: 'cursor' },
      });
    }
    const asks = this.parts.store.list({
      member: query.member,
      status: query.status,
      words: query.q === undefined || query.q.trim() === '' ? undefined : query.q,
      caller: query.caller || undefined,
      sinceMs: Math.max(since, oldest),
      beforeSeq,
      limit: limit + 1,
    });
    const page = asks.slice(0, limit);
    const last = page.at(-1);
    return {
      requests: page.map(asRow),
      count: page.length,
      next_cursor: asks.length > limit && last ? String(last.seq) : null,
    };
  }

  /** The newest rows, for a dashboard that has just opened. */
  recent(limit: number): RequestRow[] {
    return this.list({ limit }).requests;
  }

  private any(requestId: string): Ask {
    const ask = this.parts.store.find(requestId);
    if (!ask || ask.created_ms < this.parts.clock.now() - KEPT_MS)
      throw new MeshError('not_found', 'There is no such request.');
    return ask;
  }

  private owned(memberId: string, requestId: string): Ask {
    const ask = this.any(requestId);
    if (ask.member !== memberId || ask.caller.test) throw new MeshError('not_found', 'There is no such request.');
    return ask;
  }

  private view(ask: Ask): AskRecord {
    const queued =
      ask.status === 'queued' ? this.parts.store.listLive().filter((other) => other.status === 'queued') : [];
    const live = this.parts.runs.live(ask.conv);
    const position = queued.findIndex((other) => other.request_id === ask.request_id) + 1;
    return asRecord(ask, {
      ...(position > 0 ? { queue_position: position } : {}),
      progress: live?.turn === ask.turn ? live?.progress : undefined,
    });
  }

  private async callOff(ask: Ask, code: 'cancelled' | 'member_gone', message: string): Promise<void> {
    if (ask.turn !== null && !isOver(ask)) await this.parts.messages.callOff(ask.turn, code, message);
  }

  /** What a turn does to the ask that it answers: recorded in the turn's own transaction, told once that is durable. */
  private follow(change: TurnChange): (() => void) | undefined {
    const { store, clock, conversations } = this.parts;
    const ask = store.findByTurn(change.turn.turn);
    if (!ask) return undefined;
    const subject = { member: ask.member, request_id: ask.request_id };
    switch (change.kind) {
      case 'started':
        store.putStarted(ask.request_id, clock.now(), change.client, change.model);
        return () => this.tell('started', subject);
      case 'waiting':
        store.putWaiting(ask.request_id, true);
        return () => this.tell('needs_input', subject);
      case 'resumed':
        store.putWaiting(ask.request_id, false);
        return () => this.tell('started', subject);
      case 'ended': {
        const status = change.answer ? 'done' : 'error';
        store.putEnded(ask.request_id, status, this.endingOf(ask, change));
        conversations.putAskEnded(ask.conv);
        return () => {
          this.tell(status, subject);
          this.waits.wake(ask.request_id);
        };
      }
    }
  }

  private tell(
    change: 'created' | 'started' | 'needs_input' | 'done' | 'error',
    subject: { member: string; request_id: string },
  ): void {
    this.parts.bus.publish(`team.request.${change}`, subject);
    for (const listener of this.listeners) listener(subject);
  }

  private endingOf(ask: Ask, { ending, answer, runnable }: Extract<TurnChange, { kind: 'ended' }>): Ending {
    const { finished_ms } = ending;
    if (!answer) {
      const code = ASK_ERROR_CODES.find((known) => known === ending.code) ?? ('client_failed' satisfies AskErrorCode);
      return {
        finished_ms,
        result_text: null,
        citations: null,
        receipt: null,
        error_code: code,
        error_message: ending.reason ?? '',
      };
    }
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
      receipt,
      error_code: null,
      error_message: null,
    };
  }

  private async prune(): Promise<void> {
    const now = this.parts.clock.now();
    // A store that cannot be written says so elsewhere; old rows are hidden by their age until the next try.
    await this.parts.store.prune(now - KEPT_MS, now).catch(() => undefined);
    this.cancelPruning = this.parts.clock.after(PRUNE_EVERY_MS, () => void this.prune());
  }
}
