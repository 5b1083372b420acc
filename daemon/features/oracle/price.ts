import type { Pricing } from '../../contract/network/agents.js';

/** Why a price cannot be converted to US dollars. */
export type NoPrice = 'no_price' | 'no_lamports_rate' | 'unknown_currency';

/**
 * Returns the price of one action in US dollars, or why it cannot be converted. `lamports` are converted at the
 * configured rate (US dollars per lamport), `USD` amounts are cents, and 0 is free in any currency. Contract: Oracle;
 * Settled details.
 */
export function priceInUsd(pricing: Pricing | null, lamportsUsd: number | undefined): number | NoPrice {
  if (!pricing) return 'no_price';
  const currency = pricing.currency.toLowerCase();
  if (pricing.amount === 0 || currency === 'free') return 0;
  if (currency === 'usd') return pricing.amount / 100;
  if (currency === 'lamports') return lamportsUsd === undefined ? 'no_lamports_rate' : pricing.amount * lamportsUsd;
  return 'unknown_currency';
}
