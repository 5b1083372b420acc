import { agoWords, exactWords } from '../lib/time-words.js';
import { useNow } from '../lib/use-now.js';
import { Tooltip } from './tooltip.js';

/** A relative time such as `3 min ago`, with the exact time on hover and focus. */
export function ExactAgo({ at }: { at: string }) {
  const now = useNow(10_000);
  const then = Date.parse(at);
  return (
    <Tooltip text={exactWords(then)}>
      <time dateTime={at}>{agoWords(then, Math.max(now, then))}</time>
    </Tooltip>
  );
}
