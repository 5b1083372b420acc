import { LIST_LIMIT_DEFAULT } from '../../contract/limits.js';
import {
  APPROVAL_SECONDS,
  type ApprovalBody,
  type ApprovalList,
  CALL_RETENTION_DAYS,
  CALLS_AT_ONCE,
  type Call,
  type CallBody,
  type CallList,
  type CallsQuery,
  type Settled,
} from '../../contract/payments.js';
import type { KeyedWaiters } from '../../lib/async/keyed-waiters.js';
import { MeshError, unknownId } from '../../lib/errors.js';
import { newCallId } from '../../lib/ids.js';
import { type Clock, every } from '../../lib/time/clock.js';
import type { IdempotencyKey } from '../../storage/database/idempotency.js';
import { CallError } from './call-failure.js';
import type { CallRow, CallsStore } from './calls-store.js';
import type { Debts } from './debts.js';
import type { Journal } from './journal.js';
import type { PayingClient } from './paying-client.js';
import { StoppedError } from './paying-ports.js';
import { approvalEnds, toApproval, toCall, toLedgerEntry } from './spending-views.js';

const LOOK_EVERY_MS = 60_000;
const PRUNE_EVERY_MS = 3_600_000;

interface SpendingParts {
  calls: CallsStore;
  journal: Journal;
  client: PayingClient;
  debts: Debts;
  waiters: KeyedWaiters;
  clock: Clock;
  /** Reports that the end of a run could not be recorded. The call resumes at the next start. */
  onLost: (callId: string, error: unknown) => void;
}

/**
 * The calls that the operator makes to agents, and their payments. A call is on disk before it starts, ends exactly
 * once, and resumes at the next start if the daemon ends before it. If its price exceeds the caps, it waits up to a day
 * for the operator's approval. Spec: Payment request states; contract: Payments.
 */
export class Spending {
  private readonly running = new Map<string, Promise<void>>();
  private readonly stopping = new AbortController();
  private cancelLooking: () => void = () => undefined;
  private cancelPruning: () => void = () => undefined;

  constructor(private readonly parts: SpendingParts) {}

  /**
   * Resumes calls that a previous process left running, and starts the timers that expire approvals and prune calls.
   */
  start(): void {
    const { calls, debts } = this.parts;
    for (const { call_id } of calls.listLive('running')) this.launch(call_id);
    void debts.resume(this.stopping.signal);
    this.look();
    this.prune();
    this.cancelLooking = every(this.parts.clock, LOOK_EVERY_MS, () => this.look());
    this.cancelPruning = every(this.parts.clock, PRUNE_EVERY_MS, () => this.prune());
  }

  /** Releases waiting callers and stops the running calls, which resume at the next start. */
  async stop(): Promise<void> {
    this.cancelLooking();
    this.cancelPruning();
    this.stopping.abort();
    this.parts.waiters.wakeAll();
    await Promise.all(this.running.values());
  }

  /**
   * Starts a call. It is durable before this resolves. A repeat with the same idempotency key returns the same call in
   * its current state. Throws `too_many_requests` when 32 calls are running, and `idempotency_mismatch`.
   */
  async submit(body: CallBody, key?: IdempotencyKey): Promise<Call> {
    const { calls, clock } = this.parts;
    const call_id = newCallId();
    const { agent, skill, input, mode, max_lamports, topup_lamports, report } = body;
    const id = await calls.submit(
      key,
      {
        call_id,
        agent,
        skill,
        input: input ?? {},
        asked_mode: mode ?? 'auto',
        max_lamports: max_lamports ?? null,
        topup_lamports: topup_lamports ?? null,
        wants_report: report ?? true,
        created_ms: clock.now(),
      },
      () => {
        if (calls.countRunning() < CALLS_AT_ONCE) return;
        throw new MeshError('too_many_requests', `${CALLS_AT_ONCE} calls are under way: wait for one to end.`, {
          details: { retry_after: 2 },
        });
      },
    );
    if (id === call_id) this.launch(id);
    return this.get(id);
  }

  /** Returns a call in its current state. Throws `not_found`. */
  get(callId: string): Call {
    return toCall(this.row(callId));
  }

  /**
   * Resolves when the call has ended or waits for the operator, after `seconds`, or when `signal` fires, whichever is
   * first.
   */
  async wait(callId: string, seconds: number, signal: AbortSignal): Promise<void> {
    if (this.row(callId).state === 'running' && !this.stopping.signal.aborted)
      await this.parts.waiters.until(callId, seconds, signal);
  }

  /** Lists calls, newest first. Throws `bad_request` for a malformed cursor. */
  list({ state, agent, cursor, limit = LIST_LIMIT_DEFAULT }: CallsQuery): CallList {
    const beforeSeq = cursor === undefined ? undefined : Number(cursor);
    if (beforeSeq !== undefined && !Number.isSafeInteger(beforeSeq)) {
      throw new MeshError('bad_request', '"cursor" must be the next_cursor of an earlier page.', {
        details: { path: 'cursor' },
      });
    }
    const rows = this.parts.calls.list({ state, agent, beforeSeq, limit: limit + 1 });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      calls: page.map((row) => toCall(row, false)),
      count: page.length,
      next_cursor: rows.length > limit && last ? String(last.seq) : null,
    };
  }

  /** Lists the payments that wait for the operator, oldest first. */
  approvals(): ApprovalList {
    const approvals = this.parts.calls
      .listLive('waiting')
      .filter((row) => approvalEnds(row) > this.parts.clock.now())
      .map(toApproval);
    return { approvals, count: approvals.length };
  }

  /**
   * Applies the operator's decision to a waiting call. An approved call continues and pays up to the approved amount; a
   * higher price needs another approval. Throws `not_found`, and `not_waiting` for a call that is not waiting.
   */
  async decide(callId: string, { decision }: ApprovalBody): Promise<Call> {
    const row = this.row(callId);
    const isOpen = row.state === 'waiting' && approvalEnds(row) > this.parts.clock.now();
    const decided = isOpen ? await this.parts.journal.decided(callId, decision === 'allow') : undefined;
    if (!decided) throw new MeshError('not_waiting', 'This call does not wait for anybody (any more).');
    if (decision === 'allow') this.launch(callId);
    else await this.end(decided, new CallError('denied', 'The operator did not allow this payment.'));
    return this.get(callId);
  }

  /** Pays the debts of post-pay calls: all, or those to one agent. */
  async settle(agent: string | undefined): Promise<Settled> {
    const { paid, failed } = await this.parts.debts.settle(agent, this.stopping.signal);
    return {
      settled: paid.map(toLedgerEntry),
      paid_lamports: paid.reduce((sum, row) => sum + row.amount_lamports, 0),
      failed,
    };
  }

  private row(callId: string): CallRow {
    const row = this.parts.calls.find(callId);
    if (!row) throw unknownId('call', callId);
    return row;
  }

  private launch(callId: string): void {
    if (this.running.has(callId) || this.stopping.signal.aborted) return;
    const { client, waiters, onLost } = this.parts;
    const run = client
      .resumeCall(callId, this.stopping.signal)
      .catch((error: unknown) => {
        if (!(error instanceof StoppedError)) onLost(callId, error);
      })
      .then(() => {
        this.running.delete(callId);
        waiters.wake(callId);
      });
    this.running.set(callId, run);
  }

  private async end(row: CallRow, failure: CallError): Promise<void> {
    await this.parts.journal.failed(row, failure, null);
    this.parts.waiters.wake(row.call_id);
  }

  /** Ends calls that have waited for a day. */
  private look(): void {
    const { calls, clock, onLost } = this.parts;
    for (const row of calls.listLive('waiting')) {
      if (approvalEnds(row) > clock.now()) continue;
      const hours = APPROVAL_SECONDS / 3600;
      const failure = new CallError(
        'approval_expired',
        `Nobody allowed this payment within ${hours} hours: nothing was paid.`,
      );
      this.end(row, failure).catch((error: unknown) => onLost(row.call_id, error));
    }
  }

  private prune(): void {
    const { calls, clock } = this.parts;
    const now = clock.now();
    // A store that cannot be written is reported elsewhere; the next interval retries.
    calls.prune(now - CALL_RETENTION_DAYS * 86_400_000, now).catch(() => undefined);
  }
}
