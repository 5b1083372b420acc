import type { Pricing } from '../../contract/agents.js';

/** Why a price cannot be told in dollars. */
export type NoPrice = 'no_price' | 'no_lamports_rate' | 'unknown_currency';

/**
 * What one action costs in US dollars, or why that cannot be told: `lamports` by the configured rate (dollars for one lamport), `USD` amounts are cents, and
 * nothing costs nothing in any currency. Contract: Oracle; Settled details.
 */
export function priceInUsd(pricing: Pricing | null, lamportsUsd: number | undefined): number | NoPrice {
  if (!pricing) return 'no_price';
  const currency = pricing.currency.toLowerCase();
  if (pricing.amount === 0 || currency === 'free') return 0;
  if (currency === 'usd') return pricing.amount / 100;
  if (currency === 'lamports') return lamportsUsd === undefined ? 'no_lamports_rate' : pricing.amount * lamportsUsd;
  return 'unknown_currency';
}
