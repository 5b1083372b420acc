/**
 * Draws curves as an SVG that is readable on light and dark pages: latencies and memory of each subject, on logarithmic
 * axes.
 */
import type { Point } from './subject.js';

export interface Curve {
  name: string;
  sizes: readonly number[];
  points: readonly Point[];
}

const PANEL = { width: 280, height: 196 };
const PLOT = { left: 46, right: 12, top: 34, bottom: 66 };
const COLUMNS = 3;
const GAP = 20;
const MIN_MS = 0.1;
const MIN_MB = 10;
const DECADES = { size: [1, 5], ms: [-1, 5], mb: [1, 7] } as const;

const markup = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const short = (value: number) =>
  value >= 1_000_000 ? `${value / 1_000_000}M` : value >= 1_000 ? `${value / 1_000}k` : String(value);

/** Returns the position of a value within its decades, from 0 to 1. */
const share = (value: number, [from, to]: readonly [number, number]) => (Math.log10(value) - from) / (to - from);

function panel({ name, sizes, points }: Curve, left: number, top: number): string {
  const width = PANEL.width - PLOT.left - PLOT.right;
  const height = PANEL.height - PLOT.top - PLOT.bottom;
  const x = (size: number) => left + PLOT.left + share(size, DECADES.size) * width;
  const y = (part: number) => top + PLOT.top + (1 - part) * height;
  const marks: string[] = [`<text class="name" x="${left + PLOT.left}" y="${top + 18}">${markup(name)}</text>`];
  for (let power = DECADES.ms[0] + 1; power <= DECADES.ms[1]; power += 2) {
    const at = y(share(10 ** power, DECADES.ms));
    marks.push(`<line class="rule" x1="${left + PLOT.left}" x2="${left + PLOT.left + width}" y1="${at}" y2="${at}"/>`);
    marks.push(`<text class="tick end" x="${left + PLOT.left - 6}" y="${at + 3}">${short(10 ** power)} ms</text>`);
  }
  for (const size of [10, 100, 1_000, 10_000, 100_000]) {
    marks.push(`<text class="tick middle" x="${x(size)}" y="${y(0) + 14}">${short(size)}</text>`);
  }
  const line = (kind: string, read: (point: Point) => number, least: number, decades: readonly [number, number]) => {
    const places = points.map(
      (point, i) => `${x(sizes[i] ?? 1).toFixed(1)},${y(share(Math.max(least, read(point)), decades)).toFixed(1)}`,
    );
    const dots = places.map(
      (place) => `<circle class="${kind}" cx="${place.split(',')[0]}" cy="${place.split(',')[1]}" r="2"/>`,
    );
    marks.push(`<polyline class="${kind}" points="${places.join(' ')}"/>`, ...dots);
  };
  const names = Object.keys(points[0]?.ms ?? {});
  names.forEach((label, i) => {
    line(`ms${i}`, (point) => point.ms[label] ?? MIN_MS, MIN_MS, DECADES.ms);
    const last = points.at(-1)?.ms[label] ?? 0;
    marks.push(
      `<text class="key key${i}" x="${left + PLOT.left}" y="${y(0) + 28 + i * 11}">${markup(label)}: ` +
        `${Number(last.toPrecision(2))} ms</text>`,
    );
  });
  line('mb', ({ megabytes }) => megabytes, MIN_MB, DECADES.mb);
  const memory = `${Math.round(points.at(-1)?.megabytes ?? 0)} MB`;
  marks.push(
    `<text class="key keymb" x="${left + PANEL.width - PLOT.right}" y="${y(0) + 28}" text-anchor="end">memory: ` +
      `${memory}</text>`,
  );
  return marks.join('\n');
}

/** Returns the whole drawing; `caption` states when and where it was measured. */
export function growthChart(curves: readonly Curve[], caption: string): string {
  const rows = Math.ceil(curves.length / COLUMNS);
  const width = COLUMNS * PANEL.width + (COLUMNS - 1) * GAP;
  const height = rows * PANEL.height + (rows - 1) * GAP + 26;
  const panels = curves.map((curve, i) =>
    panel(curve, (i % COLUMNS) * (PANEL.width + GAP), Math.floor(i / COLUMNS) * (PANEL.height + GAP)),
  );
  const colours = (ink: string, soft: string, rule: string, lines: readonly string[]) =>
    `text{fill:${soft}}.name{fill:${ink}}.rule{stroke:${rule}}${lines
      .map((colour, i) => {
        const kind = i === 3 ? 'mb' : `ms${i}`;
        return `polyline.${kind}{stroke:${colour}}circle.${kind}{fill:${colour}}.key${i === 3 ? 'mb' : i}{fill:${colour}}`;
      })
      .join('')}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Latency and memory as the number of agents, posts, requests, conversations, sockets and files grows">
<style>
text{font:9px system-ui,sans-serif}.name{font-size:13px;font-weight:600}.end{text-anchor:end}.middle{text-anchor:middle}polyline{fill:none;stroke-width:1.6}polyline.mb{stroke-dasharray:4 3}.rule{stroke-width:.7}
${colours('#1d2423', '#46504e', '#d5d0c3', ['#0f6b5c', '#25558a', '#7a3e6d', '#855000'])}
@media (prefers-color-scheme:dark){${colours('#e6ece9', '#b3c0bd', '#2a383b', ['#5cc2a8', '#8db8e8', '#d79cc6', '#e9b45a'])}}
</style>
${panels.join('\n')}
<text x="0" y="${height - 6}">${markup(caption)}</text>
</svg>
`;
}
