import { OPEN_CHALLENGES_MAX, OPEN_CHALLENGES_PER_KEY_MAX } from '../../contract/limits.js';
import { CHALLENGE_SECONDS } from '../../contract/payments.js';
import { MeshError } from '../../lib/errors.js';
import { newPaymentId, newPaymentNonce } from '../../lib/ids.js';
import type { Clock } from '../../lib/time/clock.js';
import { limitForCaller } from './caller-limit.js';
import { challengeBody } from './challenge.js';
import type { PaymentNews } from './payment-news.js';
import type { PricedCall } from './payment-port.js';
import type { PaymentRequiredError } from './payment-required-error.js';
import type { PaymentsStore, Term } from './payments-store.js';
import type { Prices } from './price-rows.js';

/** Responds to unpaid calls with a payment challenge. Spec: Payment request states. */
export class Challenges {
  constructor(
    private readonly store: PaymentsStore,
    private readonly news: PaymentNews,
    private readonly clock: Clock,
  ) {}

  /**
   * Builds the 402 error for a call: a fresh challenge, durable before this resolves, or the existing one if it is
   * still open. Without `address`, for an agent that does not accept payment per call, or for a call whose price cannot
   * be paid here, the body lists no terms. Throws `too_many_requests` when too many challenges are open.
   */
  async refuse(
    call: PricedCall,
    prices: Prices,
    address: string | undefined,
    { reason, more }: PaymentRequiredError,
  ): Promise<MeshError> {
    const { standing: open, code = 'payment_required' } = more;
    if (open) return toError(challengeBody(this.store.listTerms(open.id), open, reason, code));
    const { modes } = call.payment;
    const isByCall = modes.length === 0 || modes.includes('x402');
    // Where the call itself has no price that can be paid here, what is paid at another tier would not pay for it.
    const [first] = isByCall && address !== undefined ? prices.ofCall : [];
    // The price of the call itself comes first, because the payment URI uses the first row.
    const rows = first ? [...prices.ofCall, ...prices.all.filter((row) => !prices.ofCall.includes(row))] : [];
    const nowMs = this.clock.now();
    const fresh = { nonce: first ? newPaymentNonce() : '', expiresMs: nowMs + CHALLENGE_SECONDS * 1000 };
    const terms: Term[] = rows.map((row) => ({ ...row, address: address as string }));
    const body = challengeBody(terms, fresh, reason, code);
    if (!first) {
      const message = prices.ofCall.length === 0 ? NOT_PAYABLE : address === undefined ? NO_ADDRESS : BY_DEPOSIT;
      return toError({ ...body, message });
    }
    const payment = await this.store.write(() => {
      this.store.pruneSome(nowMs);
      this.requireCapacity(call, nowMs);
      const inserted = this.store.insert({
        id: newPaymentId(),
        kind: 'call',
        state: 'challenged',
        agent: call.agent,
        skill: call.skill,
        network: first.network,
        amount: first.amount,
        counterparty: call.payer.pubkey ?? null,
        nonce: fresh.nonce,
        expires_ms: fresh.expiresMs,
        created_ms: nowMs,
      });
      this.store.insertTerms(inserted.id, terms);
      return inserted;
    });
    this.news.changed(payment);
    return toError(body);
  }

  /**
   * Throws `too_many_requests` when the agent, or the caller's key, already has the maximum number of open challenges.
   */
  private requireCapacity({ agent, payer: { pubkey } }: PricedCall, nowMs: number): void {
    const limits: [string, string | undefined, number][] = [
      ['this agent', undefined, limitForCaller(OPEN_CHALLENGES_MAX)],
      ...(pubkey === undefined ? [] : [['this key', pubkey, OPEN_CHALLENGES_PER_KEY_MAX] as [string, string, number]]),
    ];
    for (const [whose, key, most] of limits) {
      if (this.store.countStanding(agent, key, nowMs, most) < most) continue;
      throw new MeshError(
        'too_many_requests',
        `${most} payment challenges of ${whose} wait to be paid: pay one, or send the call again when they ` +
          `have run out, after ${CHALLENGE_SECONDS / 60} minutes.`,
        { details: { retry_after: CHALLENGE_SECONDS } },
      );
    }
  }
}

const NOT_PAYABLE =
  'This call has a price that cannot be paid here: its card names no network and currency that this daemon takes.';
export const NO_ADDRESS = 'This agent cannot be paid now: its operator must fix its wallet.';
const BY_DEPOSIT = 'This call is paid from a deposit: open one at /v1/topup and send its key as X-Api-Key.';

function toError({ error, message, ...details }: ReturnType<typeof challengeBody>): MeshError {
  return new MeshError(error, message, { details });
}
