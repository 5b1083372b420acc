import { formatExactTime } from '../../lib/format/time-format.js';
import styles from './reputation.module.css';
import type { Chart } from './score-history.js';

const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

interface ScoreChartProps {
  chart: Chart;
  /** Epoch seconds. */
  from: number;
  until: number;
  /** Description for screen readers. The log below has the same data as numbers. */
  label: string;
}

/** The score over time as a step line. A filled dot is a report with a proof, an empty one a report without. */
export function ScoreChart({ chart, from, until, label }: ScoreChartProps) {
  return (
    <figure className={styles.chart}>
      <div className={styles.scale} aria-hidden="true">
        <span>1</span>
        <span>0.5</span>
        <span>0</span>
      </div>
      <svg className={styles.field} viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label={label}>
        <path className={styles.grid} d="M0 0H100M0 50H100M0 100H100" />
        <path className={styles.line} d={chart.line} />
        {/* Zero-length strokes stay round whatever the aspect ratio of the chart. */}
        {chart.dots.map(({ seq, x, y, isProven }) => (
          <g key={seq} className={styles.dot}>
            <path d={`M${x} ${y}h0`} />
            {!isProven && <path className={styles.hollow} d={`M${x} ${y}h0`} />}
          </g>
        ))}
      </svg>
      <figcaption className={styles.span}>
        <time dateTime={new Date(from * 1_000).toISOString()} title={formatExactTime(from * 1_000)}>
          {date.format(from * 1_000)}
        </time>
        <span>a full dot has a proof</span>
        <time dateTime={new Date(until * 1_000).toISOString()} title={formatExactTime(until * 1_000)}>
          {date.format(until * 1_000)}
        </time>
      </figcaption>
    </figure>
  );
}
