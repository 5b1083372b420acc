import { MeshError } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';

/**
 * Limits on calls per address in a minute, an hour and a day, and on all calls in a day. An absent limit is unlimited.
 * Spec: Limits.
 */
export interface RateLimit {
  per_ip_per_minute?: number;
  per_ip_per_hour?: number;
  per_ip_per_day?: number;
  per_day?: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Maximum number of tracked addresses. Beyond it, the least recently used one is dropped. */
const ADDRESSES_MAX = 10_000;

interface Bucket {
  since: number;
  count: number;
}

const countCalls = (count: number) => `${count} ${count === 1 ? 'call' : 'calls'}`;

/** Repeats of a challenged call that are not counted in an hour: more than a payer needs while its transfer settles. */
const REPEATS_PER_HOUR = 100;

/** In-memory counters for the four windows. Only admitted calls are counted. */
export class RateLimits {
  private windows: readonly (readonly [windowMs: number, max: number, name: string])[] = [];
  private readonly addresses = new Map<string, Bucket[]>();
  private readonly everyone: Bucket = { since: 0, count: 0 };

  constructor(
    private limit: RateLimit,
    private readonly clock: Clock,
  ) {
    this.use(limit);
  }

  /** Applies other limits. What was counted so far counts in them too. */
  use(limit: RateLimit): void {
    this.limit = limit;
    const { per_ip_per_minute, per_ip_per_hour, per_ip_per_day } = limit;
    this.windows = [
      [MINUTE_MS, per_ip_per_minute ?? Number.POSITIVE_INFINITY, 'a minute'],
      [HOUR_MS, per_ip_per_hour ?? Number.POSITIVE_INFINITY, 'an hour'],
      [DAY_MS, per_ip_per_day ?? Number.POSITIVE_INFINITY, 'a day'],
    ];
  }

  /**
   * Counts a call from `address` in all windows. Throws `too_many_requests` with `retry_after` when one of them is
   * full, and then counts it in none. The repeat of a call that was challenged, with its `nonce`, is not counted: its
   * caller has paid, and the call was counted when it was challenged.
   */
  admit(address: string, nonce?: string): void {
    if (Object.keys(this.limit).length === 0) return;
    const now = this.clock.elapsed();
    if (nonce !== undefined && this.isRepeat(nonce, now)) return;
    const buckets = this.listBuckets(address, now);
    for (const [index, [windowMs, max, name]] of this.windows.entries()) {
      const bucket = renewed(buckets[index] as Bucket, windowMs, now);
      if (bucket.count >= max) throw full(bucket, windowMs, now, `${countCalls(max)} ${name} from one address`);
    }
    const { per_day } = this.limit;
    const all = renewed(this.everyone, DAY_MS, now);
    if (per_day !== undefined && all.count >= per_day) throw full(all, DAY_MS, now, `${countCalls(per_day)} a day`);
    for (const bucket of [...buckets, all]) bucket.count += 1;
  }

  private isRepeat(nonce: string, now: number): boolean {
    const bucket = renewed(this.listBuckets(nonce, now)[0] as Bucket, HOUR_MS, now);
    bucket.count += 1;
    return bucket.count <= REPEATS_PER_HOUR;
  }

  private listBuckets(address: string, now: number): Bucket[] {
    const known = this.addresses.get(address) ?? this.windows.map(() => ({ since: now, count: 0 }));
    // Re-inserted at the end, so that the first entry is the least recently used one.
    this.addresses.delete(address);
    this.addresses.set(address, known);
    if (this.addresses.size > ADDRESSES_MAX) this.addresses.delete(this.addresses.keys().next().value as string);
    return known;
  }
}

function renewed(bucket: Bucket, windowMs: number, now: number): Bucket {
  if (now - bucket.since >= windowMs) {
    bucket.since = now;
    bucket.count = 0;
  }
  return bucket;
}

function full({ since }: Bucket, windowMs: number, now: number, message: string): MeshError {
  const retryAfter = Math.ceil((windowMs - (now - since)) / 1000);
  return new MeshError('too_many_requests', `This agent takes ${message}: wait ${retryAfter} s.`, {
    details: { retry_after: retryAfter },
  });
}
