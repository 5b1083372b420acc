import { ONLINE_SECONDS, type Tier1Card } from '../contract/agents.js';

/**
 * Whether an agent is online: its last token call or heartbeat is less than five minutes old and it has not set itself away. A pure function of the
 * record and the time. Of who was seen in the future, by a clock that was set back since, no more is known than of who was seen as long ago. Spec: Agent › States; Limits.
 */
export function isOnline({ lastSeenMs, card }: { lastSeenMs: number; card: Tier1Card | null }, nowMs: number): boolean {
  return Math.abs(nowMs - lastSeenMs) < ONLINE_SECONDS * 1000 && card?.availability?.now !== false;
}
