import type { UsageBucket, UsageBucketSize, UsageCounts } from '../../../daemon/contract/usage.js';
import { formatDuration } from '../../lib/format/time-format.js';

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const hour = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

const HALF_DAY_MS = 43_200_000;

/**
 * Formats an hour or a day by its beginning, in the time zone of this browser. A day is named by its noon: days are cut
 * by today's offset, so one before clocks were changed begins an hour before or after its midnight.
 */
export const formatBucket = ({ at }: Pick<UsageBucket, 'at'>, bucket: UsageBucketSize) =>
  bucket === 'day' ? day.format(Date.parse(at) + HALF_DAY_MS) : hour.format(Date.parse(at));

/** Reports whether there is nothing to show: a call that was refused is no ask, and shown too. */
export const isNothing = ({ asks, refused }: Pick<UsageCounts, 'asks' | 'refused'>) => asks + refused === 0;

export const formatCount = (count: number) => Math.round(count).toLocaleString('en');
export const formatOptionalCount = (count: number | null) => (count === null ? '–' : formatCount(count));
export const formatLatency = (ms: number | null) => (ms === null ? '–' : formatDuration(ms));
export const formatCost = (usd: number | null) =>
  usd === null ? '–' : `$${usd.toFixed(usd > 0 && usd < 0.01 ? 4 : 2)}`;

/** The kinds of answers with their names, in the order of the columns. */
export const KINDS = [
  { kind: 'found', label: 'Found' },
  { kind: 'likely', label: 'Likely' },
  { kind: 'none', label: 'Not found' },
  { kind: 'answered', label: 'By a model' },
  { kind: 'failed', label: 'Failed' },
  { kind: 'stopped', label: 'Stopped' },
] as const satisfies readonly { kind: keyof UsageCounts; label: string }[];
