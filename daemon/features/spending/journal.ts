import type { CallErrorCode, CallMode, PaymentState } from '../../contract/payments.js';
import { newPaymentId } from '../../lib/ids.js';
import type { Clock } from '../../lib/time/clock.js';
import type { Database } from '../../storage/database/database.js';
import type { SignedTransfer } from '../chains/chain.js';
import type { CallError } from './call-failure.js';
import type { CallRow, CallsStore } from './calls-store.js';
import { findExceededCap, toStartOfDay } from './caps.js';
import { hasMoved, type NeighbourPlace } from './moved-agent.js';
import type { SpentRow, SpentStore } from './spent-store.js';

/** Receives changes, after they are durable. */
export interface Watcher {
  call(callId: string): void;
  payment(row: Pick<SpentRow, 'payment_id' | 'state' | 'agent'>): void;
  balance(agent: string | null): void;
  /** A registered agent that was called had its outcome: whether it answered. */
  outcome?(agentId: string, isAnswered: boolean): void;
}

/** Failures that are a missing answer of the agent. The others are refusals, or reasons on this side. */
const UNANSWERED: readonly CallErrorCode[] = ['unreachable', 'agent_failed', 'bad_answer', 'not_delivered'];

/** An amount to be paid, or owed, for a call. */
export interface Draft {
  kind: 'call' | 'topup';
  mode: CallMode;
  address: string | null;
  amount: number;
  network: string;
  is_real: boolean;
  nonce?: string;
  expires_at?: number;
}

/** The result of a reservation: the reserved row, or the cap that it exceeds, or that the challenge was paid before. */
export type Reserved = { row: SpentRow } | { over: string } | { replayed: true };

/** The outcome of a call that was answered. */
interface Answered {
  result: unknown;
  latency_ms: number;
  mode: CallMode | null;
  amount_lamports: number;
}

/**
 * The durable steps of calls and their payments. Each step is on disk when its promise resolves, and after a crash the
 * daemon resumes from the last one. Caps are checked in the same transaction that reserves the amount, so that
 * concurrent calls cannot exceed them together.
 *
 * It is part of this project because a step has to be one SQLite transaction with the caps and the payment's row.
 * Engines for durable steps, such as Temporal and DBOS, bring a server or a database of their own.
 */
export class Journal {
  constructor(
    private readonly parts: {
      database: Database;
      calls: CallsStore;
      spent: SpentStore;
      clock: Clock;
      watcher: Watcher;
    },
  ) {}

  find(callId: string): CallRow | undefined {
    return this.parts.calls.find(callId);
  }

  /** Lists the payments of a call, oldest first. */
  payments(callId: string): SpentRow[] {
    return this.parts.spent.listOfCall(callId);
  }

  /** Lists the paid top-ups to the agent at an address that no balance has shown yet, oldest first. */
  paidTopups(agentUrl: string): SpentRow[] {
    return this.parts.spent.listPaidTopups(agentUrl);
  }

  /** Gives the open payments to a member of another project the address that it has now. */
  async moved(place: NeighbourPlace): Promise<void> {
    const { database, spent } = this.parts;
    await database.write(() => {
      for (const row of spent.listOpen())
        if (hasMoved(place, { ...row, endpoint: row.agent_url }))
          spent.put(row.payment_id, { agent_url: place.endpoint });
    });
  }

  async found(call: CallRow, agent_id: string | null, agent_url: string): Promise<CallRow> {
    return this.change(call, { agent_id, agent_url });
  }

  /**
   * Records that a request is about to be sent that the agent may run and charge without a further step, or that the
   * request was answered.
   */
  async commit(call: CallRow, is_committed: boolean): Promise<CallRow> {
    return call.is_committed === is_committed ? call : this.change(call, { is_committed });
  }

  /**
   * Reserves the cost of `draft` under the caps. If the cost exceeds the caps and the approved amount, the call starts
   * to wait for the operator; with `mayWait` false, the result says so and nothing changes. `known` is the existing row
   * of the call for this payment.
   */
  async reserve(call: CallRow, draft: Draft, known?: SpentRow, mayWait = true): Promise<Reserved> {
    const { database, calls, spent, clock } = this.parts;
    const { mode, address, amount, network, is_real, nonce, expires_at } = draft;
    const { reserved, changed } = await database.write((): { reserved: Reserved; changed?: SpentRow } => {
      const now = clock.now();
      if (spent.isNonceUsed(address, nonce, known?.payment_id)) return { reserved: { replayed: true } };
      const isAllowed = amount <= (call.approved_lamports ?? 0);
      const over = isAllowed
        ? undefined
        : findExceededCap(amount, spent.caps(), spent.counted(toStartOfDay(now), known?.payment_id));
      if (over !== undefined && !mayWait) return { reserved: { over } };
      const row: SpentRow = {
        ...getRow(call, draft, now),
        payment_id: known?.payment_id ?? newPaymentId(),
        state: over === undefined ? 'challenged' : 'waiting',
        nonce: over === undefined ? (nonce ?? null) : null,
        expires_at: expires_at ?? null,
        reason: over ?? null,
        is_counted: over === undefined,
        counted_ms: over === undefined ? now : null,
        created_ms: known?.created_ms ?? now,
      };
      if (known) spent.put(known.payment_id, row);
      else spent.insert(row);
      const shared = { payment_id: row.payment_id, mode, amount_lamports: amount, network, is_real };
      if (over !== undefined) {
        const wanted = { amount, network, address: address ?? '', is_real };
        calls.put(call.call_id, {
          ...shared,
          state: 'waiting',
          wanted,
          waiting_ms: now,
          reason: over,
          is_committed: false,
        });
        return { reserved: { over }, changed: row };
      }
      calls.put(call.call_id, {
        ...shared,
        wanted: null,
        reason: null,
        approved_lamports: null,
        is_committed: mode === 'postpay',
      });
      return { reserved: { row }, changed: row };
    });
    if (changed) {
      this.parts.watcher.payment(changed);
      this.parts.watcher.call(call.call_id);
    }
    return reserved;
  }

  /** Records the signed transfer, before it is sent. */
  signed(row: SpentRow, { signature, wire }: SignedTransfer, apiKeyLast4: string | null = null): Promise<SpentRow> {
    const changes = { signature, wire, signed_ms: this.parts.clock.now(), api_key_last4: apiKeyLast4 };
    return this.changePayment(row, changes, row.kind === 'call' ? { signature } : {});
  }

  /** Records that the network has finalized the transfer. */
  async sent(row: SpentRow): Promise<SpentRow> {
    const changed = await this.changePayment(row, { state: 'paid', wire: null });
    this.parts.watcher.balance(null);
    return changed;
  }

  /**
   * Releases the reservation of a payment that is certain not to be made. The call stays approved for that amount. A
   * call with the payment of a top-up is one whose top-up may have been made.
   */
  release(row: SpentRow, state: PaymentState, reason: string | null): Promise<SpentRow> {
    const changes = { state, reason, is_counted: false, signature: null, wire: null, nonce: null };
    const payment = row.kind === 'topup' ? { payment_id: null } : {};
    return this.changePayment(row, changes, { approved_lamports: row.amount_lamports, signature: null, ...payment });
  }

  settle(row: SpentRow, changes: Partial<SpentRow> = {}): Promise<SpentRow> {
    return this.changePayment(row, { state: 'settled', ...changes });
  }

  /**
   * Records the result of a call together with its payment in one step; only the report remains to be filed. A priced
   * call without a reserved row (prepaid, or free of charge) gets one.
   */
  async answered(
    call: CallRow,
    { result, latency_ms, mode, amount_lamports }: Answered,
    payment: { row: SpentRow; changes: Partial<SpentRow> } | { draft: Draft; api_key_last4: string | null } | undefined,
  ): Promise<CallRow> {
    const { database, calls, spent, clock } = this.parts;
    const told = await database.write(() => {
      const now = clock.now();
      let row: SpentRow | undefined;
      if (payment && 'row' in payment) {
        row = { ...payment.row, latency_ms, updated_ms: now, ...payment.changes };
        spent.put(row.payment_id, row);
      } else if (payment) {
        const { draft, api_key_last4 } = payment;
        row = { ...getRow(call, draft, now), api_key_last4, latency_ms };
        spent.insert(row);
      }
      const about = row
        ? { payment_id: row.payment_id, network: row.network, is_real: row.is_real, signature: row.signature }
        : {};
      calls.put(call.call_id, {
        ...about,
        result,
        latency_ms,
        mode,
        amount_lamports,
        is_committed: false,
        answered_ms: now,
      });
      return row;
    });
    if (told) this.parts.watcher.payment(told);
    return this.fresh(call);
  }

  /** Records what was debited from a balance for a response that is not a result. */
  async charged(call: CallRow, draft: Draft, api_key_last4: string | null, latency_ms: number): Promise<void> {
    const { database, calls, spent, clock, watcher } = this.parts;
    const row = { ...getRow(call, draft, clock.now()), api_key_last4, latency_ms };
    await database.write(() => {
      spent.insert(row);
      calls.put(call.call_id, { payment_id: row.payment_id, mode: draft.mode, amount_lamports: draft.amount });
    });
    watcher.payment(row);
  }

  /** Ends a call that was answered. Payments that still wait for the operator expire. */
  async done(call: CallRow, reputation_filed: unknown): Promise<void> {
    const { database, calls, spent, clock, watcher } = this.parts;
    const unneeded = await database.write(() => {
      const now = clock.now();
      calls.put(call.call_id, { state: 'done', finished_ms: now, input: null, reputation_filed });
      const open = spent.listOfCall(call.call_id).filter(({ state }) => state === 'waiting');
      const over = { state: 'expired', updated_ms: now } as const;
      for (const row of open) spent.put(row.payment_id, over);
      return open.map((row) => ({ ...row, ...over }));
    });
    for (const row of unneeded) watcher.payment(row);
    watcher.call(call.call_id);
    if (call.agent_id !== null) watcher.outcome?.(call.agent_id, true);
  }

  /** Ends a call that failed, and closes its open payments. */
  async failed(call: CallRow, { code, message }: CallError, reputation_filed: unknown): Promise<void> {
    const { database, calls, spent, clock, watcher } = this.parts;
    const touched = await database.write(() => {
      const now = clock.now();
      calls.put(call.call_id, {
        state: 'failed',
        error_code: code,
        error_message: message,
        finished_ms: now,
        input: null,
        wanted: null,
        reputation_filed,
      });
      const open = spent
        .listOfCall(call.call_id)
        .filter(({ state }) => state === 'waiting' || state === 'challenged' || state === 'paid');
      return open.flatMap((row) => {
        // A top-up that is paid is a balance with the agent, or becomes one: it is waited for before another is paid.
        if (row.kind === 'topup' && row.state === 'paid') return [];
        const state: PaymentState = code === 'denied' ? 'refused' : code === 'approval_expired' ? 'expired' : 'failed';
        // A payment with a signature, or a post-pay call without a response, may have been made, so it still counts.
        const is_counted = row.signature !== null || (call.is_committed && row.mode === 'postpay');
        const changes = { state, reason: code, is_counted, updated_ms: now };
        spent.put(row.payment_id, changes);
        return [{ ...row, ...changes }];
      });
    });
    for (const row of touched) watcher.payment(row);
    watcher.call(call.call_id);
    if (call.agent_id !== null && UNANSWERED.includes(code)) watcher.outcome?.(call.agent_id, false);
  }

  /** Records the operator's decision on a waiting call; undefined when the call is not waiting. */
  async decided(callId: string, allowed: boolean): Promise<CallRow | undefined> {
    const { database, calls } = this.parts;
    const call = await database.write(() => {
      const row = calls.find(callId);
      if (row?.state !== 'waiting') return undefined;
      if (allowed)
        calls.put(callId, { state: 'running', approved_lamports: row.wanted?.amount ?? 0, wanted: null, reason: null });
      return calls.find(callId);
    });
    if (call && allowed) this.parts.watcher.call(callId);
    return call;
  }

  private async change(call: CallRow, changes: Parameters<CallsStore['put']>[1]): Promise<CallRow> {
    await this.parts.database.write(() => this.parts.calls.put(call.call_id, changes));
    return this.fresh(call);
  }

  private async changePayment(
    row: SpentRow,
    changes: Partial<SpentRow>,
    ofCall: Parameters<CallsStore['put']>[1] = {},
  ): Promise<SpentRow> {
    const { database, calls, spent, clock, watcher } = this.parts;
    const changed = { ...row, ...changes, updated_ms: clock.now() };
    await database.write(() => {
      spent.put(row.payment_id, { ...changes, updated_ms: changed.updated_ms });
      if (row.call_id !== null && Object.keys(ofCall).length > 0) calls.put(row.call_id, ofCall);
    });
    watcher.payment(changed);
    return changed;
  }

  private fresh(call: CallRow): CallRow {
    return this.parts.calls.find(call.call_id) ?? call;
  }
}

/** Returns the initial row of a payment for `call`. */
function getRow(call: CallRow, { kind, mode, address, amount, network, is_real }: Draft, now: number): SpentRow {
  return {
    payment_id: newPaymentId(),
    call_id: call.call_id,
    kind,
    state: 'settled',
    mode,
    agent: call.agent_id ?? call.agent,
    agent_url: call.agent_url ?? call.agent,
    skill: kind === 'call' ? call.skill : null,
    address,
    amount_lamports: amount,
    network,
    is_real,
    nonce: null,
    expires_at: null,
    settle_memo: null,
    settled_by: null,
    signature: null,
    wire: null,
    signed_ms: null,
    api_key_last4: null,
    reason: null,
    latency_ms: null,
    is_counted: false,
    counted_ms: null,
    created_ms: now,
    updated_ms: now,
  };
}
