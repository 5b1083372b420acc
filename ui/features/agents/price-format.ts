import type { PricingRow } from '../../../daemon/contract/team.js';

/** The network built into every daemon. Its lamports are worth nothing. */
const SIMULATED_NETWORK = 'solana:local';

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 9 });
const cents = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 6 });

/**
 * Formats a price: `free`, `$0.05 per request`, `1,000 lamports per image`. Amounts in USD are cents; lamports are
 * never converted.
 */
export function formatPrice({ unit, amount, currency }: PricingRow): string {
  if (currency.toLowerCase() === 'free' || amount === 0) return 'free';
  const sum = currency.toUpperCase() === 'USD' ? cents.format(amount / 100) : `${whole.format(amount)} ${currency}`;
  return `${sum} per ${unit}`;
}

/** Returns the network and tier of a price; empty when it names neither. */
export function priceTerms({ network, tier }: PricingRow): string {
  const where = network === SIMULATED_NETWORK ? `${network}, simulated` : network;
  return [where, tier].filter(Boolean).join(', ');
}

/** Explains a currency that most people do not know; undefined for other currencies and for 0. */
export function currencyNote({ currency, amount }: PricingRow): string | undefined {
  return currency.toLowerCase() === 'lamports' && amount > 0
    ? 'Lamports are a billionth of a coin of their network, not dollars.'
    : undefined;
}
