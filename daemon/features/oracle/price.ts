import type { Tier1Pricing } from '../../contract/network/agents.js';

/** Why a price cannot be compared with a limit. */
export type NoPrice = 'no_price' | 'no_lamports_rate' | 'unknown_currency' | 'no_rate_of_limit';

/** What the amount 1 of a price row is worth in US dollars, by currency in lower case. `usd` amounts are cents. */
export type Rates = ReadonlyMap<string, number>;

/** The rates that need no configuration. */
export const CENTS: Rates = new Map([['usd', 0.01]]);

/** A price of one action as it is compared. */
export interface ComparablePrice {
  amount: number;
  /** In lower case. */
  currency: string;
  /** US dollars, or why there are none. */
  usd: number | Exclude<NoPrice, 'no_rate_of_limit'>;
}

/** The highest price that a search accepts. */
export interface PriceLimit {
  /** In US dollars for `usd`, else in the unit of the rows' amounts. */
  amount: number;
  /** In lower case. */
  currency: string;
}

/** Reads a price for comparison. An amount of 0 is free in any currency. Contract: Oracle; Settled details. */
export function comparablePrice(pricing: Tier1Pricing | null, rates: Rates): ComparablePrice {
  if (!pricing) return { amount: 0, currency: '', usd: 'no_price' };
  const currency = pricing.currency.toLowerCase();
  const { amount } = pricing;
  if (amount === 0 || currency === 'free') return { amount: 0, currency, usd: 0 };
  const rate = rates.get(currency);
  const none = currency === 'lamports' ? 'no_lamports_rate' : 'unknown_currency';
  return { amount, currency, usd: rate === undefined ? none : amount * rate };
}

/** More than the rounding of a product of two numbers, and less than any price differs by. */
const ROUNDING = 1 + 1e-9;

/** Whether a price is at most `limit`, or why that cannot be said. Equal currencies need no rate. */
export function isWithin(price: ComparablePrice, limit: PriceLimit, rates: Rates): boolean | NoPrice {
  if (price.usd === 'no_price' || price.usd === 0) return price.usd === 0 || 'no_price';
  if (limit.currency === 'usd') return typeof price.usd === 'number' ? price.usd <= limit.amount * ROUNDING : price.usd;
  if (price.currency === limit.currency) return price.amount <= limit.amount;
  if (typeof price.usd !== 'number') return price.usd;
  const rate = rates.get(limit.currency);
  return rate === undefined ? 'no_rate_of_limit' : price.usd <= limit.amount * rate * ROUNDING;
}
