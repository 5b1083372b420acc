import type { Pricing } from '../../../daemon/contract/agents.js';

/** The network that every daemon carries with it: what moves on it is worth nothing. */
const SIMULATED_NETWORK = 'solana:local';

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 9 });
const cents = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 6 });

/** `free`, `$0.05 per request`, `1,000 lamports per image`. Amounts of USD are cents; lamports are never told as anything else. */
export function priceWords({ unit, amount, currency }: Pricing): string {
  if (currency.toLowerCase() === 'free' || amount === 0) return 'free';
  const sum = currency.toUpperCase() === 'USD' ? cents.format(amount / 100) : `${whole.format(amount)} ${currency}`;
  return `${sum} per ${unit}`;
}

/** On which network and in which tier the price holds; empty when it says neither. */
export function priceTerms({ network, tier }: Pricing): string {
  const where = network === SIMULATED_NETWORK ? `${network}, simulated` : network;
  return [where, tier].filter(Boolean).join(', ');
}

/** What an amount is that most people have no idea of; undefined for money and for nothing. */
export function currencyNote({ currency, amount }: Pricing): string | undefined {
  return currency.toLowerCase() === 'lamports' && amount > 0
    ? 'Lamports are a billionth of a coin of their network, not dollars.'
    : undefined;
}
