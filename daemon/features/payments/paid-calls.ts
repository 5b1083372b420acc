import { randomUUID } from 'node:crypto';
import type { ErrorCode } from '../../contract/errors.js';
import { type CallMode, PAID_RESULT_RETENTION_DAYS } from '../../contract/payments.js';
import { STATUS } from '../../http/error-handler.js';
import { isMeshError } from '../../lib/errors.js';
import { isObject } from '../../lib/is-object.js';
import type { Clock } from '../../lib/time/clock.js';
import type { Debts } from './debts.js';
import type { FreeCall, FreeTier } from './free-tier.js';
import { onWire, type PaymentJournal } from './ledger/payment-journal.js';
import type { SeenStore } from './ledger/seen-store.js';
import type { PaymentNews } from './payment-news.js';
import type { PaidResult, SkillResult } from './payment-port.js';
import type { PaymentSecret } from './payment-secret.js';
import type { Payment, PaymentsStore } from './payments-store.js';

const RETENTION_MS = PAID_RESULT_RETENTION_DAYS * 86_400_000;
/** The result of a call that was interrupted by a crash; also returned to every repeat of it. */
const CUT_SHORT = {
  status: STATUS.daemon_restarted,
  body: {
    error: 'daemon_restarted' satisfies ErrorCode,
    message: 'The daemon was restarted while the call ran. What was paid for it is given back.',
  },
} as const satisfies SkillResult;

interface PaidCallsParts {
  store: PaymentsStore;
  seen: SeenStore;
  journal: PaymentJournal;
  debts: Debts;
  freeTier: FreeTier;
  secret: PaymentSecret;
  news: PaymentNews;
  clock: Clock;
  /** Reports an error of a skill that is not a MeshError, with the id that the caller gets. */
  onFault: (error: unknown, id: string) => void;
}

/** How a call ended: with the result of the skill, or with what it threw. */
type Ending = { result: SkillResult } | { thrown: unknown; result: SkillResult };

/** The state of the books after a call has ended. */
interface Closed {
  /** The call itself and further payments that were settled with it. */
  changed: Payment[];
  /** The refunded amount, and the balance of the account after the refund. */
  refunded: number;
  standing: bigint;
}

/** Runs calls that are paid for, then settles or refunds them. Spec: Payment request states. */
export class PaidCalls {
  constructor(private readonly parts: PaidCallsParts) {}

  /**
   * Runs a call whose payment is durable. A status below 500 settles the payment. Anything else is refunded in the same
   * journal before the response is sent. What `run` throws is rethrown, except for a call that was paid with a proof:
   * that call returns a result, which its repeats get too.
   */
  async carryOut(
    payment: Payment,
    headers: Record<string, string>,
    run: (mode: CallMode) => Promise<SkillResult>,
  ): Promise<PaidResult> {
    const { clock, news, store } = this.parts;
    const mode = payment.mode as CallMode;
    news.changed(payment);
    const startedMs = clock.elapsed();
    const ending = await this.run(mode, run);
    const latencyMs = Math.round(clock.elapsed() - startedMs);
    const isFailed = 'thrown' in ending || ending.result.status >= 500;
    const closed = await store.write(() =>
      isFailed ? this.refund(payment, ending.result, latencyMs) : this.settle(payment, ending.result, latencyMs),
    );
    this.publishChanges(closed.changed);
    if ('thrown' in ending && mode !== 'x402') throw ending.thrown;
    const body =
      mode === 'x402' && isFailed ? this.withRefund(payment, ending.result.body, closed.refunded) : ending.result.body;
    return {
      status: ending.result.status,
      body,
      mode,
      replayed: false,
      headers: isFailed ? afterRefund(headers, closed) : headers,
    };
  }

  /** Returns the first result for a proof again; undefined when it is not stored. */
  replay(payment: Payment): PaidResult | undefined {
    const stored = this.parts.store.findResult(payment.id);
    if (!stored) return undefined;
    const body: unknown = JSON.parse(stored.body);
    const isRefund = this.isRefundKey(payment.nonce as string, stored.refund);
    return {
      status: stored.status,
      body: isRefund ? this.withRefund(payment, body, payment.amount) : body,
      mode: 'x402',
      replayed: true,
      headers: {},
    };
  }

  /** Ends every call that a previous process left running, and refunds what was paid for it. */
  async endInterrupted(): Promise<void> {
    const { store, onFault } = this.parts;
    // Each call has its own transaction: one that cannot be refunded must not keep the others, or the start, from
    // completing.
    const endings = store
      .listRunning()
      .map((payment) => store.write(() => this.refund(payment, CUT_SHORT, null).changed));
    for (const ending of await Promise.allSettled(endings)) {
      if (ending.status === 'fulfilled') this.publishChanges(ending.value);
      else if (isMeshError(ending.reason)) throw ending.reason;
      else onFault(ending.reason, randomUUID());
    }
  }

  private async run(mode: CallMode, run: (mode: CallMode) => Promise<SkillResult>): Promise<Ending> {
    try {
      const { status, body } = await run(mode);
      return { result: { status, body } };
    } catch (thrown) {
      if (isMeshError(thrown))
        return {
          thrown,
          result: {
            status: STATUS[thrown.code],
            body: { error: thrown.code, message: thrown.message, ...thrown.details },
          },
        };
      const id = randomUUID();
      if (mode === 'x402') this.parts.onFault(thrown, id);
      return { thrown, result: { status: 500, body: { error: 'internal', id } } };
    }
  }

  /** Must be called inside a write transaction. */
  private settle(payment: Payment, result: SkillResult, latencyMs: number): Closed {
    const { clock, debts, store } = this.parts;
    const nowMs = clock.now();
    const isDebt = payment.mode === 'postpay';
    const settled: Payment = {
      ...payment,
      state: isDebt ? 'owed' : 'settled',
      latency_ms: latencyMs,
      updated_ms: nowMs,
    };
    store.put(settled);
    if (payment.mode === 'x402') this.keep(payment, result, null, nowMs);
    // The debt may have been paid while the call ran.
    const paidOff = isDebt ? debts.payOff(payment.account as number, nowMs) : [];
    const changed = new Map([settled, ...paidOff].map((one) => [one.id, one]));
    return { changed: [...changed.values()], refunded: 0, standing: 0n };
  }

  /** Must be called inside a write transaction. */
  private refund(payment: Payment, result: SkillResult, latencyMs: number | null): Closed {
    const { clock, freeTier, journal, store } = this.parts;
    const nowMs = clock.now();
    const account = this.refundAccount(payment, nowMs);
    if (account !== undefined) {
      const from = journal.earned(journal.get(account), nowMs);
      journal.move('refund', from.id, account, BigInt(payment.amount), payment.id, nowMs);
    }
    if (payment.free_for !== null) freeTier.restoreCall(payment.agent, JSON.parse(payment.free_for) as FreeCall);
    const reason = String((result.body as { error?: unknown } | null)?.error ?? `status_${result.status}`).slice(
      0,
      100,
    );
    const state = account === undefined ? 'failed' : 'refunded';
    const ended: Payment = { ...payment, state, reason, latency_ms: latencyMs, updated_ms: nowMs };
    store.put(ended);
    if (payment.mode === 'x402') this.keep(payment, result, account ?? null, nowMs);
    const standing = account === undefined ? 0n : journal.get(account).lamports;
    return { changed: [ended], refunded: payment.amount, standing };
  }

  /** Returns the account that gets the refund: the one that was debited, or for a proof a new deposit key. */
  private refundAccount(
    { mode, account, agent, nonce, signature, network }: Payment,
    nowMs: number,
  ): number | undefined {
    if (mode !== 'x402') return account ?? undefined;
    const { journal, secret, seen } = this.parts;
    const key = secret.refundKey(nonce as string);
    const { address } = seen.findSpent(network, signature as string) as { address: string };
    const memo = { text: key, last4: key.slice(-4) };
    return journal.open({ network, address, kind: 'balance', agent, holder: `refund ${nonce}` }, nowMs, memo).id;
  }

  private keep(payment: Payment, { status, body }: SkillResult, refund: number | null, nowMs: number): void {
    this.parts.store.insertResult(
      payment.id,
      { status, body: JSON.stringify(body ?? null), refund },
      nowMs + RETENTION_MS,
    );
  }

  private withRefund({ nonce }: Payment, body: unknown, lamports: number): unknown {
    const refund = { api_key: this.parts.secret.refundKey(nonce as string), lamports };
    return isObject(body) ? { ...body, refund } : { error: 'overloaded' satisfies ErrorCode, result: body, refund };
  }

  private isRefundKey(nonce: string, account: number | null): boolean {
    return this.parts.journal.findByMemo(this.parts.secret.refundKey(nonce))?.id === account;
  }

  private publishChanges(changed: readonly Payment[]): void {
    for (const payment of changed) this.parts.news.changed(payment);
    const [call] = changed;
    if (call && call.mode !== 'free') this.parts.news.balance(call.agent);
  }
}

/** Returns the headers of a refunded call: nothing was debited, and the balance is as it was before the call. */
function afterRefund(headers: Record<string, string>, { standing }: Closed): Record<string, string> {
  if ('X-Owed-Lamports' in headers) return { ...headers, 'X-Owed-Lamports': String(onWire(-standing)) };
  if ('X-Balance-Remaining' in headers)
    return { 'X-Debited-Lamports': '0', 'X-Balance-Remaining': String(onWire(standing)) };
  return headers;
}
