import type { RequestDetail } from '../../../daemon/contract/asks.js';
import { statusWord } from '../../components/status-mark.js';
import { formatClockTimeWithSeconds } from '../../lib/clock-format.js';
import { formatDuration } from '../../lib/time-format.js';
import { useNow } from '../../lib/use-now.js';
import styles from './timeline.module.css';
import { createTimeline, formatCollection } from './timeline-moments.js';

const WIDTH = 1_000;

/** The life of a request on a line, with a tick per poll, and the same in words below. */
export function RequestTimeline({ request }: { request: RequestDetail }) {
  const isOver = request.finished_at !== undefined;
  const now = useNow(isOver ? 30_000 : 1_000);
  const line = createTimeline(request, now);
  const x = (share: number) => Math.round(share * WIDTH);
  const workFrom = line.startedAt ?? line.endedAt ?? 1;
  const workTo = line.endedAt ?? 1;
  const words = formatCollection(request, now);
  const moments: { at: string; words: string }[] = [
    { at: request.created_at, words: 'asked' },
    ...(request.started_at ? [{ at: request.started_at, words: `${request.client} began` }] : []),
    ...(request.finished_at
      ? [{ at: request.finished_at, words: statusWord(request.status, request.error?.code) }]
      : []),
    ...(request.collected_at ? [{ at: request.collected_at, words: 'collected by the caller' }] : []),
  ];
  return (
    <div>
      <div className={styles.timeline}>
        <svg
          className={styles.drawing}
          viewBox={`0 0 ${WIDTH} 34`}
          preserveAspectRatio="none"
          aria-hidden="true"
          focusable="false"
        >
          <path className={styles.wait} d={`M0 12H${x(workFrom)}`} vectorEffect="non-scaling-stroke" />
          {line.startedAt !== undefined && (
            <path className={styles.work} d={`M${x(workFrom)} 12H${x(workTo)}`} vectorEffect="non-scaling-stroke" />
          )}
          {workTo < 1 && (
            <path className={styles.after} d={`M${x(workTo)} 12H${WIDTH}`} vectorEffect="non-scaling-stroke" />
          )}
          <path className={styles.post} d="M1 4v16" vectorEffect="non-scaling-stroke" />
          {line.endedAt !== undefined && (
            <path className={styles.post} d={`M${x(line.endedAt)} 4v16`} vectorEffect="non-scaling-stroke" />
          )}
          {line.polls.map((share, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: ticks have no identity beyond their order.
            <path key={at} className={styles.tick} d={`M${x(share)} 23v8`} vectorEffect="non-scaling-stroke" />
          ))}
        </svg>
      </div>
      <ol className={styles.moments}>
        {moments.map(({ at, words: what }) => (
          <li key={what}>
            <time dateTime={at} className={styles.gutter}>
              {formatClockTimeWithSeconds(Date.parse(at))}
            </time>
            <span>{what}</span>
            <span className={styles.offset}>
              {at === request.created_at ? '' : `+${formatDuration(Date.parse(at) - line.from)}`}
            </span>
          </li>
        ))}
        <li>
          <span className={styles.gutter} />
          <span>
            {request.polls.length > 0 &&
              `polled ${request.polls.length === 1 ? 'once' : `${request.polls.length} times`}, `}
            {words}
            {line.laterPolls > 0 && `; ${line.laterPolls} long after the end`}
          </span>
        </li>
      </ol>
    </div>
  );
}
