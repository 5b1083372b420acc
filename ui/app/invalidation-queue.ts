import type { QueryKey } from '@tanstack/react-query';

/** Changes within this many milliseconds are read together. */
const GATHER_MS = 10;
/** From this many keys of one kind on, the whole kind is invalidated. What is not on screen is not read anyway. */
const KIND_FROM = 20;

interface LaneTimers {
  now(): number;
  setTimeout(run: () => void, ms: number): unknown;
}

/**
 * Collects invalidated keys and reads them again at most every `betweenMs` milliseconds, however many events there are.
 */
export class InvalidationQueue {
  private readonly stale = new Map<string, QueryKey>();
  private isGathering = false;
  private flushedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly betweenMs: number,
    private readonly readAgain: (key: QueryKey) => void,
    private readonly timers: LaneTimers,
  ) {}

  add(key: QueryKey): void {
    this.stale.set(JSON.stringify(key), key);
    if (this.isGathering) return;
    this.isGathering = true;
    const rest = this.flushedAt + this.betweenMs - this.timers.now();
    // The clock may have been set back since.
    this.timers.setTimeout(() => this.flush(), Math.max(GATHER_MS, Math.min(this.betweenMs, rest)));
  }

  private flush(): void {
    this.isGathering = false;
    this.flushedAt = this.timers.now();
    const keys = [...this.stale.values()];
    this.stale.clear();
    for (const key of gathered(keys)) this.readAgain(key);
  }
}

/** Replaces many keys of one kind by the key of that kind. */
function gathered(keys: readonly QueryKey[]): QueryKey[] {
  const kinds = new Map<unknown, QueryKey[]>();
  for (const key of keys) kinds.set(key[0], [...(kinds.get(key[0]) ?? []), key]);
  return [...kinds].flatMap(([kind, those]) => (those.length < KIND_FROM ? those : [[kind]]));
}
