/** Silence after which a connection counts as dead, in milliseconds: two and a half heartbeats. */
export const SILENCE_LIMIT_MS = 25_000;
/** How often a connection is checked for silence, in milliseconds. */
export const WATCHDOG_MS = 2_500;
const FIRST_DELAY_MS = 400;
const LONGEST_DELAY_MS = 15_000;

/**
 * Returns the delay before reconnect `attempt` (from 0), in milliseconds. It doubles up to a cap, with jitter over its
 * upper half so that tabs do not reconnect together.
 */
export function reconnectDelayMs(attempt: number, random: () => number): number {
  const full = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(attempt, 10));
  return Math.round(full * (0.5 + random() * 0.5));
}

/**
 * Returns the milliseconds between two readings of the clock. When it was set back in between, they count too: how long
 * the silence was is unknown then.
 */
export const elapsedMs = (then: number, now: number): number => Math.abs(now - then);

/** Reports whether a connection whose last frame arrived at `lastFrameAt` counts as dead at `now`. */
export function isLineDead(lastFrameAt: number, now: number): boolean {
  return elapsedMs(lastFrameAt, now) >= SILENCE_LIMIT_MS;
}
