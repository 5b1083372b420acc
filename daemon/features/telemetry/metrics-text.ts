type Labels = Readonly<Record<string, string>>;

/** One number of a metric, with its labels. */
interface Sample {
  labels?: Labels;
  value: number;
}

/** The distribution of a duration: how many were at most as long as each bound, in seconds. */
export interface Distribution {
  labels: Labels;
  bounds: readonly number[];
  /** One more than there are bounds; the last one counts what was longer than all of them. */
  counts: readonly number[];
  sum: number;
}

const escapeHelp = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
const escapeLabel = (text: string) => escapeHelp(text).replaceAll('"', '\\"');
const toNumber = (value: number) => (Number.isFinite(value) ? String(value) : Number.isNaN(value) ? 'NaN' : '+Inf');

function toLine(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escapeLabel(text)}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${toNumber(value)}\n`;
}

/**
 * Writes metrics in the text format of Prometheus, version 0.0.4. Written here because a registry of a package would have
 * to be loaded at each start, for counters that are a map each.
 */
export class MetricsText {
  private text = '';

  /** Adds a metric. A counter's name ends in `_total`. A metric without samples is left out. */
  add(type: 'counter' | 'gauge', name: string, help: string, samples: readonly Sample[]): this {
    if (samples.length === 0) return this;
    this.begin(type, name, help);
    for (const { labels = {}, value } of samples) this.text += toLine(name, labels, value);
    return this;
  }

  addHistogram(name: string, help: string, distributions: readonly Distribution[]): this {
    if (distributions.length === 0) return this;
    this.begin('histogram', name, help);
    for (const { labels, bounds, counts, sum } of distributions) {
      let total = 0;
      counts.forEach((count, at) => {
        total += count;
        this.text += toLine(
          `${name}_bucket`,
          { ...labels, le: toNumber(bounds[at] ?? Number.POSITIVE_INFINITY) },
          total,
        );
      });
      this.text += toLine(`${name}_sum`, labels, sum) + toLine(`${name}_count`, labels, total);
    }
    return this;
  }

  toString(): string {
    return this.text;
  }

  private begin(type: string, name: string, help: string): void {
    this.text += `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`;
  }
}
