import { type KeyboardEvent, type Ref, useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import { useLookChanges } from '../../lib/use-look-changes.js';
import styles from './usage-chart.module.css';

const HEIGHT_PX = 220;
const FONT = '12px "Atkinson Next", system-ui, sans-serif';
/** Steps between the labels of the horizontal axis, in hours or days. */
const STEPS = [1, 2, 3, 6, 7, 12, 14, 24, 30];
/** Of the vertical axis of counts, which has no fractions. */
const COUNT_STEPS = [1, 10, 100, 1_000, 10_000].flatMap((unit) => [unit, 2 * unit, 5 * unit]);

export interface ChartSeries {
  label: string;
  /** The class of its colour. */
  tone: 'found' | 'likely' | 'none' | 'answered' | 'failed' | 'stopped';
  values: readonly (number | null)[];
  isDashed?: boolean;
}

interface UsageChartProps {
  title: string;
  /** The names of the columns, oldest first. */
  labels: readonly string[];
  series: readonly ChartSeries[];
  /** Columns are stacked in the order of the series. */
  kind: 'columns' | 'lines';
  format: (value: number) => string;
}

/**
 * A chart over time with its legend. The pointer, or the arrow keys when it has the focus, select a column, whose values
 * the legend then shows.
 */
export function UsageChart({ title, labels, series, kind, format }: UsageChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const legend = useRef<HTMLUListElement>(null);
  const plot = useRef<uPlot>(undefined);
  const [at, setAt] = useState<number>();
  const look = useLookChanges();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are read again when the theme changes.
  useEffect(() => {
    if (!box.current || !legend.current) return;
    const made = draw(box.current, legend.current, { labels, series, kind, format }, setAt);
    plot.current = made;
    const sizes = new ResizeObserver(([entry]) =>
      made.setSize({ width: Math.floor(entry?.contentRect.width ?? made.width), height: HEIGHT_PX }),
    );
    sizes.observe(box.current);
    return () => {
      sizes.disconnect();
      made.destroy();
    };
  }, [labels, series, kind, format, look]);
  const last = labels.length - 1;
  const shown = at ?? last;
  const select = (event: KeyboardEvent) => {
    const next = { ArrowLeft: shown - 1, ArrowRight: shown + 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const column = Math.min(last, Math.max(0, next));
    plot.current?.setCursor({ left: plot.current.valToPos(column, 'x'), top: 0 });
    setAt(column);
  };
  const values = series.map(({ label, values }) => `${label} ${formatValue(values[shown], format)}`).join(', ');
  return (
    <figure>
      <div
        ref={box}
        className={styles.box}
        role="slider"
        tabIndex={0}
        aria-label={title}
        aria-orientation="horizontal"
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={shown}
        aria-valuetext={`${labels[shown] ?? ''}: ${values}`}
        onKeyDown={select}
      />
      <Legend ref={legend} column={labels[shown] ?? ''} series={series} shown={shown} format={format} />
    </figure>
  );
}

interface LegendProps extends Pick<UsageChartProps, 'series' | 'format'> {
  ref: Ref<HTMLUListElement>;
  column: string;
  /** The column whose values are shown. */
  shown: number;
}

function Legend({ ref, column, series, shown, format }: LegendProps) {
  return (
    <figcaption className="cluster small">
      <span>{column}</span>
      <ul ref={ref} className={`cluster ${styles.legend}`}>
        {series.map(({ label, tone, values, isDashed }) => (
          <li key={label}>
            <span
              data-swatch=""
              className={`${styles.swatch} ${styles[tone]} ${isDashed ? styles.dashed : ''}`}
              aria-hidden="true"
            />
            {label} <strong>{formatValue(values[shown], format)}</strong>
          </li>
        ))}
      </ul>
    </figcaption>
  );
}

const formatValue = (value: number | null | undefined, format: (value: number) => string) =>
  value === null || value === undefined ? '–' : format(value);

/** Draws the chart into `box` with the colours of the legend, which follow the theme. */
function draw(
  box: HTMLElement,
  legend: HTMLElement,
  { labels, series, kind, format }: Omit<UsageChartProps, 'title'>,
  onColumn: (at: number | undefined) => void,
): uPlot {
  const colours = [...legend.querySelectorAll('[data-swatch]')].map((swatch) => getComputedStyle(swatch).color);
  const { color: ink, borderTopColor: line } = getComputedStyle(box);
  const axis = { stroke: ink, font: FONT, ticks: { stroke: line, width: 1 }, grid: { stroke: line, width: 1 } };
  const isStacked = kind === 'columns';
  const drawn = series.map(({ values, label, isDashed }, at): { values: (number | null)[]; options: uPlot.Series } => ({
    values: isStacked ? values.map((_, column) => sumUpTo(series, at, column)) : [...values],
    options: {
      label,
      stroke: colours[at] ?? ink,
      width: isStacked ? 0 : 2,
      points: { show: !isStacked && values.filter((value) => value !== null).length < 3 },
      ...(isDashed ? { dash: [6, 4] } : {}),
      ...(isStacked
        ? { fill: colours[at] ?? ink, paths: uPlot.paths.bars?.({ size: [0.8, 48] }) }
        : { spanGaps: true }),
    },
  }));
  // A column is drawn from its top down: what lies lower is drawn over it.
  if (isStacked) drawn.reverse();
  const options: uPlot.Options = {
    width: Math.max(1, Math.floor(box.clientWidth)),
    height: HEIGHT_PX,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: !isStacked } },
    scales: {
      x: { time: false, range: [-0.5, labels.length - 0.5] },
      y: { range: (_plot, _min, max) => [0, Math.max(1, (max ?? 0) * 1.1)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        incrs: STEPS,
        space: 64,
        values: (_plot, splits) => splits.map((split) => labels[split] ?? ''),
      },
      {
        ...axis,
        size: 64,
        ...(isStacked ? { incrs: COUNT_STEPS } : {}),
        values: (_plot, splits) => splits.map(format),
      },
    ],
    series: [{}, ...drawn.map(({ options }) => options)],
    hooks: { setCursor: [({ cursor }) => onColumn(cursor.idx ?? undefined)] },
  };
  return new uPlot(options, [labels.map((_, at) => at), ...drawn.map(({ values }) => values)], box);
}

const sumUpTo = (series: readonly ChartSeries[], at: number, column: number) =>
  series.slice(0, at + 1).reduce((sum, { values }) => sum + (values[column] ?? 0), 0);
