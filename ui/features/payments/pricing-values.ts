import type { PaymentDeclaration } from '../../../daemon/contract/payments.js';
import type { MemberDetail, PricingRow } from '../../../daemon/contract/team.js';
import { isObject } from '../../../daemon/lib/is-object.js';
import { lamportsIn } from '../../lib/format/lamports.js';
import { listPriceRows } from './card-prices.js';

export const CURRENCY_CHOICES = ['lamports', 'USD', 'free'] as const;
export const MODE_CHOICES = ['x402', 'deposit'] as const;
export const FREE_BY_CHOICES = ['pubkey', 'ip', 'pubkey+ip'] as const;

/** A price row as typed. */
export interface PriceText {
  unit: string;
  amount: string;
  currency: string;
  /** Empty means the network of `payment`, else the local one. */
  network: string;
  tier: string;
}

/** The payment declaration of a member as typed. */
export interface PaymentText {
  modes: string[];
  network: string;
  wallet: string;
  min_lamports: string;
  credit_unit: string;
  postpay: string;
  free_calls: string;
  free_by: string;
  /** Keys that the form does not show; they are kept unchanged. */
  rest: Record<string, unknown>;
}

export interface PricingText {
  prices: PriceText[];
  payment: PaymentText;
}

export const EMPTY_PRICE: PriceText = {
  unit: 'request',
  amount: '',
  currency: 'lamports',
  network: 'solana:local',
  tier: '',
};
const CREDIT_UNIT = 'lamports';

const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

/** Converts the file's values to the form's. */
export function toPricingText({ pricing, payment = {} }: Pick<MemberDetail, 'pricing' | 'payment'>): PricingText {
  const { modes, network, wallet, deposit, postpay_min_reputation, free_tier, ...rest } = payment;
  const kept = isObject(deposit) ? deposit : {};
  const free = isObject(free_tier) ? free_tier : {};
  return {
    prices: listPriceRows(pricing).map((row) => ({
      unit: row.unit,
      amount: String(row.amount),
      currency: row.currency,
      network: row.network ?? '',
      tier: row.tier ?? '',
    })),
    payment: {
      modes: Array.isArray(modes) ? modes.map(String) : [],
      network: text(network),
      wallet: text(wallet),
      min_lamports: text(kept['min_lamports']),
      credit_unit: text(kept['credit_unit']) || CREDIT_UNIT,
      postpay: text(postpay_min_reputation),
      free_calls: text(free['calls_per_day']),
      free_by: text(free['by']) || FREE_BY_CHOICES[0],
      rest,
    },
  };
}

const isPaidText = ({ currency, amount }: PriceText) => currency === 'lamports' && amount.trim() !== '0';
export const hasPaid = (prices: readonly PriceText[]): boolean => prices.some(isPaidText);

/** Converts the rows to the daemon's form; null for none. Requires values without problems. */
export function parsePricing(prices: readonly PriceText[]): PricingRow[] | null {
  if (prices.length === 0) return null;
  return prices.map(({ unit, amount, currency, network, tier }) => ({
    unit: unit.trim(),
    amount: currency === 'free' ? 0 : currency === 'lamports' ? (lamportsIn(amount) ?? 0) : Number(amount),
    currency,
    ...(network === '' || currency !== 'lamports' ? {} : { network }),
    ...(tier.trim() === '' ? {} : { tier: tier.trim() }),
  }));
}

/** Converts the declaration to the daemon's form; null when nothing is declared. Requires values without problems. */
export function parsePayment(payment: PaymentText): (Partial<PaymentDeclaration> & Record<string, unknown>) | null {
  const { modes, network, wallet, min_lamports, credit_unit, postpay, free_calls, free_by, rest } = payment;
  const declared = {
    ...(network === '' ? {} : { network }),
    ...(wallet.trim() === '' ? {} : { wallet: wallet.trim() }),
    ...(modes.includes('deposit') && min_lamports !== ''
      ? { deposit: { min_lamports: lamportsIn(min_lamports) ?? 0, credit_unit } }
      : {}),
    ...(postpay.trim() === '' ? {} : { postpay_min_reputation: Number(postpay) }),
    ...(free_calls.trim() === '' ? {} : { free_tier: { calls_per_day: Number(free_calls), by: free_by as 'pubkey' } }),
    ...rest,
  };
  if (modes.length === 0 && Object.keys(declared).length === 0) return null;
  return { modes: MODE_CHOICES.filter((mode) => modes.includes(mode)), ...declared };
}

/** Clears the declaration's network when no price uses it. */
export function withAskedNetwork(payment: PaymentText, prices: readonly PriceText[]): PaymentText {
  const isAsked = prices.some(
    ({ currency, network }) => currency === 'lamports' && (network === '' || network === payment.network),
  );
  return payment.network === '' || isAsked ? payment : { ...payment, network: '' };
}

const WALLET = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** Returns the problems of price and payment, keyed by the path that the daemon would use. */
export function pricingProblems({ prices, payment }: PricingText): Record<string, string> {
  const problems: Record<string, string> = {};
  const seen = new Set<string>();
  for (const [at, { unit, amount, currency, network, tier }] of prices.entries()) {
    if (unit.trim() === '') problems[`pricing.${at}.unit`] = 'What is paid for: “request”, “image”.';
    if (currency === 'lamports' && lamportsIn(amount) === undefined)
      problems[`pricing.${at}.amount`] = 'A whole number of lamports.';
    if (currency === 'USD' && !(amount.trim() !== '' && Number(amount) >= 0))
      problems[`pricing.${at}.amount`] = 'An amount in cents.';
    const key = JSON.stringify([currency === 'lamports' ? network : '', tier.trim()]);
    if (seen.has(key)) problems[`pricing.${at}.tier`] = 'One row for each network and tier: this one is a duplicate.';
    seen.add(key);
  }
  const { modes, wallet, min_lamports, postpay, free_calls } = payment;
  if (modes.length === 0 && hasPaid(prices)) problems['payment.modes'] = 'Choose at least one payment mode.';
  if (wallet.trim() !== '' && !WALLET.test(wallet.trim()))
    problems['payment.wallet'] = 'The address of a wallet: 32 to 44 letters and digits.';
  if (modes.includes('deposit') && min_lamports !== '' && lamportsIn(min_lamports) === undefined)
    problems['payment.deposit.min_lamports'] = 'A whole number of lamports.';
  if (postpay.trim() !== '' && !(Number(postpay) >= 0 && Number(postpay) <= 1))
    problems['payment.postpay_min_reputation'] = 'A reputation from 0 to 1, or nothing: pay before the call.';
  if (free_calls.trim() !== '' && !(/^\d{1,7}$/.test(free_calls.trim()) && Number(free_calls) <= 1_000_000))
    problems['payment.free_tier.calls_per_day'] = 'A whole number up to 1,000,000, or nothing.';
  return problems;
}
