import type { AskErrorCode, AskRecord } from '../../contract/asks.js';
import type { Bus } from '../../events/bus.js';
import { type Clock, isoTime } from '../../lib/clock.js';
import type { SigningKey } from '../../lib/ed25519.js';
import { isMeshError, messageOf } from '../../lib/errors.js';
import { makeReceipt } from '../../lib/receipt.js';
import { scrubSecrets } from '../../lib/secrets.js';
import type { Conversations, RunnableMember } from '../conversations/conversations.js';
import type { Knowledge } from '../knowledge/knowledge.js';
import { type Ask, type AsksStore, type Ending, isOver } from './asks-store.js';

/** Asks that run at once, over all members. */
const RUNNING_MAX = 4;
const STORE_RETRY_MS = 5_000;
/** Asks come from outside, and each is a turn of its own. */
const OUTSIDE = { profile: 'outside', session: null, history: [] } as const;
const RESTARTED = 'The daemon stopped while this was running: ask again.';

/** A member as an ask needs it: what to run, and which version of its file that is. */
export interface AnsweringMember extends RunnableMember {
  revision: string;
  isSingleton: boolean;
}

interface Running {
  conv: string;
  controller: AbortController;
  progress?: AskRecord['progress'];
  ended: Promise<void>;
}

/** Why an ask is called off; becomes its recorded ending. */
class CalledOff extends Error {
  constructor(
    readonly code: AskErrorCode,
    message: string,
  ) {
    super(message);
  }
}

export interface AskRunsParts {
  store: AsksStore;
  conversations: Conversations;
  knowledge: Knowledge;
  bus: Bus;
  clock: Clock;
  signingKey: SigningKey;
  findMember: (id: string) => AnsweringMember | undefined;
  /** Told when an ending could not be recorded; the next start of the daemon ends that ask. */
  onLost: (requestId: string, error: unknown) => void;
}

/**
 * Runs accepted asks: oldest first, four at once, one turn a conversation, each to exactly one recorded ending. Publishes `team.request.*` and
 * `team.instance.*`.
 */
export class AskRuns {
  private readonly running = new Map<string, Running>();
  private readonly waiting = new Map<string, Set<() => void>>();
  private isStopping = false;

  constructor(private readonly parts: AskRunsParts) {}

  /** Ends asks that the last daemon left running as `daemon_restarted` and goes on with queued ones. */
  async start(): Promise<void> {
    for (const ask of this.parts.store.listLive()) {
      if (ask.status !== 'queued') await this.end(ask, 'error', this.failure('daemon_restarted', RESTARTED));
    }
    this.pump();
  }

  /** Calls every running ask off and waits until each has been recorded as ended. Queued ones go on at the next start. */
  async stop(): Promise<void> {
    this.isStopping = true;
    const running = [...this.running.values()];
    for (const { controller } of running) controller.abort(new CalledOff('daemon_restarted', RESTARTED));
    for (const waiters of this.waiting.values()) for (const wake of [...waiters]) wake();
    await Promise.all(running.map(({ ended }) => ended));
  }

  progressOf(requestId: string): AskRecord['progress'] {
    return this.running.get(requestId)?.progress;
  }

  /** Starts what may run now. */
  pump(): void {
    if (this.isStopping) return;
    const busy = new Set([...this.running.values()].map(({ conv }) => conv));
    for (const ask of this.parts.store.listLive()) {
      if (this.running.size >= RUNNING_MAX) return;
      if (ask.status !== 'queued' || this.running.has(ask.request_id) || busy.has(ask.conv)) continue;
      busy.add(ask.conv);
      const running: Running = { conv: ask.conv, controller: new AbortController(), ended: Promise.resolve() };
      this.running.set(ask.request_id, running);
      running.ended = this.run(ask, running)
        .catch((error: unknown) => this.parts.onLost(ask.request_id, error))
        .finally(() => {
          this.running.delete(ask.request_id);
          this.pump();
        });
    }
  }

  /** Ends an ask early; one that is over stays as it is. Resolves once the ending is recorded. */
  async callOff(ask: Ask, code: AskErrorCode, message: string): Promise<void> {
    if (isOver(ask)) return;
    const running = this.running.get(ask.request_id);
    if (running) {
      running.controller.abort(new CalledOff(code, message));
      await running.ended;
    } else await this.end(ask, 'error', this.failure(code, message));
  }

  /** Resolves when the request has ended, `seconds` are up, or `signal` fires, whichever is first. */
  async wait(requestId: string, seconds: number, signal: AbortSignal): Promise<void> {
    const ask = this.parts.store.find(requestId);
    if (!ask || isOver(ask) || seconds <= 0 || this.isStopping || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const waiters = this.waiting.get(requestId) ?? new Set();
      this.waiting.set(requestId, waiters);
      const wake = () => {
        cancelTimer();
        signal.removeEventListener('abort', wake);
        waiters.delete(wake);
        if (waiters.size === 0) this.waiting.delete(requestId);
        resolve();
      };
      const cancelTimer = this.parts.clock.after(seconds * 1000, wake);
      signal.addEventListener('abort', wake, { once: true });
      waiters.add(wake);
    });
  }

  private async run(ask: Ask, running: Running): Promise<void> {
    const { store, clock, bus } = this.parts;
    const { controller } = running;
    const member = this.parts.findMember(ask.member);
    const minutes = member?.turn.limits.minutes ?? 1;
    const cancelDeadline = clock.after(minutes * 60_000, () => {
      controller.abort(new CalledOff('deadline', `No answer within the member's limit of ${minutes} min.`));
    });
    try {
      if (!(await store.start(ask.request_id, clock.now()))) return;
      bus.publish('team.request.started', { member: ask.member, request_id: ask.request_id });
      bus.publish('team.instance.started', { id: ask.member, conv: ask.conv });
      await this.end(ask, 'done', await this.answer(ask, member, running));
    } catch (error) {
      const reason = controller.signal.aborted ? controller.signal.reason : error;
      await this.end(ask, 'error', this.failureOf(reason));
    } finally {
      cancelDeadline();
      bus.publish('team.instance.ended', { id: ask.member, conv: ask.conv });
    }
  }

  private async answer(ask: Ask, member: AnsweringMember | undefined, running: Running): Promise<Ending> {
    const { conversations, knowledge, clock, signingKey } = this.parts;
    if (!member) throw new CalledOff('member_gone', 'The member is gone.');
    const { signal } = running.controller;
    const said = { conv: ask.conv, turn: ask.request_id, text: ask.text, context_docs: ask.context_docs, ...OUTSIDE };
    const found = await conversations.run(member, said, signal, (progress) => {
      running.progress = progress;
    });
    const citations = await knowledge.check(found.citations);
    signal.throwIfAborted();
    const result_text = scrubSecrets(found.text);
    const finished_ms = clock.now();
    const receipt = makeReceipt(
      {
        request_id: ask.request_id,
        member: ask.member,
        member_sha256: member.revision,
        question: ask.text,
        answer: result_text,
        citations,
        client: ask.client,
        model: ask.model,
        created_at: isoTime(ask.created_ms),
        finished_at: isoTime(finished_ms),
      },
      signingKey,
    );
    return { finished_ms, result_text, citations, receipt, error_code: null, error_message: null };
  }

  private failureOf(reason: unknown): Ending {
    if (reason instanceof CalledOff) return this.failure(reason.code, reason.message);
    if (isMeshError(reason, 'deadline')) return this.failure('deadline', reason.message);
    return this.failure('client_failed', `The client failed: ${scrubSecrets(messageOf(reason))}`);
  }

  private failure(error_code: AskErrorCode, error_message: string): Ending {
    return { finished_ms: this.parts.clock.now(), result_text: null, citations: null, receipt: null, error_code, error_message };
  }

  /** Records the ending, then tells: nobody sees an answer that is not on disk. Tries again while the disk is full. */
  private async end(ask: Ask, status: 'done' | 'error', ending: Ending): Promise<void> {
    const { store, bus, clock } = this.parts;
    let hasChanged: boolean;
    try {
      hasChanged = await store.finish(ask.request_id, status, ending);
    } catch (error) {
      if (!isMeshError(error, 'no_space') || this.isStopping) throw error;
      await new Promise<void>((resolve) => void clock.after(STORE_RETRY_MS, resolve));
      return this.end(ask, status, ending);
    }
    if (hasChanged) bus.publish(`team.request.${status}`, { member: ask.member, request_id: ask.request_id });
    for (const wake of [...(this.waiting.get(ask.request_id) ?? [])]) wake();
  }
}
