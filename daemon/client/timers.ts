/** The clock, timers and randomness that a line uses; replaced in tests. */
export interface Timers {
  now(): number;
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
  random(): number;
}

/** The real clock and timers. */
export const realTimers = (): Timers => ({
  now: () => Date.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout> | undefined),
  random: () => Math.random(),
});
