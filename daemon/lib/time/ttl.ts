import type { Ttl } from '../../contract/boards.js';

const DAY_SECONDS = 86_400;
const SECONDS: Readonly<Record<Exclude<Ttl, 'forever'>, number>> = {
  '24h': DAY_SECONDS,
  '7d': 7 * DAY_SECONDS,
  '30d': 30 * DAY_SECONDS,
  '1y': 365 * DAY_SECONDS,
};

/** The expiry of a record created at `createdAt`, both in epoch seconds; null for never. */
export function computeExpiry(createdAt: number, ttl: Ttl): number | null {
  return ttl === 'forever' ? null : createdAt + SECONDS[ttl];
}

/** Whether a record is live at `nowMs`. It expires at the start of its `expires_at` second. Spec: Post › States. */
export function isLive({ expires_at }: { expires_at: number | null }, nowMs: number): boolean {
  return expires_at === null || nowMs < expires_at * 1000;
}
