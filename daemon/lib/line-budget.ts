const AT_ONCE = 10;
const REFILL_MS = 1_000;

interface Kind {
  left: number;
  sinceMs: number;
  leftOut: number;
}

/** How many lines of a log each kind of event may fill: ten at once, then one a second, so that nobody fills the log by repeating what is refused. */
export class LineBudget {
  private readonly kinds = new Map<string, Kind>();

  constructor(private readonly elapsedMs: () => number) {}

  /** How many of `kind` were left out since its last line; undefined when this one is to be left out too. Kinds are few: none comes from a caller. */
  take(kind: string): number | undefined {
    const nowMs = this.elapsedMs();
    const { left, sinceMs, leftOut } = this.kinds.get(kind) ?? { left: AT_ONCE, sinceMs: nowMs, leftOut: 0 };
    const filled = Math.min(AT_ONCE, left + (nowMs - sinceMs) / REFILL_MS);
    const isTold = filled >= 1;
    this.kinds.set(kind, { left: isTold ? filled - 1 : filled, sinceMs: nowMs, leftOut: isTold ? 0 : leftOut + 1 });
    return isTold ? leftOut : undefined;
  }
}
