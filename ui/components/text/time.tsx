import { formatClockTime } from '../../lib/format/clock-format.js';
import { formatElapsed, formatExactTime, formatRelativeTime } from '../../lib/format/time-format.js';
import { useNow } from '../../lib/use-now.js';

/** A relative time such as `3 min ago`, with the exact time on hover. */
export function Ago({ at }: { at: string }) {
  const now = useNow(10_000);
  const then = Date.parse(at);
  return (
    <time dateTime={at} title={formatExactTime(then)}>
      {formatRelativeTime(then, Math.max(now, then))}
    </time>
  );
}

/** A time of day such as `14:02`, with the exact time on hover. */
export function Clock({ at }: { at: string }) {
  const then = Date.parse(at);
  return (
    <time dateTime={at} title={formatExactTime(then)} className="mono">
      {formatClockTime(then)}
    </time>
  );
}

/** The running time since `since`, updated every second. */
export function Elapsed({ since }: { since: string }) {
  const now = useNow(1_000);
  return <span className="mono">{formatElapsed(now - Date.parse(since))}</span>;
}
