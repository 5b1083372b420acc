import type { RequestDetail } from '../../../daemon/contract/asks.js';
import { statusWord } from '../../components/status-mark.js';
import { formatClockTimeWithSeconds } from '../../lib/format/clock-format.js';
import { formatDuration } from '../../lib/format/time-format.js';
import { useNow } from '../../lib/use-now.js';
import styles from './timeline.module.css';
import { createTimeline, formatCollection, type Timeline } from './timeline-moments.js';

const WIDTH = 1_000;

function listMoments(request: RequestDetail): { at: string; what: string }[] {
  const { created_at, started_at, finished_at, collected_at, client, status, error } = request;
  return [
    { at: created_at, what: 'asked' },
    ...(started_at ? [{ at: started_at, what: `${client} began` }] : []),
    ...(finished_at ? [{ at: finished_at, what: statusWord(status, error?.code) }] : []),
    ...(collected_at ? [{ at: collected_at, what: 'collected by the caller' }] : []),
  ];
}

/** The life of a request on a line, with a tick per poll, and the same in words below. */
export function RequestTimeline({ request }: { request: RequestDetail }) {
  const isOver = request.finished_at !== undefined;
  const now = useNow(isOver ? 30_000 : 1_000);
  const line = createTimeline(request, now);
  return (
    <div>
      <div className={styles.timeline}>
        <Drawing line={line} />
      </div>
      <ol className={styles.moments}>
        {listMoments(request).map(({ at, what }) => (
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
            {formatCollection(request, now)}
            {line.laterPolls > 0 && `; ${line.laterPolls} long after the end`}
          </span>
        </li>
      </ol>
    </div>
  );
}

function Drawing({ line }: { line: Timeline }) {
  const x = (share: number) => Math.round(share * WIDTH);
  const workFrom = line.startedAt ?? line.endedAt ?? 1;
  const workTo = line.endedAt ?? 1;
  return (
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
  );
}
