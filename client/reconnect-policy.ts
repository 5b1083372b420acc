/** How long a line may stay silent before it counts as dead: two heartbeats and a half. */
export const SILENCE_LIMIT_MS = 25_000;
/** How often a line looks whether it still lives. */
export const WATCHDOG_MS = 2_500;
const FIRST_DELAY_MS = 400;
const LONGEST_DELAY_MS = 15_000;

/** Wait before reconnect number `attempt` (from 0): doubling, capped, and spread over half of it so that tabs do not arrive together. */
export function reconnectDelayMs(attempt: number, random: () => number): number {
  const full = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(attempt, 10));
  return Math.round(full * (0.5 + random() * 0.5));
}

/** Whether a line that last spoke at `lastFrameAt` must be taken for dead at `now`. */
export function isLineDead(lastFrameAt: number, now: number): boolean {
  return now - lastFrameAt >= SILENCE_LIMIT_MS;
}
