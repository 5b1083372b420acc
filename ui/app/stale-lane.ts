import type { QueryKey } from '@tanstack/react-query';

/** Several changes at once are gathered this long, so that they cost one reading. */
const GATHER_MS = 10;
/** From so many of one kind on, the whole kind is read again: what is not on screen is not read anyway. */
const KIND_FROM = 20;

export interface LaneTimers {
  now(): number;
  setTimeout(run: () => void, ms: number): unknown;
}

/** Gathers what went stale and has it read again, at most every `betweenMs`, however many events there are. */
export class StaleLane {
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
    this.timers.setTimeout(() => this.flush(), Math.max(GATHER_MS, rest));
  }

  private flush(): void {
    this.isGathering = false;
    this.flushedAt = this.timers.now();
    const keys = [...this.stale.values()];
    this.stale.clear();
    for (const key of gathered(keys)) this.readAgain(key);
  }
}

/** The keys themselves, but one for all of a kind of which there are many. */
function gathered(keys: readonly QueryKey[]): QueryKey[] {
  const kinds = new Map<unknown, QueryKey[]>();
  for (const key of keys) kinds.set(key[0], [...(kinds.get(key[0]) ?? []), key]);
  return [...kinds].flatMap(([kind, those]) => (those.length < KIND_FROM ? those : [[kind]]));
}
