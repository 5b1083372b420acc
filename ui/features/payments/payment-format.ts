import type {
  CallErrorCode,
  CallMode,
  Caps,
  FREE_TIER_BY,
  LedgerEntry,
  PaymentDeclaration,
  PaymentState,
  Refusal,
} from '../../../daemon/contract/payments.js';
import { formatLamports, formatSol } from '../../lib/format/lamports.js';

/** The network built into every daemon. Its lamports are worth nothing. */
export const LOCAL_NETWORK = 'solana:local';
export const NETWORK_CHOICES = ['solana:local', 'solana:devnet', 'solana:mainnet'] as const;

export const formatNetwork = (network: string, isReal: boolean): string =>
  network === LOCAL_NETWORK ? 'Local network: not real money' : isReal ? network : `${network}: not real money`;

/** Formats as `5,000 lamports (0.000005 SOL)`. */
export const formatAmount = (lamports: number): string => `${formatLamports(lamports)} (${formatSol(lamports)})`;

export const modeLabels: Record<CallMode, string> = {
  free: 'free of charge',
  deposit: 'from a deposit',
  postpay: 'on credit',
  x402: 'paid for this call',
};

/** The displayed word for each state. */
export const stateLabels: Record<PaymentState, string> = {
  waiting: 'needs approval',
  challenged: 'payment requested',
  paid: 'paid',
  settled: 'settled',
  owed: 'owed',
  refunded: 'refunded',
  failed: 'failed',
  refused: 'refused',
  expired: 'expired',
};

/** Explains a state to the operator, as a sentence. */
export function stateSentence({
  side,
  kind,
  state,
  mode,
}: Pick<LedgerEntry, 'side' | 'kind' | 'state' | 'mode'>): string {
  const earned = side === 'earned';
  switch (state) {
    case 'waiting':
      return 'It is over a cap and needs your approval.';
    case 'challenged':
      if (kind === 'topup') return 'Payment requested; nothing has arrived yet.';
      return earned ? 'Payment requested; the caller has not paid yet.' : 'Payment requested; the payment is pending.';
    case 'paid':
      return earned
        ? 'The payment is confirmed; the skill is running.'
        : 'The payment is confirmed; waiting for the answer.';
    case 'settled':
      if (kind === 'transfer') return earned ? 'Received in a wallet, not for a call.' : 'The transfer is confirmed.';
      if (kind === 'topup') return 'The deposit is available as a balance.';
      if (mode === 'free') return 'Done free of charge.';
      return earned ? 'Paid and done.' : 'Paid and answered.';
    case 'owed':
      return earned ? 'Done on credit; the caller owes it.' : 'Done on credit; you owe it.';
    case 'refunded':
      return 'The skill failed, and the money is back in the balance.';
    case 'failed':
      return 'It failed.';
    case 'refused':
      return earned ? 'The payment offered was not valid.' : 'You did not allow it. Nothing was paid.';
    case 'expired':
      return earned ? 'Nobody paid within ten minutes. Nothing was carried out.' : 'Time ran out. Nothing was paid.';
  }
}

/** Codes that earlier versions recorded, under their present names. */
const RENAMED: Readonly<Record<string, Refusal | CallErrorCode>> = {
  network_unreachable: 'network_unavailable',
  over_max_lamports: 'budget_exceeded',
};

const REASONS: Partial<Record<Refusal | CallErrorCode, string>> = {
  unknown_nonce: 'The nonce was not issued here.',
  nonce_expired: 'The payment request had expired.',
  nonce_of_other_skill: 'The nonce was issued for another skill.',
  price_changed: 'The price had changed in between.',
  nonce_spent: 'The nonce had been used with another payment.',
  signature_spent: 'The transaction had paid for another call.',
  not_yet_visible: 'The network did not know the transaction yet.',
  transaction_failed: 'The transaction failed on the network.',
  wrong_network: 'It was paid on another network.',
  wrong_wallet: 'The wallet is not the right one.',
  amount_too_small: 'Too little was paid.',
  memo_missing: 'The transaction carries no memo.',
  memo_twice: 'The transaction carries more than one memo.',
  memo_of_other_nonce: 'The memo is not the nonce.',
  older_than_challenge: 'The transaction is older than the payment request.',
  balance_too_small: 'The balance was too small.',
  reputation_too_low: 'The caller’s reputation was too low for credit.',
  too_many_unpaid: 'The caller owes too many calls already.',
  free_calls_are_signed: 'Free calls are for signed callers.',
  network_unavailable: 'The network could not be reached.',
  agent_not_found: 'There is no such agent.',
  bad_card: 'Its card could not be understood.',
  skill_not_found: 'It has no such skill.',
  unreachable: 'It could not be reached.',
  refused_by_agent: 'It refused the call.',
  agent_failed: 'It failed to carry the call out.',
  bad_answer: 'Its answer could not be understood.',
  bad_challenge: 'Its payment request could not be understood.',
  unknown_network: 'It wants to be paid on a network that this daemon does not know.',
  price_above_card: 'It asked for more than its card says.',
  challenge_expired: 'Its payment request had expired.',
  challenge_replayed: 'It sent a payment request that was already paid.',
  budget_exceeded: 'It asked for more than you set as the most for this call.',
  no_free_call: 'No free call was left.',
  no_deposit: 'It takes no deposit, or the balance was too small.',
  no_credit: 'It gave no credit.',
  denied: 'You denied it.',
  approval_expired: 'Nobody allowed it within a day.',
  insufficient_funds: 'The wallet held too little.',
  interrupted: 'It was interrupted.',
  payment_refused: 'It did not accept the payment.',
  not_delivered: 'It was paid and did not answer.',
  debt_above_card: 'It says that more is owed than its card does.',
};

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** Names payer and payee, as the second line of an entry. A transfer without a known peer has no agent. */
export function formatCounterparty({
  side,
  kind,
  agent,
  mode,
  state,
}: Pick<LedgerEntry, 'side' | 'kind' | 'agent' | 'mode' | 'state'>): string {
  if (kind === 'transfer' && agent === '') return side === 'earned' ? 'into a wallet' : 'out of a wallet, by hand';
  const name = ADDRESS.test(agent) ? `${agent.slice(0, 4)}…${agent.slice(-4)}` : agent;
  // A price that was not paid.
  if (kind === 'call' && (state === 'waiting' || state === 'challenged'))
    return `${side === 'earned' ? 'for' : 'to'} ${name} · price of this call`;
  const words = [side === 'earned' ? `earned by ${name}` : `paid to ${name}`];
  if (kind === 'transfer') words.push('by hand');
  else if (mode !== null) words.push(kind === 'topup' ? 'as a deposit' : modeLabels[mode]);
  return words.join(' · ');
}

/** Translates a reason: a known code to words, anything else unchanged. */
export const formatReason = (reason: string): string => REASONS[RENAMED[reason] ?? (reason as Refusal)] ?? reason;

/** Explains what the caps allow without approval. */
export function formatCaps({ per_call_lamports: call, per_day_lamports: day }: Caps): string {
  if (call === 0 || day === 0) return 'Every payment needs your approval: a cap of 0 allows none without it.';
  return (
    `Up to ${formatLamports(Math.min(call, day))} a payment and ${formatLamports(day)} a day (UTC) are paid ` +
    'automatically. Anything over that needs your approval.'
  );
}

export const freeTierByLabels: Record<(typeof FREE_TIER_BY)[number], string> = {
  pubkey: 'for each caller that signs',
  ip: 'for each address',
  'pubkey+ip': 'for each caller that signs, from each address',
};

/** Describes how an agent is paid, from its card's declaration, line by line. Invalid values are left out. */
export function declarationLines(payment: Partial<PaymentDeclaration>): [string, string][] {
  const lines: [string, string][] = [];
  const { free_tier, modes, deposit, postpay_min_reputation: least } = payment;
  if (free_tier && typeof free_tier.calls_per_day === 'number' && free_tier.calls_per_day > 0) {
    const { calls_per_day: calls, by } = free_tier;
    lines.push([
      'Free',
      `${calls.toLocaleString('en-US')} ${calls === 1 ? 'call' : 'calls'} a day ${freeTierByLabels[by] ?? `by ${by}`}`,
    ]);
  }
  if (Array.isArray(modes)) {
    if (modes.includes('x402'))
      lines.push(['Per call', 'a payment request (402) states the amount; repeat the call with the proof']);
    if (modes.includes('deposit')) {
      const least =
        deposit && Number.isSafeInteger(deposit.min_lamports) && deposit.min_lamports >= 0
          ? `, at least ${formatAmount(deposit.min_lamports)}`
          : '';
      lines.push(['Prepaid', `a deposit${least}; each call is charged to it`]);
    }
  }
  lines.push([
    'On credit',
    typeof least === 'number'
      ? `for callers with a reputation of ${least} or more, up to 10 unpaid calls`
      : 'no: pay before the call',
  ]);
  return lines;
}

/** Reports whether an entry in this state is still in progress. */
export const isInProgress = (state: PaymentState): boolean =>
  state === 'waiting' || state === 'challenged' || state === 'paid';
