import { formatExactTime, formatRelativeTime } from '../../lib/format/time-format.js';
import { useNow } from '../../lib/use-now.js';
import { Tooltip } from '../tooltip.js';

/** A relative time such as `3 min ago`, with the exact time on hover and focus. */
export function ExactAgo({ at }: { at: string }) {
  const now = useNow(10_000);
  const then = Date.parse(at);
  return (
    <Tooltip text={formatExactTime(then)}>
      <time dateTime={at}>{formatRelativeTime(then, Math.max(now, then))}</time>
    </Tooltip>
  );
}
