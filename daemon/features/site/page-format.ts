import type { PricingRow } from '../../contract/team.js';
import { formatSum } from '../../lib/text/price-sum.js';

/** `2026-11-21 11:52 UTC`, from epoch seconds. */
export function formatDate(epochSeconds: number): string {
  return `${new Date(epochSeconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

const STEPS = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** `3 hours ago`; `just now` within a minute, and for times in the future after the clock was set back. */
export function formatRelativeTime(epochSeconds: number, now: number): string {
  const age = now - epochSeconds;
  const step = STEPS.find(([, seconds]) => age >= seconds);
  if (!step) return 'just now';
  const count = Math.floor(age / step[1]);
  return `${count} ${step[0]}${count === 1 ? '' : 's'} ago`;
}

/**
 * `Free`, `$0.05 per request`, `1,000 lamports per image (solana:local)`. Spec: Pricing row.
 */
export function formatPrice({ unit, amount, currency, network, tier }: PricingRow): string {
  const more = [network === 'solana:local' ? 'solana:local, simulated' : network, tier]
    .filter((word) => word !== undefined)
    .join(', ');
  const behind = more === '' ? '' : ` (${more})`;
  const sum = formatSum({ amount, currency });
  return `${sum === 'free' ? 'Free' : `${sum} per ${unit}`}${behind}`;
}
