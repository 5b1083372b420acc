import type { Call } from '../../../../daemon/contract/payments.js';
import { formatLamports } from '../../../lib/format/lamports.js';
import { formatDuration } from '../../../lib/format/time-format.js';
import type { PaymentStep } from '../ledger/payment-life.js';

/** Error codes after which lamports may have left the wallet. */
const MAY_HAVE_PAID = ['payment_refused', 'not_delivered', 'debt_above_card'];
/** Codes of a call from a deposit whose top-up may have been paid: with the others it was not made. */
const MAY_HAVE_TOPPED_UP = [
  ...['unreachable', 'refused_by_agent', 'agent_failed', 'bad_answer'],
  ...['no_deposit', 'network_unavailable', 'interrupted'],
];

/**
 * Reports whether lamports may have left the wallet for a failed call. A call keeps the signature of its own transfer
 * unless it is certain that it was not made; that of a top-up is not part of the call.
 */
export function mayHavePaid({
  error,
  mode,
  payment_id,
  signature,
}: Pick<Call, 'error' | 'mode' | 'payment_id' | 'signature'>): boolean {
  if (error === undefined) return false;
  const mayHaveToppedUp = mode === 'deposit' && payment_id !== null && MAY_HAVE_TOPPED_UP.includes(error.code);
  return signature !== null || mayHaveToppedUp || MAY_HAVE_PAID.includes(error.code);
}

type CallFacts = Pick<Call, 'state' | 'mode' | 'amount_lamports' | 'signature' | 'latency_ms' | 'error'>;

/** Returns the stations of a call: the price, the payment and the response. */
export function callStations({
  state,
  mode,
  amount_lamports: amount,
  signature,
  latency_ms,
  error,
}: CallFacts): PaymentStep[] {
  const price = amount === null ? '' : `: ${formatLamports(amount)}`;
  const answered = latency_ms === null ? '200' : `200 in ${formatDuration(latency_ms)}`;
  // A skill without a price has no mode, and its call no payment request.
  const isUnpriced = mode === null && latency_ms !== null;
  const way: PaymentStep[] =
    mode === 'free' || isUnpriced
      ? [{ state: 'settled', at: 'ahead', words: `${answered}, free of charge` }]
      : mode === 'deposit'
        ? [
            { state: 'paid', at: 'ahead', words: `from the deposit${price}` },
            { state: 'settled', at: 'ahead', words: answered },
          ]
        : mode === 'postpay'
          ? [
              { state: 'settled', at: 'ahead', words: answered },
              { state: 'owed', at: 'ahead', words: `owed${price}` },
            ]
          : [
              { state: 'challenged', at: 'ahead', words: `402${price}` },
              { state: 'paid', at: 'ahead', words: 'paid' },
              { state: 'settled', at: 'ahead', words: answered },
            ];
  const to = (reached: number): PaymentStep[] =>
    way.map((station, index) => ({ ...station, at: index < reached ? 'past' : index === reached ? 'now' : 'ahead' }));
  // The response has arrived; only the report is left.
  if (state === 'done' || (state === 'running' && latency_ms !== null)) return to(way.length - 1);
  // The known fields determine the state of an x402 call: a price after the 402, a signature once it is paid.
  const reached = mode !== 'x402' || amount === null ? -1 : signature === null ? 0 : 1;
  if (state === 'waiting')
    return [
      { state: 'waiting', at: 'now', words: 'needs your approval' },
      ...way.filter(({ state }) => state !== 'challenged'),
    ];
  if (state === 'failed') {
    const was: PaymentStep =
      error?.code === 'denied'
        ? { state: 'refused', at: 'now', words: 'denied' }
        : { state: 'failed', at: 'now', words: 'failed' };
    return [
      ...to(reached)
        .filter(({ at }) => at !== 'ahead')
        .map((one): PaymentStep => ({ ...one, at: 'past' })),
      was,
    ];
  }
  return to(reached);
}

/** Returns the result of filing the report about the called agent. */
export function formatReport(filed: unknown): string | undefined {
  if (typeof filed !== 'object' || filed === null) return undefined;
  const { ok, score, error } = filed as { ok?: unknown; score?: unknown; error?: unknown };
  if (ok === true) return typeof score === 'number' ? `Filed. Its score is ${score.toFixed(2)} now.` : 'Filed.';
  return typeof error === 'string' ? `Not filed: ${error}` : 'Not filed.';
}
