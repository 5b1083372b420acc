const AT_ONCE = 10;
const REFILL_MS = 1_000;

interface Kind {
  left: number;
  sinceMs: number;
  leftOut: number;
}

/**
 * Limits the log lines per kind of event: a burst of ten, then one per second, so that a caller cannot fill the log by
 * repeating a rejected request.
 */
export class LineBudget {
  private readonly kinds = new Map<string, Kind>();

  constructor(private readonly elapsedMs: () => number) {}

  /**
   * Returns how many lines of `kind` were dropped since the last one logged, or undefined when this line must be
   * dropped too. There are few kinds: none is derived from a caller's input.
   */
  take(kind: string): number | undefined {
    const nowMs = this.elapsedMs();
    const { left, sinceMs, leftOut } = this.kinds.get(kind) ?? { left: AT_ONCE, sinceMs: nowMs, leftOut: 0 };
    const filled = Math.min(AT_ONCE, left + (nowMs - sinceMs) / REFILL_MS);
    const isTold = filled >= 1;
    this.kinds.set(kind, { left: isTold ? filled - 1 : filled, sinceMs: nowMs, leftOut: isTold ? 0 : leftOut + 1 });
    return isTold ? leftOut : undefined;
  }
}
