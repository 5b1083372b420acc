import {
  type CallMode,
  LOCAL_NETWORK,
  POSTPAY_MAX_UNPAID,
  POSTPAY_MAX_UNPAID_IN_ALL,
} from '../../contract/payments.js';
import { newPaymentId } from '../../lib/ids.js';
import type { Clock } from '../../lib/time/clock.js';
import type { FreeTier } from './free-tier.js';
import { type Account, onWire, type PaymentJournal } from './ledger/payment-journal.js';
import type { PricedCall } from './payment-port.js';
import { PaymentRequiredError } from './payment-required-error.js';
import type { PaymentSecret } from './payment-secret.js';
import type { NewPayment, Payment, PaymentsStore } from './payments-store.js';
import type { PriceRow, Prices } from './price-rows.js';

/** A call whose price was taken, with the headers for its response. */
export interface AcceptedCall {
  payment: Payment;
  headers: Record<string, string>;
}

/** The means of payment that a call has, apart from a proof. */
export interface PaymentMeans {
  /** The account of the deposit key that the call sent. */
  key: Account | undefined;
  /** The caller's key, the price and the address to settle at, if the caller's reputation permits post-pay. */
  debtor?: { pubkey: string; price: PriceRow; address: string };
  /** Why post-pay is refused; undefined when it was not requested. */
  noDebt?: 'reputation_too_low' | 'network_unavailable';
}

interface CascadeParts {
  store: PaymentsStore;
  journal: PaymentJournal;
  freeTier: FreeTier;
  secret: PaymentSecret;
  clock: Clock;
}

/**
 * Pays for a call that has no proof: from the free tier, then from the prepaid balance, then as a debt. Contract:
 * Payments.
 */
export class Cascade {
  constructor(private readonly parts: CascadeParts) {}

  /**
   * Takes the price of `call` from the first source that covers it. Must be called inside a write transaction, which
   * makes it atomic. Throws PaymentRequiredError when no source covers it.
   */
  take(call: PricedCall, { ofCall }: Prices, means: PaymentMeans): AcceptedCall {
    return (
      this.free(call, ofCall[0]?.network) ??
      (means.key && this.fromBalance(call, ofCall, means.key)) ??
      (means.debtor && this.acceptPostPay(call, means.debtor)) ??
      refuse(call, means)
    );
  }

  private free(call: PricedCall, network = call.payment.network ?? LOCAL_NETWORK): AcceptedCall | undefined {
    const { clock, freeTier } = this.parts;
    const taken = freeTier.take(call.agent, call.payment.free_tier, call.payer, clock.now());
    return (
      taken && {
        payment: this.insert(call, 'free', { network, amount: 0, free_for: JSON.stringify(taken) }),
        headers: {},
      }
    );
  }

  private fromBalance(call: PricedCall, rows: Prices['ofCall'], key: Account): AcceptedCall | undefined {
    const price = rows.find(({ network }) => network === key.network);
    if (!price) return undefined;
    const { clock, journal } = this.parts;
    const id = newPaymentId();
    const left = journal.debit(key, price.amount, id, clock.now());
    if (left === undefined) return undefined;
    const { network, amount } = price;
    const payment = this.insert(call, 'deposit', { id, network, amount, account: key.id, last4: key.last4 });
    return {
      payment,
      headers: { 'X-Debited-Lamports': String(price.amount), 'X-Balance-Remaining': String(onWire(left)) },
    };
  }

  private acceptPostPay(
    call: PricedCall,
    { pubkey, price, address }: NonNullable<PaymentMeans['debtor']>,
  ): AcceptedCall | undefined {
    const { clock, journal, secret, store } = this.parts;
    const { agent } = call;
    if (store.countUnpaid(agent, pubkey) >= POSTPAY_MAX_UNPAID) return undefined;
    if (store.countUnpaidInAll(agent) >= POSTPAY_MAX_UNPAID_IN_ALL) return undefined;
    const { network, amount } = price;
    const nowMs = clock.now();
    const memo = secret.settleMemo(network, address, agent, pubkey);
    const account = journal.open({ network, address, kind: 'owed', agent, holder: pubkey }, nowMs, { text: memo });
    const payment = this.insert(call, 'postpay', { network, amount, account: account.id });
    journal.move('debt', account.id, journal.earned(account, nowMs).id, BigInt(amount), payment.id, nowMs);
    const owed = onWire(BigInt(amount) - account.lamports);
    return { payment, headers: { 'X-Owed-Lamports': String(owed), 'X-Settle-Memo': memo } };
  }

  private insert(
    call: PricedCall,
    mode: CallMode,
    more: Pick<NewPayment, 'network' | 'amount'> & Partial<Payment>,
  ): Payment {
    const { network, amount, ...rest } = more;
    return this.parts.store.insert({
      id: newPaymentId(),
      kind: 'call',
      state: 'paid',
      mode,
      agent: call.agent,
      skill: call.skill,
      network,
      amount,
      counterparty: call.payer.pubkey ?? null,
      request_sha256: call.requestSha256,
      created_ms: this.parts.clock.now(),
      ...rest,
    });
  }
}

/** Reports why nothing pays for `call`. A reason about what the caller offered takes precedence. */
function refuse({ payer, payment }: PricedCall, { key, debtor, noDebt }: PaymentMeans): never {
  const isUnsigned = payment.free_tier?.by === 'pubkey' && payer.pubkey === undefined;
  const free = isUnsigned ? 'free_calls_are_signed' : undefined;
  throw new PaymentRequiredError(key ? 'balance_too_small' : debtor ? 'too_many_unpaid' : (noDebt ?? free));
}
