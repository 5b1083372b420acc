import { ONLINE_SECONDS, type Tier1Card } from '../../contract/network/agents.js';

/**
 * Whether an agent is online: its last token call or heartbeat is younger than `ONLINE_SECONDS` and its card does not
 * declare it unavailable. A pure function of the record and the time. A `lastSeenMs` in the future, left by a clock
 * that was set back, is treated like one as far in the past. Spec: Agent › States; Limits.
 */
export function isOnline({ lastSeenMs, card }: { lastSeenMs: number; card: Tier1Card | null }, nowMs: number): boolean {
  return Math.abs(nowMs - lastSeenMs) < ONLINE_SECONDS * 1000 && card?.availability?.now !== false;
}
