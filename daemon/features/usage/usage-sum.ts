import {
  USAGE_GROUPS_MAX,
  USAGE_KINDS,
  USAGE_OTHERS,
  type UsageCounts,
  type UsageGroup,
} from '../../contract/usage.js';
import type { TurnUsage } from './usage-store.js';

/** Steps of the histogram of latencies per doubling: neighbours are 4.4 % apart. */
const STEPS_PER_OCTAVE = 16;
/** Different names that one report tells apart while it sums up. */
const NAMES_MAX = 1_000;

const getStep = (ms: number) => Math.round(Math.log2(Math.max(0, ms) + 1) * STEPS_PER_OCTAVE);
const getLatency = (step: number) => Math.round(2 ** (step / STEPS_PER_OCTAVE) - 1);
const add = (sum: number | null, value: number | null) => (value === null ? sum : (sum ?? 0) + value);

/** The sums over turns, and the distribution of their latencies. */
export class UsageSum {
  private readonly kinds = { found: 0, likely: 0, none: 0, answered: 0, failed: 0, stopped: 0 };
  private readonly latencies = new Map<number, number>();
  private input: number | null = null;
  private output: number | null = null;
  private cost: number | null = null;
  refused = 0;

  add({ kind, latency_ms, input_tokens, output_tokens, cost_usd }: TurnUsage): void {
    this.kinds[kind] += 1;
    this.input = add(this.input, input_tokens);
    this.output = add(this.output, output_tokens);
    this.cost = add(this.cost, cost_usd);
    if (latency_ms === null) return;
    const step = getStep(latency_ms);
    this.latencies.set(step, (this.latencies.get(step) ?? 0) + 1);
  }

  addSum(other: UsageSum): void {
    for (const kind of USAGE_KINDS) this.kinds[kind] += other.kinds[kind];
    this.input = add(this.input, other.input);
    this.output = add(this.output, other.output);
    this.cost = add(this.cost, other.cost);
    this.refused += other.refused;
    for (const [step, count] of other.latencies) this.latencies.set(step, (this.latencies.get(step) ?? 0) + count);
  }

  get asks(): number {
    return Object.values(this.kinds).reduce((sum, count) => sum + count, 0);
  }

  get counts(): UsageCounts {
    const steps = [...this.latencies].sort(([a], [b]) => a - b);
    return {
      asks: this.asks,
      ...this.kinds,
      refused: this.refused,
      p50_ms: getQuantile(steps, 0.5),
      p95_ms: getQuantile(steps, 0.95),
      input_tokens: this.input,
      output_tokens: this.output,
      cost_usd: this.cost,
    };
  }
}

/** Returns the latency that the share `q` of the answers did not exceed; null without answers. `steps` is sorted. */
function getQuantile(steps: readonly [number, number][], q: number): number | null {
  const rank = Math.ceil(steps.reduce((sum, [, count]) => sum + count, 0) * q);
  let seen = 0;
  for (const [step, count] of steps) {
    seen += count;
    if (seen >= rank) return getLatency(step);
  }
  return null;
}

/** Sums by name. However many names there are, it holds a bounded number. */
export class UsageSums {
  private readonly sums = new Map<string, UsageSum>();

  get(name: string): UsageSum {
    const key = this.sums.has(name) || this.sums.size < NAMES_MAX ? name : USAGE_OTHERS;
    const sum = this.sums.get(key) ?? new UsageSum();
    this.sums.set(key, sum);
    return sum;
  }

  /** Returns the sums with the most asks, then the most refused calls. The last one may sum up all others. */
  get groups(): UsageGroup[] {
    const { [USAGE_OTHERS]: folded, ...named } = Object.fromEntries(this.sums);
    const sorted = Object.entries(named).sort(
      ([a, one], [b, other]) => other.asks - one.asks || other.refused - one.refused || (a < b ? -1 : 1),
    );
    const others = folded ?? new UsageSum();
    for (const [, sum] of sorted.slice(USAGE_GROUPS_MAX)) others.addSum(sum);
    const shown = sorted.slice(0, USAGE_GROUPS_MAX);
    if (others.asks + others.refused > 0) shown.push([USAGE_OTHERS, others]);
    return shown.map(([name, sum]) => ({ name, ...sum.counts }));
  }
}
