import {
  USAGE_HOURS_MAX_DAYS,
  USAGE_RETENTION_DAYS,
  type UsageBucketSize,
  type UsageQuery,
} from '../../contract/usage.js';
import { MeshError } from '../../lib/errors.js';
import { parseQueryTime } from '../../lib/time/query-time.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const SIZES_MS: Readonly<Record<UsageBucketSize, number>> = { hour: 3_600_000, day: DAY_MS };
const DEFAULT_DAYS = 30;
const HOURS_UP_TO_MS = 2 * DAY_MS;

const badRequest = (path: string, message: string) => new MeshError('bad_request', message, { details: { path } });

/** A period and its division into hours or days. Times are epoch milliseconds. */
export class UsagePeriod {
  readonly fromMs: number;
  readonly toMs: number;
  readonly bucket: UsageBucketSize;
  private readonly offsetMs: number;

  /** Throws `bad_request` for an invalid time, a period that is empty, and one that is too long for hours. */
  constructor({ from, to, bucket, utc_offset = 0 }: UsageQuery, nowMs: number) {
    this.toMs = Math.min(parseQueryTime('to', to) ?? nowMs + 1, nowMs + 1);
    const fromMs = parseQueryTime('from', from) ?? this.toMs - DEFAULT_DAYS * DAY_MS;
    if (fromMs >= this.toMs) throw badRequest('from', '"from" must be before "to", and not in the future.');
    this.fromMs = Math.max(fromMs, nowMs - USAGE_RETENTION_DAYS * DAY_MS);
    if (this.fromMs >= this.toMs)
      throw badRequest('to', `"to" must be within the last ${USAGE_RETENTION_DAYS} days: older usage is not kept.`);
    const lengthMs = this.toMs - this.fromMs;
    this.bucket = bucket ?? (lengthMs <= HOURS_UP_TO_MS + 1 ? 'hour' : 'day');
    if (this.bucket === 'hour' && lengthMs > USAGE_HOURS_MAX_DAYS * DAY_MS + 1)
      throw badRequest(
        'bucket',
        `"bucket" can be hour for at most ${USAGE_HOURS_MAX_DAYS} days: ask for less, or for day.`,
      );
    this.offsetMs = utc_offset * MINUTE_MS;
  }

  /** Returns the beginning of the bucket that a time falls into. */
  getStart(ms: number): number {
    const size = SIZES_MS[this.bucket];
    return Math.floor((ms + this.offsetMs) / size) * size - this.offsetMs;
  }

  /** Returns the beginnings of all buckets, oldest first. */
  listStarts(): number[] {
    const size = SIZES_MS[this.bucket];
    const first = this.getStart(this.fromMs);
    return Array.from({ length: Math.ceil((this.toMs - first) / size) }, (_, at) => first + at * size);
  }
}
